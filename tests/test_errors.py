"""What tierplan raises on purpose: one tree, one line a fault, an exit code each."""

from __future__ import annotations

import pytest

from tierplan.errors import CatalogueError, EngineError, InputError, RenderError, TierplanError


@pytest.mark.parametrize(
    ("error", "code"), [(InputError, 2), (RenderError, 2), (EngineError, 3), (CatalogueError, 3), (TierplanError, 3)]
)
def test_every_error_is_ours_and_has_an_exit_code(error: type[TierplanError], code: int) -> None:
    assert issubclass(error, TierplanError)
    assert error.exit_code == code
    assert str(error("why")) == "why"


def test_input_error_holds_one_line_for_each_fault() -> None:
    error = InputError(["a: one", "b: two"])
    assert error.faults == ("a: one", "b: two")
    assert str(error) == "a: one\nb: two"


def test_input_error_of_one_text_is_one_fault() -> None:
    assert InputError("a: one").faults == ("a: one",)


def test_input_error_takes_what_is_counted_out_once() -> None:
    assert InputError(f"{number}" for number in range(3)).faults == ("0", "1", "2")
