"""Systems into a stack file: their choices as pins, what could not be known as comments, everything else as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tierplan import load
from tierplan.domain.need import Tier
from tierplan.domain.tiers import TierPlan
from tierplan.errors import InputError
from tierplan.existing.choices import flat, same
from tierplan.existing.editing import line_of, set_value
from tierplan.existing.gathering import READERS
from tierplan.existing.nouns import NODE_WORDS, System, Value
from tierplan.load.document import read_document
from tierplan.load.namespaces import form_document
from tierplan.units import Size

MARKS = ("# imported from ", "# not known: ", "# fullest target: ", "# reported: ")
OPEN = ("auto", "")
REACHED = 0.95  # nearer is even enough
LINES = re.compile("[^\n\r\x85\u2028\u2029]*(?:\r\n|[\n\r\x85\u2028\u2029]|\\Z)")  # as YAML counts them
RIVALS = (
    ("layout.replicas", ("layout.data_units", "layout.parity_units")),
    ("layout.data_units", ("layout.replicas",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A key that the import sets; `was` is None where it was not there."""

    path: str
    was: Value | None
    now: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The text of the stack file after the import, and what changed in it."""

    text: str
    changes: tuple[Change, ...]


def merged(text: str, systems: Sequence[System], *, name: str, where: str) -> Merged:
    """
    The stack file with what exists pinned.

    Raises:   InputError with one line for each fault; then nothing is to be written
    """
    load.stack_from_text(text, name=name, where=where)
    before = _values(text)
    faults = [fault for system in systems for fault in _faults(system, before, where)]
    if faults:
        raise InputError(faults)
    changes = list[Change]()
    made = text.removeprefix("\ufeff")
    for system in systems:
        for path, value in {"backend": system.backend, **system.pins}.items():
            key = f"tiers.{system.tier}.{path}"
            was = before.get(key)
            if was is None or not same(path, was, value):
                made = set_value(made, _file_path(made, key), value)
                changes.append(Change(path=key, was=was, now=value))
        made = _commented(made, system)
    made = ("\ufeff" if text.startswith("\ufeff") else "") + made
    if made != text:
        _check(before, made, systems, name=name, where=where)
    return Merged(text=made, changes=tuple(changes))


def starter(systems: Sequence[System], *, name: str) -> str:
    """
    A commented stack file to import into, at the site that the systems stand at.

    Raises:   InputError if there is no starter for that site
    """
    text = load.starter(name=name)
    site = next((one.site for one in systems if one.site), {})
    if not site:
        return text
    if site.get("kind") != "aws":
        message = f"a starter for a site of {site.get('kind')} is not there yet; import into a stack file of that site"
        raise InputError(message)
    lines = ["  tierplan:site:", "    kind: aws", f"    region: {site.get('region') or 'us-east-1'}"]
    network = ", ".join(f"{key}: {site[key]}" for key in ("vpc", "subnet") if key in site)
    lines += [f"    network: {{{network}}}"] if network else []
    text = re.sub(r"  tierplan:site:\n(?:    .*\n)+", "\n".join(lines) + "\n", text)
    node = "    node: aws-p5                   # its drives and ports; 8 GPUs\n"
    return re.sub(r"    (?:gpus_per_node|local_nvme|storage_network): .*\n", "", text).replace(
        "  tierplan:cluster:\n", f"  tierplan:cluster:\n{node}", 1
    )


def backends_of(text: str) -> dict[Tier, str]:
    """The backends that a stack file chooses."""
    values = _values(text)
    tiers: tuple[Tier, ...] = ("hot", "cold")
    return {tier: str(values.get(f"tiers.{tier}.backend", "")) for tier in tiers}


def pinned(text: str, tier: Tier) -> list[str]:
    """The key paths that a stack file pins of a tier."""
    prefix = f"tiers.{tier}."
    return [path.removeprefix(prefix) for path in _values(text) if path.startswith(prefix)]


def notes(system: System, *, pinned: Sequence[str] = ()) -> Iterator[str]:
    """What is worth knowing of a system and is no choice: the comments above its tier."""
    yield f"# imported from {', '.join(system.files)}"
    missing = [] if system.whole else [one for one in NODE_WORDS if one not in system.pins and one not in pinned]
    if not system.whole and "nodes" not in (*system.pins, *pinned):
        missing.insert(0, "nodes")
    if missing:
        yield f"# not known: {', '.join(missing)}; the plan takes its own, pin yours{_hint(system, missing)}"
    has_layout = any(one.startswith("layout.") for one in (*system.pins, *pinned))
    if not system.whole and not has_layout and not system.unknown:
        yield f"# not known: layout; pin yours{_hint(system, ['layout'])}"
    for line in system.unknown:
        yield f"# not known: {line}"
    if system.fullest is not None:
        yield f"# fullest target: {fullest_words(system)}"
    if system.usable is not None:
        yield f"# reported: {Size(system.usable).show()} usable"


def fullest_words(system: System) -> str:
    """The target that fills up first, beside the mean that hides it."""
    one = system.fullest
    if one is None:
        return ""
    return (
        f"{one.name} is {one.fraction:.0%} full, all of them {system.mean:.0%}: "
        "the room that is left ends with the fullest, not with the mean"
    )


def reach_words(system: System, tier: TierPlan) -> str:
    """What of the planned capacity can be reached before the fullest target is at planned fill; empty if all of it."""
    if system.fullest is None or system.reach > REACHED:
        return ""
    planned, needed = tier.delivered.planned, tier.need.capacity
    room = planned * system.reach
    return (
        f"filled as unevenly as now (the fullest {system.fullest.fraction:.0%}, the mean {system.mean:.0%}) it takes "
        f"{room.show()} of the {planned.show()} that the plan counts; required are {needed.show()}"
        f"{': too little' if needed.base > room.base else ''}"
    )


def _hint(system: System, missing: Sequence[str]) -> str:
    tells: Mapping[str, str] = next((reader.TELLS for reader in READERS if system.product == reader.PRODUCT), {})
    commands = dict.fromkeys(tells[word] for word in missing if word in tells)
    return f" or add the output of {', '.join(commands)}" if commands else ""


def _values(text: str) -> dict[str, Value]:
    return dict(flat(form_document(read_document(text.removeprefix("\ufeff"))).value, ""))


def _file_path(text: str, key: str) -> list[str]:
    """A key path of the form as one of the file: under config:, with the namespace unless it is written without."""
    first, *rest = key.split(".")
    bare = line_of(text, ["config", f"tierplan:{first}"]) is None and line_of(text, ["config", first]) is not None
    return ["config", first if bare else f"tierplan:{first}", *rest]


def _faults(system: System, before: dict[str, Value], where: str) -> Iterator[str]:
    kind, known = str(before.get("site.kind", "on-prem")), load.catalogue()
    files = ", ".join(system.files)
    wanted = system.site.get("kind", kind)
    if system.tier == "local":
        yield f"{files}: the local tier is what the GPU nodes have; write cluster.local_nvme"
    elif system.backend not in known.known():
        yield f"{files}: {system.product} is read, but no release plans {system.backend} yet; nothing is written"
    elif wanted != kind:
        yield f"{where}: site.kind: {kind}; {system.product} is at {wanted}: import into a stack of that site"
    elif system.backend not in known.ids(system.tier, kind):
        yield f"{where}: {system.backend} is not planned as {system.tier} tier at {kind}; {files} cannot go in here"
    backend = str(before.get(f"tiers.{system.tier}.backend", ""))
    if backend not in (*OPEN, system.backend):
        yield (
            f"{where}: tiers.{system.tier}.backend: {backend}; {files} is of {system.backend}: "
            f"choose another stack, --tier, or write backend: auto"
        )
    for path, others in RIVALS:
        stale = [other for other in others if f"tiers.{system.tier}.{other}" in before]
        if path in system.pins and stale:
            words = ", ".join(f"{one}: {before[f'tiers.{system.tier}.{one}']}" for one in stale)
            yield f"{where}: tiers.{system.tier}.{words}; the system has {path}: {system.pins[path]}: delete it first"


def _commented(text: str, system: System) -> str:
    """Our own comments above the tier made anew; those of others stay."""
    line = line_of(text, _file_path(text, f"tiers.{system.tier}"))
    if line is None:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = LINES.findall(text)
    first = line
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    kept = [one for one in lines[first:line] if not one.lstrip().startswith(MARKS)]
    margin = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
    made = [f"{margin}{one}{newline}" for one in notes(system, pinned=pinned(text, system.tier))]
    return "".join([*lines[:first], *kept, *made, *lines[line:]])


def _check(before: dict[str, Value], made: str, systems: Sequence[System], *, name: str, where: str) -> None:
    """The new text is a stack, and nothing but the tiers that were imported is another."""
    try:
        load.stack_from_text(made, name=name, where=where)
    except InputError as fault:
        raise InputError(f"after the import: {one}" for one in fault.faults) from None
    after = _values(made)
    ours = tuple(f"tiers.{system.tier}." for system in systems)
    touched = {
        path
        for path in {*before, *after}
        if not path.startswith(ours) and path not in ("tiers.hot", "tiers.cold") and before.get(path) != after.get(path)
    }
    if touched:
        message = f"{where}: the import would change {', '.join(sorted(touched))} too (anchors?); write the tiers out"
        raise InputError(message)


def file_name(path: Path) -> str:
    """The stack's name that a file stands for."""
    match = re.fullmatch(r"Pulumi\.(.+)\.ya?ml", path.name)
    return match[1] if match else path.stem
