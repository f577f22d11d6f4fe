"""The stopping rules of the paper's experiments (Section 6), all with the cap of 30,000 iterations
of its sparse PCA study.
"""

from orthoprox._arrays import inputs
from orthoprox.stopping.rules import Below, MaxIterations, ObjectiveBelow, Stop

_CAP = MaxIterations()

quadratic: Stop = Below(update=1e-3, constraint=1e-5) | _CAP
"""|X^k - X^(k-1)| + |X^k - Z^(k-1)| <= 1e-3 and |X'X - I| <= 1e-5."""

sparse_pca: Stop = Below(step=1e-4, constraint=1e-4) | _CAP
"""|X^k - X^(k-1)| <= 1e-4 and |X'X - I| <= 1e-4."""

matching: Stop = Below(constraint=1e-6, kkt=1e-4) | _CAP
"""|grad l(X^k) + 2 X^k Y^k| <= 1e-4 and |X'X - I| <= 1e-6."""


def sparse_pca_rsm(baseline: float) -> Stop:
    """f(X^k) - baseline <= 1e-4 and |X'X - I| <= 1e-4, where ``baseline`` is the objective that
    another method reached.
    """
    return Below(constraint=1e-4) & ObjectiveBelow(inputs.number(baseline, "baseline", minimum=float("-inf")) + 1e-4) | _CAP
