"""What every method is: three members of its own, defaults for the rest, and needs of either
term.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import orthoprox as op
from orthoprox import stiefel
from orthoprox.smooth.base import HasHessian
from orthoprox.solvers.base import Ability, Facts, Solver

HESSIAN = Ability("the Hessian of l as a matrix", "does not show one", HasHessian, term="smooth")


@dataclass(frozen=True)
class State:
    X: np.ndarray  # X^k


@dataclass(frozen=True)
class Power(Solver[State]):
    """The power method X+ = polar(-grad l(X)), for a concave quadratic l and g = 0."""

    facts: ClassVar = Facts(
        "Power",
        nonsmooth=False,
        single_loop=True,
        complexity="",
        sequential=False,
        retraction_free=False,
        work={"gradient": 1, "polar": 1},
    )

    def init(self, problem, X0):
        return State(X0)

    def step(self, problem, state):
        return State(stiefel.polar(-problem.smooth.grad(state.X)))

    def residuals(self, problem, old, new):
        moved = stiefel.norm(new.X - old.X)
        return {"step": lambda: moved, "constraint": lambda: 0.0, "prox": lambda: moved}


@dataclass(frozen=True)
class Demanding(Power):
    """The same, for those l that show their Hessian."""

    @property
    def needs(self):
        return (HESSIAN,)


A = np.diag([5.0, 3.0, 1.0, 0.5])
VARIANCE = op.Problem(op.smooth.Quadratic(-A), op.nonsmooth.Zero(), (4, 2))
X0 = stiefel.random_point(4, 2, seed=0)


def test_a_method_is_its_first_state_its_step_and_its_residuals():
    """The rest has defaults; the loop runs it, certifies it, and it reaches the eigenvalue sum."""
    result = op.solve(VARIANCE, Power(), X0)
    assert result.converged
    assert result.objective == pytest.approx(-(5 + 3) / 2)
    assert result.multiplier is None
    assert result.parameters == {}


def test_a_need_can_be_a_property_of_the_smooth_term():
    assert op.solve(VARIANCE, Demanding(), X0).converged
    bare = op.Problem(op.smooth.Function(VARIANCE.smooth.value, VARIANCE.smooth.grad), op.nonsmooth.Zero(), (4, 2))
    with pytest.raises(TypeError, match="Power needs the Hessian of l as a matrix; Function does not show one"):
        op.solve(bare, Demanding(), X0)


def test_a_diverged_run_gets_some_advice():
    assert "check_grad" in Power().advice(VARIANCE, State(X0))
