"""How rho changes the way of LSALM to the manifold, and what limits it there."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from orthoprox.reproduce.comparison import agreeing, select, statement
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

_GOALS = (("constraint", 1e-1), ("constraint", 1e-2), ("constraint", 1e-5), ("constraint", 1e-7), ("update", 1e-8))
_LABELS = {"constraint": "|X'X - I|", "update": "|X+ - X| + |X+ - Z|"}
_REACHED = 1e-5  # |X'X - I| that counts as converged here
_NOTHING = {"feasibility": np.nan, "floor": np.nan}  # of runs that all ended at infinity
_ENOUGH = 12_000  # iterations after which runs that converge have reached their floor


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the curves of feasibility and update, and the floors that eps sets."""
    rhos, smallest = spec.varied("rho"), min(spec.varied("eps"))
    curves = {rho: select(rows, rho=rho, eps=smallest) for rho in rhos}
    if not all(curves.values()):
        raise IncompleteError(f"each rho needs a run with eps = {smallest:g}.")
    failed = {rho: sum(not _feasible(row) for row in runs) for rho, runs in curves.items()}
    last = spec.content["stop"]["max_iterations"]
    claims = tuple(_claims(spec, rows, curves, failed))
    return Section.of(
        spec,
        verdict=agreeing(claims),
        figures={spec.id: _figure(spec, curves, last)},
        captions={
            spec.id: f"Seed {spec.paper['shown']} bold, the others thin, eps = {smallest:g}, {last:,} iterations. "
            "A curve ends where its run stands still. A run fails where |X'X - I| is above 1e-5 at the end, or |X|_F > 1e6."
        },
        tables=(_speeds(curves, failed), _floors(spec, rows)),
        claims=claims,
    )


def _feasible(row: Row) -> bool:
    return row["feasibility"] is not None and row["feasibility"] <= _REACHED


def first(row: Row, name: str, goal: float) -> float:
    """Return the first recorded iteration from which a residual stays at or below a goal; infinite
    if there is none.
    """
    values = np.array([np.inf if x is None else x for x in row[name]])
    known = np.array([x is not None for x in row[name]])
    if not known.any():
        return np.inf
    values, iterations = values[known], np.array(row["at_iterations"])[known]
    above = np.nonzero(values > goal)[0]
    if above.size == 0:
        return float(iterations[0])
    return float(iterations[above[-1] + 1]) if above[-1] + 1 < len(values) else np.inf


def _median(rows: Sequence[Row], name: str, goal: float) -> float:
    return float(np.median([first(row, name, goal) for row in rows])) if rows else np.inf


def _claims(spec: Spec, rows: list[Row], curves: dict[float, list[Row]], failed: dict[float, int]) -> list[Claim]:
    small, (_, large) = spec.paper["fails"], sorted(curves)[-2:]
    bad, total = failed[small], len(curves[small])
    claims = [
        statement(
            f"LSALM fails to converge at rho = {small:g}",
            "fails",
            f"{bad} of {total} instances do not reach |X'X - I| <= 1e-5",
            bad == total,
            reason=_slow(curves[small]),
        )
    ]
    middle = [rho for rho in sorted(curves) if small < rho < large]
    speeds = [_median(curves[rho], "constraint", _REACHED) for rho in middle]
    told = ", ".join(f"{_count(k)} at {rho:g}" for rho, k in zip(middle, speeds, strict=True))
    falling = all(a > b for a, b in pairwise(speeds)) if np.isfinite(speeds).all() else None
    what, why = "convergence becomes faster as rho increases", spec.reasons["order"]
    claims.append(statement(what, "yes", f"iterations to 1e-5: {told}", falling, reason=why))
    early = [_median(curves[rho], "constraint", 1e-1) for rho in (middle[-1], large)]
    late = [_median(curves[rho], "constraint", _REACHED) for rho in (middle[-1], large)]
    starts, ends = (f"{_count(pair[1])} against {_count(pair[0])}" for pair in (early, late))
    here = f"iterations to 1e-1: {starts}; to 1e-5: {ends}"
    decided = early[1] < early[0] and late[1] > late[0] if np.isfinite(late[0]) else None
    what = f"rho = {large:g} is faster than {middle[-1]:g} at the start and slower later"
    claims.append(statement(what, "yes", here, decided, reason=why))
    full = [
        row for row in rows if row["zero_columns"] == 0 and row["at"]["rho"] > small and row["floor"] and row["feasibility"]
    ]
    met = sum(abs(row["feasibility"] / row["floor"] - 1) < 0.1 for row in full)
    here = f"|X'X - I| = eps |Y| within 10 % at the end of {met} of {len(full)} runs with rho > {small:g}"
    decided = met > 0.9 * len(full) if spec.content["stop"]["max_iterations"] >= _ENOUGH else None
    claims.append(statement("the limiting infeasibility is governed by eps", "yes", here, decided, reason=why))
    return claims


