"""Sums over whole matrices in one pass, where numba is at hand and the matrices are large."""

from orthoprox._arrays.library import Array
from orthoprox._linalg.norms import inner, norm
from orthoprox._linalg.products import is_large, kernels

Pair = tuple[Array, Array]


def lincomb(*terms: tuple[float, Array]) -> Array:
    """Return the sum of two to five matrices with weights."""
    if kernels is not None and all(is_large(matrix) for _, matrix in terms):
        first = terms[0][1]
        padded = [*terms, *[(0.0, first)] * (5 - len(terms))]
        return kernels.lincomb(tuple(first.dtype.type(weight) for weight, _ in padded), tuple(matrix for _, matrix in padded))
    total = terms[0][0] * terms[0][1]
    for weight, matrix in terms[1:]:
        total = total + weight * matrix
    return total


def restart_test(X: Array, E: Array, old: Array) -> tuple[float, float]:
    """Return |X - E| and <E - X, X - old>."""
    if kernels is not None and all(map(is_large, (X, E, old))):
        length, along = kernels.restart_test(X, E, old)
        return length**0.5, along
    back = E - X
    return float(norm(back)), float(inner(back, X - old))


def secant_norms(E: Pair, D: Pair, U: Pair, V: Pair, weight: float) -> tuple[float, float, float]:
    """Return |E - E0|, |W| and |W + weight (V - V0)| with W = D - D0 + 2 (U - U0)."""
    pairs = (E, D, U, V)
    if kernels is not None and all(is_large(matrix) for pair in pairs for matrix in pair):
        move, change, total = kernels.secant_norms(pairs, weight)
        return move**0.5, change**0.5, total**0.5
    W = D[0] - D[1] + 2 * (U[0] - U[1])
    return float(norm(E[0] - E[1])), float(norm(W)), float(norm(W + weight * (V[0] - V[1])))
