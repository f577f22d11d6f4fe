"""Plain data as JSON and arrays: numbers, text, tuples, lists, dicts, arrays, enumerations and
dataclasses of these, in any depth.

What is read is what was written, bit for bit: the type and the order of arrays in memory, numbers
that are not finite, and which objects are one and the same. A class is known by its name, and has
to be one of this library or of a module that the reader names; nothing is called when an object is
made anew.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from math import isfinite
from typing import Any

import numpy as np

from orthoprox._arrays.library import is_array, to_numpy
from orthoprox._arrays.words import shown

Node = list[Any]
"""[kind, ...]; a part of it is a number, a text, None, or [index] of another node."""
_HOME = "orthoprox."
_INTEGERS = 2**53  # below which every reader of JSON keeps integers


class Writer:
    """Collects objects as nodes and arrays.

    Parameters
    ----------
    known : mapping, optional
        Objects that the reader has by these names: they are not written.
    kinds : mapping, optional
        Classes whose objects are not written either, by the names that the reader has for them.
    """

    def __init__(self, known: Mapping[str, Any] | None = None, kinds: Mapping[str, type] | None = None) -> None:
        self.nodes: list[Node | None] = []
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._known = {id(value): name for name, value in (known or {}).items()}
        self._kinds = dict(kinds or {})
        self._places: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no id is used twice

    def add(self, value: Any) -> Any:
        """Return what stands for a value in a node."""
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if (kind is int and abs(value) < _INTEGERS) or (kind is float and isfinite(value)):
            return value
        if id(value) not in self._places:
            self._alive.append(value)
            place = self._places[id(value)] = len(self.nodes)
            self.nodes.append(None)
            self.nodes[place] = self._node(value)
        place = self._places[id(value)]
        if self.nodes[place] is None:
            raise TypeError(f"{shown(value)} contains itself; a file holds none such.")
        return [place]

    def _node(self, value: Any) -> Node:
        name = self._known.get(id(value)) or next((name for name, kind in self._kinds.items() if isinstance(value, kind)), None)
        if name is not None:
            return ["known", name]
        if isinstance(value, Enum):
            return ["enum", class_name(type(value)), value.name]
        if type(value) in (int, float):
            return ["int", hex(value)] if type(value) is int else ["float", str(value)]
        if isinstance(value, np.generic):
            return ["scalar", value.dtype.str, value.tobytes().hex()]
        if is_array(value):
            return self._array(value)
        if type(value) is dict:
            return ["dict", *(self.add(part) for pair in value.items() for part in pair)]
        if type(value) in (list, tuple):
            return [type(value).__name__, *(self.add(part) for part in value)]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return ["named", class_name(type(value)), *(self.add(part) for part in value)]
        if is_dataclass(value) and not isinstance(value, type):
            held = {field.name: getattr(value, field.name) for field in fields(value)}
            return ["object", class_name(type(value)), {name: self.add(part) for name, part in held.items()}]
        raise TypeError(f"{shown(value)} is no plain data: a file holds numbers, text, arrays and dataclasses of them.")

    def _array(self, value: Any) -> Node:
        """Return an array with its axes in the order of memory."""
        own = isinstance(value, np.ndarray)
        array = to_numpy(value)
        axes = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
        name = f"{len(self.arrays)}"
        self.arrays[name] = np.ascontiguousarray(array.transpose(axes)).reshape([array.shape[axis] for axis in axes])
        return ["array" if own else "foreign", name, axes]


class Reader:
    """Makes the objects of nodes and arrays, each when it is asked for.

    Parameters
    ----------
    nodes, arrays
        What a :class:`Writer` has collected.
    modules : iterable of str
        Modules beside those of this library whose classes may be made.
    foreign : callable, optional
        Makes an array of another library from one of NumPy.
    """

    def __init__(
        self,
        nodes: list[Node],
        arrays: Mapping[str, Any],
        modules: Iterable[str] = (),
        foreign: Callable[[Any], Any] | None = None,
    ) -> None:
        self.known: dict[str, Any] = {}  # objects that were not written
        self._nodes, self._arrays, self._modules, self._foreign = nodes, arrays, set(modules), foreign
        self._made: dict[int, Any] = {}

    def value(self, part: Any) -> Any:
        """Return the value that this part of a node stands for."""
        if not isinstance(part, list):
            return part
        (place,) = part
        if place not in self._made:
            self._made[place] = self._value(self._nodes[place])
        return self._made[place]

    def parts(self, part: Any) -> list[Any]:
        """Return the parts of a list or a tuple, each as it stands in the node."""
        (place,) = part
        kind, *parts = self._nodes[place]
        if kind not in ("list", "tuple"):
            raise ValueError(f"a list was expected where it has a {kind}")
        return parts

    def _value(self, node: Node) -> Any:
        kind, *parts = node
        if kind in ("array", "foreign"):
            name, axes = parts
            array = self._arrays[name].transpose(np.argsort(axes))
            return array if kind == "array" or self._foreign is None else self._foreign(array)
        if kind == "scalar":
            return np.frombuffer(bytes.fromhex(parts[1]), np.dtype(parts[0]))[0]
        if kind in ("int", "float"):
            return int(parts[0], 16) if kind == "int" else float(parts[0])
        if kind == "known":
            if parts[0] not in self.known:
                raise ValueError(f"it has a {parts[0]}, which this call does not make")
            return self.known[parts[0]]
        if kind == "enum":
            return self._class(parts[0], Enum)[parts[1]]
        if kind == "object":
            return self._object(*parts)
        if kind == "named":
            return self._class(parts[0], tuple)(*map(self.value, parts[1:]))
        values = [self.value(part) for part in parts]
        if kind == "dict":
            return dict(zip(values[::2], values[1::2], strict=True))
        return {"list": list, "tuple": tuple}[kind](values)

    def _object(self, name: str, held: Mapping[str, Any]) -> Any:
        kind = self._class(name, object)
        made = object.__new__(kind)
        for field in fields(kind):
            object.__setattr__(made, field.name, self.value(held[field.name]))
        return made

    def _class(self, name: str, base: type) -> Any:
        """Return the class of this name: of the library, or of a module that may be used."""
        module, _, path = name.partition(":")
        if not module.startswith(_HOME) and module not in self._modules:
            raise ValueError(f"it holds a {path} of the module {module!r}, which this call does not use")
        found: Any = import_module(module) if module.startswith(_HOME) else sys.modules[module]
        for part in path.split("."):
            found = getattr(found, part)
        if not (isinstance(found, type) and issubclass(found, base) and (base is not object or is_dataclass(found))):
            raise ValueError(f"{name!r} names no class of plain data")
        return found


def class_name(kind: type) -> str:
    """Return the name by which a class is found again."""
    return f"{kind.__module__}:{kind.__qualname__}"
