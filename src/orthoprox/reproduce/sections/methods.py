"""All methods for nonsmooth problems from one start: the certificate against time."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from orthoprox.reproduce.comparison import METHODS, select
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import IncompleteError, Section
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

PROBLEMS = {"five_components": "Sparse PCA", "compressed_modes": "Compressed modes"}
_FAMILIES = {  # a colour for each family of methods, and shades of it for its members
    ("adaptive", "lsalm"): ("#000000", "#8c8c8c"),
    ("manpg", "manpg-ada", "amanpg", "rpg"): ("#1338be", "#1e90ff", "#7ab8ff", "#00b7c7"),
    ("soc", "pamal", "radmm", "madmm"): ("#0b6623", "#2eb82e", "#93c83d", "#b5a800"),
    ("manial", "mialm", "almssn"): ("#9b0f2e", "#ff2d2d", "#ff9d3b"),
    ("smoothing-rgd", "rsm", "dissolving"): ("#6a0dad", "#b57edc", "#ff5fbf"),
}
_OTHER = "#7a5230"  # for methods of no family
_STYLES = ("-", "--", "-.", ":")  # within a family
_MARKERS = ("o", "s", "^", "D")
_APART = 9  # measurements between two marks
_ROUGH, _FINE = 1e-4, 1e-6  # certificates whose times are told


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the curves and what each method reached."""
    shown = {data: select(rows, data=data) for data in spec.grid["data"]}
    shown = {data: _ordered(spec, found) for data, found in shown.items() if found}
    if not shown:
        raise IncompleteError("no method has a run.")
    limit = spec.content["stop"]["seconds"]
    return Section.of(
        spec,
        verdict=" ".join(_sentence(data, found, limit) for data, found in shown.items()),
        figures={spec.id: _figure(shown)},
        captions={
            spec.id: "The best certificate so far against processor time, both logarithmic. Methods of one family have shades "
            "of one colour; the mark is where a run ended."
        },
        tables=tuple(_table(data, found) for data, found in shown.items()),
        remarks=tuple(spec.reasons.values()),
    )


def _ordered(spec: Spec, rows: Iterable[Row]) -> list[Row]:
    order = list(spec.content["solvers"])
    return sorted(rows, key=lambda row: order.index(row["at"]["solver"]))


def _sentence(data: str, rows: Sequence[Row], limit: float) -> str:
    """Return how many methods reach the fine certificate, and which one is the first."""
    times = {METHODS[row["at"]["solver"]]: time_to(row, _FINE) for row in rows}
    met = {name: time for name, time in times.items() if time is not None}
    told = f"{PROBLEMS[data]}: {len(met)} of {len(rows)} methods reach a certificate of {_FINE:g} within {limit:g} s"
    if not met:
        return f"{told}."
    first = min(met, key=lambda name: met[name])
    return f"{told}, {first} first, in {met[first]:.2g} s."


def best(row: Row) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the best certificate up to each measurement."""
    return np.minimum.accumulate([np.inf if value is None else value for value in row["certificates"]])


def time_to(row: Row, tol: float) -> float | None:
    """Return the processor time until a certificate was reached, if it was."""
    reached = np.flatnonzero(best(row) <= tol)
    return float(row["at_run_cpu_seconds"][reached[0]]) if reached.size else None


def _table(data: str, rows: Sequence[Row]) -> Table:
    header = ("method", "certificate", f"s to {_ROUGH:g}", f"s to {_FINE:g}", "s in all", "#I", "Obj", "end")
    return Table(f"{PROBLEMS[data]}: what each method reached", header, tuple(map(_cells, rows)))


def _cells(row: Row) -> tuple[str, ...]:
    times = (time_to(row, _ROUGH), time_to(row, _FINE), row["at_run_cpu_seconds"][-1])
    seconds = ("-" if time is None else f"{time:.2f}" for time in times)
    objective = row["projected_objective"]
    value = "-" if objective is None else f"{objective:.3f}"
    method = METHODS[row["at"]["solver"]]
    return (method, f"{best(row)[-1]:.0e}", *seconds, str(row["iterations"]), value, row["status"].lower())


def _figure(shown: dict[str, list[Row]]) -> Figure:
    figure = Figure(figsize=(13, 5.6), layout="constrained")
    panels = figure.subplots(1, len(shown), squeeze=False)[0]
    for axes, (data, rows) in zip(panels, shown.items(), strict=True):
        for row in rows:
            _draw(axes, row)
        axes.set(xscale="log", yscale="log", xlabel="processor seconds", title=PROBLEMS[data])
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("certificate")
    handles = {label: line for axes in panels for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    names = [name for name in METHODS.values() if name in handles]
    figure.legend([handles[name] for name in names], names, loc="outside right center", handlelength=3.5)
    return figure


def _draw(axes: Axes, row: Row) -> None:
    """Draw the curve of one run, from its first step on, with marks on the way and a larger one at
    its end.
    """
    name = row["at"]["solver"]
    family = next((family for family in _FAMILIES if name in family), (name,))
    k = family.index(name)
    first = min(1, len(row["at_run_cpu_seconds"]) - 1)
    seconds, certificates = row["at_run_cpu_seconds"][first:], best(row)[first:]
    colour, mark = _FAMILIES.get(family, (_OTHER,))[k], _MARKERS[k]
    axes.plot(
        seconds,
        certificates,
        color=colour,
        linestyle=_STYLES[k],
        linewidth=2.5 if name == "adaptive" else 1.5,
        marker=mark,
        markersize=4,
        markevery=(2 * k, _APART),
        label=METHODS[name],
    )
    axes.plot(seconds[-1:], certificates[-1:], color=colour, marker=mark, markersize=8, markeredgecolor="white", zorder=3)
