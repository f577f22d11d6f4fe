"""The equations X'X = I in some entries of X."""

import numpy as np
import pytest
import scipy.sparse as sp

from cases import SHAPE, normal, symmetric
from orthoprox import stiefel
from orthoprox._linalg import packed
from orthoprox._linalg.packed import Orthogonality, beside_coordinates


@pytest.fixture(params=["arrays", "sparse arrays"], autouse=True)
def kind(request, monkeypatch):
    """Both ways to keep the equations: as arrays if they are few, or sparse."""
    if request.param == "sparse arrays":
        monkeypatch.setattr(packed, "_DENSE", 0)
    return request.param


def test_few_equations_are_kept_as_arrays(kind):
    _, E = equations()
    assert sp.issparse(E.J) == (kind == "sparse arrays")
    assert E.fill[0] == len(E.pairs[0])


def test_both_ways_solve_the_same_equations(monkeypatch):
    """The same pairs of columns, the same projection."""
    _, E = equations()
    monkeypatch.setattr(packed, "_DENSE", 0)
    _, F = equations()
    for one, two in zip(E.pairs, F.pairs, strict=True):
        np.testing.assert_array_equal(one, two)
    r = E.entries.take(normal(2, *SHAPE))
    np.testing.assert_allclose(E.project(r), F.project(r), atol=1e-13)
    np.testing.assert_allclose(E.multiplier(r, exact=False), F.multiplier(r, exact=False), atol=1e-10)


def equations(seed=0):
    X = stiefel.polar(normal(seed, *SHAPE)) + 1e-3 * normal(seed + 1, *SHAPE)
    X[np.abs(X) < 0.25] = 0.0
    return X, Orthogonality(X, X != 0, 1e-13)


def test_projection_is_orthogonal_and_tangent():
    """V = P(R) vanishes off the mask, sym(X'V) = 0, and R - V is XS in the mask for a symmetric
    S.
    """
    X, E = equations()
    r = E.entries.take(normal(2, *SHAPE))
    V = E.entries.put(E.project(r))
    assert np.all(V[X == 0] == 0)
    assert stiefel.norm(stiefel.sym(X.T @ V)) <= 1e-12
    S = E.multiplier(r)
    np.testing.assert_allclose(E.entries.take(V), r + 2 * E.entries.take(X @ S), atol=1e-12)
    np.testing.assert_array_equal(S, S.T)


def test_restoring_solves_the_linearised_equations():
    """X'V + V'X = -(X'X - I) for all columns that meet, and V is normal: P(V) = 0."""
    X, E = equations()
    v = E.restoring()
    V = E.entries.put(v)
    np.testing.assert_allclose(X.T @ V + V.T @ X, -stiefel.defect(X), atol=1e-10)
    assert stiefel.norm(E.project(v)) <= 1e-12


def test_columns_that_overlap_in_entries_without_a_square_have_no_equation():
    """An entry of 1e-200 in the place of a 0 changes nothing."""
    X = np.array([[1.0, 0.0], [0.0, 0.6], [0.0, 0.8]])
    tiny = X + 1e-200 * (X == 0)
    r = normal(0, 6, 1)
    E, F = (Orthogonality(M, np.full(X.shape, True)) for M in (X, tiny))
    np.testing.assert_allclose(F.project(r), E.project(r), atol=1e-12)
    alone = Orthogonality(np.array([[1.0], [1e-200]]), np.array([[False], [True]]))
    assert np.array_equal(alone.project(r[:1]), r[:1])


def test_products_from_the_right():
    """The entries of VS in the mask."""
    X, E = equations()
    V, S = np.where(X != 0, normal(3, *SHAPE), 0.0), symmetric(4, SHAPE[1])
    np.testing.assert_allclose(E.right(E.entries.take(V), S), E.entries.take(V @ S), atol=1e-13)


def test_the_rows_of_coordinate_vectors_are_cleared():
    """A column with one nonzero leaves nothing for the others in its row; two in one row stay."""
    X = np.array([[1.0, 0.1, 0.2], [0.0, 0.8, 0.3], [0.0, 0.5, 0.9]])
    assert np.array_equal(beside_coordinates(X), [[1.0, 0.0, 0.0], [0.0, 0.8, 0.3], [0.0, 0.5, 0.9]])
    assert X[0, 1] == 0.1
    twice = np.array([[1.0, 1.0, 0.2], [0.0, 0.0, 0.3], [0.0, 0.0, 0.9]])
    assert np.array_equal(beside_coordinates(twice), twice)
    assert np.array_equal(beside_coordinates(np.eye(3)), np.eye(3))
