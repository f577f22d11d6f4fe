"""A Sphinx extension: docstrings are plain text with formulas, which are made ready for Sphinx.

Bars, stars and underscores of formulas are no markup, indented formulas are literal blocks, and the
fields of a dataclass have the comments of the source as their descriptions.
"""

import dataclasses
import inspect
import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

MARKUP = re.compile(r"(``.+?``|:\w+:`.+?`)")  # what is markup, and stays as it is
UNDERLINE = re.compile(r"^-{3,}$")


def escaped(line: str) -> str:
    """Return a line in which no bar, star or underscore at the end of a word is markup."""
    parts = MARKUP.split(line)
    parts[::2] = [re.sub(r"([|*]|(?<=\w)_(?!\w))", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def prepared(lines: list[str]) -> list[str]:
    """Return a docstring with literal blocks for the indented formulas before its first section;
    examples stay as they are.
    """
    if "Examples" in lines:
        end = lines.index("Examples")
        return prepared(lines[:end]) + lines[end:]
    sections = next((k - 1 for k, line in enumerate(lines) if UNDERLINE.match(line)), len(lines))
    found: list[str] = []
    literal = False
    for k, line in enumerate(lines):
        indented = k < sections and line.startswith("    ")
        if indented and not literal:
            found += ["::", ""]
        literal = indented or (literal and not line.strip())
        found.append(line if indented else escaped(line))
    return found


def fields(kind: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields of a dataclass that have a comment on their line, with the comment."""
    for line in inspect.getsource(kind).splitlines():
        match = re.match(r"    (\w+): .*?  # (.+)$", line)
        if match and match[1] in {field.name for field in dataclasses.fields(kind)}:
            yield match[1], match[2]


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Prepare a docstring before numpydoc reads it."""
    lines[:] = [] if what == "data" else prepared(lines)  # the type of a number or dictionary says nothing about it
    if what == "class" and dataclasses.is_dataclass(thing) and "Parameters" not in lines:
        described = [part for field, text in fields(thing) for part in (field, f"    {escaped(text)}")]
        if described:
            lines += ["", "Attributes", "----------", *described]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect it, before numpydoc."""
    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
