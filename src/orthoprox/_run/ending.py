"""How a run ends."""

from dataclasses import dataclass

from orthoprox._arrays.library import Array, namespace
from orthoprox.stopping.status import Status

CTRL_C = "Ctrl-C was pressed; this is the best point so far."
STALLED_STEPS = 100  # motionless steps in a row after which a run has stalled


@dataclass(frozen=True)
class Ending:
    """How a run ends, and whether it returns its best measured point instead of its last."""

    status: Status
    details: str = ""
    best: bool = False


def zero_columns(X: Array) -> str:
    """Return what to do about columns of X that are zero, or an empty text if there are none."""
    xp = namespace(X)
    empty = int(xp.sum(xp.astype(xp.all(X == 0, axis=-2), xp.int64)))
    if empty == 0:
        return ""
    return f"{empty} column(s) of X are zero, where X'X = I can no longer act: set a larger rho, or start elsewhere."
