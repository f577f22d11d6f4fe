"""The method without parameters: invariant under scaling, never worse than its start."""

import numpy as np
import pytest

import orthoprox as op
from adaptive_cases import DATA, LARGE, X0, scaled
from cases import normal, symmetric
from orthoprox import nonsmooth, smooth, stiefel
from orthoprox.nonsmooth import L1, L21, MCP, Box, Nonnegative
from orthoprox.solvers import Adaptive
from orthoprox.stopping import MaxIterations, Stationary, Status


@pytest.mark.parametrize("k", [-20, -2, 2, 20])
@pytest.mark.parametrize("name", scaled(1.0))
def test_the_iterates_do_not_depend_on_the_scale_of_f(name, k):
    """f -> 2^k f leaves 100 iterates as they are, to 1e-12; k is even where the root of c
    enters.
    """
    solver, one, other = Adaptive(), scaled(1.0)[name], scaled(2.0**k)[name]
    first, second = solver.init(one, X0), solver.init(other, X0)
    for _ in range(100):
        first, second = solver.step(one, first), solver.step(other, second)
        np.testing.assert_allclose(solver.output(second), solver.output(first), atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_no_column_vanishes_where_the_paper_constants_lose_one(seed):
    """The trap of the QP: grad l cannot outweigh mu in a column, which the prox then keeps at 0."""
    rng = np.random.default_rng(seed)
    A, B = op.datasets.random_quadratic(5, 2, seed=rng)
    problem = op.problems.quadratic(A, B, 1.0)
    start = stiefel.random_point(5, 2, seed=rng)
    trapped = op.solve(problem, op.LSALM.paper("quadratic", problem), start, stop=Stationary(1e-5) | MaxIterations(2000))
    assert not trapped.converged
    result = op.solve(problem, Adaptive(), start, stop=Stationary(1e-6) | MaxIterations(2000))
    assert result.converged
    assert np.all(np.linalg.norm(result.X, axis=0) > 0.99)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "rows", "MCP", "own"])
@pytest.mark.parametrize("iterations", [3, 30, 300])
def test_never_worse_than_the_start(name, seed, iterations):
    """Whatever the budget, the projected objective is at most that of the start, and the start is a
    local minimum nearly.
    """
    problem = scaled(1.0)[name]
    best = op.solve(problem, Adaptive(), stiefel.random_point(30, 4, seed=seed), stop=Stationary(1e-4) | MaxIterations(2000))
    start = stiefel.polar(best.X + 1e-3 * normal(seed, 30, 4))
    result = op.solve(problem, Adaptive(), start, stop=Stationary(1e-7) | MaxIterations(iterations))
    assert result.projected_objective <= problem.value(start) + 1e-9 * abs(problem.value(start))


def test_a_run_without_a_better_point_says_so_and_returns_the_start():
    """A gradient of the wrong sign leads upwards: what is handed back is the start."""
    A = symmetric(12, 30)
    uphill = smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, lambda X: -A @ X)
    start = stiefel.polar(np.linalg.eigh(A)[1][:, :4] + 0.05 * normal(13, 30, 4))
    problem = op.Problem(uphill, L1(1e-3), (30, 4))
    result = op.solve(problem, LARGE, start, stop=op.stopping.Below(step=0.0) | MaxIterations(20))
    assert np.array_equal(result.X, start)
    assert result.status is Status.ITERATIONS
    assert "No point better than the start was found; this is the start." in result.message


WARM = {
    "nonnegative": (op.Problem(smooth.Variance(DATA), Nonnegative(), (30, 4)), np.eye(30)[:, :4]),
    "MCP": (op.Problem(smooth.Variance(DATA), MCP(0.3, gamma=2.0), (30, 4)), None),
    "l1": (op.Problem(smooth.Variance(DATA), L1(0.3), (30, 4)), None),
    "square": (op.Problem(smooth.Quadratic(symmetric(37, 10), normal(38, 10, 10)), L21(0.5), (10, 10)), None),
}


