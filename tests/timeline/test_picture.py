"""The picture is well-formed, says what it shows, and is the same for the same run."""

from __future__ import annotations

import xml.etree.ElementTree as ET  # our own text

from tierplan.timeline import Scenario, run
from tierplan.timeline.picture import COLOURS, svg

SVG = "{http://www.w3.org/2000/svg}"


def test_picture_has_a_row_for_each_job_and_every_colour_explained(make_job):
    scenario = Scenario(jobs=(make_job("a<b"), make_job("two")), read=10e9, write=10e9)
    seen = run(scenario, days=3, seed=1, most_stretches=3000)
    text = svg(seen, title="A & B")
    root = ET.fromstring(text)  # noqa: S314  # our own text
    words = {node.text for node in root.iter(f"{SVG}text")}
    assert {"a<b", "two", "A & B", "compute", "stall"} <= words
    fills = {node.get("fill") for node in root.iter(f"{SVG}rect")}
    assert {COLOURS["compute"], COLOURS["stall"]} <= fills
    for node in root.iter(f"{SVG}rect"):
        assert 0 <= float(node.get("x", 0)) <= 1200
        assert float(node.get("width")) >= 0
    assert text == svg(run(scenario, days=3, seed=1, most_stretches=3000), title="A & B")
