"""What the benchmark should show, and what it did show."""

from collections.abc import Iterable
from dataclasses import dataclass

from orthoprox.reproduce.table import markdown


@dataclass(frozen=True)
class Target:
    """A number to reach."""

    claim: str
    wanted: str
    found: str
    met: bool


def at_least(claim: str, wanted: float, found: float) -> Target:
    """Return the target of a ratio, in words."""
    return Target(claim, f">= {wanted:g}", f"{found:.1f}" if found < 10 else f"{found:.0f}", found >= wanted)


def table(targets: Iterable[Target]) -> str:
    """Return one line for each target."""
    lines = [[one.claim, one.wanted, one.found, "yes" if one.met else "**no**"] for one in targets]
    return markdown(["", "target", "found", "met"], lines)
