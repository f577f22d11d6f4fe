"""Calls of the smaller public functions: rules, methods, starts, geometry, data, theory."""

import tempfile
from dataclasses import fields
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import orthoprox as op
from fuzz.arrays import bad_matrices, daring_matrices, entries, layouts
from fuzz.calls_terms import _finite
from fuzz.pick import SEEDS, Call, Pick, Quality
from fuzz.results import Found
from fuzz.solving import manifold_point, parameters, rules
from fuzz.terms import recipes, shapes
from fuzz.values import (
    EXTREME_SEEDS,
    EXTREMES,
    FLAGS,
    NONPOSITIVE,
    NOT_A_NUMBER,
    NOT_A_THING,
    NOT_A_WEIGHT,
    NOT_FLAGS,
    NOT_SEEDS,
    NOT_WHOLE,
    integers,
    numbers,
)
from fuzz.values import SEEDS as GENERATORS
from orthoprox import datasets, stopping

POSITIVE = numbers(0.01, 0.5, 1.0, 3.0), NONPOSITIVE, EXTREMES
WEIGHT = numbers(0.0, 0.5, 1.0), NOT_A_WEIGHT, EXTREMES
ANY = numbers(0.0, 0.5, 3.0), NOT_A_NUMBER, EXTREMES


def _some(pick: Pick, kinds: dict, *, needed=()) -> dict:
    return {name: pick(name, *kind) for name, kind in kinds.items() if name in needed or pick.draw(st.booleans())}


def rule(pick: Pick) -> Call:
    """A stopping rule, alone and combined."""
    kinds = {
        "Stationary": {"tol": POSITIVE},
        "Below": {"step": WEIGHT, "constraint": WEIGHT},
        "ObjectiveBelow": {"target": ANY},
        "MaxIterations": {"iterations": (integers(0, 9), NOT_WHOLE, None)},
        "MaxSeconds": {"seconds": POSITIVE},
        "Leaves": {"radius": POSITIVE, "grace": (integers(0, 9), NOT_WHOLE, None)},
    }
    name = pick.draw(st.sampled_from([*kinds, "|", "&", "sparse_pca_rsm"]))
    if name in ("|", "&"):
        first, second = pick("first", rules()), pick("second", rules(), NOT_A_THING)
        return pick.call(f"stopping {name}", lambda: first | second if name == "|" else first & second)
    if name == "sparse_pca_rsm":
        baseline = pick("baseline", *ANY)
        return pick.call("stopping.paper.sparse_pca_rsm", lambda: stopping.paper.sparse_pca_rsm(baseline))
    given = _some(pick, kinds[name], needed=kinds[name])
    return pick.call(f"stopping.{name}", lambda: getattr(stopping, name)(**given))


def method(pick: Pick) -> Call:
    """A method with parameters."""
    name = pick("method", st.sampled_from(list(op.SOLVERS)))
    given = pick.draw(parameters(op.SOLVERS[name], pick))

    def check(solver, warned=frozenset()):
        found = Found()
        found.unless(len(fields(solver)) == len(fields(op.SOLVERS[name])), "fields are missing")
        found.unless(isinstance(repr(solver), str), "no repr")
        return found

    kind = op.SOLVERS[name]
    daring = Quality.DARING if given else Quality.GOOD
    return pick.call(f"solvers.{kind.__name__}", lambda: kind(**given), quality=daring, check=check)


def start(pick: Pick) -> Call:
    """A start by its function."""
    recipe = pick("problem", recipes(), NOT_A_THING)
    rng = pick(
        "rng", st.builds(np.random.default_rng, st.integers(0, 99)), st.one_of(NOT_SEEDS, st.just(None)), st.integers(0, 9)
    )
    name = pick("name", st.sampled_from(list(op.starts.STARTS)))
    shape = getattr(recipe, "shape", None)

    def check(X, warned=frozenset()):
        found = Found()
        found.unless(X.shape == shape and np.isfinite(X).all(), f"shape {X.shape}, or not finite")
        gap = np.linalg.norm(X.T @ X - np.eye(X.shape[1]))
        found.unless(gap <= X.shape[1] * np.finfo(X.dtype).eps ** 0.5, f"off the manifold by {gap}")
        return found

    made = recipe.build if hasattr(recipe, "build") else lambda: recipe
    return pick.call(f"starts.{name}", lambda: op.starts.STARTS[name](made(), rng), check=check)


