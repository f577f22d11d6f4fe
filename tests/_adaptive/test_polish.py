"""Polishing: the last digits on the face of a point, or nothing."""

from dataclasses import dataclass, replace
from functools import cache

import array_api_strict as strict
import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op
from adaptive_cases import memory_of
from cases import normal, symmetric
from orthoprox import stiefel
from orthoprox._adaptive.phase import Verdict
from orthoprox._adaptive.polish import Attempt, Polish, _Model, _newton, _step, polish
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._certify.evaluator import Evaluator
from orthoprox.nonsmooth import L1, L21, MCP, SCAD, Box, Function, Nonnegative, Zero
from orthoprox.smooth import Quadratic, Variance

LASSO = L1(2.0)
BENT = [LASSO, L21(25.0), MCP(1.0, gamma=3.0), SCAD(1.0), Nonnegative(), Box(-0.4, 0.4), Zero()]


@dataclass(frozen=True)
class Rough:
    """A point of low accuracy, as a method leaves it."""

    problem: op.Problem
    X: np.ndarray
    Y: np.ndarray | None
    evaluator: Evaluator

    def kkt_error(self, X, Y):
        return self.evaluator.kkt_error(X, self.evaluator.certify(X, Y))

    def polished(self):
        return polish(self.problem, self.X, self.Y, self.evaluator)


def unpolished(problem, X0, tol):
    rule = op.stopping.Stationary(tol) | op.stopping.MaxIterations(5000)
    return op.solve(problem, op.solvers.Adaptive(newton=False), X0, stop=rule)


@cache
def rough(g, seed=0, tol=1e-5):
    problem = op.Problem(Variance(normal(seed, 40, 20)), g, (20, 4))
    X0 = stiefel.random_point(20, 4, seed=seed)
    result = unpolished(problem, X0, tol)
    assert result.converged
    return Rough(problem, result.X, result.multiplier, Evaluator.at(problem, X0))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("g", BENT, ids=lambda g: type(g).__name__)
def test_polishing_reaches_rounding(g, seed):
    """From 1e-5 to a certificate of 1e-10 and |X'X - I| <= 1e-12, on the kinks exactly; f does not
    rise.
    """
    case = rough(g, seed)
    found = case.polished()
    assert found is not None
    X, Y = found
    assert case.kkt_error(X, Y) <= 1e-10
    assert op.certificate(case.problem, X, multiplier=Y).relative(case.evaluator.floor) <= 1e-10
    assert stiefel.norm(stiefel.defect(X)) <= 1e-12
    np.testing.assert_array_equal(Y, Y.T)
    assert case.problem.value(X) <= case.problem.value(stiefel.polar(case.X)) + 1e-6 * abs(case.problem.value(X))
    assert np.any(~g.face(X).free) == (not isinstance(g, Zero))


def test_polishing_a_smooth_problem_gives_eigenvectors():
    """With g = 0 the columns span an invariant subspace of A'A, to rounding."""
    case = rough(Zero())
    X, _ = case.polished()
    C = case.problem.smooth.A.T @ case.problem.smooth.A
    assert stiefel.norm(C @ X - X @ (X.T @ C @ X)) <= 1e-12 * stiefel.norm(C)
    assert -case.problem.value(X) == pytest.approx(np.sum(np.linalg.eigvalsh(C)[-4:]), rel=1e-14)


def test_what_is_polished_stays():
    """There is nothing left to gain at a polished point, or next to nothing."""
    case = rough(LASSO)
    X, Y = case.polished()
    again = polish(case.problem, X, Y, case.evaluator)
    assert again is None or stiefel.norm(again[0] - X) <= 1e-12


