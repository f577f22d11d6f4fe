"""Numbers, whole numbers, flags and seeds, good and bad."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

NAN, INF = float("nan"), float("inf")
HUGE_AND_TINY = [1e-200, 1e-160, 1e-100, 1e-30, 1e30, 1e100, 1e160, 1e200]
NOT_NUMBERS = [
    None, True, np.True_, "1", "", b"1", 1j, np.complex64(1), {}, [], [1.0], (), [[0.5]], np.timedelta64(3, "s"),
    np.datetime64("2020"), np.str_("1"), len, object(), float, np.array([1.0, 2.0]), np.array(["a"]), np.ma.masked,
    np.array(None), np.array(True), ..., range(3), iter([]),
]  # fmt: skip
NOT_FINITE = [NAN, INF, -INF, np.float32("nan"), np.array(NAN), np.float16("inf"), 10**400, -(10**400), Fraction(10**400)]
NEGATIVE = [-1, -0.5, np.int8(-3), -1e-300, np.array(-2.0), np.float32(-1e30)]
WORDS = ["", "auto", "random", "lsalm", "LSALM", "x" * 300, "\x00", "ä", b"auto"]

_FORMS = {
    "float": float,
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "longdouble": np.longdouble,
    "array": np.array,
    "Fraction": Fraction,
}


@st.composite
def numbers(draw, *values):
    """One of the numbers, as a Python or NumPy number of some kind."""
    value, form = draw(st.sampled_from(values)), draw(st.sampled_from(list(_FORMS)))
    if value == int(value) and abs(value) < 2**15 and draw(st.booleans()):
        return draw(st.sampled_from([int, np.int16, np.uint64]))(int(value))
    small = 0 < abs(value) < 1e-4 or abs(value) > 1e4
    return _FORMS["float" if small and form == "float16" else form](value)


NONPOSITIVE = st.sampled_from([*NOT_NUMBERS, *NOT_FINITE, *NEGATIVE, 0, 0.0, np.float32(0)])
NOT_A_WEIGHT = st.sampled_from([*NOT_NUMBERS, *NOT_FINITE, *NEGATIVE])
NOT_A_NUMBER = st.sampled_from([*NOT_NUMBERS, *NOT_FINITE])
EXTREMES = st.sampled_from(HUGE_AND_TINY)


def integers(least, most):
    """Whole numbers, of Python and of NumPy."""
    kinds = st.sampled_from([int, int, np.int64, np.int16, np.uint8])
    return st.builds(lambda kind, value: kind(value), kinds, st.integers(least, most))


NOT_WHOLE = st.sampled_from(
    [*NOT_NUMBERS, 2.5, 3.0, NAN, INF, -1, np.int64(-7), 0.0, np.float32(2), Fraction(3, 2), -(10**400), np.array(2.5), "3"]
)
FLAGS = st.sampled_from([True, False, np.True_, np.False_])
NOT_FLAGS = st.sampled_from([0, 1, None, "yes", "auto", [], 1.0, np.array(True), NAN, "False"])
SEEDS = st.one_of(
    integers(0, 100),
    st.builds(np.random.default_rng, st.integers(0, 100)),
    st.builds(lambda k: np.random.Generator(np.random.MT19937(k)), st.integers(0, 9)),
)
NOT_SEEDS = st.sampled_from(
    [-1, 2.5, "0", True, NAN, [1, 2], np.random.RandomState(0), np.random, np.array([1]), {}, 1j, object()]
)
EXTREME_SEEDS = st.sampled_from([2**31, 2**63, 2**64, 10**40])
NOT_A_THING = st.sampled_from([None, 0, 1.5, "x", [], {}, np.eye(3), object(), len, type, ..., True])
