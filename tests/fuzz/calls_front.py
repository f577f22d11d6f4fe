"""Calls of the front door: minimize, solve, path, certificate, and the methods of a result."""

from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import strategies as st

import orthoprox as op
from fuzz.arrays import bad_matrices, daring_matrices, entries, layouts
from fuzz.pick import SEEDS, Call, Pick, Quality, one_in
from fuzz.results import Found, ResultCheck
from fuzz.scales import any_recipes, scaled_recipes
from fuzz.solving import (
    NOT_RULES,
    TOLERANCES,
    as_point,
    bad_points,
    callbacks,
    failing_callbacks,
    manifold_point,
    method_parameters,
    methods_for,
    parameters,
    points,
    rules,
)
from fuzz.terms import WEIGHTED, recipes, shapes
from fuzz.values import (
    EXTREME_SEEDS,
    EXTREMES,
    FLAGS,
    NONPOSITIVE,
    NOT_A_THING,
    NOT_A_WEIGHT,
    NOT_FLAGS,
    NOT_SEEDS,
    NOT_WHOLE,
    WORDS,
    integers,
    numbers,
)
from fuzz.values import SEEDS as GENERATORS
from judge import distance, norm

NAMES = ["random", "coordinates", "pca", "smoothed", "auto"]


def _build(recipe):
    """Return the problem of a recipe, or what was given in its place."""
    return recipe.build() if hasattr(recipe, "build") else recipe


def _options(pick: Pick, names: list[str]) -> dict:
    """Draw some of the options of minimize."""
    kinds = {
        "tol": (numbers(*TOLERANCES), NONPOSITIVE, EXTREMES),
        "polish": (st.one_of(FLAGS, st.just("auto")), NOT_FLAGS.filter(lambda v: not isinstance(v, str) or v != "auto"), None),
        "project": (FLAGS, NOT_FLAGS, None),
        "seed": (GENERATORS, NOT_SEEDS, EXTREME_SEEDS),
        "history": (FLAGS, NOT_FLAGS, None),
        "callback": (callbacks, st.sampled_from([1, "f", np.eye(2), True]), failing_callbacks),
        "max_seconds": (numbers(0.001, 0.05, 5.0), NONPOSITIVE.filter(lambda v: v is not None), EXTREMES),
        "stop": (rules(), NOT_RULES, None),
    }
    return {name: pick(name, *kinds[name]) for name in names if one_in(4, pick.draw)}


def minimize(pick: Pick) -> Call:
    """A call of ``op.minimize``."""
    recipe = pick("problem", any_recipes(), NOT_A_THING)
    made = recipe if hasattr(recipe, "build") else pick.draw(recipes())
    named = st.sampled_from([*3 * NAMES[:2], *NAMES])
    start = pick("start", st.one_of(named, points(made.shape)), bad_points(made.shape))
    options = _options(pick, ["tol", "polish", "project", "seed", "history", "callback", "max_seconds", "stop"])
    options["max_iterations"] = pick("max_iterations", integers(0, 40), NOT_WHOLE.filter(lambda v: v is not None))
    if pick.draw(st.integers(0, 1)):
        options["method"] = pick("method", st.sampled_from(methods_for(made)), st.one_of(NOT_A_THING, st.sampled_from(WORDS)))
    if one_in(8, pick.draw):
        options |= _parameters(pick, options)
    if one_in(12, pick.draw):
        options["n_starts"] = pick("n_starts", _several(made), NOT_WHOLE)
    prints = one_in(61, pick.draw)
    if prints:
        options["progress"] = pick("progress", FLAGS, NOT_FLAGS)
    daring = Quality.DARING if _daring(options, start) else Quality.GOOD
    check = ResultCheck(
        made,
        tol=_tolerance(options),
        start=as_point(start) if pick.quality is Quality.GOOD and not options.get("project") else None,
        descends="stop" not in options,
        warns=True,
    )
    return pick.call(
        "minimize",
        lambda: op.minimize(_build(recipe), start, **options),
        quality=daring if made.honest and not made.daring else Quality.DARING,
        late=made.late and pick.quality is Quality.GOOD and daring is Quality.GOOD,
        check=check,
        prints=prints,
    )


