"""The page of a report: one file of HTML that needs no other."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

import numpy as np

from orthoprox.reports.bars import explained
from orthoprox.reports.biplot import biplot
from orthoprox.reports.curve import curve
from orthoprox.reports.facts import Facts
from orthoprox.reports.heatmap import heatmap
from orthoprox.reports.loadings import loadings
from orthoprox.reports.making import certificate, parts, recipe
from orthoprox.reports.markup import Markup, element, joined
from orthoprox.reports.summary import summary


def page(facts: Facts) -> str:
    """Return the report as one page of HTML.

    The page loads nothing, and its policy forbids it to; its one style and its one script are
    admitted by their digests. Equal facts give equal bytes.
    """
    style, script = _asset("style.css"), _asset("script.js")
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=Markup(policy)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content="orthoprox"),
        element("title", facts.title),
        element("link", rel="icon", href="data:,"),
        element("style", style),
    )
    sections = _sections(facts)
    links = [element("a", heading, href=f"#{name}") for name, heading, _ in sections]
    main = element(
        "main",
        summary(facts),
        element("nav", *links, aria_label="Contents"),
        *[element("section", element("h2", heading), *content, id=name) for name, heading, content in sections],
    )
    return f"<!DOCTYPE html>\n{element('html', head, element('body', main, element('script', script)), lang='en')}\n"


def _sections(facts: Facts) -> list[tuple[str, str, list[object]]]:
    """Return anchor, heading and content of each section."""
    return [
        ("variance", "Explained variance", [_variance(facts)]),
        ("loadings", "Loadings", [heatmap(facts)]),
        ("components", "Components", [loadings(facts)]),
        ("rows", "Rows and variables", [_biplot(facts)]),
        ("certificate", "Certificate and parts of the call", [element("div", certificate(facts), parts(facts), class_="pair")]),
        ("made", "How it was made", [recipe(facts)]),
    ]


def _variance(facts: Facts) -> Markup:
    """Return explained variance and, beside it, the path, or why there is none."""
    if facts.curve is not None:
        nonzeros, shares = facts.curve
        kept = np.isfinite(nonzeros) & np.isfinite(shares)
        if kept.any():
            return element("div", explained(facts, alone=False), curve(facts, nonzeros[kept], shares[kept]), class_="pair")
    why = "Variance against nonzeros is not shown: no path of solutions was computed."
    return joined(explained(facts, alone=True), element("p", why, class_="soft"))


def _biplot(facts: Facts) -> Markup:
    if len(facts.components) == 1:
        return element("p", "No biplot: it needs two components.", class_="soft")
    if facts.scores is None:
        return element("p", "No biplot: there are no rows, only a covariance matrix.", class_="soft")
    return biplot(facts, facts.scores)


@cache
def _asset(name: str) -> Markup:
    return Markup(files("orthoprox.reports").joinpath(name).read_text(encoding="utf-8"))


def _digest(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
