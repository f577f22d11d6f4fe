"""Docstrings become pages without losing a bar, star or underscore of a formula."""

from dataclasses import dataclass

import docutils.core
import pytest
from docs.docstrings import escaped, fields, prepared


@dataclass(frozen=True)
class Point:
    """A point."""

    X: float  # where it is, |X|_F
    Y: float


@pytest.mark.parametrize("line", ["min |AX|_F^2 + mu |X|_1", "a * b, *c*", "components_ and mean_", "|X'X - I|"])
def test_a_formula_is_shown_as_it_is_written(line):
    assert docutils.core.publish_doctree(escaped(line)).astext() == line


def test_markup_stays():
    assert escaped("``X_`` and :class:`a_`") == "``X_`` and :class:`a_`"


def test_an_indented_formula_is_a_literal_block_and_a_section_is_none():
    lines = ["The step", "", "    X+ = |X|", "", "and so on.", "", "Parameters", "----------", "X : array", "    A |point|."]
    found = prepared(lines)
    assert found[2:5] == ["::", "", "    X+ = |X|"]
    assert found[-1] == "    A \\|point\\|."
    assert found.count("::") == 1


def test_examples_stay_as_they_are():
    lines = ["A |formula|.", "", "Examples", "--------", ">>> 2 * 3", "6"]
    assert prepared(lines) == ["A \\|formula\\|.", *lines[1:]]


def test_fields_have_the_comments_of_the_source():
    assert list(fields(Point)) == [("X", "where it is, |X|_F")]
