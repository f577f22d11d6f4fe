"""The first-order phase: LSALM at an extrapolated point, its parameters measured along the run."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, prod
from typing import Any

from orthoprox._adaptive import rules
from orthoprox._adaptive.memory import Memory, PrimalDual
from orthoprox._adaptive.phase import Phase, Verdict
from orthoprox._adaptive.rules import Iterate, StagnationMonitor
from orthoprox._adaptive.settings import Settings
from orthoprox._adaptive.working_set import WorkingSet, Workspace, working_set
from orthoprox._arrays.library import Array, identity, namespace, negligible, norm
from orthoprox._certify.certificate import proximal_step
from orthoprox._certify.evaluator import FLOOR, is_worse
from orthoprox._linalg import products, stiefel
from orthoprox._linalg.products import lincomb, restart_test, secant_norms, support
from orthoprox.problems.problem import Problem
from orthoprox.smooth.curvature import local_lipschitz


@dataclass(frozen=True)
class FullSpace:
    """What a step works on, unless it is a working set: all entries of X."""

    problem: Problem
    settings: Settings

    def prox(self, W: Array, t: float) -> Array:
        return self.problem.prox(W, t)

    def products(self, E: Array) -> tuple[Array, Array, Callable[[Array], Array]]:
        sparse = support(E)
        return self.problem.grad(E), stiefel.defect(E, sparse), lambda S: products.right(E, S, sparse)

    def overlap(self, X: Array) -> tuple[Array, Array]:
        return 2 * stiefel.sym(products.overlap(X, support(X))), identity(X.shape[-1], X) > 0

    def divergence_test(self, G: Array, bound: float) -> tuple[bool, bool]:
        """Return whether G = E'E - I has an eigenvalue above the bound, and whether one is below
        -.9: a vanished column.
        """
        size = float(norm(G))
        if not self.settings.near < size < inf:
            return not size < inf, False
        w = namespace(G).linalg.eigvalsh(G)
        return float(w[-1]) >= bound, float(w[0]) < -self.settings.near


@dataclass(frozen=True)
class FirstOrder(Phase[Iterate]):
    """LSALM with measured parameters, restarts after divergences, and epochs on working sets.

    ``rule`` is the step rule to begin with; with the second one it has twice the patience.
    ``alone`` means that no other phase takes over: there are no epochs, and stagnation is all that
    it reports. ``small`` means that X is small, so that a polish always pays.
    """

    settings: Settings
    rule: int = 0
    alone: bool = False
    small: bool = False

    def first(self, problem: Problem, X: Array, multiplier: Array | None = None) -> Iterate:
        """Return the first iterate of a run, at a point X of the manifold."""
        D = problem.grad(X)
        curvature = self._curvature(problem, X, D)
        return self.begun(problem, _at(problem, X, D, curvature, multiplier), float(problem.value(X)), curvature)

    def begun(self, problem: Problem, point: PrimalDual, value: float, curvature: float) -> Iterate:
        """Return the first iterate of a run, at a point with its multiplier; f and the curvature of
        l are known.
        """
        k = self.settings
        c = max(float(rules.initial_curvature(k, curvature, point.Y, self.rule)), self.least(problem))
        memory = Memory(
            start=point,
            value=value,
            curvature=curvature,
            floor=FLOOR * float(norm(point.D)),
            step=1 / curvature,
            bound=float(rules.divergence_bound(problem.prox(point.X, 1 / c))),
            polish_at=k.identified,
        )
        return self._at(problem, point, c, memory)

    def start(self, problem: Problem, point: PrimalDual, memory: Memory) -> Iterate:
        k = self.settings
        c = float(rules.initial_curvature(k, memory.curvature, point.Y, self.rule))
        return self._at(problem, point, max(c, self.least(problem)), memory)

    def step(self, problem: Problem, state: Iterate) -> Iterate:
        new, out_of_bounds = self._advance(problem, FullSpace(problem, self.settings), state)
        if out_of_bounds or new.vanished >= self.settings.vanished:
            return self.restarted(problem, state)
        return new if self.alone else self._epoch(problem, new)

    def verdict(self, problem: Problem, old: Iterate, new: Iterate) -> Verdict:
        k, memory, stagnated = self.settings, new.memory, new.monitor.step_rule >= len(self.settings.margins)
        if self.alone:
            return Verdict.STAGNATED if stagnated else Verdict.GOING
        if memory.divergences > old.memory.divergences:
            return Verdict.LOST if memory.safety >= k.safety else Verdict.GOING
        if new.residual <= k.identified < old.residual and is_worse(problem, new.X, memory.value, slack=k.gain * k.identified):
            return Verdict.WORSE
        if self.small and not stagnated and new.residual <= memory.polish_at:
            return Verdict.NEAR
        if new.residual <= (k.gain if stagnated else memory.polish_at) and support(new.X) is not None:
            return Verdict.NEAR  # on sparse entries the polish is cheaper than Newton's method
        return Verdict.STAGNATED if stagnated else Verdict.GOING

    def point(self, problem: Problem, state: Iterate) -> PrimalDual:
        return PrimalDual(state.X, state.Y, problem.grad(state.X), _subgradient(problem, state.X, state.c))

    def resume(self, state: Iterate) -> Iterate:
        """Go on; if all step rules have stagnated, begin with them again and a larger safety
        factor. The next polish is due at a tenth of this residual.
        """
        k = self.settings
        memory = replace(state.memory, polish_at=min(state.memory.polish_at, k.gain * state.residual))
        if state.monitor.step_rule < len(k.margins):
            return replace(state, memory=memory)
        memory = replace(memory, safety=min(k.growth * memory.safety, k.safety))
        return replace(state, memory=memory, monitor=self.monitor())

    def output(self, state: Iterate) -> tuple[Array, Array]:
        return state.X, state.Y

    def residuals(self, state: Iterate) -> tuple[float, float]:
        return state.feasibility, state.gap

    def parameters(self, state: Iterate) -> dict[str, Any]:
        k, c = self.settings, state.c
        constants = {"rho": k.penalty * c, "lam": 1 / c, "r": k.smoothing * c, "alpha": k.penalty * c, "beta": k.centre}
        return constants | {"theta": state.theta, "step_rule": float(state.monitor.step_rule)}

    def _curvature(self, problem: Problem, X: Array, D: Array) -> float:
        """Return the curvature of l around X by finite differences: a first value that every step
        corrects.
        """
        slope = float(norm(D)) / X.shape[-1] ** 0.5
        measured = local_lipschitz(problem.smooth, X, D, self.settings.power_steps)
        return max(measured, FLOOR * slope, self.least(problem)) or 1 / proximal_step(problem, X)

    def monitor(self) -> StagnationMonitor:
        """Return the monitor of a run that begins."""
        return StagnationMonitor(self.rule, (1 + self.rule) * self.settings.patience)

    def least(self, problem: Problem) -> float:
        """Return the least c: below its modulus, the prox of a weakly convex g has no unique
        value.
        """
        return self.settings.margins[0] * problem.nonsmooth.modulus

    def _advance(self, problem: Problem, workspace: Workspace, s: Iterate) -> tuple[Iterate, bool]:
        """Return the next iterate in a workspace, and whether it is out of bounds."""
        k, memory, c, rule = self.settings, s.memory, s.c, s.monitor.step_rule
        alpha = k.penalty * c
        total = (1 + k.smoothing) * c

        # Algorithm 1, lines 2 and 3
        W = self._prox_argument(s)
        X = workspace.prox(W, 1 / total)
        Z = lincomb((1 - k.centre, s.Z), (k.centre, X))

        # extrapolation
        length, along = restart_test(X, s.E, s.X)
        t, theta = rules.inertia(k, s.t, rule, along)
        E = lincomb((1 + theta, X), (-theta, s.X)) if theta > 0 else X
        D, G, right = workspace.products(E)
        EY, EG = right(s.Y), right(G)
        move, change = secant_norms((E, s.E), (D, s.D), (EY, s.EY))
        measured = change / move if move > 0 else 0.0

        # Algorithm 1, line 4, with eps = 0 and a weight for each entry
        dual = alpha * G
        if s.residual <= k.identified:
            most = k.weight**2 if s.feasibility > k.weight * s.stationarity else k.weight  # only feasibility is missing
            dual = alpha * rules.dual_weights(*workspace.overlap(X), most) * G
            EY = lincomb((1.0, EY), (1.0, right(dual)))
        else:
            EY = lincomb((1.0, EY), (alpha, EG))

        # residuals, curvature, stagnation, restart of the inertia, divergence
        gap = total * length
        stationarity, feasibility = gap / (max(float(norm(D)), memory.floor) or 1.0), float(norm(G))
        following = max(rules.next_curvature(k, c, rule, memory.safety, measured), self.least(problem))
        monitor = s.monitor.update(k, max(stationarity, feasibility))
        out_of_bounds, vanished = workspace.divergence_test(G, memory.bound)
        new = Iterate(
            X=X,
            E=E,
            Y=s.Y + dual,
            Z=Z,
            D=D,
            G=G,
            EY=EY,
            EG=EG,
            good=s.good if vanished else X,
            c=following,
            near_curvature=following if feasibility <= 0.5 else s.near_curvature,
            gap=gap,
            stationarity=stationarity,
            feasibility=feasibility,
            monitor=monitor,
            memory=memory,
            t=1.0 if monitor.step_rule != rule or rules.leaves_manifold(k, prod(problem.shape), s.G, G) else t,
            theta=theta,
            vanished=s.vanished + 1 if vanished else 0,
        )
        return new, out_of_bounds or not length < inf

    def _prox_argument(self, s: Iterate) -> Array:
        """Return the point whose prox is the next X: Algorithm 1, lines 2 and 3, at E and with
        1/lam = c.
        """
        c, rho, r = s.c, self.settings.penalty * s.c, self.settings.smoothing * s.c
        total = c + r
        return lincomb((c / total, s.E), (r / total, s.Z), (-1 / total, s.D), (-2 / total, s.EY), (-2 * rho / total, s.EG))

    def restarted(self, problem: Problem, s: Iterate) -> Iterate:
        """Restart from the point of the manifold nearest to the last good X, with twice the last c
        near the manifold and a larger safety factor.
        """
        k, memory, X = self.settings, s.memory, s.memory.start.X
        X = stiefel.polar(s.good) if float(norm(s.good)) < inf else X
        D, c = problem.grad(X), 2 * s.near_curvature
        safety = min(k.growth * memory.safety, k.safety)
        memory = replace(memory, safety=safety, divergences=memory.divergences + 1)
        failed = "" if float(norm(D)) < inf else "The gradient of l is not finite at the last good point."
        new = self._at(problem, _at(problem, X, D, c), c, memory)
        return replace(new, monitor=s.monitor, failed=failed)

    def _at(self, problem: Problem, point: PrimalDual, c: float, memory: Memory) -> Iterate:
        X, Y, D = point.X, point.Y, point.D
        G, gap = stiefel.defect(X), c * X.shape[-1] ** 0.5  # no step has been taken
        stationarity, feasibility = gap / (max(float(norm(D)), memory.floor) or 1.0), float(norm(G))
        return Iterate(
            X=X,
            E=X,
            Y=Y,
            Z=X,
            D=D,
            G=G,
            EY=X @ Y,
            EG=X @ G,
            good=X,
            c=c,
            near_curvature=c,
            gap=gap,
            stationarity=stationarity,
            feasibility=feasibility,
            monitor=self.monitor(),
            memory=memory,
        )

    def _epoch(self, problem: Problem, s: Iterate) -> Iterate:
        """Run one epoch on the working set, if that is small; return the iterate with all its
        entries.
        """
        k, working_set = self.settings, self._working_set(problem, s)
        if working_set is None:
            return s
        now = working_set.restricted(s)
        for _ in range(k.epoch):
            new, out_of_bounds = self._advance(problem, working_set, now)
            if out_of_bounds:
                break
            now = new
            if now.residual <= k.gain * s.residual or now.monitor.step_rule != s.monitor.step_rule:
                break
        return working_set.extended(s, now, FullSpace(problem, k))

    def _working_set(self, problem: Problem, s: Iterate) -> WorkingSet | None:
        """Return the working set, or None if an epoch does not pay: X is small, dense, far from a
        solution, or solved.
        """
        k = self.settings
        stagnated = s.monitor.step_rule >= len(k.margins)
        if stagnated or not negligible(s.X) < s.residual <= k.gain or support(s.E) is None:
            return None
        argument = self._prox_argument(s), 1 / ((1 + k.smoothing) * s.c)
        return working_set(k, problem, (s.X, s.E, s.D), argument)


def _at(problem: Problem, X: Array, D: Array, c: float, Y: Array | None = None) -> PrimalDual:
    """Return X with the subgradient of a prox step of length 1/c, and Y or the least-squares
    multiplier; D is grad l(X).
    """
    S = _subgradient(problem, X, c)
    return PrimalDual(X, stiefel.multiplier(X, D + S) if Y is None else Y, D, S)


def _subgradient(problem: Problem, X: Array, c: float) -> Array:
    """Return c (X - prox_{g/c}(X)). The step has full length 1/c; a tiny one says nothing about an
    indicator.
    """
    return c * (X - problem.prox(X, 1 / c))
