"""An operator on some of the columns of another."""

from typing import Any

import numpy as np

from orthoprox._arrays.library import Array


def some_columns(A: Any, chosen: Array) -> Any:
    """Return an operator on some columns of another."""
    from scipy.sparse.linalg import LinearOperator

    def put(V: Array) -> Array:
        X = np.zeros((A.shape[1], *V.shape[1:]), V.dtype)
        X[chosen] = V
        return X

    def forward(V: Array) -> Array:
        return A @ put(V)

    def adjoint(U: Array) -> Array:
        return (A.T @ U)[chosen]

    products = {"matvec": forward, "matmat": forward, "rmatvec": adjoint, "rmatmat": adjoint}
    return LinearOperator((A.shape[0], len(chosen)), dtype=A.dtype, **products)
