"""
Make the engine: fetched by the official installer, or built from the Go modules pinned in `tools/`.  The host of YAML
programs, which only those who write in YAML need, is built in the same manner and kept beside.

Either works in a folder of its own beside the wanted one, which takes its name only when it is whole; so a folder
with that name is a finished engine, whenever and however a run ended.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import progress

if TYPE_CHECKING:
    from collections.abc import Mapping

TOOLS = Path(__file__).resolve().parent.parent / "tools"
SDK = "github.com/pulumi/pulumi/sdk/v3"
CLI = "github.com/pulumi/pulumi/pkg/v3"
YAML = "github.com/pulumi/pulumi-yaml"
YAML_HOST = "pulumi-language-yaml"
SETTINGS = {"CGO_ENABLED": "0", "GOWORK": "off", "GOFLAGS": "-mod=readonly"}
PROGRAMS = ("pulumi", "pulumi-language-python", "pulumi-language-python-exec")
GO_HOME = "/usr/local/go/bin"
"""Where Go's own installation puts it, often without telling PATH."""
MARK = "complete.json"
UNFINISHED = ".unfinished"
STALL_S = 20.0
"""The installer is given up when nothing more has arrived for this long."""
INSTALLER = """
import sys
from semver import VersionInfo
from pulumi.automation import PulumiCommand
PulumiCommand.install(root=sys.argv[1], version=VersionInfo.parse(sys.argv[2]))
"""


@dataclass(frozen=True, slots=True)
class Pins:
    """Versions, as `tools/*/go.mod` pin them: the only place that names them."""

    engine: str
    host: str
    go: str


def pinned(tools: Path = TOOLS) -> Pins:
    """Read the pins."""
    cli = (tools / "pulumi-cli" / "go.mod").read_text(encoding="utf-8")
    host = (tools / "pulumi-host" / "go.mod").read_text(encoding="utf-8")
    return Pins(
        _only(rf"{re.escape(CLI)} v(\S+)", cli), _only(rf"{re.escape(SDK)} v(\S+)", host), _only(r"\ngo (\S+)", cli)
    )


def _only(pattern: str, text: str) -> str:
    (found,) = re.findall(pattern, text)
    return str(found)


def is_whole(home: Path) -> bool:
    """A finished engine: its mark is there, and each program has the size that the mark says."""
    try:
        sizes: dict[str, int] = json.loads((home / MARK).read_text(encoding="utf-8"))
        return all((home / "bin" / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def sweep(cache: Path) -> None:
    """Remove what ended runs left; the caller holds the lock, so none of it is in use."""
    for folder in cache.glob(f"*{UNFINISHED}"):
        shutil.rmtree(folder, ignore_errors=True)


def fetch(home: Path, env: Mapping[str, str]) -> str | None:
    """Let the SDK's own installer fetch the engine; the reason where it could not."""
    if env.get("TIERPLAN_ENGINE_INSTALL") == "0":
        return "official installer: switched off by TIERPLAN_ENGINE_INSTALL=0"
    part = _fresh(home)
    scratch = part / "tmp"
    scratch.mkdir()
    command: list[str | Path] = [sys.executable, "-c", INSTALLER, part, pinned().engine]
    try:
        progress.run(
            command,
            label="fetching the Pulumi engine with its official installer",
            cwd=part,
            env={**env, "TMPDIR": str(scratch)},
            give_up=_Stall(part),
        )
        shutil.rmtree(scratch)
        _finish(part, home)
    except (progress.ChildError, subprocess.SubprocessError, OSError) as error:
        return f"official installer: {_last_line(error)}"
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return None


class _Stall:
    """Says when a folder has not grown for a while: a network that swallows packets never ends by itself."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.size, self.since = folder, -1, time.monotonic()

    def __call__(self) -> str | None:
        size = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        if size != self.size:
            self.size, self.since = size, time.monotonic()
        return f"nothing arrived for {STALL_S:.0f} s" if time.monotonic() - self.since > STALL_S else None


def build(home: Path, env: Mapping[str, str]) -> str | None:
    """Build engine and Python host from the pinned modules; the reason where that cannot be done."""
    go = shutil.which("go", path=env.get("PATH")) or shutil.which("go", path=GO_HOME)
    if go is None:
        return "Go: not found"
    if fault := too_old(go, env):
        return fault
    pins = pinned()
    print(
        f"building the Pulumi engine v{pins.engine}, once: three to four minutes on two cores, "
        "4 GB of free disk, 2.5 GiB of memory",
        file=sys.stderr,
    )
    part = _fresh(home)
    try:
        _compile(go, part / "bin", env, pins)
        _finish(part, home)
    except (progress.ChildError, subprocess.SubprocessError, OSError) as error:
        print(error, file=sys.stderr)
        return f"Go build: {_last_line(error)}"
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return None


def too_old(go: str, env: Mapping[str, str]) -> str | None:
    """Why this Go cannot build the engine: too old, and not allowed to fetch the toolchain that go.mod names."""
    wanted = pinned().go
    try:
        here = _ask(go, {**env, "GOTOOLCHAIN": "local"}, "env", "GOVERSION")
        choice = _ask(go, env, "env", "GOTOOLCHAIN")
    except (OSError, subprocess.SubprocessError) as error:
        return f"Go: {go}: {_last_line(error)}"
    version = _numbers(here)
    if version >= _numbers(wanted):
        return None
    if version >= (1, 21) and (choice == "auto" or choice.endswith("+auto")):
        return None
    return f"Go: {here.removeprefix('go')} is older than {wanted}" + (
        f" and GOTOOLCHAIN={choice} keeps it from fetching that one" if choice and version >= (1, 21) else ""
    )


def _numbers(version: str) -> tuple[int, ...]:
    """``go1.26.6`` -> (1, 26, 6); a release candidate counts as its release's lowest."""
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"rc|beta|-", version)[0]))


