"""A real `pulumi preview` of `demo` with the policy pack, beside that of an empty Python program on the same engine."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from pairs import Bar, interleaved, ratio, report

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "scripts"))

import engine  # noqa: E402  # from scripts/
import pulumi_run  # noqa: E402
from verdict import Verdict  # noqa: E402


def main(rounds: int = 10) -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        found, state = engine.find(), Path(folder) / "state"
        empty = Path(folder) / "empty"
        empty.mkdir()
        (empty / "Pulumi.yaml").write_text("name: empty\nruntime: {name: python, options: {toolchain: pip}}\n")
        (empty / "__main__.py").write_text("")
        (empty / "Pulumi.demo.yaml").write_text("config: {}\n")
        ours = pulumi_run.Project(root=ROOT, engine=found, state=state, pack=ROOT / "policies" / "run-pack")
        theirs = pulumi_run.Project(root=empty, engine=found, state=state)

        def demo() -> None:
            outcome = pulumi_run.preview(ours, "demo", ROOT / "stacks" / "Pulumi.demo.yaml", out=subprocess.DEVNULL)
            _must(done=outcome.verdict is Verdict.ACCEPTED, why=outcome.reason)

        def nothing() -> None:
            outcome = pulumi_run.preview(theirs, "demo", empty / "Pulumi.demo.yaml", out=subprocess.DEVNULL)
            _must(done=not outcome.faults, why=outcome.reason)

        seconds = interleaved({"demo": demo, "empty": nothing}, rounds=rounds)
    times = ratio(seconds, "demo", "empty")
    return report("real_preview", seconds, Bar(text="1.4 x the empty program", met=times <= 1.4), ratio=times)


def _must(*, done: bool, why: str) -> None:
    if not done:
        sys.exit(f"nothing was measured: {why}")


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
