"""How many nonzeros are wanted: in total, or in each component."""

from dataclasses import dataclass
from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Quota:
    """The wanted number of nonzeros."""

    total: int
    each: Matrix | None = None  # for each column, with the sum ``total``

    def surplus(self, mask: Matrix) -> int:
        """Return how many nonzeros are too many."""
        counts = np.sum(mask, axis=0)
        return int(np.sum(counts)) - self.total if self.each is None else int(np.sum(np.maximum(counts - self.each, 0)))

    def shortage(self, mask: Matrix) -> int:
        """Return how many nonzeros are missing."""
        counts = np.sum(mask, axis=0)
        return self.total - int(np.sum(counts)) if self.each is None else int(np.sum(np.maximum(self.each - counts, 0)))

    def above(self, mask: Matrix) -> Matrix:
        """Return the columns that may lose a nonzero."""
        counts = np.sum(mask, axis=0)
        may: Matrix = counts > (1 if self.each is None else np.maximum(self.each, 1))
        return may

    def below(self, mask: Matrix) -> Matrix:
        """Return the columns that may gain one."""
        counts = np.sum(mask, axis=0)
        may: Matrix = counts < (len(mask) if self.each is None else self.each)
        return may

    def met(self, mask: Matrix) -> bool:
        """Tell whether the number is exactly the wanted one."""
        return self.surplus(mask) <= 0 and self.shortage(mask) <= 0

    def all_met(self, masks: Matrix) -> Matrix:
        """Tell the same of many masks, of shape (B, m, n)."""
        counts = np.sum(masks, axis=1)
        met: Matrix = np.sum(counts, axis=1) == self.total if self.each is None else np.all(counts == self.each, axis=1)
        return met
