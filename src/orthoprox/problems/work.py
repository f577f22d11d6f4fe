"""The work that is done on a problem."""

from dataclasses import dataclass, replace


@dataclass
class Work:
    """How often a call has evaluated the terms, and how many runs it has made.

    Steps on a working set and products with a Hessian matrix evaluate no term and are not counted.
    """

    gradients: int = 0  # grad l, with or without the value
    values: int = 0  # l, with or without the gradient; those of g are not counted
    proxes: int = 0  # prox of g
    runs: int = 0  # of a method, from a start to a stopping rule

    def add(self, other: "Work") -> None:
        """Add the work that was done elsewhere."""
        self.gradients += other.gradients
        self.values += other.values
        self.proxes += other.proxes
        self.runs += other.runs

    def __add__(self, other: "Work") -> "Work":
        total = replace(self)
        total.add(other)
        return total
