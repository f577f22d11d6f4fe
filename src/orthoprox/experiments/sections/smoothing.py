"""How beta changes the number of iterations of LSALM."""

import numpy as np
from matplotlib.figure import Figure

from orthoprox.experiments.comparison import agreeing, by, converged, difference, mean, once, select, statement
from orthoprox.experiments.ledger import Row
from orthoprox.experiments.section import Claim, Section
from orthoprox.experiments.spec import Spec

_LOW = 0.1  # below, runs may be too slow for the cap; thresholds are looked for above


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return iterations and shares of convergence against beta."""
    size, cap = spec.paper["instances"], spec.content["stop"]["max_iterations"]
    grid = [x for x in spec.varied("beta") if select(rows, beta=x)]
    groups = by(rows, lambda at: at["seed"] // size)
    thresholds = {k: _threshold(group, grid) for k, group in groups.items()}
    ten = by(groups[0], lambda at: at["beta"])
    average = {x: mean(ten[x], "iterations") for x in grid if all(map(converged, ten[x]))}
    share = {x: float(np.mean([converged(row) for row in runs])) for x, runs in by(rows, lambda at: at["beta"]).items()}
    claims = once(_claims(spec, average, share, thresholds, len(groups)))
    first = thresholds[0]
    beyond = "none of them below 1" if first is None else f"the first fails at beta = {first:g}"
    return Section(
        spec.id,
        spec.title,
        spec.reference,
        spec.about,
        verdict=f"Of the ten instances {beyond}; the paper's threshold is .49. {agreeing(claims)}",
        figures={spec.id: _figure(spec, average, share, thresholds, grid, cap)},
        captions={
            spec.id: "Left: the average iterations of seeds 0 to 9 where all ten converge. Right: the share of all instances "
            f"that converge, and for how many of {len(groups)} groups of ten every beta from .1 up to there succeeds. Not "
            f"converged means {cap:,} iterations or |X|_F > 1e6."
        },
        claims=claims,
    )


def _threshold(rows: list[Row], grid: list[float]) -> float | None:
    """Return the first beta from .1 on at which not all of the instances converge."""
    runs = by(rows, lambda at: at["beta"])
    return next((x for x in grid if x >= _LOW and not all(map(converged, runs[x]))), None)


def _claims(
    spec: Spec, average: dict[float, float], share: dict[float, float], thresholds: dict[int, float | None], groups: int
) -> list[Claim]:
    claims = []
    if len(average) > 1:
        low, high = min(x for x in average if x >= min(_LOW, max(average))), max(average)
        here = f"{average[low]:.0f} iterations at {low:g}, {average[high]:.0f} at {high:g}"
        claims.append(statement("a larger beta is faster", "yes", here, average[high] < average[low]))
    paper, first = spec.paper["threshold"], thresholds[0]
    limit = 1.0 if first is None else first
    spread = sorted(1.0 if x is None else x for x in thresholds.values())
    sentence = (
        f"In {groups} groups of ten the first failing beta ranges from {spread[0]:g} to "
        f"{'beyond 1' if spread[-1] == 1 else format(spread[-1], 'g')}. {spec.reasons['threshold']}"
    )
    claims.append(difference("beta beyond which not all ten converge", paper, limit, 0.02, form="{:.2f}", reason=sentence))
    near = min((x for x in share if x > paper), key=lambda x: abs(x - paper - 0.05))
    here = f"{100 * share[near]:.0f} % still converge at beta = {near:g}"
    claims.append(
        statement("beyond the threshold LSALM fails in all instances", "all fail", here, share[near] == 0, reason=sentence)
    )
    return claims


def _figure(
    spec: Spec,
    average: dict[float, float],
    share: dict[float, float],
    thresholds: dict[int, float | None],
    grid: list[float],
    cap: int,
) -> Figure:
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    line = [average.get(x, np.nan) for x in grid]
    left.plot(grid, line, marker=".", label="average where all ten converge")
    left.set(yscale="log", xlabel="beta", ylabel="iterations", title="Seeds 0 to 9")
    passing = [np.mean([limit is None or limit > x for limit in thresholds.values()]) for x in grid]
    right.plot(grid, [share[x] for x in grid], label="instances that converge")
    right.plot(grid, np.where(np.array(grid) >= _LOW, passing, np.nan), label="groups of ten that never failed so far")
    right.set(xlabel="beta", ylim=(-0.03, 1.03), title=f"Shares; not converged: {cap:,} iterations or |X|_F > 1e6")
    for axes in (left, right):
        axes.axvline(spec.paper["threshold"], color="black", linestyle=":", linewidth=1, label="the paper's threshold")
        axes.grid(alpha=0.3)
        axes.legend()
    return figure
