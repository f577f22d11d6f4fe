"""Mistakes in the input: rows of tables with a name, a call, the error that it raises and a pattern
of its message.

A place is whatever takes data: its key is "where.argument", and its call takes the bad value alone.
"""

import numpy as np
import pytest
import scipy.sparse as sp

import orthoprox as op

M, N = 6, 2
_RNG = np.random.default_rng(0)
A = _RNG.standard_normal((10, M))
C, B = A.T @ A, _RNG.standard_normal((M, N))
X = op.stiefel.random_point(M, N)
POINTS = _RNG.random((5, 2))
EDGES1, EDGES2, AFFINITY = [[0, 1], [1, 2]], [[0, 1]], [[1.0], [0.5]]
PROBLEM = op.problems.quadratic(C, B, 0.1)
ELL, L1 = PROBLEM.smooth, PROBLEM.nonsmooth
NAN, INF = float("nan"), float("inf")
POSITIVE, NONNEGATIVE, FINITE = "a finite number > 0", "a finite number >= 0", r"a finite number\."


def fail(*_):
    raise AssertionError("work was done before the input was checked")


UNTOUCHABLE = op.Problem(op.smooth.Function(fail, fail), op.nonsmooth.Function(fail, fail), (M, N))


def table(*tables):
    """Parametrize a test over the rows of tables."""
    rows = [pytest.param(*row[1:], id=row[0]) for table in tables for row in table]
    return pytest.mark.parametrize(("call", "error", "message"), rows)


def locked(value):
    """An array that cannot be written to."""
    value = np.array(value)
    value.setflags(write=False)
    return value


def holed(matrix):
    """A matrix with one entry that is not a number."""
    matrix = np.array(matrix, dtype=float)
    matrix[0, 0] = NAN
    return matrix


# --- Matrices ---

NOT_ENTRIES = {  # good data -> bad data, the error and its message
    "NaN": (holed, ValueError, "{} contains NaN.* entries; remove or impute them"),
    "ragged": (lambda good: [[1.0, 2.0], [3.0]], ValueError, "{} is ragged: .* needs a rectangular array"),
    "strings": (lambda good: good.astype(str), TypeError, "{} has dtype <U.*; it needs real numbers, convert it"),
    "objects": (lambda good: good.astype(object), TypeError, r"{} has dtype object; .* convert it with \.astype\(float\)"),
    "dates": (lambda good: good.astype("M8[D]"), TypeError, r"{} has dtype datetime64\[D\]; it needs real numbers"),
    "records": (lambda good: good.astype([("a", float)]), TypeError, r"{} has dtype \[\('a', '<f8'\)\]; it needs real"),
    "complex": (lambda good: good * 1j, TypeError, r"{} is complex \(complex128\); .* pass real data"),
    "masked": (lambda good: np.ma.masked_less(good, 0.1), TypeError, "{} is a masked array; fill or remove its missing"),
    "empty": (lambda good: good[:0], ValueError, r"{} is empty, shape \(0, \d\); it needs at least one row"),
}
NOT_MATRICES = {
    "infinite": (lambda good: good / 0.0, ValueError, "{} contains NaN or infinite entries; remove or impute them"),
    "1-d": (lambda good: good[0], ValueError, r"{} has 1 dimension\(s\), shape \(\d,\); it needs (2 dimensions|shape)"),
    "empty list": (lambda good: [], ValueError, r"{} has 1 dimension\(s\), shape \(0,\); it needs (2 dimensions|shape)"),
    "dict": (lambda good: {"a": good}, TypeError, r"(?s){} is \{{'a': .*\}}, a dict; it needs an array of real numbers"),
    "set": (lambda good: {1}, TypeError, r"{} is \{{1\}}, a set; it needs an array of real numbers"),
    "function": (lambda good: len, TypeError, "{} is <built-in function len>, .*; it needs an array of real numbers"),
}
NOTHING = {"None": None, "object": object()}


def bad_matrices(places, *, required=True, dense=True):
    """Rows for places that take a matrix: key -> (the name in the message, the call, data that
    would do).
    """
    yield from _spoiled(places, NOT_ENTRIES | NOT_MATRICES)
    for place, (name, call, _) in places.items():
        if required:
            message = rf"^{name} is (None|<object .*>).*; it needs an array"
            yield from ((f"{place} {kind}", _given(call, value), TypeError, message) for kind, value in NOTHING.items())
        if dense:
            message = rf"^{name} is sparse; it needs a dense array, pass \w+\.toarray\(\)"
            yield f"{place} sparse", _given(call, sp.csr_array(B)), TypeError, message


def bad_arrays(places):
    """Rows for places that take an array or a number."""
    yield from _spoiled(places, NOT_ENTRIES)


def _spoiled(places, kinds):
    for place, (name, call, good) in places.items():
        for kind, (spoil, error, message) in kinds.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                bad = spoil(np.asarray(good))
            yield f"{place} {kind}", _given(call, bad), error, message.format(name)


def _given(call, value):
    return lambda: call(value)


# --- Numbers ---

