"""Axes: where values stand in a picture, and the round values that are written beside them."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Axis:
    """Maps the values from ``low`` to ``high`` to the pixels from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        low, high, value = (math.log(x) if self.logarithmic else x for x in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Return round values on the axis, ``most`` at the most; on a logarithmic one of the form
        1, 2 or 5 times a power of ten, thinned to powers of ten if those are too many.
        """
        if self.logarithmic:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            for factors in ((1, 2, 5), (1, 3), (1,)):
                found = [factor * 10.0**power for power in powers for factor in factors]
                found = [value for value in found if self.low <= value <= self.high]
                if len(found) <= most:
                    break
            return found
        step = rounded((self.high - self.low) / most) if self.high > self.low else 1.0
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]


def rounded(value: float) -> float:
    """Return the least of 1, 2, 5 times a power of ten that is not below a positive value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= value * (1 - 1e-9))
