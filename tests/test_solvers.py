"""Every method on every problem that it can take: what it returns, what it costs, and the facts it rests on."""

import signal
from dataclasses import fields, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov
from scipy.optimize import OptimizeResult

import orthoprox as op
from cases import SMOOTH_ONLY, SOLVERS, normal, symmetric
from orthoprox import nonsmooth, smooth
from orthoprox._linalg import stiefel
from orthoprox._linalg.linesearch import Step
from orthoprox._linalg.stiefel import defect, inner, norm, polar, random_point, sym, tangent
from orthoprox.nonsmooth import L1, L21, Zero
from orthoprox.nonsmooth.moreau import envelope
from orthoprox.solvers import (
    ALMSSN,
    MADMM,
    MIALM,
    PAMAL,
    PCAL,
    PLAM,
    RADMM,
    RGD,
    RPG,
    RSM,
    SOC,
    Adaptive,
    AManPG,
    Dissolving,
    Landing,
    ManIAL,
    ManPG,
    ManPGAda,
    SmoothingRGD,
    amanpg,
    base,
    rpg,
)
from orthoprox.solvers._shared import augmented, proximal_gradient, retraction, rgbb, tangent_prox
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
TAKES |= {name: TAKES["manpg"] for name in ("manpg-ada", "amanpg", "rpg", "almssn")}
TAKES |= {"rsm": [*TAKES["manpg"], "MCP", "Nonnegative"]}
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


@pytest.mark.parametrize("name", [name for name in op.SOLVERS if name not in ("adaptive", "lsalm", "soc", "pamal", "rsm")])
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
    return measured or new.newton is not None or (old.divergences, old.settled) != (new.divergences, new.settled)


def proximal_work(solver, state):
    """What a step of AManPG or RPG did: as the facts say, and a safeguard, or the retractions of the subproblem."""
    work, trials = solver.facts.work, state.trials
    if isinstance(solver, RPG):
        further = state.work.retractions - trials
        return {
            "gradient": trials * work["gradient"],
            "polar": trials * work["polar"] + further,
            "prox": state.work.proxes,
        }
    guard = trials + 1 if trials else 0  # the point itself is evaluated as well; after a restart this serves as Y's gradient
    return {
        "gradient": work["gradient"] + guard - (trials > 0 and state.s == 1),
        "polar": work["polar"] + trials - (state.Y is state.X),
        "prox": state.proxes,
    }


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
        if isinstance(solver, (AManPG, RPG)):
            assert {what: done[what] for what in ("gradient", "polar", "prox")} == proximal_work(solver, state)
            continue
        if per == "iteration":
            done.pop("other", 0)  # the term's own products, and the multiplier's
            assert done == work
            continue
        times = state.trials if per == "trial" else state.cycles
        most = max(most, times)
        more = {"prox": 1} if isinstance(solver, (ManIAL, MIALM, ALMSSN)) else {}  # at the last X with a new multiplier
        more |= {"gradient": state.products} if isinstance(solver, ALMSSN) else {}  # of Newton's equations
        for what in ("gradient", "polar", "resolvent"):
            assert done.get(what, 0) == times * work.get(what, 0) + more.get(what, 0)
        finer = isinstance(solver, SmoothingRGD) and solver.rule == "two-phase" and state.nu < old.nu  # one more direction
        changes += finer
        proxes = times * work.get("prox", 0) + more.get("prox", 0) + finer
        assert done.get("prox", 0) == (state.proxes if isinstance(solver, (ManPG, ManPGAda)) else proxes)
        if isinstance(solver, (RGD, SmoothingRGD, ManIAL, MIALM)):  # the direction is the same for all trials of a step
            steps = state.steps + 1 if isinstance(solver, (ManIAL, MIALM)) else 1 + finer
            assert (done["gram"], done["right"]) == (steps * work["gram"], steps * work["right"])
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
    assert facts.single_loop == (
        not isinstance(SOLVERS[name], (Adaptive, ManPG, ManPGAda, AManPG, RPG, SOC, PAMAL, MADMM, ManIAL, MIALM, ALMSSN))
    )
    assert facts.complexity == "" or facts.complexity.startswith("O(eps^-")