NOT_FINITE = [NAN, INF, -INF, np.float32("nan"), np.array(NAN), 10**400, -(10**400)]
NEGATIVE = [-1, -0.5, np.int8(-3)]
ZERO = [0, 0.0, np.float32(0)]
NOT_NUMBERS = [
    True, np.True_, "1", b"1", 1j, np.complex64(1), {}, np.timedelta64(3, "s"), np.datetime64("2020"), np.str_("1"), len,
]  # fmt: skip


def bad_numbers(places):
    """Rows for places that take a number: key -> (the name in the message, the call, what it asks
    for).
    """
    for place, (name, call, needed) in places.items():
        for value in NOT_FINITE:
            shown = ("+" if value > 0 else "-") + "10**400" if isinstance(value, int) else repr(value)
            yield f"{place} {shown}", _given(call, value), ValueError, f"{name} = (nan|-?inf); it needs {needed}"
        for value in NEGATIVE if needed != FINITE else []:
            yield f"{place} {value!r}", _given(call, value), ValueError, f"{name} = {value:g}; it needs {needed}"
        for value in ZERO if needed == POSITIVE else []:
            yield f"{place} {value!r}", _given(call, value), ValueError, f"{name} = 0; it needs {needed}"
        for value in NOT_NUMBERS:
            message = f"{name} is .*, a {type(value).__name__}; it needs a real number"
            yield f"{place} {value!r}", _given(call, value), TypeError, message


# --- Whole numbers ---

NOT_WHOLE = [2.5, 3.0, NAN, True, np.False_, "3", [2], {}, 1j, np.timedelta64(3, "s"), np.float32(2)]


def bad_integers(places, *, none=True):
    """Rows for places that take a whole number: key -> (the name in the message, the call, the
    least that will do).
    """
    for place, (name, call, least) in places.items():
        for value in (-1, np.int64(-7), least - 1):
            message = f"{name} = {value}; it needs a whole number >= {least}"
            yield f"{place} {value!r}", _given(call, value), ValueError, message
        for value in [*NOT_WHOLE, *([None] if none else [])]:
            message = rf"{name} is .*, a {type(value).__name__}; it needs (a whole number|an int or a numpy)"
            yield f"{place} {value!r}", _given(call, value), TypeError, message


# --- Terms ---


def with_terms(fun=np.sum, grad=np.ones_like, value=lambda P: 0.0, prox=lambda P, t: P):
    """A problem of one's own terms."""
    return op.Problem(op.smooth.Function(fun, grad), op.nonsmooth.Function(value, prox), (M, N))


def _returns(value):
    return lambda *_: value


RETURNS = [
    ("grad None", {"grad": _returns(None)}, TypeError, "gradient .* returned None, a NoneType; it needs an array"),
    ("grad list", {"grad": _returns(X.tolist())}, TypeError, "gradient .* returned .*, a list; it needs an array"),
    ("grad row", {"grad": _returns(X[:1])}, ValueError, r"gradient .* returned shape \(1, 2\) for X of shape \(6, 2\)"),
    ("grad number", {"grad": _returns(0.0)}, TypeError, "gradient .* returned 0.0, a float; it needs an array"),
    ("grad NaN", {"grad": _returns(X * NAN)}, ValueError, "gradient .* returned NaN or infinite entries; it needs finite"),
    ("grad complex", {"grad": _returns(X * 1j)}, TypeError, "gradient .* returned dtype complex128; it needs real"),
    ("fun None", {"fun": _returns(None)}, TypeError, "value of the smooth .* returned None, .*; it needs one real number"),
    ("fun 2-d", {"fun": _returns([[1.0]])}, TypeError, r"value of the smooth .* returned \[\[1.0\]\], .* one real number"),
    (
        "fun array",
        {"fun": _returns(np.ones((1, 1)))},
        TypeError,
        "value of the smooth .* NumPy array .*; it needs one real",
    ),
    ("fun NaN", {"fun": _returns(NAN)}, ValueError, "value of the smooth .* returned nan; it needs a finite number"),
    ("fun inf", {"fun": _returns(INF)}, ValueError, "value of the smooth .* returned inf; it needs a finite number"),
    ("value text", {"value": _returns("0")}, TypeError, "value of the nonsmooth .* returned '0', a str; .* real number"),
    ("value -inf", {"value": _returns(-INF)}, ValueError, "value of the nonsmooth .* returned -inf; it needs a finite"),
    ("prox None", {"prox": _returns(None)}, TypeError, "prox .* returned None, a NoneType; it needs an array"),
    ("prox column", {"prox": _returns(X[:, :1])}, ValueError, r"prox .* returned shape \(6, 1\) for X of shape \(6, 2\)"),
    ("prox int", {"prox": _returns(np.ones((M, N), int))}, TypeError, "prox .* returned dtype int64; it needs real floating"),
    ("prox inf", {"prox": _returns(X * INF)}, ValueError, "prox .* returned NaN or infinite entries; it needs finite"),
]
every_return = pytest.mark.parametrize(("terms", "error", "message"), [pytest.param(*row[1:], id=row[0]) for row in RETURNS])
