"""The stopping rules of the paper."""

import numpy as np

from orthoprox.stopping import Status, paper
from snapshots import snapshot

CONVERGED, ITERATIONS, TIME = Status.CONVERGED, Status.ITERATIONS, Status.TIME


def test_budgets_of_the_paper_are_caps():
    """Each of the paper's rules ends at 30,000 iterations at the latest."""
    for rule in (paper.quadratic, paper.sparse_pca, paper.matching, paper.sparse_pca_rsm(-1e9)):
        names = ("step", "smoothing", "update", "constraint", "kkt", "prox")
        late = snapshot(iteration=30_000, residuals={name: lambda: np.inf for name in names})
        assert rule.check(late) is ITERATIONS


def test_paper_rules_read_what_the_paper_prints():
    """Each rule holds exactly on its thresholds and fails just above one of them."""
    thresholds = [
        (paper.quadratic, {"update": 1e-3, "constraint": 1e-5}),
        (paper.sparse_pca, {"step": 1e-4, "constraint": 1e-4}),
        (paper.matching, {"kkt": 1e-4, "constraint": 1e-6}),
    ]
    for rule, bounds in thresholds:
        values = {name: (lambda bound=bound: bound) for name, bound in bounds.items()}
        assert rule.check(snapshot(residuals=values)) is CONVERGED
        for name, bound in bounds.items():
            over = {**values, name: lambda bound=bound: 1.01 * bound}
            assert rule.check(snapshot(residuals=over)) is None
    now = snapshot(residuals={"constraint": lambda: 1e-4})
    assert paper.sparse_pca_rsm(now.objective - 0.9e-4).check(now) is CONVERGED
    assert paper.sparse_pca_rsm(now.objective - 1.1e-4).check(now) is None
