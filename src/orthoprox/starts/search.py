"""The search for a start: probe a few, some first-order iterations each, and take the lowest ends.
Smoothing continuation.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from operator import itemgetter

import numpy as np

from orthoprox._adaptive.batch import Stack
from orthoprox._adaptive.compiled import Walks
from orthoprox._adaptive.first_order import FirstOrder
from orthoprox._adaptive.settings import SETTINGS
from orthoprox._adaptive.small import SMALL
from orthoprox._adaptive.wide import WIDE
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, extreme, namespace
from orthoprox._linalg.stiefel import polar
from orthoprox.files.journal import CURRENT, Page
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.own_terms import BROKEN
from orthoprox.problems.problem import Problem, uncounted
from orthoprox.problems.rows import has_rows, on_rows
from orthoprox.problems.scaled import scaled
from orthoprox.problems.smoothed import Smoothed
from orthoprox.smooth.curvature import hessian_matrix
from orthoprox.starts.points import Canonical, affordable_coordinates, like_data, pca, random, rotations, steepest
from orthoprox.starts.wide import homotopy
from orthoprox.stopping.clock import Deadline, Stopped

Kind = Callable[[Problem, np.random.Generator], Array]


def search(problem: Problem, rng: np.random.Generator, number: int = 1, factor: float = 1.0) -> list[Array]:
    """Return the ``number`` starts with the lowest probe values. For wide data these are ends of
    homotopies, if there is more than one; ``factor`` multiplies the work of their repairs.

    The candidates are coordinate vectors, principal components and random points. If more than one
    start is asked for, or the problem is not large, the end of a smoothing continuation is a
    candidate, too. If the problem is small, the probes go side by side; there are more of them,
    rotated principal components among them, and the starts are where they end. If the probes would
    cost too much, the shape decides: coordinate vectors if there are many columns, principal
    components otherwise. If time is over, the best candidate so far is taken, by f where a small
    problem has not begun to probe, and random points where there are too few.
    """
    k, (m, n), kinds = SETTINGS, problem.shape, (pca, random)
    affordable = _beyond_probes(problem)
    found: list[tuple[float, Array]] = []
    with suppress(Stopped), quiet():
        if is_wide(problem):
            for _ in range(number):
                found.append((inf, homotopy(problem, random(problem, rng), rng, factor)))
            if number > 1:
                return [X for _, X in found]
            if len(kinds) * k.probe * n * problem.smooth.operations > WIDE.probes:  # type: ignore[attr-defined]
                return [found[0][1]]
            found = [(_probe_on_rows(problem, X), X) for _, X in found]
        elif number == 1 and affordable < 0:
            with suppress(*BROKEN):
                guess = affordable_coordinates(problem, rng) if k.dense * n >= m else []
                return guess or [pca(problem, rng)]
            return [random(problem, rng)]
        if problem.is_small(SMALL.entries) and problem.takes_stacks(random(problem, rng)):
            found += _probed_side_by_side(problem, rng)
        else:
            path = [smoothed] if number > 1 or path_length(k.widths) <= affordable else []
            for candidate in _candidates(problem, rng, (*max(1, number // 2) * kinds, *path)):
                found.append((inf, candidate))  # a candidate that cannot be probed in time comes last
                value, end = probed(problem, candidate)
                found[-1] = value, end if is_wide(problem) else candidate  # few rows of an end are not 0
    found.sort(key=itemgetter(0))
    lowest = [X for _, X in found[:number]]
    return lowest + [random(problem, rng) for _ in range(number - len(lowest))]


def any_point(problem: Problem) -> Array:
    """Return a point of the manifold, the same in every call."""
    return random(problem, np.random.default_rng(0))


def canonical(rng: np.random.Generator, problem: Problem, deadline: Deadline) -> np.random.Generator:
    """Return a generator to which the order of the features is all the same, if l tells."""
    with deadline.part(), suppress(*BROKEN):
        return Canonical(rng, problem)
    return rng


def is_wide(problem: Problem) -> bool:
    """Whether the data have so many features, at least twice as many as samples, that most rows of
    a sparse X are 0, and the terms tell what they are on the others.
    """
    m = problem.shape[0]
    return m >= WIDE.rows and has_rows(problem) and m >= 2 * problem.smooth.A.shape[0]  # type: ignore[attr-defined]


def runner_up_pays(problem: Problem) -> bool:
    """Whether the second lowest start of a search deserves a run: the problem is neither small,
    where probes end near minima, nor so large that a run costs more than the search.
    """
    return (
        not problem.is_small(SMALL.entries) and not is_wide(problem) and path_length(SETTINGS.widths) <= _beyond_probes(problem)
    )


def _worth_waiting(problem: Problem) -> bool:
    """Whether principal components deserve a longer probe: they are exact, and X is not so small
    that hops find all that they lead to.
    """
    return hessian_matrix(problem.smooth) is not None and not problem.is_small(SMALL.entries // SMALL.few)


def _beyond_probes(problem: Problem, kinds: int = 2) -> float:
    """Return the iterations that the work of a search allows beyond the probes of coordinate
    vectors and of one start of each kind.
    """
    return SETTINGS.work / problem.flops - (1 + kinds) * SETTINGS.probe


def _probed_side_by_side(problem: Problem, rng: np.random.Generator) -> list[tuple[float, Array]]:
    """Return where the probes of a small problem end, with f there, the lowest first. If time is
    over before they have begun, these are the candidates made so far, with f at each.

    The longer probe of principal components comes first: if time is short, it finds most.
    """
    candidates, found, waited = list[Array](), list[tuple[float, Array]](), list[tuple[float, Array]]()
    longer = partial(probe_ends, problem, length=int(SMALL.hasty))
    with suppress(Stopped, *BROKEN):
        for X in _many_candidates(problem, rng):
            candidates.append(X)
            if len(candidates) == 1 and _worth_waiting(problem):
                waited = longer([X])
        found = probe_ends(problem, candidates)
        if waited:
            found[:1] = longer([found[0][1]])
    if candidates and not found:
        found = list(zip(_values(problem, np.stack(candidates)).tolist(), candidates, strict=True))
    return sorted(found + waited, key=itemgetter(0))


def _many_candidates(problem: Problem, rng: np.random.Generator) -> Iterator[Array]:
    """Yield the starts that are probed side by side: principal components, two choices of
    coordinate vectors, the best of some rotations of principal components, and then rotations at
    random, now and then a random point.
    """
    n, spare, turned = problem.shape[1], random(problem, rng), rotations(problem, rng, SMALL.stack // 2)
    with suppress(*BROKEN):
        spare = next(turned)
    yield spare
    coordinate_points = affordable_coordinates(problem, rng)
    yield from coordinate_points
    with suppress(*BROKEN):
        yield from (steepest(problem, rng) for _ in coordinate_points)
        yield from sorted(turned, key=lambda X: float(problem.value(X)))[: SMALL.few]
    for k in range(SMALL.stack - 2 * len(coordinate_points) - SMALL.few - 1):
        rotation = like_data(problem, polar(rng.standard_normal((n, n))))
        yield spare @ rotation if k % SMALL.few else random(problem, rng)


def _candidates(problem: Problem, rng: np.random.Generator, kinds: Sequence[Kind]) -> Iterator[Array]:
    """Yield the starts to compare; one that the terms do not allow is left out."""
    yield from affordable_coordinates(problem, rng)
    for kind in kinds:
        with suppress(*BROKEN):
            yield kind(problem, rng)


def smoothed(problem: Problem, rng: np.random.Generator) -> Array:
    """Return the end of a smoothing continuation.

    It begins at coordinate vectors, perturbed a little at random, or at a random point if these
    cost too much.
    """
    X = random(problem, rng)
    for V in affordable_coordinates(problem, rng):
        X = V + SETTINGS.jitters[0] * X
    return follow(problem, X, SETTINGS.widths)


def follow(problem: Problem, X: Array, widths: Sequence[float]) -> Array:
    """Return the end of the continuation from the point of the manifold nearest to X, or the last
    point of it if time is over.

    A width is how far the prox of the smoothing moves coordinate vectors.
    """
    X, coordinate_point = polar(X), like_data(problem, np.eye(*problem.shape))
    with suppress(Stopped):
        D = problem.grad(X)
        size = extreme(float(namespace(D).max(namespace(D).abs(D))), X)
        problem, D = scaled(problem, size), D / size
        for stage, width in enumerate(widths):
            nu = problem.smoothing(coordinate_point, D, width)
            smoothed_problem = Problem(Smoothed(problem.smooth, problem.nonsmooth, nu), Zero(), problem.shape)
            X = polar(advance(smoothed_problem, X, SETTINGS.window if stage else 2 * SETTINGS.window))
    return X


def path_length(widths: Sequence[float]) -> int:
    """Return the iterations of a continuation: a window for each width, and one more at first."""
    return SETTINGS.window * (1 + len(widths))


def advance(problem: Problem, X: Array, iterations: int) -> Array:
    """Return the point after some first-order iterations of the default method from X, or after
    fewer if time is over.
    """
    journal = CURRENT.get()
    if journal is None:
        return _advanced(problem, X, iterations)
    return journal.unit("probe", lambda page: _advanced(problem, X, iterations, page))


def _advanced(problem: Problem, X: Array, iterations: int, page: Page | None = None) -> Array:
    phase = FirstOrder(SETTINGS, alone=True)
    before = None if page is None else page.resumed()
    state, k = before or (phase.first(problem, X), 0)
    with suppress(Stopped):
        while k < iterations:
            state, k = phase.step(problem, state), k + 1
            if page is not None:
                page.keep(partial(tuple, (state, k)))
    return state.X


def probe_value(problem: Problem, X: Array) -> float:
    """Return f at the point of the manifold nearest to the end of a probe from X; infinite if it
    cannot be computed.
    """
    return probed(problem, X)[0]


def probed(problem: Problem, X: Array) -> tuple[float, Array]:
    """Return the same and that point, or X if f is not finite there."""
    try:
        end = advance(problem, X, SETTINGS.probe)
        P = polar(end)
        value = float(problem.value(P))
        value, P = (value, P) if value < inf else (float(problem.value(end)), X)
    except BROKEN:
        return inf, X
    return (value, P) if value == value else (inf, X)


def _probe_on_rows(problem: Problem, X: Array) -> float:
    """Return the probe value of X on the rows where X is not 0."""
    rows = np.flatnonzero(np.any(X != 0, axis=1))
    part = on_rows(problem, rows)
    return probe_value(problem, X) if part is None else probe_value(part, X[rows])


def probe_ends(problem: Problem, starts: Sequence[Array], length: int | None = None) -> list[tuple[float, Array]]:
    """Return f and the points of the manifold where probes from several starts end, after so many
    iterations, the lowest first.

    The probes go side by side, or one after the other through the compiled loop. One ends before if
    its support is identified, which is no measure under a weak penalty. A probe that leads up ends
    at its start. If time is over, they end where they are. If the lowest one is still far from a
    stationary point, first-order steps are too slow for this problem: the starts themselves are
    compared.
    """
    phase, P, dtype, late = FirstOrder(SETTINGS, alone=True), np.stack(starts), starts[0].dtype, True
    going = (Walks if problem.loop is not None else Stack).first(phase, problem, P)
    values, begin = np.nan_to_num([memory.value for memory in going.memories], nan=inf, neginf=inf), going.memories[0].start
    weak = np.linalg.norm(begin.S) <= SMALL.weak * np.linalg.norm(begin.D)
    with suppress(Stopped):
        going.advance(phase, problem, length or _length(problem), SETTINGS.goal if weak else SETTINGS.identified)
        late = False
    ends = polar(going.now["X"]).astype(dtype)
    new = _values(problem, ends)
    lower = new < values
    found = np.where(lower, new, values)
    order = np.argsort(found, kind="stable")
    if not late and going.residual[order[0]] > SETTINGS.gain:
        return sorted(zip(values.tolist(), starts, strict=True), key=itemgetter(0))
    return [(float(found[i]), ends[i] if lower[i] else P[i]) for i in order]


def _length(problem: Problem) -> int:
    """Return the iterations of a probe."""
    return SMALL.length if problem.loop is not None else SMALL.length // 2


def _values(problem: Problem, P: Array) -> Array:
    """Return f at points of a stack, also if time is over."""
    try:
        values = problem.value(P)
    except Stopped:
        ell, g = uncounted(problem)
        problem.count(gradients=0, proxes=0, values=len(P))
        values = ell.value(P) + g.value(P)
    return np.nan_to_num(values, nan=inf, neginf=inf)
