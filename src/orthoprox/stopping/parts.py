"""The parts of a call, and what each of them took."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

PARTS = "start", "run", "lower minima", "polish", "certificate"


@dataclass(frozen=True)
class Part:
    """What one part of a call took, and the objective it left."""

    name: str  # one of PARTS
    seconds: float  # wall time
    gradients: int
    objective: float  # f at the feasible point that the part left; NaN if it left none


def united(parts: Sequence[Part], others: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts of two calls together, with the objectives that the first has left."""
    known = {part.name: part for part in others} | {part.name: part for part in parts}
    both = (*parts, *others)

    def total(name: str) -> Part:
        mine = [part for part in both if part.name == name]
        return replace(known[name], seconds=sum(part.seconds for part in mine), gradients=sum(part.gradients for part in mine))

    return tuple(total(name) for name in PARTS if name in known)


@dataclass
class Account:
    """What is booked to a part so far."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    gradients: int = 0
