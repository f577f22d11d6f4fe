"""The methods, by name."""

from typing import Any

from orthoprox.solvers.base import Solver
from orthoprox.solvers.lsalm import LSALM

SOLVERS: dict[str, type[Solver[Any]]] = {
    "lsalm": LSALM,
}

__all__ = ["LSALM", "SOLVERS", "Solver"]
