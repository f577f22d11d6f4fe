"""What a run returns."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orthoprox._arrays.library import Array, to_numpy
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Measurement
from orthoprox._linalg.stiefel import polar
from orthoprox._run.meter import Part
from orthoprox.problems.counted import Work
from orthoprox.problems.problem import Problem
from orthoprox.solvers.base import Solver
from orthoprox.stopping.status import Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The outcome of a call. ``X`` is the method's own point; every number is the evaluator's.

    ``iterations``, ``run_seconds``, ``run_cpu_seconds``, ``parameters`` and ``history`` are of the
    run that found X; ``seconds``, ``cpu_seconds``, ``work`` and ``phases`` of the whole call.
    """

    X: Array  # the point, exactly as the method produced it or as it was polished
    problem: Problem
    solver: Solver[Any]  # as passed
    status: Status
    message: str  # the status, and advice
    measurement: Measurement  # of X
    certificate: Certificate  # of X, refined
    multiplier: Array | None  # the method's own, of X'X = I
    parameters: dict[str, Any]  # in force at the end
    iterations: int
    seconds: float  # of the whole call, with the search for a start, measurements, callbacks and polishing
    cpu_seconds: float  # the same in processor time, summed over all threads
    run_seconds: float  # of the method alone: steps and what its stopping rule reads
    run_cpu_seconds: float  # the same in processor time, summed over all threads
    history: dict[str, np.ndarray[Any, Any]]  # the measurements of the run, one array for each column
    work: Work  # gradients, values, proxes and runs of the whole call
    phases: tuple[Part, ...]  # its parts in order: name, seconds, gradients and the objective it left; they add up to it
    polished: bool = False  # whether Newton's method on the support has refined X to its last digits

    @property
    def converged(self) -> bool:
        """Whether the stopping rule was met."""
        return self.status is Status.CONVERGED

    @property
    def objective(self) -> float:
        """f(X)."""
        return self.measurement.objective

    @property
    def projected_objective(self) -> float:
        """f at the nearest point with X'X = I; compare methods by this number."""
        return self.measurement.projected_objective

    @property
    def feasibility(self) -> float:
        """|X'X - I|_F."""
        return self.measurement.feasibility

    @property
    def stationarity(self) -> float:
        """The relative distance to stationarity, an upper bound that the certificate proves."""
        return self.measurement.stationarity

    @property
    def sparsity(self) -> float:
        """The share of entries with |x| < 1e-5."""
        return self.measurement.sparsity

    def projected(self) -> Array:
        """Return the point with X'X = I nearest to X. It loses exact zeros if X'X is not the
        identity.
        """
        return polar(self.X)

    def plot(self) -> "Figure":
        """Draw the convergence curves and the entries of X (``pip install "orthoprox[plot]"``)."""
        from orthoprox._run.plot import draw

        return draw(self)

    def to_dict(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return everything as plain numbers, strings and lists, ready for JSON.

        X and the multiplier are included only with ``arrays``. JSON has no infinity: an infinite
        objective, of a point outside the domain of g, becomes None.
        """
        proof = self.certificate
        summary: dict[str, Any] = {
            "method": type(self.solver).__name__,
            "shape": list(self.problem.shape),
            "status": self.status.name,
            "message": self.message,
            "converged": self.converged,
            "polished": self.polished,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "run_seconds": self.run_seconds,
            "run_cpu_seconds": self.run_cpu_seconds,
            "work": asdict(self.work),
            "phases": [asdict(part) for part in self.phases],
            **asdict(self.measurement),
            "certificate": {name: getattr(proof, name) for name in ("distance", "feasibility", "upper", "lower", "gradient")},
            "parameters": {name: float(value) for name, value in self.parameters.items()},
            "history": {name: column.tolist() for name, column in self.history.items()},
        }
        if arrays:
            summary["X"] = to_numpy(self.X).tolist()
            summary["multiplier"] = None if self.multiplier is None else to_numpy(self.multiplier).tolist()
        return {name: _finite(value) for name, value in summary.items()}

    def __repr__(self) -> str:
        proof = self.certificate
        iterations = f"{self.iterations}"
        if self.work.runs > 1:
            iterations = f"{self.iterations} in the run that found X, one of {self.work.runs}"
        rows = {
            "status": self.message,
            "time": f"{_readable(self.seconds)} s: "
            + ", ".join(f"{part.name} {_readable(part.seconds)}" for part in self.phases),
            "gradients": f"{self.work.gradients}: " + ", ".join(f"{part.name} {part.gradients}" for part in self.phases),
            "iterations": iterations,
            "objective": f"{self.objective:.10g}",
            "projected objective": f"{self.projected_objective:.10g}",
            "feasibility": f"{self.feasibility:.2e}   |X'X - I|",
            "stationarity": f"{self.stationarity:.2e}   relative",
            "certificate": f"{proof.lower:.3e} <= distance to stationary <= {proof.upper:.3e}",
            "at the prox point": f"{proof.distance:.1e} away, feasible to {proof.feasibility:.1e}",
            "sparsity": f"{100 * self.sparsity:.2f} %   |x| < 1e-5",
        }
        m, n = self.problem.shape
        lines = [f"Result of {type(self.solver).__name__}, X of shape ({m}, {n})"]
        return "\n".join(lines + [f"  {name:<20} {text}" for name, text in rows.items()])


def _readable(seconds: float) -> str:
    """Return 12.3, 1.06, .12, .004: three digits at most, without the zero in front."""
    if seconds < 0.0005:
        return "0"
    digits = 3 if seconds < 0.0095 else 2 if seconds < 9.995 else 1
    return f"{seconds:.{digits}f}".removeprefix("0")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
