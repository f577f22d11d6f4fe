"""The public function that runs one method from one point."""

from typing import Any

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._run.call import Call, Units, check_method, evaluator_at, measured, of_first, ranks_of, start_point
from orthoprox._run.recorded import Recording, place, watch
from orthoprox._run.result import Result, interrupted
from orthoprox._run.run import Callback, run
from orthoprox.files.journal import CURRENT
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
    checkpoint: Any = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
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
    checkpoint, checkpoint_every, resume
        A file from which the run goes on after its process has ended, as in
        :func:`orthoprox.minimize`.

    Returns
    -------
    Result
        A run that converged, used up its iterations or was stopped by the callback returns its last
        point. One that stalled, failed, diverged, ran out of time or was interrupted by Ctrl-C
        returns the best point that was measured: the one with the lowest objective at the nearest
        feasible point and, where objectives are equal, with the smallest KKT error.
    """
    meter, deadline = Meter("certificate"), Deadline(ranks=ranks_of(problem))
    with deadline.together("the options"):
        check_method(as_problem(problem), solver)
        if every is not None:
            inputs.integer(every, "every")
        if callback is not None:
            inputs.function(callback, "callback", "one argument")
        X0 = start_point(problem, X0)
        rule = solver.default_stop(Stationary(), MaxIterations()) if stop is None else as_rule(stop)
        kept = inputs.flag(history, "history")
    X0 = of_first(deadline, X0=X0)["X0"]

    def compute() -> Result:
        journal = CURRENT.get()
        if journal is not None:
            journal.watch(watch(meter, None, deadline))
        with deadline.listening(), quiet():
            units, begin = Units(problem), X0
            with deadline.part():
                units, begin = measured(problem, counted(problem, meter.work, deadline), X0)
            inside = counted(units.inside, meter.work, deadline)
            evaluator = evaluator_at(inside, begin, meter, deadline)
            call = Call(inside, units.solver(solver), units.rule(rule), evaluator, meter, deadline, every=every, history=kept)
            result = units.result(run(call, begin, units.callback(callback)), solver)
        return interrupted(result) if deadline.interrupted else result

    if checkpoint is None and resume is False:
        return compute()
    described = {"rule": repr(rule), "every": repr(every), "history": repr(kept)}
    where = place(checkpoint, checkpoint_every, resume)
    return Recording.of(where, problem, described, deadline, solver=solver, start=X0).result(compute)
