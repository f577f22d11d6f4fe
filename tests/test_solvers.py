"""Every method on every problem that it can take: what it returns, what it costs, and the facts it rests on."""

import signal
from dataclasses import fields, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import orthoprox as op
from cases import SMOOTH_ONLY, SOLVERS, normal
from orthoprox import nonsmooth, smooth, stiefel
from orthoprox.moreau import envelope
from orthoprox.nonsmooth import L1, L21, Zero
from orthoprox.solvers import (
    PAMAL,
    PCAL,
    PLAM,
    RADMM,
    RGD,
    RSM,
    SOC,
    Adaptive,
    Dissolving,
    Landing,
    ManPG,
    ManPGAda,
    SmoothingRGD,
    _semismooth,
    base,
)
from orthoprox.stiefel import defect, inner, norm, polar, random_point, sym, tangent
from orthoprox.stopping import Leaves, MaxIterations, Stationary, Status

A, B = op.datasets.random_quadratic(20, 3, seed=0)
ELL = smooth.Quadratic(A, B)
X0 = random_point(20, 3, seed=1)
SMOOTH = op.Problem(ELL, Zero(), (20, 3))
SPARSE = op.Problem(ELL, L1(0.1), (20, 3))


def spread(seed, m, eigenvalues):
    """A symmetric matrix with the given eigenvalues and random eigenvectors."""
    Q = np.linalg.qr(normal(seed, m, m))[0]
    return sym((Q * eigenvalues) @ Q.T)


def locked(X):
    """X, which nobody can change any more."""
    X.flags.writeable = False
    return X


def run(solver, problem, start, steps):
    """The states of a run, the first one included."""
    states = [solver.init(problem, start)]
    for _ in range(steps):
        states.append(solver.step(problem, states[-1]))
    return states


# --- the grid ---------------------------------------------------------------------------------------------------------

PROBLEMS = {
    "sparse_pca": op.problems.sparse_pca(op.datasets.five_components(50, 20), 3, 0.3),
    "quadratic": SPARSE,
    "compressed_modes": op.problems.compressed_modes(24, 3, 0.1),
    "L21": op.Problem(ELL, L21(0.1), (20, 3)),
    "Zero": SMOOTH,
    "MCP": op.Problem(ELL, nonsmooth.MCP(0.1), (20, 3)),
    "Nonnegative": op.Problem(smooth.Variance(np.abs(normal(0, 30, 20))), nonsmooth.Nonnegative(), (20, 3)),
    "Function": op.Problem(ELL, nonsmooth.Function(L1(0.1).value, L1(0.1).prox), (20, 3)),
}
TAKES = {"manpg": ["sparse_pca", "quadratic", "compressed_modes", "L21", "Zero"]}  # the others need more than they show
TAKES |= {"manpg-ada": TAKES["manpg"], "rsm": [*TAKES["manpg"], "MCP", "Nonnegative"]}
TAKES |= {"dissolving": TAKES["rsm"]}
TAKES |= {name: ["Zero"] for name in SMOOTH_ONLY}
GRID = [(name, problem) for name in SOLVERS for problem in TAKES.get(name, TAKES.get(name.split()[0], PROBLEMS))]
REFUSED = [(name, problem) for name in SOLVERS for problem in PROBLEMS if (name, problem) not in GRID]


OUTSIDE = ("rsm", "dissolving", "smoothing-rgd")  # whose X has signs of both kinds, but in the limit at best


@pytest.mark.parametrize(
    ("name", "problem"), [row for row in GRID if not (row[0].startswith(OUTSIDE) and row[1] == "Nonnegative")]
)
def test_every_method_improves_every_problem_it_takes(name, problem):
    """The point is on the manifold and better than the start; every number belongs to it; the same run gives the same point."""
    solver, problem = SOLVERS[name], PROBLEMS[problem]
    start, stop = locked(random_point(*problem.shape, seed=1)), Stationary(1e-6) | MaxIterations(400)
    seen = []

    def look(now):
        if now.iteration:
            seen.append({residual: float(value()) for residual, value in now.residuals.items()})

    result = op.solve(problem, solver, start, stop=stop, callback=look)
    X = result.projected() if solver.facts.retraction_free or isinstance(solver, Adaptive) else result.X
    assert norm(defect(X)) <= 1e-12
    assert np.isfinite(problem.value(X))
    assert problem.value(X) < problem.value(start)

    assert len(seen) == result.iterations
    assert all({"step", "constraint", "prox"} <= row.keys() for row in seen)
    assert all(0 <= value < np.inf for row in seen for value in row.values())

    assert {len(column) for column in result.history.values()} == {len(result.history["iteration"])}
    assert np.all(np.diff(result.history["iteration"]) > 0)
    for name in ("objective", "projected_objective", "feasibility", "sparsity"):
        assert result.history[name][-1] == getattr(result.measurement, name)
    assert result.iterations == result.history["iteration"][-1]

    again = op.solve(problem, solver, start, stop=stop)
    assert again.iterations == result.iterations
    np.testing.assert_array_equal(again.X, result.X)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_front_door_knows_every_method(name):
    """minimize(method=...) takes a registered name or an instance; the multiplier and the parameters are reported."""
    method = name if name in op.SOLVERS else SOLVERS[name]
    result = op.minimize(SMOOTH, method=method, seed=2, stop=MaxIterations(3) & op.stopping.Below(step=1e9) | MaxIterations(9))
    assert type(result.solver) is type(SOLVERS[name])
    assert result.parameters
    assert all(isinstance(value, float) for value in result.parameters.values())
    assert result.multiplier is None or np.array_equal(result.multiplier, result.multiplier.T)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 1), (20, 20)])
