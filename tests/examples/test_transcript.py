"""
The reviewer's transcript of README.md is what happens: its commands are run, and their output is held against the page.

    TIERPLAN_WRITE_TRANSCRIPT=1 pytest tests/examples/test_transcript.py

writes the page anew; read the change before it is committed.
"""

import os
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"(<!-- transcript: tests/examples/test_transcript\.py[^\n]*-->\n```text\n)(.*?)(```\n)", re.DOTALL)


@pytest.mark.engine
@pytest.mark.usefixtures("engine")
def test_the_transcript_is_what_happens(branch, change, run):
    change(branch, "demo", 6)
    page = README.read_text(encoding="utf-8")

    def replayed(match):
        commands = [line for line in match[2].splitlines() if line.startswith("$ ")]
        outputs = []
        for line in commands:
            done = run(f"COLUMNS=100; export COLUMNS; set +e; {line[2:]}", branch)
            assert done.stderr == ""
            outputs.append(f"{line}\n{done.stdout.rstrip()}\n")
        return match[1] + "".join(outputs) + match[3]

    assert len(BLOCK.findall(page)) == 2
    written = BLOCK.sub(replayed, page)
    if os.environ.get("TIERPLAN_WRITE_TRANSCRIPT") == "1":
        README.write_text(written, encoding="utf-8")
    else:
        assert written == page, "the page is not what happens; see the head of this file"
