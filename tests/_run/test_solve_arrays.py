"""Whole runs with arrays of another library, and in single precision."""

import array_api_strict as strict
import numpy as np
import pytest

import orthoprox as op
from cases import SHAPE, SOLVERS, nonsmooth_terms, smooth_terms
from orthoprox import stiefel
from orthoprox._arrays.library import to_numpy
from twins import pairs, penalty_for, same


@pytest.mark.parametrize("name", SOLVERS)
def test_solve_follows_the_standard(name):
    """A whole run in a strict library: the same history, the same point, and the point is an array
    of that library.
    """
    problem, twin = pairs()[f"Variance tall + {penalty_for(name)}"]
    X0 = stiefel.random_point(*SHAPE)
    stop = op.stopping.MaxIterations(40)
    result = op.solve(problem, SOLVERS[name], X0, stop=stop)
    echo = op.solve(twin, SOLVERS[name], strict.asarray(X0), stop=stop)
    same(echo.X, result.X)
    same(echo.projected(), result.projected())
    assert echo.iterations == result.iterations
    for column in ("objective", "projected_objective", "feasibility", "stationarity", "sparsity"):
        np.testing.assert_allclose(echo.history[column], result.history[column], rtol=1e-12, atol=1e-12)
    assert "Result of" in repr(echo)
    assert echo.to_dict(arrays=True)["X"] == to_numpy(echo.X).tolist()


@pytest.mark.parametrize("name", SOLVERS)
def test_runs_keep_single_precision(name):
    """float32 data and a float32 start give a float32 point; NumPy numbers as parameters do not
    change that.
    """

    def single(A):
        return A.astype(np.float32)

    problem = op.Problem(smooth_terms(single)["Variance tall"], nonsmooth_terms(single)[penalty_for(name)], SHAPE)
    X0 = single(stiefel.random_point(*SHAPE))
    stop = op.stopping.MaxIterations(10)
    result = op.solve(problem, SOLVERS[name], X0, stop=stop)
    assert result.X.dtype == np.float32
    assert result.multiplier is None or result.multiplier.dtype == np.float32
    numbers = op.LSALM(rho=np.float64(5.0), lam=np.float64(0.005), r=np.float64(10.0), alpha=np.int64(5))
    assert op.solve(problem, numbers, X0, stop=stop).X.dtype == np.float32
