"""Does Ctrl-C at any moment return the best point so far? Interrupts at random moments, in a table.

    python -m benchmarks.promises.interrupts [--number K] [--mode NAME]

Each call is made once without an interrupt, which tells how long it takes, and then interrupted at
moments that are spread over that time at random.
"""

import argparse
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from time import perf_counter

import numpy as np

import orthoprox as op
from orthoprox.reproduce.table import markdown

RNG = np.random.default_rng(0)
A = RNG.standard_normal((80, 40)) / 6
PROBLEM = op.problems.sparse_pca(A, 8, 0.3)
X0 = op.stiefel.random_point(40, 8, seed=0)


def _own() -> op.Problem:
    """Return the problem with functions of one's own, which cannot go to other processes."""
    ell, g = PROBLEM.smooth, PROBLEM.nonsmooth
    smooth = op.smooth.Function(lambda X: ell.value(X), lambda X: ell.grad(X))
    return op.Problem(smooth, op.nonsmooth.Function(lambda X: g.value(X), lambda X, t: g.prox(X, t)), PROBLEM.shape)


MODES: dict[str, Callable[[], op.Result | list[op.Result]]] = {
    "minimize": lambda: op.minimize(PROBLEM),
    "minimize from a point": lambda: op.minimize(PROBLEM, X0, tol=1e-10),
    "minimize with functions of one's own": lambda: op.minimize(_own(), tol=1e-5, max_iterations=1000),
    "solve": lambda: op.solve(PROBLEM, op.LSALM(), X0),
    "path": lambda: op.path(PROBLEM, [0.5, 0.4, 0.3]),
    "three starts in turn": lambda: op.minimize(_own(), "random", n_starts=3, tol=1e-5, max_iterations=1000),
    "three starts in processes": lambda: op.minimize(PROBLEM, "random", n_starts=3, tol=1e-9),
}


def interrupted(call: Callable[[], op.Result | list[op.Result]], after: float) -> tuple[str, float]:
    """Press Ctrl-C after some seconds; return how the call ended, and how long it took from then
    on.
    """
    pressed: list[float] = []

    def press() -> None:
        pressed.append(perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, press)
    timer.start()
    try:
        found = call()
        ended = perf_counter()
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        return "lost", 0.0
    result = found[-1] if isinstance(found, list) else found
    if not pressed:
        return "ended before", 0.0
    if result.status is not op.stopping.Status.INTERRUPTED:
        return f"{result.status.name}, not told", ended - pressed[0]
    start = float(result.problem.value(X0))
    fine = np.all(np.isfinite(result.X)) and result.feasibility < 1 and result.objective < max(start, 0.0) + abs(start)
    return ("best so far" if fine else "a bad point"), ended - pressed[0]


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=50, metavar="K", help="interrupts in each mode")
    parser.add_argument("--mode", choices=list(MODES), help="only this mode")
    options = parser.parse_args()
    warnings.simplefilter("ignore", op.ConvergenceWarning)
    rows = []
    for mode, call in MODES.items():
        if options.mode not in (None, mode):
            continue
        begin = perf_counter()
        call()
        length, rng, ends, delays = perf_counter() - begin, np.random.default_rng(1), [], []
        while len([end for end in ends if end != "ended before"]) < options.number:
            try:
                end, delay = interrupted(call, float(rng.uniform(0, length)))
            except KeyboardInterrupt:  # pressed just after the call had ended
                end, delay = "ended before", 0.0
            ends.append(end)
            delays.append(delay)
        counts = {end: ends.count(end) for end in dict.fromkeys(ends) if end != "ended before"}
        rows.append([mode, ", ".join(f"{end}: {count}" for end, count in counts.items()), f"{max(delays):.2f}"])
        print(rows[-1], file=sys.stderr, flush=True)
    print(markdown(["call", "interrupts", "most seconds until it ended"], rows))


if __name__ == "__main__":
    main()
