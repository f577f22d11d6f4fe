"""Small problems: when a problem is one, and the numbers of what is done differently there."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Small:
    """The numbers of the phases and of the search that are for small problems, each with its
    meaning and its unit.
    """

    entries: int = 3000  # of X, at most

    # phases
    hasty: float = 300  # a first-order run that needs more further iterations is slow
    weak: float = 0.05  # the share of |grad l| up to which a subgradient of g is weak: second order comes first

    # starts, and hops to lower minima
    stack: int = 16  # starts that are probed side by side; columns of X for compiled Newton steps, at most
    length: int = 150  # iterations of a probe, half as many where they are not compiled
    few: int = 4  # of many starts, hops or directions, the ones that go on; steps of a column that grows
    decomposed: int = 250  # rows, or half the free entries, up to which a decomposition is cheap
    jitter: float = 0.05  # random perturbation of a minimiser, of columns of length 1
    soft: float = 0.01  # the curvature along a soft direction, over that along a random one
    shift: float = 0.1  # along it, and half of that, of columns of length 1
    failures: int = 3  # rounds of hops in vain
    floor: float = 1.3e9  # operations that may always go into lower minima
    overhead: float = 2e5  # the least cost of an iteration within a stack, in operations
    chunk: float = 1e7  # operations of the compiled loop between two looks at the deadline: a few milliseconds


SMALL = Small()
