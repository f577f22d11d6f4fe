"""Wide problems: when a problem is one, and the numbers of its start and its working set of rows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wide:
    """The numbers of what is done differently for data with many more features than samples, each
    with its meaning and its unit.
    """

    rows: int = 2000  # of X, at least, and twice as many as samples

    # the start: a homotopy in the threshold, and repairs
    stages: tuple[float, ...] = (0.3, 0.6, 1.0)  # of the threshold; the first is for principal components alone
    steps: int = 4  # of the power method with one threshold
    settled: float = 1e-3  # the move of a column of length 1 that ends the last stage
    most: int = 30  # steps of the last stage
    screened: float = 0.7  # of the threshold: rows below do not enter within a stage
    dropped: float = 0.25  # the share of the columns that a repair replaces
    seeds: int = 4  # times the columns of X: features that a repair looks at
    apart: float = 0.35  # the cosine up to which two of them are different
    repairs: int = 8  # at most
    failures: int = 2  # of them in vain, one after the other
    lower: float = 1e-4  # the decrease of f that a repair has to bring
    probes: float = 4e9  # operations that probes of other starts may take

    # the working set
    near: float = 0.9  # of the threshold: rows above belong to it
    share: float = 0.5  # of all rows, at most
    entries: int = 100_000  # of X within it, up to which it is small: second order soon pays


WIDE = Wide()
