"""Ctrl-C at any moment returns the best point so far."""

import signal

import numpy as np
import pytest

import orthoprox as op
from cases import normal
from orthoprox.stopping import Status

A, X0 = normal(0, 60, 20) / 4, op.stiefel.random_point(20, 4, seed=0)


def press():
    signal.raise_signal(signal.SIGINT)


class Pressing:
    """A gradient that counts its calls; Ctrl-C is pressed at the given ones."""

    def __init__(self, *at):
        self.at, self.calls = at, 0

    def __call__(self, X):
        self.calls += 1
        if self.calls in self.at:
            press()
        return -2 * A.T @ (A @ X)


def problem(grad, mu=0.5):
    return op.Problem(op.smooth.Function(lambda X: -np.sum((A @ X) ** 2), grad), op.nonsmooth.L1(mu), (20, 4))


CALLS = {
    "minimize": op.minimize,
    "minimize from a point": lambda what: op.minimize(what, X0),
    "solve": lambda what: op.solve(what, op.LSALM(), X0),
    "three starts": lambda what: op.minimize(what, "random", n_starts=3),
    "path": lambda what: at_work(op.path(what, [0.8, 0.4])),
}


def at_work(results):
    """The result of the weight that was interrupted, or else of the last."""
    return next((result for result in results if result.status is Status.INTERRUPTED), results[-1])


@pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_at_any_moment_returns_a_point(name):
    whole = Pressing()
    end = CALLS[name](problem(whole))
    for at in {2, 3, 7, *np.linspace(10, whole.calls, 12).astype(int)}:
        before = signal.getsignal(signal.SIGINT)
        result = CALLS[name](problem(Pressing(int(at))))
        assert result.status is Status.INTERRUPTED, at
        assert np.all(np.isfinite(result.X))
        assert result.feasibility < 1
        assert result.projected_objective >= end.projected_objective - 0.1 * abs(end.projected_objective)
        assert signal.getsignal(signal.SIGINT) is before


def test_a_point_that_was_found_is_not_lost_while_a_lower_one_is_sought():
    whole = Pressing()
    found = op.minimize(problem(whole))
    late = {part.name: part.gradients for part in found.phases}["lower minima"] // 2
    at = whole.calls - late
    with pytest.warns(op.ConvergenceWarning, match="Before that: Converged"):
        result = op.minimize(problem(Pressing(at)))
    assert result.status is Status.INTERRUPTED
    assert result.measurement.kkt_error <= 1e-6


def test_a_second_ctrl_c_raises():
    """The first one leads to the last measurement, and the second comes within that."""
    whole = Pressing(40, 41)
    with pytest.raises(KeyboardInterrupt):
        op.minimize(problem(whole), X0)


def test_a_path_keeps_what_it_has_found():
    whole = Pressing()
    results = op.path(problem(whole), [0.8, 0.6, 0.4], X0, polish=False, both_ways=False)
    assert len(results) == 3
    first = results[0].work.gradients
    with pytest.warns(op.ConvergenceWarning, match="Ctrl-C"):
        cut = op.path(problem(Pressing(first + 20)), [0.8, 0.6, 0.4], X0, polish=False, both_ways=False)
    assert [result.status for result in cut] == [Status.CONVERGED, Status.INTERRUPTED]
    np.testing.assert_array_equal(cut[0].X, results[0].X)
