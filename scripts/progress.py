"""Run a slow child: show that it lives, end it with all its own children, keep the end of what it said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

LINE_EVERY_S = 10.0
TICK_S = 0.5
TAIL_LINES = 12


class ChildError(Exception):
    """The child failed or was given up; the message is the end of what it said."""


@dataclass(slots=True)
class Meter:
    """Elapsed time: one line that is rewritten on a terminal, else a line every ten seconds."""

    label: str
    out: TextIO = field(default_factory=lambda: sys.stderr)
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0

    def elapsed(self) -> float:
        """Seconds since the child was started."""
        return time.monotonic() - self.started

    def show(self) -> None:
        """Say that it is still running, where that is due."""
        if self.out.isatty():
            print(f"\r\033[K{self.label} … {self.elapsed():.0f} s", end="", file=self.out, flush=True)
        elif self.elapsed() - self.shown >= LINE_EVERY_S:
            self.shown = self.elapsed()
            print(f"{self.label} … {self.elapsed():.0f} s", file=self.out, flush=True)

    def close(self, word: str) -> None:
        """Write the last line."""
        start = "\r\033[K" if self.out.isatty() else ""
        print(f"{start}{self.label}: {word} after {self.elapsed():.0f} s", file=self.out, flush=True)


def run(
    command: Sequence[str | Path],
    *,
    label: str,
    cwd: Path,
    env: Mapping[str, str],
    give_up: Callable[[], str | None] = lambda: None,
) -> None:
    """
    Run `command` to its end, with a meter; `give_up` is asked now and then and may name a reason to end it.

    Raises:   ChildError where it fails, cannot be started or is given up
    """
    meter = Meter(label)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        try:
            # A session of its own: whatever it starts is ended with it.
            child = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            raise ChildError(str(error)) from error
        try:
            reason = _watch(child, meter, give_up)
        finally:
            _end(child)
        if reason or child.returncode:
            meter.close("given up" if reason else "failed")
            raise ChildError(reason or _tail(output) or f"exit code {child.returncode}")
    meter.close("done")


def _watch(child: subprocess.Popen[bytes], meter: Meter, give_up: Callable[[], str | None]) -> str | None:
    while True:
        try:
            child.wait(TICK_S)
        except subprocess.TimeoutExpired:
            meter.show()
            if reason := give_up():
                return reason
        else:
            return None


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the child's whole group; also when this process is interrupted."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _tail(output: TextIO) -> str:
    output.seek(0)
    return "\n".join(output.read().splitlines()[-TAIL_LINES:])
