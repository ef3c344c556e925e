"""What tests of several rooms share: the real engine, and a place for its state."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import engine as engine_finder
import pulumi_run
from mutation_score import pytest_terminal_summary

__all__ = ["pytest_terminal_summary"]

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def engine() -> Path:
    """
    The folder of the real `pulumi`. Where there is none the tests fail: a skip would hide that nothing was proved.

    TIERPLAN_SKIP_ENGINE=1 skips them on purpose, on one's own machine.
    """
    if os.environ.get("TIERPLAN_SKIP_ENGINE") == "1":
        pytest.skip("TIERPLAN_SKIP_ENGINE=1")
    try:
        return engine_finder.find()
    except engine_finder.EngineMissingError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def project(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> pulumi_run.Project:
    """This checkout as a Pulumi project with its policy pack, and state of this test run's own."""
    state = tmp_path_factory.mktemp("pulumi")
    return pulumi_run.Project(root=ROOT, engine=engine, state=state, pack=ROOT / "policies" / "run-pack")
