"""Writes docs/methods.md, what is known about each method, from the registry alone.

Run it as ``python -m docs.methods``.
"""

import inspect
import re
from pathlib import Path
from typing import Any

from orthoprox.reproduce.table import markdown
from orthoprox.solvers import SOLVERS, Solver
from orthoprox.solvers.base import Facts

PAGE = Path(__file__).with_name("methods.md")

INTRODUCTION = """\
# Methods

Made by `make docs` from the registry `orthoprox.SOLVERS`; do not edit. `op.minimize(problem, method=name)` runs a method by its
name, `op.SOLVERS[name](...)` makes one with parameters of its own. What each reaches at its defaults is in
[certificates.md](certificates.md)."""

COMPARISON = """\
## What is proved

The columns of the paper's Table 1: whether the method handles a nonsmooth g; has a single loop; in how many iterations it is
known to reach a point that is stationary up to eps; whether the whole sequence is known to converge; and whether it does
without retractions and projections to the manifold."""

WORK = """\
## The work of one iteration

Counted for one iteration, one trial of the line search or one cycle of the inner loop, as the second column says. `gradient` is
one evaluation of grad l, with or without the value of l; `resolvent` one minimisation of l plus a quadratic; `polar` one
retraction; `gram` one product X'W and `right` one product XS, of 2 m n^2 operations each. `make bench-solvers` compares the
time of an iteration with the time of these operations."""

DESCRIPTIONS = """\
## One by one

A parameter that is None by default is set from the problem before the first iteration, or not in use; the docstrings say which
and how."""


def page() -> str:
    """Return the page."""
    parts = [INTRODUCTION, COMPARISON, comparison(), *remarks(), WORK, work(), DESCRIPTIONS]
    return "\n\n".join(parts + [description(name, kind) for name, kind in SOLVERS.items()]) + "\n"


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


if __name__ == "__main__":
    PAGE.write_text(page())