@pytest.mark.parametrize("name", SOLVERS)
def test_border_shapes_and_empty_data(name, shape):
    """One row, one column, square X; data that are zero, a linear part alone: finite points and finite bounds."""
    data, linear, nothing = normal(1, 8, shape[0]), np.ones(shape), np.zeros((shape[0], shape[0]))
    terms = [smooth.Variance(data), smooth.Quadratic(data.T @ data, linear), smooth.Quadratic(nothing)]
    for ell in (*terms, smooth.Quadratic(nothing, linear)):
        for g in [Zero()] if name in SMOOTH_ONLY else [Zero(), L1(0.1), L21(0.1)]:
            result = op.solve(op.Problem(ell, g, shape), SOLVERS[name], random_point(*shape), stop=MaxIterations(4))
            assert result.status is Status.ITERATIONS
            assert np.all(np.isfinite(result.X))
            assert np.isfinite(result.certificate.upper)


@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "soc"])  # its multipliers have to be found first
def test_a_stationary_start_is_kept(name):
    """At the eigenvectors of A nothing moves, and no division by a step of length 0 makes NaN."""
    Q = np.linalg.eigh(A)[1][:, :3]
    problem = op.Problem(smooth.Quadratic(A), Zero(), (20, 3))
    state = run(SOLVERS[name], problem, Q, 20)[-1]
    np.testing.assert_allclose(SOLVERS[name].output(state), Q, atol=1e-6)


ABSOLUTE = {"manpg published", "rsm diminishing", "plam fixed", "pcal fixed"}  # whose constants have a unit


@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in ABSOLUTE])
def test_scaling_the_objective_changes_nothing(name):
    """f -> c f with c a power of four leaves the iterates as they are: defaults and inner rules have no unit."""
    data, points = op.datasets.five_components(50, 20), []
    for root in (1.0, 2.0**-10, 2.0**10):
        g = Zero() if name in SMOOTH_ONLY else L1(0.3 * root**2)
        problem = op.Problem(smooth.Variance(root * data), g, (20, 3))
        points.append(SOLVERS[name].output(run(SOLVERS[name], problem, X0, 30)[-1]))
    for point in points[1:]:
        np.testing.assert_allclose(point, points[0], atol=1e-6)


class Untouchable:
    """A smooth term that must not be evaluated."""

    def __call__(self, X):
        raise AssertionError("work was done before the abilities were checked")


SENTENCES = {
    "smooth": "{} needs a smooth objective; {} is not smooth",
    "derivative": "{} needs the derivative of a prox; {} does not provide one",
    "subgradient": "{} needs a subgradient of g; {} does not provide one",
}


@pytest.mark.parametrize(("name", "problem"), REFUSED)
def test_what_a_method_cannot_do_is_said_before_any_work(name, problem):
    """The sentence names the method, what it needs and the term that lacks it; no term is evaluated."""
    solver, g = SOLVERS[name], PROBLEMS[problem].nonsmooth
    untouchable = op.Problem(smooth.Function(Untouchable(), Untouchable()), g, PROBLEMS[problem].shape)
    kind = "smooth" if name in SMOOTH_ONLY else "subgradient" if isinstance(solver, (RSM, Dissolving)) else "derivative"
    sentence = SENTENCES[kind].format(solver.facts.name, type(g).__name__)
    with pytest.raises(TypeError, match=f"^{sentence}. Choose another method.$"):
        op.solve(untouchable, solver, random_point(*untouchable.shape))


def test_the_grid_is_not_empty_on_either_side():
    """Every method takes g = 0, and every smooth method and ManPG refuse something."""
    assert {name for name, problem in GRID if problem == "Zero"} == set(SOLVERS)
    assert SMOOTH_ONLY < {name for name, _ in REFUSED}
    assert {"manpg", "rsm"} < {name for name, _ in REFUSED}


# --- agreement --------------------------------------------------------------------------------------------------------

EXACT = [name for name in SOLVERS if name.split()[0] != "rsm" and name.split()[-1] not in ("fixed", "published")]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", [0, 1])
def test_without_g_the_eigenvalue_sum_is_reached(name, seed):
    """min tr(X'AX)/2 is half the sum of the n smallest eigenvalues, from a random start and at the defaults."""
    w = np.sort(np.random.default_rng(seed).uniform(-1, 1, 40))
    w[4:] += max(0.0, 0.1 - (w[4] - w[3]))
    problem = op.Problem(smooth.Quadratic(spread(seed, 40, w)), Zero(), (40, 4))
    result = op.minimize(problem, method=name if name in op.SOLVERS else SOLVERS[name], seed=seed)
    assert result.converged
    assert result.projected_objective == pytest.approx(w[:4].sum() / 2, rel=1e-6)


SHIFTS = {"convex": (0.8, 1.0, 0.2), "concave": (-1.0, -0.5, 0.2), "mostly linear": (-1.0, 1.0, 1.0), "linear": (0.0, 0.0, 0.2)}


@pytest.mark.parametrize(
    "name", ["manpg", "manpg-ada", "radmm", "smoothing-rgd", "dissolving", "rgd", "plam", "pcal", "landing"]
)
@pytest.mark.parametrize("case", SHIFTS)
def test_defaults_bear_a_linear_part(name, case):
    """Penalties and steps follow the gradient where a linear part makes it larger than the curvature says."""
    low, high, size = SHIFTS[case]
    linear = size * normal(1, 20, 3)
    problem = op.Problem(smooth.Quadratic(spread(0, 20, np.linspace(low, high, 20)), linear), Zero(), (20, 3))
    best = op.minimize(problem, method="rgd", seed=3).objective
    assert op.minimize(problem, method=name, seed=3, max_iterations=5000).projected_objective == pytest.approx(best, rel=1e-5)


