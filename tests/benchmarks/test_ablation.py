"""What fails without each part of the adaptive method: the parts are really left out."""

from dataclasses import fields

import pytest

from benchmarks import ablation
from benchmarks import instances as suite
from orthoprox._adaptive.settings import SETTINGS


def test_the_ablation_leaves_out_what_it_says():
    """Without a part the method is another one; with all of them it is the same as ever."""
    one = next(one for one in suite.instances("tuning") if one.family == "five components" and one.shape == (100, 10))
    runs = {part: ablation.run(part, one) for part in (ablation.ALL, "inertia")}
    assert runs[ablation.ALL].converged
    assert runs[ablation.ALL].gradients < runs["inertia"].gradients
    assert ablation.fill("a\n<!-- ablation -->\nold\n<!-- end -->\nb", "new") == "a\n<!-- ablation -->\nnew\n<!-- end -->\nb"


def test_a_part_is_left_out_by_its_settings():
    names = {field.name for field in fields(SETTINGS)}
    for part, changes in ablation.PARTS.items():
        assert set(changes) <= names
        solver = ablation.without(part)
        assert solver.newton == (part != ablation.NEWTON)
        assert (solver.settings == SETTINGS) == (part in (ablation.ALL, ablation.NEWTON))


@pytest.mark.extended
@pytest.mark.parametrize("part", [part for part in ablation.PARTS if part != ablation.ALL])
def test_the_method_is_another_one_without_a_part(part):
    """On one of the instances at least."""
    some = [one for one in suite.instances("tuning") if one.seed == 0 and one.shape[0] <= 60]
    assert any(ablation.run(part, one).curve != ablation.run(ablation.ALL, one).curve for one in some)
