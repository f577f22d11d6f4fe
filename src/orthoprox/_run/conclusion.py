"""What follows a run: lower minima, by basin hopping within a budget of counted work, the last
digits, and the status that is proved.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from operator import attrgetter

import numpy as np

from orthoprox._adaptive.polish import polish
from orthoprox._adaptive.settings import EFFORTS, SETTINGS
from orthoprox._arrays.library import Array
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Measurement
from orthoprox._run.call import Call
from orthoprox._run.hops import KINDS, Budget, End, Hops, State, begin, has_minima
from orthoprox._run.result import Result
from orthoprox._run.run import run
from orthoprox.files.journal import CURRENT, Page
from orthoprox.problems.own_terms import BROKEN
from orthoprox.stopping.clock import Meter
from orthoprox.stopping.rules import MaxIterations
from orthoprox.stopping.status import Status

_POLISHABLE = Status.CONVERGED, Status.ITERATIONS, Status.STALLED, Status.FAILED
_CERTIFICATE = 50  # pairs of products for the certificate of a polished point
_HOPS = 0.5  # of the time that is left, for the hops of a round; a run from their end has the rest


def lower_minima(
    call: Call, result: Result, rng: np.random.Generator, starts: Sequence[Array] = (), effort: str = "normal"
) -> Result:
    """Return the lowest minimum that runs from further starts and basin hopping (Wales and Doye
    1997) find, within the work that the effort allows: that of the run itself, or a floor where
    that is more, times a factor. A smooth problem needs none.

    A round probes hops from the best minimiser found so far and runs from the lowest end, 2,000
    iterations at most. If X is small, the hops go in soft directions or replace a column of X, many
    at a time. Otherwise columns are exchanged, many hops one after the other before a run, if f is
    a sum over columns. If it is not, or this leads nowhere, the hops are two continuation paths: a
    wide and a narrow one from the minimiser, or, after a failure, wide ones from random points near
    the minimiser and far from it. The search ends after some failures in a row.
    """
    if result.status is not Status.CONVERGED or not has_minima(call.problem):
        return result
    journal = CURRENT.get()
    if journal is None:
        return _lowered(call, result, rng, starts, EFFORTS[effort])
    known = {"problem": call.problem, "solver": call.solver}
    return journal.unit("lower minima", lambda page: _lowered(call, result, rng, starts, EFFORTS[effort], page=page), **known)


def _lowered(
    call: Call,
    result: Result,
    rng: np.random.Generator,
    starts: Sequence[Array],
    factor: float,
    *,
    page: Page | None = None,
) -> Result:
    rule = call.rule | MaxIterations(int(SETTINGS.slow))  # a slow run is no hop
    inner, best, newer = replace(call, rule=rule, meter=Meter("run", call.meter.work)), result, None
    with call.meter.part("lower minima"):
        with call.deadline.part():
            budget, first = begin(inner, result, factor, tuple(starts))
            for state in _rounds(inner, budget, first if page is None else page.resumed() or first, rng):
                best, newer = state.best, state.newer
                if page is not None:
                    page.keep(partial(replace, state))
        if newer is not None:  # also if time is over: then it is measured
            best = _lower(inner, newer.X, best.measurement.projected_objective) or best
        call.meter.left["lower minima"] = best.measurement.projected_objective
    return best


def polished(call: Call, result: Result) -> Result:
    """Return the result at the polished point, or as it is if polishing does not help or the run
    was cut short.
    """
    journal = CURRENT.get()
    if journal is None:
        return _polished(call, result)
    return journal.unit("polish", lambda page: _polished(call, result), problem=call.problem, solver=call.solver)


def _polished(call: Call, result: Result) -> Result:
    if result.status not in _POLISHABLE:
        return result
    meter, evaluator, X, found = call.meter, call.evaluator, result.X, None
    exact = evaluator.exact(result.measurement, X)  # found within the run
    X = evaluator.on_kinks(X) if exact else X
    if exact and X is result.X:
        return replace(result, polished=True)
    meter.left["polish"] = result.measurement.projected_objective
    with call.deadline.part(), suppress(*BROKEN):
        with meter.part("polish"):
            found = polish(call.problem, X, result.multiplier, evaluator) or ((X, result.multiplier) if exact else None)
        if found is not None:
            with meter.part("certificate"):
                certificate = evaluator.certify(*found, work=_CERTIFICATE)
                measurement = evaluator.measure(found[0], certificate)
            good = evaluator.exact(measurement, X) if exact else measurement.kkt_error <= result.measurement.kkt_error
            if good and measurement.objective > float("-inf"):
                return _at(call, result, found, certificate, measurement)
    return result if call.sharp else _refined(call, result)


def _refined(call: Call, result: Result) -> Result:
    """Return the result with a sharper certificate, or as it is if there is none."""
    with call.meter.part("certificate"), call.deadline.part(), suppress(*BROKEN):
        certificate = call.evaluator.certify(result.X, result.multiplier, work=_CERTIFICATE)
        measurement = call.evaluator.measure(result.X, certificate)
        if measurement.kkt_error <= result.measurement.kkt_error:
            return replace(result, certificate=certificate, measurement=measurement)
    return result


def _at(call: Call, result: Result, found: tuple[Array, Array], certificate: Certificate, measurement: Measurement) -> Result:
    """Return the result at the point that the polish found."""
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


def _rounds(call: Call, budget: Budget, state: State, rng: np.random.Generator) -> Iterator[State]:
    """Yield the states of a search, which has the best minimum so far: this one, and one after each
    round of hops and each run from a further start.
    """
    while True:
        yield state
        hops = KINDS[state.kind](call, budget)
        if state.left and state.failures < hops.patience and budget.spent + hops.price(state) <= budget.allowed:
            state = replace(_round(hops, state, rng), spent=budget.spent)
        elif state.starts:
            call.deadline.heed()
            found = _lower(call, state.starts[0], state.lower)
            state = replace(
                state if found is None else state.at(found), starts=state.starts[1:], again=state.again or found is not None
            )
            state = replace(state, left=budget.rounds if state.again and not state.starts else 0, spent=budget.spent)
        else:
            return


def _round(hops: Hops, state: State, rng: np.random.Generator) -> State:
    """Return the state after a round: hops, and a run from the lowest end, unless Newton's method
    has ended there.
    """
    state, before = replace(state, left=state.left - 1), hops.budget.spent
    ends, found = list[End](), None
    share = _HOPS if CURRENT.get() is None else 1.0  # who resumes the call goes on with the same hops
    try:
        with hops.call.deadline.part(share):
            state, ends = hops.ends(state, rng)
        hops.call.deadline.heed()
        state = replace(state, price=hops.budget.spent - before)
        for end in sorted(ends, key=attrgetter("value"))[:1]:
            if end.value < state.lower:
                found = _lower(hops.call, end.X, state.lower) if end.Y is None else end
    except (ArithmeticError, ValueError):  # l need not be defined along a path
        found = None
    return hops.vain(state) if found is None else state.at(found)


def _lower(call: Call, X0: Array, best: float) -> Result | None:
    """Return the result of a run from X0 if it is lower than the best, also where time is over
    before it converges.
    """
    found = run(call, X0)
    usable = found.status in (Status.CONVERGED, Status.TIME, Status.INTERRUPTED)
    return found if usable and found.measurement.projected_objective < best else None
