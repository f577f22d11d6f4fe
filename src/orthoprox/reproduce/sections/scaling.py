"""How the times of sparse PCA grow with its size."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from orthoprox.reproduce.comparison import METHODS, agreeing, by_chance, difference, examined, mean, per_iteration, statement
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.sections.components import SOLVERS, Groups, compared
from orthoprox.reproduce.spec import Spec, load
from orthoprox.reproduce.table import Table

_QUANTITIES = {"T": "time", "T/I": "time per iteration"}
_FITTED = {**_QUANTITIES, "I": "iterations"}
_SLOPES = 0.6  # the difference of two slopes that counts as agreement

Curves = dict[str, dict[str, list[float]]]  # of each quantity and method
Slopes = dict[tuple[str, str], float]


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return times against m with fitted slopes."""
    source = load(str(spec.uses), quick=quick)
    groups, paper = compared(source, rows), source.paper
    sizes = list(groups)
    if len(sizes) < 2:
        raise IncompleteError("a slope needs two sizes or more.")
    groups = _complete(groups)
    counts = sorted({len(group["lsalm"]) for group in groups.values()})
    told = " to ".join(map(str, counts[:: max(1, len(counts) - 1)]))
    here: Curves = {
        "T": {name: [mean(group[name], "run_cpu_seconds") for group in groups.values()] for name in SOLVERS},
        "T/I": {name: [per_iteration(group[name]) for group in groups.values()] for name in SOLVERS},
        "I": {name: [mean(group[name], "iterations") for group in groups.values()] for name in SOLVERS},
    }
    slopes = {(kind, name): slope(sizes, values) for kind, curves in here.items() for name, values in curves.items()}
    theirs = _printed(paper, [m for m in sizes if m in paper["m"]])
    claims = () if quick else tuple(_claims(spec, here, (slopes, theirs), sizes, _by_seed(groups)))
    return Section.of(
        spec,
        verdict=agreeing(claims) or f"Times at {len(sizes)} sizes.",
        figures={spec.id: _figure(sizes, here, slopes)},
        captions={
            spec.id: f"Processor time with one thread, averages of {told} instances at m = "
            f"{', '.join(map(str, sizes))}; lines are fitted."
        },
        tables=(_table(slopes, theirs, _printed(paper, paper["m"])),),
        claims=claims,
        remarks=(
            "Agreement means: exponents that differ by at most .6.",
            "The exponent of the time is that of the iterations plus that of the time per iteration.",
            f"The averages are over the {told} instances that have all sizes.",
        ),
    )


def _printed(paper: Mapping[str, Any], sizes: list[int]) -> Slopes:
    """Return the exponents of the paper's printed times at some sizes."""
    places = [paper["m"].index(m) for m in sizes]
    T, count = ({name: [paper[name][key][k] for k in places] for name in SOLVERS} for key in ("T", "I"))
    TI = {name: [t / i for t, i in zip(T[name], count[name], strict=True)] for name in SOLVERS}
    curves = {"T": T, "T/I": TI, "I": count}
    return {(kind, name): slope(sizes, curves[kind][name]) for kind in _FITTED for name in SOLVERS}


