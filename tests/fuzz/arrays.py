"""Matrices in many forms, and what is no matrix."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from scipy.sparse.linalg import LinearOperator, aslinearoperator

try:
    import pandas
except ImportError:
    pandas = None


def _strided(X):
    """The same entries as every second row and column of a larger array."""
    larger = np.ones((2 * X.shape[0], 2 * X.shape[1]), dtype=X.dtype)
    larger[::2, ::2] = X
    return larger[::2, ::2]


def _locked(X):
    X = X.copy()
    X.setflags(write=False)
    return X


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="fuzz")


def _memmap(X):
    folder = Path(_folder().name)
    file = folder / f"{len(list(folder.iterdir())) % 50}.dat"
    mapped = np.memmap(file, dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[...] = X
    mapped.flush()
    return np.memmap(file, dtype=X.dtype, mode="c", shape=X.shape)


def _unaligned(X):
    raw = np.zeros(X.nbytes + 1, dtype=np.uint8)
    shifted = raw[1:].view(X.dtype).reshape(X.shape)
    shifted[...] = X
    return shifted


# The same numbers in another layout.
LAYOUTS = {
    "C": np.array,
    "Fortran": np.asfortranarray,
    "reversed": lambda X: np.array(X[::-1, ::-1])[::-1, ::-1],
    "strided": _strided,
    "locked": _locked,
    "unaligned": _unaligned,
    "broadcast rows": lambda X: np.broadcast_to(X[:1], X.shape) if (X == X[:1]).all() else X.copy(),
    "list": lambda X: X.tolist(),
    "tuple": lambda X: tuple(map(tuple, X.tolist())),
    "list of rows": list,
    "matrix": lambda X: X.view(np.matrix) if isinstance(X, np.ndarray) else X,
    "big endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "longdouble": lambda X: X.astype(np.longdouble),
}
if pandas is not None:
    LAYOUTS["frame"] = pandas.DataFrame

SPARSE = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]
OPERATORS = {
    **{f"{kind} array": getattr(sp, f"{kind}_array") for kind in SPARSE},
    **{f"{kind} matrix": getattr(sp, f"{kind}_matrix") for kind in SPARSE},
    "operator": aslinearoperator,
    "bare operator": lambda X: LinearOperator(X.shape, matvec=lambda v: X @ v, rmatvec=lambda v: X.T @ v, dtype=X.dtype),
}
TYPES = ["float64"] * 6 + ["float32", "float32", "float16", "int64", "int8", "bool", "longdouble"]


def entries(seed, shape, dtype="float64"):
    """Random entries that the dtype holds exactly, in double precision."""
    X = np.random.default_rng(seed).standard_normal(shape)
    if dtype in ("int64", "int8"):
        return np.rint(3 * X)
    if dtype == "bool":
        return (X > 0).astype(float)
    return X.astype(dtype).astype(float)


@st.composite
def layouts(draw, X, dtype="float64"):
    """The matrix X in some layout."""
    return LAYOUTS[draw(st.sampled_from(list(LAYOUTS)))](X.astype(dtype))


@st.composite
def operators(draw, X, dtype="float64"):
    """The matrix X as an array, a memory map, a sparse matrix or an operator."""
    kind = draw(st.sampled_from([*4 * ["array"], "memmap", *OPERATORS]))
    if dtype in ("float16", "longdouble") or kind == "array":  # which sparse matrices do not hold
        return draw(layouts(X, dtype))
    return _memmap(X.astype(dtype)) if kind == "memmap" else OPERATORS[kind](X.astype(dtype))


def _spoil(entry):
    def spoiled(X):
        X = X.copy()
        X.flat[X.size // 2] = entry
        return X

    return spoiled


BAD = {
    "NaN": _spoil(np.nan),
    "inf": _spoil(np.inf),
    "-inf list": lambda X: _spoil(-np.inf)(X).tolist(),
    "transposed": lambda X: X.T.copy(),
    "row more": lambda X: np.concatenate([X, X[:1]]),
    "row less": lambda X: X[1:],
    "column more": lambda X: np.concatenate([X, X[:, :1]], axis=1),
    "row": lambda X: X[0],
    "scalar": lambda X: 1.5,
    "scalar array": lambda X: np.array(1.5),
    "batch": lambda X: X[None],
    "two": lambda X: np.stack([X, X]),
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "empty": lambda X: [],
    "empty rows": lambda X: [[]],
    "ragged": lambda X: [[1.0, 2.0], [3.0]],
    "object": lambda X: X.astype(object),
    "object with None": lambda X: _spoil(None)(X.astype(object)),
    "text": lambda X: X.astype(str),
    "text list": lambda X: X.astype(str).tolist(),
    "bytes": lambda X: X.astype(bytes),
    "complex": lambda X: X + 0j,
    "complex64": lambda X: (X + 1j).astype(np.complex64),
    "dates": lambda X: X.astype("M8[D]"),
    "records": lambda X: X.astype([("a", float)]),
    "masked": lambda X: np.ma.masked_less(X, 0.0),
    "unmasked": lambda X: np.ma.array(X),
    "sparse": sp.csr_array,
    "sparse vector": lambda X: sp.coo_array(X[0]),
    "sparse NaN": lambda X: sp.csr_array(_spoil(np.nan)(X)),
    "sparse complex": lambda X: sp.csr_array(X + 1j),
    "sparse object": lambda X: sp.csr_array(X).astype(np.int8),
    "operator": aslinearoperator,
    "complex operator": lambda X: aslinearoperator(X * 1j),
    "transposed operator": lambda X: aslinearoperator(X.T),
    "no adjoint": lambda X: LinearOperator(X.shape, matvec=lambda v: X @ v),
    "wrong adjoint": lambda X: LinearOperator(X.shape, matvec=lambda v: X @ v, rmatvec=lambda v: 2 * (X.T @ v), dtype=float),
    "NaN operator": lambda X: aslinearoperator(_spoil(np.nan)(X)),
    "None": lambda X: None,
    "word": lambda X: "auto",
    "dict": lambda X: {"a": X},
    "set": lambda X: {1.0},
    "generator": lambda X: (row for row in X),
    "function": lambda X: len,
    "object()": lambda X: object(),
    "memmap NaN": lambda X: _memmap(_spoil(np.nan)(X)),
    "memmap int": lambda X: _memmap(np.ones(X.shape, dtype=np.int32)),
    "memmap vector": lambda X: _memmap(X[:1])[0],
}
DARING = {
    **{f"times {scale:g}": (lambda X, scale=scale: X * scale) for scale in (1e-200, 1e-160, 1e-30, 1e30, 1e100, 1e154, 1e200)},
    "one huge": _spoil(1e200),
    "one tiny": _spoil(1e-300),
    "subnormal": lambda X: X * 5e-324,
    "zero": lambda X: 0 * X,
    "negative zero": lambda X: -0.0 * np.abs(X),
    "sparse zero": lambda X: sp.csr_array(0 * X),
    "sparse huge": lambda X: sp.csr_array(X * 1e200),
    "ones": np.ones_like,
    "float32 huge": lambda X: np.clip(X * 1e38, -3e38, 3e38).astype(np.float32),
    "float32 tiny": lambda X: (X * 1e-44).astype(np.float32),
    "longdouble huge": lambda X: X.astype(np.longdouble) * np.longdouble("1e4000"),
    "rank one": lambda X: np.outer(X[:, 0], X[0]),
    "near rank one": lambda X: np.outer(X[:, 0], X[0]) + 1e-14 * X,
    "uint64": lambda X: np.full(X.shape, 2**64 - 1, dtype=np.uint64),
    "memmap tiny": lambda X: _memmap(X * 1e-200),
}


def bad_matrices(X):
    """What is no matrix, or none of the shape of X."""
    return st.sampled_from(list(BAD)).map(lambda kind: BAD[kind](X))


def daring_matrices(X):
    """Matrices of the shape of X with numbers of unusual sizes."""
    return st.sampled_from(list(DARING)).map(lambda kind: DARING[kind](X))