# --- counting ---------------------------------------------------------------------------------------------------------


class Counter(dict):
    """What was done since the last look."""

    def add(self, what):
        self[what] = self.get(what, 0) + 1

    def take(self):
        done = dict(self)
        self.clear()
        return done


class CountedQuadratic(smooth.Quadratic):
    """A quadratic that counts its evaluations (with or without the value) and its resolvents."""

    def __init__(self, count, *data):
        super().__init__(*data)
        self.count = count

    def value(self, X):
        self.count.add("gradient")
        return super().value(X)

    def grad(self, X):
        self.count.add("gradient")
        return super().grad(X)

    def value_and_grad(self, X):
        self.count.add("gradient")
        return super().value_and_grad(X)

    def resolvent(self, c):
        return self._counted(super().resolvent(c))

    def resolvents(self):
        family = super().resolvents()
        return lambda c: self._counted(family(c))

    def _counted(self, solve):
        def counted(R):
            self.count.add("resolvent")
            return solve(R)

        return counted


def counted_prox(kind, count):
    """A term of the given kind whose proxes are counted."""

    class Counted(kind):
        def prox(self, X, t):
            count.add("prox")
            return super().prox(X, t)

    return Counted


class Watched(np.ndarray):
    """A matrix whose products X'W and XS are counted."""

    count, shape_of_x = Counter(), None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        plain = [value.view(np.ndarray) if isinstance(value, Watched) else value for value in inputs]
        if ufunc is np.matmul:
            m, n = self.shape_of_x
            shapes = tuple(value.shape for value in plain)
            self.count.add({((n, m), (m, n)): "gram", ((m, n), (n, n)): "right"}.get(shapes, "other"))
        result = getattr(ufunc, method)(*plain, **options)
        return result.view(Watched) if isinstance(result, np.ndarray) else result


def counting(solver, monkeypatch):
    """A problem for the method, its start, and the count of whatever is done."""
    count = Counter()
    retractions = {name: counted_retraction(count, retract) for name, retract in stiefel.RETRACTIONS.items()}
    monkeypatch.setattr(stiefel, "polar", retractions["polar"])
    for name, retract in retractions.items():
        monkeypatch.setitem(stiefel.RETRACTIONS, name, retract)
    monkeypatch.setattr(Watched, "count", count)
    monkeypatch.setattr(Watched, "shape_of_x", (20, 3))
    g = counted_prox(Zero, count)() if base.SMOOTH in solver.needs else counted_prox(L1, count)(0.1)
    return op.Problem(CountedQuadratic(count, A - 0.9 * np.eye(20), B), g, (20, 3)), X0.view(Watched), count


def counted_retraction(count, retract):
    """The retraction, counted as one operation: the products inside are its own."""

    def counted(X):
        count.add("polar")
        return retract(X.view(np.ndarray)).view(Watched)

    return counted


def eventful(old, new):
    """Whether a step of the adaptive method did more than walk: measure the pull, compare f with the start, recover."""
    measured = new.lsalm.watch.iterations % 20 == 0
    return measured or new.newton is not None or (old.losses, old.settled) != (new.losses, new.settled)


COUNTED = SOLVERS | {"pamal accurate": PAMAL(accuracy=0.5), "smoothing-rgd rough": SmoothingRGD(accuracy=0.5, factor=1e-3)}


@pytest.mark.parametrize("name", COUNTED)
def test_an_iteration_costs_what_the_facts_say(name, monkeypatch):
    """Gradients, proxes, polar factors, resolvents and products of a step, and none more for its residuals."""
    solver = COUNTED[name]
    work, per = dict(solver.facts.work), solver.facts.per
    problem, start, count = counting(solver, monkeypatch)
    state = solver.init(problem, start)
    count.take()
    most, changes = 1, 0
    for _ in range(12):
        old, state = state, solver.step(problem, state)
        for residual in ("step", "constraint", "prox"):
            float(solver.residuals(problem, old, state)[residual]())
        done = count.take()
        if isinstance(solver, Adaptive) and eventful(old, state):
            continue
        if per == "iteration":
            done.pop("other", 0)  # the term's own products, and the multiplier's
            assert done == work
            continue
        times = state.trials if per == "trial" else state.cycles
        most = max(most, times)
        for what in ("gradient", "polar", "resolvent"):
            assert done.get(what, 0) == times * work.get(what, 0)
        finer = isinstance(solver, SmoothingRGD) and solver.rule == "two-phase" and state.nu < old.nu  # one more direction
        changes += finer
        proxes = state.proxes if isinstance(solver, (ManPG, ManPGAda)) else times * work.get("prox", 0) + finer
        assert done.get("prox", 0) == proxes
        if isinstance(solver, (RGD, SmoothingRGD)):  # the direction is the same for all trials
            assert (done["gram"], done["right"]) == (work["gram"] + finer, work["right"] + finer)
        if isinstance(solver, Dissolving):
            assert (done["gram"], done["right"]) == (times * work["gram"], times * work["right"])
    assert most > 1 or name not in ("rgd", "pamal accurate", "smoothing-rgd rough", "dissolving lbfgs")  # put to the test
    assert 0 < changes < 12 or name != "smoothing-rgd rough"


