"""Steps of RPN-CG by the compiled loop."""

from typing import Any

import numpy as np

from orthoprox._adaptive.small import SMALL
from orthoprox._arrays.library import Array
from orthoprox.problems.problem import Problem


def compiled_steps(problem: Problem, given: dict[str, Array], numbers: dict[str, float]) -> dict[str, Any]:
    """Make steps and count what they cost; the call uses compiled loops.

    Parameters
    ----------
    problem : Problem
        Whose loop is used.
    given : dict
        X, grad l(X) as D, Lam, and X0 and U0, where an unchecked step began and its direction.
    numbers : dict
        F, t, t0, unit, size, used, unchecked, F0 and size0, what the state of RPN-CG has, and the
        number of ``steps``; fewer are made if the residual |V| / t over |grad l| is at most
        ``least``.

    Returns
    -------
    dict
        All of these after the steps, with V and N, the parts of the last one, and what the steps
        cost.
    """
    from orthoprox.solvers._shared import newton_loop as compiled

    loop, names = problem.loop, compiled.MATRICES
    n, m = loop.mu.shape
    rooms = dict(zip(names, np.empty((len(names), n, m)), strict=True)) | {"mu": loop.mu, "B": loop.B}
    matrices = rooms | {name: np.array(given[name].T, order="C") for name in names if name in given}
    size = n * (n + 1) // 2
    X, Lam = matrices["X"], np.array(given["Lam"])
    squares = Lam, X @ X.T - np.eye(n), *np.empty((2, n, n)), *np.empty((2, size, size)), np.empty((size, 3))
    s = dict.fromkeys(compiled.NUMBERS, 0.0) | numbers
    values = np.array(list(s.values()), float)
    while s["stage"] != compiled.DONE:
        problem.heed()
        before = s
        compiled.newton(loop.rows, tuple(matrices.values()), squares, values, SMALL.chunk)
        s = dict(zip(compiled.NUMBERS, values.tolist(), strict=True))
        products, proxes, moves = (int(s[name] - before[name]) for name in ("products", "proxes", "moves"))
        problem.count(gradients=products + moves, values=moves, proxes=proxes)
    return {**s, **{name: M.T for name, M in matrices.items()}, "Lam": Lam}
