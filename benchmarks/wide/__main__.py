"""The default call on wide data.

    python -m benchmarks.wide [--part tuning|heldout] [--kind KIND] [--variant VARIANT]
                              [--out FILE] [--page] [--before]

Each variant of wide.toml is a process with one BLAS thread. Without options that limit it the
command measures all cases, and writes docs/wide/minimize.jsonl and the page docs/wide.md; with them
it prints the rows, and --out keeps them. --before has an older commit, in an environment of its
own, run some cases, and writes docs/wide/before.jsonl and the page.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.peers.run import ONE_THREAD
from benchmarks.studies.rows import Rows
from benchmarks.studies.target import table
from benchmarks.studies.task import Row
from benchmarks.wide.cases import KINDS, PARTS, Case, cases, settings
from benchmarks.wide.older import compared
from benchmarks.wide.page import goals, listing, page, summary

ROOT = Path(__file__).parents[2]
FILE, PAGE = ROOT / "docs" / "wide" / "minimize.jsonl", ROOT / "docs" / "wide.md"
OLDER = FILE.with_name("before.jsonl")


def run(chosen: list[Case]) -> Iterator[tuple[Case, Row]]:
    """Run cases and yield each with its row, variant by variant; a table that cannot be had has
    none.
    """
    began = perf_counter()
    for place in dict.fromkeys((case.kind, case.part, case.variant) for case in chosen):
        with TemporaryDirectory() as folder:
            file = Path(folder) / "rows.jsonl"
            command = [sys.executable, "-m", "benchmarks.wide.call", str(file), *place]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | ONE_THREAD)
            if done.returncode:
                raise RuntimeError(f"The calls of {place} failed:\n{done.stderr}")
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        by_name = {case.name: case for case in chosen if (case.kind, case.part, case.variant) == place}
        for row in rows:
            yield by_name[row.pop("at")["case"]], row
        print(f"{perf_counter() - began:.0f} s: {', '.join(place)}, {len(rows)} rows", file=sys.stderr, flush=True)


def before() -> None:
    """Have the older commit run its cases, and keep the rows."""
    wanted, everything = settings()["before"], settings()
    OLDER.unlink(missing_ok=True)
    kept, first = Rows(OLDER), everything["heldout"]["first"]
    chosen = [one for one in cases("heldout") if one.variant in wanted["variants"] and one.seed == first]
    for case, row in compared(chosen, wanted["commit"], wanted["seconds"]):
        kept.append(case, [row])
        print(case.name, row, file=sys.stderr, flush=True)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, help="only this part")
    parser.add_argument("--kind", choices=KINDS, help="only cases of this kind")
    parser.add_argument("--variant", help="only this variant")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the rows to this file, which begins anew")
    parser.add_argument("--page", action="store_true", help="run nothing; write the page from the rows")
    parser.add_argument("--before", action="store_true", help="an older commit on some cases")
    options = parser.parse_args()
    if options.before:
        before()
    limited = options.part or options.kind or options.variant
    if not options.page and not options.before:
        chosen = [one for one in cases(options.part) if options.kind in (None, one.kind)]
        chosen = [one for one in chosen if options.variant in (None, one.variant)]
        file = options.out or (None if limited else FILE)
        if file:
            file.unlink(missing_ok=True)
        kept, rows = Rows(file.resolve()) if file else None, []
        for case, row in run(chosen):
            rows.append({**case.at, **row})
            if kept:
                kept.append(case, [row])
        same = settings()["same"]
        parts = [summary(rows, same, part) for part in PARTS if any(row["part"] == part for row in rows)]
        print("\n\n".join((listing(rows), *parts, table(goals(rows, settings())))))
    if not limited:
        PAGE.write_text(page(Rows(FILE), Rows(OLDER), settings()), encoding="utf-8")


if __name__ == "__main__":
    main()
