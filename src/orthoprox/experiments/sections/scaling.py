"""How the times of sparse PCA grow with its size."""

import numpy as np
from matplotlib.figure import Figure

from orthoprox.experiments.comparison import METHODS, difference, mean, once, per_iteration, select, statement
from orthoprox.experiments.ledger import Row
from orthoprox.experiments.section import Claim, Section
from orthoprox.experiments.sections.components import SOLVERS, complete_sizes
from orthoprox.experiments.spec import Spec, load
from orthoprox.experiments.table import Table

_QUANTITIES = {"T": "time", "TI": "time per iteration"}
_SLOPES = 0.6  # the difference of two slopes that counts as agreement

Curves = dict[str, dict[str, list[float]]]


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return times against m with fitted slopes."""
    source = load(str(spec.uses), quick=quick)
    sizes, paper = complete_sizes(source, rows), source.paper
    here: Curves = {"T": {}, "TI": {}}
    for name in SOLVERS:
        groups = [select(rows, m=m, solver=name) for m in sizes]
        here["T"][name] = [mean(group, "cpu_seconds") for group in groups]
        here["TI"][name] = [per_iteration(group) for group in groups]
    slopes = {(kind, name): slope(sizes, values) for kind, curves in here.items() for name, values in curves.items()}
    common = [m for m in sizes if m in paper["m"]]
    places = [paper["m"].index(m) for m in common]
    theirs = {
        (kind, name): slope(common, [paper[name][kind][k] for k in places]) if common else np.nan for kind, name in slopes
    }
    flattest = min(SOLVERS, key=lambda name: slopes["T", name])
    return Section(
        spec.id,
        spec.title,
        spec.reference,
        spec.about,
        verdict=f"{METHODS[flattest]}'s time grows most slowly, like m^{slopes['T', flattest]:.1f} over {len(sizes)} sizes."
        if len(sizes) > 1
        else "A slope needs two sizes or more.",
        figures={spec.id: _figure(sizes, here, slopes)},
        captions={spec.id: f"Processor time with one thread, averages at m = {', '.join(map(str, sizes))}; lines are fitted."},
        tables=(_table(slopes, theirs),),
        claims=() if quick or len(common) < 2 else once(_claims(spec, here, slopes, theirs, sizes)),
    )


def slope(sizes: list[int], values: list[float]) -> float:
    """Return the exponent a of the fit  value = c m^a."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0]) if len(sizes) > 1 else float("nan")


def _claims(
    spec: Spec, here: Curves, slopes: dict[tuple[str, str], float], theirs: dict[tuple[str, str], float], sizes: list[int]
) -> list[Claim]:
    claims = []
    for kind, title in _QUANTITIES.items():
        lowest = [min(SOLVERS, key=lambda name, k=k, kind=kind: here[kind][name][k]) for k in range(len(sizes))]  # type: ignore[misc]
        told = ", ".join(f"{METHODS[name]} at {m}" for m, name in zip(sizes, lowest, strict=True))
        claims.append(statement(f"LSALM has the least {title} at all m", "yes", told, set(lowest) == {"lsalm"}))
        for name in SOLVERS:
            what = f"{title}, exponent of {METHODS[name]}"
            mine, other = slopes[kind, name], theirs[kind, name]
            claims.append(difference(what, other, mine, _SLOPES, form="{:.2f}", reason=spec.reasons["slopes"]))
    return claims


def _table(slopes: dict[tuple[str, str], float], theirs: dict[tuple[str, str], float]) -> Table:
    lines = [
        (METHODS[name], *(_exponent(table[kind, name]) for kind in _QUANTITIES for table in (theirs, slopes)))
        for name in SOLVERS
    ]
    groups = (("", 1), *((title, 2) for title in _QUANTITIES.values()))
    return Table("Fitted exponents of m", ("method", "paper", "here", "paper", "here"), tuple(lines), groups)


def _exponent(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "-"


def _figure(sizes: list[int], here: Curves, slopes: dict[tuple[str, str], float]) -> Figure:
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
