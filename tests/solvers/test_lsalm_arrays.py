"""LSALM with arrays of another library, and with batches."""

import array_api_strict as strict
import numpy as np
import pytest

import orthoprox as op
from cases import NONSMOOTH, SHAPE, M, N, normal, symmetric
from orthoprox import stiefel
from orthoprox._arrays.library import to_numpy
from twins import BATCH, COLUMN, equals_stack, every_pair, same


@every_pair
@pytest.mark.parametrize("dual_radius", [None, 0.5])
def test_lsalm_follows_the_standard(pair, dual_radius):
    """Every array of every state, every parameter and every residual is the same for ten steps."""
    problem, twin = pair
    solver = op.LSALM(dual_radius=dual_radius)
    X0 = stiefel.random_point(*SHAPE)
    state, mirror = solver.init(problem, X0), solver.init(twin, strict.asarray(X0))
    assert solver.parameters(mirror) == pytest.approx(solver.parameters(state), rel=1e-12)
    for _ in range(10):
        for name in ("X", "Y", "Z", "G", "D"):
            same(getattr(mirror, name), getattr(state, name))
        old, reflected = state, mirror
        state, mirror = solver.step(problem, old), solver.step(twin, reflected)
        residuals, echoes = solver.residuals(problem, old, state), solver.residuals(twin, reflected, mirror)
        for name, residual in residuals.items():
            same(echoes[name](), residual())


def parameters():
    """A different value of each parameter for each problem of the batch."""
    rng = np.random.default_rng(0)
    scales = {"rho": 5.0, "lam": 0.01, "r": 10.0, "alpha": 5.0, "beta": 0.5, "eps": 1e-3}
    return {name: scale * rng.uniform(0.5, 1.5, BATCH) for name, scale in scales.items()}


@pytest.mark.parametrize("xp", [np, strict], ids=["numpy", "strict"])
@pytest.mark.parametrize("penalty", ["L1", "MCP", "Nonnegative"])
def test_lsalm_runs_batches(xp, penalty):
    """A batch of problems, each with its own data and parameters, takes the steps that each would
    take alone.
    """
    A, B = np.stack([symmetric(k, M) for k in range(BATCH)]), normal(1, BATCH, M, N)
    Y0 = np.stack([symmetric(k, N) for k in range(BATCH)])
    X0 = np.stack([stiefel.random_point(M, N, seed=k) for k in range(BATCH)])
    values, g = parameters(), NONSMOOTH[penalty]

    columns = {name: xp.asarray(v.reshape(COLUMN)) for name, v in values.items()}
    together = op.LSALM(**columns, box=0.5, dual_radius=3.0, Y0=xp.asarray(Y0))
    problem = op.Problem(op.smooth.Quadratic(xp.asarray(A), xp.asarray(B)), g, SHAPE)
    state = together.init(problem, xp.asarray(X0))
    numbers = [{name: v[k] for name, v in values.items()} for k in range(BATCH)]
    alone = [op.LSALM(**given, box=0.5, dual_radius=3.0, Y0=y) for given, y in zip(numbers, Y0, strict=True)]
    problems = [op.Problem(op.smooth.Quadratic(a, b), g, SHAPE) for a, b in zip(A, B, strict=True)]
    states = [solver.init(p, x) for solver, p, x in zip(alone, problems, X0, strict=True)]
    for _ in range(8):
        old, state = state, together.step(problem, state)
        olds, states = states, [solver.step(p, s) for solver, p, s in zip(alone, problems, states, strict=True)]
        for name in ("X", "Y", "Z", "G", "D"):
            equals_stack(to_numpy(getattr(state, name)), [getattr(s, name) for s in states])
        residuals = together.residuals(problem, old, state)
        for name, residual in residuals.items():
            singles = [solver.residuals(p, o, s)[name]() for solver, p, o, s in zip(alone, problems, olds, states, strict=True)]
            equals_stack(to_numpy(residual()), singles)


@pytest.mark.parametrize("xp", [np, strict], ids=["numpy", "strict"])
def test_open_parameters_of_a_batch_are_safe_for_all(xp):
    """Parameters left out follow from those given, problem by problem, also where some have no
    penalty.
    """
    problem = op.Problem(op.smooth.Quadratic(xp.asarray(symmetric(0, M))), op.nonsmooth.L1(0.1), SHAPE)
    rho = np.array([0.0, 1.0, 10.0, 100.0])
    X0 = np.stack([stiefel.random_point(M, N)] * BATCH)
    together = op.LSALM(rho=xp.asarray(rho.reshape(COLUMN)))
    p = together.init(problem, xp.asarray(X0)).p
    for k in range(BATCH):
        single = op.LSALM(rho=rho[k]).init(problem, xp.asarray(X0[k])).p
        for name in ("rho", "lam", "r", "alpha", "eps"):
            assert float(getattr(p, name)[k, 0, 0]) == pytest.approx(getattr(single, name), rel=1e-12)
        assert p.beta == single.beta
