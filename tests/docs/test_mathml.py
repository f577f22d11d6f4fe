"""Formulas of the pages can all be written as MathML; what cannot is told."""

import re
from pathlib import Path

import pytest
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [
    DOCS / "index.md",
    DOCS / "start.md",
    *(page for room in ("user", "developers", "paper") for page in (DOCS / room).glob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_formula_is_understood(page):
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for block, inline in re.findall(r"\$\$(.*?)\$\$|\$([^$\n]+)\$", text, flags=re.DOTALL):
        assert tex2mathml((block or inline).strip()).startswith("<math")


def test_an_unknown_command_is_an_error():
    with pytest.raises(MathError):
        tex2mathml(r"\nosuchcommand x")
