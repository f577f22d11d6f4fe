"""What a run returns."""

import html
import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from orthoprox._arrays.library import Array, to_numpy
from orthoprox._certify.certificate import Certificate
from orthoprox._certify.evaluator import Measurement
from orthoprox._linalg.stiefel import polar
from orthoprox._run.ending import CTRL_C
from orthoprox.problems.problem import Problem
from orthoprox.problems.work import Work
from orthoprox.solvers.base import Solver
from orthoprox.stopping.parts import Part
from orthoprox.stopping.status import Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class NotStored:
    """What a result that is loaded from a file lacks, the problem or the solver: its text alone."""

    def __init__(self, name: str, text: str, **known: Any) -> None:
        self.name, self.text = name, text
        vars(self).update(known)

    def __repr__(self) -> str:
        return f"{self.text}, not stored in the file"

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        raise AttributeError(
            f"The result is loaded from a file, which has the text of the {self.name} but not the object: "
            f"there is no {attribute!r}. Make the {self.name} anew."
        )


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
    compiled: bool = False  # whether the search went through the compiled loop
    resumed: int = 0  # how often the call was resumed from a checkpoint; what was done before is counted

    @property
    def method(self) -> str:
        """The name of the method's class."""
        return self.solver.name if isinstance(self.solver, NotStored) else type(self.solver).__name__

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

    def save(self, path: Any) -> None:
        """Write everything but the problem and the solver to a file, whole or not at all; nothing
        is pickled.

        Arrays become those of NumPy. The file is an .npz archive with a JSON header.
        """
        from orthoprox._run.stored import save

        save(self, path)

    @classmethod
    def load(cls, path: Any) -> "Result":
        """Read a result that was saved. It has the same numbers and arrays, bit for bit, but no
        problem and no solver object: these say so where they are used.
        """
        from orthoprox._run.stored import load

        return load(path)

    def to_dict(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return everything as plain numbers, strings and lists, ready for JSON.

        X and the multiplier are included only with ``arrays``. JSON has no infinity: an infinite
        objective, of a point outside the domain of g, becomes None.
        """
        proof = self.certificate
        summary: dict[str, Any] = {
            "method": self.method,
            "shape": list(self.problem.shape),
            "status": self.status.name,
            "message": self.message,
            "converged": self.converged,
            "polished": self.polished,
            "compiled": self.compiled,
            "resumed": self.resumed,
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
        return "\n".join([self._title()] + [f"  {name:<20} {text}" for name, text in self._rows().items()])

    def _repr_html_(self) -> str:
        """Return the same lines as a table, for notebooks."""
        rows = (
            f'<tr><th style="text-align:left">{html.escape(name)}</th><td style="text-align:left">{html.escape(text)}</td></tr>'
            for name, text in self._rows().items()
        )
        return f"<table><caption>{html.escape(self._title())}</caption><tbody>{''.join(rows)}</tbody></table>"

    def _title(self) -> str:
        m, n = self.problem.shape
        return f"Result of {self.method}, X of shape ({m}, {n})"

    def _rows(self) -> dict[str, str]:
        """Return what is shown of a result, line by line."""
        proof = self.certificate
        iterations = f"{self.iterations}"
        if self.work.runs > 1:
            iterations = f"{self.iterations} in the run that found X, one of {self.work.runs}"
        return {
            "status": self.message,
            **(
                {"resumed": f"{self.resumed} time{'s'[: self.resumed - 1]}; what was done before is counted"}
                if self.resumed
                else {}
            ),
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


def interrupted(result: Result) -> Result:
    """Return the result with the status that says so."""
    if result.status is Status.INTERRUPTED:
        return result
    message = f"{Status.INTERRUPTED.value} {CTRL_C} Before that: {result.message}"
    return replace(result, status=Status.INTERRUPTED, message=message)
