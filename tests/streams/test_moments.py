"""Means and scatter of rows that come in blocks."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from cases import EXAMPLES, SEEDS, normal
from orthoprox.streams import accumulation
from orthoprox.streams.moments import Moments

P, M = 60, 5
KINDS = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix], ids=["dense", "csr", "csc"])


def data(far, seed=0):
    return normal(seed, P, M) + far * np.array([0, 1, -1, 2, 0])


def scatter(A):
    """sum_i (a_i - mean)(a_i - mean)', in extended precision."""
    D = A.astype(np.longdouble) - np.mean(A.astype(np.longdouble), axis=0)
    return (D.T @ D).astype(float)


def added(blocks, **options):
    moments = Moments(M, **options)
    for block in blocks:
        moments = moments.add(block)
    return moments


@KINDS
@pytest.mark.parametrize("far", [0.0, 1e2, 1e4, 1e6])
def test_blocks_have_the_moments_of_all_rows(kind, far):
    """To 1e-15 times mean / sd, in twenty blocks as in one."""
    A = data(far)
    for count in (1, 20):
        moments = added([kind(block) for block in np.array_split(A, count)])
        assert moments.count == P
        np.testing.assert_allclose(moments.mean, np.mean(A, axis=0), rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(moments.scatter, scatter(A), atol=1e-15 * max(far, 10) * P)
        np.testing.assert_allclose(moments.covariance(), scatter(A) / (P - 1), atol=1e-15 * max(far, 10))
        np.testing.assert_allclose(moments.covariance(0), scatter(A) / P, atol=1e-15 * max(far, 10))


@pytest.mark.parametrize("jump", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_whose_mean_moves_keep_their_digits(jump, dtype):
    """Each block is centred by the mean of those before, however far its own is: of what is added
    at most half is subtracted again. The first column, which does not move, and the constant one
    do not suffer from the others.
    """
    blocks = [(normal(k, 4 + k % 3, M) + jump * k * np.array([0, 1, -1, 2, 0]) * (k > 2)).astype(dtype) for k in range(20)]
    for block in blocks:
        block[:, 4] = 0.1
    A, moments = np.concatenate(blocks), added(blocks)
    lengths = np.sqrt(np.diagonal(scatter(A)))
    assert np.all(np.abs(moments.scatter - scatter(A)) <= 1e-14 * np.multiply.outer(lengths, lengths))
    assert lengths[4] == 0


def test_a_large_scatter_is_added_up_in_strips(monkeypatch):
    """With strips of two rows of S, the last one shorter, and three rows of a block at a time."""
    monkeypatch.setattr(accumulation, "_STRIP", 2)
    monkeypatch.setattr(accumulation, "_CACHED", 0)
    monkeypatch.setattr(accumulation, "_LEAST", 3)
    for count in (1, 7):
        moments = added(np.array_split(data(1e3), count))
        np.testing.assert_allclose(moments.scatter, scatter(data(1e3)), atol=1e-12 * P)
        np.testing.assert_array_equal(moments.scatter, moments.scatter.T)


@given(seed=SEEDS, cut=st.integers(1, P - 1))
@EXAMPLES
def test_merging_is_adding(seed, cut):
    """The moments of two parts, merged in either order, are those of the whole."""
    A = data(10.0, seed)
    first, second = added([A[:cut]]), added([A[cut:]])
    for merged in (first.merge(second), second.merge(first)):
        np.testing.assert_allclose(merged.scatter, scatter(A), atol=1e-12)
        np.testing.assert_allclose(merged.mean, np.mean(A, axis=0), atol=1e-14)
        assert merged.count == P


@KINDS
def test_without_cross_terms_the_diagonal_is_kept(kind):
    moments = added([kind(block) for block in np.array_split(data(1e3), 7)], cross=False)
    np.testing.assert_allclose(moments.scatter, np.diagonal(scatter(data(1e3))), rtol=1e-11)
    np.testing.assert_allclose(moments.scale(), np.std(data(1e3), axis=0, ddof=1), rtol=1e-11)
    np.testing.assert_array_equal(moments.squares, moments.scatter)


def test_moments_do_not_change():
    """Adding returns new moments; what was there is as before, and nothing is an identity."""
    first = added([data(0.0)])
    before = first.scatter.copy()
    assert first.add(data(1.0)).count == 2 * P
    np.testing.assert_array_equal(first.scatter, before)
    assert first.merge(Moments(M)) is first
    assert Moments(M).merge(first) is first


def test_moments_go_on_from_stored_ones():
    first, A = added([data(3.0)]), data(1.0, 1)
    again = Moments(M, count=first.count, mean=first.mean.tolist(), scatter=first.scatter.tolist())
    np.testing.assert_array_equal(again.add(A).scatter, first.add(A).scatter)


def test_the_gram_matrix_about_any_center():
    """sum_i (a_i - c)(a_i - c)'."""
    A, c = data(2.0), normal(3, M)
    np.testing.assert_allclose(added([A]).gram(c), (A - c).T @ (A - c), rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(added([A]).gram(0.0), A.T @ A, rtol=1e-12, atol=1e-11)


def test_constant_columns_have_scale_one():
    A = data(0.0)
    A[:, 1] = 0.1
    assert np.flatnonzero(added(np.array_split(A, 9)).scale() == 1).tolist() == [1]
    assert np.all(added([A[:1]]).scale() == 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Moments(M).add(np.ones((2, M + 1))), r"block has shape \(2, 6\); it needs 5 columns"),
        (lambda: Moments(M).add(np.ones((1, 2, M))), r"block has shape \(1, 2, 5\); it needs 5 columns"),
        (lambda: Moments(M).add(np.full((2, M), np.nan)), "block contains NaN"),
        (lambda: Moments(M).add([[1e300] * M, [-1e300] * M]), "so large that their squares overflow; scale it"),
        (lambda: Moments(M).merge(Moments(M + 1)), "other has 6 columns with cross terms, .* 5 columns with"),
        (lambda: Moments(M).merge(Moments(M, cross=False)), "other has 5 columns without cross terms"),
        (lambda: Moments(M).covariance(), "0 rows have no covariance with ddof = 1; add more rows"),
        (lambda: Moments(0), "m = 0"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
