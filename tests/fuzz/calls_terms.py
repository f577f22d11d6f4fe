"""Calls that make terms and problems, and use them; and the checks for terms of one's own."""

import numpy as np
from hypothesis import strategies as st

import orthoprox as op
from cases import Alone
from fuzz import callables
from fuzz.arrays import TYPES, bad_matrices, daring_matrices, entries, layouts, operators
from fuzz.pick import SEEDS, Call, Pick, Quality
from fuzz.results import Found
from fuzz.solving import manifold_point
from fuzz.terms import MU, recipes, shapes
from fuzz.values import (
    EXTREME_SEEDS,
    EXTREMES,
    FLAGS,
    NONPOSITIVE,
    NOT_A_NUMBER,
    NOT_A_THING,
    NOT_A_WEIGHT,
    NOT_SEEDS,
    NOT_WHOLE,
    WORDS,
    integers,
    numbers,
)
from fuzz.values import SEEDS as GENERATORS

ITS_OWN = "that of the problem"
NOT_CALLABLE = st.sampled_from([None, 1.0, "f", np.eye(2), [], True])


def _finite(pick):
    """Check that what good arguments give is finite, and that nothing is NaN in any case."""

    def check(value, warned=frozenset()):
        found = Found()
        parts = [np.asarray(part, dtype=float) for part in (value if isinstance(value, tuple) else (value,))]
        found.unless(not any(np.isnan(part).any() for part in parts), "NaN")
        if pick.quality is Quality.GOOD:
            found.unless(all(np.isfinite(part).all() for part in parts), "infinite")
        return found

    return check


@np.errstate(all="ignore")  # terms are plain formulas: only what makes them promises to be silent
def _used(term, X):
    """Evaluate a smooth term in every way."""
    both = term.value_and_grad(X)
    return term.value(X), term.grad(X), *both, getattr(term, "lipschitz", 0.0), getattr(term, "modulus", 0.0)


def _data(pick, name, X, dtype, *, sparse):
    good = operators(X, dtype) if sparse else layouts(X, dtype)
    return pick(name, good, bad_matrices(X), daring_matrices(X))


def smooth(pick: Pick) -> Call:
    """A smooth term: its constructor, its value and its gradient."""
    m, n = shape = pick.draw(shapes)
    seed, dtype = pick.draw(SEEDS), pick.draw(st.sampled_from(TYPES))
    X = pick(
        "X",
        layouts(manifold_point(seed, shape)).filter(
            lambda X: type(X) is np.ndarray and X.dtype == np.float64 and X.dtype.isnative
        ),
    )
    kind = pick.draw(st.sampled_from(["Quadratic", "Variance", "LogCosh", "Sharded", "Function", "Matching"]))
    if kind == "Quadratic":
        A = entries(seed, (m, m), dtype)
        A, B = _data(pick, "A", np.maximum(A, A.T), dtype, sparse=True), None
        if pick.draw(st.booleans()):
            B = _data(pick, "B", entries(seed, shape), "float64", sparse=False)
        return pick.call("smooth.Quadratic", lambda: _fit(op.smooth.Quadratic(A, B), X), check=_finite(pick))
    if kind == "Variance":
        A = _data(pick, "A", entries(seed, (pick.draw(st.sampled_from([1, 3, 12])), m), dtype), dtype, sparse=True)
        options = _columns(pick, m)
        return pick.call("smooth.Variance", lambda: _fit(op.smooth.Variance(A, **options), X), check=_finite(pick))
    if kind in ("LogCosh", "Sharded"):
        A = _data(pick, "A", entries(seed, (pick.draw(st.sampled_from([1, 3, 12])), m), dtype), dtype, sparse=False)
        delta = pick("delta", numbers(0.1, 10.0), NOT_A_WEIGHT, EXTREMES)
        if kind == "LogCosh":
            return pick.call("smooth.LogCosh", lambda: _fit(op.smooth.LogCosh(A, delta), X), check=_finite(pick))
        comm = pick("comm", st.just(Alone()), st.sampled_from([None, 3, "world"]))
        return pick.call(
            "smooth.Sharded", lambda: _fit(op.smooth.Sharded(op.smooth.LogCosh(A, delta), comm), X), check=_finite(pick)
        )
    if kind == "Function":
        fun = pick("fun", st.sampled_from([callables.log_cosh, callables.slope]), NOT_CALLABLE)
        grad = pick("grad", st.just(callables.tanh), NOT_CALLABLE)
        return pick.call("smooth.Function", lambda: _used(op.smooth.Function(fun, grad), X), check=_finite(pick))
    nodes = max(m, 2), max(min(n, m), 2)
    edges = [np.array([(i, i + 1) for i in range(size - 1)]) for size in nodes]
    affinity = np.abs(entries(seed, (len(edges[0]), len(edges[1]))))
    bad = st.sampled_from(
        [[[0, 1.5]], [[0, 99]], [[-1, 0]], [[0, 0]], [0, 1], [], [[0, 1, 2]], "ab", None, [[1e30, 0]], np.eye(2) > 0]
    )
    edges1 = pick(
        "edges1", st.sampled_from([edges[0], edges[0].tolist(), edges[0].astype(float), edges[0].astype(np.uint8)]), bad
    )
    edges2 = pick("edges2", st.just(edges[1]), bad)
    affinity = _data(pick, "affinity", affinity, "float64", sparse=False)
    given = pick("shape", st.just(nodes), st.sampled_from([None, (1, 2), 3, (3.0, 2), "ab"]))
    mu = pick("mu", numbers(*MU), NOT_A_WEIGHT, EXTREMES)
    X = manifold_point(seed, nodes)
    return pick.call(
        "smooth.Matching", lambda: _used(op.smooth.Matching(edges1, edges2, affinity, given, mu), X), check=_finite(pick)
    )


