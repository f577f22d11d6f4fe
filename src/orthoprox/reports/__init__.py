"""The report of a fit: plain facts in, one self-contained page of HTML out.

Imports the rooms _arrays.
"""

from orthoprox.reports.facts import Facts
from orthoprox.reports.page import page

__all__ = ["Facts", "page"]
