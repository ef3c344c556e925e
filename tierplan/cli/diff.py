"""`tierplan diff`: what a change does to a plan, for the one who reviews it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from tierplan import load
from tierplan.cli import texts, waiving
from tierplan.cli.diff_texts import diff_lines
from tierplan.cli.planning import planned
from tierplan.cli.revisions import as_it_was, checked, repository
from tierplan.domain.plan import Finding, Plan
from tierplan.errors import InputError
from tierplan.plan._diff_events import Event, Preview, read_preview
from tierplan.plan.diff import Judged, PlanDiff, compare, diff_document, only_new, only_old, with_preview
from tierplan.plan.waivers import Waiver

REFUSED, FAULT = 1, 3
HERE = "work tree"
WORDS = (  # of the engine's counts, in the order of a sentence
    ("create", "to create"),
    ("update", "to update"),
    ("replace", "to replace"),
    ("create-replacement", "to replace"),
    ("delete", "to delete"),
    ("same", "unchanged"),
)


@click.command("diff")
@click.argument("stacks", nargs=-1, metavar="[OLD] [NEW]")
@click.option("--from", "revision", metavar="REVISION", help="OLD is the one STACK as it is in this git revision.")
@click.option("--events", type=click.Path(path_type=Path), help="Events of `pulumi preview`: what it would replace.")
@click.option("--allow-replace", "allowed", multiple=True, metavar="NAME", help="This resource may be replaced.")
@click.option("--json", "as_json", is_flag=True, help="As JSON (tierplan schema --diff).")
@click.option("--markdown", is_flag=True, help="As a comment for a review, at most 65,536 characters.")
@click.option("--waivers", type=click.Path(path_type=Path), help="The policies' configuration (JSON) with its waivers.")
@click.option("-v", "--verbose", is_flag=True, help="Every value that changes.")
def command(
    *,
    stacks: tuple[str, ...],
    revision: str | None,
    events: Path | None,
    allowed: tuple[str, ...],
    as_json: bool,
    markdown: bool,
    waivers: Path | None,
    verbose: bool,
) -> None:
    """
    What a change does: bandwidth, op rate, capacity, failures survived, goodput, cost, what is replaced, findings.

    OLD and NEW are stack names, paths, or REVISION:PATH; with --from, one STACK against the work tree.  Exit code: 0,
    or 1 where the new plan is refused or something that holds data would be replaced; 3 where the preview broke off.
    """
    if as_json and markdown:
        message = "--json and --markdown are two forms of one answer; ask for one"
        raise click.UsageError(message)
    listed = waiving.read(waivers)
    found = _compared(_named(stacks, revision, events), allowed, listed, spelled=revision is None)
    preview = _preview(events) if events else None
    if preview is not None:
        found = _with_events(found, preview, allowed)
    if found is None:
        message = "nothing to compare; name OLD and NEW, or --from REVISION STACK, or --events FILE"
        raise click.UsageError(message)
    if as_json:
        texts.show([json.dumps(diff_document(found), indent=1, allow_nan=False)])
    elif markdown:
        from tierplan.cli.diff_markdown import diff_markdown  # noqa: PLC0415

        texts.show([diff_markdown(found)])
    else:
        texts.show(diff_lines(found, verbose=verbose))
    if found.broken:
        click.echo(f"tierplan: {found.stack}: {found.notes[-1]}", err=True)
        sys.exit(FAULT)
    sys.exit(REFUSED if found.refused else 0)


def _named(stacks: tuple[str, ...], revision: str | None, events: Path | None) -> tuple[str, str] | None:
    """OLD and NEW as words; a revision stands before a colon."""
    if revision is not None and (not revision or ":" in revision):
        message = f'--from: no git revision "{revision}"; name a branch, a tag or a commit, and the file as STACK'
        raise InputError(message)
    match stacks:
        case () if revision is None and events is not None:
            return None
        case (stack,) if revision is not None:
            return f"{revision}:{stack}", stack
        case (old,) if _revision_of(old):
            return old, old.partition(":")[2]
        case (old, new) if revision is None:
            return old, new
    message = "name OLD and NEW, or --from REVISION and one STACK"
    raise click.UsageError(message)


def _compared(
    named: tuple[str, str] | None, allowed: Sequence[str], waivers: tuple[Waiver, ...], *, spelled: bool
) -> PlanDiff | None:
    """Both sides planned and compared; `spelled`: OLD stands as it was typed, not made from --from."""
    if named is None:
        return None
    word, of_new = named
    for revision in filter(None, map(_revision_of, named)):
        checked(repository(Path.cwd()), revision)
    one_place = bool(_revision_of(word)) and _place(word) == _place(of_new)
    old, trouble = _old(word, waivers)
    absent = old is None and not trouble
    if absent and not one_place:
        raise _no_file(word)
    gone = one_place and old is not None and _gone(of_new)
    new = None if gone else _side(_here(of_new) if one_place else of_new, waivers)
    if new is None and old is not None and one_place:
        return only_old(old, allowed=allowed)
    if new is None:
        raise _no_file(of_new)
    if absent and spelled:
        click.echo(f"{word}: the revision has no such stack file, so {of_new} counts as a new stack", err=True)
    return only_new(new, notes=trouble) if old is None else compare(old, new, allowed=allowed)


def _no_file(word: str) -> InputError:
    return InputError(f"{word}: the revision has no such stack file; name one that it has")


def _old(word: str, waivers: tuple[Waiver, ...]) -> tuple[Judged | None, list[str]]:
    """The old side; of a revision, a file that is not there or cannot be read makes the stack a new one."""
    revision = _revision_of(word)
    try:
        return _side(word, waivers), []
    except InputError as error:
        if not revision or not all(fault.startswith(f"{revision}:") for fault in error.faults):
            raise
        return None, [f"the old one cannot be read: {fault}" for fault in error.faults[:3]]


def _place(word: str) -> Path:
    """The file that is meant, of whatever revision."""
    path = word.partition(":")[2] if _revision_of(word) else word
    return Path(os.path.abspath(_file_of(path, repository(Path.cwd()).root)))  # noqa: PTH100  # links stay links


def _gone(word: str) -> bool:
    """Whether the work tree has no such file; of a revision git says that."""
    return not _revision_of(word) and not _exists(word) and not _place(word).exists()


def _here(word: str) -> str:
    """A name or path as it can be read from here: one that is spelt from git's root is read from there."""
    if _revision_of(word) or _exists(word):
        return word
    place = _place(word)
    return texts.relative(place) if place.exists() else word


