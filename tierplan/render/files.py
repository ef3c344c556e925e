"""The door to disk: a folder of rendered files comes into being whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from tierplan.errors import RenderError
from tierplan.render.manifest import MANIFEST, artifacts, digest, read_manifest

SCRIPT_MODE, FILE_MODE, FOLDER_MODE = 0o755, 0o644, 0o755


def write(files: Mapping[str, str], out_dir: Path) -> None:
    """
    Write all files into `out_dir`, or none: a sibling folder is filled and then takes its name.

    A folder that holds our manifest and exactly what it lists is replaced; any other folder with something in it is
    left alone.

    Raises:   RenderError if a path leads outside, if the folder is not ours to replace, or if the disk refuses
    """
    artifacts(files)  # no folder without a manifest: it could never be replaced
    for path in files:
        _check_path(path)
    target = out_dir.absolute()
    try:
        _check_target(target, out_dir)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as work:
            new = Path(work) / "new"
            _fill(new, files)
            _exchange(new, target, Path(work) / "old")
    except OSError as error:
        message = f"{out_dir}: cannot be written ({error.strerror or error}); choose another place with --out"
        raise RenderError(message) from None


def _check_path(path: str) -> None:
    parts = PurePosixPath(path).parts
    plain = path and not path.startswith("/") and "\\" not in path and "\0" not in path
    if not plain or any(part in ("..", ".", "/") for part in path.split("/")) or path != "/".join(parts):
        message = f"{path!r} is no path inside the folder"
        raise RenderError(message)


def _check_target(target: Path, shown: Path) -> None:
    """A new name, an empty folder, or ours as we left it."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        message = f"{shown}: is no folder; choose another place with --out"
        raise RenderError(message)
    if not target.exists() or not any(target.iterdir()):
        return
    manifest = target / MANIFEST
    if manifest.is_symlink() or not manifest.is_file():
        message = f"{shown}: holds files that are not tierplan's; choose an empty folder with --out"
        raise RenderError(message)
    listed = {artifact.path: artifact.sha256 for artifact in read_manifest(manifest.read_text(encoding="utf-8"))}
    found = {path.relative_to(target).as_posix(): path for path in target.rglob("*") if not path.is_dir()}
    changed = sorted(
        name
        for name, path in found.items()
        if name != MANIFEST and (name not in listed or path.is_symlink() or _digest(path) != listed[name])
    )
    if changed:
        message = f"{shown}: {changed[0]} was added or changed by hand; move it away, or choose another folder"
        raise RenderError(message)


def _digest(path: Path) -> str:
    try:
        return digest(path.read_bytes().decode())
    except UnicodeDecodeError:
        return ""


def _fill(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(mode=FOLDER_MODE)
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        place.write_bytes(text.encode())
        place.chmod(SCRIPT_MODE if path.endswith(".sh") else FILE_MODE)


def _exchange(new: Path, target: Path, old: Path) -> None:
    """`new` takes the name of `target`; if that fails, what stood there stands there again."""
    if not target.exists():
        new.rename(target)
        return
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old)
