"""Azure Blob Storage: quotas of one storage account; tiers hot, cool, cold and archive, the last one offline."""

from __future__ import annotations

from tierplan.backends import Backend
from tierplan.backends._object_stores import OPTIONS as SHARED
from tierplan.backends._object_stores import ClassRow, Store
from tierplan.backends._objects import ObjectStore

STORE = Store(
    id="azure-blob",
    service="Azure Blob Storage",
    classes=(
        ClassRow(name="Hot", key="hot"),
        ClassRow(name="Cool", key="cool", comes_from=("Hot",)),
        ClassRow(name="Cold", key="cold", comes_from=("Hot", "Cool")),
        ClassRow(name="Archive", key="archive", comes_from=("Hot", "Cool", "Cold")),
    ),
    warm="Cool",
    cold="Cold",
    requests_per="account",
    never_change=("a storage account's name, region and kind of namespace",),
    options={"account": str, "resource_group": str},
)
OPTIONS = {**SHARED, **STORE.options}

BACKEND: Backend = ObjectStore(STORE)
