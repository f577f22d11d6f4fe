"""Starts on a table: principal components and their rotations to simple structure."""

from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]
_ROTATIONS = 60  # iterations of the varimax rotation
_TRIED, _TURNS = 64, 20  # random rotations that are made sparse, and steps on each


def principal(C: Matrix) -> tuple[Matrix, Matrix]:
    """Return the eigenvalues, largest first, and the eigenvectors, their largest entry positive."""
    values, vectors = np.linalg.eigh(C)
    return values[::-1], signed(vectors[:, ::-1])


def signed(X: Matrix) -> Matrix:
    """Return X with the largest entry of each column positive."""
    largest = np.argmax(np.round(np.abs(X), 9), axis=0)
    return X * np.where(X[largest, np.arange(X.shape[1])] < 0, -1.0, 1.0)


def coordinates(variables: Matrix, shape: tuple[int, int]) -> Matrix:
    """Return the coordinate vectors of these variables."""
    X = np.zeros(shape)
    X[variables, np.arange(len(variables))] = 1.0
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


def rotations(C: Matrix, n: int) -> list[Matrix]:
    """Return dense orthonormal starts: the principal components; varimax rotations of them and of
    their loadings, with n and n + 1 factors, of which the n largest stay.
    """
    _, vectors = principal(C)
    found = [vectors[:, :n], varimax(vectors[:, :n]), rotated(C, n, n)]
    if n < len(C):
        found += [rotated(C, n, n + 1), _largest(C, varimax(vectors[:, : n + 1]), n)]
    return found


def random_rotations(C: Matrix, n: int, rng: np.random.Generator, number: int) -> list[Matrix]:
    """Return n columns of so many random rotations of the n + 3 largest principal components."""
    if number == 0:
        return []
    wide, vectors = min(n + 3, len(C)), principal(C)[1]
    turns = [np.linalg.qr(rng.standard_normal((wide, wide)))[0] for _ in range(number)]
    return [np.matmul(vectors[:, :wide], Q[:, :n]) for Q in turns]


def sparse_rotations(C: Matrix, n: int, total: int, more: int, number: int) -> list[Matrix]:
    """Return so many rotations of principal components whose ``total`` largest entries hold most:
    of fixed random ones, each made better by turns, those with the best entries.

    With V the n + ``more`` leading eigenvectors, B the largest entries of VR and R'R = I, a turn is
    R = polar(V'B), the rotation nearest to B; where there are more than n eigenvectors, R =
    polar(WV'B) with their eigenvalues W, a step of the power method. The best entries are those
    that leave least out in the first case, tr(B'CB) in the second.
    """
    values, vectors = principal(C)
    wide = min(n + more, len(C))
    V, weights = vectors[:, :wide], values[:wide, None] if more else np.ones((wide, 1))
    turns = np.random.default_rng(0).standard_normal((_TRIED, wide, wide))
    R = np.linalg.qr(turns)[0][:, :, :n]
    for _ in range(_TURNS):
        U, _, T = np.linalg.svd(weights * np.matmul(V.T, _cut(np.matmul(V, R), total)), full_matrices=False)
        R = np.matmul(U, T)
    X = np.matmul(V, R)
    B = _cut(X, total)
    best = np.sum(B * (np.matmul(C, B) if more else B), axis=(1, 2))
    return list(X[np.argsort(-best, kind="stable")[:number]])


def _cut(X: Matrix, total: int) -> Matrix:
    """Return the points X, of shape (B, m, n), with their ``total`` largest entries alone."""
    sizes = np.abs(X)
    place = X[0].size - total
    least = np.partition(np.reshape(sizes, (len(X), -1)), place, axis=1)[:, place]
    return np.where(sizes >= least[:, None, None], X, 0.0)


def _largest(C: Matrix, A: Matrix, n: int) -> Matrix:
    """Return the orthonormal matrix nearest to the n columns with the largest variances."""
    sizes = np.sum(A * np.matmul(C, A), axis=0)
    U, _, V = np.linalg.svd(A[:, np.argsort(-sizes, kind="stable")[:n]], full_matrices=False)
    nearest: Matrix = np.matmul(U, V)
    return nearest
