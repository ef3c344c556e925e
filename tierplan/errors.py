"""
Everything that tierplan raises on purpose.

    TierplanError
    ├── InputError       what the user wrote cannot be read or is not allowed (exit code 2); every fault at once
    ├── CatalogueError   a fact is missing, doubled or has no source: a fault of tierplan's own data
    ├── RenderError      a native configuration file cannot be written as asked (exit code 2)
    └── EngineError      the Pulumi engine or the environment fails (exit code 3)

Known failures print one line each; anything else is a defect and keeps its traceback.
A system that cannot fit is no error: it is a `Rejection`, with figures.
"""

from collections.abc import Iterable


class TierplanError(Exception):
    """The root: catch it to catch everything that tierplan raises on purpose."""

    exit_code = 3


class InputError(TierplanError):
    """What the user wrote is wrong; `faults` holds one line for each."""

    exit_code = 2

    def __init__(self, faults: Iterable[str] | str) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(self.faults))


class CatalogueError(TierplanError):
    """A fact of the catalogue is missing or malformed."""


class RenderError(TierplanError):
    """A file cannot be rendered as asked."""

    exit_code = 2


class EngineError(TierplanError):
    """The engine cannot be found, built or run."""
