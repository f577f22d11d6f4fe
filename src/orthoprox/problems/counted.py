"""The work that is done on a problem, and how it is counted; what may end it, and what goes wrong
in terms of the user's own.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, namespace, norm
from orthoprox.nonsmooth.base import HasProxDerivative, Nonsmooth
from orthoprox.problems.problem import Problem
from orthoprox.smooth.base import Smooth


@dataclass
class Work:
    """How often a call has evaluated the terms, and how many runs it has made.

    Steps on a working set and products with a Hessian matrix evaluate no term and are not counted.
    """

    gradients: int = 0  # grad l, with or without the value
    values: int = 0  # l, with or without the gradient; those of g are not counted
    proxes: int = 0  # prox of g
    runs: int = 0  # of a method, from a start to a stopping rule

    def add(self, other: "Work") -> None:
        """Add the work that was done elsewhere."""
        self.gradients += other.gradients
        self.values += other.values
        self.proxes += other.proxes
        self.runs += other.runs

    def __add__(self, other: "Work") -> "Work":
        total = replace(self)
        total.add(other)
        return total


class _CountedTerm:
    """A term whose evaluations are counted; it is the term itself in everything else.

    What a term does within its own methods is its own business and is not counted: the products of
    its resolvent, its Lipschitz constant, its restriction to a few entries.
    """

    __slots__ = ("__dict__", "counted_term", "grad", "more", "prox", "value", "value_and_grad")

    def __init__(self, term: Any, more: dict[str, Any], **methods: Any) -> None:
        self.counted_term, self.more = term, more  # `more`: what stands for a member that not every term has
        self.__dict__ = getattr(term, "__dict__", {})  # shared: isinstance looks for abilities there, too
        for name, method in methods.items():
            setattr(self, name, method)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.counted_term.__class__  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return self.more[name] if name in self.more else getattr(self.counted_term, name)

    def __repr__(self) -> str:
        return repr(self.counted_term)


class Caller(Protocol):
    """What may end a call before an evaluation of a term: see ``stopping/deadline.py``."""

    def heed(self) -> None:
        """Raise if the call has to end."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function; Ctrl-C ends it."""


class TermError(ArithmeticError):
    """A term of the user's has raised an exception, or returned what is not an array like X or a
    number, in the middle of a call.
    """


BROKEN = ArithmeticError, np.linalg.LinAlgError  # what numbers that are not finite raise, and a TermError is


@dataclass(frozen=True, repr=False)
class _Counted(Problem):
    """A problem whose evaluations are counted, and end where the call has to."""

    caller: Caller | None = None
    odd: Sequence[str] = ()

    def heed(self) -> None:
        if self.caller is not None:
            self.caller.heed()


def counted(problem: Problem, work: Work, caller: Caller | None = None) -> Problem:
    """Return the same problem; each evaluation of its terms adds to ``work``, and ``caller`` may
    end the call before it.

    A problem that is counted already is from now on counted in ``work`` alone. A term of the
    user's own cannot change what it is called with nor what it has returned.
    """
    ell: Smooth = _with_heeding_operator(getattr(problem.smooth, "counted_term", problem.smooth), caller)
    g: Nonsmooth = getattr(problem.nonsmooth, "counted_term", problem.nonsmooth)

    def evaluation(term: Any, name: str, *counts: str) -> Callable[..., Any]:
        method = _checked(term, name, odd) if _foreign(term) else getattr(term, name)

        def evaluate(*arguments: Any) -> Any:
            if caller is None:
                _count(work, counts)
                return method(*arguments)
            caller.heed()
            _count(work, counts)
            return caller.call(method, *arguments)

        return evaluate

    odd: list[str] = []
    same = object.__new__(_Counted)  # whose shapes are checked already
    smooth = _CountedTerm(
        ell,
        {},
        value=evaluation(ell, "value", "values"),
        grad=evaluation(ell, "grad", "gradients"),
        value_and_grad=evaluation(ell, "value_and_grad", "values", "gradients"),
    )
    more = {name: _guarded(g, name) for name in _ABILITIES if _foreign(g) and hasattr(g, name)}
    if isinstance(g, HasProxDerivative):
        more["prox_derivative"] = _heeding(more.get("prox_derivative", g.prox_derivative), caller)
    nonsmooth = _CountedTerm(g, more, value=evaluation(g, "value"), prox=evaluation(g, "prox", "proxes"))
    parts = {"smooth": smooth, "nonsmooth": nonsmooth, "shape": problem.shape, "caller": caller, "odd": odd}
    for name, part in parts.items():
        object.__setattr__(same, name, part)
    return same


