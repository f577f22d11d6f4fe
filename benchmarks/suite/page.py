"""The page of the suite: pure functions of the rows."""

from collections.abc import Mapping, Sequence

from benchmarks.studies.page import origins
from benchmarks.studies.rows import Rows
from benchmarks.studies.target import table as target_table
from benchmarks.studies.task import Row
from benchmarks.suite.compare import Objectives, count, gap, gaps, groups, lowest, problem, quantile
from benchmarks.suite.goals import goals

from orthoprox.reproduce.table import markdown

NAMES = {
    "minimize": "this version",
    "minimize-without-numba": "this version, without numba",
    "minimize-fresh": "this version, first call of a process without cached code",
    "minimize-thorough": 'this version, `effort="thorough"`',
    "before": "before",
}
TUNING = ", tuning"  # the end of the titles of what methods are tuned on
TEXT = """\
Made by `make bench-tables` from the settings in `benchmarks/tables.toml`; do not edit. Whole default calls,
`minimize(problem)`, on real tables with m = 4 to 64 columns, on compressed modes, on generated families, and on larger
problems: sparse PCA on `five_components(1000, m)`, mu = .5. The rows are in [tables/](tables/).

- Tables: min -|AX|^2 + mu |X|_1 for a table A with centred columns, as it is (`raw`), with columns of standard deviation 1
  (`standardised`) or of norm 1 (`correlation`). `mu` is a share of mu_max = rho (1 + sqrt(1 + l / rho)), rho the largest
  entry of A'A off the diagonal and l the largest eigenvalue of A'A without its diagonal. Above it coordinate vectors are
  optimal.
- `units`: processor time over that of the loop in `benchmarks/calibration.py`, which runs before and after each group of
  calls. One BLAS thread.
- Methods are tuned on iris, wine, breast cancer, linnerud and small seeds; digits, diabetes, pitprops and seeds from 2000 on
  are held out. A rule in `tables.toml` chose three more tables, `second held out`; nothing is chosen by them.
- Objectives are compared at the nearest point with X'X = I, relative to their size: one is above another if it is so by more
  than 1e-6. `best known` is the lowest that anything has found so far; `python -m benchmarks.tables --lower` lowers it.
- `before` is the commit that `tables.toml` names, in an environment of its own. `peers` is the lowest of pymanopt, CDOpt,
  geoopt and PySTOP, on the families also of our ManPG-Ada, SOC and RADMM, each from a random start, from the principal
  components and from our start, as `benchmarks/peers` runs them. A seed of a family is lost to a peer that is lower by more
  than 1e-4 of max(1, |f|) from the best of its starts."""


def unit_seconds(kept: Mapping[str, Sequence[Row]]) -> str:
    """Return how long the unit took beside the calls of everyone: machines differ in what it is to
    them.
    """
    units = {NAMES[who]: [row["unit"] for row in kept[who]] for who in NAMES if kept.get(who) and "unit" in kept[who][0]}
    told = "; ".join(f"{name}: {quantile(own, 0.5):.2f}, {min(own):.2f} to {max(own):.2f}" for name, own in units.items())
    return f"Seconds of the unit, median and range: {told}." if told else ""


def summary(rows: Sequence[Row], who: str) -> list[list[str]]:
    """Return one line for each kind and part: times in units and convergence."""
    lines = []
    for title, own in groups(rows).items():
        units = [row["units"] for row in own]
        times = [f"{quantile(units, share):.3f}" for share in (0.5, 0.9, 1.0)]
        lines.append([title, who, *times, f"{sum(row['converged'] for row in own)} of {len(own)}"])
    return lines


def times(kept: Mapping[str, Sequence[Row]]) -> str:
    """Return the summary of everyone, part by part."""
    lines = [line for who, name in NAMES.items() for line in summary(kept.get(who, []), name)]
    order = list(dict.fromkeys(line[0] for line in lines))
    header = ["", "", "median", "p90", "max", "converged"]
    return markdown(header, sorted(lines, key=lambda line: order.index(line[0])))


def objectives(rows: Sequence[Row], others: Mapping[str, Objectives], same: float) -> str:
    """Return on how many cases ours is not above, and is below, what others found."""
    lines = [
        [title, name, *count(own, found, same)]
        for title, own in groups(rows).items()
        for name, found in others.items()
        if any(problem(row) in found for row in own)
    ]
    return markdown(["", "compared with", "not above", "below"], lines)


