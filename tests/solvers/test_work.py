"""What an iteration of each method costs, and the facts that say so."""

import numpy as np
import pytest

import orthoprox as op
from cases import SOLVERS
from orthoprox import smooth
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._linalg import stiefel
from orthoprox.nonsmooth import L1, Zero
from orthoprox.solvers import (
    ALMSSN,
    MIALM,
    PAMAL,
    RGD,
    RPG,
    RPNCG,
    SOC,
    Adaptive,
    AManPG,
    Dissolving,
    ManIAL,
    ManPG,
    ManPGAda,
    SmoothingRGD,
    base,
)
from small_problems import X0, A, B


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


class CountedArray(np.ndarray):
    """A matrix whose products X'W and XS are counted."""

    count, shape_of_x = Counter(), None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        plain = [value.view(np.ndarray) if isinstance(value, CountedArray) else value for value in inputs]
        if ufunc is np.matmul:
            m, n = self.shape_of_x
            shapes = tuple(value.shape for value in plain)
            self.count.add({((n, m), (m, n)): "gram", ((m, n), (n, n)): "right"}.get(shapes, "other"))
        result = getattr(ufunc, method)(*plain, **options)
        return result.view(CountedArray) if isinstance(result, np.ndarray) else result


def counting(solver, monkeypatch):
    """A problem for the method, its start, and the count of whatever is done."""
    count = Counter()
    retractions = {name: counted_retraction(count, retract) for name, retract in stiefel.RETRACTIONS.items()}
    monkeypatch.setattr(stiefel, "polar", retractions["polar"])
    for name, retract in retractions.items():
        monkeypatch.setitem(stiefel.RETRACTIONS, name, retract)
    monkeypatch.setattr(CountedArray, "count", count)
    monkeypatch.setattr(CountedArray, "shape_of_x", (20, 3))
    g = counted_prox(Zero, count)() if base.SMOOTH in solver.needs else counted_prox(L1, count)(0.1)
    return op.Problem(CountedQuadratic(count, A - 0.9 * np.eye(20), B), g, (20, 3)), X0.view(CountedArray), count


def counted_retraction(count, retract):
    """The retraction, counted as one operation: the products inside are its own."""

    def counted(X):
        count.add("polar")
        return retract(X.view(np.ndarray)).view(CountedArray)

    return counted


def eventful(old, new):
    """Whether a step did more than one of LSALM: measure the threshold, compare f with the start,
    restart, or hand over to another phase.
    """
    if new.phase != "first order":
        return True
    measured = new.now.monitor.iterations % SETTINGS.window == 0
    compared = new.now.residual <= SETTINGS.identified < old.now.residual
    return measured or compared or old.now.memory.divergences != new.now.memory.divergences


def proximal_work(solver, state):
    """What a step of AManPG or RPG did: as the facts say, and a safeguard, or the retractions of
    the subproblem.
    """
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
    """Gradients, proxes, polar factors, resolvents and products of a step, and none more for its
    residuals.
    """
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
        more |= {"gradient": state.products} if isinstance(solver, (ALMSSN, RPNCG)) else {}  # of Newton's equations
        for what in ("gradient", "polar", "resolvent"):
            assert done.get(what, 0) == times * work.get(what, 0) + more.get(what, 0)
        finer = isinstance(solver, SmoothingRGD) and solver.rule == "two-phase" and state.nu < old.nu  # one more direction
        changes += finer
        proxes = times * work.get("prox", 0) + more.get("prox", 0) + finer
        assert done.get("prox", 0) == (state.proxes if isinstance(solver, (ManPG, ManPGAda, RPNCG)) else proxes)
        if isinstance(solver, (RGD, SmoothingRGD, ManIAL, MIALM)):  # the direction is the same for all trials of a step
            steps = state.steps + 1 if isinstance(solver, (ManIAL, MIALM)) else 1 + finer
            assert (done["gram"], done["right"]) == (steps * work["gram"], steps * work["right"])
        if isinstance(solver, Dissolving):
            assert (done["gram"], done["right"]) == (times * work["gram"], times * work["right"])
    assert most > 1 or name not in ("rgd", "pamal accurate", "smoothing-rgd rough", "dissolving lbfgs")  # put to the test
    assert 0 < changes < 12 or name != "smoothing-rgd rough"


def test_without_a_resolvent_a_few_gradient_steps_serve():
    """Where l is not quadratic, one iteration of SOC costs a few gradients instead of a linear
    solve.
    """
    count = Counter()
    quadratic = CountedQuadratic(count, A, B)
    problem = op.Problem(smooth.Function(quadratic.value, quadratic.grad), L1(0.1), (20, 3))
    state = SOC().init(problem, X0)
    count.take()
    SOC().step(problem, state)
    done = count.take()
    assert set(done) == {"gradient"}
    assert 1 <= done["gradient"] <= 10


@pytest.mark.parametrize("name", SOLVERS)
def test_facts_are_complete(name):
    """Every method says what it is; operations have known names; the table's columns are filled."""
    facts = SOLVERS[name].facts
    assert facts.per in ("iteration", "trial", "cycle")
    assert set(facts.work) <= {"gradient", "prox", "polar", "resolvent", "gram", "right"}
    assert all(type(count) is int and count > 0 for count in facts.work.values())
    assert facts.retraction_free == ("polar" not in facts.work and not isinstance(SOLVERS[name], Adaptive))
    assert facts.nonsmooth == (base.SMOOTH not in type(SOLVERS[name])().needs)
    assert facts.complexity == "" or facts.complexity.startswith("O(eps^-")
