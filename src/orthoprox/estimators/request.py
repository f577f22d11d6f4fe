"""The parameters of an estimator, checked against the shape of its data."""

from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.words import short
from orthoprox.estimators.fitting import Wanted
from orthoprox.estimators.quota import Quota
from orthoprox.nonsmooth.base import Nonsmooth


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
    return Wanted(
        n=n,
        alpha=float(estimator.alpha),
        quota=None if estimator.n_nonzero is None else quota(estimator.n_nonzero, (m, n), estimator.penalty),
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


def quota(n_nonzero: Any, shape: tuple[int, int], penalty: Any = "l1") -> Quota:
    """Return the wanted number of nonzeros of X of this shape."""
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
    if estimator.nonnegative and estimator.n_nonzero is not None:
        raise ValueError("n_nonzero does not go with nonnegative=True; say how sparse components are by alpha instead.")
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
