"""The `tierplan` command: what people see."""

from __future__ import annotations

import gc
import sys

from tierplan.errors import InputError, TierplanError


def main() -> None:
    """Run the command line; known failures print their lines on standard error and set the exit code."""
    gc.disable()  # a command lives for a third of a second, an eighth of which would be spent on collecting nothing
    from tierplan.cli.commands import cli  # noqa: PLC0415  # keeps `import tierplan.cli` light

    try:
        cli(prog_name="tierplan")
    except InputError as error:
        print(*error.faults, sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except TierplanError as error:
        print(f"tierplan: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except BrokenPipeError:  # `tierplan plan | head`
        sys.stderr.close()
        sys.exit(0)
