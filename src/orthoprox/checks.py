"""Checks for terms of your own: does the gradient belong to the function, does the prox?"""

from typing import Any

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet
from orthoprox._arrays.library import Array, extreme, from_numpy, inner, namespace, norm
from orthoprox._arrays.words import shown
from orthoprox.nonsmooth.base import Nonsmooth
from orthoprox.problems.careful import careful_nonsmooth, careful_smooth
from orthoprox.problems.own_terms import own_errors
from orthoprox.problems.problem import HasShape
from orthoprox.problems.scaled import scaled_smooth
from orthoprox.smooth.base import HasMultiples, Smooth


@quiet()
@own_errors()
def check_grad(smooth: Smooth, X: Any, *, tol: float = 1e-5, seed: int | np.random.Generator = 0) -> float:
    """Check that ``smooth.grad`` is the gradient of ``smooth.value`` at X, and that
    ``value_and_grad`` agrees with both.

    Central differences (l(X + hV) - l(X - hV)) / 2h in ten random directions are compared with
    <grad l(X), V>.

    Returns
    -------
    float
        The largest error, relative to |grad l(X)|.

    Raises
    ------
    ValueError
        If it exceeds ``tol``.
    """
    if not isinstance(smooth, Smooth):
        raise TypeError(f"check_grad was given {shown(smooth)}; it needs a Smooth term.")
    X = _double(smooth, X)
    tol, rng = inputs.number(tol, "tol"), inputs.generator(seed)
    ell = careful_smooth(smooth)
    D, value = ell.grad(X), ell.value(X)
    inputs.returned_array(D, "grad", X)
    inputs.returned_number(value, "value")
    size = extreme(max(float(norm(D)), abs(float(value))), X)
    if size != 1:
        ell, D = scaled_smooth(smooth if isinstance(smooth, HasMultiples) else ell, size), D / size
    both = ell.value_and_grad(X)
    scale = max(float(norm(D)), 1e-3 * abs(float(ell.value(X))), 1e-12)
    errors = [abs(float(both[0]) - float(ell.value(X))), float(norm(both[1] - D))]
    h = 1e-5 * max(1.0, float(norm(X)))
    for _ in range(10):
        V = _direction(X, rng)
        slope = (float(ell.value(X + h * V)) - float(ell.value(X - h * V))) / (2 * h)
        errors.append(abs(slope - float(inner(D, V))))
    worst = float(np.max(errors)) / scale  # NaN if one of them is
    if not worst <= tol:
        raise ValueError(f"The gradient does not fit the value: relative error {worst:.2g}, above {tol:g}. Check its formula.")
    return worst


@quiet()
@own_errors()
def check_prox(
    nonsmooth: Nonsmooth, X: Any, t: float = 0.5, *, tol: float = 1e-9, seed: int | np.random.Generator = 0
) -> float:
    """Check that P = ``nonsmooth.prox(X, t)`` minimises  g(P) + |P - X|^2 / (2 t).

    The model is compared at P with its values at points around P at many distances, at single
    changed entries, at X and at 0. A ``modulus`` that is too small shows as well: the model then
    lies below its quadratic lower bound.

    Choose t so that P is neither 0 nor X. For a penalty of slope mu, t = .1 / mu will do: if t mu
    exceeds all entries of X, P is 0 whether or not the formula is right elsewhere.

    Returns
    -------
    float
        By how much the best of those points undercuts that bound, relative to the size of the
        model; at most 0, up to rounding, if none does.

    Raises
    ------
    ValueError
        If it exceeds ``tol``.
    """
    if not isinstance(nonsmooth, Nonsmooth):
        raise TypeError(f"check_prox was given {shown(nonsmooth)}; it needs a Nonsmooth term.")
    X = _double(nonsmooth, X)
    t, tol, rng = inputs.number(t, "t"), inputs.number(tol, "tol"), inputs.generator(seed)
    if t * nonsmooth.modulus >= 1:
        raise ValueError(
            f"t = {t:g}; the prox is single-valued for t < 1 / modulus = {1 / nonsmooth.modulus:g}, pass a smaller t."
        )
    g = careful_nonsmooth(nonsmooth)
    P = g.prox(X, t)
    inputs.returned_array(P, "prox", X)
    value = g.value(P)
    inputs.returned_number(value, "value", infinite=True)
    if float(value) == np.inf:
        raise ValueError("g is inf at the prox point; the prox has to lie where g is finite.")
    strength = 1 / t - nonsmooth.modulus  # the model is strongly convex with this constant
    size = max(1.0, float(norm(X)))
    unit = extreme(size, X)  # of length; the model is divided by its square

    def square(V: Array) -> float:
        return float(np.square(norm(V) / unit))

    def model(Q: Array) -> float:
        return float(g.value(Q)) / unit / unit + square(Q - X) / (2 * t)

    best = model(P)
    if not np.isfinite(best):
        raise ValueError(f"t = {t:g}; the model g(P) + |P - X|^2 / (2 t) overflows, pass a larger t or a smaller X.")
    trials = [X, 0 * X]
    for distance in size * 10.0 ** -np.arange(6):
        trials += [P + distance * _signs(X, rng) for _ in range(5)]
        trials += [P + distance * _entry(X, rng) for _ in range(5)]
    found = [(model(Q), strength / 2 * square(Q - P)) for Q in trials]
    better = float(np.max([_excess(best, value) for value, _ in found]))  # NaN if one of them is
    if not better <= tol:
        raise ValueError(
            f"The prox does not minimise its model: another point is better by {better:.2g} (relative), above {tol:g}. "
            "Check its formula and the meaning of t."
        )
    worst = float(np.max([_excess(best + growth, value) for value, growth in found]))
    if not worst <= tol:
        raise ValueError(
            f"g is not convex up to its modulus = {nonsmooth.modulus:g}, or the prox is inexact: no point tried is better than "
            f"the prox, but one undercuts the bound of that modulus by {worst:.2g} (relative), above {tol:g}. Pass a larger "
            "modulus; a g with a kink that points up, such as min(|x|, 1), has none."
        )
    return worst


def _double(term: Smooth | Nonsmooth, X: Any) -> Array:
    """Return X, of a shape that suits the term, in double precision: differences in single
    precision are mostly rounding.
    """
    X = inputs.matrix(X, "X")
    if isinstance(term, HasShape):
        term.check_shape(tuple(X.shape))
    return namespace(X).astype(X, namespace(X).float64)


def _direction(X: Array, rng: np.random.Generator) -> Array:
    V = rng.standard_normal(tuple(X.shape))
    return from_numpy(V / np.linalg.norm(V), like=X)


def _excess(bound: float, found: float) -> float:
    return -np.inf if np.inf in (bound, found) else (bound - found) / max(1.0, abs(bound), abs(found))


def _signs(X: Array, rng: np.random.Generator) -> Array:
    """Return a direction whose entries are 0 or at least .5, so that no trial hides in the slack of
    an indicator.
    """
    return from_numpy(rng.choice([-1.0, 0.0, 1.0], tuple(X.shape)) * rng.uniform(0.5, 1.0, tuple(X.shape)), like=X)


def _entry(X: Array, rng: np.random.Generator) -> Array:
    V = np.zeros(tuple(X.shape))
    V[tuple(rng.integers(size) for size in V.shape)] = rng.choice([-1.0, 1.0])
    return from_numpy(V, like=X)