def slope(sizes: list[int], values: list[float]) -> float:
    """Return the exponent a of the fit  value = c m^a."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0]) if len(sizes) > 1 else float("nan")


def _seeds(groups: Groups) -> set[int]:
    """Return the seeds that have runs at all sizes."""
    return set.intersection(*({row["at"]["seed"] for row in group["lsalm"]} for group in groups.values()))


def _complete(groups: Groups) -> Groups:
    """Return the rows of the instances that have all sizes, so that none of the fitted points is an
    average of others; all rows if there are no such instances.
    """
    seeds = _seeds(groups)
    kept = {
        m: {name: [row for row in rows if row["at"]["seed"] in seeds] for name, rows in group.items()}
        for m, group in groups.items()
    }
    return kept if seeds else groups


def _by_seed(groups: Groups) -> dict[tuple[str, str], list[float]]:
    """Return the exponents of each seed that has runs at all sizes."""
    seeds = _seeds(groups)
    found: dict[tuple[str, str], list[float]] = {(kind, name): [] for kind in _QUANTITIES for name in SOLVERS}
    for seed in sorted(seeds):
        for name in SOLVERS:
            own = [[row for row in group[name] if row["at"]["seed"] == seed] for group in groups.values()]
            found["T", name].append(slope(list(groups), [mean(rows, "run_cpu_seconds") for rows in own]))
            found["T/I", name].append(slope(list(groups), [per_iteration(rows) for rows in own]))
    return found


def _claims(
    spec: Spec, here: Curves, fitted: tuple[Slopes, Slopes], sizes: list[int], by_seed: Mapping[tuple[str, str], list[float]]
) -> list[Claim]:
    slopes, theirs = fitted
    repetitions = load(str(spec.uses)).paper["repetitions"]
    claims = []
    for kind, title in _QUANTITIES.items():
        least = [min(SOLVERS, key=lambda name, k=k, kind=kind: here[kind][name][k]) for k in range(len(sizes))]  # type: ignore[misc]
        told = ", ".join(f"{METHODS[name]} at {m}" for m, name in zip(sizes, least, strict=True))
        what = f"LSALM has the least {title} at all m"
        claims.append(statement(what, "yes", told, set(least) == {"lsalm"}, reason=spec.reasons["slopes"]))
        for name in SOLVERS:
            what = f"{title}, exponent of {METHODS[name]}"
            mine, other, own = slopes[kind, name], theirs[kind, name], by_seed[kind, name]
            chance = by_chance(own, other, repetitions, form="{:.2f}")
            test = f"{_parts(slopes, theirs, name)}; {chance}" if kind == "T" else chance
            claim = difference(what, other, mine, _SLOPES, form="{:.2f}", reason=spec.reasons["slopes"])
            claims.append(examined(claim, test))
    order = sorted(SOLVERS, key=lambda name: slopes["T", name])
    told = " < ".join(f"{METHODS[name]} {slopes['T', name]:.2f}" for name in order)
    lowest = order[0] == "lsalm"
    return [*claims, statement("LSALM's time has the lowest exponent", "yes", told, lowest, reason=spec.reasons["slopes"])]


def _parts(slopes: Slopes, theirs: Slopes, name: str) -> str:
    """Return how much of the exponent of a time comes of the iterations."""
    here, paper = (f"{s['I', name]:.2f} + {s['T/I', name]:.2f}" for s in (slopes, theirs))
    return f"of the iterations and of the time per iteration come {here} here, {paper} in the paper"


def _table(slopes: Slopes, theirs: Slopes, all_sizes: Slopes) -> Table:
    columns = {"paper": theirs, "here": slopes}
    if theirs != all_sizes:
        columns = {"paper, all sizes": all_sizes, "paper, our sizes": theirs, "here": slopes}
    lines = [(METHODS[name], *(_exponent(c[kind, name]) for kind in _FITTED for c in columns.values())) for name in SOLVERS]
    groups = (("", 1), *((title, len(columns)) for title in _FITTED.values()))
    header = ("method", *(tuple(columns) * len(_FITTED)))
    return Table("Fitted exponents of m; the paper's time per iteration is its T over its #I", header, tuple(lines), groups)


def _exponent(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "-"


def _figure(sizes: list[int], here: Curves, slopes: Slopes) -> Figure:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    for axes, (kind, title) in zip(figure.subplots(1, 2), _QUANTITIES.items(), strict=True):
        for k, name in enumerate(SOLVERS):
            values, exponent = np.array(here[kind][name]), slopes[kind, name]
            axes.plot(
                sizes,
                values,
                "o",
                color=f"C{k}",
                label=METHODS[name] + (f", m^{exponent:.2f}" if np.isfinite(exponent) else ""),
            )
            if len(sizes) > 1:
                center = np.exp(np.mean(np.log(values)) - exponent * np.mean(np.log(sizes)))
                axes.plot(sizes, center * np.array(sizes, dtype=float) ** exponent, color=f"C{k}", linewidth=1)
        axes.set(xscale="log", yscale="log", xlabel="m", ylabel="seconds", title=title.capitalize())
        axes.set_xticks(sizes, labels=[str(m) for m in sizes])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend()
    return figure
