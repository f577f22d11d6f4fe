"""The stagnation monitor."""

from itertools import pairwise

from orthoprox._adaptive.stagnation import StagnationMonitor


def updates(monitor, residuals):
    """The monitor before and after each residual."""
    monitors = [monitor]
    for residual in residuals:
        monitors.append(monitors[-1].update(residual))
    return monitors


def test_a_fast_run_keeps_its_step_rule():
    """Residuals that fall by 1 % in an iteration are fast enough."""
    assert updates(StagnationMonitor(), [0.99**k for k in range(1000)])[-1].step_rule == 0


def test_a_run_without_progress_tries_each_step_rule_in_turn():
    """Constant or rising residuals are slow; the rules never go back, and in the end none is
    left.
    """
    for growth in (1.0, 1.01):
        monitors = updates(StagnationMonitor(), [0.1 * growth**k for k in range(600)])
        assert all(new.step_rule - old.step_rule in (0, 1) for old, new in pairwise(monitors))
        assert monitors[-1].exhausted
        assert not monitors[60].exhausted


def test_the_monitor_after_newtons_method_has_more_patience():
    """It begins without inertia, and changes its step rule later."""

    def first_change(monitor):
        return next(k for k, now in enumerate(updates(monitor, [0.1] * 600)) if now.step_rule != monitor.step_rule)

    assert StagnationMonitor.later().step_rule > StagnationMonitor().step_rule
    assert first_change(StagnationMonitor.later()) > first_change(StagnationMonitor())
