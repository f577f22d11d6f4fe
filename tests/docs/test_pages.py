"""The pages of docs/: none is left out of the index, links lead somewhere, the committed rows can
be read.
"""

import re
from pathlib import Path

import pytest

import chromium
from orthoprox.reproduce.run import items
from orthoprox.reproduce.spec import names

DOCS = Path(__file__).parents[2] / "docs"


def test_index_names_every_page():
    index = (DOCS / "README.md").read_text()
    assert all(f"({page.name})" in index for page in DOCS.glob("*.md") if page.name != "README.md")


def test_the_page_of_the_reproduction_shows_every_table_and_figure():
    page = DOCS / "reproduction" / "index.html"
    text = page.read_text(encoding="utf-8")
    for name in names():
        assert f'id="{name}"' in text
        if name.startswith("fig-"):
            assert (DOCS / "reproduction" / "figures" / f"{name}.png").is_file()


@pytest.mark.extended
def test_the_page_of_the_reproduction_has_no_error_in_a_browser():
    assert chromium.inspect(DOCS / "reproduction" / "index.html") == ([], [])


@pytest.mark.parametrize("name", [name for name in names() if name != "fig-spca-scaling"])  # which is drawn from table-spca
def test_the_rows_of_the_reproduction_can_all_be_read(name):
    item = items(DOCS / "reproduction")[name]
    assert item.ledger.damaged == []
    assert item.ledger.everything()


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\[[^]]+\]\(([\w/-]+\.\w+)\)", page.read_text(encoding="utf-8")):
        place = (page.parent / target).resolve()
        if place.parent == DOCS / "gallery":  # made of a program when the site is built
            place = DOCS.parent / "examples" / f"{place.stem}.py" if place.stem != "index" else DOCS
        assert place.exists(), target
