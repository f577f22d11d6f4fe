"""``orthoprox spca``: from a table to sparse components and a report."""

import argparse
import json
import logging
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from orthoprox import Progress
from orthoprox.cli import folder, summary
from orthoprox.cli.account import facts
from orthoprox.cli.analysis import Analysis
from orthoprox.cli.blocks import assist
from orthoprox.cli.interrupts import CtrlC, deferred
from orthoprox.cli.model import add_model, nonzeros
from orthoprox.cli.reading import FORMATS, add_options
from orthoprox.streams.ranks import world
from orthoprox.tables.source import STANDARD_INPUT, stem

_EXAMPLES = """
examples:
  orthoprox spca wine.csv                          five components, into the folder wine-spca
  orthoprox spca wine.csv -n 4 --nonzeros 20       four components with 20 loadings in all
  orthoprox spca wine.csv --sparsity .9            nine of ten loadings are zero
  orthoprox spca survey.csv --index id --drop age,sex --missing mean
  orthoprox spca correlations.csv --covariance
  orthoprox spca cells.mtx --checkpoint run.npz --resume   the same command again goes on after a kill
  zcat cells.mtx.gz | orthoprox spca - --max-seconds 60 --out cells

Components are orthonormal, by descending variance, the largest loading of each positive. They are a
stationary point, one of several. Files: loadings.csv, scores.csv, result.json, model.npz (for
orthoprox transform and SparsePCA.load) and report.html. In the csv files names that a spreadsheet
would take for a formula begin with an apostrophe.
"""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "spca",
        help="sparse principal components of a table, with a report",
        description="Find sparse principal components of a table, and write them, the scores, a model and a report.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("table", metavar="TABLE", help=f"a row for each sample, a column for each variable: {FORMATS}")
    parser.add_argument("-n", "--components", type=int, metavar="N", help="how many components; 5, or fewer if there are fewer")
    _add_sparsity(parser.add_argument_group("how sparse; --alpha .1 by default").add_mutually_exclusive_group())
    group = parser.add_argument_group("how the components are found")
    add_model(group)
    group.add_argument("--no-refit", action="store_true", help="keep the shrinkage of the penalty")
    group.add_argument("--n-init", type=int, default=1, metavar="N", help="starts; those after the first are random")
    group.add_argument("--tol", type=float, default=1e-5, metavar="T", help="the stationarity to prove; 1e-5 by default")
    group.add_argument("--checkpoint", metavar="FILE", help="keep what is found in a file, to go on after a kill")
    group.add_argument("--checkpoint-every", type=float, default=60.0, metavar="S", help="how often; 60 seconds by default")
    group.add_argument("--resume", action="store_true", help="go on from the checkpoint, if it is there")
    add_options(parser)
    group = parser.add_argument_group("output")
    group.add_argument("--out", type=Path, metavar="DIR", help="the folder to write to; TABLE-spca by default")
    group.add_argument("--force", action="store_true", help="overwrite results that are in the folder")
    group.add_argument("--json", action="store_true", help="print the facts as JSON instead of the summary")
    group.add_argument("--quiet", action="store_true", help="print nothing but errors")
    group.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show where an error comes from")
    parser.set_defaults(command=run)


def _add_sparsity(group: Any) -> None:
    group.add_argument("--nonzeros", type=nonzeros, metavar="K", help="nonzero loadings: in all, or K1,K2,... for each")
    group.add_argument("--sparsity", type=_share, metavar="S", help="the share of loadings that are zero, in (0, 1)")
    group.add_argument("--alpha", type=float, metavar="A", help="the weight of the penalty: 0 gives PCA, 1 single variables")


def run(options: argparse.Namespace) -> int:
    """Read, fit, write and tell; return 130 if Ctrl-C cut that short."""
    from orthoprox import SparsePCA

    out = folder.checked(options.out or Path(f"{stem(options.table)}-spca"), force=options.force)
    source = "standard input" if options.table == STANDARD_INPUT else Path(options.table).name
    options.shown, ranks = sys.stderr.isatty() and not options.quiet, world()
    if ranks is not None and ranks.rank > 0:
        return assist(options, ranks)
    analysis = Analysis(options, SparsePCA, ranks)
    try:
        log = nullcontext() if options.shown or options.quiet else _log()
        with log, Progress(transient=True) if options.shown else nullcontext(Progress()) as line:
            analysis.run(line)
    except (KeyboardInterrupt, CtrlC):
        print("orthoprox: interrupted before there was a result; nothing was written.", file=sys.stderr)
        return 130
    with deferred() as pressed:
        told = facts(analysis, source, shlex.join(["orthoprox", *options.arguments]))
        content = folder.write(out, told, analysis)
    if options.json:
        print(json.dumps(content | {"folder": str(out)}, indent=1))
    elif not options.quiet:
        summary.show(told, f"The report is {out / folder.REPORT}")
    if analysis.interrupted or pressed:
        print(f"orthoprox: interrupted; what was found is in {str(out)!r}.", file=sys.stderr)
        return 130
    return 0


@contextmanager
def _log() -> Iterator[None]:
    """Let the library write a line a minute to standard error, for the log of a job."""
    log, handler = logging.getLogger("orthoprox"), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s orthoprox: %(message)s"))
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; it needs a number between 0 and 1, such as .9")
    return share
