"""Cells of text as numbers: decimal points and commas, digits in groups, missing values."""

import re
from collections.abc import Iterable, Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MISSING = frozenset(
    ("", "na", "n/a", "n.a.", "nan", "-nan", "null", "none", "nil", "nd", "?", ".", "-", "--", "missing",
     "<na>", "#n/a", "#na", "#null!", "#num!", "#value!", "#div/0!", "#ref!")
)  # fmt: skip
_POINT = re.compile(r"[+-]?\d*\.\d*(e[+-]?\d+)?", re.IGNORECASE)  # 1.5
_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d*(e[+-]?\d+)?", re.IGNORECASE)  # 1,5 and 1.234,5
_BY_COMMAS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")  # 1,234 and 1,234.5
_BY_POINTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+")  # 1.234 as 1234


def is_missing(cell: str) -> bool:
    """Tell whether a cell stands for a missing value."""
    return cell.strip().lower() in MISSING


def number(cell: str, decimal: str = ".") -> float | None:
    """Return a cell as a number, NaN if it is missing, None if it is text."""
    text = cell.strip().replace("\N{MINUS SIGN}", "-")
    if text.lower() in MISSING:
        return nan
    if decimal == ",":
        if _BY_POINTS.fullmatch(text) or _COMMA.fullmatch(text):
            text = text.replace(".", "").replace(",", ".")
    elif _BY_COMMAS.fullmatch(text):
        text = text.replace(",", "")
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def numbers(cells: Sequence[str], decimal: str = ".") -> Floats | int:
    """Return cells as numbers, NaN where one is missing, or the place of the first text."""
    joined = "".join(cells)
    plain = "_" not in joined and (decimal == "." or "." not in joined)
    if plain:
        texts: Iterable[str] = cells if decimal == "." else (cell.replace(",", ".") for cell in cells)
        try:
            return np.fromiter(map(float, texts), np.float64, len(cells))
        except ValueError:
            pass
    values = np.empty(len(cells))
    for at, cell in enumerate(cells):
        value = number(cell, decimal)
        if value is None:
            return at
        values[at] = value
    return values


def decimal_mark(cells: Iterable[str], separator: str) -> str:
    """Return the decimal mark of some cells, "." or ",".

    Digits in groups of three, as in 1,234, tell a comma only if commas do not separate the cells
    and no other cell has a point.
    """
    grouped = point = False
    for cell in cells:
        text = cell.strip()
        if "," in text:
            if _BY_COMMAS.fullmatch(text):
                grouped = True
            elif _COMMA.fullmatch(text) and text.strip("+-") != ",":
                return ","
        elif "." in text and not _BY_POINTS.fullmatch(text) and _POINT.fullmatch(text):
            point = True
    return "," if grouped and not point and separator != "," else "."
