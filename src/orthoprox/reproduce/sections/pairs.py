"""Which pairs of r and beta let LSALM converge."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from orthoprox.reproduce.comparison import agreeing, converged, statement, trapped
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.spec import Spec

Grid = NDArray[np.float64]


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the maps of convergence."""
    cap, r, beta = spec.content["stop"]["max_iterations"], spec.varied("r"), spec.varied("beta")
    total = len(spec.grid["seed"])
    places = {(x, y): (i, j) for j, x in enumerate(r) for i, y in enumerate(beta)}
    made, counts, sums = np.zeros((3, len(beta), len(r)))
    for row in rows:
        place = places[row["at"]["r"], row["at"]["beta"]]
        made[place] += 1
        counts[place] += converged(row)
        sums[place] += row["iterations"] if converged(row) else 0
    if not np.any(made == total):
        raise IncompleteError(f"no pair of r and beta has runs on all {total} instances.")
    counts = np.where(made == total, counts, np.nan)
    with np.errstate(invalid="ignore"):
        average = np.where(counts == total, sums / counts, np.nan)
    green = float(np.sum(counts == total) / np.sum(made == total))
    claims = tuple(_claims(spec, counts == total, average, r, beta) if np.all(made == total) else ())
    return Section.of(
        spec,
        verdict=f"All instances converge on {100 * green:.0f} % of the map. {agreeing(claims)}",
        figures={spec.id: _figure(counts, total, r, beta, cap)},
        captions={
            spec.id: f"Left: green where all {total} instances converge, blue where at least one does not. Right: how many do. "
            f"Not converged means {cap:,} iterations or |X|_F > 1e6 (runs that stand still end early); with a smaller cap "
            "the slow corner at large r turns blue."
        },
        claims=claims,
        remarks=(
            f"{sum(map(converged, rows))} of {len(rows)} runs converge. {trapped(rows)} The paper explains the limit of beta "
            "by its theoretical bound; these runs show what happens beyond it.",
        ),
    )


def _claims(spec: Spec, green: NDArray[np.bool_], average: Grid, r: list[float], beta: list[float]) -> list[Claim]:
    largest = [_largest(green[:, j], beta) for j in range(len(r))]
    shown = [int(k) for k in np.linspace(0, len(r) - 1, 5)]
    told = ", ".join(f"{largest[j]:g} at r = {r[j]:g}" if largest[j] else f"none at r = {r[j]:g}" for j in shown)
    steps = np.diff(largest)
    drops, rises = int(np.sum(steps < 0)), int(np.sum(steps > 0))
    grows = largest[-1] > largest[0] and rises > 2 * drops
    reason = f"The largest beta that all instances allow falls {drops} times and rises {rises} times as r grows."
    here = f"{told}; {rises} rises, {drops} drops"
    claims = [statement("the largest allowed beta grows with r", "yes", here, bool(grows), reason=reason)]
    common = np.nonzero(np.isfinite(average[0]))[0]
    if common.size > 1:
        low, high = common[0], common[-1]
        here = (
            f"beta = {beta[0]:g}: {average[0, low]:.0f} iterations at r = {r[low]:g}, {average[0, high]:.0f} at r = {r[high]:g}"
        )
        slower = bool(average[0, high] > average[0, low])
        claims.append(statement("a larger r is slower", "yes", here, slower, reason="The smallest beta shows no such trend."))
    full = np.nonzero(np.isfinite(average[0]) & np.isfinite(average[-1]))[0]
    if full.size:
        j = full[-1]
        here = f"r = {r[j]:g}: {average[0, j]:.0f} iterations at beta = {beta[0]:g}, {average[-1, j]:.0f} at {beta[-1]:g}"
        faster = bool(average[-1, j] < average[0, j])
        behind = int(np.sum(average[-1, full] > average[0, full]))
        test = f"Tested: of the {full.size} values of r that allow both, the largest beta is slower at {behind}."
        claims.append(statement("a larger beta is faster", "yes", here, faster, reason=f"{spec.reasons['faster']} {test}"))
    return claims


def _largest(good: NDArray[np.bool_], beta: list[float]) -> float:
    """Return the last beta before the first one that fails; 0 if that is the first."""
    bad = np.nonzero(~good)[0]
    return beta[-1] if bad.size == 0 else 0.0 if bad[0] == 0 else beta[bad[0] - 1]


def _figure(counts: Grid, total: int, r: list[float], beta: list[float], cap: int) -> Figure:
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    blue_green = ListedColormap(["tab:blue", "tab:green"])
    left.pcolormesh(
        r,
        beta,
        np.where(np.isnan(counts), np.nan, counts == total),
        cmap=blue_green,
        vmin=0,
        vmax=1,
        shading="nearest",
        rasterized=True,
    )
    left.set(xlabel="r", ylabel="beta", title=f"All {total} instances converge (green)")
    image = right.pcolormesh(r, beta, counts, cmap="viridis", vmin=0, vmax=total, shading="nearest", rasterized=True)
    right.set(xlabel="r", ylabel="beta", title="Number of instances that converge")
    figure.colorbar(image, ax=right)
    figure.suptitle(f"Not converged: {cap:,} iterations or |X|_F > 1e6", fontsize="medium")
    return figure
