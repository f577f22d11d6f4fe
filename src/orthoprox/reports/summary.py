"""The first screen: what was found, in words and in four figures."""

import numpy as np

from orthoprox.reports.facts import Facts
from orthoprox.reports.making import verdict
from orthoprox.reports.markup import Markup, bdi, element, folded
from orthoprox.reports.text import count, number, percent

_NOTES = 6  # that are open


def summary(facts: Facts) -> Markup:
    """Return the heading, the summary and the notes."""
    n, m = facts.components.shape
    told = [element("p", bdi(facts.source), f" · {count(facts.n_rows, 'row')} · {count(m, 'variable')}", class_="soft source")]
    told.append(element("p", *_sentences(facts), class_="lead"))
    used, cells = int(facts.nonzeros.sum()), n * m
    tiles = element(
        "dl",
        _tile("components", f"{n:,}", f"of {count(m, 'variable')}"),
        _tile("nonzero loadings", f"{used:,}", f"of {cells:,}: {percent(1 - used / cells)} are zero"),
        _tile("variance explained", percent(facts.total), f"PCA: {percent(facts.pca_total)}"),
        _tile("result", verdict(facts), f"in {number(facts.seconds)} s"),
        class_="tiles",
    )
    return element("header", element("h1", facts.title), *told, tiles, _notes(facts))


def _sentences(facts: Facts) -> list[str]:
    n, m = facts.components.shape
    used, total, pca = int(facts.nonzeros.sum()), facts.total, facts.pca_total
    has = "component has" if n == 1 else "components have"
    said = [f"{n:,} sparse {has} {count(used, 'nonzero loading')} out of {n * m:,}."]
    if np.isfinite(total) and np.isfinite(pca) and pca > 0:
        said.append(
            f" {'It explains' if n == 1 else 'Together they explain'} {percent(total)} of the variance; "
            f"{'the first component' if n == 1 else 'as many components'} of PCA, with all {n * m:,} loadings, "
            f"explain{'s' if n == 1 else ''} {percent(pca)}."
        )
    elif pca == 0:
        said.append(" There is no variance to explain.")
    else:
        said.append(" The share of the variance that they explain is not known.")
    said.append(f" {facts.certificate}")
    return said


def _tile(term: str, value: object, more: str) -> Markup:
    return element("div", element("dt", term), element("dd", value, class_="value"), element("dd", more))


def _notes(facts: Facts) -> Markup | None:
    if not facts.notes:
        return None
    items = [element("li", note) for note in facts.notes]
    rest = folded(f"{len(items) - _NOTES:,} more notes", element("ul", *items[_NOTES:])) if len(items) > _NOTES else None
    return element("div", element("ul", *items[:_NOTES]), rest, class_="notes", role="note", aria_label="Notes")
