"""Tables that are covariance matrices."""

import numpy as np
import pytest

from orthoprox.tables import Table, covariance
from orthoprox.tables.covariance import looks_like_covariance

C = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 1.0]])
NAMES = ("a", "b", "c")


def test_rows_come_in_the_order_of_the_columns():
    found = covariance(Table(C[[2, 0, 1]], NAMES, ("c", "a", "b")))
    np.testing.assert_array_equal(found.values, C)
    assert found.names == found.row_names == NAMES


def test_variables_without_variance_are_set_aside():
    D = np.zeros((4, 4))
    D[:3, :3] = C
    found = covariance(Table(D, (*NAMES, "d"), None))
    np.testing.assert_array_equal(found.values, C)
    assert found.notes == ("1 variable without variance set aside: 'd'.",)


def test_what_is_no_covariance_is_refused():
    with pytest.raises(ValueError, match="needs a square matrix, but the table has 2 rows and 3 columns"):
        covariance(Table(C[:2], NAMES, None))
    with pytest.raises(ValueError, match=r"needs a symmetric matrix, but the entries of 'a' and 'b' are 1.5 and 1"):
        covariance(Table(C + 0.5 * np.eye(3, k=1), NAMES, None))
    with pytest.raises(ValueError, match="needs the same names for rows and columns, but no column is called 'z'"):
        covariance(Table(C, NAMES, ("a", "b", "z")))
    with pytest.raises(ValueError, match="the diagonal has no positive entry"):
        covariance(Table(np.zeros((2, 2)), ("a", "b"), None))


def test_a_covariance_matrix_is_recognised():
    assert looks_like_covariance(Table(C, NAMES, None))
    assert not looks_like_covariance(Table(C + np.eye(3, k=1), NAMES, None))
    assert not looks_like_covariance(Table(np.ones((5, 3)), NAMES, None))
