"""Calls of the estimators."""

import numpy as np
from hypothesis import strategies as st

from fuzz.pick import SEEDS, Call, Pick
from fuzz.results import Found
from fuzz.values import FLAGS, NOT_FLAGS, NOT_WHOLE, integers, numbers
from orthoprox import SparsePCA

SHARES = numbers(0.0, 0.1, 0.5, 1.0), st.sampled_from([-0.1, 1.5, np.nan, "x", None])
COUNTS = st.sampled_from([4, 5, 7, 0.5, [1, 3], None]), st.sampled_from([0, 1, 99, 2.5, [1], [0, 3], "x"])
NAMES = {
    "penalty": (st.sampled_from(["l1", "l21", "mcp", "scad"]), st.sampled_from(["l2", 3, None])),
    "criterion": (st.sampled_from(["variance", "adjusted"]), st.sampled_from(["bic", 0, None])),
    "start": (st.sampled_from(["auto", "pca", "coordinates", "random"]), st.sampled_from(["best", 1, None])),
}


def estimator(pick: Pick) -> Call:
    """SparsePCA on a small table: its components are orthonormal, ordered, and explain a share."""
    kinds = {"alpha": SHARES, "n_nonzero": COUNTS, **NAMES}
    kinds |= {name: (FLAGS, NOT_FLAGS) for name in ("center", "scale", "refit")}
    kinds |= {"n_init": (integers(1, 2), NOT_WHOLE)}
    given = {name: pick(name, *kind) for name, kind in kinds.items() if pick.draw(st.booleans())}
    if given.get("penalty") == "l21" and isinstance(given.get("n_nonzero"), list):
        del given["n_nonzero"]
    seed, unit = pick("data", SEEDS), pick("unit", numbers(1e-3, 1.0, 1e3))
    A = unit * np.random.default_rng(seed).standard_normal((12, 5))

    def check(fitted, warned=frozenset()):
        found, X = Found(), fitted.components_
        found.unless(np.max(np.abs(X @ X.T - np.eye(2))) <= 1e-12, "components that are not orthonormal")
        found.unless(0 <= np.sum(fitted.explained_variance_ratio_) <= 1 + 1e-9, "shares beyond 1")
        found.unless(np.all(np.isfinite(fitted.transform(A))), "scores that are not finite")
        return found

    return pick.call("SparsePCA", lambda: SparsePCA(2, random_state=0, **given).fit(A), check=check)


CALLS = {estimator: 2}
