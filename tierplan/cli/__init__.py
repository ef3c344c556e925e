"""The `tierplan` command: what people see."""

from __future__ import annotations

import gc
import sys

from tierplan.errors import InputError, TierplanError

INTERRUPTED = 130  # as the shell has it; 1 would be a refusal


def main() -> None:
    """Run the command line; known failures print their lines on standard error and set the exit code."""
    gc.disable()  # a command lives for a third of a second, an eighth of which would be spent on collecting nothing
    import click  # noqa: PLC0415  # keeps `import tierplan.cli` light

    from tierplan.cli.commands import cli  # noqa: PLC0415

    try:
        code = cli.main(prog_name="tierplan", standalone_mode=False)
    except InputError as error:
        print(*error.faults, sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except TierplanError as error:
        print(f"tierplan: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)
