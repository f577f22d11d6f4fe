"""Finds the figures of a gallery page that the library drew: they are no figures of pyplot."""

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def figures(block: Any, variables: dict[str, Any], configuration: dict[str, Any]) -> str:
    """Save each figure that a variable of the program holds, once, and return how to show them."""
    paths = []
    for value in list(variables["example_globals"].values()):
        if isinstance(value, Figure) and getattr(value, "number", None) is None and not getattr(value, "shown", False):
            paths.append(next(variables["image_path_iterator"]))
            value.savefig(paths[-1], dpi=100, facecolor="white")
            value.shown = True
    return str(figure_rst(paths, configuration["src_dir"]))
