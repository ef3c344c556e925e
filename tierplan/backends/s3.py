"""Amazon S3: no account quota of bandwidth, request rates by key prefix, seven storage classes."""

from __future__ import annotations

from tierplan.backends import Backend
from tierplan.backends._object_stores import OPTIONS as SHARED
from tierplan.backends._object_stores import ClassRow, Store
from tierplan.backends._objects import ObjectStore

STORE = Store(
    id="s3",
    service="Amazon S3",
    classes=(
        ClassRow(name="STANDARD", key="standard"),
        ClassRow(name="STANDARD_IA", key="standard_ia", comes_from=("STANDARD",)),
        ClassRow(name="INTELLIGENT_TIERING", key="intelligent", comes_from=("STANDARD", "STANDARD_IA")),
        ClassRow(
            name="ONEZONE_IA",
            key="onezone_ia",
            comes_from=("STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING"),
            gap_after=("STANDARD_IA",),
            one_zone=True,
        ),
        ClassRow(name="GLACIER_IR", key="glacier_ir", comes_from=("STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING")),
        ClassRow(
            name="GLACIER",
            key="glacier",
            comes_from=("STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING", "ONEZONE_IA", "GLACIER_IR"),
            gap_after=("STANDARD_IA", "ONEZONE_IA"),
        ),
        ClassRow(
            name="DEEP_ARCHIVE",
            key="deep_archive",
            comes_from=("STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING", "ONEZONE_IA", "GLACIER_IR", "GLACIER"),
            gap_after=("STANDARD_IA", "ONEZONE_IA"),
        ),
    ),
    warm="STANDARD_IA",
    cold="GLACIER_IR",
    requests_per="prefix",
)
OPTIONS = {**SHARED, **STORE.options}

BACKEND: Backend = ObjectStore(STORE)
