"""Data of different kinds, p observations of m variables, as in the fields that ask for sparse
components.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import orthoprox as op

Matrix = np.ndarray[Any, Any]


def gaussian(p: int, m: int, rng: np.random.Generator) -> Matrix:
    """Independent normal numbers: no structure at all."""
    return rng.standard_normal((p, m))


def block(p: int, m: int, rng: np.random.Generator) -> Matrix:
    """Groups of ten variables, each with a factor of its own."""
    factors = np.repeat(rng.standard_normal((p, -(-m // 10))), 10, axis=1)[:, :m]
    return factors + 0.7 * rng.standard_normal((p, m))


def autoregressive(p: int, m: int, rng: np.random.Generator) -> Matrix:
    """Neighbouring variables are alike: each is .9 times the one before plus noise."""
    A = rng.standard_normal((p, m))
    for j in range(1, m):
        A[:, j] = 0.9 * A[:, j - 1] + (1 - 0.9**2) ** 0.5 * A[:, j]
    return A


def factor(p: int, m: int, rng: np.random.Generator) -> Matrix:
    """Five factors that act on all variables, and noise."""
    return rng.standard_normal((p, 5)) @ rng.standard_normal((5, m)) + rng.standard_normal((p, m))


def heavy(p: int, m: int, rng: np.random.Generator) -> Matrix:
    """Student's t with two degrees of freedom: a few entries dominate."""
    return rng.standard_t(2, (p, m))


def counts(p: int, m: int, rng: np.random.Generator) -> Matrix:
    """Poisson counts whose rates vary over observations and variables, in three groups of
    observations.
    """
    rates = rng.gamma(1.0, 5.0, (3, m))[rng.integers(3, size=p)] * rng.gamma(4.0, 0.25, (p, 1))
    return rng.poisson(rates).astype(float)


def five_components(p: int, m: int, rng: np.random.Generator) -> Matrix:
    """The data of the paper, as they are: their columns have norm 1 already."""
    return op.datasets.five_components(p, m, seed=rng)


KINDS: dict[str, Callable[[int, int, np.random.Generator], Matrix]] = {
    kind.__name__: kind for kind in (gaussian, block, autoregressive, factor, heavy, counts, five_components)
}


def draw(
    name: str, p: int, m: int, rng: np.random.Generator, *, raw: bool = False, copies: int = 1, constant: int = 0
) -> Matrix:
    """Return data of one kind with centred columns of norm 1; ``raw`` leaves them as they are.

    With ``copies`` every column stands there so many times; the last ``constant`` columns are
    constant.
    """
    A = np.repeat(KINDS[name](p, -(-m // copies), rng), copies, axis=1)[:, :m]
    if constant:
        A[:, -constant:] = 3.0
    if raw or name == "five_components":
        return A
    A = A - A.mean(axis=0)
    norms = np.linalg.norm(A, axis=0)
    return A / np.where(norms > 1e-12, norms, 1.0)
