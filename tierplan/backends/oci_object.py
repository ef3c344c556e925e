"""Oracle Object Storage: three tiers, of which Archive has to be restored first; no published quota was found."""

from __future__ import annotations

from tierplan.backends import Backend
from tierplan.backends._object_stores import OPTIONS as SHARED
from tierplan.backends._object_stores import ClassRow, Store
from tierplan.backends._objects import ObjectStore

STORE = Store(
    id="oci-object",
    service="OCI Object Storage",
    classes=(
        ClassRow(name="Standard", key="standard"),
        ClassRow(name="InfrequentAccess", key="infrequent_access", comes_from=("Standard",)),
        ClassRow(name="Archive", key="archive", comes_from=("Standard", "InfrequentAccess")),
    ),
    warm="InfrequentAccess",
    cold="InfrequentAccess",
    requests_per="account",
    never_change=("a bucket's name, namespace and region", "a bucket's default tier"),
    options={"namespace": str, "compartment": str},
)
OPTIONS = {**SHARED, **STORE.options}

BACKEND: Backend = ObjectStore(STORE)
