"""The same problem in another unit: f divided by a power of two, so that the arithmetic inside is
of ordinary size.

Terms made of data are made anew. Any other term is wrapped; what it computes is multiplied, and
what it is told in units of f is divided. Both are exact.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, TypeVar

from orthoprox._arrays.library import Array, is_array
from orthoprox.nonsmooth.base import Face

P = TypeVar("P", bound=Any)  # a problem


def scaled(problem: P, unit: float) -> P:
    """Return the problem of f / unit; the unit is an even power of two."""
    if unit == 1:
        return problem
    return replace(problem, smooth=scaled_smooth(problem.smooth, unit), nonsmooth=scaled_nonsmooth(problem.nonsmooth, unit))


def scaled_smooth(term: Any, unit: float) -> Any:
    """Return l / unit."""
    if "times" in vars(type(term)):  # not of a subclass, which may be another function
        return term.times(1 / unit)
    return _Scaled(term, unit, scaled_smooth, _SMOOTH)


def scaled_nonsmooth(term: Any, unit: float) -> Any:
    """Return g / unit."""
    return _Scaled(term, unit, scaled_nonsmooth, _NONSMOOTH)


Ability = Callable[[Any, float], Any]
"""(what a term has under a name, unit) -> what the term over that unit has."""


class _Scaled:
    """A term over a unit; it is the term itself in everything that has no unit."""

    __slots__ = ("__dict__", "scaled_abilities", "scaled_by", "scaled_term", "scaled_unit")

    def __init__(
        self, term: Any, unit: float, scaled_by: Callable[[Any, float], Any], abilities: Mapping[str, Ability]
    ) -> None:
        self.scaled_term, self.scaled_unit, self.scaled_by, self.scaled_abilities = term, unit, scaled_by, abilities
        # isinstance looks for abilities among the attributes of the object, too
        self.__dict__ = {name: self.__getattr__(name) for name in getattr(term, "__dict__", {})}

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.scaled_term.__class__  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        found, ability = getattr(self.scaled_term, name), self.scaled_abilities.get(name)
        if ability is None:
            return found
        result = ability(found, self.scaled_unit)
        if is_array(result):  # divided once
            self.__dict__[name] = result
        return result

    def __repr__(self) -> str:
        return f"{self.scaled_term!r} / {self.scaled_unit:g}"

    def __reduce__(self) -> Any:
        return self.scaled_by, (self.scaled_term, self.scaled_unit)


def _quantity(found: Any, unit: float) -> Any:
    return found / unit if is_array(found) or isinstance(found, Real) else found


def _function(found: Any, unit: float) -> Any:
    return lambda X: found(X) / unit


def _functions(found: Any, unit: float) -> Any:
    def both(X: Array) -> tuple[Array, ...]:
        return tuple(part / unit for part in found(X))

    return both


def _resolvent(found: Any, unit: float) -> Any:
    """grad l(X) / unit + c X = R."""

    def at(c: float) -> Callable[[Array], Array]:
        solve = found(c * unit)
        return lambda R: solve(R * unit)

    return at


def _prox(found: Any, unit: float) -> Any:
    return lambda X, t: found(X, t / unit)


def _min_norm_subgradient(found: Any, unit: float) -> Any:
    return lambda X, W: found(X, W * unit) / unit


def _directional_derivative(found: Any, unit: float) -> Any:
    return lambda X, V: found(X, V) / unit


def _face(found: Any, unit: float) -> Any:
    def face(X: Array) -> Face:
        there = found(X)
        return Face(there.free, there.gradient / unit, lambda V: there.curvature(V) / unit)

    return face


def _at(found: Any, unit: float) -> Any:
    def at(entries: Any) -> Any:
        few = found(entries)
        return None if few is None else scaled_nonsmooth(few, unit)

    return at


_SMOOTH: dict[str, Ability] = {
    "value": _function,
    "grad": _function,
    "value_and_grad": _functions,
    "lipschitz": _quantity,
    "modulus": _quantity,
    "hessian": _quantity,
    "second_derivative": _function,
    "resolvent": _resolvent,
    "resolvents": lambda found, unit: lambda: _resolvent(found(), unit),
}
_NONSMOOTH: dict[str, Ability] = {
    "value": _function,
    "prox": _prox,
    "modulus": _quantity,
    "prox_derivative": _prox,
    "min_norm_subgradient": _min_norm_subgradient,
    "directional_derivative": _directional_derivative,
    "face": _face,
    "interval": _functions,
    "at": _at,
    "at_rows": _at,
}
