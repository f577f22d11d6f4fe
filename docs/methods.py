"""Writes docs/methods.md from the registry alone.

Run it as ``python -m docs.methods``; with ``--check`` it writes nothing and fails where the page is
out of date.
"""

import inspect
import re
import sys
from pathlib import Path
from typing import Any

from orthoprox.cli.listing import about
from orthoprox.reproduce.table import markdown
from orthoprox.solvers import SOLVERS, Solver
from orthoprox.solvers.base import KINKS, PROX_DERIVATIVE, SMOOTH, SUBGRADIENT, Facts

PAGE = Path(__file__).with_name("methods.md")
L1S = "l1, l21"
ALLOWED = {SUBGRADIENT: "any subgradient", PROX_DERIVATIVE: L1S, KINKS: L1S, SMOOTH: "smooth"}  # g, by what a method needs

INTRODUCTION = """\
# Methods

`make docs` writes this page from the registry `orthoprox.SOLVERS`; do not edit it.
`op.minimize(problem, method=name)` runs a method by its name. `op.SOLVERS[name](...)` makes one with
parameters of its own. [certificates.md](certificates.md) shows what each method reaches at its
defaults, and [a picture](reproduction/report.md#fig-methods) those for nonsmooth problems side by
side, the certificate against time. Most methods follow trajectories recorded from their authors' own
code (`tests/solvers/test_reference.py`)."""

OVERVIEW = """\
## All methods

The second column says what g may be. `orthoprox list` prints the same on the command line."""

COMPARISON = """\
## What is proved

The columns are those of the paper's Table 1. Does the method handle a nonsmooth g? Does it have a
single loop? In how many iterations does it provably reach a point that is stationary up to eps? Does
the whole sequence provably converge? Does the method do without retractions and projections to the
manifold?"""

WORK = """\
## The work of one iteration

The table counts operations per iteration, per trial of the line search or per cycle of the inner
loop, as the second column says. `gradient` is one evaluation of grad l, with or without the value of
l. `resolvent` is one minimisation of l plus a quadratic. `polar` is one retraction. `gram` is one
product X'W and `right` one product XS, of 2 m n^2 operations each. `make bench-solvers` compares the
time of an iteration with the time of these operations."""

DESCRIPTIONS = """\
## One by one

If the default of a parameter is None, the method sets it from the problem before the first iteration,
or does not use it. The docstrings say which and how."""


def page() -> str:
    """Return the page."""
    parts = [INTRODUCTION, OVERVIEW, overview(), COMPARISON, comparison(), *remarks(), WORK, work(), DESCRIPTIONS]
    return "\n\n".join(parts + [description(name, kind) for name, kind in SOLVERS.items()]) + "\n"


def overview() -> str:
    """Return the table of names, what g may be, and the sentences of ``orthoprox list``."""
    rows = (f"| `{name}` | {allowed(kind())} | {about(inspect.getmodule(kind))} |" for name, kind in SOLVERS.items())
    return "\n".join(["| name | for | |", "|---|---|---|", *rows])


def allowed(solver: Solver[Any]) -> str:
    """Return what g may be: any g with a prox, where the method needs nothing more."""
    return " and ".join(dict.fromkeys(ALLOWED.get(ability, ability.needed) for ability in solver.needs)) or "any prox"


def comparison() -> str:
    """Return the paper's Table 1 for the methods of the registry."""
    header = ["method", "nonsmooth", "single loop", "complexity", "sequential convergence", "retraction-free"]
    return markdown(header, (proved(kind.facts) for kind in SOLVERS.values()))


def proved(facts: Facts) -> list[str]:
    """Return one line of that table, with a star where a remark belongs to it."""
    complexity = (facts.complexity or "---") + (" \\*" if facts.remark else "")
    nonsmooth, single, sequential, free = (
        "yes" if fact else "" for fact in (facts.nonsmooth, facts.single_loop, facts.sequential, facts.retraction_free)
    )
    return [facts.name, nonsmooth, single, complexity, sequential, free]


def remarks() -> list[str]:
    """Return the remarks, each with the methods that it is about."""
    about: dict[str, list[str]] = {}
    for kind in SOLVERS.values():
        about.setdefault(kind.facts.remark, []).append(kind.facts.name)
    return [f"\\* {', '.join(names)}: {remark}." for remark, names in about.items() if remark]


def work() -> str:
    """Return the table of the operations in one iteration."""
    facts = [kind.facts for kind in SOLVERS.values()]
    operations = list(dict.fromkeys(operation for f in facts for operation in f.work))
    rows = ([f.name, f.per, *(str(f.work.get(operation, "")) for operation in operations)] for f in facts)
    return markdown(["method", "per", *operations], rows)


def description(name: str, kind: type[Solver[Any]]) -> str:
    """Return the section about one method."""
    doc = inspect.getdoc(kind) or ""
    parameters = ", ".join(f"`{p.name}={_shown(p.default)}`" for p in inspect.signature(kind).parameters.values())
    return f"### {kind.facts.name}, `{name}`\n\n{summary(doc)}\n\nParameters: {parameters}.\n\nReference: {reference(doc)}"


def summary(doc: str) -> str:
    """Return the first sentence of a docstring, with the formula in which it ends, if it does."""
    first, second = doc.split("\n\n")[:2]
    sentence = re.split(r"(?<=\.)\s", " ".join(first.split()))[0]
    return sentence if sentence.endswith(".") else f"{sentence}\n\n{second}"


def reference(doc: str) -> str:
    """Return the reference at the end of a docstring."""
    return " ".join(doc.split("References\n----------\n")[1].split())


def _shown(default: Any) -> str:
    return f"{default:.6g}" if isinstance(default, float) else repr(default).replace("'", '"')


def main(arguments: list[str]) -> None:
    """Write what the registry gives, or check it."""
    if "--check" not in arguments:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        sys.exit(f"{PAGE.name} is out of date; run make docs.")


if __name__ == "__main__":
    main(sys.argv[1:])
