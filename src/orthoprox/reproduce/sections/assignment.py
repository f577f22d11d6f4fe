"""Graph matching by four smooth methods."""

import numpy as np

from orthoprox.reproduce.comparison import (
    CLOSE,
    METHODS,
    agreeing,
    deviation,
    factor,
    fastest,
    mean,
    per_iteration,
    printed,
    shared,
    speeds,
    statement,
)
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim, IncompleteError, Section
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

SOLVERS = ("rgd", "pcal", "landing", "lsalm")
_RATIOS = (("landing", "pcal", 1.05), ("rgd", "pcal", 1.2))  # of iterations, and the factor that counts as agreement
_QUANTITIES = (("objective", "objective", "Obj", "{:.1f}"), ("F-measure", "f_measure", "F", "{:.2f}"))
_VAGUE = 0.15  # a comparison that allows for more than this share decides nothing
_SAME = 1e-3  # objectives that differ by less belong to the same point

Groups = dict[int, dict[str, list[Row]]]


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the table of the methods, and the comparison of its entries if the data are the
    paper's.
    """
    data = spec.content["problem"]["data"]
    groups = {frame: shared(rows, SOLVERS, frame=frame) for frame in spec.grid["frame"]}
    groups = {frame: group for frame, group in groups.items() if group["lsalm"]}
    if not groups:
        raise IncompleteError("no frame has a run of each of the four methods from the same start.")
    comparable = data == "cmu_house" and not quick
    claims = tuple(_claims(spec, groups)) if comparable else ()
    equal, total = _same_points(groups)
    return Section.of(
        spec,
        verdict=agreeing(claims) if comparable else f"Made on {data}, not comparable with the paper.",
        tables=(_table(groups, data),),
        claims=claims,
        remarks=(
            f"From {equal} of {total} starts LSALM and PCAL end at the same objective.",
            "Agreement means: objectives and F-measures within two standard errors of the difference of two averages, that of "
            "the paper being of ten starts, and not decided where that is more than 15 %; iterations and ratios of times "
            "within a factor of 1.5, the same method ahead.",
        ),
    )


def _same_points(groups: Groups) -> tuple[int, int]:
    """Return from how many starts LSALM ends at PCAL's objective, and how many there are."""
    gaps = np.concatenate([_gaps(group, "pcal") for group in groups.values()])
    return int(np.sum(np.abs(gaps) <= _SAME)), len(gaps)


def _gaps(group: dict[str, list[Row]], other: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the objectives of LSALM less those of another method, start by start."""
    ours, theirs = ({row["at"]["seed"]: row["objective"] for row in group[name]} for name in ("lsalm", other))
    return np.array([ours[seed] - theirs[seed] for seed in sorted(ours)])


def _claims(spec: Spec, groups: Groups) -> list[Claim]:
    claims = []
    for frame, group in groups.items():
        k = spec.paper["frame"].index(frame)
        times = {name: mean(group[name], "run_cpu_seconds") for name in SOLVERS}
        claims.append(fastest(f"No. {frame}", times, spec.reasons))
        paper = printed(spec, "frame", frame)
        claims += speeds(f"No. {frame}", paper, group, spec.reasons, spec.paper["starts"])
        for name in SOLVERS:
            count, what = mean(group[name], "iterations"), f"No. {frame}: {METHODS[name]}"
            claims.append(factor(f"{what}, iterations", paper[name][1], count, CLOSE, form="{:.0f}", reason=spec.reasons["I"]))
            for title, key, column, form in _QUANTITIES:
                claims.append(_average(f"{what}, {title}", spec.paper[name][column][k], group[name], spec, key=key, form=form))
        for first, second, bound in _RATIOS:
            theirs = paper[first][1] / paper[second][1]
            ours = mean(group[first], "iterations") / mean(group[second], "iterations")
            what = f"No. {frame}: iterations, {METHODS[first]}/{METHODS[second]}"
            claims.append(factor(what, theirs, ours, bound, form="{:.2f}", reason=spec.reasons["steps"]))
        claims.append(_advantage(spec, group, frame, k))
    return [*claims, _rounding(groups)]


def _average(what: str, paper: float, rows: list[Row], spec: Spec, *, key: str, form: str) -> Claim:
    """Compare two averages of random starts, up to two standard errors of their difference."""
    here, spread = mean(rows, key), deviation(rows, key)
    bound = 2 * spread * (1 / len(rows) + 1 / spec.paper["starts"]) ** 0.5
    agrees = bool(abs(here - paper) <= bound) if bound <= _VAGUE * abs(paper) else None
    told = f"{form.format(here)} ± {form.format(bound)}"
    return Claim(what, form.format(paper), told, here / paper, agrees, "" if agrees else spec.reasons["Obj"])


def _advantage(spec: Spec, group: dict[str, list[Row]], frame: int, k: int) -> Claim:
    """Compare the objectives of LSALM and RGD, start by start."""
    gaps = _gaps(group, "rgd")
    paper = spec.paper["lsalm"]["Obj"][k] - spec.paper["rgd"]["Obj"][k]
    what = f"No. {frame}: objective of LSALM less that of RGD, from the same starts"
    if len(gaps) < 2:
        return statement(what, f"{paper:+.1f}", f"{gaps[0]:+.2f}, one start", None)
    error = float(np.std(gaps, ddof=1)) * (1 / len(gaps) + 1 / spec.paper["starts"]) ** 0.5
    agrees = bool(abs(float(np.mean(gaps)) - paper) <= 2 * error)
    return statement(what, f"{paper:+.1f}", f"{np.mean(gaps):+.2f} ± {2 * error:.2f}", agrees, reason=spec.reasons["advantage"])


def _rounding(groups: Groups) -> Claim:
    direct = [row["permutation"] for group in groups.values() for rows in group.values() for row in rows]
    share = float(np.mean(direct))
    here = f"in {100 * share:.0f} % of the runs"
    reason = "The other runs need a repair; here it is the Hungarian method."
    return statement("the largest entries of the rows form a permutation", "in most cases", here, share > 0.5, reason=reason)


def _table(groups: Groups, data: str) -> Table:
    lines = []
    for frame, group in groups.items():
        cells = [f"No. {frame}"]
        for rows in group.values():
            cells += [
                f"{mean(rows, 'run_cpu_seconds'):.2f}",
                f"{mean(rows, 'iterations'):.0f}",
                f"{1e3 * per_iteration(rows):.2f}",
            ]
            for _, key, _, form in _QUANTITIES:
                error = deviation(rows, key) / len(rows) ** 0.5
                cells.append(
                    f"{form.format(mean(rows, key))} ({form.format(error)})" if len(rows) > 1 else form.format(rows[0][key])
                )
        lines.append(tuple(cells))
    header = ("frame", *(("Time (s)", "#Iter", "ms/Iter", "Obj", "F-mea") * len(SOLVERS)))
    starts = max(len(group["lsalm"]) for group in groups.values())
    title = f"Graph matching on {data}, averages of {starts} starts (standard errors)"
    return Table(title, header, tuple(lines), (("", 1), *((METHODS[name], 5) for name in SOLVERS)))
