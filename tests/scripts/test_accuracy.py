"""The page of predictions is fresh, and no prediction promises far more than was published without saying so."""

import pytest

import accuracy

ROWS = tuple(accuracy.compared())


def test_the_page_is_what_the_backends_say_now() -> None:
    assert accuracy.PAGE.read_text(encoding="utf-8") == accuracy.page()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.backend} {row.quantity}")
def test_no_prediction_over_promises_in_silence(row: accuracy.Compared) -> None:
    assert row.factor <= accuracy.OVER_PROMISE or row.remark
    assert row.source


def test_every_fitted_row_reproduces_its_source() -> None:
    fitted = [row for row in ROWS if row.remark.startswith("fitted")]
    assert fitted
    assert all(0.85 <= row.factor <= 1.01 for row in fitted)  # fitted to the careful end of what was seen