def test_without_a_resolvent_five_gradient_steps_serve():
    """Where l is not quadratic, one iteration of SOC costs five gradients instead of a linear solve."""
    count = Counter()
    quadratic = CountedQuadratic(count, A, B)
    problem = op.Problem(smooth.Function(quadratic.value, quadratic.grad), L1(0.1), (20, 3))
    state = SOC().init(problem, X0)
    count.take()
    SOC().step(problem, state)
    assert count.take() == {"gradient": 5}


@pytest.mark.parametrize("name", SOLVERS)
def test_facts_are_complete(name):
    """Every method says what it is; operations have known names; the table's columns are filled."""
    facts = SOLVERS[name].facts
    assert facts.per in ("iteration", "trial", "cycle")
    assert set(facts.work) <= {"gradient", "prox", "polar", "resolvent", "gram", "right"}
    assert all(type(count) is int and count > 0 for count in facts.work.values())
    assert facts.retraction_free == ("polar" not in facts.work and not isinstance(SOLVERS[name], Adaptive))
    assert facts.nonsmooth == (base.SMOOTH not in type(SOLVERS[name])().needs)
    assert facts.single_loop == (not isinstance(SOLVERS[name], (Adaptive, ManPG, ManPGAda, SOC, PAMAL)))
    assert facts.complexity == "" or facts.complexity.startswith("O(eps^-")


# --- theory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_safe_step_of_landing_is_safe(seed):
    """|X'X - I|_F <= 1/2 at every iterate, even with a step of 100 / L; and the bound is nearly reached."""
    problem = op.Problem(smooth.Quadratic(spread(seed, 20, np.linspace(-1, 1, 20)), normal(seed, 20, 3)), Zero(), (20, 3))
    states = run(Landing(step_size=100.0), problem, random_point(20, 3, seed=seed), 200)
    distances = [norm(state.G) for state in states]
    assert max(distances) <= 0.5 * (1 + 1e-12)
    assert max(distances) > 0.2


def test_the_landing_field_has_orthogonal_parts():
    """field = skew(D X')X + lam X(X'X - I), and its two parts are orthogonal at every X."""
    for state in run(Landing(attraction=0.7), SMOOTH, X0, 5)[1:]:
        X, D = state.X, A @ state.X + B
        relative, attraction = (D @ X.T - X @ D.T) @ X / 2, X @ (X.T @ X - np.eye(3))
        np.testing.assert_allclose(state.field, relative + 0.7 * attraction, atol=1e-13)
        assert abs(inner(relative, attraction)) <= 1e-14


@pytest.mark.parametrize("trial", ["grow", "restart"])
@pytest.mark.parametrize("retraction", ["polar", "qr"])
def test_rgd_descends(trial, retraction):
    """l(X+) <= l(X) - decrease t |xi|^2 with t the accepted step, on the manifold; l never rises."""
    solver = RGD(trial=trial, retraction=retraction, step_size=30.0, decrease=0.3)
    states = run(solver, SMOOTH, X0, 60)
    for old, new in pairwise(states):
        t = (30.0 if trial == "restart" else old.t) * 0.5 ** (new.trials - 1)
        assert new.f == pytest.approx(ELL.value(new.X), rel=1e-13)
        assert new.f <= old.f - 0.3 * t * norm(old.xi) ** 2 + 1e-13
        assert norm(defect(new.X)) <= 1e-13
    assert states[1].trials > 1


def test_barzilai_borwein_steps_undercut_the_average():
    """l(X^k+1) <= C_k, the average of Zhang and Hager, which itself never rises; single values may."""
    states = run(
        RGD(trial="barzilai-borwein"),
        op.Problem(smooth.Quadratic(spread(0, 20, np.linspace(-1, 1, 20))), Zero(), (20, 3)),
        X0,
        40,
    )
    f, C = np.array([state.f for state in states]), np.array([state.C for state in states])
    assert np.all(f[1:] <= C[:-1] + 1e-13)
    assert np.all(np.diff(C) <= 1e-13)


@pytest.mark.parametrize("kind", [ManPG, ManPGAda])
@pytest.mark.parametrize("name", ["sparse_pca", "compressed_modes", "L21"])
def test_manpg_descends(kind, name):
    """F(X+) <= F(X) - a |V|^2 / 2t with a = 1, 1/2, ... the accepted length; V is tangent to the inner tolerance; t adapts."""
    problem, solver = PROBLEMS[name], kind(step_size=20.0)
    states = run(solver, problem, random_point(*problem.shape, seed=1), 40)
    for old, new in pairwise(states):
        a = 0.5 ** (new.trials - 1)
        assert new.F == pytest.approx(float(problem.value(new.X)), rel=1e-13)
        if new.failures == old.failures:
            assert new.F <= old.F - a * norm(new.V) ** 2 / (2 * old.t) + 1e-13 * abs(old.F)
            np.testing.assert_allclose(new.X, polar(old.X + a * new.V), atol=1e-13)
        assert norm(old.X.T @ new.V + new.V.T @ old.X) ** 2 <= 1.1 * solver._inner_tolerance(old) + 1e-24
        factor = 1.0 if kind is ManPG else 1.01 if new.trials == 1 else 1 / 1.01
        assert new.t == pytest.approx(max(20.0, factor * old.t))
    assert any(state.trials > 1 for state in states)


