"""`tierplan verify`: what measured results say of a plan."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import click
import yaml

from tierplan import load, measure
from tierplan.cli import files, texts
from tierplan.domain.stack import Calibration, Stack
from tierplan.load.calibration import read_calibration
from tierplan.measure.kit import EXPECTED, shown
from tierplan.measure.verifying import bottleneck, unknown
from tierplan.plan import make_plan

REFUSED = 1
FORMS = ("text", "json", "markdown", "junit")


@click.command("verify")
@click.argument("stack")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="text, json, markdown or junit.")
@click.option("--calibrate", type=click.Path(path_type=Path), help="Write what was measured for later plans to use.")
@click.option("--config", "of_config", is_flag=True, help="Compare choices with what systems report.")
@click.option("--tier", type=click.Choice(["hot", "cold"]), help="With --config: the tier that the files are of.")
@click.option("--name", "names", multiple=True, help="With --config: the system, where files tell of several.")
def command(
    *,
    stack: str,
    results: tuple[Path, ...],
    as_json: bool,
    form: str,
    calibrate: Path | None,
    of_config: bool,
    tier: str | None,
    names: tuple[str, ...],
) -> None:
    """
    Hold result files (or folders of them) of the benchmark tools against the plan; with --config, what systems report.

    Exit code: 0 nothing contradicts the plan, 1 something does, 2 a file cannot be read.
    """
    wanted = load.read_stack(stack)
    plan = make_plan(wanted, load.catalogue(), load.read_prices(wanted, stack))
    form = "json" if as_json else form
    _fit_together(of_config=of_config, form=form, calibrate=calibrate, of_systems=bool(tier or names))
    files.ready(calibrate, "--calibrate")
    if of_config:
        from tierplan.cli.drift import show_drift  # noqa: PLC0415  # for those who compare what is deployed

        sys.exit(REFUSED if show_drift(plan, results, tier=tier, names=names, as_json=form == "json") else 0)
    planned = measure.steps(plan)
    measured = measure.read(results)
    verdicts = measure.verify(plan, planned, measured, rehearsal=_rehearsed(results))
    strangers = unknown(planned, measured)
    if calibrate is not None:
        _write(calibrate, measure.calibrated(plan, verdicts, _known(calibrate, wanted)))
    if form == "json":
        click.echo(json.dumps(_document(plan.stack.name, verdicts, strangers), indent=1, allow_nan=False))
    elif form == "junit":
        click.echo(_junit(plan.stack.name, verdicts))
    else:
        texts.show(_markdown(verdicts) if form == "markdown" else _lines(plan.stack.name, verdicts, strangers))
    sys.exit(REFUSED if any(one.judgement == "contradicts" for one in verdicts) else 0)


def _known(path: Path, wanted: Stack) -> tuple[Calibration, ...]:
    """What is known already: the entries of the file that is written anew, then those that the stack uses."""
    return (*(read_calibration(path) if path.exists() else ()), *wanted.calibrated)


def _fit_together(*, of_config: bool, form: str, calibrate: Path | None, of_systems: bool) -> None:
    if of_config and (calibrate is not None or form not in ("text", "json")):
        message = "--config is shown as text or json, and calibrates nothing"
        raise click.UsageError(message)
    if of_systems and not of_config:
        message = "--tier and --name belong to --config"
        raise click.UsageError(message)


def _rehearsed(results: Sequence[Path]) -> bool:
    """Whether the kit beside the results says that it was a rehearsal."""
    for path in results:
        for folder in (path, path.parent):
            file = folder / EXPECTED
            if file.is_file():
                try:
                    return bool(json.loads(file.read_text(encoding="utf-8")).get("rehearsal"))
                except (ValueError, AttributeError, OSError):
                    return False
    return False


def _lines(name: str, verdicts: Sequence[measure.Verdict], strangers: Sequence[str]) -> Iterator[str]:
    counted = [
        (word, sum(one.judgement == word for one in verdicts)) for word in ("proven", "not proven", "contradicts")
    ]
    yield f"{name}: " + ", ".join(f"{count} {word}" for word, count in counted)
    rows: list[tuple[str, ...]] = [("run", "measured", "plan promises", "must reach", "runs", "verdict")]
    rows += [_row(one) for one in verdicts]
    yield from texts.table(rows)
    for one in verdicts:
        if one.reasons:
            yield from texts.wrapped(f"- {one.step.label}: {'; '.join(one.reasons)}", indent=4)
    limit = bottleneck(verdicts)
    if limit:
        yield from texts.wrapped(f"probably limits: {limit}", indent=2)
    if strangers:
        yield from texts.wrapped(f"not of this plan's runs: {', '.join(strangers)}", indent=2)


def _row(one: measure.Verdict) -> tuple[str, ...]:
    measured = "–" if one.measured is None else shown(one.step, one.measured)
    scaled = " (scaled)" if one.extrapolated else ""
    return (
        one.step.label,
        measured + scaled,
        shown(one.step, one.step.expected),
        shown(one.step, one.step.required),
        str(one.runs),
        one.judgement,
    )


def _markdown(verdicts: Sequence[measure.Verdict]) -> Iterator[str]:
    yield "| run | measured | plan promises | must reach | runs | verdict | why |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for one in verdicts:
        yield "| " + " | ".join((*_row(one), "; ".join(one.reasons).replace("|", "\\|"))) + " |"


def _document(name: str, verdicts: Sequence[measure.Verdict], strangers: Sequence[str]) -> dict[str, object]:
    return {
        "schema": "tierplan/verify/1",
        "stack": name,
        "bottleneck": bottleneck(verdicts) or None,
        "unknown_labels": list(strangers),
        "runs": [
            {
                "label": one.step.label,
                "tier": one.step.tier,
                "quantity": one.step.quantity,
                "verdict": one.judgement,
                "measured": one.measured,
                "expected": one.step.expected,
                "required": one.step.required,
                "extrapolated": one.extrapolated,
                "runs": one.runs,
                "reasons": list(one.reasons),
                "files": list(one.files),
                "tool": one.tool,
                "date": one.date,
            }
            for one in verdicts
        ],
    }


def _junit(name: str, verdicts: Sequence[measure.Verdict]) -> str:
    failed = sum(one.judgement == "contradicts" for one in verdicts)
    skipped = sum(one.judgement in ("not measured", "not proven") for one in verdicts)
    suite = ET.Element(
        "testsuite",
        name=f"tierplan verify {name}",
        tests=str(len(verdicts)),
        failures=str(failed),
        skipped=str(skipped),
    )
    for one in verdicts:
        case = ET.SubElement(suite, "testcase", classname=f"tierplan.{one.step.tier}", name=one.step.label)
        words = f"{'; '.join(one.reasons)}; measured {_row(one)[1]}, promised {_row(one)[2]}, required {_row(one)[3]}"
        if one.judgement == "contradicts":
            ET.SubElement(case, "failure", message=words)
        elif one.judgement != "proven":
            ET.SubElement(case, "skipped", message=f"{one.judgement}: {words}")
    return ET.tostring(suite, encoding="unicode")


def _write(path: Path, entries: dict[str, object]) -> None:
    text = (
        "# What was measured of this plan's products: later plans promise no more (tierplan:calibration).\n"
        + yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=200)
    )
    files.write(path, text, "--calibrate")
    click.echo(f"wrote {path}; name it in the stack as tierplan:calibration", err=True)
