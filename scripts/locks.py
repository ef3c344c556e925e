"""One lock file: two commands at once wait for one another, and a dead one holds nothing up."""

from __future__ import annotations

import fcntl
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POLL_S = 0.2
REMIND_S = 30.0


@contextmanager
def exclusive(path: Path, *, waiting_for: str) -> Iterator[None]:
    """
    Hold the lock file `path`; while another process holds it, say on standard error what is waited for.

    The kernel drops the lock when its holder ends, however it ends: there is no stale lock to clean up.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as handle:
        _acquire(handle.fileno(), waiting_for)
        yield


def _acquire(descriptor: int, waiting_for: str) -> None:
    """Poll rather than block, so that a long wait is seen."""
    next_word = time.monotonic()
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= next_word:
                print(f"waiting for {waiting_for}", file=sys.stderr, flush=True)
                next_word = time.monotonic() + REMIND_S
            time.sleep(POLL_S)
        else:
            return
