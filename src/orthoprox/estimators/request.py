"""The parameters of an estimator, checked against the shape of its data."""

from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from orthoprox._arrays import inputs
from orthoprox._arrays.words import short
from orthoprox.estimators import table
from orthoprox.estimators.covariance import Covariance
from orthoprox.estimators.penalty import NAMES
from orthoprox.estimators.quota import Quota
from orthoprox.estimators.wanted import Wanted
from orthoprox.nonsmooth.base import Nonsmooth

# What scikit-learn checks of the parameters, whatever the data are.
CONSTRAINTS: dict[str, Any] = {
    "n_components": [Interval(Integral, 1, None, closed="left"), None],
    "alpha": [Interval(Real, 0, 1, closed="both")],
    "n_nonzero": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither"), "array-like", None],
    "penalty": [StrOptions(set(NAMES)), Nonsmooth],
    "center": ["boolean", "array-like"],
    "scale": ["boolean", "array-like"],
    "refit": ["boolean"],
    "nonnegative": ["boolean"],
    "criterion": [StrOptions({"variance", "adjusted"})],
    "effort": [StrOptions({"fast", "normal", "thorough"}), None],
    "start": [StrOptions({"auto", "pca", "coordinates", "random", "smoothed"}), "array-like"],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left"), None],
    "max_seconds": [Interval(Real, 0, None, closed="neither"), None],
    "random_state": ["random_state"],
    "warm_start": ["boolean"],
    "verbose": ["verbose"],
    "checkpoint": [str, PathLike, None],
    "checkpoint_every": [Interval(Real, 0, None, closed="left")],
    "resume": ["boolean"],
}


def asked(estimator: Any, X: Any) -> tuple[Covariance, Wanted, list[str]]:
    """Return the covariance of data, what the estimator wants of it, and the names of variables;
    nothing is fitted.
    """
    estimator._validate_params()
    other = clone(estimator)
    data = table.checked(other, X, samples=2)
    (covariance, *_), _ = table.covariance(data, estimator.center, estimator.scale, shown=estimator.verbose)
    return covariance, wanted(estimator, data.shape), other._names()


def wanted(estimator: Any, shape: tuple[int, int]) -> Wanted:
    """Return what the estimator wants of data of shape (samples, variables)."""
    samples, m = shape
    n = min(m, samples) if estimator.n_components is None else int(estimator.n_components)
    if n > m:
        raise ValueError(f"n_components={n} is larger than the {m} variable(s), n_features={m}; ask for at most {m}.")
    _check_penalty(estimator)
    options = {
        "tol": estimator.tol,
        "max_iterations": estimator.max_iter,
        "max_seconds": estimator.max_seconds,
        "progress": bool(estimator.verbose),
    }
    number = None
    if estimator.n_nonzero is not None:
        number = quota(estimator.n_nonzero, (m, n), estimator.penalty, nonnegative=estimator.nonnegative)
    return Wanted(
        n=n,
        alpha=float(estimator.alpha),
        quota=number,
        penalty=estimator.penalty,
        nonnegative=estimator.nonnegative,
        refit=estimator.refit,
        criterion=estimator.criterion,
        start=_start(estimator, (m, n)),
        n_init=estimator.n_init,
        effort=estimator.effort,
        rng=_generator(estimator.random_state),
        options=options,
    )


def quota(n_nonzero: Any, shape: tuple[int, int], penalty: Any = "l1", *, nonnegative: bool = False) -> Quota:
    """Return the wanted number of nonzeros of X of this shape."""
    found = _quota(n_nonzero, shape, penalty)
    if nonnegative and found.total > shape[0]:
        raise ValueError(
            f"n_nonzero = {found.total} with nonnegative=True; orthogonal components >= 0 share no variable, "
            f"ask for at most {shape[0]}, the number of variables."
        )
    return found


def _quota(n_nonzero: Any, shape: tuple[int, int], penalty: Any) -> Quota:
    m, n = shape
    if isinstance(n_nonzero, (float, np.floating)):
        return _checked(Quota(max(n, round(float(n_nonzero) * m * n))), shape, penalty)
    if np.ndim(n_nonzero) == 0:
        return _checked(Quota(inputs.integer(n_nonzero, "n_nonzero")), shape, penalty)
    each = np.array([inputs.integer(number, "An entry of n_nonzero") for number in n_nonzero])
    if len(each) != n or np.max(each) > m:
        raise ValueError(
            f"n_nonzero is {short(list(n_nonzero))}; it needs {n} numbers, one for each component, from 1 to {m} variables."
        )
    if penalty == "l21":
        raise ValueError("n_nonzero has a number for each component, but 'l21' gives all the same; pass their sum.")
    return Quota(int(np.sum(each)), each)


def _checked(wanted: Quota, shape: tuple[int, int], penalty: Any) -> Quota:
    m, n = shape
    least = n * n if penalty == "l21" else n
    if not least <= wanted.total <= m * n:
        reason = (
            f"'l21' needs at least {n} variables in each of {n} components" if penalty == "l21" else "one for each component"
        )
        raise ValueError(f"n_nonzero = {wanted.total}; it needs {least} ({reason}) to {m * n} ({m} variables times {n}).")
    return wanted


def _check_penalty(estimator: Any) -> None:
    if estimator.nonnegative and estimator.penalty != "l1":
        name = type(estimator.penalty).__name__ if isinstance(estimator.penalty, Nonsmooth) else repr(estimator.penalty)
        raise ValueError(f"nonnegative=True goes with penalty='l1', not with {name}; choose one of them.")


def _start(estimator: Any, shape: tuple[int, int]) -> Any:
    before = getattr(estimator, "result_", None)
    if estimator.warm_start and before is not None and np.shape(before.X) == shape:
        return np.asarray(before.X, dtype=np.float64)
    if isinstance(estimator.start, str):
        return estimator.start
    return np.asarray(inputs.matrix(estimator.start, "start", shape=shape), dtype=np.float64)


def _generator(random_state: Any) -> np.random.Generator:
    if random_state is None or isinstance(random_state, (int, np.integer)):
        return np.random.default_rng(random_state)
    return np.random.default_rng(random_state.randint(2**31))
