"""The page of wide data: pure functions of the rows."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.studies.page import origins
from benchmarks.studies.rows import Rows
from benchmarks.studies.target import Target
from benchmarks.studies.target import table as target_table
from benchmarks.studies.task import Row

from orthoprox.reproduce.table import markdown

TEXT = """\
Made by `make bench-wide` from the settings in `benchmarks/wide.toml`; do not edit. Whole default calls, `minimize(problem)`,
on data with more features than samples. The rows are in [wide/](wide/).

- Planted: Gaussian factors, each with loadings of one size and random signs on some features, and noise; columns are centred
  and divided by the root of p. A call is compared with a run from the planted X, by (f - f_truth) / max(1, |f_truth|), at the
  nearest point with X'X = I.
- Counts: of words in documents and of genes in cells, sparse, centred without being made dense. Real tables are made of
  installed packages and of a wheel; nothing of them is kept.
- `units`: processor time over that of the loop in `benchmarks/calibration.py`, which runs before and after the calls of a
  variant; one BLAS thread. `SVDs`: the same over one randomized SVD of the same data. `MB`: the peak memory of the process,
  data included.
- Methods are tuned on seeds 0 to 9; seeds from 2000 on and real tables are held out. One exception: the counts of cells with
  seed 2000 took 24 units, most of it for a second polish on all rows, which was removed after that was seen.
- Nonzeros a column: the median over the columns, of X if it is polished, otherwise of the prox point of its certificate."""


def gap(row: Row) -> float:
    """Return by how much f is above that of a run from the truth, relative to max(1, |f|)."""
    return float((row["objective"] - row["truth"]) / max(1.0, abs(row["truth"])))


def of(rows: Sequence[Row], study: str, part: str = "heldout") -> list[Row]:
    """Return the rows of a study and a part."""
    return [row for row in rows if row["study"] == study and row["part"] == part]


def goals(rows: Sequence[Row], settings: Mapping[str, Any]) -> list[Target]:
    """Return what should be shown, and what was."""
    wanted, found = settings["targets"], []
    planted = of(rows, "planted")
    if planted:
        low, share = sum(gap(row) <= settings["same"] for row in planted), wanted["planted"]
        claim = f"planted instances not above a run from the truth by more than {settings['same']:g}"
        found.append(Target(claim, f">= {100 * share:.0f} %", f"{low} of {len(planted)}", low >= share * len(planted)))
        plain = [row for row in planted if row["shape"] == [200, 20000, 10]]
        found += [
            _most(f"200 x 20,000, n = 10: units, {words}", limit, summary([row["units"] for row in plain]))
            for words, limit, summary in zip(("median", "largest"), wanted["plain"], (median, max), strict=True)
        ]
    for study, words in (("counts", "sparse counts"), ("five", "five components"), ("estimator", "SparsePCA")):
        own, limits = of(rows, study), wanted[study]
        if own:
            limits = limits if isinstance(limits, list) else [limits]
            found.append(_most(f"{words}: units, largest", limits[0], max(row["units"] for row in own)))
            found += [_most(f"{words}: MB, largest", limit, max(row["megabytes"] for row in own)) for limit in limits[1:]]
    everything = [row for row in rows if row["part"] == "heldout"]
    number = sum(row["converged"] for row in everything)
    return [*found, Target("calls that converge", "all", f"{number} of {len(everything)}", number == len(everything))]


def _most(claim: str, limit: float, found: float) -> Target:
    return Target(claim, f"<= {limit:g}", f"{found:.3g}", found <= limit)


def summary(rows: Sequence[Row], same: float, part: str) -> str:
    """Return one line for each variant."""
    lines = []
    for variant in dict.fromkeys(row["variant"] for row in rows if row["part"] == part):
        own = [row for row in rows if (row["part"], row["variant"]) == (part, variant)]
        p, m, n = own[0]["shape"]
        low = f"{sum(gap(row) <= same for row in own)} of {len(own)}" if own[0]["truth"] is not None else ""
        worst = f"{max(gap(row) for row in own):+.0e}" if own[0]["truth"] is not None else ""
        units, nonzeros = sorted(row["units"] for row in own), [row["nonzeros"] for row in own]
        lines.append(
            [
                variant,
                f"{p} x {m}, {n}",
                low,
                worst,
                f"{median(units):.1f}",
                f"{units[-1]:.1f}",
                f"{median(row['ratio'] for row in own):.0f}",
                f"{median(row[1] for row in nonzeros):.0f}",
                f"{max(row['megabytes'] for row in own):.0f}",
                f"{sum(row['converged'] for row in own)} of {len(own)}",
            ]
        )
    header = ["", "p x m, n", "as low as the truth", "worst", "units", "most", "SVDs", "nonzeros a column", "MB", "converged"]
    return markdown(header, lines)


def listing(rows: Sequence[Row]) -> str:
    """Return one line for each case."""
    lines = [
        [
            row["case"],
            f"{row['units']:.2f}",
            f"{row['ratio']:.0f}",
            str(row["gradients"]),
            f"{row['objective']:.8g}",
            "" if row["truth"] is None else f"{gap(row):+.1e}",
            f"{row['kkt_error']:.0e}",
            "yes" if row["converged"] else "**no**",
        ]
        for row in rows
    ]
    return markdown(["case", "units", "SVDs", "gradients", "objective", "above the truth", "KKT error", "converged"], lines)


def older(rows: Sequence[Row], before: Sequence[Row]) -> str:
    """Return one line for each case that an older commit has run as well."""
    now, lines = {row["case"]: row for row in rows}, []
    for row in (row for row in before if row["case"] in now):
        own = now[row["case"]]
        above = (row["objective"] - own["objective"]) / max(1.0, abs(own["objective"]))
        numbers = f"{row['objective']:.6g}", f"{own['objective']:.6g}", f"{above:+.1e}"
        lines.append([row["case"], f"{row['units']:.1f}", f"{own['units']:.1f}", *numbers, row["status"].lower()])
    return markdown(["case", "units before", "now", "objective before", "now", "before above now", "before ended by"], lines)


def page(kept: Rows, before: Rows, settings: Mapping[str, Any]) -> str:
    """Return the page."""
    rows, then = kept.everything, settings["before"]
    return f"""\
# Wide data

{TEXT}

{origins(kept)}

## Targets

{target_table(goals(rows, settings))}

## Held out

{summary(rows, settings["same"], "heldout")}

## Before

The default call of commit {then["commit"]} with at most {then["seconds"]:g} seconds, on sparse counts as a dense centred array
(`python -m benchmarks.wide --before`).

{older(rows, before.everything)}

## Tuning

{summary(rows, settings["same"], "tuning")}

## All cases

{listing(rows)}
"""
