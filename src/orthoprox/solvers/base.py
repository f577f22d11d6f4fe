"""What every method is: parameters, a state, and one step; what it needs of the terms, and what is
known about it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar, cast

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array
from orthoprox._certify.evaluator import Evaluator
from orthoprox.nonsmooth.base import HasFace, HasProxDerivative, HasSubdifferential
from orthoprox.nonsmooth.separable import Separable, Zero
from orthoprox.problems.problem import Problem
from orthoprox.stopping.rules import Leaves, Stop

S = TypeVar("S")

Residuals = Mapping[str, Callable[[], Array]]
"""Named quantities of one step, each computed when it is called."""


@dataclass(frozen=True)
class Ability:
    """Something that a method asks of one of the two terms beyond a gradient or a prox."""

    needed: str  # "a smooth objective"
    lacking: str  # "is not smooth"
    kind: type  # the class or protocol that the term has to be an instance of
    term: str = "nonsmooth"  # which term: "smooth" or "nonsmooth"

    def lacking_in(self, problem: Problem) -> str | None:
        """Return the name of the term that lacks it, or None where the problem has it."""
        term = getattr(problem, self.term)
        return None if isinstance(term, self.kind) else str(term.__class__.__name__)


SMOOTH = Ability("a smooth objective", "is not smooth", Zero)
SUBGRADIENT = Ability("a subgradient of g", "does not provide one", HasSubdifferential)
PROX_DERIVATIVE = Ability("the derivative of a prox", "does not provide one", HasProxDerivative)
KINKS = Ability("the kinks of g", "does not provide them", HasFace)
SEPARABLE = Ability("a separable g for its box", "is not separable", Separable)


@dataclass(frozen=True)
class Facts:
    """What is known about a method: the columns of the paper's comparison, and the work of one
    iteration.

    ``work`` counts, for one iteration (with ``trials`` that is one trial of its line search; with
    ``cycles``, one cycle of its inner loop), the operations of which an iteration consists:
    ``gradient`` (with or without the value), ``prox``, ``polar``, ``resolvent``, and the products
    ``gram`` X'W and ``right`` XS of 2 m n^2 operations each.
    """

    name: str
    nonsmooth: bool  # whether it handles g
    single_loop: bool
    complexity: str  # iterations to an eps-stationary point; "" where none is known
    sequential: bool  # whether the whole sequence is known to converge
    retraction_free: bool
    work: Mapping[str, int]
    per: str = "iteration"
    remark: str = ""


@dataclass(frozen=True)
class Auto:
    """What "auto" means in ``minimize`` for a method."""

    start: str = "random"  # a name in STARTS, or "search": probe a few starts, and look for lower minima after the run
    polish: bool = False  # whether the end of a run with the default stopping rule is polished


def check_positive(solver: Any, *names: str) -> None:
    """Make floats of the named parameters and raise where one is not positive; None stays where it
    is the default.
    """
    optional = {field.name for field in fields(solver) if field.default is None}
    for name in names:
        value = getattr(solver, name)
        if value is not None or name not in optional:
            object.__setattr__(solver, name, inputs.number(value, name))


class Solver(ABC, Generic[S]):
    """A method, as a frozen dataclass of the parameters that the user wrote.

    The loop, the clock, the measurements and the stopping rules are written once, in ``solve``; a
    method only iterates.
    """

    facts: ClassVar[Facts]
    units: ClassVar[Mapping[str, int]] = {}  # parameters, given or in force, that scale with a power of f
    auto: ClassVar[Auto] = Auto()
    needs: ClassVar[tuple[Ability, ...]] = ()  # the abilities that the terms must have beyond a gradient and a prox

    @abstractmethod
    def init(self, problem: Problem, X0: Array) -> S:
        """Return the first state; parameters left open are resolved here, once."""

    @abstractmethod
    def step(self, problem: Problem, state: S) -> S:
        """Return the next state; the old one is not changed."""

    @abstractmethod
    def residuals(self, problem: Problem, old: S, new: S) -> Residuals:
        """Return cheap named quantities of the step from ``old`` to ``new``, each computed when
        called.

        All methods have ``step`` |X^k - X^(k-1)|, ``constraint`` (the violation of what the method
        keeps only in the limit) and ``prox`` (an estimate of the distance to stationarity).
        """

    def begin(self, problem: Problem, X0: Array, evaluator: Evaluator, multiplier: Array | None = None) -> S:
        """Return the first state of a run that is measured by this evaluator, from X0 and perhaps
        its multiplier; ``init`` by default.
        """
        return self.init(problem, X0)

    def failure(self, state: S) -> str:
        """Return why the method cannot go on from this state; an empty text, the default, while it
        can.
        """
        return ""

    def conclude(self, problem: Problem, first: S, last: S) -> tuple[S, str]:
        """Return the state to report at the end of a run from ``first`` to ``last``, and what to
        say about it; the last, without a word, by default.
        """
        return last, ""

    def default_stop(self, certified: Stop, budget: Stop) -> Stop:
        """Return the rule for a run without a rule of the user's: certified, out of budget, or
        |X'X - I| > 1 after the first 50 iterations, which counts as diverged.
        """
        return certified | budget | Leaves()

    def output(self, state: S) -> Array:
        """Return the point to report, unchanged; the field ``X`` of the state by default."""
        return cast(Any, state).X

    def multiplier(self, state: S) -> Array | None:
        """Return the method's own multiplier of X'X = I; None by default, and the certificate finds
        one.
        """
        return None

    def parameters(self, state: S) -> dict[str, Any]:
        """Return the parameters in force, by name, for the history; none by default."""
        return {}

    def advice(self, problem: Problem, state: S) -> str:
        """Return the sentence that says what to change after a diverged run."""
        return "Check the gradient with orthoprox.checks.check_grad and the prox with check_prox; one may be wrong."
