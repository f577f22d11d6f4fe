"""Reasons for differences from the paper, tested: products over all entries of X, accurate
subproblems of ManPG-Ada, and other steps of RGD and Landing.
"""

from collections.abc import Mapping

from orthoprox.reproduce.comparison import METHODS, Pair, apart, averages, mean, over, per_iteration, printed, select, shared
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import IncompleteError, Section
from orthoprox.reproduce.sections.components import SOLVERS
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

_OTHERS = SOLVERS[:-1]
_ACCURATE = ("manpg-ada", "lsalm")
_MATCHING = ("rgd", "pcal", "landing", "lsalm")
_STEPS = {("rgd", "pcal"): 1.2, ("landing", "pcal"): 1.05, ("rgd", "lsalm"): 1.2}  # the factors that count as agreement

Ratios = dict[str, float]


def times(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the times over those of LSALM with sparse and with dense products."""
    cells = [(m, kind) for m in spec.grid["m"] for kind in spec.grid["products"]]
    groups = {(m, kind): shared(select(rows, products=kind), SOLVERS, m=m) for m, kind in cells}
    groups = {place: group for place, group in groups.items() if group["lsalm"]}
    if not groups:
        raise IncompleteError("no size has a run of each of the four methods on the same instance.")
    theirs = {} if quick else {m: _quotients(printed(spec, "m", m)) for m in spec.grid["m"]}
    ours = {place: _quotients(averages(group)) for place, group in groups.items()}
    lines = [(str(m), "paper", "", *_cells(*quotients)) for m, quotients in theirs.items()]
    lines += [(str(m), kind, str(len(groups[m, kind]["lsalm"])), *_cells(*quotients)) for (m, kind), quotients in ours.items()]
    lines.sort(key=lambda line: int(line[0]))
    header = ("m", "products", "instances", *(("T", "T/I") * len(_OTHERS)))
    above = (("", 3), *((f"{METHODS[name]} over LSALM", 2) for name in _OTHERS))
    return Section.of(
        spec,
        verdict=" ".join(
            _nearer(what, {m: each[k] for m, each in theirs.items()}, {place: each[k] for place, each in ours.items()})
            for k, what in enumerate(("times", "times per iteration"))
        ).strip()
        or "Times over those of LSALM, with sparse and with dense products.",
        tables=(Table("Times over those of LSALM, averages", header, tuple(lines), above),),
    )


def subproblems(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the time of ManPG-Ada with accurate subproblems over that of LSALM."""
    groups = {m: shared(rows, _ACCURATE, m=m) for m in spec.grid["m"]}
    groups = {m: group for m, group in groups.items() if group["lsalm"]}
    if not groups:
        raise IncompleteError("no size has a run of both methods on the same instance.")
    lines = []
    for m, group in groups.items():
        cells = [str(m), str(len(group["lsalm"]))]
        for own in group.values():
            cells += [f"{mean(own, 'run_cpu_seconds'):.2f}", f"{mean(own, 'iterations'):.0f}", f"{per_iteration(own):.4f}"]
        lines.append((*cells, f"{_over(group, 'manpg-ada', 'lsalm'):.0f}"))
    header = ("m", "instances", *(("T (s)", "#I", "T/I (s)") * 2), "time")
    above = (("", 2), *((METHODS[name], 3) for name in _ACCURATE), ("ManPG-Ada over LSALM", 1))
    told = ", ".join(f"{_over(group, 'manpg-ada', 'lsalm'):.0f} at m = {m}" for m, group in groups.items())
    return Section.of(
        spec,
        verdict=f"With the accuracy of the authors' code ManPG-Ada takes so many times the time of LSALM: {told}.",
        tables=(Table("ManPG-Ada with accurate subproblems, averages", header, tuple(lines), above),),
    )


def steps(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the iterations of RGD and Landing over those of PCAL, and RGD's time over that of
    LSALM.
    """
    groups = {frame: shared(rows, _MATCHING, frame=frame) for frame in spec.grid["frame"]}
    groups = {frame: group for frame, group in groups.items() if group["lsalm"]}
    if not groups:
        raise IncompleteError("no frame has a run of each of the four methods from the same start.")
    lines, near = [], dict.fromkeys(_STEPS, 0)
    for frame, group in groups.items():
        paper, cells = printed(spec, "frame", frame), []
        for one, other in _STEPS:
            T, count = (theirs / base for theirs, base in zip(paper[one], paper[other], strict=True))
            time, steps = _over(group, one, other), _over(group, one, other, "iterations")
            near[one, other] += apart(steps, count) <= _STEPS[one, other]
            cells += [f"{each:.2f}" for each in (count, steps, T, time)]
        lines.append((f"No. {frame}", str(len(group["rgd"])), *cells))
    header = ("frame", "starts", *(("#I, paper", "#I, here", "T, paper", "T, here") * len(_STEPS)))
    above = (("", 2), *((f"{METHODS[one]} over {METHODS[other]}", 4) for one, other in _STEPS))
    told = [
        f"{METHODS[one]}'s iterations over {METHODS[other]}'s are within a factor of {bound:g} of the paper's at "
        f"{near[one, other]} of {len(groups)} frames"
        for (one, other), bound in _STEPS.items()
    ]
    times = [_over(group, "rgd", "lsalm") for group in groups.values()]
    return Section.of(
        spec,
        verdict=f"With these steps {'; '.join(told)}. RGD takes {min(times):.2f} to {max(times):.2f} times the time of LSALM.",
        tables=(Table("RGD with the first step .05, Landing with the step .013", header, tuple(lines), above),),
    )


def _quotients(pairs: Mapping[str, Pair]) -> tuple[Ratios, Ratios]:
    """Return the times over that of LSALM, and the times per iteration over that of LSALM."""
    both = {name: over(pairs, name) for name in _OTHERS}
    return {name: T for name, (T, _) in both.items()}, {name: T / count for name, (T, count) in both.items()}


def _over(group: Mapping[str, list[Row]], name: str, other: str, key: str = "run_cpu_seconds") -> float:
    return mean(group[name], key) / mean(group[other], key)


def _cells(times: Ratios, each: Ratios) -> list[str]:
    """Return the ratio of times and that of times per iteration, method by method."""
    return [f"{ratios[name]:.2f}" for name in _OTHERS for ratios in (times, each)]


def _nearer(what: str, paper: Mapping[int, Ratios], found: Mapping[tuple[int, str], Ratios]) -> str:
    """Return how many ratios come nearer to the paper's with dense products."""
    both = [m for m in paper if (m, "dense") in found and (m, "sparse") in found]
    if not both:
        return ""
    gaps = {
        kind: [apart(found[m, kind][name], paper[m][name]) for m in both for name in _OTHERS] for kind in ("sparse", "dense")
    }
    nearer = sum(one < other for one, other in zip(gaps["dense"], gaps["sparse"], strict=True))
    within = sum(gap <= 1.5 for gap in gaps["dense"])
    return (
        f"With dense products {nearer} of {len(gaps['dense'])} ratios of {what} are nearer to the paper's, and {within} are "
        "within a factor of 1.5."
    )
