"""The `tierplan` command: what people see."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import cast

from tierplan.errors import EngineError, InputError, TierplanError

INTERRUPTED = 130  # as the shell has it; 1 would be a refusal


def main() -> None:
    """Run the command line; known failures print their lines on standard error and set the exit code."""
    gc.disable()  # a command lives for a third of a second, an eighth of which would be spent on collecting nothing
    import click  # noqa: PLC0415  # keeps `import tierplan.cli` light

    from tierplan.cli.commands import cli  # noqa: PLC0415

    try:
        _streams()
        code = cli.main(prog_name="tierplan", standalone_mode=False)
    except InputError as error:
        _say(*error.faults)
        sys.exit(error.exit_code)
    except TierplanError as error:
        _say(f"tierplan: {error}")
        sys.exit(error.exit_code)
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def _streams() -> None:
    """
    Streams that the caller closed: Python has None in their place.

    Raises:   EngineError if it is standard output, for then nobody gets the answer
    """
    if cast("object", sys.stdin) is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # for as long as the command lives
    if cast("object", sys.stderr) is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # as long as that
    if cast("object", sys.stdout) is None:
        message = "standard output is closed; give the answer somewhere to go"
        raise EngineError(message)


def _say(*lines: str) -> None:
    """Lines on standard error; one that takes nothing changes no exit code."""
    try:
        print(*lines, sep="\n", file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # as long as that
