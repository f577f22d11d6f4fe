"""The sections of the report, by the ids of their specs."""

from collections.abc import Callable

from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import Section
from orthoprox.reproduce.sections import (
    assignment,
    components,
    default,
    methods,
    pairs,
    penalty,
    polar,
    ranges,
    restart,
    scaling,
    smoothing,
    tested,
)
from orthoprox.reproduce.spec import Spec

SECTIONS: dict[str, Callable[[Spec, list[Row], bool], Section]] = {
    "fig-qp-range": ranges.section,
    "fig-qp-beta": smoothing.section,
    "fig-qp-rho": penalty.section,
    "fig-qp-r-beta": pairs.section,
    "table-spca": components.section,
    "fig-spca-scaling": scaling.section,
    "table-spca-rsm": restart.section,
    "table-matching": assignment.section,
    "fig-methods": methods.section,
    "table-default": default.section,
    "tested-times": tested.times,
    "tested-polar": polar.section,
    "tested-subproblems": tested.subproblems,
    "tested-steps": tested.steps,
}
