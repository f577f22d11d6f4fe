"""Calls of the estimators."""

import numpy as np
from hypothesis import strategies as st

from fuzz.pick import SEEDS, Call, Pick, Quality
from fuzz.results import Found
from fuzz.values import FLAGS, NONPOSITIVE, NOT_A_THING, numbers
from orthoprox import RowSparseSelector, SparsePCA, anndata, match_graphs

# What scikit-learn itself refuses, with an exception of its own, is left out.
KINDS = {
    "alpha": (st.sampled_from([0, 0.1, np.float64(0.5), 1.0]),),
    "n_nonzero": (st.sampled_from([4, 5, 7, 0.5, [1, 3], None]), st.sampled_from([1, 99, [1], [0, 3], [9, 9]])),
    "penalty": (st.sampled_from(["l1", "l21", "mcp", "scad"]),),
    "criterion": (st.sampled_from(["variance", "adjusted"]),),
    "start": (st.sampled_from(["auto", "pca", "coordinates", "random"]), st.just(np.ones((2, 2)))),
    "center": (FLAGS, st.just([1.0, 2.0])),
    "scale": (FLAGS, st.just([1.0, 2.0, 0.0, 1.0, 1.0])),
    "refit": (FLAGS,),
    "n_init": (st.sampled_from([1, 2]),),
}


def estimator(pick: Pick) -> Call:
    """SparsePCA on a small table: its components are orthonormal, ordered, and explain a share."""
    given = {name: pick(name, *kind) for name, kind in KINDS.items() if pick.draw(st.booleans())}
    if given.get("penalty") == "l21" and isinstance(given.get("n_nonzero"), list):
        del given["n_nonzero"]
    seed, unit = pick("data", SEEDS), pick("unit", st.sampled_from([1e-3, 1.0, 1e3]))
    A = unit * np.random.default_rng(seed).standard_normal((12, 5))

    def check(fitted, warned=frozenset()):
        found, X = Found(), fitted.components_
        found.unless(np.max(np.abs(X @ X.T - np.eye(2))) <= 1e-12, "components that are not orthonormal")
        found.unless(0 <= np.sum(fitted.explained_variance_ratio_) <= 1 + 1e-9, "shares beyond 1")
        found.unless(np.all(np.isfinite(fitted.transform(A))), "scores that are not finite")
        return found

    return pick.call("SparsePCA", lambda: SparsePCA(2, random_state=0, **given).fit(A), check=check)


def selector(pick: Pick) -> Call:
    """RowSparseSelector on a small table: exactly the wanted variables, components on them."""
    number = pick("n_features", st.sampled_from([1, 3, 5]), st.sampled_from([6, 99]))
    given = {name: pick(name, *KINDS[name]) for name in ("center", "scale", "criterion") if pick.draw(st.booleans())}
    A = np.random.default_rng(pick("data", SEEDS)).standard_normal((12, 5))

    def check(fitted, warned=frozenset()):
        found = Found()
        found.unless(np.sum(fitted.get_support()) == number, "another number of variables")
        found.unless(not np.any(fitted.components_[:, ~fitted.support_]), "components on other variables")
        return found

    return pick.call("RowSparseSelector", lambda: RowSparseSelector(number, **given).fit(A), check=check)


def matching(pick: Pick) -> Call:
    """match_graphs on a few points: every point of the smaller set once, a score in [0, 1]."""
    rng, unit = np.random.default_rng(pick("data", SEEDS)), pick("unit", st.sampled_from([1e-3, 1.0, 1e3]))
    m, n = pick("m", st.integers(3, 7), st.integers(0, 2)), pick("n", st.integers(3, 7), st.integers(0, 2))
    points1, points2 = unit * rng.standard_normal((m, 2)), unit * rng.standard_normal((n, 2))
    kinds = {"width": (numbers(0.1, 10.0), NONPOSITIVE), "n_starts": (st.sampled_from([1, 2]), NONPOSITIVE)}
    given = {name: pick(name, *kind) for name, kind in kinds.items() if pick.draw(st.booleans())}

    def check(match, warned=frozenset()):
        found, matched = Found(), match.assignment[match.assignment >= 0]
        found.unless(len(matched) == min(m, n) == len(set(matched.tolist())), "points that are matched twice or not")
        found.unless(0 <= match.score <= 1 + 1e-9, "a score beyond 1")
        return found

    return pick.call("match_graphs", lambda: match_graphs(points1, points2, **given), check=check)


def cells(pick: Pick) -> Call:
    """What is no AnnData is refused; what is one is tested in tests/test_anndata.py."""
    adata = pick("adata", st.just(None), NOT_A_THING)
    pick.quality = Quality.BAD
    return pick.call("anndata.spca", lambda: anndata.spca(adata, 2))


CALLS = {estimator: 2, selector: 1, matching: 1, cells: 1}
SparsePCA(2, n_nonzero=4).fit(np.diag([1.0, 2.0, 3.0]))  # scikit-learn's late imports draw random numbers
