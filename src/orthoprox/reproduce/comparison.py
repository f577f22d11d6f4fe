"""Numbers of the paper beside those found here, and averages over rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import t

from orthoprox import SOLVERS
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Claim
from orthoprox.reproduce.spec import Spec

METHODS = {name: method.facts.name for name, method in SOLVERS.items()}  # as tables show them
CLOSE = 1.5  # the factor within which iterations and ratios of times agree

Pair = tuple[float, float]  # a time and the iterations


def factor(what: str, paper: float, here: float, bound: float, *, form: str = "{:.3g}", reason: str = "") -> Claim:
    """Return the claim that two positive numbers are the same up to a factor."""
    ratio = here / paper
    agrees = bool(1 / bound <= ratio <= bound)
    return Claim(what, form.format(paper), form.format(here), ratio, agrees, "" if agrees else reason)


def difference(what: str, paper: float, here: float, bound: float, *, form: str = "{:.1f}", reason: str = "") -> Claim:
    """Return the claim that two numbers differ by at most a bound."""
    agrees = bool(abs(here - paper) <= bound)
    return Claim(what, form.format(paper), form.format(here), here / paper, agrees, "" if agrees else reason)


def statement(what: str, paper: str, here: str, agrees: bool | None, *, reason: str = "") -> Claim:
    """Return the claim that something is as the paper says; the reason is given where it is not."""
    return Claim(what, paper, here, None, agrees, "" if agrees is not False else reason)


def fastest(what: str, times: Mapping[str, float], reasons: Mapping[str, str]) -> Claim:
    """Return the claim that LSALM takes the least time; where it does not, the reason is that of
    the method that does.
    """
    order = sorted(times, key=lambda name: times[name])
    here = " < ".join(f"{METHODS[name]} {times[name]:.2f} s" for name in order)
    reason = reasons.get(order[0], reasons["T"])
    return statement(f"{what}: LSALM is the fastest", "yes", here, order[0] == "lsalm", reason=reason)


def speeds(
    what: str, paper: Mapping[str, Pair], group: Mapping[str, Sequence[Row]], reasons: Mapping[str, str], repetitions: int
) -> list[Claim]:
    """Return the claims on average times over that of LSALM: the same up to a factor of 1.5, with
    the same method ahead. ``paper`` has the time and the iterations of each method.

    The reason where one differs is that of the method, or else that of all times.
    """
    claims = []
    for name in group:
        if name != "lsalm":
            (theirs, their_count), (ours, our_count) = (over(pairs, name) for pairs in (paper, averages(group)))
            reason = reasons.get(name, reasons["T"])
            claim = factor(f"{what}: time, {METHODS[name]}/LSALM", theirs, ours, CLOSE, form="{:.2f}", reason=reason)
            agrees = bool(claim.agrees) and (theirs > 1) == (ours > 1)
            times, base = (seconds(group[each]) for each in (name, "lsalm"))
            count = our_count / their_count
            parts = (
                f"iterations over LSALM's are {count:.2f} times the paper's, times per iteration {ours / theirs / count:.2f}"
            )
            test = f"{parts}; {by_chance(times, theirs, repetitions, base=base, form='{:.2f}')}"
            claims.append(examined(replace(claim, agrees=agrees, sentence="" if agrees else reason), test))
    return claims


def printed(spec: Spec, axis: str, value: int) -> dict[str, Pair]:
    """Return the paper's time and iterations of each method, in one line of its table."""
    k = spec.paper[axis].index(value)
    return {name: (column["T"][k], column["I"][k]) for name, column in spec.paper.items() if isinstance(column, dict)}


def averages(group: Mapping[str, Sequence[Row]]) -> dict[str, Pair]:
    """Return the average time and iterations of each method."""
    return {name: (mean(rows, "run_cpu_seconds"), mean(rows, "iterations")) for name, rows in group.items()}


def over(pairs: Mapping[str, Pair], name: str) -> Pair:
    """Return the time and the iterations of a method over those of LSALM."""
    return pairs[name][0] / pairs["lsalm"][0], pairs[name][1] / pairs["lsalm"][1]


def apart(one: float, other: float) -> float:
    """Return by what factor two positive numbers differ."""
    return max(one / other, other / one)


