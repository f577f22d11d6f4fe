"""The page of the benchmark: pure functions of the rows."""

import re
from collections.abc import Sequence
from statistics import median

from benchmarks.studies.rows import Rows
from benchmarks.studies.task import Row, settings, values

from benchmarks.studies import STUDIES, contest, headline, small
from benchmarks.studies import target as targets
from orthoprox.reproduce.table import markdown

PICTURES = {"headline": "headline.png", "families": "families.png", "growth": "growth.png"}

TEXTS = {
    "step": """\
The median over repetitions in which the three steps take turns, each beside the dense products of which it consists: HX, X'X
and XS for LSALM, HX, X'X and XS twice for the adaptive method. Steps with a sparse X do these products over its nonzero
entries, so that their ratio can be below 1.""",
    "headline": """\
LSALM has the parameters and the stopping rule of the paper's sparse PCA experiment, a random start, and dense products
throughout: the products over nonzero entries, which the library would use in its gradient, are switched off for it. The
KKT error with which it ends is the certificate that the adaptive method has to reach from the same start. No run keeps a
history. *Same start* compares the `run_seconds` of both: the method alone, with all that its stopping rule reads. *Whole call*
is the `seconds` of `minimize(problem)`, to its own tolerance of 1e-6 and with the search for a start, the certificate and the
polish, against the `run_seconds` of LSALM, without its last certificate.""",
    "pymanopt500": """\
The `seconds` of `minimize(problem, history=False)`, the whole call, against those of the solve alone in the package's own
process, one after the other and with one BLAS thread each; a study may share the machine with another on its other core, so
that times are to be read as ratios. The start that is called ours is the one that `minimize` finds and begins with; the package
does not pay for it. `gap` is by what share the peer's objective is above ours, `times ours` its time over ours.""",
    "families": """\
What each ends with, at the nearest feasible point: `gap` is by what share the peer's objective is above ours, negative where
it is below. A peer beats us if ours is worse by more than 1e-4 of its value. How each package is run, and what was tried to
make it better, is told in `benchmarks/peers`; ManPG-Ada, SOC and RADMM are our own, with a tolerance of 1e-5 and 3000
iterations. Two problems are solved side by side here, so that the seconds are only indicative.""",
    "small": """\
Both methods are run by the same loop, in turn, from the same random start to a certificate of 1e-5. `run_seconds` is the time
of the method alone, with all that the stopping rule reads; medians over the seeds.""",
    "polish": """\
Each instance is solved from its random start to a certificate of 1e-6, with 5000 iterations at the most, and polished from
there, converged or not. Polished means a relative certificate of 1e-10 and |X'X - I| <= 1e-12 sqrt(n), with the zeros kept;
worse would be a larger KKT error, or an objective that is higher by more than 1e-6 of it.""",
    "growth": """\
Whole calls, each in a fresh process, with two minutes at the most: sparse PCA with one size growing and the others fixed. An
iteration is `run_seconds`, the time of the method alone, over its iterations; memory is the peak beyond what is in use once the
data are there. A KKT error above 1e-6 belongs to a call that ran out of time. Where p is above about m / 2, A'A is formed once
and the time of an iteration depends on p no longer; the exponents in p are fitted across that change.""",
}


def page(kept: Rows) -> str:
    """Return the page."""
    everything = settings()
    rows = {name: ordered(kept.of(name), name) for name in STUDIES if kept.of(name)}
    goals = [goal for name, own in rows.items() for goal in STUDIES[name].targets(own, everything["targets"])]
    sections = "\n".join(section(name, own, everything[name]["seeds"]) for name, own in rows.items())
    return f"""\
# Benchmark

Made by `make bench` from the settings in `benchmarks/bench.toml`; do not edit. One line for each task, with its rows, is in
[rows.jsonl](bench/rows.jsonl).

{origins(kept)}

Objectives are compared at the nearest point with X'X = I. Numbers over seeds are medians unless it is said otherwise. Seeds
0 to 9 are for tuning; those that are reported begin at {everything["first"]["report"]}.

## In short

{summary(kept)}

## Targets

{targets.table(goals)}

{sections}"""


