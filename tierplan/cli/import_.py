"""`tierplan import`: what exists, as pins of a stack file."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import click

from tierplan import existing, load
from tierplan.cli import texts
from tierplan.cli.planning import planned
from tierplan.domain.need import Tier
from tierplan.domain.plan import Finding, Plan
from tierplan.errors import InputError
from tierplan.existing.merging import file_name, notes
from tierplan.plan import verdict
from tierplan.units import Size

OVER = 1.05  # a plan that counts so much more usable capacity than the system reports over-promises


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--into", required=True, help="The stack file (or the name of a stack); a new file gets a starter.")
@click.option("--tier", type=click.Choice(["hot", "cold"]), help="The tier that it is, where files leave that open.")
@click.option("--name", "names", multiple=True, help="The system that is meant, where files tell of several.")
def command(*, files: tuple[Path, ...], into: str, tier: str | None, names: tuple[str, ...]) -> None:
    """
    Pin what exists: outputs of the products' own status commands, of clouds, of Pulumi and Terraform.

    Only the stack file is written, all of it or nothing; comments stay. What no file tells is marked as `not known`.
    """
    path = _path(into)
    text = _text(path)
    if text:
        load.read_prices(load.read_stack(str(path)), str(path))  # what it names must be there before it is written
    found = [one for one in existing.read(files) if "local" not in one.backends]  # what the GPU nodes have is no pin
    systems = existing.systems(
        found,
        tier=cast("Tier | None", tier),
        names=names,
        planned=existing.backends_of(text) if text else {},
    )
    base = text or existing.starter(systems, name=file_name(path))
    made = existing.merged(base, systems, name=file_name(path), where=texts.relative(path))
    if made.text != text:
        _write(path, made.text)
    texts.show(_lines(path, systems, made, changed=made.text != text))
    plan, findings = planned(str(path))
    texts.show(_carries(plan, findings, systems))


def _path(into: str) -> Path:
    path = load.stack_path(into)
    if path is None:
        message = "--into -: standard input cannot be written; name a stack file"
        raise InputError(message)
    if path.suffix not in (".yaml", ".yml"):
        message = f"--into {into}: is no YAML file; import keeps comments, which only YAML has"
        raise InputError(message)
    return path


def _text(path: Path) -> str:
    """The stack file as it is, line ends included; empty where there is none."""
    if not path.exists():
        return ""
    try:
        if path.stat().st_size > 1 << 20:
            message = f"{path}: is larger than 1 MiB; a stack file is some tens of lines"
            raise InputError(message)
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path}: cannot be read ({error}); name a stack file"
        raise InputError(message) from None


def _write(path: Path, text: str) -> None:
    """All of it or nothing: a file beside it takes its place."""
    target = path.resolve()
    try:
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8"))
            if target.exists():
                shutil.copymode(target, beside)
            else:
                Path(beside).chmod(0o644)
            Path(beside).replace(target)
        except OSError:
            with contextlib.suppress(OSError):
                Path(beside).unlink()
            raise
    except OSError as error:
        message = f"--into {path}: cannot be written ({error.strerror}); choose another place"
        raise InputError(message) from None


def _lines(path: Path, systems: Sequence[existing.System], made: existing.Merged, *, changed: bool) -> Iterator[str]:
    shown = texts.relative(path)
    yield f"{shown}: " + (f"{len(made.changes)} keys pinned" if changed else "no change: as the system reports it")
    if made.changes:
        rows: list[tuple[str, ...]] = [("key", "was", "is")]
        rows += [(one.path, "–" if one.was is None else str(one.was), str(one.now)) for one in made.changes]
        yield from texts.table(rows)
    for system in systems:
        yield f"{system.tier}: {system.product}, {', '.join(system.files)}"
        for line in (*system.about, *_unknown(made.text, system)):
            yield from texts.wrapped(f"- {line}", indent=4)


def _unknown(text: str, system: existing.System) -> list[str]:
    """The comments that stand above the tier, without where they come from."""
    written = {line.strip() for line in text.splitlines()}
    mine = notes(system, pinned=existing.pinned(text, system.tier))
    return [line.removeprefix("# ") for line in mine if line in written and not line.startswith("# imported")]


def _carries(plan: Plan, findings: Sequence[Finding], systems: Sequence[existing.System]) -> Iterator[str]:
    for system in systems:
        tier = plan.tiers.get(system.tier)
        if tier is None:
            continue
        reach = existing.reach_words(system, tier)
        if reach:
            yield from texts.wrapped(f"- {system.tier}: {reach}", indent=4)
        counted = tier.delivered.usable
        if system.usable and counted.base > system.usable * OVER:
            yield from texts.wrapped(
                f"- {system.tier}: these choices count as {counted.show()} usable, the system reports "
                f"{Size(system.usable).show()}: pin the drives that it has before you trust the plan",
                indent=4,
            )
    word = verdict(tuple(findings))
    against = [one for one in findings if one.level == "mandatory"]
    yield f"plan: {word}" + (
        f"; it cannot carry: {', '.join(dict.fromkeys(one.policy for one in against))}" if against else ""
    )