def geometry(pick: Pick) -> Call:
    """A function of ``op.stiefel`` or ``op.metrics``."""
    m, n = shape = pick.draw(shapes)
    seed = pick.draw(SEEDS)
    names = [
        "sym",
        "defect",
        "feasibility",
        "tangent",
        "multiplier",
        "qr",
        "polar",
        "inner",
        "norm",
        "random_point",
        "sparsity",
    ]
    name = pick.draw(st.sampled_from(names))
    if name == "random_point":
        rows, columns = pick("m", integers(m, m), NOT_WHOLE), pick("n", integers(n, n), st.one_of(NOT_WHOLE, st.just(99)))
        options = _some(pick, {"seed": (GENERATORS, NOT_SEEDS, EXTREME_SEEDS)})
        return pick.call("stiefel.random_point", lambda: op.stiefel.random_point(rows, columns, **options), check=_finite(pick))
    good = entries(seed, (m, m)) if name == "sym" else manifold_point(seed, shape)
    arrays = layouts(good).filter(lambda X: type(X) is np.ndarray and X.dtype.isnative and X.dtype == np.float64)
    unusual = st.one_of(daring_matrices(good), layouts(good), layouts(good, "float32"))
    arguments = [pick("X", arrays, bad_matrices(good), unusual)]
    if name in ("tangent", "multiplier", "inner"):
        arguments.append(pick("W", arrays, bad_matrices(good), unusual))
    room = op.metrics if name == "sparsity" or (name == "feasibility" and pick.draw(st.booleans())) else op.stiefel
    return pick.call(
        f"{'stiefel' if room is op.stiefel else 'metrics'}.{name}",
        lambda: getattr(room, name)(*arguments),
        check=_good_only(pick),
    )


def _good_only(pick):
    finite = _finite(pick)
    return lambda value, warned=frozenset(): finite(value, warned) if pick.quality is Quality.GOOD else Found()


def evaluator(pick: Pick) -> Call:
    """The evaluator of ``op.metrics``."""
    recipe = pick("problem", recipes())
    X0 = pick("X0", st.just(manifold_point(pick.draw(SEEDS), recipe.shape)))

    def run():
        made = op.metrics.Evaluator.at(recipe.build(), X0)
        proof = made.certify(X0, None, work=pick.arguments["work"])
        return made.measure(X0, proof).kkt_error, made.stationarity(proof), made.kkt_error(X0, proof)

    pick("work", st.sampled_from([0, 5, 50]))
    if pick.draw(st.booleans()):
        return pick.call("metrics.is_worse", lambda: op.metrics.is_worse(recipe.build(), X0, 0.0, slack=1e-3))
    return pick.call("metrics.Evaluator", run, check=_proved)


def _proved(errors, warned=frozenset()):
    """Check that no error is NaN; an infinite one proves nothing, which is true."""
    found = Found()
    found.unless(not np.isnan(errors).any(), f"NaN among the errors {errors}")
    return found


def data(pick: Pick) -> Call:
    """A data set."""
    name = pick.draw(st.sampled_from(["five_components", "random_quadratic", "synthetic_house", "cmu_house", "pitprops"]))
    if name == "pitprops":
        return pick.call("datasets.pitprops", lambda: datasets.pitprops().correlation, check=_finite(pick))
    seed = {"seed": (GENERATORS, NOT_SEEDS, EXTREME_SEEDS)}
    if name == "five_components":
        needed = {"p": (st.sampled_from([5, 10, np.int64(20)]), st.one_of(NOT_WHOLE, st.sampled_from([0, 4, 7])))}
        needed |= {"m": (integers(2, 9), st.one_of(NOT_WHOLE, st.sampled_from([0, 1])))}
        options = {"sd": WEIGHT, "center": (FLAGS, NOT_FLAGS)} | seed
    elif name == "random_quadratic":
        needed, options = {"m": (integers(5, 9), NOT_WHOLE), "n": (integers(1, 5), st.one_of(NOT_WHOLE, st.just(99)))}, seed
    elif name == "synthetic_house":
        needed = {}
        options = {"frames": (integers(1, 4), NOT_WHOLE), "points": (integers(4, 40), NOT_WHOLE), "noise": WEIGHT} | seed
    else:
        return _cmu_house(pick)
    given = _some(pick, needed | options, needed=needed)
    return pick.call(f"datasets.{name}", lambda: getattr(datasets, name)(**given), check=_finite(pick))


