"""The long run of the fuzzer: ``PYTHONPATH=tests python -m fuzz --calls 100000``."""

import argparse
import sys
import time
from collections import defaultdict
from time import perf_counter

from fuzz.calls import NAMES
from fuzz.campaign import CHUNK, Tally, run


def main() -> int:
    """Make the calls, print the table and what failed; 1 if anything did."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000, help="how many calls to make")
    parser.add_argument(
        "--seed", type=int, default=0, help=f"the seed of the first chunk of {CHUNK} calls; the next has the next"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", choices=sorted(NAMES), help="calls of one kind only")
    parser.add_argument("--examples", type=int, default=1, help="calls to print for each cause of failures")
    options = parser.parse_args()
    begin, told = perf_counter(), [0.0]

    def show(tally):
        if perf_counter() - told[0] > 30:
            told[0] = perf_counter()
            done, broken = sum(tally.calls.values()), len(tally.failures)
            print(f"{time.strftime('%H:%M:%S')} {done} calls, {broken} broken promises", file=sys.stderr, flush=True)

    tally = run(options.seed, options.calls, jobs=options.jobs, only=options.only, show=show)
    print(table(tally))
    print(f"\n{perf_counter() - begin:.0f} s; the slowest call took {tally.slowest:.2f} s")
    print(causes(tally, options.examples))
    return 1 if tally.failures else 0


def table(tally: Tally) -> str:
    """Return the counts as a table."""
    broken = defaultdict(set)
    for failure in tally.failures:
        broken[failure.name].add((failure.chunk, failure.call))
    rows = [("", "calls", "returned", "refused", "claims judged", "broke a promise")]
    for name in sorted(tally.calls):
        counts = tally.calls[name], tally.returned[name], tally.refused[name], tally.claims[name], len(broken[name])
        rows.append((name, *map(str, counts)))
    sums = [sum(column.values()) for column in (tally.calls, tally.returned, tally.refused, tally.claims)]
    rows.append(("all", *map(str, [*sums, sum(map(len, broken.values()))])))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width) for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def causes(tally: Tally, examples: int) -> str:
    """Return the failures, one paragraph for each cause, the most frequent first."""
    groups = defaultdict(list)
    for failure in tally.failures:
        groups[failure.cause].append(failure)
    lines = [f"\n{len(tally.failures)} broken promises of {len(groups)} causes"]
    for (name, place, _), failures in sorted(groups.items(), key=lambda item: -len(item[1])):
        shortest = sorted(failures, key=lambda failure: len(failure.call))[:examples]
        lines.append(f"\n{len(failures)} x {name} at {place or '?'}: {shortest[0].broken}")
        lines += [f"    --seed {failure.chunk} --calls {CHUNK} --jobs 1: {failure.call}" for failure in shortest]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
