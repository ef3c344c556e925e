"""The manifest: path, digest and template of every rendered file; by it a folder is known as ours."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from tierplan.errors import RenderError

MANIFEST = "MANIFEST.json"
SCHEMA = "tierplan/manifest/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One rendered file."""

    path: str
    sha256: str
    template: str


def digest(text: str) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def manifest_text(files: Iterable[Artifact], *, stack: str, plan_digest: str) -> str:
    """The manifest as JSON."""
    listed = [asdict(artifact) for artifact in files]
    document = {"schema": SCHEMA, "stack": stack, "plan_sha256": plan_digest, "files": listed}
    return json.dumps(document, indent=1) + "\n"


def artifacts(files: Mapping[str, str]) -> tuple[Artifact, ...]:
    """
    What `render` made, file by file, without the manifest itself.

    Raises:   RenderError if there is no manifest among the files
    """
    return read_manifest(files.get(MANIFEST, ""))


def read_manifest(text: str) -> tuple[Artifact, ...]:
    """
    The files that a manifest lists.

    Raises:   RenderError if it is none of ours
    """
    message = f"{MANIFEST} is none of tierplan's; choose another folder with --out"
    try:
        document = json.loads(text)
        if document["schema"] != SCHEMA:
            raise RenderError(message)
        return tuple(Artifact(**entry) for entry in document["files"])
    except (ValueError, KeyError, TypeError):
        raise RenderError(message) from None
