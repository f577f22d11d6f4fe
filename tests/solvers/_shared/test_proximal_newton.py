"""The Newton step on the entries that no kink is near."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from cases import normal
from orthoprox import smooth, stiefel
from orthoprox.nonsmooth import L1, L21
from orthoprox.nonsmooth.separable import Separable
from orthoprox.solvers import RPNCG
from orthoprox.solvers._shared import proximal_newton
from orthoprox.solvers._shared.proximal_newton import Exit, Projection, newton_step, reach
from orthoprox.solvers._shared.tangent_prox import tangent_prox
from small_problems import PROBLEMS, SPARSE, X0, A, B, run


class ElasticNet(Separable):
    """g(X) = .1 |X|_1 + |X|^2 / 2, whose curvature is 1."""

    def value(self, X):
        return 0.1 * np.sum(np.abs(X)) + np.sum(X * X) / 2

    def prox(self, X, t):
        return L1(0.1).prox(X, t) / (1 + t)

    def prox_derivative(self, X, t):
        J = L1(0.1).prox_derivative(X, t)
        return lambda V: J(V) / (1 + t)

    def interval(self, X):
        lower, upper = L1(0.1).interval(X)
        return lower + X, upper + X


@pytest.mark.parametrize("branch", ["direct", "conjugate gradients"])
@pytest.mark.parametrize("shape", [(12, 3), (9, 1), (20, 8)])
def test_the_projection_is_orthogonal(branch, shape, monkeypatch):
    """W lives on the mask and is tangent, R - W is normal to all such W, and W is its own
    projection.
    """
    monkeypatch.setattr(proximal_newton, "_DIRECT", 10**9 if branch == "direct" else 0)
    X, free = stiefel.random_point(*shape, seed=1), (normal(2, *shape) > -0.5).astype(float)
    project = Projection(op.Problem(smooth.Quadratic(np.eye(shape[0])), L1(0.1), shape), X, free)
    R, other = normal(3, *shape), project(normal(4, *shape))
    W = project(R)
    assert np.all(W[free == 0] == 0)
    assert stiefel.norm(stiefel.sym(X.T @ W)) <= 1e-6
    assert abs(stiefel.inner(R - W, other)) <= 1e-6
    np.testing.assert_allclose(project(W), W, atol=1e-6)
    assert project.products >= 3


def test_columns_without_a_common_row_need_no_equation():
    """Where X S vanishes in the mask the matrix is singular, and the projection still exact."""
    X = np.eye(6, 3)
    problem = op.Problem(smooth.Quadratic(np.eye(6)), L1(0.1), (6, 3))
    free = np.eye(6, 3) + np.eye(6, 3, -3)
    W = Projection(problem, X, free)(np.ones((6, 3)))
    np.testing.assert_allclose(W, np.eye(6, 3, -3), atol=1e-14)


def subproblem(problem, X, t, seed=1):
    D, g = problem.grad(X), problem.nonsmooth
    return D, tangent_prox(g, X, D, t, np.zeros((X.shape[1],) * 2), tol=1e-28, dual=True)


def near(problem):
    """A point near a minimum, and the prox step."""
    state = run(RPNCG(), problem, X0, 200)[-1]
    return stiefel.polar(state.X + 1e-5 * normal(5, *state.X.shape) * (np.abs(state.X) > 1e-8)), state.t0


G = {"L1": L1(0.1), "L21": L21(0.1), "elastic net": ElasticNet()}


@pytest.mark.parametrize("g", G)
def test_a_newton_step_leaves_a_small_part_of_the_error(g):
    """A tenth of |V| is left at polar(X + U), for a g with curvature as well."""
    problem = op.Problem(smooth.Quadratic(A, B), G[g], (20, 3))
    X, t = near(problem)
    D, prox = subproblem(problem, X, t)
    newton = newton_step(problem, X, D, prox, t, unit=1 / (300 * t), near=float(np.linalg.norm(prox.V)))
    after = subproblem(problem, stiefel.polar(X + newton.U), t)[1]
    assert newton.exit in (Exit.LINEAR, Exit.SUPERLINEAR)
    assert 1e-8 < stiefel.norm(prox.V) < 1e-3
    assert stiefel.norm(after.V) <= 0.11 * stiefel.norm(prox.V)


def test_the_newton_step_solves_its_equation():
    """P(B[V] - V/t + (B + g'')[W]) is below its goal; W lives on the free entries; products are
    counted.
    """
    problem = SPARSE
    X, t = near(problem)
    D, prox = subproblem(problem, X, t)
    unit = 1 / (300 * t)
    newton = newton_step(problem, X, D, prox, t, unit=unit, near=float(np.linalg.norm(prox.V)))
    V, W, size = prox.V, newton.U - prox.V, stiefel.norm(prox.V)
    free = (X + V != 0) & (np.abs(X) >= size)
    assert 0 < np.sum(free) < free.size
    assert np.all(W[~free] == 0)
    assert stiefel.norm(stiefel.sym(X.T @ W)) <= 1e-12
    project = Projection(problem, X, free.astype(float))
    first = project(A @ V - 2 * V @ prox.Lam - V / t)
    last = first + project(A @ W - 2 * W @ prox.Lam)
    share = min(0.1, (stiefel.norm(first) / unit) ** 0.5)
    assert stiefel.norm(last) <= 1.001 * share * stiefel.norm(first)
    assert newton.exit == (Exit.LINEAR if share == 0.1 else Exit.SUPERLINEAR)
    assert newton.products >= 2


def test_the_step_is_the_same_from_products_within_the_free_entries(monkeypatch):
    """Of sparse data, whose products on the free entries alone give the step of A'A."""
    monkeypatch.setattr("orthoprox.streams.sparse._MUCH_LESS", 1)
    A = normal(0, 60, 100) * (np.random.default_rng(1).random((60, 100)) < 0.1)
    sparse, X0 = op.smooth.Variance(sp.csr_array(A)), stiefel.random_point(100, 3, seed=0)
    state = run(RPNCG(near="largest"), op.Problem(sparse, L1(2.0), X0.shape), X0, 30)[-1]
    X, steps = stiefel.polar(state.X + 1e-3 * normal(5, 100, 3) * (state.X != 0)), []
    for ell in (sparse, smooth.Quadratic(-2 * A.T @ A)):
        problem = op.Problem(ell, L1(2.0), X.shape)
        D, prox = subproblem(problem, X, state.t0)
        steps.append(newton_step(problem, X, D, prox, state.t0, unit=state.unit, near=reach(L1(2.0), prox.V, "own")))
    assert sparse.columns.within(steps[0].U != prox.V) is not None
    assert steps[0].products == steps[1].products > 2
    np.testing.assert_allclose(steps[0].U, steps[1].U, atol=1e-10)


