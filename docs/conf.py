"""The documentation site: ``make docs`` builds it with Sphinx into docs/_build."""

import os
import re
import sys
from pathlib import Path
from typing import Any

from sphinx_gallery.sorting import ExplicitOrder

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent)]  # docs is a package: the extensions of the site are modules of it
os.environ.setdefault("ORTHOPROX_COMPILED", "0")  # what is shown does not depend on what is kept on disk

from docs.figures import figures  # noqa: E402

import orthoprox  # noqa: E402
from docs import house  # noqa: E402

project = "orthoprox"
author = "The orthoprox developers"
copyright = f"2026, {author}"
version = release = orthoprox.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "docs.docstrings",
    "docs.mathml",
]
exclude_patterns = ["_build", "_drawn", "estimators/page.md", "reproduction/tables"]
suppress_warnings = ["config.cache"]  # the order of the gallery is a function
html_math_renderer = "mathml"
smartquotes = False  # X'X is no quotation

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 4

GALLERY = [  # in this order
    "wine",
    "variance",
    "genes",
    "digits",
    "selection",
    "outliers",
    "own_terms",
    "path",
    "certificate",
    "starts",
    "matching",
    "modes",
    "convergence",
    "paper",
    "resume",
    "dask",
]
sphinx_gallery_conf: dict[str, Any] = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": ExplicitOrder([*(f"plot_{name}.py" for name in GALLERY), "*"]),
    "image_scrapers": ("matplotlib", figures),
    "abort_on_example_error": True,
    "min_reported_time": float("inf"),  # times are those of a machine
    "write_computation_times": False,
    "remove_config_comments": True,
    "show_signature": False,
    "matplotlib_animations": False,
}

autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = "orthoprox"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = html_domain_indices = False  # the reference and the search have every name
html_show_sphinx = False
html_show_search_summary = False  # a page may not read other files where there is no server


def anchored(app: Any, name: str, source: list[str]) -> None:
    """Make Sphinx's targets of the anchors that a page has for readers of the repository."""
    source[0] = re.sub(r'^<a id="([\w-]+)"></a>$', r"(\1)=", source[0], flags=re.MULTILINE)


def setup(app: Any) -> None:
    """Draw the house before pages are read, and connect what changes them."""
    house.write()
    app.connect("source-read", anchored)
