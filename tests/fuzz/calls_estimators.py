"""Calls of the estimators."""

import numpy as np
from hypothesis import strategies as st

from fuzz.pick import SEEDS, Call, Pick
from fuzz.results import Found
from fuzz.values import FLAGS
from orthoprox import SparsePCA

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


CALLS = {estimator: 2}
SparsePCA(2, n_nonzero=4).fit(np.diag([1.0, 2.0, 3.0]))  # scikit-learn's late imports draw random numbers
