"""What is wanted of the components."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orthoprox.estimators.quota import Quota


@dataclass(frozen=True)
class Wanted:
    """What is wanted of the components."""

    n: int
    alpha: float = 0.1
    quota: Quota | None = None
    penalty: Any = "l1"
    nonnegative: bool = False
    refit: bool = True
    criterion: str = "variance"
    start: Any = "auto"  # "auto", the name of a start, or a point
    n_init: int = 1
    effort: str | None = None
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    options: dict[str, Any] = field(default_factory=dict)  # of minimize
