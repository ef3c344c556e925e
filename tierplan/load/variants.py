"""
Many stacks out of one form, each with some keys set otherwise, without reading the whole of each anew.

Each value of an axis is read once by itself, with all checks, and what it changes is kept.  A combination is the base
with the changes of its values, judged by the rules over several keys; only the blocks that changed become nouns again.
Where two axes change the same key (a preset and one of its values), or a value is wrong alone, the combination is read
as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load.document import Document
from tierplan.load.faults import input_error
from tierplan.load.fill import Block, Draft
from tierplan.load.read import completed, noun_of
from tierplan.load.rules import stack_faults
from tierplan.load.vary import Form, with_value

MOST_KEPT = 4096
Setting = tuple[str, str]
GONE = object()


@dataclass(frozen=True, slots=True)
class _Change:
    """What one value changes of the completed base: key path -> new value or `GONE`, with the origins that go along."""

    leaves: Mapping[str, object]
    origins: Mapping[str, str]
    tops: frozenset[str]


@dataclass(slots=True)
class Variants:
    """The stacks of a form; what was read is kept for the next one."""

    form: Form
    _base: Draft | None = None
    _changes: dict[Setting, _Change | None] = field(default_factory=dict)
    _blocks: dict[tuple[str, tuple[Setting, ...]], object] = field(default_factory=dict)

    def stack(self, settings: Mapping[str, object]) -> Stack:
        """
        The stack with these key paths set; the same as `Form.stack` gives.

        Raises:   InputError with one line for each fault
        """
        changes = [(path, repr(value), self._change(path, value)) for path, value in settings.items()]
        known = [(path, text, change) for path, text, change in changes if change is not None]
        if len(known) < len(changes):  # a value that is wrong alone may be right beside the others
            return self.form.stack(settings)
        if len({leaf for _, _, change in known for leaf in change.leaves}) < sum(len(c.leaves) for _, _, c in known):
            return self.form.stack(settings)
        return self._combined(known)

    def _combined(self, known: list[tuple[str, str, _Change]]) -> Stack:
        base = self._completed()
        document: object = base.document
        origins = base.origins
        for _, _, change in known:
            for path, value in change.leaves.items():
                document = with_value(document, path, None if value is GONE else value)
            origins = {**origins, **change.origins}
        draft = Draft(document=cast("Block", document), spoilt=set(), origins=origins)
        if faults := stack_faults(draft):
            raise input_error(faults, where=self.form.where, lines={})
        tops = {top: tuple((p, t) for p, t, c in known if top in c.tops) for _, _, c in known for top in c.tops}
        return self._noun(draft, tops)

    def _noun(self, draft: Draft, tops: Mapping[str, tuple[Setting, ...]]) -> Stack:
        """The base noun with the changed blocks; each block under each of its settings is made once."""
        base = self._noun_of_base()
        missing = [top for top, settings in tops.items() if (top, settings) not in self._blocks]
        if missing:
            whole = noun_of(draft, name=self.form.name, where=self.form.where, lines={})
            if len(self._blocks) > MOST_KEPT:
                self._blocks.clear()
            for top, settings in tops.items():
                self._blocks[top, settings] = getattr(whole, top)
        blocks = {top: self._blocks[top, settings] for top, settings in tops.items()}
        return replace(base, **blocks, origins=draft.origins)  # type: ignore[arg-type]

    def _noun_of_base(self) -> Stack:
        key = ("", ())
        if key not in self._blocks:
            self._blocks[key] = noun_of(self._completed(), name=self.form.name, where=self.form.where, lines={})
        return cast("Stack", self._blocks[key])

    def _completed(self) -> Draft:
        if self._base is None:
            self._base = completed(Document(value=self.form.document), where=self.form.where)
        return self._base

    def _change(self, path: str, value: object) -> _Change | None:
        key = (path, repr(value))
        if key not in self._changes:
            try:
                self._changes[key] = self._read(path, value)
            except InputError:
                self._changes[key] = None
        return self._changes[key]

    def _read(self, path: str, value: object) -> _Change:
        base = self._completed()
        varied = with_value(self.form.document, path, value)
        draft = completed(Document(value=varied), where=self.form.where)
        leaves = dict(_differences(base.document, draft.document, ""))
        origins = {path: word for path, word in draft.origins.items() if base.origins.get(path) != word}
        tops = frozenset(leaf.replace("[", ".").partition(".")[0] for leaf in leaves)
        return _Change(leaves=leaves, origins=origins, tops=tops)


def _differences(before: object, after: object, path: str) -> Iterator[tuple[str, object]]:
    """The outermost key paths where two documents differ, with what stands there after."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*before, *after]):
            below = f"{path}.{key}" if path else str(key)
            yield from _differences(before.get(key), after.get(key, GONE), below)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _differences(old, new, f"{path}[{index}]")
    elif before != after and not (before is None and after is GONE):
        yield path, after
