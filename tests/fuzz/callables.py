"""A user's own functions: ones that behave, ones with quirks, and ones that break in the middle of
a run.
"""

import numpy as np
from hypothesis import strategies as st


class UserError(Exception):
    """What a user's own function raises."""


# --- Functions that behave ---

_QUIET = np.errstate(all="ignore")


@_QUIET
def log_cosh(X):
    size = np.abs(X)
    return float(np.sum(size + np.log1p(np.exp(-2 * size)) - np.log(2)))


@_QUIET
def tanh(X):
    return np.tanh(X)


@_QUIET
def slope(X):
    return float(np.sum(X[0]))


@_QUIET
def slope_gradient(X):
    D = np.zeros_like(X)
    D[0] = 1
    return D


def nothing(X):
    return 0.0


def zeros(X):
    return np.zeros_like(X)


@_QUIET
def ridge(X):
    return float(np.sum(X**2)) / 2


@_QUIET
def shrink(X, t):
    return X / (1 + t)


@_QUIET
def half_l1(X):
    return 0.5 * float(np.sum(np.abs(X)))


@_QUIET
def soft(X, t):
    return np.sign(X) * np.maximum(np.abs(X) - 0.5 * t, 0)


SMOOTH = {"log cosh": (log_cosh, tanh), "linear": (slope, slope_gradient), "zero": (nothing, zeros)}
NONSMOOTH = {"ridge": (ridge, shrink), "l1": (half_l1, soft)}

# --- Functions that do not ---


def _boom(given, value):
    raise UserError("this function fails")


def _interrupts(given, value):
    raise FloatingPointError("overflow in the function of a user")


def _nan_entry(given, value):
    value = np.array(value)
    value.flat[0] = np.nan
    return value


def _overwrites(given, value):
    if given.flags.writeable:
        given[...] = np.nan
    return value


def _doubles(given, value):
    if given.flags.writeable:
        given *= 2
    return value


WRONG_ARRAYS = {
    "raises": _boom,
    "raises arithmetic": _interrupts,
    "NaN": lambda given, value: np.full_like(value, np.nan),
    "one NaN": _nan_entry,
    "inf": lambda given, value: value + np.inf,
    "huge": lambda given, value: value * 1e300 + 1e300,
    "transposed": lambda given, value: value.T.copy(),
    "row less": lambda given, value: value[1:],
    "batch": lambda given, value: value[None],
    "flat": lambda given, value: value.ravel(),
    "None": lambda given, value: None,
    "number": lambda given, value: 0.0,
    "list": lambda given, value: value.tolist(),
    "complex": lambda given, value: value + 1j,
    "integer": lambda given, value: value.astype(int),
    "object": lambda given, value: value.astype(object),
    "masked": lambda given, value: np.ma.masked_less(value, 0.0),
    "overwrites": _overwrites,
}
WRONG_NUMBERS = {
    "raises": _boom,
    "raises arithmetic": _interrupts,
    "NaN": lambda given, value: np.nan,
    "inf": lambda given, value: np.inf,
    "-inf": lambda given, value: -np.inf,
    "huge": lambda given, value: 1e300,
    "None": lambda given, value: None,
    "array": lambda given, value: np.ones((1, 1)),
    "vector": lambda given, value: np.ones(3),
    "text": lambda given, value: "0",
    "complex": lambda given, value: 1j,
    "overwrites": _overwrites,
}
# Unusual, but right: these must work as well as the function itself.
QUIRKS = {
    "doubles its argument": _doubles,
    "locked": lambda given, value: _locked(value),
    "Fortran": lambda given, value: np.asfortranarray(value),
    "reversed": lambda given, value: value[::-1].copy()[::-1],
}
NUMBER_QUIRKS = {
    "doubles its argument": _doubles,
    "0-d": lambda given, value: np.array(value),
    "float64": lambda given, value: np.float64(value),
}


def _locked(value):
    value = np.array(value)
    value.setflags(write=False)
    return value


class Saboteur:
    """A function that does something else at its call number ``first`` and every ``period`` calls
    after it.
    """

    def __init__(self, function, how, first, period):
        self.function, self.how, self.first, self.period, self.count = function, how, first, period, 0

    def __call__(self, X, *more):
        kept = np.array(X)
        value = self.function(kept, *more)
        self.count += 1
        late = self.count - self.first
        if late < 0 or (late > 0 and (self.period == 0 or late % self.period)):
            return value
        kinds = [WRONG_ARRAYS, QUIRKS] if isinstance(value, np.ndarray) else [WRONG_NUMBERS, NUMBER_QUIRKS]
        return {name: change for kind in kinds for name, change in kind.items()}[self.how](X, value)

    def __repr__(self):
        return f"Saboteur({self.function.__name__}, {self.how!r}, first={self.first}, period={self.period})"


class Buffered:
    """A function that returns the same array again and again, with other numbers in it."""

    def __init__(self, function):
        self.function, self.buffer = function, None

    def __call__(self, X, *more):
        value = self.function(X, *more)
        if not isinstance(value, np.ndarray):
            return value
        if self.buffer is None or self.buffer.shape != value.shape or self.buffer.dtype != value.dtype:
            self.buffer = np.empty_like(value)
        self.buffer[...] = value
        return self.buffer

    def __repr__(self):
        return f"Buffered({self.function.__name__})"


LATE = 30  # the call number from which on a function breaks in the middle of a run, not at the door


@st.composite
def saboteurs(draw, function, *, number):
    """The function, broken in some way at some call."""
    how = draw(st.sampled_from(list(WRONG_NUMBERS if number else WRONG_ARRAYS)))
    return Saboteur(
        function, how, draw(st.sampled_from([1, 2, 3, 5, 8, 13, LATE, 47, 90])), draw(st.sampled_from([0, 0, 1, 7]))
    )


@st.composite
def quirky(draw, function, *, number):
    """The function with a quirk that does not change what it returns."""
    if not number and draw(st.booleans()):
        return Buffered(function)
    return Saboteur(function, draw(st.sampled_from(list(NUMBER_QUIRKS if number else QUIRKS))), 1, 1)
