"""A fit that keeps a checkpoint, and goes on from one."""

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

import orthoprox as op
from orthoprox._run.recorded import Recording, digest, place
from orthoprox._run.result import NotStored
from orthoprox.estimators.covariance import Covariance
from orthoprox.estimators.fitting import Fitting
from orthoprox.estimators.wanted import Wanted
from orthoprox.files.journal import CURRENT, Watch
from orthoprox.stopping.status import Status

Matrix = np.ndarray[Any, Any]
_UNFINISHED = Status.TIME, Status.INTERRUPTED


def components(estimator: Any, covariance: Covariance, wanted: Wanted) -> tuple[Matrix, op.Result]:
    """Return the components and the result that certifies them, as far as they were found before
    from the checkpoint of the estimator, if it has one.
    """
    described = _described(estimator, covariance, wanted) if estimator.checkpoint is not None else {}
    fitting = Fitting(covariance, wanted)
    if estimator.checkpoint is None and estimator.resume is False:
        return fitting.components()
    where, shape = place(estimator.checkpoint, estimator.checkpoint_every, estimator.resume), fitting.shape
    known = {"problem": NotStored("Problem", f"Problem of a SparsePCA, X of shape {shape}", shape=shape)}
    recording = Recording(where, described, fitting.runs.deadline, known, np.zeros(1), {type(wanted.penalty).__module__})
    (X, result), resumed = recording.found(lambda: _found(fitting), lambda found: found[1].status not in _UNFINISHED)
    return X, replace(result, resumed=resumed)


def _found(fitting: Fitting) -> tuple[Matrix, op.Result]:
    """Fit with the random numbers of the first process; the time of all that came before counts."""
    runs, journal, numbers = fitting.runs, CURRENT.get(), fitting.wanted.rng.bit_generator

    def recall(seconds: float) -> None:
        runs.began = perf_counter() - seconds

    if journal is not None:
        journal.watch(Watch(lambda: perf_counter() - runs.began, recall, lambda: runs.deadline.over))
        numbers.state = journal.unit("random numbers", lambda page: numbers.state)
    return fitting.components()


def _described(estimator: Any, covariance: Covariance, wanted: Wanted) -> dict[str, Any]:
    """Return what a fit is recognised by: its parameters, and products with the covariance."""
    V = np.random.default_rng(0).standard_normal((len(covariance.variances), wanted.n))
    W = covariance.apply(V)
    own = "checkpoint", "checkpoint_every", "resume", "max_seconds", "verbose", "random_state"
    numbers = digest(repr(wanted.rng.bit_generator.state).encode()) if estimator.random_state is not None else "none"
    return {
        "orthoprox": op.__version__,
        "the number of variables": len(V),
        **{name: repr(value) for name, value in estimator.get_params(deep=False).items() if name not in own},
        "random_state": numbers,
        "values of its terms": [repr(float(np.linalg.norm(W))), repr(float(np.sum(V * W)))],
    }