def _columns(pick, m):
    """Return a center and a scale of m columns, or none of them."""
    bad = st.sampled_from([None, "mean", 1, 2.5, np.ones(m + 1), [np.nan] * m, np.ones((m, 1)), ["a"] * m, {}, len, 1j])
    vectors = st.sampled_from([np.linspace(0.5, 2, m), [3.0] * m, np.ones(m, dtype=int), np.ones(m, np.float32)])
    not_scales = st.sampled_from([np.zeros(m), -np.ones(m), [np.inf] * m])
    options = {}
    if pick.draw(st.booleans()):
        options["center"] = pick("center", st.one_of(FLAGS, vectors), bad, st.just(np.full(m, 1e100)))
    if pick.draw(st.booleans()):
        options["scale"] = pick("scale", st.one_of(FLAGS, vectors), st.one_of(bad, not_scales), st.just(np.full(m, 1e-100)))
    return options


def _fit(term, X):
    """Evaluate the term where its data fit the shape of X."""
    op.Problem(term, op.nonsmooth.Zero(), X.shape)
    return _used(term, X)


def nonsmooth(pick: Pick) -> Call:
    """A nonsmooth term: its constructor, its value, its prox, its subgradient, another weight."""
    shape = pick.draw(shapes)
    X = entries(pick.draw(SEEDS), shape)
    kind = pick.draw(st.sampled_from(["L1", "L1", "L21", "MCP", "SCAD", "Box", "Nonnegative", "Zero", "Function"]))
    mu = {"mu": (numbers(*MU), NOT_A_WEIGHT, EXTREMES)}
    signatures = {
        "L1": {
            "mu": (st.one_of(numbers(*MU), layouts(np.abs(X))), st.one_of(NOT_A_WEIGHT, bad_matrices(np.abs(X))), EXTREMES),
            "bound": (st.one_of(st.none(), numbers(0.5, 1.0, 3.0)), NONPOSITIVE.filter(lambda v: v is not None), EXTREMES),
        },
        "L21": mu,
        "MCP": mu | {"gamma": (numbers(1.5, 3.0, 10.0), NONPOSITIVE, EXTREMES)},
        "SCAD": mu | {"a": (numbers(2.5, 3.5, 10.0), NONPOSITIVE, st.one_of(EXTREMES, st.just(1 + 1e-16), st.just(1 + 1e-15)))},
        "Box": {
            "lower": (numbers(-0.5, 0.0), st.one_of(NOT_A_NUMBER, bad_matrices(X)), EXTREMES),
            "upper": (numbers(1.0, 2.0), st.one_of(NOT_A_NUMBER, bad_matrices(X)), EXTREMES),
        },
        "Nonnegative": {},
        "Zero": {},
        "Function": {
            "fun": (st.just(callables.ridge), NOT_CALLABLE, None),
            "prox": (st.just(callables.shrink), NOT_CALLABLE, None),
            "modulus": (numbers(0.0, 0.5), NOT_A_WEIGHT, EXTREMES),
        },
    }
    given = {name: pick(name, *kinds) for name, kinds in signatures[kind].items()}
    t = pick.draw(st.sampled_from([0.1, 1e-3, 1e-12]))
    weight = (
        pick("weighted", numbers(*MU), NOT_A_WEIGHT, EXTREMES)
        if kind in ("L1", "L21", "MCP", "SCAD") and pick.draw(st.booleans())
        else None
    )
    return pick.call(
        f"nonsmooth.{kind}",
        lambda: _applied(getattr(op.nonsmooth, kind)(**given), X, t, weight),
        check=_finite(pick),
    )


def _applied(g, X, t, weight):
    for term in (g,) if weight is None else (g, g.weighted(weight)):
        op.Problem(op.smooth.Function(callables.nothing, callables.zeros), term, X.shape)  # which checks the shape
    return _stepped(term, X, t)


@np.errstate(all="ignore")
def _stepped(g, X, t):
    step = min(t, 0.5 / g.modulus) if g.modulus > 0 else t
    P = g.prox(X, step)
    more = (g.min_norm_subgradient(P, X), g.directional_derivative(P, 0 * X)) if hasattr(g, "min_norm_subgradient") else ()
    return g.value(P), P, *more