def ordered(rows: Sequence[Row], study: str) -> list[Row]:
    """Return rows, which come as their tasks end, in the order of the cases and the seeds."""
    cases = [name for case in settings()[study]["case"] for name, _ in values(case)]
    return sorted(rows, key=lambda row: (cases.index(row["case"]), row["seed"]))


def origins(kept: Rows) -> str:
    """Return on which machine, when and with which code the rows were made."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in kept.everything:
        groups.setdefault((row["origin"], row["code"]), []).append(row)
    lines = []
    for (_, code), rows in groups.items():
        one = kept.origin(rows[0])
        lines.append(f"- {len(rows)} rows: {one['machine']}; {one['versions']}; {one['date']}, code {code}")
    return "\n".join(lines)


def seeds(rows: Sequence[Row]) -> str:
    """Return the seeds of rows, in words."""
    found = sorted({row["seed"] for row in rows})
    return f"seed {found[0]}" if len(found) == 1 else f"{len(found)} seeds, {found[0]} to {found[-1]}"


def section(name: str, rows: Sequence[Row], planned: int) -> str:
    """Return the part of a study, which is incomplete where it has not all the seeds that are
    planned.
    """
    cases = list(dict.fromkeys(row["case"] for row in rows))
    where = f"{cases[0]}, {seeds(rows)}." if len(cases) == 1 else f"{seeds(rows).capitalize()}."
    if len({row["seed"] for row in rows}) < planned:
        where += f" **Incomplete: {planned} seeds are planned.**"
    parts = [f"## {STUDIES[name].title}", where, TEXTS[name], STUDIES[name].table(rows)]
    if name in PICTURES:
        parts.append(f"![{STUDIES[name].title}](bench/{PICTURES[name]})")
    return "\n\n".join(parts) + "\n"


def summary(kept: Rows) -> str:
    """Return the table of medians: what is compared with what, on which seeds."""
    lines = [line for study, lines in SUMMARIES.items() if kept.of(study) for line in lines(ordered(kept.of(study), study))]
    header = ["problem", "compared with", "times faster", "objective", "seeds"]
    return markdown(header, lines).rstrip()


def _headline(rows: Sequence[Row]) -> list[list[str]]:
    shares = headline.better(rows)
    won = f"lower on {sum(share > 0 for share in shares)} of {len(shares)}, by {100 * median(shares):.1f} %"
    same, whole = (f"{median(headline.ratios(rows, who)):.1f}" for who in ("same start", "whole call"))
    return [
        [rows[0]["case"], "LSALM, paper's parameters: same start and certificate", same, "", seeds(rows)],
        [rows[0]["case"], "the same: whole call of `minimize`", whole, won, seeds(rows)],
    ]


def _contest(rows: Sequence[Row]) -> list[list[str]]:
    lines = []
    for who, start in contest.contenders(rows):
        number = len(list(contest.pairs(rows, (who, start))))
        kept = f"not beaten on {number - contest.beaten(rows, (who, start))} of {number}"
        where = "its random start" if start == "random" else "our start"
        lines.append([rows[0]["case"], f"{who} from {where}", f"{contest.faster(rows, (who, start)):.1f}", kept, seeds(rows)])
    return lines


def _families(rows: Sequence[Row]) -> list[list[str]]:
    lines = []
    for case in dict.fromkeys(row["case"] for row in rows):
        own = [row for row in rows if row["case"] == case]
        number = contest.solved(own)
        count = len({row["who"] for row in own}) - 1
        kept = f"not beaten by any of them on {number - contest.lost(own)} of {number}"
        lines.append([case, f"{count} packages and methods, both starts", "", kept, seeds(own)])
    return lines


def _small(rows: Sequence[Row]) -> list[list[str]]:
    return [
        [case, "ManPG-Ada: same start and certificate", f"{median(small.ratios(rows, case)):.1f}", "", seeds(rows)]
        for case in dict.fromkeys(row["case"] for row in rows)
    ]


SUMMARIES = {"headline": _headline, "pymanopt500": _contest, "families": _families, "small": _small}


def fill(text: str, block: str, name: str) -> str:
    """Put the block between its two marks."""
    marks = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
    return re.sub(marks, lambda found: f"{found[1]}{block}\n{found[2]}", text, flags=re.DOTALL)
