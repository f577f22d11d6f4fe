"""The commands that make what a report shows."""

import pytest

from orthoprox.reproduce.command import commands
from orthoprox.reproduce.condition import Condition
from orthoprox.reproduce.spec import load

RUNS = load("table-spca").runs()
OTHERS = load("tested-times").runs()


def keys(runs, *conditions):
    return {run.key for run in runs if all(Condition.parse(text).holds(run) for text in conditions)}


def test_studies_that_are_whole_need_no_conditions():
    parts = {"one": (RUNS, keys(RUNS)), "two": (OTHERS, keys(OTHERS))}
    assert commands(parts) == ["orthoprox reproduce one two"]
    assert commands(parts, quick=True) == ["orthoprox reproduce --quick one two"]


def test_a_part_is_told_by_upper_bounds():
    assert commands({"one": (RUNS, keys(RUNS, "seed<3"))}) == ["orthoprox reproduce one --where 'seed <= 2'"]
    both = "orthoprox reproduce one --where 'seed <= 2' --where 'm <= 500'"
    assert commands({"one": (RUNS, keys(RUNS, "seed<3", "m<=500"))}) == [both]


def test_parts_of_different_bounds_have_commands_of_their_own():
    there = keys(RUNS, "seed<3") | keys(RUNS, "m<=500")
    expected = [f"orthoprox reproduce one --where '{bound}'" for bound in ("seed <= 2", "m <= 500")]
    assert commands({"one": (RUNS, there)}) == expected
    same = commands({"one": (RUNS, there), "two": (RUNS, there), "three": (OTHERS, keys(OTHERS))})
    assert same == [line.replace("one", "one two") for line in expected] + ["orthoprox reproduce three"]


def test_bounds_of_parameters_are_told_exactly():
    runs = load("fig-qp-range").runs()
    some = [run for run in runs if run.at["seed"] <= 2 and run.at["value"] <= runs[40].at["value"]]
    (line,) = commands({"one": (runs, {run.key for run in some})})
    assert keys(runs, *line.split("'")[1::2]) == {run.key for run in some}
    third = Condition("value", "<=", 1 / 3)
    assert Condition.parse(str(third)) == third


@pytest.mark.parametrize("text", ["solver==soc", "seed>3", "seed==1"])
def test_what_no_bounds_describe_is_made_with_all_others(text):
    assert commands({"one": (RUNS, keys(RUNS, text))}) == ["orthoprox reproduce one"]


def test_the_commands_make_all_that_is_there():
    for there in (keys(RUNS, "seed<3") | keys(RUNS, "m<=500"), keys(RUNS, "seed<5", "m<=700"), keys(RUNS, "seed==0")):
        made = set()
        for line in commands({"one": (RUNS, there)}):
            made |= keys(RUNS, *line.split("'")[1::2])
        assert made >= there
