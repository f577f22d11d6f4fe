"""Conditions such as "m <= 500", to run a part of a study."""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from orthoprox._arrays import inputs
from orthoprox.reproduce.spec import Run

_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_FORM = re.compile(r"\s*([A-Za-z_]\w*)\s*(<=|>=|==|<|>)\s*([\w.+-]+)\s*")


@dataclass(frozen=True)
class Condition:
    """A comparison of a coordinate of a run with a value, such as "m <= 500" or "solver ==
    lsalm".
    """

    name: str
    sign: str
    value: float | str

    @classmethod
    def parse(cls, text: str) -> "Condition":
        """Return the condition that a text states."""
        form = _FORM.fullmatch(text)
        if form is None:
            raise ValueError(
                f"{text!r} is not a condition; it needs a form such as 'm <= 500', 'seed < 3' or 'solver == lsalm'."
            )
        name, sign, value = form.groups()
        try:
            number = float(value)
        except ValueError:
            return cls(name, sign, value)
        if isnan(number):
            raise ValueError(f"{text!r} compares with nan, which holds for no run; it needs a number, as in '{name} {sign} 3'.")
        return cls(name, sign, number)

    def holds(self, run: Run) -> bool:
        """Return whether a run meets the condition; one without that coordinate does."""
        if self.name not in run.at:
            return True
        here = run.at[self.name]
        if isinstance(here, str) != isinstance(self.value, str):
            raise ValueError(f"{self.name} is {here!r} in some run, which cannot be compared with {self.value!r}.")
        return _SIGNS[self.sign](here, self.value)

    def check(self, runs: Sequence[Run]) -> None:
        """Raise where none of the runs has the coordinate, because it is misspelt, or one cannot be
        compared.
        """
        known = sorted({name for run in runs for name in run.at})
        inputs.choice(self.name, f"The coordinate in '{self}'", known)
        for run in runs:
            self.holds(run)

    def __str__(self) -> str:
        if isinstance(self.value, str):
            return f"{self.name} {self.sign} {self.value}"
        short = f"{self.value:g}"
        return f"{self.name} {self.sign} {short if float(short) == self.value else repr(self.value)}"
