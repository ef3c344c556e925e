"""The one-page statement: whole, the same each time, with the same figures in every language."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from tierplan import load, report
from tierplan.cli.commands import cli
from tierplan.cli.compare import free_of_hot_pins
from tierplan.errors import InputError
from tierplan.plan import judge, make_plan

STACKS = ("demo", "mixed", "refused-slow")
SECTIONS = (
    "tiers", "selection", "requirement", "alternatives", "capacity", "bandwidth", "checkpoint", "growth", "cost",
    "risks", "findings", "fixed", "formulas", "assumptions", "sources",
)  # fmt: skip


def page(stack, name):
    wanted = load.read_stack(f"stacks/Pulumi.{stack}.yaml")
    plan, others = (make_plan(one, load.catalogue()) for one in (wanted, free_of_hot_pins(wanted)))
    return report.statement(plan, judge(plan), report.language(name), others=others)


def digits(text):
    return re.findall(r"\d[\d,.]*", text)


@pytest.mark.parametrize("stack", STACKS)
def test_both_languages_show_the_same_figures(stack):
    english, chinese = (report.markdown(page(stack, name)) for name in ("en", "zh"))
    assert sorted(digits(english)) == sorted(digits(chinese))
    assert english != chinese
    assert "无 GPU 等待数据" in chinese or "GPU" in chinese


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("name", report.LANGUAGES)
def test_the_same_plan_gives_the_same_bytes(stack, name):
    assert report.html(page(stack, name)) == report.html(page(stack, name))
    assert report.markdown(page(stack, name)) == report.markdown(page(stack, name))


def test_every_section_is_there():
    found = page("mixed", "en")
    assert [section.id for section in found.sections] == list(SECTIONS)
    text = report.markdown(page("demo", "en"))
    for figure in ("980 GB", "18.1 GB/s", "12 × weka", "5+2"):
        assert figure in text


def test_a_refused_plan_says_so_and_why():
    found = page("refused-slow", "en")
    assert not found.passed
    assert found.verdict == "refused"
    assert "hot-write-bandwidth" in report.markdown(found)


class Asked(HTMLParser):
    """What a page would ask of another place, and whether its tags close."""

    VOID = ("meta", "link", "br", "hr", "line", "rect")

    def __init__(self):
        super().__init__()
        self.asked, self.open = [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.asked += [v for k, v in values.items() if k in ("src", "href", "action", "data") and v != "data:,"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", report.LANGUAGES)
def test_the_page_asks_nothing_of_any_other_place(name):
    text = report.html(page("mixed", name))
    asked = Asked()
    asked.feed(text)
    assert asked.asked == []
    assert asked.open == []
    assert "url(" not in text
    assert "@import" not in text
    assert f'<html lang="{name}">' in text


def test_pictures_are_svg_with_a_title():
    pictures = [picture for section in page("mixed", "zh").sections for picture in section.pictures]
    assert len(pictures) >= 6
    for picture in pictures:
        root = ET.fromstring(picture.svg)  # noqa: S314  # our own text
        assert root.find("{http://www.w3.org/2000/svg}title").text == picture.title


def test_names_cannot_break_the_page():
    form = load.read_form("stacks/Pulumi.demo.yaml")
    stack = form.stack({})
    object.__setattr__(stack, "name", '<script>alert("x")</script>|')
    plan = make_plan(stack, load.catalogue())
    found = report.statement(plan, judge(plan), report.language("en"))
    assert "<script>" not in report.html(found)
    assert "| <script>" not in report.markdown(found)


def test_command(tmp_path):
    run = CliRunner()
    for name in ("page.html", "page.md"):
        ran = run.invoke(cli, ["report", "stacks/Pulumi.demo.yaml", "--out", str(tmp_path / name), "--language", "zh"])
        assert ran.exit_code == 0, ran.output
        assert (tmp_path / name).stat().st_size > 3000
    ran = run.invoke(cli, ["report", "stacks/Pulumi.demo.yaml", "--out", str(tmp_path / "page.pdf")])
    assert isinstance(ran.exception, InputError)
    ran = run.invoke(cli, ["report", "stacks/Pulumi.demo.yaml", "--out", str(tmp_path / "none" / "page.md")])
    assert isinstance(ran.exception, InputError)
