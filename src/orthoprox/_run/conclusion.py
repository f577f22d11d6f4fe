"""What is done with the result of a run: its last digits, and the status that it proves."""

from contextlib import suppress
from dataclasses import asdict, replace

import numpy as np

from orthoprox._adaptive.polish import polish
from orthoprox._arrays.library import Array
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Measurement
from orthoprox._run.ending import CTRL_C
from orthoprox._run.result import Result
from orthoprox._run.run import Call
from orthoprox.problems.own_terms import BROKEN
from orthoprox.stopping.status import Status

_POLISHABLE = Status.CONVERGED, Status.ITERATIONS, Status.STALLED, Status.FAILED
_CERTIFICATE = 50  # pairs of products for the certificate of a polished point


def polished(call: Call, result: Result) -> Result:
    """Return the result at the polished point, or as it is if polishing does not help or the run
    was cut short.
    """
    if result.status not in _POLISHABLE:
        return result
    if call.evaluator.exact(result.measurement, result.X):  # polished within the run
        return replace(result, polished=True)
    meter, evaluator, found = call.meter, call.evaluator, None
    meter.left["polish"] = result.measurement.projected_objective
    with call.deadline.part(), suppress(*BROKEN):
        with meter.part("polish"):
            found = polish(call.problem, result.X, result.multiplier, evaluator)
        if found is not None:
            with meter.part("certificate"):
                certificate = evaluator.certify(*found, work=_CERTIFICATE)
                measurement = evaluator.measure(found[0], certificate)
            return _at(call, result, found, certificate, measurement)
    return result


def _at(call: Call, result: Result, found: tuple[Array, Array], certificate: Certificate, measurement: Measurement) -> Result:
    """Return the result at the point that the polish found."""
    if not measurement.kkt_error <= result.measurement.kkt_error or not measurement.objective > float("-inf"):
        return result
    call.meter.left["polish"] = measurement.projected_objective
    row = {name: column[-1] for name, column in result.history.items()} | asdict(measurement)
    return replace(
        result,
        X=found[0],
        multiplier=found[1],
        certificate=certificate,
        measurement=measurement,
        history={name: np.append(column if call.history else column[:0], row[name]) for name, column in result.history.items()},
        polished=True,
    )


def with_certified_status(result: Result, tol: float) -> Result:
    """Return the result with the status that its certificate proves: a budget may end a run before
    its last check.
    """
    proved = result.measurement.kkt_error <= tol and result.measurement.objective > float("-inf")
    if result.status not in (*_POLISHABLE, Status.TIME) or not proved:
        return result
    before = f" Before that: {result.message}" if result.status is Status.FAILED else ""
    return replace(result, status=Status.CONVERGED, message=Status.CONVERGED.value + before)


def interrupted(result: Result) -> Result:
    """Return the result with the status that says so."""
    if result.status is Status.INTERRUPTED:
        return result
    message = f"{Status.INTERRUPTED.value} {CTRL_C} Before that: {result.message}"
    return replace(result, status=Status.INTERRUPTED, message=message)
