"""A problem: a smooth term, a nonsmooth term and the shape of X."""

from dataclasses import dataclass

from orthoprox import _inputs
from orthoprox._arrays import Array
from orthoprox.terms import HasShape, Nonsmooth, Smooth


@dataclass(frozen=True)
class Problem:
    """The problem  min l(X) + g(X)  subject to  X'X = I_n,  X of shape (m, n).

    Parameters
    ----------
    smooth : Smooth
        The differentiable term l, one of ``orthoprox.smooth`` or your own.
    nonsmooth : Nonsmooth
        The prox-friendly term g, one of ``orthoprox.nonsmooth`` or your own.
    shape : tuple of two ints
        The shape (m, n) of X, with m >= n >= 1.
    """

    smooth: Smooth
    nonsmooth: Nonsmooth
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        for role, term, kind in (("smooth", self.smooth, Smooth), ("nonsmooth", self.nonsmooth, Nonsmooth)):
            if not isinstance(term, kind):
                raise TypeError(
                    f"The {role} term is {term!r}, a {type(term).__name__}; it needs an instance of {kind.__name__}, "
                    f"such as one of orthoprox.{role}."
                )
        if not isinstance(self.shape, (tuple, list)) or len(self.shape) != 2:
            raise ValueError(f"shape is {self.shape!r}; it needs a pair (m, n).")
        m = _inputs.integer(self.shape[0], "m")
        object.__setattr__(self, "shape", (m, _inputs.columns(self.shape[1], m)))
        for term in (self.smooth, self.nonsmooth):
            if isinstance(term, HasShape):
                term.check_shape(self.shape)

    def value(self, X: Array) -> Array:
        """Return l(X) + g(X)."""
        return self.smooth.value(X) + self.nonsmooth.value(X)
