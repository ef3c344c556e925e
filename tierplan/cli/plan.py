"""`tierplan plan`: stacks in, plans and findings out, in the form that the reader takes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tierplan import load
from tierplan.cli import texts
from tierplan.cli.planning import planned
from tierplan.domain.plan import Finding, Plan
from tierplan.errors import InputError
from tierplan.plan import verdict

if TYPE_CHECKING:
    from tierplan.plan.waivers import Waived, Waiver

REFUSED = 1
FORMATS = ("text", "json", "sarif", "gitlab", "junit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How the user wants it."""

    form: str
    check: bool
    verbose: bool
    strict: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One stack that could be read: its file, its plan, what counts against it and what is waived."""

    file: str
    plan: Plan
    findings: tuple[Finding, ...]
    waived: tuple[Waived, ...] = ()
    notes: tuple[str, ...] = ()
    """What is waived, in lines."""

    def refused(self, *, strict: bool) -> bool:
        """Whether anything mandatory counts; with `strict`, anything at all."""
        return verdict(self.findings) == "refused" or (strict and bool(self.findings))

    def wrong(self, asked: Asked) -> bool:
        """Whether the exit code is to say so: refused, or with a check not what the stack says it is."""
        refused = self.refused(strict=asked.strict)
        return refused != (self.plan.stack.expect == "refused") if asked.check else refused


@click.command("plan")
@click.argument("stacks", nargs=-1, metavar="STACK...")
@click.option("--all", "every", is_flag=True, help="Every stack of the project; each must be what it says it is.")
@click.option("--check", is_flag=True, help="One line each; each must be what it says it is (tierplan:expect).")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json (several stacks: a list).")
@click.option("--format", "form", type=click.Choice(FORMATS), help="For people (text) or for machines.")
@click.option("-v", "--verbose", is_flag=True, help="Every figure, assumption and finding.")
@click.option("--strict", is_flag=True, help="Advisory findings refuse as well.")
@click.option("--waivers", type=click.Path(path_type=Path), help="The policies' configuration (JSON) with its waivers.")
def command(
    *,
    stacks: tuple[str, ...],
    every: bool,
    check: bool,
    as_json: bool,
    form: str | None,
    verbose: bool,
    strict: bool,
    waivers: Path | None,
) -> None:
    """Requirement, three tiers, what binds, findings. STACK is a stack name (demo), a path, or -."""
    if every and stacks:
        message = f"--all plans every stack of the project, {' and '.join(stacks)} only that; ask for one of the two"
        raise click.UsageError(message)
    names = load.stack_names() if every else stacks
    if not names:
        message = "no stack given; name one (tierplan plan demo), or use --all"
        raise click.UsageError(message)
    if as_json and form not in (None, "json"):
        message = f"--json and --format {form} are two forms; ask for one"
        raise click.UsageError(message)
    asked = Asked(form="json" if as_json else form or "text", check=check or every, verbose=verbose, strict=strict)
    faults: list[str] = []
    read = _read(names, _listed(waivers), faults)
    judged = _shown_one_by_one(read, asked) if asked.form == "text" else list(read)
    if asked.form != "text":
        texts.show(WRITERS[asked.form](judged, faults, asked, several=len(names) > 1))
    if faults:
        raise InputError(faults)
    sys.exit(REFUSED if any(one.wrong(asked) for one in judged) else 0)


def _listed(file: Path | None) -> tuple[Waiver, ...]:
    if file is None:
        return ()
    from tierplan.cli import waiving  # noqa: PLC0415  # every rule of every program: for those who waive something

    return waiving.read(file)


def _read(names: Sequence[str], waivers: tuple[Waiver, ...], faults: list[str]) -> Iterator[Judgement]:
    """Every stack that can be read; the faults of the others are kept."""
    for name in names:
        try:
            made, findings = planned(name)
        except InputError as error:
            faults.extend(error.faults)
            continue
        path = load.stack_path(name)
        yield _waived(
            Judgement(file="stdin" if path is None else texts.relative(path), plan=made, findings=findings), waivers
        )


def _waived(judged: Judgement, waivers: tuple[Waiver, ...]) -> Judgement:
    if not waivers:
        return judged
    from tierplan.cli import waiving  # noqa: PLC0415  # as above

    found = waiving.settled(judged.plan.stack.name, judged.findings, waivers)
    return replace(judged, findings=found.findings, waived=found.waived, notes=tuple(waiving.lines(found)))


def _shown_one_by_one(read: Iterator[Judgement], asked: Asked) -> list[Judgement]:
    judged = []
    for one in read:
        plan, findings = one.plan, one.findings
        brief = texts.short_lines(plan, findings) if asked.check else None
        lines = texts.plan_lines(plan, findings, verbose=asked.verbose) if brief is None else brief
        texts.show([*lines, *one.notes])
        judged.append(one)
    return judged


def _as_json(judged: Sequence[Judgement], _faults: Sequence[str], _asked: Asked, *, several: bool) -> list[str]:
    from tierplan.plan.document import plan_document  # noqa: PLC0415  # a person's plan needs no document

    documents = [plan_document(one.plan, one.findings) | {"waived": _documents(one)} for one in judged]
    if not documents:
        return []
    return [json.dumps(documents if several else documents[0], indent=1, allow_nan=False)]


def _documents(judged: Judgement) -> list[dict[str, object]]:
    if not judged.waived:
        return []
    from tierplan.cli import waiving  # noqa: PLC0415  # as above

    return waiving.documents(judged.waived)


def _written(name: str) -> Callable[..., list[str]]:
    """A writer of `formats`, which only those who ask for it import."""

    def write(judged: Sequence[Judgement], faults: Sequence[str], asked: Asked, *, several: bool) -> list[str]:  # noqa: ARG001
        from tierplan.cli import formats  # noqa: PLC0415

        reported = [
            formats.Reported(
                file=one.file,
                plan=one.plan,
                findings=one.findings,
                waived=one.waived,
                expected=asked.check and one.plan.stack.expect == "refused",
                wrong=one.wrong(asked),
            )
            for one in judged
        ]
        return [formats.WRITERS[name](reported, faults, strict=asked.strict)]

    return write


WRITERS: Mapping[str, Callable[..., list[str]]] = {
    "json": _as_json,
    **{name: _written(name) for name in ("sarif", "gitlab", "junit")},
}
