"""`tierplan report`: the one-page statement of requirement and selection."""

from __future__ import annotations

from pathlib import Path

import click

from tierplan import load
from tierplan.cli import files
from tierplan.cli.compare import free_of_hot_pins
from tierplan.errors import InputError
from tierplan.plan import judge, make_plan
from tierplan.plan.sensitivity import next_units

FORMS = (".md", ".html")


@click.command("report")
@click.argument("stack")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The file: .md or .html.")
@click.option("--language", "name", default="en", show_default=True, help="en or zh; digits are the same in both.")
def command(*, stack: str, out: Path, name: str) -> None:
    """
    The statement of a plan on one page: requirement, tiers, choice, alternatives, cost, risks, sources.

    A refused plan has its page too, with what is missed.  Exit code: 0 where the page is written, refused or not
    (`tierplan plan` ends with the verdict), 2 bad input.
    """
    from tierplan import report  # noqa: PLC0415  # templates are for those who want a page

    if out.suffix not in FORMS:
        message = f"--out {out}: no such form; write a name that ends in {' or '.join(FORMS)}"
        raise InputError(message)
    files.ready(out, "--out")
    say = report.language(name)
    wanted = load.read_stack(stack)
    known, prices = load.catalogue(), load.read_prices(wanted, stack)
    plan = make_plan(wanted, known, prices)
    others = make_plan(free_of_hot_pins(wanted), known, prices)
    page = report.statement(plan, judge(plan), say, others=others, units=next_units(plan, known, prices))
    text = report.html(page) if out.suffix == ".html" else report.markdown(page)
    files.write(out, text, "--out")
    click.echo(f"wrote {out}", err=True)
