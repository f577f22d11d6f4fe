"""In which ranges of its parameters LSALM converges."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from orthoprox.reproduce.comparison import agreeing, by, converged, mean, select, statement, trapped
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

Intervals = dict[str, tuple[tuple[float, float] | None, tuple[float, float] | None]]
"""Of each parameter: where all ten instances converge, and where they are fast as well."""

_WIDE = 5.0  # an interval whose ends have this ratio is called wide


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the intervals of convergence of each parameter."""
    cap, given = spec.content["stop"]["max_iterations"], spec.content["solvers"]["lsalm"]
    size = spec.paper["instances"]
    ten = [row for row in rows if row["at"]["seed"] < size]
    base = select(ten, parameter="baseline")
    if len(base) < size:
        raise IncompleteError(f"the baseline needs runs on seeds 0 to {size - 1}.")
    limit = spec.paper["slack"] * mean(base, "iterations")
    intervals: Intervals = {}
    for name in spec.content["each"]:
        values = _values(ten, name, given[name])
        grid = sorted(x for x, runs in values.items() if len(runs) == size)
        if len(grid) < 2:
            continue
        all_ten = {x for x in grid if all(map(converged, values[x]))}
        fast = {x for x in all_ten if mean(values[x], "iterations") < limit}
        intervals[name] = (_around(grid, all_ten, given[name]), _around(grid, fast, given[name]))
    if not intervals:
        raise IncompleteError(f"a parameter needs runs on seeds 0 to {size - 1}.")
    everything = select(rows, parameter="baseline")
    share = np.mean([converged(row) for row in everything])
    claims = (_baseline(base), *_widths(intervals, spec))
    return Section.of(
        spec,
        verdict=f"{agreeing(claims)} At the baseline {100 * share:.1f} % of {len(everything)} instances converge.",
        figures={spec.id: _figure(spec, rows, intervals, cap)},
        captions={
            spec.id: "Above: the interval in which all ten instances converge (wide bar) and the one in which they need less "
            f"than 110 % of the baseline's iterations (narrow bar); the dot is the baseline. Below: the share of all "
            f"instances that converge. Not converged means {cap:,} iterations or |X|_F > 1e6; runs that stand still end early. "
            "The slow ends of r, lam and beta are set by that cap."
        },
        tables=(_table(spec, rows, intervals),),
        claims=claims,
        remarks=(
            f"At the baseline the {len(base)} instances need {mean(base, 'iterations'):.0f} iterations on average.",
            f"Of {len(everything)} instances {100 * share:.1f} % converge at the baseline. {spec.reasons['baseline']}",
            trapped(rows),
            "Wide means that the upper end is at least five times the lower one.",
        ),
    )


def _values(rows: list[Row], name: str, baseline: float) -> dict[float, list[Row]]:
    """Return the rows for each value of a parameter, that of the baseline included."""
    return {**by(select(rows, parameter=name), lambda at: at["value"]), baseline: select(rows, parameter="baseline")}


def _around(grid: Sequence[float], good: set[float], baseline: float) -> tuple[float, float] | None:
    """Return the ends of the largest run of good grid values that includes the one nearest to the
    baseline.
    """
    k = int(np.argmin(np.abs(np.log(np.array(grid) / baseline))))
    if grid[k] not in good:
        return None
    low = high = k
    while low > 0 and grid[low - 1] in good:
        low -= 1
    while high + 1 < len(grid) and grid[high + 1] in good:
        high += 1
    return grid[low], grid[high]


def _baseline(base: list[Row]) -> Claim:
    met = sum(map(converged, base))
    what, here = "LSALM converges in all ten experiments at the baseline", f"{met} of {len(base)} (seeds 0 to {len(base) - 1})"
    reason = f"{len(base) - met} of the ten instances do not converge."
    return statement(what, "10 of 10", here, met == len(base), reason=reason)


def _widths(intervals: Intervals, spec: Spec) -> list[Claim]:
    claims = []
    for name, (all_ten, _) in intervals.items():
        here = "none around the baseline" if all_ten is None else f"{all_ten[0]:.3g} to {all_ten[1]:.3g}"
        wide = all_ten is not None and all_ten[1] >= _WIDE * all_ten[0]
        claims.append(statement(f"{name}: convergence across a wide range", "wide", here, wide, reason=spec.reasons["ends"]))
    return claims


def _figure(spec: Spec, rows: list[Row], intervals: Intervals, cap: int) -> Figure:
    names, given = list(intervals), spec.content["solvers"]["lsalm"]
    figure = Figure(figsize=(11, 6.5), layout="constrained")
    grid = figure.add_gridspec(2, len(names), height_ratios=[1.1, 1])
    top = figure.add_subplot(grid[0, :])
    for k, name in enumerate(names):
        for found, height, color in zip(intervals[name], (0.5, 0.22), ("tab:green", "tab:blue"), strict=True):
            if found is not None:
                top.barh(
                    k,
                    found[1] - found[0],
                    left=found[0],
                    height=height,
                    color=color,
                    alpha=0.7 if height > 0.3 else 1,
                )
        top.plot(given[name], k, "o", color="black")
    top.set(xscale="log", yticks=range(len(names)), title="Ten instances: all converge (green), within 110 % (blue)")
    top.set_yticklabels(names)
    top.invert_yaxis()
    top.grid(axis="x", alpha=0.3)
    for k, name in enumerate(names):
        _share(figure.add_subplot(grid[1, k]), name, rows, given[name], labelled=k == 0)
    figure.suptitle(f"Not converged: {cap:,} iterations or |X|_F > 1e6", fontsize="medium")
    return figure


def _share(axes: Axes, name: str, rows: list[Row], baseline: float, *, labelled: bool) -> None:
    values = _values(rows, name, baseline)
    grid = sorted(values)
    axes.plot(grid, [np.mean([converged(row) for row in values[x]]) for x in grid], marker=".", markersize=4, linewidth=1)
    axes.axvline(baseline, color="black", linewidth=0.8, linestyle=":")
    axes.set(
        xscale="log",
        ylim=(-0.03, 1.03),
        xlabel=name,
        ylabel="share that converges" if labelled else "",
    )
    axes.grid(alpha=0.3)


def _table(spec: Spec, rows: list[Row], intervals: Intervals) -> Table:
    given, lines = spec.content["solvers"]["lsalm"], []
    for name, (all_ten, fast) in intervals.items():
        values = _values(rows, name, given[name])
        share = {x: float(np.mean([converged(row) for row in runs])) for x, runs in values.items()}
        best = max(share, key=lambda x: share[x])
        ends = (min(share), max(share))
        lines.append(
            (name, f"{given[name]:g}", _span(all_ten, ends), _span(fast, ends), f"{100 * share[best]:.1f} % at {best:.3g}")
        )
    header = ("parameter", "baseline", "all ten converge", "within 110 %", "best share of all instances")
    return Table("Intervals around the baseline (* is an end of the grid)", header, tuple(lines))


def _span(found: tuple[float, float] | None, ends: tuple[float, float]) -> str:
    if found is None:
        return "none"
    return " to ".join(f"{x:.3g}{'*' if x in ends else ''}" for x in found)
