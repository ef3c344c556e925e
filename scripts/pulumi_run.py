"""Run the real engine on this project: offline, on a file backend of its own, without touching a stack file."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SALT = "v1:BfkscQrCe5I=:v1:9VOw1a8A68W+G2mt:8agCKTmcGHdQino/4nAv/qojSTK61w=="
"""Proof of the empty passphrase. It protects nothing: a stack file holds no secret. A stack file that carries it is
left as it is by the engine; into one without, the engine writes a salt and respells other values on the way."""
GRACE_S = 10.0
STANDIN = Path(__file__).resolve().parent.parent / "tests" / "helpers" / "standin"
"""Stand-ins for the providers of clouds, last on PATH: they check inputs by the SDK's own types and ask nobody. A
provider that is installed comes first; TIERPLAN_STANDIN=0 leaves them out."""
OWN_SECRETS = re.compile(r"^(encryptionsalt|secretsprovider|encryptedkey):\s*[\"']?([^\s\"']*)", re.MULTILINE)


class EngineFaultError(Exception):
    """The engine cannot do its part; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A Pulumi project, the policy pack that judges it, and where its state is kept."""

    root: Path
    engine: Path
    state: Path
    pack: Path | None = None

    def name(self) -> str:
        """The project's name: part of every state's path."""
        match = re.search(r"^name:\s*(\S+)", (self.root / "Pulumi.yaml").read_text(encoding="utf-8"), re.MULTILINE)
        if match is None:
            message = f"{self.root}/Pulumi.yaml names no project"
            raise EngineFaultError(message)
        return match[1]


def environment(project: Project, outer: Mapping[str, str] = os.environ) -> dict[str, str]:
    """
    What the engine sees: nobody's account, nobody's settings, no network, this interpreter first.

    Every PULUMI_ variable of the caller is left out: a preview must not depend on who runs it.
    """
    kept = {name: value for name, value in outer.items() if not name.startswith("PULUMI_") and name != "PYTHONHOME"}
    path = [str(Path(sys.executable).parent), str(project.engine), outer.get("PATH", os.defpath)]
    if outer.get("TIERPLAN_STANDIN") != "0":
        path.append(str(STANDIN))
    return kept | {
        "PATH": os.pathsep.join(path),
        # Compiled modules are kept beside the state: faster, and nothing is written into the checkout.
        "PYTHONPYCACHEPREFIX": str(project.state / "pycache"),
        "PYTHONDONTWRITEBYTECODE": "",
        "PULUMI_HOME": str(project.state / "home"),
        "PULUMI_BACKEND_URL": f"file://{project.state / 'backend'}",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS": "true",
        "PULUMI_DEBUG_COMMANDS": "true",  # makes --event-log exist
    }


def preview(
    project: Project,
    stack: str,
    stack_file: Path,
    *words: str,
    out: IO[str] | int | None = None,
    events: Path | None = None,
) -> verdict.Outcome:
    """
    Preview one stack file and weigh the events; the engine's ordinary output goes to `out` (default: where ours goes),
    the events into the file `events`, where one is named.

    Raises:   EngineFaultError where the engine cannot be started or the stack cannot be made
    """
    # The engine ends the program with SIGINT and waits for it: a shell that ignores SIGINT would add five seconds.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    env = environment(project)
    _make_stack(project, stack, env)
    with tempfile.TemporaryDirectory() as folder:
        config = for_engine(stack_file, Path(folder), env)
        log = Path(folder) / "events.jsonl"
        pack = ("--policy-pack", project.pack.absolute()) if project.pack else ()
        command = (
            "pulumi",
            "preview",
            "--stack",
            stack,
            "--config-file",
            config,
            "--non-interactive",
            *pack,
            "--event-log",
            log,
            *words,
        )
        code = _engine(command, project.root, env, out)
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    if events is not None:
        events.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return verdict.judge(verdict.read(lines), exit_code=code)


def for_engine(stack_file: Path, folder: Path, env: dict[str, str]) -> Path:
    """
    The stack file as the engine may have it: a copy, so that whatever it writes is not written into the user's.

    A file with secrets of its own keeps them, and the passphrase of the caller's environment opens it.
    """
    text = stack_file.read_text(encoding="utf-8")
    own = OWN_SECRETS.search(text)
    if own is None:
        text += f"\nencryptionsalt: {SALT}\n"
    elif own[2] != SALT:
        for name in ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"):
            if name in os.environ:
                env[name] = os.environ[name]
    copy = folder / stack_file.name
    copy.write_text(text, encoding="utf-8")
    return copy


def _make_stack(project: Project, stack: str, env: dict[str, str]) -> None:
    """Make the stack in our own backend; in an empty folder, since `stack init` writes into the stack file it sees."""
    backend = project.state / "backend"
    backend.mkdir(parents=True, exist_ok=True)
    name = project.name()
    record = backend / ".pulumi" / "stacks" / name / f"{stack}.json"
    if record.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Pulumi.yaml").write_text(f"name: {name}\nruntime: python\n", encoding="utf-8")
        command = ("pulumi", "stack", "init", stack, "--no-select", "--non-interactive")
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode and not record.exists():  # another preview may have been faster
        raise EngineFaultError((done.stderr.strip().splitlines() or ["pulumi stack init failed"])[-1])


def _engine(command: Sequence[str | Path], root: Path, env: dict[str, str], out: IO[str] | int | None) -> int:
    sys.stdout.flush()
    errors = subprocess.STDOUT if out is not None else None
    try:
        with subprocess.Popen(command, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=errors) as child:
            return _await(child)
    except OSError as error:
        message = f"pulumi cannot be started: {error}"
        raise EngineFaultError(message) from error


def _await(child: subprocess.Popen[bytes]) -> int:
    """Interrupted, the engine ends its own children, for which it gets a moment: killed, it would leave them behind."""
    try:
        return child.wait()
    except KeyboardInterrupt:
        try:
            child.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            child.kill()
        raise
