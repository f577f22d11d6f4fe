"""The benchmark: rows, tables, pictures and the page docs/bench.md.

    python -m benchmarks.bench [--study NAME] [--seeds K] [--tuning] [--out FILE] [--page]

Each task, one seed of one case of bench.toml, runs in a fresh process; its rows are appended to a
file of JSON lines when it ends, and a task that has rows there is not run again. The page and the
pictures are written from that file: FILE is bench/rows.jsonl, the page bench.md beside that folder,
the pictures in it.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from benchmarks.studies.page import page
from benchmarks.studies.picture import draw
from benchmarks.studies.rows import Rows
from benchmarks.studies.task import Row, Task, settings, tasks

from benchmarks.peers import environment
from benchmarks.studies import STUDIES, perform

ROWS = Path(__file__).parents[1] / "docs" / "bench" / "rows.jsonl"


def perform_all(todo: Sequence[Task], jobs: int) -> Iterator[tuple[Task, list[Row]]]:
    """Run tasks, ``jobs`` side by side, each in a fresh process; yield them as they end."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        running = {pool.submit(perform, task): task for task in todo}
        for done in as_completed(running):
            yield running[done], done.result()


def prepare(packages: Iterable[str]) -> None:
    """Make the environments of packages before their tasks need them side by side."""
    for package in packages:
        try:
            environment.python(package)
        except RuntimeError as reason:
            print(f"{package}: {reason}", file=sys.stderr)


def run(rows: Rows, study: str, part: str, number: int | None) -> None:
    """Run what a study has left to do."""
    common = settings()[study]
    todo, began = rows.left(tasks(study, part, number)), perf_counter()
    if todo:
        prepare(common.get("packages", []))
    for k, (task, found) in enumerate(perform_all(todo, common["jobs"]), 1):
        rows.append(task, found)
        print(f"{study} {k}/{len(todo)}, {perf_counter() - began:.0f} s: {task.case}, seed {task.seed}", flush=True)


def write(rows: Rows) -> None:
    """Write the page and the pictures."""
    folder = rows.path.parent
    draw(rows, folder)
    folder.with_suffix(".md").write_text(page(rows), encoding="utf-8")


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--study", choices=list(STUDIES), action="append", help="only this study; may be repeated")
    parser.add_argument("--seeds", type=int, metavar="K", help="only the first K seeds of each study")
    parser.add_argument("--tuning", action="store_true", help="the seeds for tuning, into a file of their own")
    parser.add_argument("--out", type=Path, default=ROWS, metavar="FILE", help="the rows (default: docs/bench/rows.jsonl)")
    parser.add_argument("--page", action="store_true", help="run nothing; write the page from the rows")
    options = parser.parse_args()
    if options.tuning and options.out.resolve() == ROWS:
        parser.error("the seeds for tuning are not reported; name another file with --out")
    rows = Rows(options.out.resolve())
    sys.stderr.writelines(f"{sentence}\n" for sentence in rows.damaged)
    for study in () if options.page else options.study or STUDIES:
        run(rows, study, "tuning" if options.tuning else "report", options.seeds)
    if not rows.everything:
        parser.error(f"{options.out} has no rows yet")
    write(rows)


if __name__ == "__main__":
    main()
