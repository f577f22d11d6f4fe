"""Arithmetic in strings, so that a spec can say ``penalty = "1.5*L"``."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

_OPERATIONS: dict[type, Callable[[Any, Any], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {"sqrt": math.sqrt, "round": round, "max": max, "min": min}


def evaluate(formula: str, names: Mapping[str, float]) -> float:
    """Return the value of a formula of numbers, the given names, + - * / // **, sqrt, round, max
    and min.
    """
    try:
        tree = ast.parse(formula, mode="eval").body
        value = _value(tree, names)
    except (SyntaxError, KeyError, TypeError) as error:
        known = ", ".join([*names, *_FUNCTIONS])
        raise ValueError(f"{formula!r} is not a formula; it needs numbers, + - * / // ** and {known}.") from error
    except (ArithmeticError, ValueError) as error:
        raise ValueError(f"The formula {formula!r} has no value ({error}) at {dict(names)}; it needs other numbers.") from error
    if isinstance(value, complex):
        raise ValueError(f"The formula {formula!r} has no real value at {dict(names)}; it needs other numbers.")
    return value


def resolve(settings: Mapping[str, Any], names: Mapping[str, float], *, words: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the settings with each string replaced by its value, except those named in
    ``words``.
    """
    return {
        name: evaluate(value, names) if isinstance(value, str) and name not in words else value
        for name, value in settings.items()
    }


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _FUNCTIONS[name](*(_value(arg, names) for arg in args))
    raise TypeError(f"{ast.dump(node)} has no place in a formula.")
