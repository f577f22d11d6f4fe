"""What the suite should show on the held-out part, and what it did show."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.studies.target import Target
from benchmarks.studies.task import Row
from benchmarks.suite.compare import gap, gaps, lowest, quantile

WAYS = "minimize", "minimize-without-numba", "minimize-fresh"
WORSE = 1e-4  # a peer that is lower by more than this share wins a seed
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
    found += [*_modes(rows["minimize"], settings), *_families(rows, wanted["lost"])]
    found += _large(_heldout(rows["minimize"], "large"), _heldout(rows.get("before", []), "large"), wanted["large"])
    return [*found, *_budgets(rows.get("budget", []), wanted["budget"], same)]


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


def _large(rows: Sequence[Row], before: Sequence[Row], most: float) -> list[Target]:
    """Return for each size the median ratio of the times of whole calls."""
    theirs, ratios = {row["case"]: row["units"] for row in before}, dict[str, list[float]]()
    for row in rows:
        if row["case"] in theirs:
            ratios.setdefault(row["case"].partition(",")[0], []).append(row["units"] / theirs[row["case"]])
    found = ((name, quantile(own, 0.5)) for name, own in ratios.items())
    return [Target(f"{name}: time over before, median", f"<= {most:g}", f"{one:.3g}", one <= most) for name, one in found]


def _families(rows: Mapping[str, Sequence[Row]], most: Mapping[str, int]) -> list[Target]:
    """Return for each effort the seeds of each family that are lost to the peer that wins most."""
    found, theirs = [], _best_starts([row for row in rows.get("peers", []) if row["study"] == "families"])
    for effort, allowed in most.items():
        own = _heldout(rows.get("minimize" if effort == "normal" else f"minimize-{effort}", []), "families")
        counts = {name: _lost(group, theirs) for name, group in _by_family(own).items()}
        if counts and theirs:
            words = ", ".join(f"{name}: {number}" for name, number in counts.items())
            claim = f"seeds of a family lost to any one peer, effort {effort}"
            found.append(Target(claim, f"<= {allowed}", words, max(counts.values()) <= allowed))
    return found


def _best_starts(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Return the lowest objective of each peer on each case."""
    return {who: lowest(row for row in rows if row["who"] == who) for who in dict.fromkeys(row["who"] for row in rows)}


def _by_family(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["case"].partition(",")[0], []).append(row)
    return found


def _lost(rows: Sequence[Row], theirs: Mapping[str, Mapping[str, float]]) -> int:
    """Return on how many cases the most successful peer is lower, by more than a share of
    max(1, |f|).
    """
    return max(sum(_beaten(row, peer) for row in rows) for peer in theirs.values())


def _beaten(row: Row, peer: Mapping[str, float]) -> bool:
    other = peer.get(row["case"])
    return other is not None and row["objective"] - other > WORSE * max(1.0, abs(other))


def _budgets(rows: Sequence[Row], share: float, same: float) -> list[Target]:
    number = sum(gap(row["objective"], row["theirs"]) <= same for row in rows)
    claim, found = "families, calls with the time of a package: not above it", f"{number} of {len(rows)}"
    return [Target(claim, f">= {100 * share:.0f} %", found, number >= share * len(rows))] if rows else []
