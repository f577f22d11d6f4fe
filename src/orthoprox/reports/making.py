"""How good the result is and how it came about: the certificate, the parts of the call, the
command that repeats it.
"""

import math
from collections.abc import Mapping

import numpy as np

from orthoprox._arrays.words import short
from orthoprox.reports.facts import Facts
from orthoprox.reports.markup import Markup, element, scrolled, table
from orthoprox.reports.text import DASH, count, number


def certificate(facts: Facts) -> Markup:
    """Return what is certified and how the fit ended."""
    return element(
        "div",
        element("p", verdict(facts), class_="verdict"),
        element("p", facts.certificate) if facts.certificate else None,
        element("p", "How the fit ended: ", element("strong", facts.status), class_="soft"),
    )


def verdict(facts: Facts) -> Markup:
    """Return whether the fit converged, as a sign and words."""
    if facts.converged:
        return element("span", "✓ Converged", class_="good")
    return element("span", "! Did not converge", class_="warn")


def parts(facts: Facts) -> Markup:
    """Return the parts of the call with their times, as numbers and bars, and their gradients."""
    times = [part[1] for part in facts.phases if np.isfinite(part[1])]
    longest = max(times, default=0.0)
    rows: list[tuple[object, ...]] = [
        (name, _bar(seconds, longest), f"{number(seconds)} s", f"{gradients:,}") for name, seconds, gradients in facts.phases
    ]
    gradients = sum(part[2] for part in facts.phases)
    said = element("p", f"The whole call took {number(facts.seconds)} s and {count(gradients, 'gradient')}.", class_="soft")
    if not rows:
        return element("div", element("p", f"The whole call took {number(facts.seconds)} s."))
    drawn = table(("part", "", "time", "gradients"), rows, caption="Parts of the call", numbers=2)
    return element("div", said, scrolled("Parts of the call", drawn), class_="parts")


def _bar(seconds: float, longest: float) -> Markup:
    length = 100 * max(seconds, 0.0) / longest if longest > 0 and np.isfinite(seconds) else 0.0
    bar = element("rect", x=0, y=2, width=float(length), height=10, class_="bar ours")
    return element("svg", bar, viewBox="0 0 100 14", width="100", height="14", aria_hidden="true")


def recipe(facts: Facts) -> Markup:
    """Return the command, the settings and the versions."""
    return element(
        "div",
        scrolled("Command", element("pre", element("code", facts.command))) if facts.command else None,
        element("div", _pairs("Settings", facts.settings), _pairs("Versions", facts.versions), class_="pair"),
    )


def _pairs(caption: str, values: Mapping[str, object]) -> Markup | None:
    if not values:
        return None
    rows: list[tuple[object, ...]] = [(name, _said(value)) for name, value in values.items()]
    return scrolled(caption, table(("name", "value"), rows, caption=caption))


def _said(value: object) -> str:
    if isinstance(value, float) and math.isnan(value):
        return DASH
    return value if isinstance(value, str) else short(value)
