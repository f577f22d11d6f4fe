"""The page of a report: one file of HTML that needs no other."""

from html import escape

from orthoprox.reports.facts import Facts


def page(facts: Facts) -> str:
    """Return the report as one page of HTML, which loads nothing from elsewhere."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{value:.3g}</td>' for value in column)}</tr>"
        for name, column in zip(facts.names, facts.components.T, strict=True)
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(facts.title)}</title></head>'
        f"<body><h1>{escape(facts.title)}</h1><p>{escape(facts.certificate)}</p><table>{rows}</table></body></html>\n"
    )
