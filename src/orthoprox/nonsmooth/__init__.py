"""Nonsmooth terms g, one file for each family; their base class and their abilities.

Imports the rooms _arrays, _linalg.
"""

from orthoprox.nonsmooth.base import Nonsmooth as Nonsmooth
from orthoprox.nonsmooth.concave import MCP, SCAD
from orthoprox.nonsmooth.function import Function
from orthoprox.nonsmooth.group import L21
from orthoprox.nonsmooth.indicator import Box, Nonnegative
from orthoprox.nonsmooth.separable import L1, Zero
from orthoprox.nonsmooth.separable import Separable as Separable

__all__ = ["L1", "L21", "MCP", "SCAD", "Box", "Function", "Nonnegative", "Zero"]