@pytest.mark.parametrize("branch", ["direct", "conjugate gradients"])
@pytest.mark.parametrize("g", [L1(0.3), L21(0.5), Zero()], ids=["L1", "L21", "Zero"])
@pytest.mark.parametrize("shape", [(12, 3), (9, 1), (20, 16)])
def test_the_tangent_prox_solves_its_subproblem(branch, g, shape, monkeypatch):
    """V is tangent, and no tangent step does better in  <D, V> + |V|^2 / 2t + g(X + V)."""
    monkeypatch.setattr(_semismooth, "DIRECT", 10**9 if branch == "direct" else 0)
    X, D, t = random_point(*shape, seed=1), normal(2, *shape), 0.2
    inner_solution = _semismooth.tangent_prox(g, X, D, t, np.zeros((shape[1],) * 2), tol=1e-20, dual=True)
    V = inner_solution.V

    def model(V):
        return inner(D, V) + norm(V) ** 2 / (2 * t) + g.value(X + V)

    assert norm(X.T @ V + V.T @ X) <= 1e-9
    if isinstance(g, Zero):
        np.testing.assert_allclose(V, -t * tangent(X, D), atol=1e-9)
    for k in range(30):
        T = tangent(X, normal(k + 10, *shape))
        for size in (1e-4, 1e-2, 1.0):
            assert model(V) <= model(V + size * T) + 1e-9
    again = _semismooth.tangent_prox(g, X, D, t, inner_solution.Lam, tol=1e-20, dual=True)
    assert again.proxes == 1  # a good multiplier is recognised


def test_symmetric_matrices_have_an_orthonormal_basis():
    """n (n + 1) / 2 symmetric matrices, orthonormal in the inner product of matrices."""
    basis = _semismooth.symmetric_basis(5, X0)
    assert basis.shape == (15, 5, 5)
    np.testing.assert_array_equal(basis, basis.mT)
    np.testing.assert_allclose(np.einsum("aij,bij->ab", basis, basis), np.eye(15), atol=1e-15)


@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
def test_soc_multipliers_are_a_subgradient_and_a_normal(name):
    """After every step b V lies in dg(Q), U is normal to the manifold at P, and grad l(X) + b (2X - P + U - Q + V) = 0."""
    problem = PROBLEMS[name]
    ell, g = problem.smooth, problem.nonsmooth
    states = run(SOC(), problem, random_point(*problem.shape, seed=1), 30)
    for old, new in pairwise(states):
        b = new.b
        assert norm(g.nearest(new.Q, -b * new.V)) <= 1e-11 * b
        assert norm(tangent(new.P, new.U)) <= 1e-11
        stationary = ell.grad(new.X) + b * (2 * new.X - old.P + old.U - old.Q + old.V)
        assert norm(stationary) <= 1e-11 * b * (1 + norm(old.U))


@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
def test_pamal_multipliers_are_a_subgradient_and_a_normal(name):
    """After one cycle -(L1 + c dQ) lies in dg(Q), L2 + c dP is normal at P: the proximal terms are all that is missing."""
    problem, solver = PROBLEMS[name], PAMAL(max_cycles=1, clip=1e9)
    states = run(solver, problem, random_point(*problem.shape, seed=1), 30)
    for old, new in pairwise(states):
        c = solver.proximal * new.unit
        assert norm(problem.nonsmooth.nearest(new.Q, new.L1 + c * (new.Q - old.Q))) <= 1e-11 * (old.rho + c)
        assert norm(tangent(new.P, new.L2 + c * (new.P - old.P))) <= 1e-11 * (old.rho + c)
        grown = max(new.gaps[0] / max(old.gaps[0], 1e-99), new.gaps[1] / max(old.gaps[1], 1e-99)) > solver.ratio
        assert new.rho == pytest.approx(solver.growth * old.rho if grown else old.rho)


@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
@pytest.mark.parametrize("gamma", [1e-12, 0.01])
def test_radmm_multiplier_is_a_subgradient_at_the_prox_point(name, gamma):
    """Lam lies in dg(W) at W = prox(X + Lam_old / rho), and Lam is the gradient of the Moreau envelope: Z = W + gamma Lam."""
    problem, g = PROBLEMS[name], PROBLEMS[name].nonsmooth
    states = run(RADMM(gamma=gamma), problem, random_point(*problem.shape, seed=1), 30)
    for old, new in pairwise(states):
        rho = new.p.rho
        W = g.prox(new.X + old.Lam / rho, 1 / rho + gamma)
        assert norm(g.nearest(W, -new.Lam)) <= 1e-11 * rho
        np.testing.assert_allclose(new.Z, W + gamma * new.Lam, atol=1e-12)
        assert norm(defect(new.X)) <= 1e-12


def test_plam_follows_the_gradient_of_the_augmented_lagrangian():
    """With Lam frozen, V is the gradient of  l(X) - <Lam, X'X - I>/2 + b/4 |X'X - I|^2,  and a fixed step follows -V."""
    b, tau, h = 0.7, 1e-3, 1e-5
    states = run(PLAM(penalty=b, step_size=tau), SMOOTH, X0, 50)
    for old, new in pairwise(states):
        np.testing.assert_array_equal(new.X, old.X - tau * old.V)
    X, V, Lam = states[-1].X, states[-1].V, states[-1].Lam
    np.testing.assert_allclose(Lam, sym((A @ X + B).T @ X), atol=1e-14)

    def lagrangian(X):
        return ELL.value(X) - inner(Lam, defect(X)) / 2 + b / 4 * norm(defect(X)) ** 2

    for k in range(10):
        T = normal(k, 20, 3)
        slope = (lagrangian(X + h * T) - lagrangian(X - h * T)) / (2 * h)
        assert inner(V, T) == pytest.approx(slope, abs=1e-7)


