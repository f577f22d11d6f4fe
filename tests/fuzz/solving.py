"""Arguments of the functions that solve: starts, methods, rules and budgets."""

import inspect
from dataclasses import fields
from functools import cache

import numpy as np
from hypothesis import strategies as st

import orthoprox as op
from fuzz.arrays import BAD, DARING, entries, layouts
from fuzz.callables import UserError, ridge, shrink
from fuzz.pick import SEEDS, one_in
from fuzz.values import EXTREMES, NONPOSITIVE, NOT_A_THING, NOT_WHOLE, WORDS, integers
from orthoprox import stopping

TOLERANCES = 1e-2, 1e-4, 1e-6, 1e-8


def manifold_point(seed, shape):
    """A point with X'X = I, without the library."""
    Q, R = np.linalg.qr(entries(seed, shape))
    return Q * np.where(np.diag(R) < 0, -1.0, 1.0)


@st.composite
def points(draw, shape):
    """A point of the manifold in some layout."""
    X = manifold_point(draw(SEEDS), shape)
    kind = draw(st.sampled_from(["float64", "float64", "float64", "float32", "identity"]))
    if kind == "identity":
        return draw(layouts(np.eye(*shape), draw(st.sampled_from(["float64", "int64", "bool", "float16"]))))
    return draw(layouts(X)) if kind == "float64" else draw(st.sampled_from([np.array, np.asfortranarray]))(X.astype(np.float32))


def bad_points(shape):
    """What is no point of the manifold."""
    X = manifold_point(0, shape)
    kinds = {**BAD, **DARING, "off": lambda X: 1.5 * X, "nearly": lambda X: X * (1 + 1e-5)}
    return st.one_of(st.sampled_from(list(kinds)).map(lambda kind: kinds[kind](X)), st.sampled_from(WORDS))


def as_point(start):
    """Return a start as an array of double precision, or None if it is a name."""
    return None if isinstance(start, str) else np.asarray(start, dtype=float)


def rules(tight=25):
    """Stopping rules that end a run soon."""
    budget = st.integers(0, tight).map(stopping.MaxIterations)
    others = st.sampled_from(
        [
            stopping.Stationary(1e-4),
            stopping.Below(step=1e-2, constraint=1e-2),
            stopping.ObjectiveBelow(-1.0),
            stopping.MaxSeconds(0.01),
            stopping.Leaves(0.5, 2),
            stopping.Stationary(1e-2) & stopping.Below(prox=1e-3),
        ]
    )
    return st.one_of(budget, st.builds(lambda a, b: a | b, others, budget))


NOT_RULES = st.sampled_from([1e-6, "auto", stopping.MaxIterations, [stopping.MaxIterations(2)], len, 0, stopping.Status.TIME])


# --- Methods ---

_WORDS = {
    "inner": ["auto", "adaptive", "published", "gradient", "lbfgs", "x"],
    "search": ["value", "gradient", "x"],
    "rule": ["I", "II", "two-phase", "dynamic", "geometric", "diminishing", "x"],
    "retraction": ["polar", "qr", "x"],
    "trial": ["grow", "restart", "barzilai-borwein", "x"],
}
_USUAL = [0.01, 0.1, 0.3, 0.5, 0.9, 1.0, 1.5, 3.0, 50.0]


def _values(field):
    if field.name in _WORDS:
        return st.sampled_from(_WORDS[field.name])
    if field.name == "settings":
        return st.just(field.default)
    if field.name == "newton":
        return st.booleans()
    if field.type in (int, "int") or field.name in ("max_cycles", "safeguard", "extra"):
        return integers(1, 5)
    return st.sampled_from([*_USUAL, None] if field.default is None else _USUAL)


@st.composite
def parameters(draw, kind, pick=None):
    """Some parameters of a method; through ``pick``, bad ones among them."""
    given = {}
    for field in fields(kind):
        if field.init and one_in(3, draw):
            good = _values(field)
            bad = st.one_of(NONPOSITIVE, NOT_WHOLE, NOT_A_THING, st.sampled_from(WORDS))
            small = field.name in ("max_cycles", "safeguard", "extra", "settings") or field.name in _WORDS
            given[field.name] = draw(good) if pick is None else pick(field.name, good, bad, None if small else EXTREMES)
    return given


_PLAIN = {"L1": (1.0,), "L21": (1.0,), "MCP": (1.0,), "SCAD": (1.0,), "Box": (0, 1), "Function": (ridge, shrink)}


@cache
def _able(g):
    """The names of the methods that can do with a nonsmooth term of this kind."""
    problem = op.Problem(op.smooth.Quadratic(np.eye(2)), getattr(op.nonsmooth, g)(*_PLAIN.get(g, ())), (2, 1))
    return [name for name, kind in op.SOLVERS.items() if all(need.lacking_in(problem) is None for need in kind().needs)]


def methods_for(recipe):
    """The names of the methods that the problem has what they need for."""
    return _able(recipe.nonsmooth[0])


def method_parameters(name):
    """The names of the parameters of a method."""
    return list(inspect.signature(op.SOLVERS[name]).parameters)


# --- Callbacks ---


class Callback:
    """Counts the snapshots it is called with, reads them, and ends the run or fails at one."""

    def __init__(self, at, what):
        self.at, self.what, self.count = at, what, 0

    def __call__(self, now):
        self.count += 1
        now.objective, now.feasibility, now.seconds, now.kkt_error  # noqa: B018
        if self.count == self.at and self.what == "stop":
            raise StopIteration
        if self.count == self.at and self.what == "stop with a reason":
            raise StopIteration("enough")
        if self.count == self.at and self.what == "raise":
            raise UserError("this callback fails")

    def __repr__(self):
        return f"Callback({self.at}, {self.what!r})"


callbacks = st.builds(Callback, st.integers(1, 12), st.sampled_from(["look", "stop", "stop with a reason"]))
failing_callbacks = st.builds(Callback, st.integers(1, 12), st.just("raise"))