# --- theory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_safe_step_of_landing_is_safe(seed):
    """|X'X - I|_F <= 1/2 at every iterate, even with a step of 100 / L; and the bound is nearly reached."""
    problem = op.Problem(smooth.Quadratic(spread(seed, 20, np.linspace(-1, 1, 20)), normal(seed, 20, 3)), Zero(), (20, 3))
    states = run(Landing(step_size=100.0), problem, random_point(20, 3, seed=seed), 200)
    secant_norms = [norm(state.G) for state in states]
    assert max(secant_norms) <= 0.5 * (1 + 1e-12)
    assert max(secant_norms) > 0.2


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
    monkeypatch.setattr(tangent_prox, "DIRECT", 10**9 if branch == "direct" else 0)
    X, D, t = random_point(*shape, seed=1), normal(2, *shape), 0.2
    inner_solution = tangent_prox.tangent_prox(g, X, D, t, np.zeros((shape[1],) * 2), tol=1e-20, dual=True)
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
    again = tangent_prox.tangent_prox(g, X, D, t, inner_solution.Lam, tol=1e-20, dual=True)
    assert again.proxes == 1  # a good multiplier is recognised


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.5, 5.0])
@pytest.mark.parametrize("shape", [(12, 4), (6, 6), (5, 1)])
def test_the_derivative_of_the_retraction_is_inverted(shape, size):
    """T^-1 undoes T, the derivative of V -> polar(X + V); <T^-# W, Z> = <W, T^-1 Z>; they are tangent at X and at Y."""
    X, h = random_point(*shape, seed=1), 1e-5
    V = tangent(X, normal(2, *shape))
    V = size * V / (norm(V) or 1.0)
    to = retraction.retract(X, V)
    np.testing.assert_allclose(to.Y, polar(X + V), atol=1e-15)
    for k in range(5):
        U, W = tangent(X, normal(k + 10, *shape)), normal(k + 20, *shape)
        Z = (polar(X + V + h * U) - polar(X + V - h * U)) / (2 * h)  # = T U
        np.testing.assert_allclose(to.back(tangent(to.Y, Z)), U, atol=1e-7)
        Z = tangent(to.Y, normal(k + 30, *shape))
        assert norm(sym(X.T @ to.back(Z))) <= 1e-12
        assert norm(sym(to.Y.T @ to.adjoint_back(W))) <= 1e-12
        assert inner(to.adjoint_back(W), Z) == pytest.approx(inner(W, to.back(Z)), abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_the_retraction_is_inverted_where_it_can_be(seed):
    """R_X^-1(R_X(V)) = V for tangent V; a point far away, and one that is not a number, has no inverse."""
    X = random_point(12, 4, seed=seed)
    for size in (1e-8, 0.1, 1.0):
        V = tangent(X, normal(seed + 10, 12, 4))
        V = size * V / norm(V)
        np.testing.assert_allclose(retraction.inverse(X, polar(X + V)), V, atol=1e-13)
    assert retraction.inverse(X, -X) is None
    assert retraction.inverse(X, np.nan * X) is None


@pytest.mark.parametrize("n", [1, 5])
def test_lyapunov_equations_are_solved(n):
    """M S + S M' = C with a symmetric S, for M with eigenvalues near the imaginary axis, too."""
    for seed, shift in enumerate((1.0, 0.1, 1e-3)):
        K, C = normal(seed, n, n), symmetric(seed + 10, n)
        M = shift * np.eye(n) + K - K.T
        S = retraction.lyapunov(M, C)
        np.testing.assert_array_equal(S, S.T)
        np.testing.assert_allclose(M @ S + S @ M.T, C, atol=1e-11 / shift)


def extrapolated(new, old, s):
    """R((1 - s) / s+ R^-1(old)) at ``new``, the inverse by SciPy's Lyapunov solver."""
    M = new.T @ old
    back = old @ solve_continuous_lyapunov(M, 2 * np.eye(len(M))) - new
    return polar(new + (1 - s) / ((1 + np.sqrt(1 + 4 * s**2)) / 2) * back)


@pytest.mark.parametrize("step_size", [None, 20.0])
@pytest.mark.parametrize("name", ["sparse_pca", "compressed_modes", "L21"])
def test_amanpg_takes_the_steps_of_its_formulas(name, step_size):
    """X+ = polar(Y + V) and the extrapolation, or a restart with a step of ManPG from the last safe point; F falls safely."""
    problem, solver, restarts = PROBLEMS[name], AManPG(step_size=step_size, safeguard=3), 0
    states = run(solver, problem, random_point(*problem.shape, seed=1), 60)
    for k, (old, new) in enumerate(pairwise(states), start=1):
        guarded = k % 3 == 0
        assert (new.k, new.trials > 0) == (k, guarded)
        np.testing.assert_allclose(new.D, problem.smooth.grad(new.Y), atol=1e-12 * norm(new.D))
        if guarded and new.s == 1:
            restarts += 1
            assert new.X is new.Y is new.safe.X
            continue
        X = _step(problem, old, old.Y, old.D, old.Lam)
        np.testing.assert_allclose(new.X, X, atol=1e-12)
        if old.s > 1 and new.Y is new.X:  # too far for R^-1: the part of X along X+ has nearly turned
            assert np.linalg.norm(np.eye(3) - sym(X.T @ old.X), np.inf) > 0.75
        else:
            np.testing.assert_allclose(new.Y, extrapolated(X, old.X, old.s) if old.s > 1 else X, atol=1e-11)
        assert new.s == (1 + np.sqrt(1 + 4 * old.s**2)) / 2
        assert new.safe.X is new.X if guarded else new.safe is old.safe
    safe = [state.safe.F for state in states[::3]]
    assert np.all(np.diff(safe) <= 1e-13 * np.abs(safe[:-1]))
    assert restarts >= 1 or step_size is None


def _step(problem, state, X, D, Lam):
    """polar(X + V) with the tangent prox step V at X."""
    tol = proximal_gradient.inner_tolerance(state.size)
    return polar(X + tangent_prox.tangent_prox(problem.nonsmooth, X, D, state.t, Lam, tol=tol, dual=True).V)


def test_the_safeguard_of_amanpg_is_a_step_of_manpg():
    """After a restart F is that of the line search from the last safe point, and below that of the extrapolated step."""
    problem, solver = PROBLEMS["sparse_pca"], AManPG(step_size=20.0, safeguard=1)
    states = run(solver, problem, random_point(*problem.shape, seed=1), 30)
    restarts = [(old, new) for old, new in pairwise(states) if new.s == 1]
    assert any(new.safe is not old.safe for old, new in restarts)
    for old, new in restarts:
        safe = old.safe
        assert problem.value(_step(problem, old, old.Y, old.D, old.Lam)) > new.safe.F == problem.value(new.X)
        if new.safe is not safe:
            tol = proximal_gradient.inner_tolerance(new.size)
            V = tangent_prox.tangent_prox(problem.nonsmooth, safe.X, safe.D, old.t, old.Lam_safe, tol=1e-26, dual=True).V
            a = 0.5 ** (new.trials - 1)
            np.testing.assert_allclose(new.X, polar(safe.X + a * V), atol=10 * tol**0.5 + 1e-9)
            assert new.safe.F <= safe.F - a * norm(V) ** 2 / (2 * old.t) * (1 - 1e-3)


def test_a_failed_line_search_of_the_safeguard_is_not_taken(monkeypatch):
    """Wherever it ended: the choice is between the last safe point and X+."""

    def failed(problem, here, V, t):
        return Step(1e-4, replace(here, X=-here.X, F=-1e9), 14, accepted=False)

    monkeypatch.setattr(amanpg, "descend", failed)
    states = run(AManPG(safeguard=1), SPARSE, X0, 10)
    for old, new in pairwise(states):
        assert new.safe is old.safe or (new.safe.X is new.X and new.safe.F <= old.safe.F)
        assert new.safe.F == float(SPARSE.value(new.safe.X))


@pytest.mark.parametrize("name", ["sparse_pca", "compressed_modes", "L21"])
def test_rpg_descends(name):
    """F(X+) <= F(X) - |V|^2 / 10000t with X+ = polar(X + V), V tangent; t is halved after failures, and grows by 1.05."""
    problem, solver = PROBLEMS[name], RPG(step_size=20.0)
    states = run(solver, problem, random_point(*problem.shape, seed=1), 40)
    for old, new in pairwise(states):
        assert new.used == old.t * 0.5 ** (new.trials - 1)
        assert new.t == pytest.approx(1.05 * new.used)
        assert new.here.F == float(problem.value(new.here.X))
        assert new.here.F <= old.here.F - 1e-4 * norm(new.V) ** 2 / new.used + 1e-13 * abs(old.here.F)
        assert norm(sym(old.here.X.T @ new.V)) <= 1e-13
        np.testing.assert_allclose(new.here.X, polar(old.here.X + new.V), atol=1e-13)
    assert any(state.trials > 1 for state in states)


@pytest.mark.parametrize("g", [L1(0.3), L21(0.5), Zero()], ids=["L1", "L21", "Zero"])
@pytest.mark.parametrize("shape", [(12, 3), (9, 1), (20, 8)])
def test_rpg_minimises_its_model_of_the_retracted_step(g, shape, monkeypatch):
    """No tangent step nearby does better in  <D, V> + |V|^2 / 2t + g(polar(X + V));  the step of ManPG is not so good."""
    monkeypatch.setattr(rpg, "_SMALL", 0.0)
    monkeypatch.setattr(rpg, "_TINY", 1e-10)
    monkeypatch.setattr(rpg, "inner_tolerance", lambda size: 1e-27)
    problem, t = op.Problem(smooth.Quadratic(symmetric(1, shape[0]), normal(2, *shape)), g, shape), 0.05
    X = random_point(*shape, seed=3)
    first, last = (_model_step(problem, RPG(step_size=t, max_cycles=cycles), X) for cycles in (1, 60))
    D = problem.smooth.grad(X)

    def model(V):
        return inner(D, V) + norm(V) ** 2 / (2 * t) + g.value(polar(X + V))

    for k in range(30):
        T = tangent(X, normal(k + 10, *shape))
        for size in (1e-6, 1e-4, 1e-2):
            assert model(last) <= model(last + size * T) + 1e-10
    flat = tangent_prox.tangent_prox(g, X, D, t, np.zeros((shape[1],) * 2), tol=1e-24, dual=True).V
    if not isinstance(g, Zero):
        assert model(last) < model(first) < model(flat) - 1e-6
    else:
        np.testing.assert_allclose(last, -t * tangent(X, D), atol=1e-9)


def test_rpg_shortens_a_step_whose_subproblem_is_hopeless():
    """g dwarfs l, and the prox with t = 1/L is 0 whatever the multiplier: nothing tangent comes of it until t is shorter."""
    problem = op.problems.sparse_pca(1e-3 * op.datasets.five_components(50, 20), 3, 0.5)
    result = op.minimize(problem, "random", method="rpg", tol=1e-6, max_iterations=20)
    assert result.converged
    assert result.objective == pytest.approx(1.5, abs=1e-4)


def _model_step(problem, solver, X):
    return solver._minimise(problem, solver.init(problem, X), solver.step_size).V


def test_symmetric_matrices_have_an_orthonormal_basis():
    """n (n + 1) / 2 symmetric matrices, orthonormal in the inner product of matrices."""
    basis = tangent_prox.symmetric_basis(5, X0)
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
        assert norm(g.min_norm_subgradient(new.Q, -b * new.V)) <= 1e-11 * b
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
        assert norm(problem.nonsmooth.min_norm_subgradient(new.Q, new.L1 + c * (new.Q - old.Q))) <= 1e-11 * (old.rho + c)
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
        assert norm(g.min_norm_subgradient(W, -new.Lam)) <= 1e-11 * rho
        np.testing.assert_allclose(new.Z, W + gamma * new.Lam, atol=1e-12)
        assert norm(defect(new.X)) <= 1e-12


@pytest.mark.parametrize("cycles", [1, 3])
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
def test_madmm_takes_its_gradient_steps(name, cycles):
    """Each goes along P_T(grad l(X) + Lam + rho (X - Z)) with Z and Lam held; then Lam lies in dg(Z). With one it is RADMM."""
    problem, ell, g = PROBLEMS[name], PROBLEMS[name].smooth, PROBLEMS[name].nonsmooth
    start = random_point(*problem.shape, seed=1)
    states = run(MADMM(max_cycles=cycles), problem, start, 30)
    for old, new in pairwise(states):
        X, rho, eta = old.X, new.p.rho, new.p.eta
        for _ in range(cycles):
            X = polar(X - eta * tangent(X, ell.grad(X) + old.Lam + rho * (X - old.Z)))
        np.testing.assert_allclose(new.X, X, atol=1e-12)
        np.testing.assert_allclose(new.Z, g.prox(new.X + old.Lam / rho, 1 / rho), atol=1e-12)
        np.testing.assert_allclose(new.Lam, old.Lam + rho * (new.X - new.Z), atol=1e-12 * rho)
        assert norm(g.min_norm_subgradient(new.Z, -new.Lam)) <= 1e-11 * rho
        gradient = ell.grad(new.X) + new.Lam
        left = gradient + 2 * new.X @ MADMM().multiplier(new)
        np.testing.assert_allclose(left, tangent(new.X, gradient), atol=1e-11 * rho)
        assert new.cycles == cycles
    if cycles == 1:
        np.testing.assert_allclose(states[-1].X, run(RADMM(), problem, start, 30)[-1].X, atol=1e-8)


def test_madmm_ends_its_steps_at_a_minimiser():
    """With steps to spare, |P_T(grad l(X) + Lam + rho (X - Z))| <= accuracy rho at X+, Z and Lam the old ones."""
    states = run(MADMM(accuracy=1e-7, max_cycles=1000), SPARSE, X0, 10)
    for old, new in pairwise(states):
        rho = new.p.rho
        assert norm(tangent(new.X, A @ new.X + B + old.Lam + rho * (new.X - old.Z))) <= 1.001e-7 * rho
        assert 1 < new.cycles < 1000


ALM = {"manial": ManIAL(), "manial II": ManIAL(rule="II"), "mialm": MIALM(), "mialm short": MIALM(max_cycles=5, extra=15)}


@pytest.mark.parametrize("method", ALM)
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21", "MCP", "Nonnegative"])
def test_augmented_lagrangian_iterations(name, method):
    """X+ meets the inner tolerance or has used up its steps, Lam lies in dg(Y), and s grows where the gap did not shrink."""
    problem, solver = PROBLEMS[name], ALM[method]
    ell, g = problem.smooth, problem.nonsmooth
    first, *states = run(solver, problem, random_point(*problem.shape, seed=1), 8)
    assert first.unit == pytest.approx(0.1 * norm(ell.grad(first.X)))
    for old, new in pairwise([first, *states]):
        W = new.X + old.Lam / old.s
        np.testing.assert_allclose(new.Y, g.prox(W, 1 / old.s), atol=1e-12)
        np.testing.assert_allclose(new.Lam, old.Lam + old.s * (new.X - new.Y), atol=1e-11 * old.s)
        assert norm(g.min_norm_subgradient(new.Y, -new.Lam)) <= 1e-11 * old.s
        assert norm(defect(new.X)) <= 1e-12

        gradient = ell.grad(new.X) + old.s * (W - new.Y)  # of l + the envelope of g at W
        assert new.size == pytest.approx(norm(tangent(new.X, gradient)), rel=1e-6, abs=1e-11 * old.s)
        left = ell.grad(new.X) + new.Lam + 2 * new.X @ solver.multiplier(new)
        assert norm(left) == pytest.approx(new.size, rel=1e-6, abs=1e-11 * old.s)
        assert new.steps == old.cap or (new.size <= old.tol * old.unit and new.steps < old.cap)
        assert new.steps <= new.trials <= 3 * new.steps

        assert new.gap == pytest.approx(norm(new.X - new.Y) / (1 + norm(new.X) + norm(new.Y)))
        grows = new.gap > solver.ratio * old.gap and new.gap >= solver.enough
        assert new.s == pytest.approx(min(solver.growth * old.s, 1e3 * first.s) if grows else old.s)
    assert first.gap == (np.inf if isinstance(solver, ManIAL) else 0.0)


def test_the_inner_rules_of_the_augmented_lagrangian_methods():
    """ManIAL: 2^-k, or 2^k steps. MIALM: the tolerance shrinks where it was reached; elsewhere 10, 20, ... steps are added."""
    floor = ManIAL().floor
    one, two = (run(ManIAL(rule=rule), SPARSE, X0, 6) for rule in ("I", "II"))
    assert [(state.tol, state.cap) for state in one] == [(0.5**k, 300) for k in range(1, 8)]
    assert [(state.tol, state.cap) for state in two] == [(floor, 2**k) for k in range(1, 8)]
    assert ManIAL(rule="II")._next(40, 0.0, 0, 0) == (floor, 2**14)
    assert ManIAL()._next(40, 0.0, 0, 0) == (floor, 300)

    easy = run(MIALM(decrease=0.5), SPARSE, X0, 6)
    assert [(state.tol, state.cap) for state in easy] == [(0.1 * 0.5**k, 300) for k in range(7)]
    hard = run(MIALM(accuracy=1e-6, max_cycles=2, extra=35), SPARSE, X0, 4)
    assert [state.cap for state in hard[:4]] == [2, 12, 22, 37]
    assert [state.tol for state in hard[:4]] == [1e-6] * 4


def test_the_penalty_has_a_largest_value():
    """A gap that does not shrink, as of a set that does not meet the manifold, makes s grow a thousandfold and no further."""
    apart = op.Problem(ELL, nonsmooth.Box(2.0, 3.0), (20, 3))
    for solver in (ManIAL(growth=100.0, max_cycles=3), MIALM(growth=100.0, max_cycles=3)):
        penalties = [state.s for state in run(solver, apart, X0, 6)]
        assert penalties[-1] == pytest.approx(1e3 * penalties[0])
        assert np.all(np.diff(penalties) >= 0)


LAGRANGIANS = {"L1": L1(0.3), "L1 bounded": L1(0.3, bound=0.4), "L21": L21(0.5), "Zero": Zero()}


def lagrangian(name, s=2.0):
    """The augmented Lagrangian of a problem with a linear part, at a multiplier that is as large as the gradient."""
    return augmented.Lagrangian(op.Problem(ELL, LAGRANGIANS[name], (20, 3)), 0.2 * normal(5, 20, 3), s)


@pytest.mark.parametrize("name", LAGRANGIANS)
def test_the_augmented_lagrangian_is_least_in_y(name):
    """F(X) is the least value of l(X) + g(Y) + <Lam, X - Y> + s/2 |X - Y|^2 over Y, plus |Lam|^2 / 2s; no Y is better."""
    F = lagrangian(name)
    ell, g, Lam, s = ELL, LAGRANGIANS[name], F.Lam, F.s

    def full(Y):
        return ell.value(X0) + g.value(Y) + inner(Lam, X0 - Y) + s / 2 * norm(X0 - Y) ** 2 + norm(Lam) ** 2 / (2 * s)

    point = F.at(X0)
    Y, next_multiplier = point.more.e.point, Lam + s * (X0 - point.more.e.point)
    assert point.value == pytest.approx(full(Y), rel=1e-13)
    assert all(full(Y) <= full(Y + size * normal(k, 20, 3)) for k in range(20) for size in (1e-3, 1.0))
    np.testing.assert_allclose(point.gradient, ell.grad(X0) + next_multiplier, atol=1e-14)
    assert F.known(X0, float(ell.value(X0)), ell.grad(X0)).value == point.value


@pytest.mark.parametrize("name", LAGRANGIANS)
def test_gradient_and_hessian_of_the_augmented_lagrangian_are_its_derivatives(name):
    """F(polar(X + hV)) = F(X) + h <xi, V> + h^2/2 <V, H[V]> + O(h^3) along tangent V; H is symmetric and maps to tangents."""
    F, h = lagrangian(name), 1e-4
    point = F.at(X0)
    xi, H = tangent(X0, point.gradient), F.hessian(point)
    directions = [tangent(X0, normal(k, 20, 3)) for k in range(10, 18)]
    for V in directions:
        ahead, back = (F.at(polar(X0 + s * h * V)).value for s in (1, -1))
        assert inner(xi, V) == pytest.approx((ahead - back) / (2 * h), abs=1e-6)
        assert inner(V, H(V)) == pytest.approx((ahead - 2 * point.value + back) / h**2, abs=2e-3 * norm(V) ** 2)
        assert norm(sym(X0.T @ H(V))) <= 1e-12
    for V, W in pairwise(directions):
        assert inner(W, H(V)) == pytest.approx(inner(V, H(W)), abs=1e-8)


@pytest.mark.parametrize("name", LAGRANGIANS)
def test_a_newton_equation_is_solved_or_negative_curvature_is_met(name):
    """|(H + shift) Z + xi| <= tol |xi| with a tangent Z where H + shift is positive; with too small a shift the run says so."""
    F = lagrangian(name)
    point = F.at(X0)
    xi, H = tangent(X0, point.gradient), F.hessian(point)
    solution = augmented.solve(H, xi, 5.0, 1e-6)
    Z = solution.Z
    assert norm(H(Z) + 5.0 * Z + xi) <= 2e-6 * norm(xi)
    assert norm(sym(X0.T @ Z)) <= 1e-10
    assert 0 < solution.lowest
    assert solution.products > 3
    assert augmented.solve(H, xi, -5.0, 1e-6).lowest < 0


@pytest.mark.parametrize("by_value", [True, False])
@pytest.mark.parametrize("shift", [1e-6, 0.3])
@pytest.mark.parametrize("name", ["L1", "L21", "Zero"])
def test_newton_minimises_the_augmented_lagrangian(name, shift, by_value):
    """From near a minimiser |xi| falls as far as the shift lets it in ten steps, F does not rise, and the shift falls."""
    F = lagrangian(name)
    near = rgbb.rgbb(F.at, F.at(X0), first=0.1, tol=1e-2, max_steps=500)
    found = augmented.newton(F, near.point, tol=1e-10, accuracy=1e-12, shift=shift, by_value=by_value)
    assert found.size <= (1e-10 if shift == 1e-6 else 0.01 * near.size)
    assert found.size == pytest.approx(norm(tangent(found.point.X, found.point.gradient)), rel=1e-10)
    assert found.point.value <= near.point.value
    assert norm(defect(found.point.X)) <= 1e-13
    assert found.trials >= 1
    assert found.shift < shift


@pytest.mark.parametrize(("by_value", "shift", "s"), [(True, 1.5, 1e3), (False, 5.0, 1e4)])
def test_a_newton_step_lowers_what_its_line_search_watches(by_value, shift, s, monkeypatch):
    """F falls by a tenth of -a <xi, Z>, or |xi|^2 by a tenth of a |xi|^2; where no a does it, X stays."""
    monkeypatch.setattr(augmented, "_STEPS", 1)
    F, shortened = lagrangian("L1", s), 0
    for seed in range(20):
        start = F.at(random_point(20, 3, seed=seed))
        xi = tangent(start.X, start.gradient)
        found = augmented.newton(F, start, tol=1e-10, accuracy=1e-12, shift=shift, by_value=by_value)
        if found.point is start:
            assert found.size == norm(xi)
            continue
        Z = augmented.solve(F.hessian(start), xi, shift, 1e-3).Z
        a = 0.5 ** (found.trials - 1)
        np.testing.assert_allclose(found.point.X, stiefel.qr(start.X + a * Z), atol=1e-12)
        if by_value:
            assert found.point.value <= start.value + 0.1 * a * inner(xi, Z) + 1e-13
        else:
            assert found.size**2 <= (1 - 0.1 * a) * norm(xi) ** 2
        shortened += found.trials > 1
    assert shortened > 0


def test_newton_raises_its_shift_above_negative_curvature():
    """At a maximiser H + shift is negative: the shift rises until a step is possible, and F falls."""
    ell = smooth.Quadratic(spread(0, 20, np.linspace(-1, 1, 20)))
    F = augmented.Lagrangian(op.Problem(ell, Zero(), (20, 3)), 0 * X0, 2.0)
    top = polar(np.linalg.eigh(ell.A)[1][:, -3:] + 1e-3 * normal(1, 20, 3))
    found = augmented.newton(F, F.at(top), tol=1e-10, accuracy=1e-12, shift=1e-3, by_value=True)
    assert found.shift > 0.1
    assert found.point.value < float(ell.value(top))


def test_the_canonical_gradient_is_a_gradient():
    """<P_T(W), V> = <eta, (I - XX'/2) V> for tangent V, eta is tangent, and the length is that of P_T(W)."""
    W = normal(3, 20, 3)
    eta, size = rgbb.canonical(X0, W)
    xi, length = rgbb.euclidean(X0, W)
    assert size == pytest.approx(norm(xi), rel=1e-12)
    assert length == norm(xi)
    assert norm(sym(X0.T @ eta)) <= 1e-13
    for k in range(5):
        V = tangent(X0, normal(k, 20, 3))
        assert inner(xi, V) == pytest.approx(inner(eta, V - X0 @ (X0.T @ V) / 2), abs=1e-12)


@pytest.mark.parametrize("search", ["value", "gradient"])
@pytest.mark.parametrize("name", ["sparse_pca", "quadratic", "L21"])
def test_almssn_multiplier_is_a_subgradient_at_the_prox_point(name, search):
    """Lam lies in dg(Y), Lam+ = Lam + s (X+ - Y+), the inner problem is solved to its tolerance, and s follows its rule."""
    problem, g = PROBLEMS[name], PROBLEMS[name].nonsmooth
    solver = ALMSSN(search=search, growth=1.5, coarse=0.05)
    states = run(solver, problem, random_point(*problem.shape, seed=1), 25)
    for old, new in pairwise(states):
        assert norm(g.min_norm_subgradient(new.Y, -new.Lam)) <= 1e-13 * old.s
        np.testing.assert_allclose(new.Y, g.prox(new.X + old.Lam / old.s, 1 / old.s), atol=1e-14)
        np.testing.assert_allclose(new.Lam, old.Lam + old.s * (new.X - new.Y), atol=1e-13 * old.s)
        assert new.size == pytest.approx(norm(tangent(new.X, problem.smooth.grad(new.X) + new.Lam)), rel=1e-6, abs=1e-13)
        assert new.size <= max(solver._tolerance(old), old.coarse)
        balance = new.unit * norm(new.X - new.Y) * (1 + norm(new.X)) / new.size
        grows = (np.max(np.abs(new.X - new.Y)) >= 0.99 * old.gap and balance > 0.04) or balance > 2.5
        assert new.s == pytest.approx(max(1.5 * old.s, norm(new.Lam)) if grows else old.s)
    assert any(state.products for state in states)
    assert states[-1].s > states[0].s


def test_almssn_does_not_let_its_penalty_grow_for_ever():
    """Four entries of at most .3 have no norm 1: the gap stays, and s grows only as far as rounding errors allow."""
    problem = op.Problem(smooth.Quadratic(symmetric(1, 4)), L1(0.1, bound=0.3), (4, 1))
    states = run(ALMSSN(growth=10.0), problem, random_point(4, 1, seed=1), 20)
    assert states[-1].gap > 0.1
    assert states[-1].s == states[-1].most
    assert np.all(np.isfinite(states[-1].X))


def test_the_penalty_of_almssn_catches_up_with_a_heavy_g():
    """With g far steeper than l, s goes straight to |Lam|, and a few iterations do."""
    problem = op.Problem(ELL, L1(1e4), (20, 3))
    states = run(ALMSSN(), problem, X0, 30)
    grown = [new for old, new in pairwise(states) if new.s > old.s]
    assert all(state.s >= norm(state.Lam) for state in grown)
    assert states[-1].gap <= 1e-8


def test_almssn_asks_for_more_first_order_steps_where_newton_fails():
    """With a huge shift ten Newton steps do not reach the tolerance: it takes over later, at half the gradient."""
    problem = PROBLEMS["sparse_pca"]
    solver = ALMSSN(shift=1e6, coarse=0.1)
    states = run(solver, problem, random_point(*problem.shape, seed=1), 20)
    failures = [new.products > 0 and new.size > solver._tolerance(old) for old, new in pairwise(states)]
    for (old, new), failed in zip(pairwise(states), failures, strict=True):
        assert new.coarse == (max(old.coarse / 2, 1e-3 * states[0].coarse) if failed else old.coarse)
    assert sum(failures) >= 3


@pytest.mark.parametrize("seed", range(3))
def test_almssn_is_accurate_without_tuning(seed):
    """Certificates of 1e-11 on sparse PCA and of 1e-4 on compressed modes, both at (100, 10)."""
    data = op.datasets.five_components(300, 100, seed=seed)
    sparse, modes = op.problems.sparse_pca(data, 10, 0.5), op.problems.compressed_modes(100, 10, 0.1)
    for problem, tol in ((sparse, 1e-11), (modes, 1e-4)):
        result = op.solve(problem, ALMSSN(), random_point(100, 10, seed=seed), stop=Stationary(tol) | MaxIterations(120))
        assert result.converged
        assert result.stationarity <= tol


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
        assert norm(problem.nonsmooth.min_norm_subgradient(state.e.point, -S)) <= 1e-14 / state.nu + 1e-12 * norm(S)
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
    "madmm": (MADMM(eta=1e3), SPARSE),
    "rsm": (RSM(step_size=1e6), SPARSE),
    "manpg": (ManPG(step_size=1e6), SPARSE),
    "amanpg": (AManPG(step_size=1e6), SPARSE),
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
    names = [
        f.name
        for f in fields(solver)
        if f.name not in ("trial", "rule", "retraction", "inner", "search", "max_cycles", "safeguard", "extra")
    ]
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
