"""Problems as recipes: the arguments of their terms in many forms, and the same problem without the
library, for the judge.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import judge
import orthoprox as op
from fuzz import callables
from fuzz.arrays import TYPES, entries, layouts, operators
from fuzz.pick import SEEDS, one_in
from fuzz.values import numbers

KINDS = ["L1", "L1", "L1 weighted", "L1 bounded", "L21", "MCP", "SCAD", "Box", "Nonnegative", "Zero", "Function"]
WEIGHTED = ["L1", "L21", "MCP", "SCAD"]
MU = 0.05, 0.1, 0.3, 0.5, 1.0, 2.0, 0.0


@dataclass(frozen=True)
class Recipe:
    """A problem that is yet to be made: the terms by name, and their arguments."""

    smooth: tuple[str, dict[str, Any]]
    nonsmooth: tuple[str, dict[str, Any]]
    shape: tuple[int, int]
    plain: judge.Plain | None  # None: the judge cannot tell
    dtype: str = "float64"
    honest: bool = True  # no callable misbehaves
    quirky: bool = False  # one has a quirk, such as to change its argument
    daring: bool = False  # its terms are of very different sizes
    late: bool = False  # one does, in the middle of a run and not before

    def build(self):
        """Return the problem."""
        ell = getattr(op.smooth, self.smooth[0])(**self.smooth[1])
        return op.Problem(ell, getattr(op.nonsmooth, self.nonsmooth[0])(**self.nonsmooth[1]), self.shape)

    def __repr__(self):
        terms = [
            f"{name}({', '.join(f'{k}={_text(v)}' for k, v in given.items())})" for name, given in (self.smooth, self.nonsmooth)
        ]
        return f"Problem({terms[0]}, {terms[1]}, {self.shape})"


def _text(value):
    kind = type(value).__name__
    if not hasattr(value, "dtype"):
        return getattr(value, "__name__", None) or repr(value)
    dense = value.toarray() if hasattr(value, "toarray") else value
    entries = dense.tolist() if hasattr(dense, "tolist") else ""
    return f"<{kind} {value.dtype} {value.shape} {entries}>"


shapes = st.sampled_from([(1, 1), (2, 1), (2, 2), (3, 2), (4, 1), (4, 2), (5, 3), (6, 2), (6, 6), (8, 3), (10, 4)])


@st.composite
def smooth_terms(draw, shape):
    """Name, arguments, gradient, the bound of its size, and the precision of the data."""
    m, n = shape
    kind, seed = draw(st.sampled_from(["Quadratic", "Quadratic", "Variance", "Variance", "Function", "Matching"])), draw(SEEDS)
    dtype = draw(st.sampled_from(TYPES))
    single = "float32" if dtype == "float32" else "float64"
    if kind == "Quadratic":
        A = entries(seed, (m, m), dtype)
        A = np.maximum(A, A.T)
        given = {"A": draw(operators(A, dtype))}
        B = entries(seed + 1, shape, single) if draw(st.booleans()) else np.zeros(shape)
        if B.any():
            given["B"] = draw(layouts(B, single))
        return kind, given, lambda X: A @ X + B, np.linalg.norm(A, 2) * n**0.5 + np.linalg.norm(B), single
    if kind == "Variance":
        A = entries(seed, (draw(st.sampled_from([1, 3, 12])), m), dtype)
        return (
            kind,
            {"A": draw(operators(A, dtype))},
            lambda X: -2 * A.T @ (A @ X),
            2 * np.linalg.norm(A, 2) ** 2 * n**0.5,
            single,
        )
    if kind == "Matching" and n >= 2:
        return *_matching(seed, shape), "float64"
    fun, grad = callables.SMOOTH[draw(st.sampled_from(list(callables.SMOOTH)))]
    return "Function", {"fun": fun, "grad": grad}, grad, float((m * n) ** 0.5), "float64"


def _matching(seed, shape):
    rng = np.random.default_rng(seed)
    edges = [np.array([(i, j) for j in range(nodes) for i in range(j)]) for nodes in shape]
    affinity, mu = rng.random((len(edges[0]), len(edges[1]))), 0.7
    K = np.zeros((*shape, *shape))
    for e, (i, j) in enumerate(edges[0]):
        for f, (a, b) in enumerate(edges[1]):
            K[i, a, j, b] = K[j, b, i, a] = K[i, b, j, a] = K[j, a, i, b] = affinity[e, f]

    def grad(X):
        return -2 * np.tensordot(K, X, axes=2) + 2 * mu * np.minimum(X, 0)

    given = {"edges1": edges[0], "edges2": edges[1], "affinity": affinity, "shape": shape, "mu": mu}
    size = np.prod(shape)
    return "Matching", given, grad, (2 * np.linalg.norm(K.reshape(size, size), 2) + 2 * mu) * shape[1] ** 0.5


@st.composite
def nonsmooth_terms(draw, shape, kinds=KINDS):
    """Name, arguments, and the subdifferential as the judge knows it."""
    m, n = shape
    kind = draw(st.sampled_from(kinds))
    mu = draw(numbers(*MU))
    weight = float(mu)
    if kind == "L1":
        return "L1", {"mu": mu}, lambda P: judge.l1(P, weight)
    if kind == "L1 weighted":
        weights = np.abs(entries(draw(SEEDS), draw(st.sampled_from([shape, (1, n), (m, 1)]))))
        return "L1", {"mu": draw(layouts(weights))}, lambda P: judge.l1(P, weights)
    if kind == "L1 bounded":
        return "L1", {"mu": mu, "bound": 0.75}, lambda P: judge.l1(P, weight, 0.75)
    if kind == "L21":
        return "L21", {"mu": mu}, lambda P: judge.l21(P, weight)
    if kind == "MCP":
        return "MCP", {"mu": mu, "gamma": 2.0}, lambda P: judge.mcp(P, weight, 2.0)
    if kind == "SCAD":
        return "SCAD", {"mu": mu, "a": 3.0}, lambda P: judge.scad(P, weight, 3.0)
    if kind == "Box":
        return "Box", {"lower": -0.5, "upper": draw(st.sampled_from([1.0, np.inf]))}, None
    if kind == "Nonnegative":
        return kind, {}, judge.nonnegative
    if kind == "Zero":
        return kind, {}, judge.zero
    name = draw(st.sampled_from(list(callables.NONSMOOTH)))
    fun, prox = callables.NONSMOOTH[name]
    return "Function", {"fun": fun, "prox": prox}, judge.ridge if name == "ridge" else lambda P: judge.l1(P, 0.5)


@st.composite
def recipes(draw, shape=None, *, callables_too=False, kinds=KINDS):
    """A problem; with ``callables_too``, sometimes one whose functions misbehave or have quirks."""
    shape = draw(shapes) if shape is None else shape
    ell, given, grad, steepest, dtype = draw(smooth_terms(shape))
    g, more, subdifferential = draw(nonsmooth_terms(shape, kinds))
    if g == "Box":
        upper = more["upper"]
        subdifferential = lambda P: judge.box(P, -0.5, upper)  # noqa: E731
    honest, quirky, late = True, False, False
    if callables_too and one_in(3, draw):
        honest = quirky = draw(st.booleans())
        own = draw(quirky_functions(shape) if quirky else broken_functions(shape))
        (ell, given, grad, steepest), (g, more, subdifferential) = own
        dtype = "float64"
        late = not honest and all(f.first >= callables.LATE for f in (*given.values(), *more.values()) if hasattr(f, "first"))
    plain = judge.Plain(grad, subdifferential, steepest) if honest else None
    return Recipe((ell, given), (g, more), shape, plain, dtype, honest, quirky, late=late)


@st.composite
def broken_functions(draw, shape):
    """Terms of one's own, one or two of whose functions break."""
    smooth, nonsmooth = _own(draw, shape)
    parts = {"fun": True, "grad": False}, {"fun": True, "prox": False}
    for _ in range(draw(st.integers(1, 2))):
        side = draw(st.integers(0, 1))
        name = draw(st.sampled_from(list(parts[side])))
        terms = (smooth, nonsmooth)[side]
        if not hasattr(terms[1][name], "first"):
            terms[1][name] = draw(callables.saboteurs(terms[1][name], number=parts[side][name]))
    return smooth, nonsmooth


@st.composite
def quirky_functions(draw, shape):
    """Terms of one's own with quirks."""
    smooth, nonsmooth = _own(draw, shape)
    for terms, names in ((smooth, ("fun", "grad")), (nonsmooth, ("fun", "prox"))):
        for name in names:
            if draw(st.booleans()):
                terms[1][name] = draw(callables.quirky(terms[1][name], number=name == "fun"))
    return smooth, nonsmooth


def _own(draw, shape):
    fun, grad = callables.SMOOTH[draw(st.sampled_from(["log cosh", "linear"]))]
    name = draw(st.sampled_from(list(callables.NONSMOOTH)))
    value, prox = callables.NONSMOOTH[name]
    dg = judge.ridge if name == "ridge" else lambda P: judge.l1(P, 0.5)
    return ("Function", {"fun": fun, "grad": grad}, grad, float(np.prod(shape)) ** 0.5), (
        "Function",
        {"fun": value, "prox": prox},
        dg,
    )
