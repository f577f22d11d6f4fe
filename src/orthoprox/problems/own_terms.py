"""Terms of the user's own: who calls them, how what they return is checked, and what is raised
where they go wrong.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, Protocol

import numpy as np

from orthoprox._arrays.library import Array, namespace, norm


class Caller(Protocol):
    """What may end a call before an evaluation of a term: see ``stopping/clock.py``."""

    def heed(self) -> None:
        """Raise if the call has to end."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function; Ctrl-C ends it."""


Parts = Callable[[Any, str, Array, str], tuple[Any, ...]]
"""(what a method has returned, its name, X, kinds) -> its parts, as ``inputs.parts_returned``."""


class TermError(ArithmeticError):
    """A term of the user's has raised an exception, or returned what is not an array like X or a
    number, in the middle of a call.
    """


BROKEN = ArithmeticError, np.linalg.LinAlgError  # what numbers that are not finite raise, and a TermError is


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise, in place of a ``TermError``, what a term has raised or what is wrong with what it has
    returned.
    """
    try:
        yield
    except TermError as error:
        raise error.__cause__ or error from None


def with_heeding_operator(term: Any, caller: Caller) -> Any:
    """Return a term whose data are an operator of the user's: each product with it may be the last
    of the call, and its exceptions are told as a :class:`TermError`.
    """
    from scipy.sparse.linalg import LinearOperator

    def guarded(product: Callable[[Array], Array]) -> Callable[[Array], Array]:
        def heeding(V: Array) -> Array:
            caller.heed()
            try:
                found: Array = caller.call(product, V)
            except Exception as error:
                raise TermError(f"A product with the operator A raised {type(error).__name__}: {error}") from error
            return found

        return heeding

    A = term.A
    products = {name: guarded(getattr(A, name)) for name in ("matvec", "rmatvec", "matmat", "rmatmat")}
    same = copy(term)
    same.A = LinearOperator(A.shape, dtype=A.dtype, **products)
    return same


def guarded(term: Any, name: str) -> Callable[..., Any]:
    """Return a method of a user's term, whose exceptions are told as a :class:`TermError`."""

    def told(*arguments: Any) -> Any:
        try:
            return getattr(term, name)(*arguments)
        except Exception as error:
            raise TermError(f"{name} of {term.__class__.__name__} raised {type(error).__name__}: {error}") from error

    return told


_ORDINARY = 1e3  # times sqrt(n), the length of an X that may be near the manifold
_RETURNED = {"value": "v", "grad": "A", "prox": "A", "value_and_grad": "vA"}  # v: a number, A: an array like X
_WORDS = {"value": "value", "grad": "gradient", "prox": "prox", "value_and_grad": "value or gradient"}


def checked(term: Any, name: str, parts: Parts, odd: list[str]) -> Callable[..., Any]:
    """Return a method of a user's term that gets a copy of X, and returns one of what it finds;
    where it fails, it raises a :class:`TermError`; where it is not finite, it adds to ``odd``.
    """
    method: Callable[..., Any] = getattr(term, name)
    kinds, term_kind = _RETURNED[name], "nonsmooth" if hasattr(term, "prox") else "smooth"
    role = f"The {_WORDS[name]} of the {term_kind} term {term.__class__.__name__}"

    def careful(X: Array, *more: Any) -> Any:
        xp = namespace(X)
        try:
            found = method(xp.asarray(X, copy=True), *more)
        except TermError:
            raise
        except Exception as error:
            raise TermError(f"{role} raised {type(error).__name__}: {error}") from error
        try:
            found = parts(found, role, X, kinds)
        except (TypeError, ValueError) as error:
            raise TermError(str(error)) from error
        if not all(bool(xp.all(xp.isfinite(part))) for kind, part in zip(kinds, found, strict=True) if kind == "A"):
            odd.extend([role] if float(norm(X)) <= _ORDINARY * X.shape[-1] ** 0.5 else [])
        kept = tuple(xp.asarray(part, copy=True) if kind == "A" else part for kind, part in zip(kinds, found, strict=True))
        return kept if len(kinds) > 1 else kept[0]

    return careful
