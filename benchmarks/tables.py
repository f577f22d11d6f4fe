"""The default call on small real tables, compressed modes, generated families and larger problems.

    python -m benchmarks.tables [--part tuning|heldout|second] [--table NAME] [--who WHO]
                                [--repeat K] [--without-numba] [--fresh] [--thorough] [--out FILE]
                                [--lower] [--page]

Each case of tables.toml is a whole call of ``minimize`` in a process with one BLAS thread, timed in
units of the calibration loop. Without options that limit it the command measures this version on
all cases, writes docs/tables/WHO.jsonl and the page docs/tables.md. With them it prints a summary
and the rows; --out keeps those. WHO is "minimize", "before" (an older commit in an environment of
its own) or "peers" (other packages), whose rows are kept: only cases that have none are run; or
"budget" (this version with the time that runs of other packages take). With
--thorough the families alone are measured, with effort="thorough".
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.studies.page import fill
from benchmarks.studies.rows import Rows
from benchmarks.studies.task import Row
from benchmarks.suite.cases import PARTS, SECOND, Case, cases, settings
from benchmarks.suite.compare import KINDS, lowest
from benchmarks.suite.page import block, listing, objectives, page, phases, times
from benchmarks.suite.runs import Way, batches, perform

from benchmarks.suite import before, best, budget, peers

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "tables"
WHO = "minimize", "before", "peers", "budget"


def run(chosen: Sequence[Case], way: Way) -> Iterator[tuple[Case, list[Row]]]:
    """Run cases and yield each with its row, as their processes end."""
    began, done = perf_counter(), 0
    for batch in batches(chosen, way):
        for case, row in zip(batch, perform(batch, way), strict=True):
            yield case, [row]
        done += len(batch)
        print(f"{done}/{len(chosen)}, {perf_counter() - began:.0f} s: {batch[0].group}", file=sys.stderr, flush=True)


def compared(chosen: Sequence[Case], who: str) -> Iterator[tuple[Case, list[Row]]]:
    """Run packages on cases, perhaps with calls that have their time, and yield each with its
    rows.
    """
    began = perf_counter()
    done = peers.perform(chosen, settings()["peers"]) if who == "peers" else budget.perform(chosen, settings())
    for k, (case, rows) in enumerate(done, 1):
        yield case, rows
        print(f"{k}/{len(chosen)}, {perf_counter() - began:.0f} s: {case.name}", file=sys.stderr, flush=True)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=[*PARTS, SECOND], help="only this part")
    parser.add_argument("--table", help="only this table: wine, modes, AR(1), ...")
    parser.add_argument("--kind", choices=list(KINDS), help="only cases of this kind")
    parser.add_argument("--who", choices=WHO, default="minimize", help="who is measured (default: minimize, this version)")
    parser.add_argument("--repeat", type=int, default=1, metavar="K", help="the median time of K calls")
    parser.add_argument("--without-numba", action="store_true", help="as if numba were not installed")
    parser.add_argument("--fresh", action="store_true", help="each call the first of a process without cached code")
    parser.add_argument("--thorough", action="store_true", help='the families with effort="thorough"')
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the rows to this file, which begins anew")
    parser.add_argument(
        "--lower", action="store_true", help="write lower objectives into docs/tables/best.json; with --page those of all rows"
    )
    parser.add_argument("--page", action="store_true", help="run nothing; write the page from the rows")
    options = parser.parse_args()
    if options.page:
        if options.lower:
            best.lower([row for path in sorted(FOLDER.glob("*.jsonl")) for row in read(path.stem)])
        write()
        return
    kind = "families" if options.thorough else options.kind
    chosen = [one for one in cases(options.part, options.table) if kind in (None, one.kind)]
    if not chosen:
        parser.error(f"no such cases; --table is one of {', '.join(sorted({one.table for one in cases(options.part)}))}")
    rows = measure(chosen, options)
    if options.lower:
        print(f"lower than what was known: {', '.join(best.lower(rows)) or 'none'}", file=sys.stderr)
    if options.who not in ("peers", "budget"):
        others = {"best known": best.read(), "before": lowest(read("before")), "peers": lowest(read("peers"))}
        parts = (listing(rows, others), times({"minimize": rows}), phases(rows), objectives(rows, others, settings()["same"]))
        print("\n\n".join(parts))


def measure(chosen: Sequence[Case], options: argparse.Namespace) -> list[Row]:
    """Run the cases and return their rows; write them, and the page, as the options say."""
    limited = options.part or options.table or options.kind
    way = Way(repeat=options.repeat, numba=not options.without_numba, fresh=options.fresh, thorough=options.thorough)
    ways = {"without-numba": options.without_numba, "fresh": options.fresh, "thorough": options.thorough}
    name = f"{'-'.join([options.who, *(word for word, wanted in ways.items() if wanted)])}.jsonl"
    file = options.out or (None if limited and options.who == "minimize" else FOLDER / name)
    if file and options.who in ("minimize", "budget"):
        file.unlink(missing_ok=True)
    kept = Rows(file.resolve()) if file else None
    if options.who == "before":
        chosen = [case for case in kept.left(chosen) if not (case.kind == "modes" and case.seed is not None)]
        way = Way(before.python(settings()["before"]), repeat=options.repeat)
    if options.who == "peers":
        chosen = kept.left(peers.grid(chosen, settings()))
    if options.who == "budget":
        chosen = budget.grid(chosen, settings())
    rows = []
    for case, own in compared(chosen, options.who) if options.who in ("peers", "budget") else run(chosen, way):
        rows += [{**case.at, **row} for row in own]
        if kept:
            kept.append(case, own)
    if file and file.parent == FOLDER:
        write()
    return rows


def read(who: str) -> list[Row]:
    """Return the rows that are kept of someone."""
    return Rows(FOLDER / f"{who}.jsonl").everything


def write() -> None:
    """Write the page, and fill the README."""
    kept = {path.stem: Rows(path) for path in sorted(FOLDER.glob("*.jsonl"))}
    if "minimize" in kept:
        (ROOT / "docs" / "tables.md").write_text(page(kept, best.read(), settings()), encoding="utf-8")
        readme, short = ROOT / "README.md", block(kept, settings()["same"]).rstrip()
        readme.write_text(fill(readme.read_text(encoding="utf-8"), short, "tables"), encoding="utf-8")


if __name__ == "__main__":
    main()
