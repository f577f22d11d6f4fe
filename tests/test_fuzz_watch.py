"""The fuzzer notices broken promises: each row breaks one."""

import os
import threading
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

import orthoprox as op
from fuzz.pick import Call, Quality
from fuzz.promises import refusal, watch
from fuzz.results import ResultCheck
from fuzz.terms import Recipe

X = np.eye(3, 2)


def spoil(X):
    X[0, 0] = 7.0


def thread():
    threading.Thread(target=time.sleep, args=(3,), daemon=True).start()


def reset(call):
    """Call, and bring back what it changed."""
    seterr, environ = np.geterr(), dict(os.environ)
    try:
        return watch(call, seconds=0.2)
    finally:
        np.seterr(**seterr)
        os.environ.clear()
        os.environ.update(environ)


BROKEN = {
    "hang": (lambda X: time.sleep(1), "hang: no end"),
    "changed input": (spoil, "changed input: X"),
    "warning": (lambda X: warnings.warn("careful", RuntimeWarning, stacklevel=1), "leaked warning: RuntimeWarning"),
    "print": (lambda X: os.write(1, b"hello\n"), "printed: 'hello"),
    "errstate": (lambda X: np.seterr(all="ignore"), r"changed state: np.geterr"),
    "random": (lambda X: np.random.rand(), "changed state: np.random"),  # noqa: NPY002
    "environment": (lambda X: os.environ.update(FUZZ="1"), "changed state: os.environ"),
    "thread": (lambda X: thread(), "changed state: threads"),
    "NumPy's error": (lambda X: X @ X, "exception from the depths: ValueError: matmul"),
    "other error": (lambda X: {}["a"], "undocumented exception: KeyError"),
    "exit": (lambda X: os.sys.exit(), "undocumented exception: SystemExit"),
    "refused": (lambda X: op.solve(None, None, X), "refused good arguments: TypeError"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_promise_is_noticed(kind):
    run, message = BROKEN[kind]
    Y = X.copy()
    report = reset(Call("f", lambda: run(Y), {"X": Y}))
    assert any(text.startswith(message) for text in report.broken), report.broken


def test_a_call_that_keeps_its_promises_breaks_none():
    report = watch(Call("polar", lambda: op.stiefel.polar(X), {"X": X}))
    assert (report.outcome, report.broken) == ("returned", [])


def test_a_helpful_refusal_of_bad_arguments_is_none():
    report = watch(Call("solve", lambda: op.solve(None, None, X), {"X": X}, Quality.BAD))
    assert (report.outcome, report.broken) == ("refused", [])


@pytest.mark.parametrize("text", ["", "no", "x" * 2000, "operands could not be broadcast together with shapes (2,) (3,)"])
def test_unhelpful_messages_are_noticed(text):
    source = f"def f():\n    raise ValueError({text!r})\n"
    scope = {}
    exec(compile(source, op.__file__, "exec"), scope)  # as if the library said so
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        scope["f"]()
    assert refusal(Call("f", scope["f"], {}, Quality.BAD), caught.value)


A = np.random.default_rng(0).standard_normal((9, 3))
RECIPE = Recipe(("Variance", {"A": A}), ("L1", {"mu": 0.1}), (3, 2), None)


def spoiled(**changes):
    result = op.minimize(RECIPE.build(), X)
    return replace(result, measurement=replace(result.measurement, **changes.pop("measurement", {})), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": np.full((3, 2), np.nan)}, "X is not finite"),
        ({"X": np.eye(2)}, "X has shape"),
        ({"X": np.eye(3, 2, dtype=int)}, "X has dtype"),
        ({"measurement": {"objective": np.nan}}, "the objective is NaN"),
        ({"measurement": {"objective": 1.0}}, "but f"),
        ({"measurement": {"feasibility": 1.0}}, "feasibility 1.0, in fact"),
        ({"measurement": {"kkt_error": 1e-3}}, "CONVERGED with a KKT error"),
        ({"measurement": {"objective": 1.0, "projected_objective": 1.0}}, "f rose"),
    ],
)
def test_a_false_result_is_noticed(changes, message):
    check = ResultCheck(RECIPE, tol=1e-6, start=X, descends=True)
    assert not check(spoiled()).broken
    assert any(message in text for text in check(spoiled(**changes)).broken)
