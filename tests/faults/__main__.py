"""``python -m faults --kills 50``: kill each mode so many times, and print what came of it."""

import argparse
import sys
import tempfile
from pathlib import Path

from faults.kills import killed
from faults.modes import MODES


def told(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    told("| mode | kills | while a checkpoint was written | processes that resumed | ends | the same X, bit for bit |")
    told("|---|---|---|---|---|---|")
    good = True
    for mode in MODES:
        with tempfile.TemporaryDirectory() as folder:
            found = killed(mode, options.kills, Path(folder), options.seed)
        numbers = found.kills, found.while_writing, found.resumed, found.ends, found.same
        told(f"| {mode} | {' | '.join(map(str, numbers))} |")
        good = good and found.same == found.ends
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
