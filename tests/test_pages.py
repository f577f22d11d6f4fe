"""What is compared of output, and what is not."""

import pytest

from pages import blocks, differences

SHOWN = "alcohol  0.57  .\nstatus   Converged.\ntime .3 s: run .1\nerror 2e-16\nobjective -374.3469683\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.57  .", "0.56   ."),
        (".3 s: run .1", "12 s"),
        ("2e-16", "7.1e-13"),
        ("-374.3469683", "-374.9"),
        ("\ntime", "\n\ntime"),
    ],
)
def test_times_rounding_and_last_digits_may_differ(old, new):
    assert differences(SHOWN.replace(old, new), SHOWN) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.57  .", ".  0.57"),
        ("0.57", "-0.57"),
        ("0.57", "0.55"),
        ("Converged", "Stagnated"),
        ("time", "gradients"),
        ("2e-16", "2e-6"),
        ("-374.3", "-379.3"),
        ("alcohol", "ash"),
        ("status   Converged.\n", ""),
        ("objective", "more\nobjective"),
    ],
)
def test_words_signs_and_figures_may_not(old, new):
    assert differences(SHOWN.replace(old, new), SHOWN)


def test_dots_stand_for_any_lines_but_not_for_the_ends():
    shown = "a 1\n...\nc 3\n...\ne 5\n"
    assert differences("a 1\nb 2\nc 3\nd 4\ne 5\n", shown) == []
    assert differences("a 1\nc 3\ne 5\n", shown) == []
    for wrong in ("b 2\na 1\nc 3\ne 5\n", "a 1\nc 3\ne 5\nf 6\n", "a 1\nb 2\ne 5\n", "a 1\ne 5\nc 3\n"):
        assert differences(wrong, shown)


def test_blocks_come_in_their_order():
    assert blocks("```python\na\n```\ntext `b`\n\n```text\nc\nd\n```\n") == [("python", "a\n"), ("text", "c\nd\n")]
