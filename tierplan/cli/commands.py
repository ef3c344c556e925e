"""One function for each verb; each does its reading, calls the core and prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, cast

import click

from tierplan import __version__, load
from tierplan.cli import streams, texts
from tierplan.cli.catalogue import KINDS, catalogue_lines
from tierplan.cli.explain import explanation, figure_ids
from tierplan.cli.planning import planned
from tierplan.errors import InputError
from tierplan.plan import verdict

REFUSED, BAD_INPUT = 1, 2
STACK_HELP = "STACK is a stack name (demo), a path, or - for standard input."


class Verbs(click.Group):
    """The verbs in this file, and those that live in a file of their own and are imported when they are called."""

    ELSEWHERE: ClassVar[Mapping[str, str]] = {
        "diff": "diff",
        "fabric": "fabric",
        "import": "import_",
        "plan": "plan",
        "optimum": "optimum",
        "report": "report",
        "sweep": "sweep",
        "bench": "bench",
        "verify": "verify",
        "timeline": "timeline",
    }
    """Verb -> module of `tierplan.cli` whose `command` it is."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every verb, in the order of the alphabet."""
        return sorted({*super().list_commands(ctx), *self.ELSEWHERE})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb."""
        module = self.ELSEWHERE.get(cmd_name)
        if module is None:
            return super().get_command(ctx, cmd_name)
        return cast("click.Command", import_module(f"tierplan.cli.{module}").command)

    def main(self, *args: Any, **extra: Any) -> Any:
        """As click has it, but a reader who has seen enough (`tierplan catalogue | head`) is no failure."""
        try:
            return super().main(*args, **extra)
        except streams.ClosedPipeError:
            return 0

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the words; `--help` writes already here."""
        with streams.closed_pipe():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        with streams.closed_pipe():
            return super().invoke(ctx)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="tierplan")
def cli() -> None:
    """
    From what the GPUs do to a storage plan that can be reviewed, refused and deployed.

    Exit code: 0 pass, 1 refused, 2 bad input, 3 a fault of the engine or the environment.
    """


@cli.command()
@click.argument("name", default="cluster")
@click.option("--gpu-nodes", default=16, show_default=True, type=click.IntRange(1), help="GPU nodes of the cluster.")
@click.option("--gpus-per-node", default=8, show_default=True, type=click.IntRange(1), help="GPUs of one node.")
@click.option("--node", help="GPU node preset (see `tierplan catalogue nodes`).  [default: dgx-h100; on AWS aws-p5]")
@click.option("--site", default="on-prem", show_default=True, help="Site kind.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
def init(*, name: str, gpu_nodes: int, gpus_per_node: int, node: str | None, site: str, out: Path | None) -> None:
    """Print a commented starter stack, or write it to a file that does not exist yet."""
    preset = node or {"aws": "aws-p5"}.get(site, "dgx-h100")
    text = load.starter(name=name, site=site, gpu_nodes=gpu_nodes, gpus_per_node=gpus_per_node, node=preset)
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        message = f"{out}: exists already; choose another name with --out"
        raise InputError(message) from None
    except OSError as error:
        message = f"{out}: cannot be written ({error.strerror}); choose another place with --out"
        raise InputError(message) from None
    click.echo(f"wrote {out}; next: tierplan plan {out}", err=True)


@cli.command()
@click.argument("stack")
def pin(stack: str) -> None:
    """The resolved stack as a stack file: nothing left open. Printed also where the plan is refused (exit code 1)."""
    made, findings = planned(stack)
    texts.show([load.stack_text(made.stack).rstrip("\n")])
    if verdict(findings) == "refused":
        against = sorted({finding.policy for finding in findings if finding.level == "mandatory"})
        click.echo(f"{made.stack.name}: refused by {', '.join(against)}", err=True)
        sys.exit(REFUSED)


@cli.command()
@click.argument("stack")
@click.argument("figure", required=False)
def explain(stack: str, figure: str | None) -> None:
    """One figure back to its inputs: formula, each input with its origin and stack line, source."""
    made, _ = planned(stack)
    texts.show(figure_ids(made) if figure is None else explanation(made, figure))


@cli.command()
@click.argument("stack")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write: all files or none.")
def render(stack: str, out: Path) -> None:
    """Native configuration of the chosen products, numbered in the order to run."""
    from tierplan import render as rendering  # noqa: PLC0415  # jinja2 only where files are made

    made, findings = planned(stack)
    if verdict(findings) == "refused":
        texts.show(texts.finding_lines(findings, limit=None), err=True)
        click.echo(f"{made.stack.name}: refused, nothing is rendered", err=True)
        sys.exit(REFUSED)
    files = rendering.render(made, load.read_hosts(made.stack, stack))
    rendering.write(files, out)
    texts.show(str(out / name) for name in files)


@cli.command()
@click.argument("stack")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Every rejection with all of its reasons and figures.")
def compare(stack: str, *, as_json: bool, verbose: bool) -> None:
    """Every candidate for the hot tier, ranked, and every rejection with its reason; the pins are set aside."""
    from tierplan.cli.compare import comparison, comparison_lines  # noqa: PLC0415

    wanted = load.read_stack(stack)
    found = comparison(wanted, load.catalogue(), load.read_prices(wanted, stack))
    if as_json:
        texts.show([json.dumps(found, indent=1, allow_nan=False)])
    else:
        texts.show(comparison_lines(found, verbose=verbose))


@cli.command()
@click.argument("kind", required=False, type=click.Choice(KINDS))
@click.argument("row", required=False)
def catalogue(kind: str | None, row: str | None) -> None:
    """What is known, each figure with source and date: products, cloud tiers, drives, GPU nodes, models, profiles."""
    texts.show(catalogue_lines(kind, row))


@cli.command()
@click.option("--plan", "of_plan", is_flag=True, help="The schema of the plan JSON instead of the stack file's.")
@click.option("--diff", "of_diff", is_flag=True, help="The schema of the diff JSON instead of the stack file's.")
def schema(*, of_plan: bool, of_diff: bool) -> None:
    """The JSON Schema of the stack file, of the plan, or of the comparison of two plans."""
    from tierplan.plan.diff import diff_schema  # noqa: PLC0415
    from tierplan.plan.document import plan_schema  # noqa: PLC0415

    if of_plan and of_diff:
        message = "--plan and --diff are two schemas; ask for one"
        raise click.UsageError(message)
    texts.show([json.dumps(plan_schema() if of_plan else diff_schema() if of_diff else load.stack_schema(), indent=1)])
