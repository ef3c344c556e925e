"""Google Cloud Storage: a bandwidth quota by region, request rates that grow with use, four classes read at once."""

from __future__ import annotations

from tierplan.backends import Backend
from tierplan.backends._object_stores import OPTIONS as SHARED
from tierplan.backends._object_stores import ClassRow, Store
from tierplan.backends._objects import ObjectStore

STORE = Store(
    id="gcs",
    service="Google Cloud Storage",
    classes=(
        ClassRow(name="STANDARD", key="standard"),
        ClassRow(name="NEARLINE", key="nearline", comes_from=("STANDARD",)),
        ClassRow(name="COLDLINE", key="coldline", comes_from=("STANDARD", "NEARLINE")),
        ClassRow(name="ARCHIVE", key="archive", comes_from=("STANDARD", "NEARLINE", "COLDLINE")),
    ),
    warm="NEARLINE",
    cold="COLDLINE",
    requests_per="prefix",
    never_change=("a bucket's name and location",),
)
OPTIONS = {**SHARED, **STORE.options}

BACKEND: Backend = ObjectStore(STORE)