def test_polishing_is_deterministic():
    """The same point gives the same bits."""
    case = rough(LASSO)
    for one, two in zip(case.polished(), case.polished(), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("k", [-40, 40])
def test_the_scale_of_the_problem_does_not_matter(k):
    """From f to 2^k f the polished X is the same, its multiplier 2^k times as large."""
    one, c = rough(LASSO), 2.0**k
    problem = op.Problem(Variance(c**0.5 * one.problem.smooth.A), L1(2.0 * c), one.problem.shape)
    two = Rough(problem, one.X, c * one.Y, Evaluator.at(problem, stiefel.random_point(20, 4, seed=0)))
    (X, Y), (Z, S) = one.polished(), two.polished()
    np.testing.assert_allclose(Z, X, atol=1e-13)
    np.testing.assert_allclose(S / c, Y, atol=1e-11 * stiefel.norm(Y))


def test_a_multiplier_is_not_needed():
    """Where a method has no multiplier one is found."""
    case = rough(LASSO)
    X, Y = polish(case.problem, case.X, None, case.evaluator)
    assert case.kkt_error(X, Y) <= 1e-10


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("noise", [1e-3, 1e-2, 0.1, 1.0])
def test_polishing_never_makes_worse(noise, seed):
    """Far from a solution, with wrong zeros and signs, the point stays or gets a smaller KKT error
    and no larger f.
    """
    case = rough(LASSO, seed)
    X = stiefel.polar(case.X + noise * normal(seed, 20, 4) / 20**0.5)
    case = Rough(case.problem, X, None, case.evaluator)
    found = case.polished()
    if found is not None:
        assert case.kkt_error(*found) < case.kkt_error(X, None)
        f = case.problem.value(X)
        assert case.problem.value(found[0]) <= f + case.kkt_error(X, None) * (
            abs(f) + stiefel.norm(case.problem.smooth.grad(X))
        )


def test_wrong_zeros_become_free():
    """An entry that was put to zero by mistake comes back."""
    case = rough(LASSO, tol=1e-8)
    X, Y = case.polished()
    smallest = np.unravel_index(np.argmin(np.where(X == 0, np.inf, np.abs(X))), X.shape)
    wrong = X.copy()
    wrong[smallest] = 0.0
    case = Rough(case.problem, wrong, Y, case.evaluator)
    assert abs(X[smallest]) > 1e-3
    np.testing.assert_allclose(case.polished()[0], X, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_saddles_are_rejected(seed):
    """Near eigenvectors that are not the leading ones f falls along a direction of negative
    curvature.
    """
    A = normal(0, 40, 12)
    E = np.linalg.eigh(A.T @ A)[1][:, [0, 5, 11]]
    problem = op.Problem(Variance(A), Zero(), (12, 3))
    X = stiefel.polar(E + 1e-6 * normal(seed, 12, 3))
    assert polish(problem, X, None, Evaluator.at(problem, X)) is None


def test_terms_that_do_not_show_their_kinks_are_left_alone():
    """A bare prox has no face, and a batch none of its own."""
    case = rough(LASSO)
    g = Function(case.problem.nonsmooth.value, case.problem.nonsmooth.prox)
    assert polish(op.Problem(case.problem.smooth, g, (20, 4)), case.X, case.Y, case.evaluator) is None
    assert polish(case.problem, np.stack([case.X] * 2), None, case.evaluator) is None


def test_where_nothing_is_free_nothing_happens():
    """In a box that holds all entries there is no step to take."""
    X = np.array([[1.0], [1.0]]) / 2**0.5
    problem = op.Problem(Quadratic(symmetric(0, 2)), Box(X - 1e-9, X), (2, 1))
    assert polish(problem, X, None, Evaluator.at(problem, X)) is None


def test_what_is_far_smaller_than_its_error_is_on_a_kink(monkeypatch):
    """Far from a solution the error says nothing about single entries."""
    reaches, original = [], L1.round_to_kinks
    monkeypatch.setattr(L1, "round_to_kinks", lambda g, X, reach: reaches.append(reach) or original(g, X, reach))
    for tol in (1e-3, 1e-7):
        case = rough(LASSO, tol=tol)
        reaches.clear()
        case.polished()
        error = case.kkt_error(case.X, case.Y)
        assert reaches[:2] == [0.0 if tol == 1e-3 else pytest.approx(0.1 * error), 1e-4]


@pytest.mark.parametrize(("systems", "better"), [(0, False), (1, False), (2, True)])
def test_a_polish_whose_flops_are_used_up_ends_with_its_last_step(systems, better, monkeypatch):
    case, left, original = rough(LASSO), [systems], _Model.equations

    def equations(model, X, mask, damping=0.0):
        left[0] -= 1
        return original(model, X, mask, damping) if left[0] >= 0 else None

    monkeypatch.setattr(_Model, "equations", equations)
    found = case.polished()
    assert (found is not None) == better
    if better:
        assert case.kkt_error(*found) < case.kkt_error(case.X, case.Y)


def test_polishing_in_single_precision():
    """In float32 the result is of float32, and as good as its rounding allows: from eight starts,
    half below 8 epsilon.
    """
    problem, left = op.Problem(Variance(normal(0, 40, 20).astype(np.float32)), L1(2.0), (20, 4)), []
    for seed in range(1, 9):
        X0 = stiefel.random_point(20, 4, seed=seed).astype(np.float32)
        result = unpolished(problem, X0, 1e-4)
        case = Rough(problem, result.X, result.multiplier, Evaluator.at(problem, X0))
        X, Y = case.polished()
        assert X.dtype == Y.dtype == np.float32
        left.append(case.kkt_error(X, Y))
        assert left[-1] <= 5e-6 < case.kkt_error(case.X, case.Y)
    assert np.median(left) <= 1e-6


def test_polishing_keeps_the_library():
    """An array of another library comes back as one of that library, with the same digits."""
    case = rough(LASSO)
    problem = op.Problem(Variance(strict.asarray(case.problem.smooth.A)), L1(2.0), (20, 4))
    X0, X, Y = (strict.asarray(M) for M in (stiefel.random_point(20, 4, seed=0), case.X, case.Y))
    for found, expected in zip(polish(problem, X, Y, Evaluator.at(problem, X0)), case.polished(), strict=True):
        assert isinstance(found, type(X))
        np.testing.assert_allclose(np.from_dlpack(found), expected, atol=1e-10)


def test_a_large_sparse_run_is_polished_on_the_way():
    """Far fewer iterations than the tolerance would take, and no digit is missing."""
    problem = op.problems.sparse_pca(op.datasets.five_components(300, 240, seed=0), 120, 0.5)
    X0 = op.starts.coordinates(problem, np.random.default_rng(0))
    rule = op.stopping.Stationary(1e-11) | op.stopping.MaxIterations(2000)
    result = op.solve(problem, op.solvers.Adaptive(), X0, stop=rule, history=False)
    assert result.converged
    assert result.iterations < op.minimize(problem, X0, tol=1e-6, method=op.solvers.Adaptive(newton=False)).iterations


@pytest.mark.parametrize("entries", [0, 200], ids=["column by column", "matrix"])
@pytest.mark.parametrize("g", [L1(0.5), MCP(0.5)], ids=["l1", "mcp"])
def test_the_curvature_is_the_same_from_a_matrix_and_from_gradients(g, entries, monkeypatch):
    """With g'', the multiplier and the shift, which a large scale of the gradient shows."""
    monkeypatch.setattr("orthoprox._adaptive.polish.SMALL", replace(SMALL, decomposed=entries))
    X, Y = np.where(np.random.default_rng(0).random((20, 8)) < 0.15, normal(1, 20, 8), 0.0), symmetric(5, 8)
    ell = op.smooth.Quadratic(symmetric(2, 20), normal(3, 20, 8))
    products = []
    for smooth in (ell, op.smooth.Function(ell.value, ell.grad)):
        model = _Model(SETTINGS, op.Problem(smooth, g, X.shape), g, like=X, floor=1e7)
        face = model.face(X)
        equations = model.equations(X, face.free, 1e-10)
        v, H = normal(4, len(equations.entries), 1), model.curved(X, ell.grad(X), face, equations, Y)
        products.append(H(v) if callable(H) else H @ v)
    assert np.sum(np.count_nonzero(X, axis=0) ** 2) <= X.size  # few enough for the matrix
    np.testing.assert_allclose(*products, rtol=1e-5, atol=1e-6)


def test_entries_beside_a_coordinate_vector_do_not_slow_newton_down(monkeypatch):
    """Orthogonality makes them zero; as unknowns they are a double root, twenty steps away."""
    B, calls = np.array([[3.0, 1.5, 0.5], [1.5, 2.5, 1.0], [0.5, 1.0, 2.0]]), []
    A = np.block([[np.full((1, 1), 5.0), np.zeros((1, 6))], [np.zeros((6, 1)), np.kron(np.eye(2), B)]])
    problem = op.Problem(Quadratic(-A), L1(0.1), (7, 3))
    result = op.minimize(problem)
    assert np.count_nonzero(result.X[0]) == np.count_nonzero(result.X[:, 0]) == 1
    X = np.array(result.X)
    X[0, 1:] = 1e-3
    monkeypatch.setattr("orthoprox._adaptive.polish._step", lambda *given, **k: calls.append(1) or _step(*given, **k))
    Z, _ = _newton(_Model(SETTINGS, problem, problem.nonsmooth, like=X, floor=0.0), X, result.multiplier)
    assert len(calls) <= 2
    assert not np.any(Z[0, 1:])
    np.testing.assert_allclose(Z, result.X, atol=1e-12)


def test_a_product_with_sparse_data_costs_what_meets_free_entries():
    A, X = sp.csr_array(np.eye(200, 300)), np.eye(300, 3)
    costs = []
    for ell in (op.smooth.Variance(A), op.smooth.Variance(A.toarray())):
        model = _Model(SETTINGS, op.Problem(ell, L1(0.5), X.shape), L1(0.5), like=X, floor=1.0)
        costs.append(model.product(model.equations(X, X != 0), X != 0))
    assert costs[1] - costs[0] == SETTINGS.sparse * X.size - 12 * 3


class Named(op.smooth.Function):
    """A user's term, whose columns have names."""

    columns = "a", "b", "c"


@pytest.mark.parametrize("shape", [(30, 3), (900, 4)])
def test_what_a_users_term_calls_its_columns_is_its_own_business(shape):
    A = normal(0, 50, shape[0])
    ell = Named(lambda X: -np.sum((A @ X) ** 2), lambda X: -2 * A.T @ (A @ X))
    assert op.minimize(op.Problem(ell, L1(20.0), shape), effort="fast").converged


def test_the_work_of_a_polish_is_bounded():
    """Without a budget nothing is found, and the point stays."""
    case = rough(LASSO)
    assert polish(case.problem, case.X, case.Y, case.evaluator, replace(SETTINGS, polish=0)) is None


# --- the phase ---


def attempt(case):
    """The first state of the phase at a rough point."""
    memory = replace(memory_of(case.problem, case.X), step=case.evaluator.step, floor=case.evaluator.floor, polish_at=1e-3)
    return Attempt(replace(memory.start, Y=case.Y), memory)


def test_a_polish_is_one_step_to_what_the_function_finds():
    """With a multiplier, grad l and a subgradient of g that belong to the point; no other polish is
    due.
    """
    case, phase = rough(LASSO), Polish(SETTINGS)
    old = attempt(case)
    new = phase.step(case.problem, phase.start(case.problem, old.point, old.memory))
    assert phase.verdict(case.problem, old, new) is Verdict.GOING  # it is shown first
    assert phase.step(case.problem, new) is new
    assert phase.verdict(case.problem, new, new) is Verdict.POLISHED
    assert (new.memory.polish_at, new.failed) == (0.0, "")
    for found, expected in zip(phase.output(new), case.polished(), strict=True):
        np.testing.assert_array_equal(found, expected)
    point = phase.point(case.problem, new)
    np.testing.assert_array_equal(point.D, case.problem.smooth.grad(point.X))
    assert np.all(np.abs(point.S) <= LASSO.mu * (1 + 1e-12))
    assert phase.residuals(new)[0] <= 1e-12


def test_a_polish_that_finds_nothing_leaves_the_point_as_it_is():
    case, phase = rough(LASSO), Polish(replace(SETTINGS, polish=0))
    old = attempt(case)
    new = phase.step(case.problem, old)
    assert new is old
    assert phase.verdict(case.problem, old, new) is Verdict.REFUSED
