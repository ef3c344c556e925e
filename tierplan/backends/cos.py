"""Tencent Cloud COS: the bandwidth of an account and region is capped, requests by bucket; five classes."""

from __future__ import annotations

from tierplan.backends import Backend
from tierplan.backends._object_stores import OPTIONS as SHARED
from tierplan.backends._object_stores import ClassRow, Store
from tierplan.backends._objects import ObjectStore

MAINLAND = ("ap-beijing", "ap-nanjing", "ap-shanghai", "ap-guangzhou", "ap-chengdu", "ap-chongqing")
STORE = Store(
    id="cos",
    service="Tencent Cloud COS",
    classes=(
        ClassRow(name="STANDARD", key="standard"),
        ClassRow(name="STANDARD_IA", key="standard_ia", comes_from=("STANDARD",)),
        ClassRow(name="INTELLIGENT_TIERING", key="intelligent", comes_from=("STANDARD", "STANDARD_IA")),
        ClassRow(name="ARCHIVE", key="archive", comes_from=("STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING")),
        ClassRow(
            name="DEEP_ARCHIVE",
            key="deep_archive",
            comes_from=("STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING", "ARCHIVE"),
        ),
    ),
    warm="STANDARD_IA",
    cold="STANDARD_IA",
    requests_per="bucket",
    regions={"mainland": MAINLAND},
)
OPTIONS = {**SHARED, **STORE.options}

BACKEND: Backend = ObjectStore(STORE)
