"""A sum of terms, each on a rank of its own, as one term (``pip install "orthoprox[mpi]"``)."""

from typing import Any, NoReturn

import numpy as np

from orthoprox._arrays.library import Array
from orthoprox._arrays.words import shown
from orthoprox.smooth.base import Smooth
from orthoprox.streams.ranks import Ranks


class Sharded(Smooth):
    """The smooth term l(X) = sum_k l_k(X), where l_k is the ``term`` of rank k: as a rule the same
    function of other rows of the data.

    Value and gradient are summed over the ranks, so that every method runs as it is, with the same
    iterates on every rank. Rank 0 decides starts, stops and deadlines. What a rank raises, or does
    otherwise than the others, raises on every rank. An iteration sends n m + O(1) numbers for each
    gradient.

    Parameters
    ----------
    term : Smooth
        The term of this rank.
    comm : mpi4py communicator
        Such as ``mpi4py.MPI.COMM_WORLD``.
    """

    def __init__(self, term: Smooth, comm: Any) -> None:
        if not isinstance(term, Smooth):
            raise TypeError(f"term is {shown(term)}; it needs an instance of Smooth, such as one of orthoprox.smooth.")
        self.term, self.ranks = term, Ranks(comm)

    def check_shape(self, shape: tuple[int, int]) -> None:
        """Raise where the term of any rank does not take X of this shape."""
        self.ranks.meet(f"takes X of shape {shape}")
        failure: Exception | None = None
        try:
            if hasattr(self.term, "check_shape"):
                self.term.check_shape(shape)
        except ValueError as error:
            failure = error
        self.ranks.agreed(failure)

    @property
    def data(self) -> Array | None:
        found: Array | None = getattr(self.term, "data", None)
        return found

    def value(self, X: Array) -> Array:
        total = self.ranks.sum("evaluates l", X, lambda: np.asarray(self.term.value(X))[None])
        return np.asarray(total[0])

    def grad(self, X: Array) -> Array:
        total = self.ranks.sum("evaluates the gradient of l", X, lambda: np.asarray(self.term.grad(X)))
        return total.astype(X.dtype, copy=False)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        def both() -> Any:
            value, D = self.term.value_and_grad(X)
            return np.concatenate([np.ravel(value), np.ravel(D)])

        total = self.ranks.sum("evaluates l and its gradient", X, both)
        number = total.size - X.size
        return total[:number].reshape(X.shape[:-2]), total[number:].reshape(X.shape).astype(X.dtype, copy=False)

    def __copy__(self) -> "Sharded":
        """Return the same term, of the same processes."""
        same = object.__new__(type(self))
        vars(same).update(vars(self))
        return same

    def __reduce__(self) -> NoReturn:
        raise TypeError("A Sharded term belongs to the processes of MPI and cannot go to others.")
