"""The page of the suite: pure functions of the rows."""

from collections.abc import Mapping, Sequence
from math import ceil

from benchmarks.studies.rows import Rows
from benchmarks.studies.task import Row

from orthoprox.reproduce.table import markdown

Objectives = Mapping[str, float]  # by the name of the case


def gap(objective: float, other: float) -> float:
    """Return by what share an objective is above another one."""
    return (objective - other) / abs(other)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value which so many are not above."""
    return sorted(values)[ceil(share * len(values)) - 1]


def count(rows: Sequence[Row], others: Objectives, same: float) -> tuple[str, str]:
    """Return on how many cases rows are not above other objectives by more than a share, and on how
    many below by more.
    """
    gaps = [gap(row["objective"], others[row["case"]]) for row in rows if row["case"] in others]
    if not gaps:
        return "-", "-"
    return f"{sum(one <= same for one in gaps)} of {len(gaps)}", f"{sum(one < -same for one in gaps)} of {len(gaps)}"


def groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each kind and part, by a title."""
    found: dict[str, list[Row]] = {}
    for kind in ("tables", "modes", "families"):
        for part in ("tuning", "heldout"):
            for start in ("auto", "random"):
                own = [row for row in rows if row["kind"] == kind and part in row["parts"] and row["start"] == start]
                if own:
                    words = f"compressed modes, {start} start" if kind == "modes" else kind
                    found[f"{words}, {'held out' if part == 'heldout' else part}"] = own
    return found


def summary(rows: Sequence[Row], best: Objectives, same: float) -> str:
    """Return one line for each kind and part: times, convergence, and objectives against the best
    known.
    """
    lines = []
    for title, own in groups(rows).items():
        units = [row["units"] for row in own]
        lines.append(
            [
                title,
                str(len(own)),
                *(f"{quantile(units, share):.3f}" for share in (0.5, 0.9, 1.0)),
                f"{sum(row['converged'] for row in own)} of {len(own)}",
                *count(own, best, same),
            ]
        )
    return markdown(["", "cases", "median", "p90", "max", "converged", "not above the best known", "below it"], lines)


def listing(rows: Sequence[Row], best: Objectives) -> str:
    """Return one line for each case."""
    lines = []
    for row in rows:
        above = gap(row["objective"], best[row["case"]]) if row["case"] in best else float("nan")
        work = str(row["work"]["gradients"]) if "work" in row else "-"
        lines.append(
            [
                f"{row['case']}{', random start' if row['start'] == 'random' else ''}",
                f"{row['units']:.3f}",
                work,
                f"{row['objective']:.8g}",
                f"{above:.1e}",
                "yes" if row["converged"] else f"**{row['status']}**",
            ]
        )
    return markdown(["case", "units", "gradients", "objective", "above the best known", "converged"], lines)


def page(kept: Mapping[str, Rows], best: Objectives, same: float) -> str:
    """Return the page."""
    rows = kept["minimize"].everything
    return f"""\
# Tables

{summary(rows, best, same)}

{listing(rows, best)}
"""
