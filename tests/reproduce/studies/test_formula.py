"""Formulas in specs: arithmetic and nothing else."""

import math

import pytest

from orthoprox.reproduce.studies.formula import evaluate, resolve

NAMES = {"m": 300, "n": 150, "L": 4.0}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1.5*L", 6.0),
        ("1/(2*L)", 0.125),
        ("1/2*L", 2.0),
        ("m // 2", 150),
        ("round(0.07*sqrt(m*n))", 15),
        ("1e-4*sqrt(m*n)", 1e-4 * math.sqrt(45000)),
        ("1 + 2*3 - 4/8", 6.5),
        ("-L**2", -16.0),
        ("2**3**2", 512),
        ("8 - 4 - 2", 2),
        ("max(m, n, 7)", 300),
        ("min(L, 2) + -1", 1.0),
    ],
)
def test_formulas_have_the_value_of_arithmetic(formula, value):
    assert evaluate(formula, NAMES) == value


@pytest.mark.parametrize(
    "formula",
    [
        "q + 1",  # an unknown name
        "sin(m)",  # an unknown function
        "abs(m)",
        "__import__('os')",
        "eval('1')",
        "m.real",
        "m.real()",
        "(1).bit_length()",
        "'text'",
        "'a' * 3",
        "sqrt('4')",
        "[1, 2]",
        "(1, 2)",
        "m[0]",
        "lambda: 1",
        "m if n else L",
        "m < n",
        "m and n",
        "not m",
        "True",
        "None",
        "1j",
        "max(*[1, 2])",
        "round(m, ndigits=1)",
        "(x := 3)",
        "[x for x in [1]]",
        "f'{m}'",
        "m % n",
        "m @ n",
        "~m",
        "m; n",
        "m n",
        "",
        "1 +",
    ],
)
def test_nothing_but_arithmetic_is_evaluated(formula):
    with pytest.raises(ValueError, match="is not a formula") as caught:
        evaluate(formula, NAMES)
    assert repr(formula) in str(caught.value)
    assert "sqrt" in str(caught.value)


@pytest.mark.parametrize("formula", ["m / (n - 150)", "sqrt(-L)", "1e308 ** 2"])
def test_formulas_without_a_value_are_errors_that_name_them(formula):
    with pytest.raises(ValueError, match="formula") as caught:
        evaluate(formula, NAMES)
    assert repr(formula) in str(caught.value)


def test_resolve_replaces_strings_except_words_and_leaves_the_rest():
    given = {"penalty": "1.5*L", "trial": "restart", "shrink": 0.5, "count": 3}
    assert resolve(given, NAMES, words=("trial",)) == {"penalty": 6.0, "trial": "restart", "shrink": 0.5, "count": 3}
    with pytest.raises(ValueError, match="'restart' is not a formula"):
        resolve(given, NAMES)
