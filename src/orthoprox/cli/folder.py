"""The folder of results: what is written there, each file whole or not at all."""

import csv
import json
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from orthoprox.cli.account import record
from orthoprox.cli.analysis import Analysis
from orthoprox.files.whole import whole
from orthoprox.reports import Facts, page

LOADINGS, SCORES, RESULT, MODEL, REPORT = FILES = "loadings.csv", "scores.csv", "result.json", "model.npz", "report.html"
_FORMULA = "=", "+", "-", "@", "\t", "\r", "\n"  # what a spreadsheet takes for the beginning of a formula, or skips


def checked(folder: Path, *, force: bool) -> Path:
    """Return a folder to write to, which may not exist yet; raise where results are there."""
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{str(folder)!r} is a file; name a folder with --out DIR.")
    present = [name for name in FILES if (folder / name).exists()]
    if present and not force:
        raise FileExistsError(
            f"{str(folder)!r} has results already ({', '.join(present)}); name another folder with --out DIR, or add --force."
        )
    return folder


def write(folder: Path, told: Facts, analysis: Analysis) -> dict[str, Any]:
    """Write everything that was found, and return what result.json has."""
    folder.mkdir(parents=True, exist_ok=True)
    heads = [f"component_{number}" for number in range(1, len(told.components) + 1)]
    write_text(folder / LOADINGS, table_text(("variable", *heads), told.names, told.components.T))
    if told.scores is not None:
        write_text(folder / SCORES, scores_text(told.scores, told.row_names))
    analysis.estimator.save(folder / MODEL)
    write_text(folder / REPORT, page(told))
    content = record(told, analysis) | {"files": [name for name in FILES if name != SCORES or told.scores is not None]}
    write_text(folder / RESULT, json.dumps(content, indent=1, allow_nan=False) + "\n")
    return content


def scores_text(scores: Any, row_names: Sequence[str] | None) -> str:
    """Return scores as text: a row for each sample, numbered if it has no name."""
    names = row_names if row_names is not None else [str(row) for row in range(1, len(scores) + 1)]
    return table_text(("row", *(f"component_{number}" for number in range(1, scores.shape[1] + 1))), names, scores)


def table_text(heads: Sequence[str], names: Iterable[str], values: Any) -> str:
    """Return numbers with names as comma-separated values, with every digit."""
    rows = (np.asarray(values) + 0.0).tolist()  # no -0.0
    return numbers_text(heads, ([as_text(name), *row] for name, row in zip(names, rows, strict=True)))


def numbers_text(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as comma-separated values, with every digit."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([heads, *rows])
    return text.getvalue()


def as_text(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula: with an apostrophe where needed."""
    return f"'{name}" if name.startswith(_FORMULA) else name


def write_text(path: Path, text: str) -> None:
    """Write a file of text, whole or not at all."""
    with whole(str(path)) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
