"""The choice between compiled loops and NumPy in a whole call."""

import numpy as np
import pytest

import orthoprox as op
from cases import normal

pytest.importorskip("numba")
PROBLEM = op.problems.sparse_pca(normal(0, 40, 13), 4, 3.0)


def test_both_find_the_same_minimum():
    one, two = (op.minimize(PROBLEM, compiled=compiled) for compiled in (True, False))
    assert one.compiled
    assert not two.compiled
    assert one.objective == pytest.approx(two.objective, rel=1e-9)
    assert one.to_dict()["compiled"] is True


def test_equal_calls_are_equal_bit_for_bit():
    one, two = (op.minimize(PROBLEM, compiled=True) for _ in range(2))
    np.testing.assert_array_equal(one.X, two.X)
    assert one.work == two.work


def test_the_result_says_what_was_used(tmp_path):
    """Nothing is compiled for other methods, nor where there is no loop."""
    assert op.minimize(PROBLEM, "random", compiled=True).compiled
    assert not op.minimize(PROBLEM, "random", compiled=True, method="almssn").compiled
    other = op.Problem(PROBLEM.smooth, op.nonsmooth.L1(3.0, bound=0.9), PROBLEM.shape)
    assert not op.minimize(other, compiled=True).compiled
    result = op.minimize(PROBLEM, compiled=True)
    result.save(tmp_path / "result.npz")
    assert op.Result.load(tmp_path / "result.npz").compiled


def test_compiled_is_true_false_or_none():
    with pytest.raises(TypeError, match="compiled is 'yes'"):
        op.minimize(PROBLEM, compiled="yes")
