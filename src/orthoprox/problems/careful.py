"""Terms of the user's own where no run looks after them: what they return is checked at each call,
and what they raise passes as it is.
"""

from dataclasses import dataclass

from orthoprox._arrays.library import namespace
from orthoprox.nonsmooth.base import Nonsmooth
from orthoprox.nonsmooth.separable import Zero
from orthoprox.problems.problem import Problem, counted
from orthoprox.problems.work import Work
from orthoprox.smooth.base import Smooth
from orthoprox.smooth.function import Function


def careful(problem: Problem) -> Problem:
    """Return the same problem; a term of the user's own that returns what is not an array like X or
    a number raises a ``TermError``, and cannot change what it is called with.
    """
    return counted(problem, Work())


def careful_smooth(term: Smooth) -> Smooth:
    """Return the same term, as :func:`careful` does."""
    return careful(_Shapeless(term, Zero(), (1, 1))).smooth


def careful_nonsmooth(term: Nonsmooth) -> Nonsmooth:
    """Return the same term, as :func:`careful` does."""
    return careful(_Shapeless(_NOTHING, term, (1, 1))).nonsmooth


@dataclass(frozen=True)
class _Shapeless(Problem):
    """Two terms, one of which stands alone: no shape has to fit."""

    def __post_init__(self) -> None:
        pass


_NOTHING = Function(lambda X: 0.0, lambda X: namespace(X).zeros_like(X))
