"""Conditions, to run a part of a study."""

import pytest

from orthoprox.reproduce.condition import Condition
from orthoprox.reproduce.spec import Run

RUN = Run({"solver": "lsalm", "m": 300, "beta": 0.25}, {})


@pytest.mark.parametrize(
    ("text", "name", "sign", "value"),
    [
        ("m<=500", "m", "<=", 500),
        ("  m  >=  500 ", "m", ">=", 500),
        ("seed<3", "seed", "<", 3),
        ("beta > 1e-2", "beta", ">", 0.01),
        ("value == -.5", "value", "==", -0.5),
        ("solver == lsalm", "solver", "==", "lsalm"),
        ("solver==manpg-ada", "solver", "==", "manpg-ada"),
    ],
)
def test_conditions_are_read(text, name, sign, value):
    found = Condition.parse(text)
    assert (found.name, found.sign, found.value) == (name, sign, value)
    assert Condition.parse(str(found)) == found


@pytest.mark.parametrize("text", ["", "m", "m 500", "m <= ", "<= 500", "m = 500", "m != 5", "m <= 5 5", "3 < m < 5", "m<='a'"])
def test_what_is_not_a_condition_is_named_with_an_example(text):
    with pytest.raises(ValueError, match="is not a condition; it needs a form such as 'm <= 500'") as caught:
        Condition.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["seed<nan", "seed == NaN", "m>=-nan"])
def test_a_comparison_with_nan_is_refused(text):
    """It holds for no run, so that nothing would be run."""
    with pytest.raises(ValueError, match=r"compares with nan, which holds for no run; it needs .*, as in '(m|seed) .* 3'"):
        Condition.parse(text)


@pytest.mark.parametrize(
    ("sign", "below", "equal", "above"),
    [
        ("<", True, False, False),
        ("<=", True, True, False),
        ("==", False, True, False),
        (">=", False, True, True),
        (">", False, False, True),
    ],
)
def test_signs_compare_as_they_do_in_arithmetic(sign, below, equal, above):
    found = [Condition.parse(f"m {sign} 300").holds(Run({"m": m}, {})) for m in (299, 300, 301)]
    assert found == [below, equal, above]


def test_words_are_compared_with_words():
    assert Condition.parse("solver == lsalm").holds(RUN)
    assert not Condition.parse("solver == soc").holds(RUN)


@pytest.mark.parametrize("text", ["m == lsalm", "solver == 3", "solver < 3"])
def test_words_and_numbers_cannot_be_compared(text):
    with pytest.raises(ValueError, match="cannot be compared"):
        Condition.parse(text).holds(RUN)


def test_runs_without_the_coordinate_meet_the_condition():
    assert Condition.parse("frame == 30").holds(RUN)
    assert Condition.parse("frame > word").holds(RUN)
