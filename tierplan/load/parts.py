"""A block of a stack as a rule reads it: asking for a key that was found faulty ends the rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tierplan.load.faults import Fault, join, listed


class SpoiltError(Exception):
    """The rule asked for a key whose own fault is already reported."""


@dataclass(frozen=True, slots=True)
class Part:
    """One block with its path."""

    block: dict[str, object]
    path: str
    spoilt: frozenset[str]

    def __getitem__(self, key: str) -> object:
        if join(self.path, key) in self.spoilt:
            raise SpoiltError
        return self.block.get(key)

    def part(self, key: str) -> Part | None:
        """The block of this key, where there is one."""
        value = self[key]
        return Part(value, join(self.path, key), self.spoilt) if isinstance(value, dict) else None

    def parts(self, key: str) -> Iterator[Part]:
        """The blocks of a list."""
        value = self[key]
        for index, item in enumerate(value if isinstance(value, list) else ()):
            if isinstance(item, dict):
                yield Part(item, f"{join(self.path, key)}[{index}]", self.spoilt)

    def number(self, key: str) -> float | None:
        """A number, where there is one."""
        value = self[key]
        return value if isinstance(value, int | float) else None

    def text(self, key: str) -> str | None:
        """A text, where there is one."""
        value = self[key]
        return value if isinstance(value, str) else None

    def given(self, *keys: str) -> list[str]:
        """Those of the keys that hold something."""
        return [key for key in keys if self[key] is not None]

    def fault(self, key: str, message: str) -> Fault:
        """A fault of one key; ``""`` for the block itself."""
        return Fault(path=join(self.path, key) if key else self.path, message=message)

    def only_one(self, *keys: str, of: str) -> Iterator[Fault]:
        """A fault unless exactly one of the keys holds something."""
        given = self.given(*keys)
        if not given:
            yield self.fault("", f"nothing says {of}; write one of {listed(keys)}")
        elif len(given) > 1:
            yield self.fault(given[-1], f"{' and '.join(given)} both say {of}; keep one")


Rule: TypeAlias = Callable[[Part], Iterator[Fault]]


def run(rules: Iterable[Rule], part: Part) -> Iterator[Fault]:
    """What the rules find; a rule that meets a spoilt key says no more."""
    for rule in rules:
        found = rule(part)
        while True:
            try:
                yield next(found)
            except (StopIteration, SpoiltError):
                break
