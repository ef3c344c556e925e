"""
Preview a stack with the policy pack on the real engine, and say what came of it.

    python scripts/preview.py STACK [--json] [--events FILE] [-- WORDS FOR pulumi preview]

STACK is a name from `stacks/`, the path of a stack file, or `all`: each stack, checked against its `tierplan:expect`.
Exit code 0 accepted (with `all`: each is what it says it is), 1 refused, 2 bad input, 3 a fault of the engine, the
program or the environment.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import engine
import pulumi_run
from verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
STACKS = ROOT / "stacks"
STATE = ROOT / ".state"
PACK = ROOT / "policies" / "run-pack"
BAD_INPUT = 2
EXPECT = {"pass": Verdict.ACCEPTED, "refused": Verdict.REFUSED}


class BadInputError(Exception):
    """What was asked for does not exist or cannot be read; the message says what there is."""


def names() -> list[str]:
    """Every stack of the checkout."""
    return sorted(path.stem.removeprefix("Pulumi.") for path in STACKS.glob("Pulumi.*.yaml"))


def locate(word: str) -> tuple[str, Path]:
    """
    Name and file of a stack.

    Raises:   BadInputError with the names that there are
    """
    named = STACKS / f"Pulumi.{word}.yaml"
    if re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", word) and named.is_file():
        return word, named
    path = Path(word)
    if path.is_file():
        name = re.sub(r"[^A-Za-z0-9_.-]", "-", path.stem.removeprefix("Pulumi.")) or "stack"
        return name[:100], path.absolute()
    near = difflib.get_close_matches(word, names(), n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    message = f"stack {word!r} is neither one of {', '.join(names()) or '(none)'}, nor a file{hint}"
    raise BadInputError(message)


def check(path: Path) -> str:
    """
    Read the stack as the program will, before an engine is looked for; what it is expected to be.

    Raises:   BadInputError with one line for each fault
    """
    from tierplan.errors import InputError  # noqa: PLC0415  # the engine's makers need no tierplan
    from tierplan.load import read_stack  # noqa: PLC0415

    try:
        return read_stack(str(path)).expect
    except InputError as error:
        raise BadInputError(str(error)) from error


def one(word: str, *, as_json: bool, words: Sequence[str], events: Path | None = None) -> int:
    """Preview one stack in front of the user."""
    name, path = locate(word)
    check(path)
    project = _project()
    outcome = pulumi_run.preview(project, name, path, *words, out=sys.stderr if as_json else None, events=events)
    if as_json:
        print(json.dumps(_document(name, outcome), indent=2))
    print(sentence(name, outcome), file=sys.stderr)
    return outcome.verdict.value


def every() -> int:
    """Preview every stack; a line for each, and the engine's output of those that are not what they say they are."""
    expected = {name: EXPECT[check(locate(name)[1])] for name in names()}
    project = _project()
    codes = [_one_of_all(project, name, wanted) for name, wanted in expected.items()]
    print(f"{codes.count(0)} of {len(codes)} stacks are what they say they are", file=sys.stderr)
    return max(codes, default=0)


def _one_of_all(project: pulumi_run.Project, name: str, wanted: Verdict) -> int:
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        outcome = pulumi_run.preview(project, name, locate(name)[1], out=said)
        right = outcome.verdict is wanted
        if not right:
            said.seek(0)
            print(said.read())
    print(f"{'ok   ' if right else 'WRONG'} {sentence(name, outcome)} ({time.monotonic() - started:.1f} s)", flush=True)
    return 0 if right else max(1, outcome.verdict.value)


def sentence(name: str, outcome: Outcome) -> str:
    """The verdict in one line."""
    match outcome.verdict:
        case Verdict.ACCEPTED:
            return f"{name}: accepted, {outcome.reason}" + (f"; {len(outcome.advice)} advisory" * bool(outcome.advice))
        case Verdict.REFUSED:
            return f"{name}: refused {outcome.reason}"
        case Verdict.FAULT:
            return f"{name}: not judged, a fault: {outcome.reason}"


def _document(name: str, outcome: Outcome) -> dict[str, object]:
    kept = asdict(outcome)
    kept["verdict"] = outcome.verdict.name.lower()
    return {"schema": "tierplan/preview/1", "stack": name, **kept}


def _project() -> pulumi_run.Project:
    return pulumi_run.Project(root=ROOT, engine=engine.find(), state=STATE, pack=PACK)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, and turn known failures into one line and an exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("stack", help="a name from stacks/, the path of a stack file, or all")
    parser.add_argument(
        "--json", action="store_true", help="the verdict as JSON on standard output, nothing else there"
    )
    parser.add_argument("--events", type=Path, help="keep the engine's events in this file, for tierplan diff --events")
    parser.epilog = "Words after -- go to pulumi preview, e.g. -- --diff"
    given = list(sys.argv[1:] if arguments is None else arguments)
    ours = given.index("--") if "--" in given else len(given)  # argparse loses them behind an option
    asked, words = parser.parse_args(given[:ours]), given[ours + 1 :]
    try:
        if asked.stack == "all":
            return every()
        return one(asked.stack, as_json=asked.json, words=words, events=asked.events)
    except BadInputError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except (engine.EngineMissingError, pulumi_run.EngineFaultError, OSError) as error:
        print(error, file=sys.stderr)
        return Verdict.FAULT.value
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
