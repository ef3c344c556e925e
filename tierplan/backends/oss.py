"""Alibaba Cloud OSS: the bandwidth of an account and region is capped, and so are its requests; five classes."""

from __future__ import annotations

from tierplan.backends import Backend
from tierplan.backends._object_stores import OPTIONS as SHARED
from tierplan.backends._object_stores import ClassRow, Store
from tierplan.backends._objects import ObjectStore

LARGE = ("cn-hangzhou", "cn-shanghai", "cn-beijing", "cn-shenzhen", "ap-southeast-1")
MAINLAND = ("cn-qingdao", "cn-huhehaote", "cn-wulanchabu", "cn-heyuan", "cn-guangzhou", "cn-chengdu")
STORE = Store(
    id="oss",
    service="Alibaba Cloud OSS",
    classes=(
        ClassRow(name="Standard", key="standard"),
        ClassRow(name="IA", key="ia", comes_from=("Standard",)),
        ClassRow(name="Archive", key="archive", comes_from=("Standard", "IA")),
        ClassRow(name="ColdArchive", key="cold_archive", comes_from=("Standard", "IA", "Archive")),
        ClassRow(
            name="DeepColdArchive", key="deep_cold_archive", comes_from=("Standard", "IA", "Archive", "ColdArchive")
        ),
    ),
    warm="IA",
    cold="IA",
    requests_per="account",
    regions={"large": LARGE, "zhangjiakou": ("cn-zhangjiakou",), "mainland": MAINLAND},
    never_change=("a bucket's name, region and default class",),
)
OPTIONS = {**SHARED, **STORE.options}

BACKEND: Backend = ObjectStore(STORE)
