"""How beta changes the number of iterations of LSALM."""

import numpy as np
from matplotlib.figure import Figure

from orthoprox.reproduce.comparison import agreeing, by, converged, difference, mean, statement, trapped
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.spec import Spec

_LOW = 0.1  # below, runs may be too slow for the cap; thresholds are looked for above


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return iterations and shares of convergence against beta."""
    size, cap = spec.paper["instances"], spec.content["stop"]["max_iterations"]
    runs = by(rows, lambda at: (at["seed"] // size, at["beta"]))
    grid = [x for x in spec.varied("beta") if len(runs.get((0, x), ())) == size]
    if len(grid) < 2:
        raise IncompleteError(f"seeds 0 to {size - 1} need runs at two values of beta or more.")
    complete = [k for k in sorted({k for k, _ in runs}) if all(len(runs.get((k, x), ())) == size for x in grid)]
    groups = {k: [row for x in grid for row in runs[k, x]] for k in complete}
    thresholds = {k: _threshold(group, grid) for k, group in groups.items()}
    ten = by(groups[0], lambda at: at["beta"])
    average = {x: mean(ten[x], "iterations") for x in grid if all(map(converged, ten[x]))}
    share = {x: float(np.mean([converged(row) for k in complete for row in runs[k, x]])) for x in grid}
    claims = tuple(_claims(spec, average, share, thresholds))
    limit = thresholds[0]
    beyond = f"All ten instances converge up to beta = {grid[-1] if limit is None else limit:g}"
    return Section.of(
        spec,
        verdict=f"{beyond}; the paper's threshold is {spec.paper['threshold']:g}. {agreeing(claims)}",
        figures={spec.id: _figure(spec, average, share, thresholds, grid=grid, cap=cap)},
        captions={
            spec.id: "Left: the average iterations of seeds 0 to 9 where all ten converge. Right: the share of all instances "
            f"that converge, and for how many of {len(groups)} groups of ten every beta from .1 up to there succeeds. Not "
            f"converged means {cap:,} iterations or |X|_F > 1e6; runs that stand still end early."
        },
        claims=claims,
        remarks=(trapped(rows),),
    )


def _threshold(rows: list[Row], grid: list[float]) -> float | None:
    """Return the last beta before the first one from .1 on at which an instance does not converge;
    None if all do.
    """
    runs = by(rows, lambda at: at["beta"])
    tried = [x for x in grid if x >= _LOW]
    bad = next((k for k, x in enumerate(tried) if not all(map(converged, runs[x]))), None)
    return None if bad is None else tried[bad - 1] if bad else 0.0


def _claims(
    spec: Spec, average: dict[float, float], share: dict[float, float], thresholds: dict[int, float | None]
) -> list[Claim]:
    claims = []
    if len(average) > 1:
        low, high = min(x for x in average if x >= min(_LOW, max(average))), max(average)
        here = f"{average[low]:.0f} iterations at {low:g}, {average[high]:.0f} at {high:g}"
        reason = "Where all ten converge, the average does not fall."
        claims.append(statement("a larger beta is faster", "yes", here, average[high] < average[low], reason=reason))
    paper, top = spec.paper["threshold"], max(share)
    limits = {k: top if x is None else x for k, x in thresholds.items()}
    lowest, highest = min(limits.values()), max(limits.values())
    spread = f"from {f'{lowest:g}' if lowest else f'below {_LOW:g}'} to {highest:g}"
    spread += " (the end of the grid)" if highest == top else ""
    sentence = f"In {len(limits)} groups of ten instances this beta ranges {spread}. {spec.reasons['threshold']}"
    what = "the largest beta up to which all ten instances converge"
    claims.append(difference(what, paper, limits[0], 0.02, form="{:.2f}", reason=sentence))
    beyond = [x for x in share if x > paper]
    if beyond:
        near = min(beyond, key=lambda x: abs(x - paper - 0.05))
        here = f"{100 * share[near]:.0f} % still converge at beta = {near:g}"
        what = "beyond the threshold LSALM fails in all instances"
        claims.append(statement(what, "all fail", here, share[near] == 0, reason=sentence))
    return claims


def _figure(
    spec: Spec,
    average: dict[float, float],
    share: dict[float, float],
    thresholds: dict[int, float | None],
    *,
    grid: list[float],
    cap: int,
) -> Figure:
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    line = [average.get(x, np.nan) for x in grid]
    left.plot(grid, line, marker=".", label="average where all ten converge")
    left.set(yscale="log", xlabel="beta", ylabel="iterations", title="Seeds 0 to 9")
    passing = [np.mean([limit is None or limit >= x for limit in thresholds.values()]) for x in grid]
    right.plot(grid, [share[x] for x in grid], label="instances that converge")
    right.plot(grid, np.where(np.array(grid) >= _LOW, passing, np.nan), label="groups of ten that never failed so far")
    right.set(xlabel="beta", ylim=(-0.03, 1.03), title="Shares of all instances")
    for axes in (left, right):
        axes.axvline(spec.paper["threshold"], color="black", linestyle=":", linewidth=1, label="the paper's threshold")
        axes.grid(alpha=0.3)
        axes.legend()
    figure.suptitle(f"Not converged: {cap:,} iterations or |X|_F > 1e6", fontsize="medium")
    return figure