@pytest.mark.parametrize("tol", [1e-2, 1e-6])
@pytest.mark.parametrize("name", WARM)
def test_a_warm_start_is_kept_or_improved(name, tol):
    """From a solution, or from inside the domain of an indicator, the run converges, and not to a
    worse point.
    """
    problem, start = WARM[name]
    if start is None:
        start = stiefel.polar(op.minimize(problem, tol=1e-4).X)
    result = op.minimize(problem, start, tol=tol)
    assert result.converged
    assert result.objective <= problem.value(start) + max(tol, 1e-5) * abs(problem.value(start))


@pytest.mark.parametrize("mu", [30.0, 1e3, 1e5])
def test_a_penalty_that_outweighs_everything_is_no_trap(mu):
    """With a huge mu the solution is made of coordinate vectors, and the certificate is as good as
    ever.
    """
    result = op.minimize(op.Problem(smooth.Quadratic(symmetric(14, 20)), L1(mu), (20, 3)))
    assert result.converged
    assert np.sum(result.X != 0) == 3


def test_history_and_parameters_tell_what_happened():
    """Each measurement carries the parameters in force; divergences, step rules and Newton's method
    are seen.
    """
    problem = op.problems.compressed_modes(128, 5, 0.1)
    result = op.solve(
        problem, LARGE, stiefel.random_point(128, 5, seed=0), stop=Stationary(1e-6) | MaxIterations(3000), every=10
    )
    for name in ("rho", "lam", "r", "alpha", "beta", "theta", "step_rule", "divergences", "newton", "nu"):
        assert len(result.history[name]) == len(result.history["iteration"])
    assert np.all(np.diff(result.history["divergences"]) >= 0)
    assert result.parameters["divergences"] == result.history["divergences"][-1]
    assert set(result.history["newton"]) == {0.0, 1.0}
    assert set(result.history["step_rule"]) >= {0.0, 1.0}
    assert np.all((result.history["nu"] > 0) == (result.history["newton"] == 1))


@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "rows", "smooth"])
def test_a_function_without_constants_works_as_well(name):
    """l as a bare function with its gradient needs at most 1.5 times the gradient evaluations of
    the built-in term.
    """
    problem = scaled(1.0)[name]
    counts = []
    for ell in (problem.smooth, smooth.Function(problem.smooth.value, problem.smooth.grad)):
        calls = []

        def grad(X, ell=ell, calls=calls):
            calls.append(1)
            return ell.grad(X)

        counted = op.Problem(_Counted(ell, grad), problem.nonsmooth, problem.shape)
        result = op.solve(counted, Adaptive(), X0, stop=Stationary(1e-6) | MaxIterations(5000))
        assert result.converged
        counts.append(len(calls))
    assert counts[1] <= 1.5 * counts[0]


class _Counted(smooth.Function):
    """A term with counted gradients that knows what the other knows."""

    def __init__(self, ell, grad):
        super().__init__(ell.value, grad)
        if hasattr(ell, "lipschitz"):
            self.lipschitz = ell.lipschitz


def test_budgets_end_a_run_with_a_truthful_status():
    problem = op.problems.compressed_modes(1024, 4, 0.1)
    with pytest.warns(op.ConvergenceWarning, match="iteration budget is used up"):
        assert op.minimize(problem, max_iterations=20).status is Status.ITERATIONS
    with pytest.warns(op.ConvergenceWarning, match="time budget is used up"):
        assert op.minimize(problem, tol=1e-15, max_seconds=0.2).status is Status.TIME


def test_given_parameters_mean_lsalm():
    """Parameters are LSALM's, used as given; without them nothing is to be chosen."""
    problem = scaled(1.0)["sparse_pca"]
    assert isinstance(op.minimize(problem, X0, tol=1e-4).solver, Adaptive)
    assert isinstance(op.minimize(problem, X0, tol=1e-2, beta=0.5).solver, op.LSALM)
    with pytest.raises(TypeError, match=r"'newton' is not an option .* It is one of method='adaptive'"):
        op.minimize(problem, X0, newton=False)


@pytest.mark.parametrize(
    "g", [L1(0.3, bound=0.6), Box(-0.6, 0.6), nonsmooth.SCAD(0.2), nonsmooth.Function(L1(0.3).value, L1(0.3).prox)]
)
def test_terms_with_a_domain_a_bend_or_only_a_prox(g):
    result = op.minimize(op.Problem(smooth.Variance(DATA), g, (30, 4)), X0, tol=1e-5)
    assert result.converged
