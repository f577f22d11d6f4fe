"""Wide problems: when a problem is one, and the numbers of its start and its working sets of
rows.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wide:
    """The numbers of what is done differently for data with many more features than samples, each
    with its meaning and its unit.
    """

    rows: int = 2000  # of X, at least, and twice as many as samples

    # the start: a homotopy in the threshold, and repairs
    stages: tuple[float, float] = (0.3, 0.6)  # of the threshold, before the whole; the first is for principal components
    steps: int = 4  # of the power method in each of these stages
    most: int = 30  # steps in the last one
    dropped: float = 0.25  # the share of the columns that a repair replaces
    seeds: int = 4  # times the columns of X: features that a repair looks at
    apart: float = 0.35  # the cosine up to which two of them are different
    failures: int = 2  # repairs in vain, one after the other
    work: float = 2e11  # operations that all repairs may take
    probes: float = 4e9  # operations that probes of other starts may take

    # working sets
    near: float = 0.8  # of the threshold: rows beyond belong to a working set, of at most half of the rows
    rough: float = 1e-5  # the residual up to which a run on all rows goes in single precision
    entries: int = 1_000_000  # of X within it, under a weak penalty or with few columns, up to which second order soon pays


WIDE = Wide()
