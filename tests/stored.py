"""Ways to store a matrix."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

FORMATS = {"dense": np.asarray, "sparse": sp.csr_array, "csc_matrix": sp.csc_matrix, "operator": aslinearoperator}


def on_disk(A, path):
    """A as a memory map."""
    rows = np.memmap(path / "rows.bin", dtype=A.dtype, mode="w+", shape=A.shape)
    rows[:] = A
    rows.flush()
    return np.memmap(path / "rows.bin", dtype=A.dtype, mode="r", shape=A.shape)
