"""What the suite should show on the held-out part, and what it did show."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.studies.target import Target
from benchmarks.studies.task import Row
from benchmarks.suite.compare import gap, gaps, lowest, quantile

WAYS = "minimize", "minimize-without-numba", "minimize-fresh"
SHARES = {"median": 0.5, "90th percentile": 0.9, "largest": 1.0}


def goals(rows: Mapping[str, Sequence[Row]], settings: Mapping[str, Any]) -> list[Target]:
    """Return all targets."""
    wanted, same = settings["targets"], settings["same"]
    tables = {who: _heldout(rows.get(who, []), "tables") for who in WAYS}
    ours, found = tables["minimize"], []
    if ours:
        number = sum(row["converged"] for row in ours)
        found.append(Target("tables that converge", "all", f"{number} of {len(ours)}", number == len(ours)))
    found += _times("tables", ours, wanted["minimize"])
    found += _times("tables without numba", tables["minimize-without-numba"], wanted["without-numba"])
    found += _times("tables, first call of a process", tables["minimize-fresh"], [None, None, wanted["fresh"]])
    for other in ("before", "peers"):
        shares = gaps(ours, lowest(rows.get(other, [])))
        if shares:
            number = sum(one <= same for one in shares)
            claim, allowed = f"tables with an objective not above {other}", f">= {100 * wanted['share']:.0f} %"
            found.append(Target(claim, allowed, f"{number} of {len(shares)}", number >= wanted["share"] * len(shares)))
    return [*found, *_modes(rows["minimize"], settings)]


def _heldout(rows: Sequence[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["study"] == kind and "heldout" in row["parts"]]


def _times(claim: str, rows: Sequence[Row], limits: Sequence[float | None]) -> list[Target]:
    units, found = [row["units"] for row in rows], []
    for (words, share), most in zip(SHARES.items(), limits, strict=True):
        if units and most is not None:
            one = quantile(units, share)
            found.append(Target(f"{claim}, units, {words}", f"<= {most:g}", f"{one:.3g}", one <= most))
    return found


def _modes(rows: Sequence[Row], settings: Mapping[str, Any]) -> list[Target]:
    found = []
    chosen = _heldout(rows, "modes")
    own = {row["case"]: row for row in chosen if row["start"] == "auto"}
    for (m, n, mu), (most, known) in zip(settings["modes"]["rows"], settings["targets"]["modes"], strict=True):
        row = own.get(f"modes {m}, n = {n}, mu = {mu:g}")
        if row:
            low = gap(row["objective"], known) <= settings["same"]
            claim = f"compressed modes ({m}, {n}, {mu:g})"
            found.append(Target(f"{claim}, units", f"<= {most:g}", f"{row['units']:.3g}", row["units"] <= most))
            found.append(Target(f"{claim}, objective", f"<= {known:.7g}", f"{row['objective']:.7g}", low))
    random = [row for row in chosen if row["start"] == "random"]
    if random:
        number = sum(row["converged"] for row in random)
        found.append(
            Target("random starts of compressed modes", "all converge", f"{number} of {len(random)}", number == len(random))
        )
    return found
