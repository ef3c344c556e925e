"""`tierplan bench`: the commands that prove a plan."""

from __future__ import annotations

from pathlib import Path

import click

from tierplan import load
from tierplan.cli import texts
from tierplan.plan import make_plan
from tierplan.units import Size


@click.command("bench")
@click.argument("stack")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write: all files or none.")
@click.option("--rehearsal", metavar="SIZE", help='Move only this much in each run, e.g. "64 MiB": proves nothing.')
def command(*, stack: str, out: Path, rehearsal: str | None) -> None:
    """
    Job files, scripts and expected figures for elbencho, fio, IOR, mdtest, MLPerf Storage and juicefs.

    A refused plan has its kit too: what exists can be measured before it is changed.
    """
    from tierplan import measure  # noqa: PLC0415  # templates are for those who want files
    from tierplan.render import write  # noqa: PLC0415

    most = None if rehearsal is None else _size(rehearsal)
    wanted = load.read_stack(stack)
    plan = make_plan(wanted, load.catalogue(), load.read_prices(wanted, stack))
    planned = measure.steps(plan, rehearsal=most)
    files = measure.kit(plan, planned, rehearsal=most is not None)
    write(files, out)
    texts.show(str(out / name) for name in files)


def _size(text: str) -> Size:
    try:
        return Size.parse(text)
    except ValueError as fault:
        raise click.BadParameter(str(fault), param_hint="--rehearsal") from None