def _compile(go: str, bin_folder: Path, env: Mapping[str, str], pins: Pins) -> None:
    bin_folder.mkdir()
    settings = {**env, **SETTINGS}
    parts = (
        ("pulumi-host", pins.host, f"{SDK}/python/cmd/pulumi-language-python"),
        ("pulumi-cli", pins.engine, f"{CLI}/cmd/pulumi"),
    )
    for folder, version, package in parts:
        # Without -X the version is empty and the Automation API refuses the engine.
        flags = f"-X {SDK}/go/common/version.Version=v{version}"
        _go_build(go, package, bin_folder, folder=folder, version=f"v{version}", flags=flags, env=env)
    # The host runs programs through a small script that must lie beside it; the engine's own module holds it.
    sdk = _ask(go, settings, "list", "-m", "-f", "{{.Dir}}", SDK, cwd=TOOLS / "pulumi-cli")
    shim = bin_folder / "pulumi-language-python-exec"
    shutil.copyfile(Path(sdk) / "python" / "cmd" / shim.name, shim)
    shim.chmod(0o755)


def _go_build(
    go: str, package: str, bin_folder: Path, *, folder: str, version: str, flags: str, env: Mapping[str, str]
) -> None:
    """Build one program from its own folder of `tools/`, so that its modules are exactly those pinned there."""
    program = package.rsplit("/", 1)[1]
    words = ("build", "-trimpath", "-buildvcs=false", "-tags", "osusergo,grpcnotrace", "-ldflags", f"-s -w {flags}")
    progress.run(
        [go, *words, "-o", bin_folder / program, package],
        label=f"building {program} {version}",
        cwd=TOOLS / folder,
        env={**env, **SETTINGS},
    )


def yaml_version(tools: Path = TOOLS) -> str:
    """The version of the YAML host, as `tools/pulumi-yaml/go.mod` pins it."""
    text = (tools / "pulumi-yaml" / "go.mod").read_text(encoding="utf-8")
    return _only(rf"{re.escape(YAML)} v(\S+)", text)


def build_yaml(home: Path, env: Mapping[str, str]) -> str | None:
    """Build the host of YAML programs from its pinned modules; the reason where that cannot be done."""
    go = shutil.which("go", path=env.get("PATH")) or shutil.which("go", path=GO_HOME)
    if go is None:
        return "Go: not found"
    part = _fresh(home)
    try:
        (part / "bin").mkdir()
        package, version = f"{YAML}/cmd/{YAML_HOST}", f"v{yaml_version()}"
        _go_build(go, package, part / "bin", folder="pulumi-yaml", version=version, flags="", env=env)
        sizes = {YAML_HOST: (part / "bin" / YAML_HOST).stat().st_size}
        (part / MARK).write_text(json.dumps(sizes, indent=1), encoding="utf-8")
        shutil.rmtree(home, ignore_errors=True)
        part.rename(home)
    except (progress.ChildError, subprocess.SubprocessError, OSError) as error:
        return f"Go build of {YAML_HOST}: {_last_line(error)}"
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return None


def _ask(go: str, env: Mapping[str, str], *words: str, cwd: Path | None = None) -> str:
    answer = subprocess.run(
        [go, *words],
        cwd=cwd or "/",
        env=dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return answer.stdout.strip()


def _fresh(home: Path) -> Path:
    part = home.with_name(home.name + UNFINISHED)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


def _finish(part: Path, home: Path) -> None:
    """Prove that the engine starts, mark it and give it its name."""
    said = subprocess.run([part / "bin" / "pulumi", "version"], capture_output=True, text=True, timeout=60, check=True)
    if said.stdout.strip() != f"v{pinned().engine}":
        message = f"it says version {said.stdout.strip()!r} instead of v{pinned().engine}"
        raise progress.ChildError(message)
    sizes = {name: (part / "bin" / name).stat().st_size for name in PROGRAMS}
    (part / MARK).write_text(json.dumps(sizes, indent=1), encoding="utf-8")
    shutil.rmtree(home, ignore_errors=True)
    part.rename(home)


def _last_line(error: Exception) -> str:
    """The end of what a child said: mostly the only line that says why."""
    said = error.stderr if isinstance(error, subprocess.CalledProcessError) and error.stderr else str(error)
    return (said.strip().splitlines() or ["failed"])[-1]
