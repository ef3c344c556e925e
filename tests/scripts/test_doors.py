"""What import-linter's contracts cannot say of the doors between rooms, and that the contracts do catch a breach."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = ROOT / "pyproject.toml"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("tierplan", cache_dir=None)


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_every_room_stands_behind_a_door(graph: grimp.ImportGraph) -> None:
    contracts = tomllib.loads(PYPROJECT.read_text())["tool"]["importlinter"]["contracts"]
    behind = {source for contract in contracts for source in contract["source_modules"]}
    people = {"tierplan.cli", "tierplan.report"}  # they may import all of the core; Pulumi is barred from all of it
    assert graph.find_children("tierplan") - people <= behind


def test_products_do_not_know_one_another(graph: grimp.ImportGraph) -> None:
    """A module that begins with an underscore is shared by products, or is a part of one."""
    products = {
        name for name in graph.find_children("tierplan.backends") if not name.rpartition(".")[2].startswith("_")
    }
    assert len(products) >= 3
    known = {(one, other) for one in products for other in products - {one} if graph.chain_exists(one, other)}
    assert known == set()


@pytest.mark.parametrize("path", sorted((ROOT / "policies").glob("*.py")), ids=lambda path: path.name)
def test_policies_know_no_component(path: Path) -> None:
    assert not [name for name in imported(path) if name.partition(".")[0] == "tierplan_pulumi"]


def test_program_holds_no_formula() -> None:
    assert set(imported(ROOT / "__main__.py")) == {"tierplan_pulumi"}


def test_core_runs_without_pulumi() -> None:
    """Also what is imported late: the whole walk, with Pulumi out of reach."""
    code = (
        "import sys; sys.modules.update(pulumi=None, pulumi_policy=None); import tierplan.cli.commands, tierplan.plan"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("demand/checkpoint.py", "import pulumi", "the core knows no Pulumi"),
        ("units.py", "import tierplan.domain.stack", "units and errors stand on the standard library alone"),
        ("domain/need.py", "import tierplan.plan.walk", "nouns know units and errors"),
        ("layout/__init__.py", "import tierplan.backends.weka", "formulas know no product"),
        ("backends/weka.py", "import tierplan.plan.rules", "a product knows the nouns and layouts"),
        ("plan/walk.py", "import tierplan.load", "the walk writes and shows nothing"),
        ("wire.py", "import tierplan.plan.rules", "resource properties are the nouns"),
        ("load/__init__.py", "import tierplan.demand", "the doors to disk hold no formula"),
    ],
)
def test_planted_breach_is_caught(tmp_path: Path, module: str, line: str, broken: str) -> None:
    for name in ("tierplan", "components/tierplan_pulumi"):
        shutil.copytree(ROOT / name, tmp_path / Path(name).name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PYPROJECT, tmp_path)
    spoilt = tmp_path / "tierplan" / module
    spoilt.write_text(f"{spoilt.read_text()}\n{line}\n")
    linter = str(Path(sys.executable).with_name("lint-imports"))
    done = subprocess.run(
        [linter, "--no-logo", "--no-cache"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert [row for row in done.stdout.splitlines() if broken in row and "BROKEN" in row]
