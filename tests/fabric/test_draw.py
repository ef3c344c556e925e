"""The pictures: well-formed, the same every time, with what is cut marked, and safe against any name."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
import yaml

from tierplan import plan as planning
from tierplan.domain.fabric import FabricPlan
from tierplan.domain.stack import FabricPins
from tierplan.fabric import draw
from tierplan.load import catalogue, read_stack, stack_names

SVG = "{http://www.w3.org/2000/svg}"


def fabric(name: str, **pins: object) -> FabricPlan:
    stack = read_stack(name)
    return planning.make_plan(replace(stack, fabric=FabricPins(**pins)) if pins else stack, catalogue()).fabric


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314  # our own text


@pytest.mark.parametrize("name", stack_names())
def test_every_stack_has_both_pictures(name):
    found = fabric(name)
    svg = draw.svg(found, title=name)
    said = texts(svg)
    drawn = draw.picture(found, title=name)
    assert all(line in said for box in drawn.boxes for line in box.lines)
    ids = {box.id for box in drawn.boxes}
    assert {end for link in drawn.links for end in (link.tail, link.head)} <= ids
    chart = draw.mermaid(found, title=name)
    for box in ids:
        assert re.search(rf"^  {box}\[", chart, re.MULTILINE)
    assert svg == draw.svg(found, title=name)
    assert chart == draw.mermaid(found, title=name)


def test_a_cut_between_machines_is_a_red_link():
    found = fabric("scenario-128", oversubscription=8.0)
    drawn = draw.picture(found, title="x")
    (cut,) = [link for link in drawn.links if link.cut]
    assert (cut.tail, cut.head) == ("storage_leafs", "spines")
    chart = draw.mermaid(found, title="x")
    index = drawn.links.index(cut)
    assert f"linkStyle {index} stroke:{draw.CUT}" in chart
    assert "min cut<br/>hot read" in chart
    assert draw.svg(found, title="x").count("stroke-dasharray") == 1


def test_a_cut_inside_machines_is_a_red_box():
    chart = draw.mermaid(fabric("demo"), title="demo")
    assert re.search(r"class (\w+,)*hot_nodes(,\w+)* cut", chart)
    assert "linkStyle" not in chart


def test_the_front_matter_is_yaml_whatever_the_title():
    chart = draw.mermaid(fabric("demo"), title='a: "b" <c>')
    assert yaml.safe_load(chart.split("---")[1])["title"] == 'a: "b" <c>'
    assert texts(draw.svg(fabric("demo"), title='a: "b" <c> & d'))[0] == 'a: "b" <c> & d'


def test_words_cannot_end_a_label():
    hostile = replace(fabric("demo"), leafs=())
    path = replace(hostile.paths[0], read=replace(hostile.paths[0].read, words='"]; click x "javascript:1"\nend'))
    chart = draw.mermaid(replace(hostile, paths=(path,)), title="x")
    assert all(line.startswith(("  ", "---", "title", "flowchart", "%%")) for line in chart.splitlines())
