"""Huawei Cloud OBS: one bandwidth for reads and writes of an account, requests capped too; four classes."""

from __future__ import annotations

from tierplan.backends import Backend
from tierplan.backends._object_stores import OPTIONS as SHARED
from tierplan.backends._object_stores import ClassRow, Store
from tierplan.backends._objects import ObjectStore

STORE = Store(
    id="obs",
    service="Huawei Cloud OBS",
    classes=(
        ClassRow(name="STANDARD", key="standard"),
        ClassRow(name="WARM", key="warm", comes_from=("STANDARD",)),
        ClassRow(name="COLD", key="cold", comes_from=("STANDARD", "WARM"), gap_after=("WARM",)),
        ClassRow(
            name="DEEP_ARCHIVE", key="deep_archive", comes_from=("STANDARD", "WARM", "COLD"), gap_after=("WARM", "COLD")
        ),
    ),
    warm="WARM",
    cold="WARM",
    requests_per="account",
    never_change=("a bucket's name, region and redundancy",),
)
OPTIONS = {**SHARED, **STORE.options}

BACKEND: Backend = ObjectStore(STORE)
