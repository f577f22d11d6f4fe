"""One line of a ledger: a row, or where and with what rows were made."""

import json
from collections.abc import Mapping
from types import GenericAlias, UnionType
from typing import Any

Row = dict[str, Any]

SCHEMA = 2  # of the rows that are written; a row that names no schema has the first

Kind = type | UnionType | GenericAlias  # of a value: a type, a number that may be null, as JSON has no infinity, or a list
NUMBERS, OBJECTS = list[float], list[dict[str, Any]]  # the lists: of numbers or null, and of objects

_ROW: dict[str, Kind] = {"key": str, "code": str, "at": dict, "status": str}
_ORIGIN: dict[str, Kind] = dict.fromkeys(("origin", "date", "versions", "machine"), str)
_ERROR: dict[str, Kind] = {"message": str}
_RENAMED = {  # since the first schema, in which times without a prefix were those of the method alone
    "seconds": "run_seconds",
    "cpu_seconds": "run_cpu_seconds",
    "wall_seconds": "seconds",
    "at_seconds": "at_run_cpu_seconds",
}
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
    """Return the entry of a line, with the present names of its fields; a row without an error must
    hold the fields. A line that is none, or of a schema to come, raises ``ValueError``.
    """
    try:
        entry: Any = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON, or only a part of it") from error
    if not isinstance(entry, dict):
        raise ValueError("it is JSON, but not an object")
    if not 1 <= schema(entry) <= SCHEMA:
        raise ValueError(f"its schema is {schema(entry)}; this version reads 1 to {SCHEMA}")
    if "key" not in entry and "origin" in entry:
        _check(entry, _ORIGIN)
        return {**entry}
    _check(entry, _ROW)
    row = renamed(entry, _RENAMED if schema(entry) == 1 else {})
    _check(row, _ERROR if row["status"] == "ERROR" else fields)
    return row


def schema(entry: Row) -> int:
    """Return by which schema a row was written."""
    _check({"schema": 1, **entry}, {"schema": int})
    return int(entry.get("schema", 1))


def renamed(row: Row, names: Mapping[str, str]) -> Row:
    """Return a row with other names for some of its fields."""
    return {names.get(name, name): value for name, value in row.items()}


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