def _several(recipe):
    """More than one start, in processes only now and then: these take half a second to begin."""
    processes = st.sampled_from([1] * 30 + [2])
    return integers(1, 3) if "Function" in (recipe.smooth[0], recipe.nonsmooth[0]) and not recipe.honest else processes


def _parameters(pick: Pick, options: dict) -> dict:
    """Draw parameters of a method, which minimize takes beside its own options."""
    name = options.get("method", "lsalm")
    if not isinstance(name, str) or name not in op.SOLVERS:
        return {"rho": 1.0}
    return pick.draw(parameters(op.SOLVERS[name], pick)) if method_parameters(name) else {}


def _daring(options: dict, start) -> bool:
    """Whether the options can be refused together, though each is good."""
    parameterised = set(options) - {
        "tol", "polish", "project", "seed", "history", "callback", "max_seconds", "stop", "max_iterations", "method"
    }  # fmt: skip
    return bool(parameterised) or not isinstance(start, str)


def _tolerance(options: dict) -> float | None:
    """The tolerance that CONVERGED stands for; None if it is no number, or a rule takes its
    place.
    """
    tol = options.get("tol", 1e-6)
    if "stop" in options or tol is np.ma.masked:
        return None
    try:
        return float(tol)
    except (TypeError, ValueError, OverflowError):
        return None


def solve(pick: Pick) -> Call:
    """A call of ``op.solve``, with any method and any of its parameters."""
    recipe = pick("problem", any_recipes(), NOT_A_THING)
    made = recipe if hasattr(recipe, "build") else pick.draw(recipes())
    name = pick("method", st.sampled_from(methods_for(made)))
    given = pick.draw(parameters(op.SOLVERS[name], pick)) if one_in(3, pick.draw) else {}
    start = pick("X0", points(made.shape), bad_points(made.shape))
    options = {"stop": pick("stop", rules(), NOT_RULES)}
    kinds = {"every": (integers(1, 9), NOT_WHOLE.filter(lambda v: v is not None), None), "history": (FLAGS, NOT_FLAGS, None)}
    kinds["callback"] = callbacks, st.sampled_from([1, "f", True]), failing_callbacks
    for option, kind in kinds.items():
        if one_in(4, pick.draw):
            options[option] = pick(option, *kind)
    daring = Quality.DARING if given or not made.honest or made.daring or _single(start, made) else Quality.GOOD
    late = made.late and pick.quality is Quality.GOOD and not given and not _single(start, made)
    return pick.call(
        "solve",
        lambda: op.solve(_build(recipe), op.SOLVERS[name](**given), start, **options),
        quality=daring,
        late=late,
        check=ResultCheck(made),
    )


def _single(start, recipe) -> bool:
    """Whether the start may be too coarse for the precision of the problem."""
    return getattr(start, "dtype", np.dtype(float)) != np.dtype(float)


def path(pick: Pick) -> Call:
    """A call of ``op.path``."""
    recipe = pick("problem", recipes(kinds=WEIGHTED), NOT_A_THING, any_recipes())
    made = recipe if hasattr(recipe, "build") else pick.draw(recipes())
    weights = st.lists(numbers(0.0, 0.1, 0.5, 1.0, 5.0), min_size=1, max_size=3)
    forms = st.builds(
        lambda form, mus: form([float(mu) for mu in mus]), st.sampled_from([list, tuple, np.array, iter]), weights
    )
    bad = st.one_of(NOT_A_THING, st.lists(NOT_A_WEIGHT, max_size=2), st.just(np.eye(2)), st.just({"a": 1}))
    mus = pick("mus", forms, bad, st.lists(EXTREMES, min_size=1, max_size=2))
    start = pick("start", st.sampled_from(["random", "coordinates"]), bad_points(made.shape))
    options = {"max_iterations": pick("max_iterations", integers(0, 15), NOT_WHOLE.filter(lambda v: v is not None))}
    options |= _options(pick, ["tol", "polish", "seed", "history"])
    return pick.call(
        "path",
        lambda: op.path(_build(recipe), mus, start, **options),
        check=ResultCheck(replace(made, plain=None), tol=_tolerance(options)),
    )


