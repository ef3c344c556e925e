"""The pages of the backends link to what is there: files, and the functions that they name."""

import re
from pathlib import Path

import pytest

from tierplan.load import catalogue

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md") if path.name != "accuracy.md")
PRODUCTS = catalogue().known()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_functions(page):
    links = re.findall(r"\[(`?)([^\]`]+)`?\]\(([^)#:]+)\)", (DOCS / page).read_text())
    if page.removesuffix(".md") in PRODUCTS:
        assert len(links) >= 8
    for code, name, target in links:
        path = (DOCS / target).resolve()
        assert path.exists(), target
        if code and path.suffix == ".py" and not name.startswith("_"):
            assert re.search(rf"^def {name}\(", path.read_text(), flags=re.MULTILINE), (name, target)
