"""Starts on a table: principal components and their rotations to simple structure."""

from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]
_ROTATIONS = 60  # iterations of the varimax rotation


def canonical(C: Matrix) -> Matrix:
    """Return an order of the variables that does not depend on the order they come in: by the sums
    of the cubes of their rows of |C|.
    """
    weights = np.sum(np.abs(C) ** 3, axis=1)
    return np.argsort(-np.round(weights / (np.max(weights) or 1.0), 9), kind="stable")


def principal(C: Matrix) -> tuple[Matrix, Matrix]:
    """Return the eigenvalues, largest first, and the eigenvectors, their largest entry positive."""
    values, vectors = np.linalg.eigh(C)
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = np.argmax(np.round(np.abs(vectors), 9), axis=0)
    return values, vectors * np.where(vectors[largest, np.arange(len(C))] < 0, -1.0, 1.0)


def coordinates(C: Matrix, n: int) -> Matrix:
    """Return the coordinate vectors of the n largest variances."""
    X = np.zeros((len(C), n))
    X[np.argsort(-np.round(C.diagonal() / (np.max(C.diagonal()) or 1.0), 12), kind="stable")[:n], np.arange(n)] = 1.0
    return X


def varimax(A: Matrix) -> Matrix:
    """Return A rotated to the largest variance of its squared entries in each column.

    Reference: H. Kaiser, The varimax criterion for analytic rotation in factor analysis,
    Psychometrika 23 (1958).
    """
    R = np.eye(A.shape[1])
    for _ in range(_ROTATIONS):
        B = np.matmul(A, R)
        U, _, V = np.linalg.svd(np.matmul(A.T, B**3 - B * np.mean(B**2, axis=0)))
        change = np.matmul(U, V) - R
        R = R + change
        if np.max(np.abs(change)) < 1e-6:
            break
    rotated: Matrix = np.matmul(A, R)
    return rotated


def rotated(C: Matrix, n: int, factors: int) -> Matrix:
    """Return the n largest of so many factors: loadings of principal components times the roots of
    the eigenvalues, rotated by varimax, and made orthonormal.
    """
    values, vectors = principal(C)
    return _largest(C, varimax(vectors[:, :factors] * np.sqrt(np.maximum(values[:factors], 0.0))), n)


def rotations(C: Matrix, n: int, rng: np.random.Generator, more: int) -> list[Matrix]:
    """Return dense orthonormal starts: the principal components; varimax rotations of them and of
    their loadings, with n and n + 1 factors, of which the n largest stay; ``more`` random ones.
    """
    _, vectors = principal(C)
    found = [vectors[:, :n], varimax(vectors[:, :n]), rotated(C, n, n)]
    if n < len(C):
        found += [rotated(C, n, n + 1), _largest(C, varimax(vectors[:, : n + 1]), n)]
    wide = min(n + 3, len(C))
    for _ in range(more):
        Q = np.linalg.qr(rng.standard_normal((wide, wide)))[0]
        found.append(np.matmul(vectors[:, :wide], Q[:, :n]))
    return found


def _largest(C: Matrix, A: Matrix, n: int) -> Matrix:
    """Return the orthonormal matrix nearest to the n columns with the largest variances."""
    sizes = np.sum(A * np.matmul(C, A), axis=0)
    U, _, V = np.linalg.svd(A[:, np.argsort(-sizes, kind="stable")[:n]], full_matrices=False)
    nearest: Matrix = np.matmul(U, V)
    return nearest
