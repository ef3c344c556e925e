"""
Find the Pulumi engine, or make it: `python scripts/engine.py` prints the folder to put on PATH.

In this order: a suitable `pulumi` on PATH; one that was fetched or built here before; the official installer;
a build from the Go modules pinned in `tools/`; else one line that says what to install, and exit code 3.
Nothing is written into the checkout. Only the standard library is needed.

    TIERPLAN_CACHE             where fetched and built engines are kept (default: tierplan/ in the user's cache folder)
    TIERPLAN_ENGINE_INSTALL=0  do not try the official installer
"""

from __future__ import annotations

import os
import platform
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import engine_make
import locks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LOWEST = (3, 255, 0)
"""The first engine that starts a policy pack given as one executable file."""
BELOW = (4, 0, 0)
HOST = "pulumi-language-python"


class EngineMissingError(Exception):
    """There is no engine and none can be made; the message says what to install."""


def cache_folder(env: Mapping[str, str]) -> Path:
    """Where engines are kept, outside every checkout."""
    if own := env.get("TIERPLAN_CACHE"):
        return Path(own).expanduser().absolute()
    base = env.get("XDG_CACHE_HOME")
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "tierplan"


def find(env: Mapping[str, str] = os.environ) -> Path:
    """
    The folder that holds `pulumi`, made where there is none yet.

    Raises:   EngineMissingError with one line that says what to install
    """
    reasons: list[str] = []
    ready = on_path(env, reasons) or in_cache(env)
    return ready or _make(env, reasons)


def on_path(env: Mapping[str, str], reasons: list[str]) -> Path | None:
    """The first folder on PATH whose `pulumi` fits; why the others do not goes to `reasons`."""
    for program in _programs(env, "pulumi"):
        fault = unsuitable(program, env)
        if fault is None:
            return program.parent
        reasons.append(f"{program}: {fault}")
    if not reasons:
        reasons.append("no pulumi on PATH")
    return None


def unsuitable(program: Path, env: Mapping[str, str]) -> str | None:
    """Why this `pulumi` cannot be used, or None."""
    version = _version(program, env)
    if version is None:
        return "does not tell its version"
    if not LOWEST <= version < BELOW:
        wanted = f">={dotted(LOWEST)},<{BELOW[0]}"
        return f"version {dotted(version)} is not {wanted}"
    beside = (program.parent / HOST, program.resolve().parent / HOST)
    if not any(map(_is_program, beside)) and next(_programs(env, HOST), None) is None:
        return f"has no {HOST} beside it or on PATH"
    return None


def in_cache(env: Mapping[str, str]) -> Path | None:
    """An engine that was fetched or built before, whole."""
    for folder in homes(env):
        if engine_make.is_whole(folder):
            return folder / "bin"
    return None


def _make(env: Mapping[str, str], reasons: list[str]) -> Path:
    fetched, built = homes(env)
    cache = fetched.parent
    try:
        with locks.exclusive(cache / "lock", waiting_for="another command that is making the Pulumi engine"):
            if ready := in_cache(env):
                return ready
            engine_make.sweep(cache)
            for home, how in ((fetched, engine_make.fetch), (built, engine_make.build)):
                fault = how(home, env)
                if fault is None:
                    return home / "bin"
                reasons.append(fault)
    except OSError as error:
        reasons.append(f"{cache}: {error.strerror or error}; TIERPLAN_CACHE names another folder")
    raise EngineMissingError(_what_to_install(reasons))


def homes(env: Mapping[str, str]) -> tuple[Path, Path]:
    """The folders of the fetched and of the built engine; homes may be shared by machines of several kinds."""
    pins = engine_make.pinned()
    machine = f"{platform.system()}-{platform.machine()}".lower()
    cache = cache_folder(env) / "pulumi"
    return cache / f"v{pins.engine}+official-{machine}", cache / f"v{pins.engine}+host-v{pins.host}-{machine}"


def _what_to_install(reasons: list[str]) -> str:
    return (
        f"no Pulumi engine: install Pulumi {dotted(LOWEST)} or newer (pulumi.com/docs/install) "
        f"or Go {engine_make.pinned().go} or newer (go.dev/dl), and run this again. Tried: " + "; ".join(reasons)
    )


def _programs(env: Mapping[str, str], name: str) -> Iterator[Path]:
    for folder in env.get("PATH", "").split(os.pathsep):
        if folder and _is_program(Path(folder) / name):
            yield (Path(folder) / name).absolute()


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _version(program: Path, env: Mapping[str, str]) -> tuple[int, int, int] | None:
    quiet = {**env, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        said = subprocess.run(
            [program, "version"],
            env=quiet,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return None
    match = re.match(r"v?(\d+)\.(\d+)\.(\d+)", said.strip())
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def dotted(version: tuple[int, int, int]) -> str:
    """``(3, 255, 0)`` -> ``3.255.0``."""
    return ".".join(map(str, version))


def main() -> int:
    """Print the folder; 3 where there is no engine."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        print(find())
    except EngineMissingError as error:
        print(error, file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("interrupted; nothing half-finished is kept", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
