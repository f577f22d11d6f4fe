"""The best objectives that are known, in a file that anyone may lower."""

import json
from collections.abc import Iterable
from pathlib import Path

from benchmarks.studies.task import Row

FILE = Path(__file__).parents[2] / "docs" / "tables" / "best.json"
LOWER = 1e-9  # a value is lowered if the new one is below it by more than this share


def read(file: Path = FILE) -> dict[str, float]:
    """Return the best objective of each case by its name."""
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def lower(rows: Iterable[Row], file: Path = FILE) -> list[str]:
    """Write lower values of rows into the file and return the cases that have them."""
    best, found = read(file), []
    for row in rows:
        if row["objective"] is None:
            continue
        known = best.get(row["case"])
        if known is None or row["objective"] < known - LOWER * abs(known):
            best[row["case"]] = row["objective"]
            found.append(row["case"])
    if found:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(best, indent=0) + "\n", encoding="utf-8")
    return list(dict.fromkeys(found))
