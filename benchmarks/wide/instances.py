"""Wide data with what is known of them: planted factors, counts of words and of cells."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from benchmarks.data import Matrix

Data = tuple[Any, Matrix | None]  # A and the planted X, if there is one


def planted(seed: int, p: int, m: int, n: int, **options: Any) -> Data:
    """Return p samples of m features, and the planted X: the n strongest of the factors.

    A factor is Gaussian. Its features have loadings of one size and random signs; they are the sum
    of their factors and noise. Columns are centred and divided by the root of p.

    Options: ``features`` of each factor; ``size`` of the loadings; ``weakest``, the size of the
    last factor over that of the first; ``noise``, a standard deviation; ``overlap``, the share of
    its features that a factor has in common with the next; ``factors``, n by default.
    """
    chosen = {"features": 50, "size": 0.7, "weakest": 1.0, "noise": 0.7, "overlap": 0.0, "factors": n} | options
    rng, k, number = np.random.default_rng(seed), chosen["features"], chosen["factors"]
    sizes = chosen["size"] * np.linspace(1.0, chosen["weakest"], number)
    step = round(k * (1 - chosen["overlap"]))
    features = rng.permutation(m)
    B = np.zeros((m, number))
    for i, size in enumerate(sizes):
        B[features[i * step : i * step + k], i] = size * rng.choice([-1.0, 1.0], k)
    A = rng.standard_normal((p, number)) @ B.T + chosen["noise"] * rng.standard_normal((p, m))
    return (A - A.mean(axis=0)) / p**0.5, polar(B[:, :n])


def words(seed: int, p: int, m: int, topics: int = 20) -> Data:
    """Return counts of words in documents, about one entry in a hundred of which is not 0: a
    document mixes few topics, a topic has few words beyond the common ones.
    """
    rng = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, m + 1) ** 0.8
    rates = np.zeros((topics, m))
    for own in rates:
        own[rng.choice(m, 60, replace=False)] = rng.gamma(2.0, 1.0, 60)
    rates /= rates.sum(axis=1, keepdims=True)
    mixture = rng.dirichlet(np.full(topics, 0.1), p)
    lengths = rng.lognormal(np.log(110), 0.4, p)
    common = common / common.sum()
    return _counts(rng, p, lambda rows: lengths[rows, None] * (0.7 * common + 0.3 * mixture[rows] @ rates)), None


def cells(seed: int, p: int, m: int, kinds: int = 12) -> Data:
    """Return counts of genes in cells, about one entry in a hundred of which is not 0: cells of
    some kinds, each with marker genes, by negative binomial distributions.
    """
    rng = np.random.default_rng(seed)
    base = rng.lognormal(0.0, 1.2, m)
    rates = np.tile(base / base.sum(), (kinds, 1))
    for own in rates:
        own[rng.choice(m, 80, replace=False)] *= rng.uniform(5.0, 40.0, 80)
    kind, depth = rng.choice(kinds, p, p=rng.dirichlet(np.full(kinds, 3.0))), rng.lognormal(np.log(110), 0.3, p)
    return _counts(rng, p, lambda rows: depth[rows, None] * rates[kind[rows]] * rng.gamma(2.0, 0.5, (len(rows), m))), None


def _counts(rng: np.random.Generator, p: int, means: Callable[[Matrix], Matrix]) -> Any:
    """Return Poisson numbers with these means, some rows at a time."""
    blocks = np.array_split(np.arange(p), max(1, p // 250))
    return sp.vstack([sp.csr_array(rng.poisson(means(rows)).astype(float)) for rows in blocks]).tocsr()


def polar(B: Matrix) -> Matrix:
    """Return the nearest matrix with orthonormal columns."""
    U, _, V = np.linalg.svd(B, full_matrices=False)
    return np.asarray(U @ V)
