"""Spectral norms and smallest eigenvalues."""

import numpy as np
import pytest

from cases import normal, symmetric
from orthoprox import stiefel
from orthoprox._linalg import spectrum as module
from orthoprox._linalg.spectrum import dense_norm, smallest_eigenvalue, spectral_norm
from orthoprox.smooth import Quadratic

SPECTRA = {
    "random": lambda m: np.linalg.eigvalsh(symmetric(m, m)),
    "identity": np.ones,
    "negative": lambda m: -np.linspace(1, 2, m),
    "both signs": lambda m: np.linspace(-1, 1, m),
    "one": lambda m: np.eye(m)[0],
    "crowded": lambda m: 1 - np.linspace(0, 1, m) ** 3,
    "tiny": lambda m: 1e-100 * np.linspace(1, 2, m),
    "nothing": np.zeros,
}


@pytest.mark.parametrize("m", [1, 3, 16, 17, 90])
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_spectral_norm_is_sharp(spectrum, m):
    """The bound is at least |A|_2 and at most 2 % larger, whatever the spectrum."""
    w, Q = SPECTRA[spectrum](m), np.linalg.qr(normal(0, m, m))[0]
    A, true = stiefel.sym((Q * w) @ Q.T), np.max(np.abs(w))
    for bound in (spectral_norm(lambda V: A @ V, m), dense_norm(A)):
        assert (1 - 1e-12) * true <= bound <= 1.02 * true


def test_norm_of_a_batch_is_the_largest():
    """One constant serves all problems of a batch."""
    A = np.stack([symmetric(k, 5) for k in range(4)])
    true = max(np.linalg.norm(a, 2) for a in A)
    assert true <= dense_norm(A) <= 1.02 * true
    assert Quadratic(A).lipschitz == dense_norm(A)


@pytest.mark.parametrize("m", [5, 17, 90])
@pytest.mark.parametrize("seed", range(4))
def test_smallest_eigenvalue(m, seed, monkeypatch):
    """Exact up to its dense size; above it a lower bound, off by at most 2 % of the norm."""
    A = symmetric(seed, m) - [0.0, 40.0, -40.0, 3.0][seed] * np.eye(m)
    true, size = np.linalg.eigvalsh(A)[0], np.linalg.norm(A, 2)
    assert smallest_eigenvalue(lambda V: A @ V, m) == pytest.approx(true, abs=1e-12 * size)
    monkeypatch.setattr(module, "_EIGENVALUES", 0)
    bound = smallest_eigenvalue(lambda V: A @ V, m)
    assert true - 0.02 * size <= bound <= true + 1e-12 * size