def _with_heeding_operator(term: Any, caller: Caller | None) -> Any:
    """Return the term; if its data are an operator of the user's, each product with it may be the
    last of the call, and its exceptions are told as a :class:`TermError`.
    """
    A: Any = getattr(term, "A", None)
    if caller is None or not inputs.is_operator(A):
        return term
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

    products = {name: guarded(getattr(A, name)) for name in ("matvec", "rmatvec", "matmat", "rmatmat")}
    same = copy(term)
    same.A = LinearOperator(A.shape, dtype=A.dtype, **products)
    return same


def _heeding(derivative: Callable[..., Any], caller: Caller | None) -> Callable[[Array, float], Callable[[Array], Array]]:
    """Return the derivative of the prox, each product with which may be the last of the call."""

    def prox_derivative(X: Array, t: float) -> Callable[[Array], Array]:
        J: Callable[[Array], Array] = derivative(X, t)

        def product(V: Array) -> Array:
            if caller is not None:
                caller.heed()
            return J(V)

        return product

    return prox_derivative


_ABILITIES = "prox_derivative", "min_norm_subgradient", "directional_derivative", "interval", "face"


def _guarded(term: Any, name: str) -> Callable[..., Any]:
    """Return a method of a user's term, whose exceptions are told as a :class:`TermError`."""

    def guarded(*arguments: Any) -> Any:
        try:
            return getattr(term, name)(*arguments)
        except Exception as error:
            raise TermError(f"{name} of {term.__class__.__name__} raised {type(error).__name__}: {error}") from error

    return guarded


def _count(work: Work, counts: tuple[str, ...]) -> None:
    for name in counts:
        setattr(work, name, getattr(work, name) + 1)


def _foreign(term: Any) -> bool:
    """Whether the term, or a function or an operator that it calls, is the user's own."""
    room = term.__class__.__module__
    return not room.startswith("orthoprox.") or room.endswith(".function") or inputs.is_operator(getattr(term, "A", None))


_ORDINARY = 1e3  # times sqrt(n), the length of an X that may be near the manifold
_RETURNED = {"value": "v", "grad": "A", "prox": "A", "value_and_grad": "vA"}  # v: a number, A: an array like X


def _checked(term: Any, name: str, odd: list[str]) -> Callable[..., Any]:
    """Return a method of a user's term that gets a copy of X, and returns one of what it finds;
    where it fails, it raises a :class:`TermError`; where it is not finite, it adds to ``odd``.
    """
    method: Callable[..., Any] = getattr(term, name)
    role, kinds = f"The {_WORDS[name]} of the {_role(term)} term {term.__class__.__name__}", _RETURNED[name]

    def careful(X: Array, *more: Any) -> Any:
        xp = namespace(X)
        try:
            found = method(xp.asarray(X, copy=True), *more)
        except TermError:
            raise
        except Exception as error:
            raise TermError(f"{role} raised {type(error).__name__}: {error}") from error
        try:
            parts = (found,) if len(kinds) == 1 else inputs.pair_returned(found, role)
            for kind, part in zip(kinds, parts, strict=True):
                if kind == "A":
                    inputs.returned_array(part, role, X, finite=False)
                else:
                    inputs.returned_number(part, role, finite=False)
        except (TypeError, ValueError) as error:
            raise TermError(str(error)) from error
        if not all(bool(xp.all(xp.isfinite(part))) for kind, part in zip(kinds, parts, strict=True) if kind == "A"):
            odd.extend([role] if float(norm(X)) <= _ORDINARY * X.shape[-1] ** 0.5 else [])
        kept = tuple(xp.asarray(part, copy=True) if kind == "A" else part for kind, part in zip(kinds, parts, strict=True))
        return kept if len(kinds) > 1 else kept[0]

    return careful


def _role(term: Any) -> str:
    return "smooth" if isinstance(term, Smooth) else "nonsmooth"


_WORDS = {"value": "value", "grad": "gradient", "prox": "prox", "value_and_grad": "value or gradient"}
