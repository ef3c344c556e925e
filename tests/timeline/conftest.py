"""Jobs to run."""

from __future__ import annotations

import pytest

from tierplan.timeline import Job


@pytest.fixture(scope="session")
def make_job():
    """A job that saves 100 GB at 10 GB/s every 1,000 s of computing, interrupted every 20,000 s."""

    def make(name="one", **changes):
        usual = {
            "gpus": 8,
            "compute": 1000.0,
            "checkpoint": 100e9,
            "write": 10e9,
            "restart": 100.0,
            "restore": 100e9,
            "read": 10e9,
            "mean_time_to_interrupt": 20_000.0,
        }
        return Job(name=name, **{**usual, **changes})

    return make
