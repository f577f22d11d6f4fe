"""Clocks: the wall time of a call, with what is loaded or compiled at the first use paid for
beforehand.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from time import perf_counter
from typing import Any, TypeVar
from unittest.mock import patch

import orthoprox as op
from orthoprox._linalg import products

T = TypeVar("T")

_EVERYTHING = 10**12  # entries: no matrix is so large


def clocked(function: Callable[..., T], *arguments: Any, **options: Any) -> tuple[T, float]:
    """Call a function and return what it returns, and the seconds it took."""
    began = perf_counter()
    found = function(*arguments, **options)
    return found, perf_counter() - began


def warm_up() -> None:
    """Solve a small problem whose X is just large and sparse enough for the compiled loops."""
    op.minimize(op.problems.sparse_pca(op.datasets.five_components(500, 300), 80, 0.5), history=False)


def dense_products() -> AbstractContextManager[Any]:
    """Make all products dense, also those with a sparse X."""
    return patch.object(products, "SMALL", _EVERYTHING)
