"""
Find the host of YAML programs, or build it: `python scripts/engine_yaml.py` prints the folder to put on PATH.

Official releases of the engine bring it along; beside an engine of our own it is built from the modules pinned in
`tools/pulumi-yaml` and kept in the same cache.  Exit code 3 with one line where it can be neither found nor built.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import engine
import engine_make
import locks

if TYPE_CHECKING:
    from collections.abc import Mapping


def find(engine_bin: Path, env: Mapping[str, str] = os.environ) -> Path:
    """
    The folder that holds `pulumi-language-yaml`, made where there is none yet.

    Raises:   EngineMissingError with one line that says why there is none
    """
    beside = shutil.which(engine_make.YAML_HOST, path=os.pathsep.join([str(engine_bin), env.get("PATH", "")]))
    if beside is not None:
        return Path(beside).parent
    folder = home(env)
    if engine_make.is_whole(folder):
        return folder / "bin"
    try:
        with locks.exclusive(folder.parent / "lock", waiting_for="another command that is making the Pulumi engine"):
            fault = None if engine_make.is_whole(folder) else engine_make.build_yaml(folder, env)
    except OSError as error:
        fault = f"{folder.parent}: {error.strerror or error}"
    if fault:
        message = f"no {engine_make.YAML_HOST}: {fault}"
        raise engine.EngineMissingError(message)
    return folder / "bin"


def home(env: Mapping[str, str]) -> Path:
    """Where the host built here is kept."""
    machine = f"{platform.system()}-{platform.machine()}".lower()
    return engine.cache_folder(env) / "pulumi" / f"yaml-v{engine_make.yaml_version()}-{machine}"


def main() -> int:
    """Print the folder; 3 where there is none."""
    try:
        print(find(engine.find()))
    except engine.EngineMissingError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
