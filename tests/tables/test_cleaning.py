"""Missing values and constant columns, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp

from orthoprox.tables import Table, cleaned

NAN = np.nan
X = np.array([[1.0, NAN, 3.0, 7.0], [2.0, 5.0, NAN, 7.0], [4.0, 6.0, 2.0, 7.0], [3.0, 1.0, 0.0, 7.0]])
NAMES, ROWS = ("a", "b", "c", "d"), ("p", "q", "r", "s")
KINDS = {"dense": lambda values: values, "sparse": sp.csr_array}


def dense(table):
    return table.values.toarray() if table.sparse else table.values


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_are_named(kind):
    table = Table(KINDS[kind](X), NAMES, ROWS)
    with pytest.raises(
        ValueError, match=r"2 missing values: row 'p' of 'b', row 'q' of 'c'\. .*--missing drop.*--missing mean"
    ):
        cleaned(table)
    with pytest.raises(ValueError, match=r"row 1 of 'b', row 2 of 'c'"):
        cleaned(Table(KINDS[kind](X), NAMES, None))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_with_missing_values_are_left_out(kind):
    found = cleaned(Table(KINDS[kind](X), NAMES, ROWS), "drop")
    np.testing.assert_array_equal(dense(found), X[2:, :3])
    assert found.row_names == ("r", "s")
    assert found.notes == (
        "2 rows with missing values left out, 2 remain.",
        "1 constant column is set aside: 'd'.",
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_takes_the_place_of_missing_values(kind):
    values = KINDS[kind](X)
    found = cleaned(Table(values, NAMES, ROWS), "mean")
    expected = np.where(np.isnan(X), np.nanmean(X, axis=0), X)[:, :3]
    np.testing.assert_allclose(dense(found), expected, rtol=1e-15)
    assert found.notes[0] == "2 missing values in 'b' and 'c' replaced by the mean of the column."
    assert np.sum(np.isnan(values.data if sp.issparse(values) else values)) == 2  # what was given is not changed


def test_what_cannot_be_mended_is_refused():
    with pytest.raises(ValueError, match="Every row has a missing value"):
        cleaned(Table(np.array([[NAN, 1.0], [2.0, NAN]]), ("a", "b"), None), "drop")
    with pytest.raises(ValueError, match="Column 'a' has no value, so there is no mean"):
        cleaned(Table(np.array([[NAN, 1.0], [NAN, 2.0]]), ("a", "b"), None), "mean")
    with pytest.raises(ValueError, match="1 infinite value: row 1 of 'a'"):
        cleaned(Table(np.array([[np.inf, 1.0], [1.0, 2.0]]), ("a", "b"), None), "mean")
    with pytest.raises(ValueError, match="no variance to explain: all columns are constant"):
        cleaned(Table(np.ones((3, 2)), ("a", "b"), None))
    with pytest.raises(ValueError, match="--missing is 'median'"):
        cleaned(Table(X, NAMES, None), "median")


def test_long_lists_are_cut():
    with pytest.raises(ValueError, match=r"has 12 missing values: .*, row 2 of 'a' and 8 more\."):
        cleaned(Table(np.full((4, 3), NAN), ("a", "b", "c"), None))
