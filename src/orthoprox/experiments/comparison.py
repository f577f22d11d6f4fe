"""Numbers of the paper beside those found here, and averages over rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from orthoprox.experiments.ledger import Row
from orthoprox.experiments.section import Claim

METHODS = {"manpg-ada": "ManPG-Ada", "soc": "SOC", "radmm": "RADMM", "lsalm": "LSALM", "pamal": "PAMAL"}
METHODS |= {"rgd": "RGD", "pcal": "PCAL", "landing": "Landing"}


def factor(what: str, paper: float, here: float, bound: float, *, form: str = "{:.3g}", reason: str = "") -> Claim:
    """Return the claim that two positive numbers are the same up to a factor."""
    ratio = here / paper
    agrees = bool(1 / bound <= ratio <= bound)
    return Claim(what, form.format(paper), form.format(here), ratio, agrees, "" if agrees else reason)


def speed(what: str, paper: float, here: float, *, reason: str = "") -> Claim:
    """Return the claim that two ratios of times are the same up to a factor of 1.5, with the same method ahead."""
    claim = factor(what, paper, here, 1.5, form="{:.2f}", reason=reason)
    agrees = bool(claim.agrees) and (paper > 1) == (here > 1)
    return replace(claim, agrees=agrees, sentence="" if agrees else reason)


def fastest(what: str, times: Mapping[str, float], paper: str) -> Claim:
    """Return the claim that the method ``paper`` takes the least time."""
    order = sorted(times, key=lambda name: times[name])
    here = " < ".join(f"{METHODS[name]} {times[name]:.2f} s" for name in order)
    ahead = f"{what}: {METHODS[order[0]]} takes {times[order[0]] / times[paper]:.2f} of the time of {METHODS[paper]}."
    return statement(f"{what}: {METHODS[paper]} is the fastest", "yes", here, order[0] == paper, reason=ahead)


def difference(
    what: str, paper: float, here: float, bound: float, *, form: str = "{:.1f}", error: float = 0.0, reason: str = ""
) -> Claim:
    """Return the claim that two numbers differ by at most a bound; ``error`` is the standard error of the second."""
    shown = form.format(here) + (f" ({form.format(error)})" if error else "")
    agrees = bool(abs(here - paper) <= bound)
    return Claim(what, form.format(paper), shown, here / paper, agrees, "" if agrees else reason)


def statement(what: str, paper: str, here: str, agrees: bool | None, *, reason: str = "") -> Claim:
    """Return the claim that something is as the paper says; the reason is given where it is not."""
    return Claim(what, paper, here, None, agrees, "" if agrees is not False else reason)


def once(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Return the claims; a sentence that several of them share is kept by the first."""
    said: set[str] = set()
    kept = []
    for claim in claims:
        repeated = claim.sentence in said
        said.add(claim.sentence)
        kept.append(replace(claim, sentence="") if repeated else claim)
    return tuple(kept)


def agreeing(claims: Sequence[Claim]) -> str:
    """Return the sentence that counts the claims that agree; none where there is nothing to count."""
    decided = [claim for claim in claims if claim.agrees is not None]
    if not decided:
        return ""
    return f"{sum(bool(claim.agrees) for claim in decided)} of {len(decided)} comparisons with the paper agree."


def select(rows: Iterable[Row], **at: Any) -> list[Row]:
    """Return the rows at some place of the study, without those of errors."""
    return [row for row in rows if row["status"] != "ERROR" and all(row["at"].get(name) == value for name, value in at.items())]


def mean(rows: Sequence[Row], name: str) -> float:
    """Return the average of a quantity."""
    return float(np.mean([row[name] for row in rows]))


def standard_error(rows: Sequence[Row], name: str) -> float:
    """Return the standard error of that average; 0 for a single row."""
    return float(np.std([row[name] for row in rows], ddof=1) / len(rows) ** 0.5) if len(rows) > 1 else 0.0


def per_iteration(rows: Sequence[Row]) -> float:
    """Return the processor time of an iteration, averaged over runs as the paper does: total time over all iterations."""
    return float(sum(row["cpu_seconds"] for row in rows) / max(1, sum(row["iterations"] for row in rows)))


def converged(row: Row) -> bool:
    """Return whether a run met its stopping rule."""
    return bool(row["status"] == "CONVERGED")


def by(rows: Iterable[Row], key: Callable[[Mapping[str, Any]], Any]) -> dict[Any, list[Row]]:
    """Return the rows in groups, by a function of their place."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row["at"]), []).append(row)
    return groups