def phases(rows: Sequence[Row]) -> str:
    """Return the share of each part of a call in all gradients and in all time."""
    lines, names = [], list(dict.fromkeys(name for row in rows for name in row.get("phases", {})))
    for title, own in groups(rows).items():
        totals = [[sum(row["phases"].get(name, (0, 0))[k] for row in own) for name in names] for k in (0, 1)]
        shares = [[f"{100 * value / sum(column):.0f} %" for value in column] for column in totals]
        lines.append([title, *(f"{time}, {work}" for time, work in zip(*shares, strict=True))])
    return markdown(["", *names], lines)


def listing(rows: Sequence[Row], others: Mapping[str, Objectives], units: Objectives | None = None) -> str:
    """Return one line for each case: units, perhaps beside other ones, work, the objective and by
    what share it is above others.
    """
    lines = []
    for row in rows:
        case, name = row["case"], problem(row)
        gaps = [f"{gap(row['objective'], found[name]):.1e}" if name in found else "" for found in others.values()]
        beside = [] if units is None else [f"{units[case]:.3f}" if case in units else ""]
        work = str(row["work"]["gradients"]) if "work" in row else ""
        ended = "yes" if row["converged"] else f"**{row['status'].lower()}**"
        lines.append([case, f"{row['units']:.3f}", *beside, work, f"{row['objective']:.8g}", *gaps, ended])
    header = ["case", "units", *([] if units is None else ["before"]), "gradients", "objective"]
    return markdown([*header, *(f"above {name}" for name in others), "converged"], lines)


def budgets(rows: Sequence[Row], same: float) -> str:
    """Return how calls end that have as long as a run of a package took."""
    text = """\
Calls of `minimize` on the families with `max_seconds`: the time that a run of a package took on the same problem, from a
random start or from the principal components, at least .05 s (`python -m benchmarks.tables --who budget`)."""
    lines = []
    for who in dict.fromkeys(row["who"] for row in rows):
        own = [row for row in rows if row["who"] == who]
        seconds, shares = [row["budget"] for row in own], [gap(row["objective"], row["theirs"]) for row in own]
        found = (f"{sum(test)} of {len(own)}" for test in ([s <= same for s in shares], [s < -same for s in shares]))
        lines.append([who, f"{min(seconds):.2g}", f"{quantile(seconds, 0.5):.2g}", f"{max(seconds):.2g}", *found])
    return f"{text}\n\n{markdown(['package', 'shortest, s', 'median, s', 'longest, s', 'not above', 'below'], lines)}"


def block(kept: Mapping[str, Rows], same: float) -> str:
    """Return the table of the README: whole calls beside the older version and other packages, and
    by what share the worst is above them, without what methods are tuned on alone.
    """
    rows = {who: own.everything for who, own in kept.items()}
    before, lines = groups(rows.get("before", [])), []
    others = [lowest(rows.get(who, [])) for who in ("before", "peers")]
    for title, own in groups(rows["minimize"]).items():
        if title.endswith(TUNING):
            continue
        units = [
            f"{quantile([row['units'] for row in group], 0.5):.2f}" if group else "" for group in (own, before.get(title, []))
        ]
        not_above = [
            f"{count(own, found, same)[0]}; worst {max(gaps(own, found)):+.0e}" if gaps(own, found) else "" for found in others
        ]
        converged = f"{sum(row['converged'] for row in own)} of {len(own)}"
        lines.append([title, converged, *units, *not_above])
    header = ["data", "converged", "median time", "before", "objective not above before", "nor the best of four packages"]
    return markdown(header, lines)


def page(kept: Mapping[str, Rows], best: Objectives, settings: Mapping[str, float]) -> str:
    """Return the page."""
    rows = {who: own.everything for who, own in kept.items()}
    ours, before = rows["minimize"], rows.get("before", [])
    others = {"best known": best, "before": lowest(before), "peers": lowest(rows.get("peers", []))}
    made = "\n\n".join(f"Rows of {NAMES.get(who, who)}:\n\n{origins(own)}" for who, own in kept.items())
    return f"""\
# Small tables

{TEXT}

{made}

## Targets

{target_table(goals(rows, settings))}

## Time

{unit_seconds(rows)} A machine that is half as fast in the loop may be as fast in a call: units compare rows
with the same unit.

{times(rows)}

Shares of the parts of a call in the time and in the gradients of all calls:

{phases(ours)}

## Objectives

{objectives(ours, others, settings["same"])}

## Budgets

{budgets(rows.get("budget", []), settings["same"])}

## All cases

{listing(ours, others, {row["case"]: row["units"] for row in before})}
"""
