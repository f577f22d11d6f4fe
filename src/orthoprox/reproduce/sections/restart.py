"""Sparse PCA from the start that a subgradient method finds, down to the objective of ManPG-Ada."""

from orthoprox.reproduce.comparison import (
    CLOSE,
    METHODS,
    agreeing,
    by,
    by_chance,
    converged,
    examined,
    factor,
    fastest,
    mean,
    per_iteration,
    select,
    speeds,
    statement,
)
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.sections.components import SOLVERS, Groups, compared, ratios
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the tables for each kind of start, and the comparison of the one that is as the paper
    describes it.
    """
    described, *variants = spec.grid["start"]
    everything = {start: compared(spec, select(rows, start=start)) for start in (described, *variants)}
    if not everything[described]:
        raise IncompleteError("no size has a run of each of the four methods from the start as described.")
    agreed = {start: _agreed(spec, select(rows, start=start), groups) for start, groups in everything.items()}
    same = {m: group for m, group in agreed[described].items() if group["lsalm"]}
    claims = () if quick else tuple(_claims(spec, everything, same))
    ahead = [m for m, group in same.items() if min(SOLVERS, key=lambda name: mean(group[name], "run_cpu_seconds")) == "lsalm"]
    return Section.of(
        spec,
        verdict=f"LSALM is the fastest of the four at {len(ahead)} of {len(same)} sizes. {agreeing(claims)}".strip(),
        tables=(
            *(_table(start, groups, agreed[start]) for start, groups in everything.items() if groups),
            *ratios(spec, same, quick),
        ),
        claims=claims,
        remarks=(
            "Agreement means: iterations and ratios of times within a factor of 1.5, the same method ahead. The test of the "
            "objective is part of the time of SOC, RADMM and LSALM.",
            "Whether an instance counts is decided by a distance of 1e-2, which ManPG-Ada's own tolerance nearly uses up: a "
            "method that goes on to a better point can be excluded by it.",
        ),
    )


def _agreed(spec: Spec, rows: list[Row], groups: Groups) -> Groups:
    """Return the groups on those instances alone where all methods converge to the baseline's
    point.
    """
    limit = spec.paper["same"]
    instances = by(rows, lambda at: (at["m"], at["seed"]))
    same = {place for place, runs in instances.items() if all(converged(row) and row["distance"] <= limit for row in runs)}
    return {
        m: {name: [row for row in runs if (m, row["at"]["seed"]) in same] for name, runs in group.items()}
        for m, group in groups.items()
    }


def _claims(spec: Spec, everything: dict[str, Groups], same: Groups) -> list[Claim]:
    described, *_ = spec.grid["start"]
    reason = f"{spec.reasons['I']} {_variants(spec, everything)}"
    claims = []
    for m, group in everything[described].items():
        if m not in same:
            what = f"m = {m}: all methods find the baseline's point"
            claims.append(statement(what, "on some instances", f"on none of {len(group['lsalm'])}", None))
    for m, group in same.items():
        k = spec.paper["m"].index(m)
        times = {name: mean(group[name], "run_cpu_seconds") for name in SOLVERS}
        claims.append(fastest(f"m = {m}", times, spec.reasons["T"]))
        claims += speeds(f"m = {m}", {name: spec.paper[name]["T"][k] for name in SOLVERS}, group, spec.reasons)
        for name in SOLVERS:
            what, paper = f"m = {m}: {METHODS[name]}, iterations", spec.paper[name]["I"][k]
            count = mean(group[name], "iterations")
            chance = by_chance([row["iterations"] for row in group[name]], paper, of="the counts")
            claims.append(examined(factor(what, paper, count, CLOSE, form="{:.0f}", reason=reason), chance))
    return claims


def _variants(spec: Spec, everything: dict[str, Groups]) -> str:
    """Return how many iteration counts are the paper's from each kind of start, at the sizes that
    all kinds have.
    """
    common = [m for m in spec.paper["m"] if all(m in groups for groups in everything.values())]
    if not common:
        return ""
    near = {start: sum(_near(spec, groups[m], m) for m in common) for start, groups in everything.items()}
    told = ", ".join(f"{count} from {start!r}" for start, count in near.items())
    better = max(near.values()) > near[spec.grid["start"][0]]
    verdict = "may explain the difference" if better else "does not explain the difference, and no other reason was found"
    total = len(common) * len(SOLVERS)
    return f"Tested: of {total} counts so many are within a factor of 1.5 of the paper's: {told}. So the start {verdict}."


def _near(spec: Spec, group: dict[str, list[Row]], m: int) -> int:
    """Return how many methods have the paper's iterations, up to a factor."""
    k = spec.paper["m"].index(m)
    quotients = [mean(group[name], "iterations") / spec.paper[name]["I"][k] for name in SOLVERS]
    return sum(1 / CLOSE <= quotient <= CLOSE for quotient in quotients)


def _table(start: str, groups: Groups, agreed: Groups) -> Table:
    lines = []
    for m, group in groups.items():
        cells = [str(m), f"{len(agreed[m]['lsalm'])} of {len(group['lsalm'])}"]
        for name, everything in group.items():
            chosen, mark = agreed[m][name] or everything, "" if agreed[m][name] else "*"
            counts = [row["iterations"] for row in everything]
            cells += [f"{mean(chosen, 'run_cpu_seconds'):.2f}{mark}", f"{mean(chosen, 'iterations'):.0f}{mark}"]
            cells += [f"{min(counts)} to {max(counts)}", f"{per_iteration(chosen):.4f}{mark}"]
        lines.append(tuple(cells))
    header = ("m", "same point", *(("T (s)", "#I", "range of #I", "T/I (s)") * len(SOLVERS)))
    above = (("", 2), *((METHODS[name], 4) for name in SOLVERS))
    title = f"Start by RSM, {start}: averages over the instances with the same point (* over all, where there is none)"
    return Table(title, header, tuple(lines), above)
