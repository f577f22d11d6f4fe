"""Graph matching by four smooth methods."""

import numpy as np

from orthoprox.experiments.comparison import (
    METHODS,
    agreeing,
    difference,
    factor,
    fastest,
    mean,
    once,
    select,
    speed,
    standard_error,
    statement,
)
from orthoprox.experiments.ledger import Row
from orthoprox.experiments.section import Claim, Section
from orthoprox.experiments.spec import Spec
from orthoprox.experiments.table import Table

SOLVERS = ("rgd", "pcal", "landing", "lsalm")
_ITERATIONS, _ERRORS = 1.5, 2.0  # the factor, and the number of standard errors, that count as agreement

Groups = dict[tuple[int, str], list[Row]]


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the table of the methods, and the comparison of its entries if the data are the paper's."""
    data = spec.content["problem"]["data"]
    frames = [frame for frame in spec.grid["frame"] if all(select(rows, frame=frame, solver=name) for name in SOLVERS)]
    groups = {(frame, name): select(rows, frame=frame, solver=name) for frame in frames for name in SOLVERS}
    comparable = data == "cmu_house" and not quick
    claims = once(_claims(spec, groups, frames)) if comparable else ()
    direct = [row["permutation"] for row in rows if row["status"] != "ERROR"]
    return Section(
        spec.id,
        spec.title,
        spec.reference,
        spec.about,
        verdict=f"All methods reach the same objectives up to the noise of the starts. {agreeing(claims)}"
        if claims
        else f"Made on {data}{' at reduced size' if quick else ''}: not comparable with the paper.",
        tables=(_table(groups, frames, data),),
        claims=claims,
        remarks=(
            f"The largest entries of the rows already form a permutation in {100 * np.mean(direct):.0f} % of the runs; the "
            "others need the rounding.",
            "Agreement means: objectives and F-measures within two standard errors of the difference of two averages, of "
            "ten starts in the paper; iterations and ratios of times within a factor of 1.5, the same method ahead.",
        ),
    )


def _claims(spec: Spec, groups: Groups, frames: list[int]) -> list[Claim]:
    claims = []
    for frame in frames:
        k = spec.paper["frame"].index(frame)
        times = {name: mean(groups[frame, name], "cpu_seconds") for name in SOLVERS}
        claims.append(fastest(f"No. {frame}", times, "lsalm"))
        for name in SOLVERS[:-1]:
            paper = spec.paper[name]["T"][k] / spec.paper["lsalm"]["T"][k]
            what = f"No. {frame}: time, {METHODS[name]}/LSALM"
            claims.append(speed(what, paper, times[name] / times["lsalm"], reason=spec.reasons["T"]))
        for name in SOLVERS:
            rows, paper = groups[frame, name], spec.paper[name]
            what = f"No. {frame}: {METHODS[name]}"
            count = mean(rows, "iterations")
            claims.append(
                factor(f"{what}, iterations", paper["I"][k], count, _ITERATIONS, form="{:.0f}", reason=spec.reasons["I"])
            )
            for title, key, printed, form in (
                ("objective", "objective", "Obj", "{:.1f}"),
                ("F-measure", "f_measure", "F", "{:.2f}"),
            ):
                error, here = standard_error(rows, key), mean(rows, key)
                bound = _ERRORS * error * (1 + len(rows) / spec.paper["starts"]) ** 0.5
                claims.append(
                    difference(
                        f"{what}, {title}", paper[printed][k], here, bound, form=form, error=error, reason=spec.reasons["Obj"]
                    )
                )
        for first, second, bound in (("landing", "pcal", 1.05), ("rgd", "pcal", 1.2)):
            paper = spec.paper[first]["I"][k] / spec.paper[second]["I"][k]
            counted = mean(groups[frame, first], "iterations") / mean(groups[frame, second], "iterations")
            what = f"No. {frame}: iterations, {METHODS[first]}/{METHODS[second]}"
            claims.append(factor(what, paper, counted, bound, form="{:.2f}", reason=spec.reasons["steps"]))
        claims.append(_advantage(spec, groups, frame, k))
    return claims


def _advantage(spec: Spec, groups: Groups, frame: int, k: int) -> Claim:
    """Compare the objectives of LSALM and RGD, start by start."""
    ours, theirs = ({row["at"]["seed"]: row["objective"] for row in groups[frame, name]} for name in ("lsalm", "rgd"))
    gaps = np.array([ours[seed] - theirs[seed] for seed in sorted(ours.keys() & theirs.keys())])
    error = float(np.std(gaps, ddof=1) / len(gaps) ** 0.5) if len(gaps) > 1 else float("nan")
    paper = spec.paper["lsalm"]["Obj"][k] - spec.paper["rgd"]["Obj"][k]
    agrees = bool(abs(float(np.mean(gaps)) - paper) <= 2 * error + 0.05)
    here = f"{np.mean(gaps):+.2f} ({error:.2f})"
    what = f"No. {frame}: objective of LSALM less that of RGD, start by start"
    return statement(what, f"{paper:+.1f}", here, agrees, reason=spec.reasons["frame_90"])


def _table(groups: Groups, frames: list[int], data: str) -> Table:
    lines = []
    for frame in frames:
        cells = [f"No. {frame}"]
        for name in SOLVERS:
            rows = groups[frame, name]
            cells += [f"{mean(rows, 'cpu_seconds'):.2f}", f"{mean(rows, 'iterations'):.0f}"]
            cells += [f"{mean(rows, 'objective'):.1f} ({standard_error(rows, 'objective'):.1f})"]
            cells += [f"{mean(rows, 'f_measure'):.2f} ({standard_error(rows, 'f_measure'):.2f})"]
        lines.append(tuple(cells))
    header = ("frame", *(("Time (s)", "#Iter", "Obj", "F-mea") * len(SOLVERS)))
    starts = max((len(rows) for rows in groups.values()), default=0)
    title = f"Graph matching on {data}, averages of {starts} starts (standard errors)"
    return Table(title, header, tuple(lines), (("", 1), *((METHODS[name], 4) for name in SOLVERS)))
