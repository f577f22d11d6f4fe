"""The unit of processor time: a loop of small products, measured beside what it is compared with.

A unit is a fraction of a second. Times in units compare between machines, and between runs on a
machine that is shared, better than seconds do.
"""

from time import process_time

import numpy as np

STEPS = 20_000


def unit() -> float:
    """Return the processor seconds of the loop, with as many BLAS threads as the process has."""
    rng = np.random.default_rng(0)
    H, X = rng.standard_normal((256, 256)), rng.standard_normal((256, 4))
    began = process_time()
    for _ in range(STEPS):
        Y = H @ X
        X.T @ Y
        X = Y * (1 / np.abs(Y).max())
    return process_time() - began


if __name__ == "__main__":
    print(sorted(unit() for _ in range(3))[1])
