"""The stagnation monitor."""

from orthoprox._adaptive.stagnation import Watch


def test_a_slow_run_changes_its_gait_and_a_fast_one_does_not():
    """Residuals that fall by 1 % in an iteration are fast enough; constant or rising ones are slow after 150 iterations."""
    fast, flat = Watch(), Watch()
    for k in range(300):
        fast, flat = fast.look(0.99**k), flat.look(0.1)
    assert fast.step_rule == 0
    assert flat.step_rule == 2
    for _ in range(200):
        flat = flat.look(0.1)
    assert flat.over
