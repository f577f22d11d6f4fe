"""The pages of the site are true: their blocks of code run in order in one session and print what
is shown, errors and warnings included, and what they name exists.
"""

import re
import shutil
from pathlib import Path

import pytest

import orthoprox as op
from pages import blocks, differences, run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [DOCS / "start.md", *(page for room in ("user", "developers", "paper") for page in sorted((DOCS / room).glob("*.md")))]
RUN = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]


def name(page):
    return str(page.relative_to(DOCS))


@pytest.mark.parametrize("page", RUN, ids=name)
def test_every_block_runs_and_prints_what_is_shown(page, capsys, tmp_path, monkeypatch):
    shutil.copy(Path(op.__file__).parent / "datasets" / "wine.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    found, session = blocks(page.read_text(encoding="utf-8")), {}
    found = [block for block in found if block[0] in ("python", "text")]
    for (language, text), (following, shown) in zip(found, [*found[1:], ("", "")], strict=True):
        if language == "text":
            continue
        told = ""
        try:
            run(language, text, session)
        except Exception as error:  # warnings are errors, too
            told = f"{type(error).__name__}: {error}"
        assert differences(capsys.readouterr().out + told, shown if following == "text" else "") == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_name_and_target_of_make_exists(page):
    text, rules = page.read_text(encoding="utf-8"), (ROOT / "Makefile").read_text()
    for found in set(re.findall(r"\bop\.([A-Za-z_.0-9]+[A-Za-z_0-9])", text)):
        place = op
        for part in found.split("."):
            place = getattr(place, part)
    for target in re.findall(r"`make\s([\w-]+)`", text):
        assert re.search(rf"^{target}:", rules, flags=re.MULTILINE), target


def test_a_page_shows_at_least_ten_messages():
    shown = [text for language, text in blocks((DOCS / "user" / "wrong.md").read_text(encoding="utf-8")) if language == "text"]
    assert len([text for text in shown if re.match(r"\w+(Error|Warning): ", text)]) >= 10
