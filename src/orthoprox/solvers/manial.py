"""ManIAL, the Riemannian inexact augmented Lagrangian method, with its two rules for the inner
problem.
"""

from dataclasses import dataclass
from typing import ClassVar

from orthoprox._arrays import inputs
from orthoprox.solvers._shared.alm import FirstOrder
from orthoprox.solvers.base import Facts

_RULES = ("I", "II")
_DOUBLINGS = 14  # of the number of inner steps, after which it stays


@dataclass(frozen=True)
class ManIAL(FirstOrder):
    """The augmented Lagrangian method for X = Y with X on the manifold and g(Y): with e the Moreau
    envelope of g for 1/s,

        X+ ~ argmin l(X) + e(X + Lam/s)  subject to  X'X = I
        Y+ = prox_{g/s}(X+ + Lam/s),   Lam+ = Lam + s (X+ - Y+)

    The first line is solved by Riemannian Barzilai-Borwein steps: in iteration k until the gradient
    is below 2^-k in terms of ``unit`` (rule "I"), or 2^k of them (rule "II").

    Parameters
    ----------
    penalty, growth, ratio, enough, floor, first, unit : float
        As in MIALM, with defaults of their own for ``growth`` and ``ratio``; s does not grow in the
        first iteration.
    max_cycles : int
        The most Barzilai-Borwein steps of an inner problem by rule "I". By rule "II" these are
        2^14.
    rule : {"I", "II"}
        "II" makes the early inner problems too loose and the late ones too long, and is slower as a
        rule.

    References
    ----------
    K. Deng, J. Hu, J. Wu and Z. Wen, Oracle complexities of augmented Lagrangian methods for
    nonsmooth manifold optimization, arXiv:2404.05121 (2024).
    """

    facts: ClassVar = Facts(
        "ManIAL",
        nonsmooth=True,
        single_loop=False,
        complexity="O(eps^-3)",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "prox": 1, "polar": 1, "gram": 1, "right": 1},
        per="trial",
        remark="not counting one more prox in each iteration",
    )

    growth: float = 1.8
    ratio: float = 0.8
    rule: str = "I"

    def __post_init__(self) -> None:
        super().__post_init__()
        inputs.choice(self.rule, "rule", _RULES)

    def _start(self) -> tuple[float, float, int]:
        return float("inf"), *self._next(0, 0.0, 0, 0)

    def _next(self, k: int, tol: float, cap: int, steps: int) -> tuple[float, int]:
        if self.rule == "I":
            return max(0.5 ** (k + 1), self.floor), self.max_cycles
        return self.floor, 2 ** min(k + 1, _DOUBLINGS)
