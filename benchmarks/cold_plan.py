"""A cold `tierplan plan demo`, beside a Python that only imports the libraries which any such program needs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pairs import Bar, interleaved, ratio, report

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def main(rounds: int = 15) -> int:
    """Measure and print; both sides find their modules compiled, as after a first use."""
    with tempfile.TemporaryDirectory() as compiled:
        env = os.environ | {"PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}

        def plan() -> None:
            subprocess.run([BIN / "tierplan", "plan", "demo"], cwd=ROOT, env=env, stdout=subprocess.DEVNULL, check=True)

        def imports() -> None:
            subprocess.run([sys.executable, "-c", "import yaml, jsonschema, jinja2"], env=env, check=True)

        seconds = interleaved({"plan": plan, "imports": imports}, rounds=rounds)
    times = ratio(seconds, "plan", "imports")
    bar = Bar(text="0.35 s, or 2 x the imports", met=min(seconds["plan"]) <= 0.35 or times <= 2)
    return report("cold_plan", seconds, bar, ratio=times)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