def certificate(pick: Pick) -> Call:
    """A call of ``op.certificate``."""
    recipe = pick("problem", recipes(), NOT_A_THING, scaled_recipes())
    made = recipe if hasattr(recipe, "build") else pick.draw(recipes())
    near = entries(pick.draw(SEEDS), made.shape)
    X = pick("X", st.one_of(points(made.shape), layouts(near)), bad_matrices(near), daring_matrices(near))
    n = made.shape[1]
    Y = near[:n].T @ near[:n]
    options = {}
    if pick.draw(st.booleans()):
        options["multiplier"] = pick("multiplier", layouts(Y), bad_matrices(Y), daring_matrices(Y))
    return pick.call("certificate", lambda: op.certificate(_build(recipe), X, **options), check=_bracketed(made, pick.quality))


def _bracketed(recipe, quality):
    """Check that the certificate's bounds hold, with the judge."""

    def check(proof, warned=frozenset()):
        found = Found()
        found.unless(not (proof.lower > proof.upper), f"lower bound {proof.lower} above upper bound {proof.upper}")
        if quality is not Quality.GOOD:
            return found
        found.unless(np.isfinite(proof.upper), f"the upper bound is {proof.upper}")
        if not found.broken and recipe.plain is not None:
            P = np.asarray(proof.point, dtype=float)
            C = recipe.plain.grad(P)
            exact = distance(C, P, recipe.plain.subdifferential(P))
            exactly = proof.point.dtype == np.float64 and recipe.dtype == "float64"
            slack = (1e-9 if exactly else 1e-3) * (norm(C) + proof.subgradient)
            found.claims = 1
            found.unless(proof.lower <= exact + slack, f"judge: lower bound {proof.lower} above the distance {exact}")
            found.unless(exact <= proof.upper + slack, f"judge: upper bound {proof.upper} below the distance {exact}")
        return found

    return check


@cache
def _finished(kind: int):
    """Return a result to call methods of."""
    import warnings

    A = entries(kind, (9, 5))
    problem = op.Problem(
        op.smooth.Variance(A), [op.nonsmooth.L1(0.5), op.nonsmooth.Nonnegative(), op.nonsmooth.Zero()][kind], (5, 2)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return op.minimize(problem, manifold_point(kind, (5, 2)), max_iterations=5 + 20 * kind)


def result_methods(pick: Pick) -> Call:
    """A call of a method of a result."""
    result = _finished(pick("kind", st.integers(0, 2)))
    name = pick(
        "name", st.sampled_from(["projected", "to_dict", "repr", "properties", "relative", *(["plot"] if _drawn(pick) else [])])
    )
    if name == "to_dict":
        arrays = pick("arrays", FLAGS)
        return pick.call("Result.to_dict", lambda: result.to_dict(arrays=arrays))
    if name == "repr":
        return pick.call("Result.__repr__", lambda: repr(result))
    if name == "relative":
        floor = pick("floor", numbers(0.0, 0.1, 100.0))
        return pick.call("Certificate.relative", lambda: result.certificate.relative(float(floor)))
    if name == "properties":
        return pick.call(
            "Result properties", lambda: (result.converged, result.objective, result.sparsity, result.stationarity)
        )
    return pick.call(f"Result.{name}", getattr(result, name))


def _drawn(pick: Pick) -> bool:
    """Whether to draw a picture, which takes a tenth of a second."""
    return one_in(21, pick.draw)


def problem(pick: Pick) -> Call:
    """The class ``op.Problem`` itself."""
    shape = pick.draw(shapes)
    recipe = pick.draw(recipes(shape))
    ell = pick("smooth", st.just(None).map(lambda _: recipe.build().smooth), NOT_A_THING)
    g = pick("nonsmooth", st.just(None).map(lambda _: recipe.build().nonsmooth), NOT_A_THING)
    bad = st.one_of(
        NOT_A_THING, st.sampled_from([(0, 0), (2, 3), (3,), (3, 2, 1), (-1, 1), (2.0, 1.0), (1e9, 1), "ab", (None, 1), [10, 2]])
    )
    given = pick("shape", st.sampled_from([shape, list(shape), tuple(map(np.int64, shape))]), bad)
    return pick.call("Problem", lambda: op.Problem(ell, g, given))


CALLS = {
    minimize: 10,
    solve: 9,
    path: 3,
    certificate: 5,
    result_methods: 1,
    problem: 2,
}
