"""All methods for nonsmooth problems at their defaults, from one random start: the certificate
against time.
"""

from collections.abc import Sequence
from math import isfinite
from time import process_time

import numpy as np

import orthoprox as op
from orthoprox._arrays.library import Array
from orthoprox.reproduce.studies.study import NEVER, Outcome, Settings, outcome, solver

_RATIO = 1.1  # of the times of two measurements
_LEAST = 1e-3  # seconds between them


def execute(group: Sequence[Settings]) -> list[Outcome]:
    """Run the methods until they are certified or their time is over."""
    outcomes = []
    for settings in group:
        problem, X0 = instance(settings)
        method, recorder = solver(settings, problem), Recorder(**settings["stop"])
        rule = method.default_stop(op.stopping.Stationary(recorder.certificate), op.stopping.MaxIterations(NEVER))
        result = op.solve(problem, method, X0, stop=rule, every=NEVER, callback=recorder)
        ended = {"status": recorder.status.name} if recorder.status else {}
        outcomes.append({**outcome(result), **ended, **recorder.curve})
    return outcomes


class Recorder:
    """Keeps the certificates of a run, at times at equal ratios and where its rule asked for one;
    ends it when one will do, or when its processor time is over.
    """

    def __init__(self, certificate: float, seconds: float) -> None:
        self.certificate, self.seconds = certificate, seconds
        self.status: op.Status | None = None  # with which it ended the run
        self.curve: dict[str, list[float | None]] = {"at_iterations": [], "at_run_cpu_seconds": [], "certificates": []}
        self._due = 0.0

    def __call__(self, now: op.Snapshot) -> None:
        """Look at an iterate."""
        if now.iteration == 0:
            self._began = process_time() - now.run_seconds  # the first state took so long; processor time from here on
        seconds = process_time() - self._began
        over = seconds >= self.seconds
        if not (now.certified or over or seconds >= self._due):
            return
        left = process_time()
        certificate = now.kkt_error
        self._began += process_time() - left  # off the clock
        found = (now.iteration, seconds, certificate if isfinite(certificate) else None)  # JSON has no infinity
        for name, value in zip(self.curve, found, strict=True):
            self.curve[name].append(value)
        self._due = max(_RATIO * seconds, seconds + _LEAST)
        if certificate <= self.certificate or over:
            self.status = op.Status.CONVERGED if certificate <= self.certificate else op.Status.TIME
            raise StopIteration


def instance(settings: Settings) -> tuple[op.Problem, Array]:
    """Return the problem and the random start of a run, drawn in this order from its seed."""
    p = settings["problem"]
    rng, mu = np.random.default_rng(p["seed"]), p["mu"][p["data"]]
    if p["data"] == "compressed_modes":
        problem = op.problems.compressed_modes(p["m"], p["n"], mu)
    else:
        problem = op.problems.sparse_pca(op.datasets.five_components(p["p"], p["m"], sd=p["sd"], seed=rng), p["n"], mu)
    return problem, op.stiefel.random_point(*problem.shape, rng)
