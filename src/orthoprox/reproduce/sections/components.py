"""Sparse PCA from a random start: time, iterations, objective and sparsity of four methods."""

from orthoprox.reproduce.comparison import (
    CLOSE,
    METHODS,
    agreeing,
    averages,
    by_chance,
    converged,
    difference,
    examined,
    factor,
    fastest,
    mean,
    over,
    per_iteration,
    printed,
    seconds,
    select,
    shared,
    speeds,
    statement,
)
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

SOLVERS = ("manpg-ada", "soc", "radmm", "lsalm")
_OBJECTIVE, _SPARSITY = 0.02, 0.1  # the relative difference of objectives, and the points of sparsity, that count as agreement

Groups = dict[int, dict[str, list[Row]]]


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the table of the methods, and the comparison of its entries."""
    groups = compared(spec, rows)
    if not groups:
        raise IncompleteError("no size has a run of each of the four methods on the same instance.")
    claims = () if quick else tuple(_claims(spec, rows, groups))
    ahead = [m for m, group in groups.items() if min(SOLVERS, key=lambda name: mean(group[name], "run_cpu_seconds")) == "lsalm"]
    counts = [len(group["lsalm"]) for group in groups.values()]
    repetitions = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    return Section.of(
        spec,
        verdict=f"LSALM is the fastest of the four at {len(ahead)} of {len(groups)} sizes. {agreeing(claims)}".strip(),
        tables=(_table(groups), *(() if quick else (ratios(spec, groups),)), *_slow(rows)),
        claims=claims,
        remarks=(
            f"Averages of {repetitions} repetitions; the paper has 10.",
            "Agreement means: objectives within 2 %, sparsity within .1 points, iterations and ratios of times within a factor "
            "of 1.5, the same method ahead. Times are compared as ratios within one run, never across machines.",
        ),
    )


def compared(spec: Spec, rows: list[Row]) -> Groups:
    """Return for each size that all four methods have solved their rows, on the seeds they
    share.
    """
    groups = {m: shared(rows, SOLVERS, m=m) for m in spec.grid["m"]}
    return {m: group for m, group in groups.items() if group["lsalm"]}


def ratios(spec: Spec, groups: Groups) -> Table:
    """Return the table that splits times over those of LSALM, printed and found, in iterations and
    time per iteration.
    """
    lines = []
    for m, group in groups.items():
        for source, pairs in (("paper", printed(spec, "m", m)), ("here", averages(group))):
            quotients = [over(pairs, name) for name in SOLVERS[:-1]]
            lines.append((str(m), source, *(f"{each:.2f}" for T, count in quotients for each in (T, count, T / count))))
    header = ("m", "source", *(("T", "#I", "T/I") * len(SOLVERS[:-1])))
    above = (("", 2), *((f"{METHODS[name]} over LSALM", 3) for name in SOLVERS[:-1]))
    return Table("T over LSALM's is #I over LSALM's times T/I over LSALM's", header, tuple(lines), above)


def _claims(spec: Spec, rows: list[Row], groups: Groups) -> list[Claim]:
    chosen = [row for row in rows if row["at"]["solver"] in SOLVERS]
    met = sum(map(converged, chosen))
    claims = [
        statement(
            "all methods converge on all instances",
            "yes",
            f"{met} of {len(chosen)}",
            met == len(chosen),
            reason=f"{len(chosen) - met} runs did not converge within the cap.",
        )
    ]
    for m, group in groups.items():
        k = spec.paper["m"].index(m)
        times = {name: mean(group[name], "run_cpu_seconds") for name in SOLVERS}
        claims.append(fastest(f"m = {m}", times, spec.reasons))
        claims += speeds(f"m = {m}", printed(spec, "m", m), group, spec.reasons, spec.paper["repetitions"])
        for name in SOLVERS:
            claims += _entries(
                spec, f"m = {m}: {METHODS[name]}", group[name], {key: v[k] for key, v in spec.paper[name].items()}
            )
    return [*claims, _advantage(spec, groups)] if len(groups) > 1 else claims


def _advantage(spec: Spec, groups: Groups) -> Claim:
    """Compare the times over those of LSALM at the smallest and at the largest size."""
    low, high = min(groups), max(groups)
    ratios = {m: {name: over(averages(groups[m]), name)[0] for name in SOLVERS[:-1]} for m in (low, high)}
    told = ", ".join(f"{METHODS[name]}/LSALM {ratios[low][name]:.1f} to {ratios[high][name]:.1f}" for name in SOLVERS[:-1])
    falling = [name for name in SOLVERS[:-1] if ratios[high][name] <= ratios[low][name]]
    what, reason = f"LSALM's advantage grows with m, from {low} to {high}", spec.reasons["advantage"]
    last, count = groups[high], len(groups[low]["lsalm"])
    base = seconds(last["lsalm"])
    tests = []
    for name in falling:
        chance = by_chance(seconds(last[name]), ratios[low][name], count, base=base, form="{:.2f}", whose="the smallest size's")
        tests.append(f"{METHODS[name]}/LSALM at m = {high}: {chance}")
    return examined(statement(what, "yes", told, not falling, reason=reason), " ".join(tests))


def _entries(spec: Spec, what: str, rows: list[Row], paper: dict[str, float]) -> list[Claim]:
    """Compare the entries of one method at one size."""
    count, objective, sparsity = mean(rows, "iterations"), mean(rows, "objective"), 100 * mean(rows, "sparsity")
    bound, why = abs(_OBJECTIVE * paper["Obj"]), spec.reasons["Obj"]
    chance = by_chance([row["iterations"] for row in rows], paper["I"], spec.paper["repetitions"])
    return [
        examined(factor(f"{what}, iterations", paper["I"], count, CLOSE, form="{:.0f}", reason=spec.reasons["I"]), chance),
        difference(f"{what}, objective", paper["Obj"], objective, bound, reason=why),
        difference(f"{what}, sparsity (%)", paper["S"], sparsity, _SPARSITY, form="{:.2f}", reason=why),
    ]


def _table(groups: Groups) -> Table:
    lines = []
    for m, group in groups.items():
        cells = [str(m)]
        for rows in group.values():
            cells += [f"{mean(rows, 'run_cpu_seconds'):.1f}", f"{mean(rows, 'iterations'):.0f}", f"{per_iteration(rows):.4f}"]
            cells += [f"{mean(rows, 'objective'):.1f}", f"{100 * mean(rows, 'sparsity'):.2f}"]
        lines.append(tuple(cells))
    header = ("m", *(("T (s)", "#I", "T/I (s)", "Obj", "S (%)") * len(SOLVERS)))
    above = (("", 1), *((METHODS[name], 5) for name in SOLVERS))
    return Table("Sparse PCA from a random start, n = m/2, averages", header, tuple(lines), above)


def _slow(rows: list[Row]) -> list[Table]:
    """Return the runs of PAMAL, if some were made."""
    lines = []
    for row in select(rows, solver="pamal"):
        other = select(rows, solver="lsalm", m=row["at"]["m"], seed=row["at"]["seed"])
        ratio = f"{row['run_cpu_seconds'] / other[0]['run_cpu_seconds']:.1f}" if other else "-"
        cells = (str(row["at"]["m"]), f"{row['run_cpu_seconds']:.1f}", ratio, str(row["iterations"]), f"{row['objective']:.1f}")
        lines.append((*cells, row["status"].lower()))
    header = ("m", "T (s)", "T over that of LSALM", "#I", "Obj", "status")
    title = "PAMAL, one run (the paper leaves it out as too slow: 2242 s at m = 800, 55 times LSALM)"
    return [Table(title, header, tuple(lines))] if lines else []