def test_pcal_keeps_its_columns_at_norm_one():
    """Columns have norm 1, and the direction is orthogonal to each of them."""
    for state in run(PCAL(), SMOOTH, X0, 30):
        np.testing.assert_allclose(np.linalg.norm(state.X, axis=0), 1, rtol=1e-13)
        np.testing.assert_allclose(np.sum(state.X * state.V, axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("kind", [PLAM, PCAL])
def test_barzilai_borwein_steps_have_a_smallest_length(kind):
    """tau = |<s, y>| / <y, y>, never below ``smallest``; the first step is ``first``."""
    states = run(kind(first=0.01, smallest=0.5), SMOOTH, X0, 20)
    assert states[0].tau == 0.01
    for old, new in pairwise(states):
        s, y = new.X - old.X, new.V - old.V
        assert new.tau == pytest.approx(max(0.5, abs(inner(s, y)) / inner(y, y)))


@pytest.mark.parametrize(
    ("rule", "length"), [("geometric", lambda k: 0.3 * 0.9**k), ("diminishing", lambda k: 0.3 / (k + 2) ** 0.6)]
)
@pytest.mark.parametrize("retraction", ["polar", "qr"])
def test_rsm_takes_the_steps_of_its_rule(rule, length, retraction):
    """X+ = R(X - t_k P_T(grad l(X) + s)) with s in dg(X) of least norm, and t_k as the rule says."""
    solver = RSM(rule=rule, step_size=0.3, decay=0.9, power=0.6, offset=2.0, retraction=retraction)
    X = X0
    for k, state in enumerate(run(solver, SPARSE, X0, 10)):
        np.testing.assert_allclose(state.X, X, atol=1e-13)
        X = stiefel.RETRACTIONS[retraction](X - length(k) * tangent(X, A @ X + B + 0.1 * np.sign(X)))


@pytest.mark.parametrize("name", ["sparse_pca", "compressed_modes", "L21", "MCP", "Nonnegative", "Function"])
def test_two_phase_smoothing_descends_until_each_smoothed_problem_is_solved(name):
    """l + e undercuts the average, which never rises while nu stays; nu falls by the factor exactly where the rule says so."""
    problem, solver = PROBLEMS[name], SmoothingRGD(factor=0.4, accuracy=0.5)
    states = run(solver, problem, random_point(*problem.shape, seed=1), 150)
    for old, new in pairwise(states):
        error, S = norm(old.X - old.e.point) / np.sqrt(problem.shape[1]), (old.X - old.e.point) / old.nu
        solved = norm(tangent(old.X, old.D + S)) <= 0.5 * error * max(norm(old.D), norm(S))
        assert new.nu == pytest.approx(max(0.4 * old.nu, 2**-26 * old.p.nu) if solved else old.nu, rel=1e-12, abs=0)
        assert new.steps == (1 if new.nu < old.nu else old.steps + 1)
        start = envelope(problem.nonsmooth, old.X, new.nu).value + old.f if new.nu < old.nu else old.C
        assert new.f + new.e.value <= start + 1e-12 * abs(start)
        assert new.C <= start + 1e-12 * abs(start)
        assert norm(defect(new.X)) <= 1e-12
    assert states[-1].nu < 0.4 * states[0].nu


def test_a_smoothed_problem_that_is_not_solved_in_time_is_left(monkeypatch):
    """The two-phase rule loses its patience after some steps with one nu, whatever accuracy is asked for."""
    monkeypatch.setattr("orthoprox.solvers.smoothing_rgd._PATIENCE", 5)
    states = run(SmoothingRGD(accuracy=1e-12), SPARSE, X0, 20)
    assert [state.nu for state in states[1:]] == pytest.approx([states[0].nu * 0.3 ** (k // 5) for k in range(20)])


@pytest.mark.parametrize("name", ["sparse_pca", "L21", "MCP", "Nonnegative", "Function"])
def test_dynamic_smoothing_takes_the_steps_of_its_rule(name):
    """X+ = polar(X - t_k P_T(grad l(X) + (X - prox(X)) / nu_k)), nu_k = nu / (k + 1)^(1/3) and t_k = 1 / (S0 + 1 / nu_k)."""
    problem = PROBLEMS[name]
    ell, g = problem.smooth, problem.nonsmooth
    X, nu = random_point(*problem.shape, seed=1), 0.05
    S0 = max(ell.lipschitz, np.linalg.norm(ell.grad(X), 2))
    for k, state in enumerate(run(SmoothingRGD(rule="dynamic", nu=nu), problem, X, 20)):
        np.testing.assert_allclose(state.X, X, atol=1e-12)
        nu_k = nu / (k + 1) ** (1 / 3)
        X = polar(X - tangent(X, ell.grad(X) + (X - g.prox(X, nu_k)) / nu_k) / (S0 + 1 / nu_k))


@pytest.mark.parametrize("name", ["sparse_pca", "L21", "MCP", "Nonnegative"])
def test_the_gradient_of_the_envelope_is_a_subgradient_at_the_prox_point(name):
    """S lies in dg(P), and the multiplier makes grad l + S + 2XY the Riemannian gradient, the residual of the method."""
    problem, solver = PROBLEMS[name], SmoothingRGD()
    for state in run(solver, problem, random_point(*problem.shape, seed=1), 60):
        S = state.e.gradient
        assert norm(problem.nonsmooth.nearest(state.e.point, -S)) <= 1e-14 / state.nu + 1e-12 * norm(S)
        np.testing.assert_allclose(state.D + S + 2 * state.X @ solver.multiplier(state), state.xi, atol=1e-10 * norm(state.D))


@pytest.mark.parametrize("name", ["Nonnegative", "MCP", "Function"])
def test_smoothing_reaches_a_certificate_for_any_prox(name):
    """Of an indicator X satisfies the constraint up to the smoothing; the certified prox point does so exactly."""
    result = op.minimize(PROBLEMS[name], method="smoothing-rgd", seed=1, tol=1e-4)
    assert result.converged
    assert np.isfinite(PROBLEMS[name].value(result.certificate.point))


def test_the_dissolved_function_has_the_gradient_that_is_followed():
    """h(X) = l(A(X)) + g(A(X)) + b/4 |X'X - I|^2 with A(X) = X (3I - X'X) / 2, off the manifold and away from kinks."""
    b, size = 0.7, 1e-6

    def dissolved(X):
        C = X.T @ X
        return SPARSE.value(X @ (3 * np.eye(3) - C) / 2) + b / 4 * norm(C - np.eye(3)) ** 2

    for seed in range(5):
        X = X0 + 0.05 * normal(seed, 20, 3)
        state = Dissolving(penalty=b).init(SPARSE, X)
        V = state.V
        assert state.h + SPARSE.nonsmooth.value(state.A) == pytest.approx(dissolved(X), rel=1e-12)
        for k in range(5):
            T = normal(k + 10, 20, 3)
            slope = (dissolved(X + size * T) - dissolved(X - size * T)) / (2 * size)
            assert inner(V, T) == pytest.approx(slope, abs=1e-7)


def test_the_penalty_of_dissolving_makes_the_manifold_attract():
    """b = max(L, |W0|_2, 1.6 w): for a convex l, whose multiplier at X0 has a large eigenvalue w, gradient steps come back."""
    C = spread(0, 20, np.linspace(0.9, 1.0, 20))
    problem, solver = op.Problem(smooth.Quadratic(C), Zero(), (20, 3)), Dissolving(inner="gradient")
    b = solver.init(problem, X0).p.b
    assert b == pytest.approx(1.6 * np.linalg.eigvalsh(X0.T @ C @ X0)[-1])
    assert norm(run(Dissolving(inner="gradient", penalty=b), problem, 0.95 * X0, 300)[-1].G) <= 1e-3
    assert norm(run(Dissolving(inner="gradient", penalty=b / 1.6), problem, 0.95 * X0, 300)[-1].G) > 0.2


@pytest.mark.parametrize(("inner_method", "problem", "decay"), [("subgradient", SPARSE, 0.9), ("gradient", SMOOTH, 1.0)])
def test_dissolving_takes_the_steps_of_its_rule(inner_method, problem, decay):
    """X+ = X - t decay^k V for subgradients, with a constant step for gradients."""
    solver = Dissolving(inner=inner_method, step_size=0.2, decay=0.9)
    for k, (old, new) in enumerate(pairwise(run(solver, problem, X0, 10))):
        np.testing.assert_allclose(new.X, old.X - 0.2 * decay**k * old.V, atol=1e-14)


def test_lbfgs_descends_and_a_failure_is_replaced_by_a_gradient_step(monkeypatch):
    """h falls in every iteration, by more than the gradient step would; where L-BFGS gets nowhere that step is taken."""
    solver, gradient = Dissolving(max_cycles=4), Dissolving(inner="gradient")
    states = run(solver, SMOOTH, X0, 8)
    assert isinstance(SMOOTH.nonsmooth, Zero)
    for old, new in pairwise(states):
        assert new.h <= gradient.step(SMOOTH, replace(old, p=replace(old.p, inner="gradient"))).h
        assert 4 < new.cycles <= 3 * 4 + 22  # evaluations: at most maxfun and one more line search
    again = solver.step(SMOOTH, states[3])
    np.testing.assert_array_equal(again.X, states[4].X)  # no memory outside the state

    for far in (0.0, 1e3):
        fake = lambda *_, x0_scale=far, **__: OptimizeResult(x=np.full(60, x0_scale), nfev=7)  # noqa: E731
        monkeypatch.setattr("scipy.optimize.minimize", fake)
        new = solver.step(SMOOTH, states[0])
        np.testing.assert_array_equal(new.X, X0 - states[0].p.t * states[0].V)
        assert new.cycles == 9


def test_lbfgs_is_turned_back_where_the_dissolved_function_is_unbounded():
    """h falls to minus infinity far from the manifold; the first line searches, long as they are, do not go there."""
    problem = op.Problem(smooth.Variance(op.datasets.five_components(50, 30, seed=1)), Zero(), (30, 4))
    states = run(Dissolving(), problem, random_point(30, 4, seed=0), 2)
    h = [Dissolving().init(problem, c * states[0].X).h for c in (1, 10)]
    assert h[1] < h[0]
    assert norm(states[2].V) <= 1e-6 * norm(states[0].V)
    assert states[1].cycles + states[2].cycles <= 150

    convex = op.Problem(smooth.Quadratic(spread(0, 20, np.linspace(1, 2, 20))), Zero(), (20, 10))
    old, new = run(Dissolving(step_size=20.0), convex, random_point(20, 10, seed=0), 1)  # the first trial is far away
    assert new.h < old.h
    assert norm(new.G) <= 0.1


# --- endings ----------------------------------------------------------------------------------------------------------

CONCAVE = op.Problem(smooth.Function(lambda X: -ELL.value(X), lambda X: -ELL.grad(X)), L1(0.1), (20, 3))
CONCAVE_SMOOTH = op.Problem(CONCAVE.smooth, Zero(), (20, 3))
DIVERGING = {
    "lsalm": (op.LSALM(lam=50.0), SPARSE),
    "soc": (SOC(penalty=0.01), CONCAVE),
    "pamal": (PAMAL(penalty=0.01), CONCAVE),
    "plam": (PLAM(step_size=50.0), SMOOTH),
    "pcal": (PCAL(step_size=50.0), SMOOTH),
    "landing": (Landing(safe=None, step_size=100.0), SMOOTH),
    "dissolving": (Dissolving(step_size=50.0), SPARSE),
    "dissolving gradient": (Dissolving(inner="gradient", penalty=0.01), CONCAVE_SMOOTH),
}
CYCLING = {  # a retraction keeps them on the manifold, but they do not get anywhere
    "radmm": (RADMM(eta=1e3), SPARSE),
    "rsm": (RSM(step_size=1e6), SPARSE),
    "manpg": (ManPG(step_size=1e6), SPARSE),
    "soc": (SOC(penalty=0.02), SPARSE),
}


@pytest.mark.parametrize("name", DIVERGING)
def test_divergence_is_called_by_its_name(name):
    """The run ends early, with a finite point, and the advice names a parameter of the method."""
    solver, problem = DIVERGING[name]
    result = op.solve(problem, solver, X0, stop=Stationary(1e-6) | MaxIterations(300) | Leaves(1.0))
    assert result.status is Status.DIVERGED
    assert result.iterations < 100
    assert np.all(np.isfinite(result.X))
    assert np.isfinite(result.objective)
    assert any(field.name in result.message for field in fields(solver))


@pytest.mark.parametrize("name", CYCLING)
def test_a_run_that_gets_nowhere_does_not_claim_to_have_converged(name):
    """The budget is used up, the point is finite and the stationarity reported is bad."""
    solver, problem = CYCLING[name]
    result = op.solve(problem, solver, X0, stop=Stationary(1e-6) | MaxIterations(200))
    assert result.status is Status.ITERATIONS
    assert norm(defect(result.X)) <= 1e-12
    assert result.stationarity > 0.01


@pytest.mark.parametrize("name", SOLVERS)
def test_a_gradient_that_becomes_nan_ends_the_run(name):
    """The run has diverged, never converged, and returns a finite point; no decomposition fails."""
    calls = []

    def grad(X):
        calls.append(1)
        return A @ X if len(calls) < 60 else np.nan * X

    problem = op.Problem(smooth.Function(lambda X: np.sum(X * (A @ X)) / 2, grad), Zero(), (20, 3))
    result = op.solve(problem, SOLVERS[name], X0)
    assert result.status is Status.DIVERGED
    assert np.all(np.isfinite(result.X))


@pytest.mark.parametrize("name", SOLVERS)
def test_ctrl_c_returns_a_point(name):
    """An interrupted run returns the best point measured so far, of whatever method."""

    def interrupt(now):
        if now.iteration == 5:
            signal.raise_signal(signal.SIGINT)

    problem = SMOOTH if name in SMOOTH_ONLY else SPARSE
    result = op.solve(problem, SOLVERS[name], X0, callback=interrupt)
    assert result.status is Status.INTERRUPTED
    assert result.iterations == 5
    assert result.objective == float(problem.value(result.X))
    assert result.objective in result.history["objective"]
    assert result.feasibility in result.history["feasibility"]


@pytest.mark.parametrize("solver", [SOC(penalty=0.2), PAMAL(penalty=0.1, proximal=0.1, unit=1.0)], ids=["soc", "pamal"])
def test_a_penalty_too_small_for_a_unique_minimiser_is_refused(solver):
    """l + c/2 |X|^2 must be strongly convex: c = 2b for SOC, 2 rho + c for PAMAL."""
    problem = op.Problem(smooth.Quadratic(-A), L1(0.1), (20, 3))
    weight = r"0\.4" if isinstance(solver, SOC) else r"0\.3"
    with pytest.raises(ValueError, match=rf"weight {weight} was added .* modulus 1; .* set a larger penalty"):
        op.solve(problem, solver, X0)


def numbers(solver):
    """The parameters of a method that are numbers, with a value that will do for each."""
    ones = {"shrink", "decrease", "safe", "decay", "accuracy", "ratio", "floor", "factor", "step_size"}
    names = [f.name for f in fields(solver) if f.name not in ("trial", "rule", "retraction", "inner", "max_cycles")]
    return {name: 0.5 if name in ones else 2.0 for name in names}


@pytest.mark.parametrize("dress", [np.float64, np.array, Fraction, np.float32], ids=lambda dress: dress.__name__)
@pytest.mark.parametrize("name", [name for name in op.SOLVERS if name not in ("lsalm", "adaptive")])
def test_parameters_in_any_dress_are_plain_numbers(name, dress):
    """A parameter given as a NumPy number, an array of no dimensions or a fraction is a float, and X keeps its precision."""
    kind = op.SOLVERS[name]
    given = numbers(kind())
    solver = kind(**{key: dress(value) for key, value in given.items()})
    assert solver == kind(**given)
    assert {type(getattr(solver, key)) for key in given} == {float}
    single = smooth.Quadratic(A.astype(np.float32), B.astype(np.float32))
    problem = op.Problem(single, Zero() if name in SMOOTH_ONLY else L1(0.1), (20, 3))
    start = X0.astype(np.float32)
    for state in run(solver, problem, start, 3):
        assert solver.output(state).dtype == np.float32
