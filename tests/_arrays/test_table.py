"""Tables and lists with text in them: the message names the column or the entry."""

from decimal import Decimal

import numpy as np
import pytest

import orthoprox as op


class Table:
    """What tables of pandas and polars have in common."""

    def __init__(self, **columns):
        self.content = {name: np.asarray(column) for name, column in columns.items()}
        self.columns = list(columns)
        self.dtypes = [column.dtype for column in self.content.values()]
        self.shape = (len(next(iter(self.content.values()))), len(columns))

    def __getitem__(self, name):
        return self.content[name]

    def __array__(self, dtype=None, copy=None):
        return np.column_stack([column.astype(object) for column in self.content.values()])


TEXT = {"height": [1.0, 2.0], "name": ["Ada", "Max"], "born": np.array(["2000", "2001"], "M8[Y]"), "age": [3, 4]}


def test_the_text_columns_of_a_table_are_named():
    with pytest.raises(TypeError, match=r"A has columns that are not numbers: 'name' \(<U3\), 'born' \(.*\); drop them"):
        op.problems.sparse_pca(Table(**TEXT), 1, 0.1)
    with pytest.raises(TypeError, match=r"The start has columns that are not numbers: 'name'"):
        op.minimize(op.problems.sparse_pca(np.eye(2), 2, 0.1), Table(**TEXT))


def test_a_table_with_many_text_columns_names_three():
    with pytest.raises(TypeError, match=r"'c0' \(<U1\), 'c1' \(<U1\), 'c2' \(<U1\) and 37 more; drop them"):
        op.smooth.Variance(Table(**{f"c{k}": ["a", "b"] for k in range(40)}))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1.0, None], [2.0, 3.0]], r"A has the entry None, a NoneType, at \[0, 1\]; it needs real numbers"),
        ([["1", "2"], ["3", "?"]], r"A has the entry '\?', a str, at \[1, 1\]; it needs real numbers"),
        ([["1", "2"], ["3", "4"]], r"A has dtype <U1; it needs real numbers, convert it with \.astype\(float\)"),
        ([[Decimal(1), Decimal(2)]], r"A has dtype object; it needs real numbers, convert it with \.astype\(float\)"),
        (np.array([[1.0, 2.0], [3.0]], dtype=object), r"A is ragged: its entry \[0\] is a list; .* rectangular array"),
    ],
    ids=["None", "text", "digits", "decimals", "ragged"],
)
def test_entries_that_are_not_numbers_are_named(value, message):
    with pytest.raises(TypeError, match=message):
        op.smooth.Variance(value)


def test_pandas_tables():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"A has columns that are not numbers: 'name' \((object|str)\)(, 'born' \(.*\))?; drop"):
        op.problems.sparse_pca(pandas.DataFrame(TEXT), 1, 0.1)
    numbers = pandas.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3, 4, 5]})
    np.testing.assert_array_equal(op.smooth.Variance(numbers).A, np.asarray(numbers))
    with pytest.raises(TypeError, match=r"problem is a DataFrame of shape \(3, 2\); it needs an orthoprox.Problem"):
        op.minimize(numbers)