FOLDER = tempfile.TemporaryDirectory(prefix="fuzz")
(Path(FOLDER.name) / "cmum.mat").write_bytes(b"no such file")
(Path(FOLDER.name) / "label").mkdir()


NO_PATHS = [
    3,
    1.5,
    None,
    b"x",
    [],
    True,
    "",
    "a\x00b",
    FOLDER.name,
    Path(FOLDER.name) / "label",
    Path(FOLDER.name) / "no" / "x",
]


def file(pick: Pick) -> Call:
    """A result in a file: written and read again, or read where there is none."""
    recipe, name = pick("problem", recipes()), pick.draw(st.sampled_from(["save", "load"]))
    good = [Path(FOLDER.name) / "result.npz", str(Path(FOLDER.name) / "result"), Path(FOLDER.name) / "cmum ä.mat"]
    path = pick("path", st.sampled_from(good), st.sampled_from(NO_PATHS))
    if name == "load":
        there = pick("file", st.sampled_from(["cmum.mat", "no such file"]))
        path = path if pick.quality is Quality.BAD else Path(FOLDER.name) / there
        return pick.call("Result.load", lambda: op.Result.load(path), quality=Quality.BAD, missing_file=True)

    def run():
        result = op.solve(recipe.build(), op.LSALM(), manifold_point(0, recipe.shape), stop=stopping.MaxIterations(1))
        result.save(path)
        return result, op.Result.load(path)

    def check(pair, warned=frozenset()):
        found = Found()
        found.unless(repr(pair[0]) == repr(pair[1]), f"{pair[1]!r} was {pair[0]!r}")
        found.unless(np.array_equal(pair[0].X, pair[1].X), "another X")
        return found

    return pick.call("Result.save", run, check=check, missing_file=True)


def _cmu_house(pick: Pick) -> Call:
    bad = st.sampled_from(
        [
            FOLDER.name,
            Path(FOLDER.name) / "label",
            "no/such/folder",
            "a\x00b",
            3,
            1.5,
            b"x",
            [],
            "x" * 400,
            "~nobody/x",
            True,
            "/dev/null",
        ]
    )
    folder = pick("folder", bad)
    return pick.call("datasets.cmu_house", lambda: datasets.cmu_house(folder), quality=Quality.BAD, missing_file=True)


def theory(pick: Pick) -> Call:
    """What the paper proves about parameters."""
    if pick.draw(st.booleans()):
        kinds = {
            "lipschitz": POSITIVE,
            "gap": POSITIVE,
            "lipschitz_g": WEIGHT,
            "radius": (numbers(1.5, 2.0), NONPOSITIVE, EXTREMES),
        }
        kinds |= {"eps": POSITIVE, "delta": (numbers(0.3, 0.5), NONPOSITIVE, EXTREMES), "xi": POSITIVE}
        given = _some(pick, kinds, needed=("lipschitz", "gap"))
        return pick.call("theoretical_parameters", lambda: op.theoretical_parameters(**given))
    kinds = {
        "rho": WEIGHT,
        "lam": POSITIVE,
        "r": WEIGHT,
        "alpha": POSITIVE,
        "beta": POSITIVE,
        "eps": WEIGHT,
        "curvature": WEIGHT,
    }
    given = _some(pick, kinds, needed=("rho", "lam", "r", "alpha", "beta"))
    return pick.call("stability_radius", lambda: op.stability_radius(**given), check=_finite(pick))


CALLS = {rule: 2, method: 4, start: 3, geometry: 5, evaluator: 1, data: 3, theory: 2, file: 2}
