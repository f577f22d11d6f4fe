"""Sparse PCA from a random start: time, iterations, objective and sparsity of four methods."""

from orthoprox.experiments.comparison import (
    METHODS,
    agreeing,
    converged,
    difference,
    factor,
    fastest,
    mean,
    once,
    per_iteration,
    select,
    speed,
)
from orthoprox.experiments.ledger import Row
from orthoprox.experiments.section import Claim, Section
from orthoprox.experiments.spec import Spec
from orthoprox.experiments.table import Table

SOLVERS = ("manpg-ada", "soc", "radmm", "lsalm")
_OBJECTIVE, _SPARSITY, _ITERATIONS = 0.02, 0.1, 1.5  # what counts as agreement


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the table of the methods, and the comparison of its entries."""
    sizes = complete_sizes(spec, rows)
    groups = {(m, name): select(rows, m=m, solver=name) for m in sizes for name in SOLVERS}
    claims = () if quick else once(_claims(spec, groups, sizes))
    ahead = [m for m in sizes if min(SOLVERS, key=lambda name: mean(groups[m, name], "cpu_seconds")) == "lsalm"]
    repetitions = sorted({len(group) for group in groups.values()})
    failed = sum(not converged(row) for row in rows)
    return Section(
        spec.id,
        spec.title,
        spec.reference,
        spec.about,
        verdict=f"LSALM is the fastest of the four at {len(ahead)} of {len(sizes)} sizes. {agreeing(claims)}".strip(),
        tables=(_table(groups, sizes), *_slow(rows)),
        claims=claims,
        remarks=(
            f"Averages of {' to '.join(map(str, repetitions))} repetitions; the paper has 10.",
            f"{failed} of {len(rows)} runs did not converge.",
            "Agreement means: objectives within 2 %, sparsity within .1 points, iterations and ratios "
            "of times within a factor of 1.5, the same method ahead. Times are compared as ratios within one run, never across "
            "machines.",
        ),
    )


def complete_sizes(spec: Spec, rows: list[Row]) -> list[int]:
    """Return the sizes at which all methods have rows."""
    return [m for m in spec.grid["m"] if all(select(rows, m=m, solver=name) for name in SOLVERS)]


def _claims(spec: Spec, groups: dict[tuple[int, str], list[Row]], sizes: list[int]) -> list[Claim]:
    claims = []
    for m in sizes:
        k = spec.paper["m"].index(m)
        times = {name: mean(groups[m, name], "cpu_seconds") for name in SOLVERS}
        if m >= spec.paper["fastest_from"]:
            claims.append(fastest(f"m = {m}", times, "lsalm"))
        for name in SOLVERS[:-1]:
            paper = spec.paper[name]["T"][k] / spec.paper["lsalm"]["T"][k]
            what = f"m = {m}: time, {METHODS[name]}/LSALM"
            claims.append(speed(what, paper, times[name] / times["lsalm"], reason=spec.reasons[name]))
        for name in SOLVERS:
            rows, paper = groups[m, name], spec.paper[name]
            what = f"m = {m}: {METHODS[name]}"
            iterations = mean(rows, "iterations")
            claims.append(
                factor(f"{what}, iterations", paper["I"][k], iterations, _ITERATIONS, form="{:.0f}", reason=spec.reasons["I"])
            )
            bound = abs(_OBJECTIVE * paper["Obj"][k])
            objective = mean(rows, "objective")
            claims.append(difference(f"{what}, objective", paper["Obj"][k], objective, bound, reason=spec.reasons["Obj"]))
            sparsity = 100 * mean(rows, "sparsity")
            claims.append(
                difference(
                    f"{what}, sparsity (%)", paper["S"][k], sparsity, _SPARSITY, form="{:.2f}", reason=spec.reasons["Obj"]
                )
            )
    return claims


def _table(groups: dict[tuple[int, str], list[Row]], sizes: list[int]) -> Table:
    lines = []
    for m in sizes:
        cells = [str(m)]
        for name in SOLVERS:
            rows = groups[m, name]
            cells += [f"{mean(rows, 'cpu_seconds'):.1f}", f"{mean(rows, 'iterations'):.0f}", f"{per_iteration(rows):.4f}"]
            cells += [f"{mean(rows, 'objective'):.1f}", f"{100 * mean(rows, 'sparsity'):.2f}"]
        lines.append(tuple(cells))
    header = ("m", *(("T (s)", "#I", "T/I (s)", "Obj", "S (%)") * len(SOLVERS)))
    above = (("", 1), *((METHODS[name], 5) for name in SOLVERS))
    return Table("Sparse PCA from a random start, n = m/2, averages", header, tuple(lines), above)


def _slow(rows: list[Row]) -> list[Table]:
    """Return the single run of PAMAL, if it was made."""
    lines = []
    for row in select(rows, solver="pamal"):
        (other,) = select(rows, solver="lsalm", m=row["at"]["m"], seed=row["at"]["seed"]) or [row]
        times = f"{row['cpu_seconds']:.1f}", f"{other['cpu_seconds']:.1f}"
        lines.append((str(row["at"]["m"]), *times, str(row["iterations"]), f"{row['objective']:.1f}", row["status"].lower()))
    header = ("m", "T (s)", "T of LSALM (s)", "#I", "Obj", "status")
    return [Table("PAMAL, one run (the paper leaves it out as too slow)", header, tuple(lines))] if lines else []
