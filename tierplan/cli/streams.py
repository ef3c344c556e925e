"""Standard output that takes nothing more: a pipe that is closed, a disk that is full."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tierplan.errors import EngineError

FULL_UP = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class ClosedPipeError(Exception):
    """Nobody reads standard output any more. Not an OSError: of those click makes exit code 1."""


@contextmanager
def closed_pipe() -> Iterator[None]:
    """
    Turn a closed pipe into `ClosedPipeError`, and write nothing more.

    Raises:   EngineError if standard output takes nothing more for another reason: a full disk
    """
    try:
        yield
    except BrokenPipeError:
        silence()
        raise ClosedPipeError from None
    except OSError as error:
        if error.filename is not None or error.errno not in FULL_UP:
            raise  # of no stream: a defect
        silence()
        message = f"standard output cannot be written ({error.strerror}); the answer is not whole"
        raise EngineError(message) from None


def silence() -> None:
    """Write nothing more on standard output, also not when the interpreter ends and flushes it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