def _side(word: str, waivers: tuple[Waiver, ...]) -> Judged | None:
    """The plan of a name, path or ``revision:path``; None if the revision has no such file."""
    revision = _revision_of(word)
    if not revision:
        called = HERE if word in load.stack_names() else word
        return _judged(planned(word), called, waivers)
    repo = repository(Path.cwd())
    checked(repo, revision)
    path = repo.relative(_file_of(word.partition(":")[2], repo.root))
    with as_it_was(repo, revision, path) as file:
        return None if file is None else _judged(planned(str(file)), revision, waivers)


def _judged(made: tuple[Plan, tuple[Finding, ...]], called: str, waivers: tuple[Waiver, ...]) -> Judged:
    plan, findings = made
    settled = waiving.settled(plan.stack.name, findings, waivers)
    return Judged(plan=plan, findings=settled.findings, called=called, waived=settled.waived)


def _revision_of(word: str) -> str:
    """What stands before the colon, unless the whole is a file."""
    head, colon, tail = word.partition(":")
    return head if colon and tail and not Path(word).exists() else ""


def _file_of(word: str, root: Path) -> Path:
    """The file that a name or a path means, whether it is there now or not; git's paths start at its root."""
    if re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", word) and not word.endswith((".yaml", ".yml", ".json")):
        return (load.stack_path(word) if word in load.stack_names() else None) or _by_name(word)
    path = Path(word)
    return path if path.is_absolute() or path.exists() or not (root / path).parent.is_dir() else root / path


def _by_name(name: str) -> Path:
    return load.stack_folder() / f"Pulumi.{name}.yaml"


def _exists(word: str) -> bool:
    return word in load.stack_names() or Path(word).exists()


def _preview(file: Path) -> Preview:
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        message = f"{file}: cannot be read ({error.strerror}); name the event log of a preview"
        raise InputError(message) from None
    events = list(_events(text))
    if not any(str(key).endswith("Event") or key == "steps" for event in events for key in event):
        message = f"{file}: holds no events of a preview; write them with pulumi preview --event-log FILE, or --json"
        raise InputError(message)
    return read_preview(events)


def _events(text: str) -> Iterator[Event]:
    """One JSON object a line, or one for the whole text; a line cut off by a killed engine ends the stream."""
    for number, line in enumerate(text.splitlines()):
        try:
            event: object = json.loads(line)
        except ValueError:
            if number == 0:
                break
            return
        if isinstance(event, dict):
            yield event
    else:
        return
    try:
        whole: object = json.loads(text)
    except ValueError:
        return
    if isinstance(whole, dict):
        yield whole


def _with_events(found: PlanDiff | None, preview: Preview, allowed: Sequence[str]) -> PlanDiff:
    counted = dict.fromkeys(word for _, word in WORDS)
    totals = {word: sum(preview.counts.get(name, 0) for name, said in WORDS if said == word) for word in counted}
    words = ", ".join(f"{count:,} {word}" for word, count in totals.items() if count)
    notes = [f"preview: {words}"] if words else []
    broken = bool(preview.faults) or not preview.whole
    if broken:
        notes.append(f"the preview broke off: {preview.faults[0] if preview.faults else 'the engine ended early'}")
    return with_preview(
        found,
        stack=preview.stack or "stack",
        replaced=preview.replaced,
        findings=preview.findings,
        notes=notes,
        broken=broken,
        allowed=allowed,
    )
