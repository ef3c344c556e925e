"""Inputs of a resource of anybody's program, read one by one: what is unknown or of a wrong type is a fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tierplan.errors import InputError

NUMBER, TEXT, FLAG, LIST = "a number", "text", "true or false", "a list"
COUNTED = "a number, or one as text"
KINDS: Mapping[str, tuple[type, ...]] = {
    NUMBER: (int, float),
    COUNTED: (int, float, str),
    TEXT: (str,),
    FLAG: (bool,),
    LIST: (list, tuple),
}


@dataclass(slots=True)
class Reader:
    """Reads inputs by their path, ``sku.name``, and collects what cannot be read."""

    inputs: Mapping[str, object]
    faults: list[str] = field(default_factory=list)

    def number(self, path: str) -> float | None:
        """A number, also one that is written as text, as some providers want it."""
        found = self._read(path, COUNTED)
        try:
            return None if found is None else float(str(found))
        except ValueError:
            self.faults.append(f"{path}: {found!r} is no number")
            return None

    def text(self, path: str) -> str | None:
        """Text."""
        found = self._read(path, TEXT)
        return found if isinstance(found, str) else None

    def flag(self, path: str) -> bool | None:
        """True or false."""
        found = self._read(path, FLAG)
        return found if isinstance(found, bool) else None

    def list(self, path: str) -> tuple[object, ...] | None:
        """A list of anything."""
        found = self._read(path, LIST)
        return tuple(found) if isinstance(found, list | tuple) else None

    def end(self) -> None:
        """
        Stop at what could not be read.

        Raises:   InputError with one line for each input that is unknown at preview or of a wrong type
        """
        if self.faults:
            raise InputError(self.faults)

    def _read(self, path: str, words: str) -> object:
        value: object = self.inputs
        for key in path.split("."):
            if not isinstance(value, Mapping):
                self.faults.append(f"{path}: {value!r} is no map; give plain values that are known at preview")
                return None
            value = value.get(key)
            if value is None:
                return None
        right = isinstance(value, KINDS[words]) and (words == FLAG or not isinstance(value, bool))
        if not right:
            self.faults.append(f"{path}: {value!r} is not {words}; give a plain value that is known at preview")
            return None
        return value
