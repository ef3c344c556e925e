"""Each policy has its page, and each page its policy."""

from __future__ import annotations

import pytest

import policy_pages
from judging import PACK
from pack import SCHEMAS, read_index
from tierplan.plan.waivers import never_waived

PAGES = policy_pages.pages()


def test_each_policy_is_described_and_nothing_else_is() -> None:
    """A new rule needs its words in `docs/policies/words.yaml`."""
    assert set(policy_pages.words()) == set(PACK)


def test_the_pages_are_those_that_the_script_makes() -> None:
    """`python scripts/policy_pages.py` after a change of rules or words."""
    kept = {path.name: path.read_text(encoding="utf-8") for path in policy_pages.PAGES.glob("*.md")}
    assert kept == PAGES


@pytest.mark.parametrize("name", PACK)
def test_a_page_says_what_can_be_configured(name: str) -> None:
    text = PAGES[f"{name}.md"]
    (entry,) = (entry for entry in read_index() if entry["name"] == name)
    schema = SCHEMAS.get(entry["kind"])
    for key in schema.properties if schema else ():
        assert f"| `{key}` |" in text
    assert ("Never waived" in text) == never_waived(name, entry["severity"])
    assert PACK[name].description in text


def test_every_word_says_something() -> None:
    for name, said in policy_pages.words().items():
        assert set(said) == {"why", "mend"}, name
        assert all(len(text) > 10 and text.endswith(".") for text in said.values()), name
