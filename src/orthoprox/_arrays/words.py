"""What a user passed, in a few words: no message prints a whole array."""

import inspect
import math
import reprlib
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

_LONGEST = 100  # characters of a value


class _Short(reprlib.Repr):
    """The repr of a value, cut where it is long; of arrays inside, their shapes."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = _LONGEST

    def repr1(self, x: Any, level: int) -> str:
        return f"<{kind(x)}>" if sized(x) else super().repr1(x, level)

    def repr_int(self, x: int, level: int) -> str:
        try:
            return super().repr_int(x, level)
        except ValueError:  # Python does not print integers of thousands of digits
            return f"{'-' if x < 0 else ''}2**{abs(x).bit_length()} or so"

    def repr_instance(self, x: Any, level: int) -> str:
        return " ".join(super().repr_instance(x, level).split())  # on one line


def short(value: Any) -> str:
    """Return the repr of a value, cut where it is long."""
    text = _Short().repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def shown(value: Any) -> str:
    """Return what a value is: "a NumPy array of shape (100, 5)", "'lasso', a str", "None"."""
    if sized(value):
        return kind(value)
    return f"{short(value)}, a {type(value).__name__}"


def sized(value: Any) -> bool:
    """Tell whether a value is an array, a table or a matrix of some kind, of which only the shape
    is worth a word.
    """
    return not isinstance(value, type) and isinstance(getattr(value, "shape", None), tuple) and value.shape != ()


def kind(value: Any) -> str:
    """Return the kind and the shape of an array or a table."""
    name = type(value).__name__
    article = "an" if name[:1].lower() in "aeiou" else "a"
    noun = "a NumPy array" if type(value) is np.ndarray else f"{article} {name}"
    return f"{noun} of shape {value.shape}"


def described(thing: Any) -> str:
    """Return the call that makes a thing, as far as it keeps what it was made of: "L1(mu=0.5)",
    "Variance(A of shape (178, 13))". What is as by default, or without effect, is left out.
    """
    kept, said = getattr(thing, "__dict__", {}), []
    try:
        parameters = inspect.signature(thing.__class__).parameters
    except (TypeError, ValueError):  # of a class that is not written in Python
        parameters = MappingProxyType({})
    for name, parameter in parameters.items():
        value = kept.get(name, kept.get(f"_{name}") if callable(kept.get(f"_{name}")) else None)
        if value is None or (isinstance(value, Real) and (value == parameter.default or math.isinf(value))):
            continue
        if sized(value):
            said.append(f"{name} of shape {tuple(value.shape)}")
        else:
            text = getattr(value, "__name__", None) if callable(value) else None
            said.append(f"{name}={text or short(value)}")
    return f"{thing.__class__.__name__}({', '.join(said)})"