def _slow(runs: list[Row]) -> str:
    """Return when those of some runs that converge do so, and what became of the others."""
    times = [first(row, "constraint", _REACHED) for row in runs if _feasible(row)]
    failed = [row for row in runs if not _feasible(row)]
    empty = sum(row["zero_columns"] > 0 for row in failed)
    told = f"{len(times)} of {len(runs)} instances do converge"
    told += f", after {_count(min(times))} to {_count(max(times))} iterations" if times else ""
    told += (
        f". Of the {len(failed)} others {empty} end with a zero column of X, where the constraint cannot act" if failed else ""
    )
    return f"{told}. No reason was found why some do."


def _count(k: float) -> str:
    return f"{k:.0f}" if np.isfinite(k) else "never"


def _speeds(curves: dict[float, list[Row]], failed: dict[float, int]) -> Table:
    header = ("rho", *(f"{_LABELS[name]} <= {goal:g}" for name, goal in _GOALS), "above 1e-5 at the end", "zero columns")
    lines = []
    for rho, runs in curves.items():
        medians = (_count(_median(runs, name, goal)) for name, goal in _GOALS)
        trapped = sum(row["zero_columns"] > 0 for row in runs)
        lines.append((f"{rho:g}", *medians, f"{failed[rho]} of {len(runs)}", f"{trapped} of {len(runs)}"))
    return Table("Iterations from which on a goal is met, medians of the instances", header, tuple(lines))


def _floors(spec: Spec, rows: list[Row]) -> Table:
    lines = []
    for eps in sorted(spec.varied("eps")):
        for rho in spec.varied("rho"):
            runs = select(rows, rho=rho, eps=eps)
            if runs and rho > spec.paper["fails"]:
                known = [row for row in runs if None not in (row["feasibility"], row["floor"])] or [_NOTHING]
                reached, floor = (float(np.median([row[name] for row in known])) for name in ("feasibility", "floor"))
                lines.append((f"{eps:g}", f"{rho:g}", f"{reached:.3g}", f"{floor:.3g}"))
    header = ("eps", "rho", "|X'X - I| at the end", "eps |Y|")
    return Table(
        "The floor of the infeasibility, medians; |Y| over the entries where X'X - I is not zero", header, tuple(lines)
    )


def _figure(spec: Spec, curves: dict[float, list[Row]], last: int) -> Figure:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, name in zip(panels, ("constraint", "update"), strict=True):
        for k, (rho, runs) in enumerate(curves.items()):
            shown = next((row for row in runs if row["at"]["seed"] == spec.paper["shown"]), runs[0])
            for row in runs:
                bold = row is shown
                style = {"linewidth": 1.8, "label": f"rho = {rho:g}"} if bold else {"linewidth": 0.5, "alpha": 0.35}
                axes.plot(row["at_iterations"], [np.nan if x is None else x for x in row[name]], color=f"C{k}", **style)
        axes.set(yscale="log", xlabel="iteration", xlim=(0, last), title=_LABELS[name])
        axes.grid(alpha=0.3)
        axes.legend()
    figure.suptitle(f"Not converged: |X'X - I| > 1e-5 after {last:,} iterations, or |X|_F > 1e6", fontsize="medium")
    return figure
