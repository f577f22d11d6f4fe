"""The public function that runs one method from one point."""

from typing import Any

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._run.call import Call, Units, check_method, evaluator_at, measured, start_point
from orthoprox._run.result import Result, interrupted
from orthoprox._run.run import Callback, run
from orthoprox.problems.problem import Problem, as_problem, counted
from orthoprox.solvers.base import Solver
from orthoprox.stopping.clock import Deadline, Meter
from orthoprox.stopping.rules import MaxIterations, Stationary, Stop, as_rule


def solve(
    problem: Problem,
    solver: Solver[Any],
    X0: Any,
    *,
    stop: Stop | None = None,
    every: int | None = None,
    history: bool = True,
    callback: Callback | None = None,
) -> Result:
    """Run a method on a problem from a point of the manifold.

    Parameters
    ----------
    problem : Problem
    solver : Solver
        A method with its parameters, such as ``LSALM(rho=1.0)``.
    X0 : array of shape (m, n)
        The start, X0'X0 = I.
    stop : Stop, optional
        When to stop; ``Stationary() | MaxIterations() | Leaves()`` by default: a certificate of
        1e-6, 30,000 iterations, or |X'X - I| > 1 after the first 50 iterations. The last counts as
        diverged, unless the method restarts by itself.
    every : int, optional
        Iterations between measurements. By default they happen at 0, 1, 2, 4, ..., 256, 512, 768,
        1024, ...
    history : bool
        Whether measurements are kept; if not, only the measurements that find the best point are
        made.
    callback : callable, optional
        Called with a :class:`Snapshot` at the start and after each iteration; raising
        ``StopIteration`` ends the run.

    Returns
    -------
    Result
        A run that converged, used up its iterations or was stopped by the callback returns its last
        point. One that stalled, failed, diverged, ran out of time or was interrupted by Ctrl-C
        returns the best point that was measured: the one with the lowest objective at the nearest
        feasible point and, where objectives are equal, with the smallest KKT error.
    """
    meter = Meter("certificate")
    check_method(as_problem(problem), solver)
    if every is not None:
        inputs.integer(every, "every")
    if callback is not None:
        inputs.function(callback, "callback", "one argument")
    X0 = start_point(problem, X0)
    rule = solver.default_stop(Stationary(), MaxIterations()) if stop is None else as_rule(stop)
    kept, deadline = inputs.flag(history, "history"), Deadline()
    with deadline.listening(), quiet():
        units = Units(problem)
        with deadline.part():
            units, X0 = measured(problem, counted(problem, meter.work, deadline), X0)
        inside = counted(units.inside, meter.work, deadline)
        evaluator = evaluator_at(inside, X0, meter, deadline)
        call = Call(inside, units.solver(solver), units.rule(rule), evaluator, meter, deadline, every=every, history=kept)
        result = units.result(run(call, X0, units.callback(callback)), solver)
    return interrupted(result) if deadline.interrupted else result
