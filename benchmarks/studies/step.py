"""The time of one step over that of the bare dense products of which it consists."""

from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np
from benchmarks.studies.target import Target
from benchmarks.studies.task import Row, Task
from benchmarks.studies.timing import clocked, dense_products, warm_up

import orthoprox as op
from orthoprox._arrays.library import Array
from orthoprox.reproduce.table import markdown
from orthoprox.solvers import Solver

WHO = {
    "lsalm": ("LSALM, the paper's parameters", "dense", 1),  # its name, its X, its products XS
    "dense": ("adaptive, random start", "dense", 2),
    "sparse": ("adaptive, from coordinate vectors", "sparse", 2),
}


class Trajectory:
    """A method that is stepped by hand."""

    def __init__(self, problem: op.Problem, solver: Solver[Any], X0: Array, warm_up: int) -> None:
        self.problem, self.solver = problem, solver
        self.state = solver.init(problem, X0)
        for _ in range(warm_up):
            self.step()

    def step(self) -> None:
        """Do one step."""
        self.state = self.solver.step(self.problem, self.state)

    @property
    def point(self) -> Array:
        """The point reached."""
        return self.solver.output(self.state)


def run(task: Task) -> list[Row]:
    """Time the three steps in turn."""
    warm_up()
    problem, X0 = task.make()
    H = -2 * problem.smooth.A.T @ problem.smooth.A
    before = task.settings["warm_up"]
    with dense_products():
        paper = Trajectory(problem, op.LSALM.paper("sparse_pca", problem), X0, before["lsalm"])
    corner = op.starts.coordinates(problem, np.random.default_rng(task.seed))
    trajectories = {
        "lsalm": paper,
        "dense": Trajectory(problem, op.solvers.Adaptive(), X0, before["dense"]),
        "sparse": Trajectory(problem, op.solvers.Adaptive(), corner, before["sparse"]),
    }
    steps: dict[str, list[float]] = {who: [] for who in trajectories}
    bare: dict[str, list[float]] = {who: [] for who in trajectories}
    for _ in range(task.settings["repetitions"]):
        for who, trajectory in trajectories.items():
            bare[who].append(products(H, trajectory.point, WHO[who][2]))
            steps[who].append(_stepped(trajectory, dense=who == "lsalm"))
    return [
        {
            "who": who,
            "step": 1e3 * median(steps[who]),
            "bare": 1e3 * median(bare[who]),
            "ratio": median(one / least for one, least in zip(steps[who], bare[who], strict=True)),
            "nonzero": float(np.mean(trajectory.point != 0)),
        }
        for who, trajectory in trajectories.items()
    ]


def products(H: Array, X: Array, right: int) -> float:
    """Return the seconds of HX, X'X and ``right`` times XS."""
    S, seconds = clocked(lambda: X.T @ X)
    seconds += clocked(lambda: H @ X)[1]
    return seconds + sum(clocked(lambda: X @ S)[1] for _ in range(right))


def _stepped(trajectory: Trajectory, *, dense: bool) -> float:
    if not dense:
        return clocked(trajectory.step)[1]
    with dense_products():
        return clocked(trajectory.step)[1]


def table(rows: Sequence[Row]) -> str:
    """Return one line for each method."""
    lines = [
        [
            WHO[row["who"]][0],
            f"{100 * row['nonzero']:.1f} %",
            f"{row['step']:.1f}",
            f"{row['bare']:.1f}",
            f"{row['ratio']:.2f}",
        ]
        for row in rows
    ]
    return markdown(["step of", "X nonzero", "step, ms", "bare dense products, ms", "ratio"], lines)


def targets(rows: Sequence[Row], wanted: dict[str, Any]) -> list[Target]:
    """Return nothing: the step explains the other numbers."""
    return []
