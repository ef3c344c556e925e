"""What can be told of a grid before anything is planned: axes that mean one key, and axes that make no stack at all."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tierplan.errors import InputError
from tierplan.load import Form, Variants, canonical
from tierplan.sweep.axes import Axis, grid

MOST_READ = 500  # combinations; the first one does it for every sweep that makes sense
MOST_TOLD = 5


def check(form: Form, axes: Sequence[Axis]) -> None:
    """
    Refuse axes of which one sets what another one sets, and axes that leave no combination which is a stack.

    Assumes:  a grid whose first combinations are no stacks, and which has more of them, may have some further on
    Raises:   InputError with one line for each fault
    """
    paths = [canonical(form.document, one.path) for one in axes]
    for (first, one), (second, other) in itertools.combinations(zip(axes, paths, strict=True), 2):
        if other == one or _below(other, one) or _below(one, other):
            message = f"--vary {first.path} and --vary {second.path} set the same key; vary it once"
            raise InputError(message)
    variants, faults, combinations = Variants(form), dict[str, None](), grid(axes)
    for settings in itertools.islice(combinations, MOST_READ):
        try:
            variants.stack(settings)
        except InputError as error:
            faults |= dict.fromkeys(error.faults)
        else:
            return
    if next(combinations, None) is None:
        raise InputError(list(faults)[:MOST_TOLD])


def _below(path: str, block: str) -> bool:
    return path.startswith((f"{block}.", f"{block}["))