def problems(pick: Pick) -> Call:
    """A ready-made problem, evaluated at a point."""
    kind = pick.draw(st.sampled_from(["sparse_pca", "quadratic", "compressed_modes", "graph_matching"]))
    m, n = shape = pick.draw(shapes)
    seed, dtype = pick.draw(SEEDS), pick.draw(st.sampled_from(TYPES))
    weights = np.abs(entries(seed, shape))
    mu_kinds = numbers(*MU), st.one_of(NOT_A_WEIGHT, bad_matrices(weights)), EXTREMES
    columns, options = (integers(n, n), st.one_of(NOT_WHOLE, st.just(99))), {}
    if kind == "sparse_pca":
        A = _data(pick, "A", entries(seed, (12, m), dtype), dtype, sparse=True)
        arguments = A, pick("n", *columns), pick("mu", *mu_kinds)
        options = _columns(pick, m)
    elif kind == "quadratic":
        A = entries(seed, (m, m), dtype)
        A = _data(pick, "A", np.maximum(A, A.T), dtype, sparse=True)
        arguments = A, _data(pick, "B", entries(seed, shape), "float64", sparse=False), pick("mu", *mu_kinds)
    elif kind == "compressed_modes":
        m = max(m, 3)
        arguments = (
            pick("m", integers(m, m), st.one_of(NOT_WHOLE, st.integers(-1, 2))),
            pick("n", *columns),
            pick("mu", *mu_kinds),
        )
    else:
        return _graph_matching(pick, seed)
    return pick.call(
        f"problems.{kind}", lambda: _at_a_point(getattr(op.problems, kind)(*arguments, **options)), check=_finite(pick)
    )


def _graph_matching(pick, seed):
    points = 100 * entries(seed, (6, 2))
    points1 = _data(pick, "points1", points, "float64", sparse=False)
    points2 = _data(pick, "points2", points[:4], "float64", sparse=False)
    mu = pick("mu", numbers(*MU), NOT_A_WEIGHT, EXTREMES)
    options = {"width": pick("width", numbers(1.0, 2500.0), NONPOSITIVE, EXTREMES)} if pick.draw(st.booleans()) else {}
    return pick.call(
        "problems.graph_matching",
        lambda: _at_a_point(op.problems.graph_matching(points1, points2, mu, **options)),
        check=_finite(pick),
    )


@np.errstate(all="ignore")
def _at_a_point(problem):
    X = manifold_point(0, problem.shape)
    return problem.value(X), problem.grad(X), problem.prox(X, 0.1)


def checks(pick: Pick) -> Call:
    """The checks for terms of one's own."""
    recipe = pick.draw(recipes(callables_too=True))
    good = entries(pick.draw(SEEDS), recipe.shape)
    X = pick("X", layouts(good), bad_matrices(good), daring_matrices(good))
    options = {}
    if pick.draw(st.booleans()):
        options["tol"] = pick("tol", numbers(1e-4), NONPOSITIVE, EXTREMES)
    if pick.draw(st.booleans()):
        options["seed"] = pick("seed", GENERATORS, NOT_SEEDS, EXTREME_SEEDS)
    daring = Quality.GOOD if recipe.honest and not recipe.quirky and "tol" not in options else Quality.DARING
    pick.arguments["problem"] = recipe
    if pick.draw(st.booleans()):
        which = pick("smooth", st.just(ITS_OWN), NOT_A_THING)
        return pick.call(
            "checks.check_grad",
            lambda: op.checks.check_grad(recipe.build().smooth if which is ITS_OWN else which, X, **options),
            quality=daring,
            check=_finite(pick),
        )
    which = pick("nonsmooth", st.just(ITS_OWN), NOT_A_THING)
    if pick.draw(st.booleans()):
        options["t"] = pick("t", numbers(0.1, 0.5), st.one_of(NONPOSITIVE, st.just(1e3)), EXTREMES)
    return pick.call(
        "checks.check_prox",
        lambda: op.checks.check_prox(recipe.build().nonsmooth if which is ITS_OWN else which, X, **options),
        quality=daring,
    )


def assignment(pick: Pick) -> Call:
    """The assignment and its F-measure."""
    _m, n = shape = pick.draw(shapes)
    if pick.draw(st.booleans()):
        good = entries(pick.draw(SEEDS), shape)
        X = pick("X", layouts(good), bad_matrices(good), daring_matrices(good))
        return pick.call("assignment.assign", lambda: op.assignment.assign(X), check=_finite(pick))
    rows = np.arange(n)
    bad = st.one_of(
        NOT_A_THING,
        st.sampled_from([rows[:0], np.eye(2), ["a"] * n, rows + 0.5, rows * np.nan, WORDS[0], rows + 1j, [[0], [1, 2]]]),
    )
    good = st.sampled_from([rows, rows.tolist(), tuple(rows), rows[::-1], rows.astype(np.uint8)])
    matched, options = pick("matched", good, bad), {}
    if pick.draw(st.booleans()):
        options["truth"] = pick("truth", good, bad.filter(lambda v: v is not None))
    return pick.call("assignment.f_measure", lambda: op.assignment.f_measure(matched, **options), check=_finite(pick))


CALLS = {smooth: 7, nonsmooth: 7, problems: 6, checks: 4, assignment: 2}
