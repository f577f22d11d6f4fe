"""A reason for other times per iteration than the paper's, tested: the polar factor."""

from orthoprox.reproduce.comparison import CLOSE, METHODS, apart, mean, over, per_iteration, printed, shared
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import IncompleteError, Section
from orthoprox.reproduce.sections.scaling import slope
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

_METHODS = ("radmm", "soc")  # which take a polar factor in each iteration

Ratios = dict[tuple[int, str], float]


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the times of an iteration over that of LSALM, with the polar factor and without."""
    groups = {m: shared(rows, (*_METHODS, "lsalm"), m=m) for m in spec.grid["m"]}
    groups = {m: group for m, group in groups.items() if group["lsalm"]}
    if not groups:
        raise IncompleteError("no size has a run of each of the three methods on the same instance.")
    places = [(m, name) for m in groups for name in _METHODS]
    base = {m: per_iteration(group["lsalm"]) for m, group in groups.items()}
    whole = {(m, name): per_iteration(groups[m][name]) / base[m] for m, name in places}
    share = {(m, name): mean(groups[m][name], "polar_share") for m, name in places}
    rest = {place: ratio * (1 - share[place]) for place, ratio in whole.items()}
    paper = {} if quick else {(m, name): _ratio(spec, m, name) for m, name in places}
    lines = []
    for m, group in groups.items():
        cells = [str(m), str(len(group["lsalm"])), f"{1e3 * base[m]:.2f}"]
        for name in _METHODS:
            theirs = f"{paper[m, name]:.2f}" if paper else "-"
            cells += [theirs, f"{whole[m, name]:.2f}", f"{100 * share[m, name]:.0f}", f"{rest[m, name]:.2f}"]
        lines.append(tuple(cells))
    header = ("m", "instances", "T/I (ms)", *(("paper", "here", "of which polar (%)", "without it") * len(_METHODS)))
    above = (("", 2), ("LSALM", 1), *((f"T/I of {METHODS[name]} over LSALM's", 4) for name in _METHODS))
    return Section.of(
        spec,
        verdict=_told(paper, whole, rest)
        if paper
        else "Times of an iteration over that of LSALM, with the polar factor and without.",
        tables=(Table("Times of an iteration, products over all entries of X", header, tuple(lines), above),),
        remarks=() if len(base) < 2 else (_growth(spec, base, quick),),
    )


def _growth(spec: Spec, base: dict[int, float], quick: bool) -> str:
    """Return the sentence on how the time of an iteration of LSALM grows."""
    told = f"With these products the time of an iteration of LSALM grows as m^{slope(list(base), list(base.values())):.2f}"
    if quick:
        return f"{told}."
    pairs = [printed(spec, "m", m)["lsalm"] for m in base]
    return f"{told} (paper: m^{slope(list(base), [T / count for T, count in pairs]):.2f})."


def _ratio(spec: Spec, m: int, name: str) -> float:
    """Return the paper's time of an iteration over that of LSALM."""
    T, count = over(printed(spec, "m", m), name)
    return T / count


def _told(paper: Ratios, whole: Ratios, rest: Ratios) -> str:
    """Return at how many sizes the methods are near the paper, with the polar factor and not."""
    near = {name: [_near(paper, ratios, name) for ratios in (whole, rest)] for name in _METHODS}
    total = len(paper) // len(_METHODS)
    told = [
        f"{METHODS[name]}'s time per iteration over LSALM's is within a factor of 1.5 of the paper's at {with_it} of {total} "
        f"sizes, without the polar factor at {without}."
        for name, (with_it, without) in near.items()
    ]
    if near["soc"][0] == near["radmm"][1] == total > near["radmm"][0]:
        told.append(
            "So it is not the one thread: SOC takes the same factor and is as in the paper. RADMM's retraction alone costs "
            "more here; which one the paper has is not printed."
        )
    return " ".join(told)


def _near(paper: Ratios, found: Ratios, name: str) -> int:
    return sum(apart(found[place], ratio) <= CLOSE for place, ratio in paper.items() if place[1] == name)
