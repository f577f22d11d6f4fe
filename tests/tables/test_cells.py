"""Cells of text as numbers."""

import math

import numpy as np
import pytest

from orthoprox.tables.cells import decimal_mark, number, numbers


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("1.5", ".", 1.5),
        (" -2e-3 ", ".", -0.002),
        ("1,234", ".", 1234.0),
        ("1,234.5", ".", 1234.5),
        ("1,5", ",", 1.5),
        ("1.234,5", ",", 1234.5),
        ("1.234", ",", 1234.0),
        ("1.5", ",", 1.5),
        ("inf", ".", math.inf),
        ("1,23", ".", None),
        ("1_000", ".", None),
        ("12a", ".", None),
    ],
)
def test_a_cell_is_a_number_or_text(cell, decimal, value):
    assert number(cell, decimal) == value
    found = numbers([cell, "1"], decimal)
    if value is None:
        assert found == 0
    else:
        np.testing.assert_array_equal(found, [value, 1.0])


@pytest.mark.parametrize(
    ("cells", "separator", "mark"),
    [
        (["1,5", "2"], ";", ","),
        (["1,234", "2"], ";", ","),
        (["1,234", "2.5"], ";", "."),
        (["1,234", "2"], ",", "."),
        (["1,5"], ",", ","),
        (["a, b", "1.5"], ";", "."),
    ],
)
def test_the_decimal_mark_is_recognised(cells, separator, mark):
    assert decimal_mark(cells, separator) == mark
