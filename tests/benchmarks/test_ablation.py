"""What fails without each part of the adaptive method: the parts are really left out."""

import pytest

from benchmarks import ablation
from benchmarks import instances as suite


def test_the_ablation_leaves_out_what_it_says():
    """Without a part the method is another one; with all of them it is the same as ever."""
    one = next(one for one in suite.instances("tuning") if one.family == "five components" and one.shape == (100, 10))
    runs = {part: ablation.run(part, one) for part in (ablation.ALL, "inertia", "measured curvature")}
    assert runs[ablation.ALL].converged
    assert len({run.gradients for run in runs.values()}) == 3
    assert ablation.fill("a\n<!-- ablation -->\nold\n<!-- end -->\nb", "new") == "a\n<!-- ablation -->\nnew\n<!-- end -->\nb"


def test_every_part_that_is_left_out_is_there():
    """Each name that is replaced exists, and is back afterwards."""
    for part, changes in ablation.PARTS.items():
        before = [getattr(module, name) for module, name in changes]
        with ablation.without(part):
            assert [getattr(module, name) for module, name in changes] == list(changes.values())
        assert [getattr(module, name) for module, name in changes] == before


@pytest.mark.extended
@pytest.mark.parametrize("part", [part for part in ablation.PARTS if part != ablation.ALL])
def test_the_method_is_another_one_without_a_part(part):
    """On one of the instances at least."""
    some = [one for one in suite.instances("tuning") if one.seed == 0 and one.shape[0] <= 60]
    assert any(ablation.run(part, one).curve != ablation.run(ablation.ALL, one).curve for one in some)
