"""One line of a ledger: a row, or where and with what rows were made."""

import json
from collections.abc import Mapping
from types import GenericAlias, UnionType
from typing import Any

Row = dict[str, Any]

Kind = type | UnionType | GenericAlias  # of a value: a type, a number that may be null, as JSON has no infinity, or a list
NUMBERS, OBJECTS = list[float], list[dict[str, Any]]  # the lists: of numbers or null, and of objects

_ROW: dict[str, Kind] = {"key": str, "code": str, "at": dict, "status": str}
_ORIGIN: dict[str, Kind] = dict.fromkeys(("origin", "date", "versions", "machine"), str)
_ERROR: dict[str, Kind] = {"message": str}
_WORDS: dict[Kind, str] = {
    str: "text",
    dict: "an object",
    NUMBERS: "a list of numbers",
    OBJECTS: "a list of objects",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    float | None: "a number or null",
}


def read(line: bytes, fields: Mapping[str, Kind]) -> Row:
    """Return the entry of a line; a row without an error must hold the fields. A line that is none
    raises ``ValueError``.
    """
    try:
        entry = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON, or only a part of it") from error
    if not isinstance(entry, dict):
        raise ValueError("it is JSON, but not an object")
    needed = _ROW if "key" in entry or "origin" not in entry else _ORIGIN
    _check(entry, needed)
    if needed is _ROW:
        _check(entry, _ERROR if entry["status"] == "ERROR" else fields)
    return entry


def _check(entry: Row, fields: Mapping[str, Kind]) -> None:
    for name, kind in fields.items():
        if name not in entry:
            raise ValueError(f"it has no {name!r}")
        if not _is(entry[name], kind):
            raise ValueError(f"{name!r} is {json.dumps(entry[name])[:40]}; it needs {_WORDS[kind]}")


def _is(value: Any, kind: Kind) -> bool:
    if isinstance(kind, GenericAlias):
        inner = float | None if kind == NUMBERS else dict
        return isinstance(value, list) and bool(value) and all(_is(each, inner) for each in value)
    if kind is not bool and isinstance(value, bool):
        return False
    return isinstance(value, int | float if kind is float else int | float | None if kind == float | None else kind)
