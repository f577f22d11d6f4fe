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
    newton_steps: int = 1000  # of the proximal Newton method, at most

    # starts, and hops to lower minima
    stack: int = 16  # starts that are probed side by side
    stages: tuple[int, int] = (40, 80)  # iterations of a probe
    halving: int = 4  # one in so many probes goes on after a stage
    rotations: int = 8  # of principal components
    decomposed: int = 200  # rows up to which principal components come from a decomposition
    jitter: float = 0.05  # random perturbation of a minimiser, of columns of length 1
    failures: int = 3  # rounds of hops in vain
    floor: float = 1e9  # operations that may always go into lower minima
    overhead: float = 2e5  # the least cost of an iteration within a stack, in operations
    chunk: float = 1e7  # operations of the compiled loop between two looks at the deadline: a few milliseconds


SMALL = Small()
