"""The reference has every public name, each with an example that names it, and the examples run."""

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest

import orthoprox as op

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
PAGES = sorted(FOLDER.glob("*.rst"))
ENTRY = re.compile(r"^\.\. auto(?:function|class|data|module):: orthoprox\.(\S+)$", flags=re.MULTILINE)


def public():
    """The public names of the package and of its public rooms."""
    for name in op.__all__:
        thing = getattr(op, name)
        if isinstance(thing, ModuleType):
            own = [part for part, value in vars(thing).items() if getattr(value, "__module__", "") == thing.__name__]
            yield from (f"{name}.{part}" for part in getattr(thing, "__all__", [part for part in own if part[0] != "_"]))
        else:
            yield name


def examples():
    """The entries of all pages, with the text up to the next one."""
    for page in PAGES:
        parts = ENTRY.split(page.read_text(encoding="utf-8"))
        yield from zip(parts[1::2], parts[2::2], strict=True)


def test_every_public_name_is_there_with_an_example_that_names_it():
    found = dict(examples())
    assert sorted(set(public()) - set(found)) == []
    for name, text in found.items():
        code = "\n".join(line for line in text.splitlines() if line.startswith((">>>", "...")))
        assert re.search(rf"\b{name.rpartition('.')[2]}\b", code), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_run(page):
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0