def agreeing(claims: Sequence[Claim]) -> str:
    """Return the sentence that counts the claims that agree; none where there is nothing to
    count.
    """
    decided = [claim for claim in claims if claim.agrees is not None]
    if not decided:
        return ""
    return f"{sum(bool(claim.agrees) for claim in decided)} of {len(decided)} comparisons with the paper agree."


def select(rows: Iterable[Row], **at: Any) -> list[Row]:
    """Return the rows at some place of the study."""
    return [row for row in rows if all(row["at"].get(name) == value for name, value in at.items())]


def shared(rows: Iterable[Row], solvers: Sequence[str], **at: Any) -> dict[str, list[Row]]:
    """Return for each method its rows at some place, on the seeds that all methods have."""
    found = {name: select(rows, solver=name, **at) for name in solvers}
    seeds = set.intersection(*({row["at"]["seed"] for row in group} for group in found.values()))
    return {name: [row for row in group if row["at"]["seed"] in seeds] for name, group in found.items()}


def mean(rows: Sequence[Row], name: str) -> float:
    """Return the average of a quantity; NaN where a row has none."""
    return float(np.mean(np.array([row[name] for row in rows], dtype=float)))


def deviation(rows: Sequence[Row], name: str) -> float:
    """Return the standard deviation of a quantity; NaN for a single row."""
    return float(np.std(np.array([row[name] for row in rows], dtype=float), ddof=1)) if len(rows) > 1 else float("nan")


def examined(claim: Claim, test: str) -> Claim:
    """Return a claim with what a test of it found, where it differs."""
    return replace(claim, tested=test) if claim.agrees is False else claim


def by_chance(
    values: Sequence[float],
    other: float,
    repetitions: int,
    *,
    base: Sequence[float] | None = None,
    form: str = "{:.0f}",
    whose: str = "the paper's",
) -> str:
    """Return the sentence on whether chance explains that another average, the paper's of so many
    repetitions, differs from that of our instances.

    An average of N further instances, which is r here, is between  r -+ t s sqrt(1/n + 1/N)  with a
    probability of 95 %, where n instances have the standard deviation s and t is Student's quantile
    of n - 1 degrees of freedom. With a ``base``, r is a ratio of averages, and s is that of the
    residuals  values - r base  over the average of the base.
    """
    n, below = len(values), np.ones(len(values)) if base is None else np.asarray(base)
    if n < 2:
        return "one instance is too few to tell what chance does."
    r = float(np.mean(values) / np.mean(below))
    s = float(np.sqrt(np.sum((np.asarray(values) - r * below) ** 2) / (n - 1)) / np.mean(below))
    width = float(t.ppf(0.975, n - 1)) * s * (1 / n + 1 / repetitions) ** 0.5
    inside = abs(other - r) <= width
    expected = f"from {n} instances {form.format(max(0.0, r - width))} to {form.format(r + width)} is to be expected"
    verdict = "within that: chance may explain it" if inside else "outside of that: chance does not explain it"
    return f"{expected}, and {whose} {form.format(other)} is {verdict}."


def seconds(rows: Sequence[Row]) -> list[float]:
    """Return the times of some runs, in the order of their seeds."""
    return [float(row["run_cpu_seconds"]) for row in sorted(rows, key=lambda row: row["at"]["seed"])]


def per_iteration(rows: Sequence[Row]) -> float:
    """Return the processor time of an iteration: all time over all iterations."""
    return float(sum(row["run_cpu_seconds"] for row in rows) / max(1, sum(row["iterations"] for row in rows)))


def converged(row: Row) -> bool:
    """Return whether a run met its stopping rule."""
    return bool(row["status"] == "CONVERGED")


def trapped(rows: Sequence[Row]) -> str:
    """Return the sentence on how many of the runs that did not converge have a zero column."""
    failed = [row for row in rows if not converged(row)]
    if not failed:
        return "All runs converged."
    empty = sum(row["zero_columns"] > 0 for row in failed)
    return (
        f"{empty} of the {len(failed)} runs that did not converge ended with a column of X that is exactly zero, where the "
        "constraint cannot act."
    )


def by(rows: Iterable[Row], key: Callable[[Mapping[str, Any]], Any]) -> dict[Any, list[Row]]:
    """Return the rows in groups, by a function of their place."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row["at"]), []).append(row)
    return groups
