"""Whatever a caller has set with ``np.seterr``, public functions return the same numbers, and NumPy
says nothing.
"""

import numpy as np
import pytest

import orthoprox as op
from cases import normal

X, W = op.stiefel.random_point(6, 2), normal(1, 6, 2)
POINTS = 100 * normal(2, 7, 2)
PROBLEM = op.problems.quadratic(np.diag(np.arange(6.0)), W, 0.1)
TINY, HUGE = 1e-200, 1e200

CALLS = {
    "five_components": lambda: op.datasets.five_components(5, 2),
    "five_components small": lambda: op.datasets.five_components(5, 9, sd=TINY),
    "five_components large": lambda: op.datasets.five_components(5, 9, sd=1e308, center=True),
    "random_quadratic": lambda: op.datasets.random_quadratic(6, 2)[0],
    "synthetic_house": lambda: op.datasets.synthetic_house(3, 5, noise=1e-320),
    "graph_matching": lambda: op.problems.graph_matching(POINTS, POINTS[:5] ** 2, 1.0, width=1.0).smooth.grad(np.eye(7, 5)),
    "stability_radius": lambda: op.stability_radius(rho=0.5, lam=1.0, r=0.5, alpha=5e-324, beta=1e-308),
    "theoretical_parameters": lambda: op.theoretical_parameters(1.0, 1.0).beta,
    "certificate": lambda: op.certificate(PROBLEM, TINY * X).upper,
    "certificate large": lambda: op.certificate(PROBLEM, 1e100 * X).upper,
    "Variance": lambda: op.smooth.Variance(np.diag([1e-160, 1.0, 1e-200])).hessian,
    "Quadratic": lambda: op.smooth.Quadratic(np.array([[1e308, -1e308], [-1e308, 5e-324]])).hessian,
    "assign": lambda: op.assignment.assign(TINY * TINY * X),
    "sparsity": lambda: op.metrics.sparsity(TINY * X),
    "sym": lambda: op.stiefel.sym(1e308 * np.eye(2)),
    "defect": lambda: op.stiefel.defect(TINY * X),
    "feasibility": lambda: op.stiefel.feasibility(HUGE * X),
    "tangent": lambda: op.stiefel.tangent(TINY * X, TINY * W),
    "multiplier": lambda: op.stiefel.multiplier(TINY * X, TINY * W),
    "inner": lambda: op.stiefel.inner(TINY * X, TINY * W),
    "norm": lambda: op.stiefel.norm(np.stack([HUGE * X, TINY * X])),
    "qr": lambda: op.stiefel.qr(TINY * X),
    "polar": lambda: op.stiefel.polar(HUGE * X),
    "polar small": lambda: op.stiefel.polar(TINY * X),
    "check_grad": lambda: op.checks.check_grad(PROBLEM.smooth, TINY * X),
    "check_prox": lambda: op.checks.check_prox(PROBLEM.nonsmooth, TINY * X),
    "check_prox large": lambda: op.checks.check_prox(PROBLEM.nonsmooth, 1e154 * X),
    **{
        f"start {name}": lambda name=name: getattr(op.starts, name)(
            op.problems.quadratic(1e-300 * np.diag(np.arange(6.0)), 1e-300 * W, 1e-300), 0
        )
        for name in op.starts.STARTS
    },
    "long double": lambda: op.nonsmooth.L1(np.array([[np.longdouble("1e-4000")]])).mu,
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("error")
def test_the_caller_may_ask_numpy_to_raise(name):
    with np.errstate(all="ignore"):
        expected = CALLS[name]()
    with np.errstate(all="raise"):
        found = CALLS[name]()
    np.testing.assert_array_equal(found, expected)
    CALLS[name]()


@pytest.mark.filterwarnings("error")
def test_errors_come_without_a_warning():
    with pytest.raises(ValueError, match="need to be less extreme"):
        op.stability_radius(rho=1e160, lam=0.01, r=0.5, alpha=1e160, beta=0.01)
    with pytest.raises(ValueError, match=r"edges1 has node numbers 0 to 1e\+30; they need to lie in 0 to 1"):
        op.smooth.Matching([[1e30, 0]], [[0, 1]], [[0.2]], (2, 2), 0.3)
