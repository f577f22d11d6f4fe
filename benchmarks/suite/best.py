"""The best objectives that are known, in a file that anyone may lower."""

import json
from collections.abc import Iterable
from pathlib import Path

from benchmarks.studies.task import Row
from benchmarks.suite.compare import gap, lowest

FILE = Path(__file__).parents[2] / "docs" / "tables" / "best.json"
LOWER = 1e-9  # a value is lowered if the new one is below it by more than this share


def read(file: Path = FILE) -> dict[str, float]:
    """Return the best objective of each problem by its name."""
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def lower(rows: Iterable[Row], file: Path = FILE) -> list[str]:
    """Write lower values of rows into the file and return the problems that have them."""
    best, found = read(file), []
    for name, objective in lowest(rows).items():
        if name not in best or gap(objective, best[name]) < -LOWER:
            best[name] = objective
            found.append(name)
    if found:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(best, indent=0) + "\n", encoding="utf-8")
    return found
