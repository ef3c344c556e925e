"""The verb `timeline`: the jobs on the plan, run event by event."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from tierplan import load
from tierplan.cli import files, texts
from tierplan.codec import encode
from tierplan.domain.plan import Plan
from tierplan.errors import InputError
from tierplan.plan import judge, make_plan
from tierplan.timeline import JobRun, Run, Scenario, expected_events, left_out, run, scenario_of
from tierplan.timeline.picture import svg
from tierplan.units import Duration

MOST_DAYS = 36_500
MOST_EVENTS, MANY_EVENTS = 10_000_000, 500_000  # some minutes; some ten seconds
MOST_STRETCHES = 4_000
SCHEMA = "tierplan/timeline/1"
HEAD = ("job", "goodput", "99.9 % interval", "closed form", "compute", "stall", "restart", "restore", "interrupts")


class Days(click.FloatRange):
    """A finite number in a range: `nan` is in none, yet not outside of it."""

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that is meant."""
        number = float(super().convert(cast("float", value), param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no number of days; write {self.min:g} to {self.max:,g}.", param, ctx)
        return number


DAYS = Days(0.1, MOST_DAYS)


@click.command(name="timeline")
@click.argument("stack")
@click.option("--days", default=365.0, show_default=True, type=DAYS, help="Days to run.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="The same seed, the same run.")
@click.option(
    "--svg", "picture", type=click.Path(path_type=Path), help="Write a picture of the beginning to this file."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(*, stack: str, days: float, seed: int, picture: Path | None, as_json: bool) -> None:
    """
    Run the training jobs on the plan by events: compute, stall, drain, interruption, restore, degraded phases.

    Says what each job got done, with the interval that holds its goodput with 99.9 % confidence, beside the closed
    form of the plan.
    """
    files.ready(picture, "--svg")
    plan = make_plan(load.read_stack(stack), load.catalogue())
    scenario = scenario_of(plan, load.catalogue().failures())
    if scenario is None:
        message = f"{plan.stack.name}: no training job saves checkpoints to a planned hot tier; there is nothing to run"
        raise InputError(message)
    told(plan, scenario, days=days)
    with progress() as tell:
        found = run(scenario, days=days, seed=seed, most_stretches=MOST_STRETCHES if picture else 0, progress=tell)
    if picture is not None:
        title = f"{plan.stack.name}: the first days of {days:g}, seed {seed}"
        files.write(picture, svg(found, title=title), "--svg")
    if as_json:
        click.echo(json.dumps(document(plan, found), indent=1, allow_nan=False))
    else:
        texts.show(lines(plan, found))


def told(plan: Plan, scenario: Scenario, *, days: float) -> None:
    """
    Say on standard error what a reader has to know before the run: that the plan is refused, or that it takes long.

    Raises:   InputError if the run would not end in minutes
    """
    events = expected_events(scenario, days=days)
    if events > MOST_EVENTS:
        shortest = Duration(min(job.mean_time_to_interrupt for job in scenario.jobs)).show()
        message = (
            f"{plan.stack.name}: about {events:,.3g} events in {days:g} days are more than {MOST_EVENTS:,} (an "
            f"interruption every {shortest}); ask for fewer --days, or correct interrupts in the stack"
        )
        raise InputError(message)
    against = dict.fromkeys(finding.policy for finding in judge(plan) if finding.level == "mandatory")
    if against:
        words = f"{plan.stack.name}: the plan is refused by {', '.join(against)}; the run takes it as it stands"
        click.echo(words, err=True)
    if events > MANY_EVENTS and not sys.stderr.isatty():
        click.echo(f"{plan.stack.name}: about {events:,.0f} events to run, which takes a while", err=True)


@contextmanager
def progress() -> Iterator[Callable[[float], object]]:
    """A bar on a terminal's standard error; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield float
        return
    from rich.console import Console  # noqa: PLC0415  # on a terminal only
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("running", total=1.0)
        yield lambda share: bar.update(task, completed=share)


def closed_form(plan: Plan, job: JobRun) -> float | None:
    """The goodput that the plan's formula gives the job."""
    figure = plan.outcome.get(f"{job.name.partition('#')[0]}.checkpoint.goodput_fraction")
    return None if figure is None else figure.number


def document(plan: Plan, found: Run) -> dict[str, object]:
    """The run as JSON."""
    shown = encode(replace(found, stretches=()), "plain")
    shown.pop("stretches")
    jobs = [encode(job, "plain") | {"closed_form_fraction": closed_form(plan, job)} for job in found.jobs]
    return {"schema": SCHEMA, "stack": plan.stack.name, **shown, "jobs": jobs, "left_out": list(left_out(plan))}


def lines(plan: Plan, found: Run) -> Iterator[str]:
    """The run for people."""
    yield f"{plan.stack.name}: {found.days:g} days, seed {found.seed}"
    rows: list[tuple[str, ...]] = [HEAD]
    rows += [_row(plan, job) for job in found.jobs]
    yield from texts.table(rows, indent=0)
    yield (
        f"hot tier degraded {found.degraded_fraction:.2%} of the time, down {found.down_fraction:.3%}; "
        f"checkpoints of several jobs at once {found.collided_fraction:.2%}"
    )
    longest = max(found.jobs, key=lambda job: job.longest_stall)
    yield f"longest stall: {Duration(longest.longest_stall).show()} ({longest.name})"
    if any(job.goodput is None for job in found.jobs):
        yield "no interval where there were fewer than 10 interruptions: more --days"
    yield from (f"left out: {words}" for words in left_out(plan))


def _row(plan: Plan, job: JobRun) -> tuple[str, ...]:
    known, shares = closed_form(plan, job), job.shares
    interval = "-" if job.goodput is None else f"{job.goodput.low:.2%} to {job.goodput.high:.2%}"
    value = job.useful_fraction if job.goodput is None else job.goodput.value
    parts = [f"{shares.get(doing, 0.0):.2%}" for doing in ("compute", "stall", "restart", "restore")]
    return (job.name, f"{value:.2%}", interval, "-" if known is None else f"{known:.2%}", *parts, str(job.interrupts))
