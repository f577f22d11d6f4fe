"""Every method with functions of the user's own that misbehave in the middle of a run."""

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

import orthoprox as op
from cases import SMOOTH_ONLY, SOLVERS, symmetric
from orthoprox.nonsmooth import L1, Function, Zero
from orthoprox.stopping import MaxIterations, Stationary, Status

C, PENALTY, X0 = symmetric(0, 8), L1(0.3), op.stiefel.random_point(8, 2, seed=1)


def raises(found, X):
    raise RuntimeError("out of luck")


def changes(found, X):
    X[:] = 7.0
    return found


MISTAKES = {
    "NaN": lambda found, X: np.nan * found,
    "infinite": lambda found, X: np.inf * found,
    "nothing": lambda found, X: None,
    "another shape": lambda found, X: np.zeros(3),
    "an exception": raises,
    "a changed argument": changes,
}


class Sometimes:
    """A function that makes a mistake at each k-th call, but for the first ones."""

    def __init__(self, function, mistake, k):
        self.function, self.mistake, self.k, self.calls = function, mistake, k, 0

    def __call__(self, X, *more):
        self.calls += 1
        found = self.function(X, *more)
        return self.mistake(found, X) if self.calls > 4 and self.calls % self.k == 0 else found


def problem(who, mistake, k, *, smooth_only):
    functions = {
        "value of l": lambda X: float(np.sum(X * (C @ X)) / 2),
        "gradient": lambda X: C @ X,
        "value of g": lambda X: float(PENALTY.value(X)),
        "prox": lambda X, t: PENALTY.prox(X, t),
    }
    functions[who] = Sometimes(functions[who], mistake, k)
    ell = op.smooth.Function(functions["value of l"], functions["gradient"])
    if who in ("value of l", "gradient"):
        return op.Problem(ell, Zero() if smooth_only else PENALTY, (8, 2))
    return op.Problem(ell, Function(functions["value of g"], functions["prox"]), (8, 2))


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("who", ["value of l", "gradient", "value of g", "prox"])
@pytest.mark.parametrize("name", [name for name in SOLVERS if " " not in name])
def test_a_run_ends_with_a_true_status_and_a_finite_point(name, who, mistake):
    solver = SOLVERS[name]
    if who in ("value of g", "prox") and solver.needs:  # which a function of one's own does not have
        return
    for k in (5, 23):
        start = X0.copy()
        what = problem(who, MISTAKES[mistake], k, smooth_only=name in SMOOTH_ONLY)
        result = op.solve(what, solver, start, stop=Stationary(1e-6) | MaxIterations(12))
        assert np.all(np.isfinite(result.X))
        assert result.X.shape == start.shape
        np.testing.assert_array_equal(start, X0)
        assert result.status is not Status.CONVERGED or abs(result.objective) < np.inf
        if mistake == "a changed argument":
            assert result.status in (Status.CONVERGED, Status.ITERATIONS)


def test_a_reused_buffer_changes_nothing():
    """A gradient that writes into the same array each time."""
    buffer = np.empty((8, 2))
    value = lambda X: float(np.sum(X * (C @ X)) / 2)  # noqa: E731
    results = [
        op.minimize(op.Problem(op.smooth.Function(value, grad), PENALTY, (8, 2)), X0)
        for grad in (lambda X: C @ X, lambda X: np.matmul(C, X, out=buffer))
    ]
    np.testing.assert_array_equal(results[0].X, results[1].X)


def test_a_mistake_at_the_first_call_is_the_users_to_see():
    def broken(X):
        raise RuntimeError("out of luck")

    what = op.Problem(op.smooth.Function(lambda X: 0.0, broken), PENALTY, (8, 2))
    for call in (lambda: op.minimize(what), lambda: op.solve(what, op.LSALM(), X0)):
        with pytest.raises(RuntimeError, match="out of luck"):
            call()


def test_the_message_says_what_went_wrong():
    what = problem("gradient", raises, 9, smooth_only=False)
    with pytest.warns(op.ConvergenceWarning, match="gradient of the smooth term Function raised RuntimeError: out of luck"):
        result = op.minimize(what, X0)
    assert result.status is Status.FAILED


@pytest.mark.parametrize("calls", [10, 60])
@pytest.mark.parametrize("name", ["adaptive", "lsalm", "manpg"])
def test_an_operator_that_raises_ends_the_run(name, calls):
    seen = []

    def product(M):
        def multiply(v):
            seen.append(1)
            if len(seen) > calls:
                raise RuntimeError("out of luck")
            return M @ v

        return multiply

    operator = LinearOperator(C.shape, matvec=product(C), rmatvec=product(C.T), dtype=float)
    with pytest.warns(op.ConvergenceWarning, match="operator A raised RuntimeError: out of luck"):
        result = op.minimize(op.problems.sparse_pca(operator, 2, 0.3), X0, method=name)
    assert result.status is Status.FAILED
    assert np.all(np.isfinite(result.X))


class Raising(L1):
    """A penalty whose further abilities fail."""

    def prox_derivative(self, X, t):
        raise RuntimeError("out of luck")

    def min_norm_subgradient(self, X, W):
        raise RuntimeError("out of luck")


@pytest.mark.parametrize("name", ["adaptive", "manpg", "almssn", "rpg", "rpn-cg"])
def test_an_ability_that_raises_ends_the_run(name):
    what = op.Problem(op.smooth.Quadratic(C), Raising(0.3), (8, 2))
    with pytest.warns(op.ConvergenceWarning, match="of Raising raised RuntimeError"):
        result = op.minimize(what, X0, method=name)
    assert result.status is Status.FAILED
    assert np.all(np.isfinite(result.X))