def test_an_entry_is_near_a_kink_by_its_own_move():
    """|X_ij| > 5 |V_ij| is free, and so is |X_ij| > max |V|, the rule for rows of a group."""
    V = np.array([[1.0, 0.01], [0.0, -0.1]])
    np.testing.assert_allclose(reach(L1(0.1), V, "own"), [[1.0, 0.05], [0.0, 0.5]])
    assert reach(L1(0.1), V, "largest") == reach(L21(0.1), V, "own") == 1.0
    assert reach(L1(0.1), V, "frobenius") == np.linalg.norm(V)


def test_every_early_end_leaves_what_it_says():
    """ASCENT, FLAT and LIMIT leave V alone; a step that ends early is one along which the model
    falls.
    """
    problem, seen = PROBLEMS["compressed_modes"], set()
    for seed in range(6):
        for hybrid in (False, True):
            solver = RPNCG(hybrid=hybrid, far=0.1)
            state = solver.init(problem, stiefel.random_point(*problem.shape, seed=seed))
            for _ in range(50):
                old, state = state, solver.step(problem, state)
                D, X, t = old.here.D, old.X, old.t
                prox = tangent_prox(problem.nonsmooth, X, D, t, old.Lam, tol=1e-20, dual=True)
                newton = newton_step(problem, X, D, prox, t, unit=state.unit, near=float(np.linalg.norm(prox.V)))
                seen.add(newton.exit)
                if newton.exit in (Exit.ASCENT, Exit.FLAT, Exit.LIMIT):
                    np.testing.assert_array_equal(newton.U, prox.V)
                    continue
                U = newton.U
                free = (X + prox.V != 0) & (np.abs(X) >= stiefel.norm(prox.V))
                curvature = np.sum(U * (problem.grad(U) - 2 * U @ prox.Lam)) + 100 * state.unit * np.sum(U[~free] ** 2)
                assert curvature >= 0.0099 * state.unit * np.sum(U * U)
                model = np.sum(D * U) + curvature / 2 + problem.nonsmooth.value(X + U) - problem.nonsmooth.value(X)
                assert model <= 1e-12
    assert seen >= {Exit.LIMIT, Exit.ASCENT, Exit.NEGATIVE, Exit.EARLY, Exit.LINEAR, Exit.SUPERLINEAR}


def test_a_flat_model_gives_no_step():
    """l = 0 has no curvature at all."""
    problem = op.Problem(smooth.Quadratic(np.zeros((20, 20)), B), L1(0.0), (20, 3))
    D, prox = subproblem(problem, X0, 1.0)
    assert (
        newton_step(problem, X0, D, replace(prox, Lam=0 * prox.Lam), 1.0, unit=1e3, near=float(np.linalg.norm(prox.V))).exit
        is Exit.FLAT
    )
