"""MIALM, the manifold-based inexact augmented Lagrangian method."""

from dataclasses import dataclass
from typing import ClassVar

from orthoprox._arrays import inputs
from orthoprox.solvers._shared.alm import FirstOrder
from orthoprox.solvers.base import Facts, check_positive

_EXTRA = 10  # steps that are added first where an inner problem used up its steps


@dataclass(frozen=True)
class MIALM(FirstOrder):
    """The augmented Lagrangian method for X = Y with X on the manifold and g(Y): with e the Moreau
    envelope of g for 1/s,

        X+ ~ argmin l(X) + e(X + Lam/s)  subject to  X'X = I
        Y+ = prox_{g/s}(X+ + Lam/s),   Lam+ = Lam + s (X+ - Y+)

    The first line is solved by Riemannian Barzilai-Borwein steps until the gradient is below a
    tolerance that shrinks each time it is reached. Where it is not, later iterations may take 10,
    20, ... steps more. The penalty s grows where the gap |X - Y| did not shrink enough. It never
    shrinks: in trials that lost what had been reached.

    Parameters
    ----------
    penalty : float, optional
        The first s; by default 2 max(1.1 L^-, L/4, 2m), with L the Lipschitz constant of grad l,
        L^- and m the weak convexity moduli of l and of g. It grows to a thousand times this at the
        most.
    growth, ratio : float
        s is multiplied by ``growth`` after an iteration whose gap |X - Y| / (1 + |X| + |Y|) exceeds
        ``ratio`` times the last.
    enough : float
        The gap below which s stays as it is.
    floor : float
        The smallest tolerance of the inner problems, in terms of ``unit``.
    max_cycles : int
        The most Barzilai-Borwein steps of an inner problem, not counting the ``extra`` ones.
    first : float, optional
        The first step of each inner problem; by default 1 / (max(L, |grad l(X0)|_2) + s).
    unit : float, optional
        By default a tenth of the norm of the gradient at the start, which makes the method scale
        invariant; the authors' tolerances are absolute, ``unit=1``.
    accuracy, decrease : float
        The first inner tolerance, in terms of ``unit``, and the factor by which it shrinks.
    extra : int
        The most steps by which ``max_cycles`` is raised.

    References
    ----------
    K. Deng and Z. Peng, A manifold inexact augmented Lagrangian method for nonsmooth optimization
    on Riemannian submanifolds in Euclidean space, IMA J. Numer. Anal. 43 (2023).
    """

    facts: ClassVar = Facts(
        "MIALM",
        nonsmooth=True,
        single_loop=False,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "prox": 1, "polar": 1, "gram": 1, "right": 1},
        per="trial",
        remark="not counting one more prox in each iteration",
    )

    accuracy: float = 0.1
    decrease: float = 0.8
    extra: int = 40

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "accuracy", "decrease")
        if self.decrease > 1:
            raise ValueError(f"decrease = {self.decrease:g}; it needs a number of at most 1, the inner tolerance shrinks.")
        inputs.integer(self.extra, "extra", minimum=0)

    def _start(self) -> tuple[float, float, int]:
        return 0.0, max(self.accuracy, self.floor), self.max_cycles

    def _next(self, k: int, tol: float, cap: int, steps: int) -> tuple[float, int]:
        if steps < cap:
            return max(self.decrease * tol, self.floor), cap
        return tol, self.max_cycles + min(self.extra, max(2 * (cap - self.max_cycles), _EXTRA))
