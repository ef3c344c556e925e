"""
A comparison of two plans as a comment in a review.

The first line is a marker that names the stack, by which the comment is found again and brought up to date.  What does
not fit is cut from the end, where the least important stands, and the last line says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tierplan.cli.diff_texts import required, said, unit_of
from tierplan.domain.plan import Finding
from tierplan.plan.diff import PlanDiff

MOST = 65_536
"""What GitHub takes, in characters; counted here in bytes, which are never fewer."""
MOST_CELL = 1_000
SIGNS = {"better": "🟢 better", "worse": "🔴 worse", "": ""}
LEVELS = {"mandatory": "🔴", "advisory": "🟡"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines that stand together; `items` may be cut, what is around them may not."""

    what: str
    head: Sequence[str]
    items: Sequence[str]
    tail: Sequence[str] = ()


def marker(stack: str) -> str:
    """The line by which a stack's comment is found again."""
    return f"<!-- tierplan:{re.sub(r'[^A-Za-z0-9_.-]', '-', stack)[:100]} -->"


def diff_markdown(found: PlanDiff) -> str:
    """The comment: marker, verdict, why it is refused, the lines that change, findings, every value that changes."""
    lines = [marker(found.stack), f"### tierplan: `{_code(found.stack)}` {_verdict(found)}", "", _sentence(found), ""]
    room = MOST - _bytes(lines) - 600  # for the note of what was cut
    cut: list[str] = []
    for block in _blocks(found):
        taken, room = _taken(block, room)
        if taken:
            lines += [*block.head, *block.items[:taken], *block.tail, ""]
        if taken < len(block.items):
            cut.append(f"{len(block.items) - taken:,} of {len(block.items):,} {block.what}")
    if cut:
        lines.append(f"_Cut to fit a comment: {'; '.join(cut)} left out. `tierplan diff --json` has them all._")
    return "\n".join(lines).rstrip("\n")


def _taken(block: Block, room: int) -> tuple[int, int]:
    """How many items of a block fit, and the room that is left."""
    left = room - _bytes([*block.head, *block.tail, ""])
    taken = 0
    for item in block.items:
        size = _bytes([item])
        if size > left:
            break
        left -= size
        taken += 1
    return (taken, left) if taken else (0, room)


def _blocks(found: PlanDiff) -> Iterator[Block]:
    yield from _reasons(found)
    yield Block(
        what="lines",
        head=["| | figure | required | before | after | |", "| --- | --- | ---: | ---: | ---: | --- |"],
        items=[
            f"| {_text(row.of)} | {_text(row.name)} | {_text(required(row))} | {_text(said(row.before, row.unit))} "
            f"| {_text(said(row.after, row.unit))} | {SIGNS[row.sense]} |"
            for row in found.rows
        ],
    )
    yield from _lists(found)


def _reasons(found: PlanDiff) -> Iterator[Block]:
    """Why the change is refused, and what does not count."""
    mandatory = [one for one in (*found.findings.new, *found.findings.kept) if one.level == "mandatory"]
    new = {id(one) for one in found.findings.new}
    yield Block(
        what="mandatory findings",
        head=["**Refused by**", ""],
        items=[f"- {_finding(one)}{' _(new)_' if id(one) in new else ''}" for one in mandatory],
    )
    yield Block(
        what="replaced resources",
        head=["**Replaced: data would have to move**", ""],
        items=[
            f"- `{_code(one.resource)}`{' (allowed)' if one.allowed else ''}: {_text(one.because)}"
            for one in sorted(found.replaced, key=lambda one: one.allowed)
        ],
    )
    yield Block(
        what="waived findings",
        head=["**Waived**", ""],
        items=[f"- {_finding(one.finding, remedy=False)} ({_text(str(one.waiver))})" for one in found.waived],
    )


def _lists(found: PlanDiff) -> Iterator[Block]:
    """Advice, what is gone, what stands on, and every value that changes."""
    advice = [one for one in found.findings.new if one.level != "mandatory"]
    yield Block(
        what="new advisory findings", head=["**New advice**", ""], items=[f"- {_finding(one)}" for one in advice]
    )
    yield Block(
        what="findings that are gone",
        head=["**Gone**", ""],
        items=[f"- {_finding(one, remedy=False)}" for one in found.findings.gone],
    )
    kept = [one for one in found.findings.kept if one.level != "mandatory"]
    yield _folded("advisory findings as before", [f"- {_finding(one, remedy=False)}" for one in kept])
    yield _folded(
        "changed values",
        [
            f"| `{_code(one.path)}` | {_text(said(one.before, unit_of(one.path)))} "
            f"| {_text(said(one.after, unit_of(one.path)))} |"
            for one in found.changed
        ],
        "| value | before | after |",
        "| --- | ---: | ---: |",
    )


def _folded(what: str, items: Sequence[str], *head: str) -> Block:
    words = what if len(items) != 1 else what.replace("findings", "finding").replace("values", "value")
    title = f"<details><summary>{len(items):,} {words}</summary>"
    return Block(what=what, head=[title, "", *head], items=items, tail=["", "</details>"])


def _verdict(found: PlanDiff) -> str:
    if found.broken:
        return "was not judged ⚠️"
    if found.refused:
        return "is refused 🔴"
    if found.new is None and found.old is not None:
        return "is removed"
    return "does not change" if found.same else "passes 🟢"


def _sentence(found: PlanDiff) -> str:
    if found.old is None and found.new is None:
        words = "What the preview says."
    elif found.same:
        words = "No change."
    elif found.old is None and found.new is not None:
        words = f"`{_code(found.new.called)}`: {found.new.verdict}."
    elif found.new is None and found.old is not None:
        words = f"`{_code(found.old.called)}`: {found.old.verdict}; the stack file is gone."
    else:
        words = _from_to(found)
    return " ".join((words, *(f"{_capital(_text(note))}." for note in found.notes)))


def _from_to(found: PlanDiff) -> str:
    sides = [side for side in (found.old, found.new) if side is not None]
    verdicts = " → ".join(f"`{_code(side.called)}` {side.verdict}" for side in sides)
    direction = {"same": "neither better nor worse", "better": "better", "worse": "worse"}[found.verdict]
    return f"{verdicts}: **{direction}**."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _finding(finding: Finding, *, remedy: bool = True) -> str:
    change = f" → {_text(finding.remedy)}" if remedy and finding.remedy else ""
    return f"{LEVELS[finding.level]} `{_code(finding.policy)}`: {_text(finding.message)}{change}"


def _text(text: str) -> str:
    """Text that stays text: no markup, no cell of a table, nobody called by name."""
    words = " ".join(text.split())
    short = words if len(words) <= MOST_CELL else f"{words[:MOST_CELL]}…"
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("@", "&#64;"), ("`", "&#96;")):
        short = short.replace(sign, written)
    return re.sub(r"(?<!\w)[*_]|[*_](?!\w)|[\[\]]|!(?=\[)", lambda match: f"\\{match[0]}", short)


def _code(text: str) -> str:
    """Text between backticks."""
    return re.sub(r"[`|\r\n]", "'", text)[:MOST_CELL]


def _bytes(lines: Iterable[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)
