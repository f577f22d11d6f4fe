"""What a call of ``minimize`` asks for, checked."""

import inspect
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from orthoprox._adaptive.settings import EFFORTS
from orthoprox._arrays import inputs
from orthoprox._arrays.words import short
from orthoprox._run.recorded import digest
from orthoprox._run.run import Callback
from orthoprox.solvers.base import Solver
from orthoprox.stopping.rules import MaxIterations, Stationary, Stop, as_rule


@dataclass(frozen=True)
class Wish:
    """What a call asks for, checked."""

    solver: Solver[Any]
    rule: Stop
    tol: float | None  # None with a rule of the user's own
    start: Any  # a name, or a point
    searched: bool  # whether the start is to be searched for
    effort: str
    n_starts: int
    polish: bool
    compiled: bool | None
    project: bool
    history: bool
    rng: np.random.Generator
    callback: Callback | None
    progress: bool

    @classmethod
    def of(
        cls, solver: Solver[Any], *, tol: Any, max_iterations: Any, stop: Any, start: Any, seed: Any, **given: Any
    ) -> "Wish":
        """Return what is asked for with these options of ``minimize``, and the names of starts."""
        rule = _rule(solver, tol, max_iterations, stop)
        if given["callback"] is not None:
            inputs.function(given["callback"], "callback", "one argument")
        given["polish"] = _wants_polish(given["polish"], default=solver.auto.polish and stop is None)
        start, searched = _named(start, solver.auto.start, given.pop("starts"))
        given["effort"] = _checked_effort(given["effort"], searched, solver, stop)
        for name in ("compiled", "progress", "project", "history"):
            if given[name] is not None or name != "compiled":
                given[name] = inputs.flag(given[name], name)
        given["n_starts"] = _checked_n_starts(start, **{name: given[name] for name in ("n_starts", "callback", "progress")})
        tol = None if stop is not None else tol
        return cls(solver=solver, rule=rule, tol=tol, start=start, searched=searched, rng=inputs.generator(seed), **given)

    @property
    def described(self) -> dict[str, Any]:
        """What a checkpoint is recognised by."""
        names = "tol", "rule", "effort", "n_starts", "polish", "project", "history"
        numbers = digest(repr(self.rng.bit_generator.state).encode())
        return {name: repr(getattr(self, name)) for name in names} | {"seed": numbers}


def chosen_solver(
    method: Any, parameters: dict[str, Any], solvers: Mapping[str, type[Solver[Any]]], options: Collection[str]
) -> Solver[Any]:
    """Return the method of this name with these parameters; ``options`` are those of the call."""
    if isinstance(method, Solver):
        if parameters:
            raise TypeError(
                f"Parameters {', '.join(parameters)} were given beside a method; pass them to the method itself, "
                "as in method=LSALM(rho=1.0)."
            )
        return method
    if method is None:
        method = "lsalm" if parameters else "adaptive"
    kind = solvers[inputs.choice(method, "method", solvers)]
    known = list(inspect.signature(kind).parameters)
    for name in parameters:
        if name not in known:
            others = [other for other, kind in solvers.items() if name in inspect.signature(kind).parameters]
            hint = f" It is one of method={others[0]!r}." if others else inputs.suggestion(name, [*known, *options])
            raise TypeError(f"{name!r} is not an option of minimize nor a parameter of {method}: {', '.join(known)}.{hint}")
    return kind(**parameters)


def _rule(solver: Solver[Any], tol: float, max_iterations: int | None, stop: Stop | None) -> Stop:
    """Return the stopping rule: the given one or the certificate, within the iterations."""
    certified = Stationary(tol)
    budget = MaxIterations() if max_iterations is None else MaxIterations(max_iterations)
    if stop is None:
        return solver.default_stop(certified, budget)
    return as_rule(stop) if max_iterations is None else as_rule(stop) | budget


def _wants_polish(polish: Any, *, default: bool) -> bool:
    if isinstance(polish, str) and polish != "auto":
        raise ValueError(f"polish is {short(polish)}; it needs True, False or 'auto'.")
    return default if isinstance(polish, str) else inputs.flag(polish, "polish")


def _checked_n_starts(start: Any, *, n_starts: Any, callback: Callback | None, progress: bool) -> int:
    number = inputs.integer(n_starts, "n_starts")
    if number > 1 and (callback is not None or progress):
        raise ValueError(f"n_starts is {number}, whose runs go in parallel; a callback and progress need n_starts=1.")
    if number > 1 and not isinstance(start, str):
        raise ValueError(f"n_starts is {number} but the start is one point; name a start such as 'auto' or 'random'.")
    return number


def _checked_effort(effort: Any, searched: bool, solver: Solver[Any], stop: Stop | None) -> str:
    if effort is None:
        return "normal" if searched and stop is None else "fast"
    effort = inputs.choice(effort, "effort", EFFORTS)
    if effort != "fast" and (stop is not None or solver.auto.start != "search"):
        given = "a stopping rule" if stop is not None else f"the method {type(solver).__name__}"
        raise ValueError(f"effort is {effort!r} beside {given}; lower minima are found by the default method and rule alone.")
    return str(effort)


def _named(start: Any, auto: str, names: Collection[str]) -> tuple[Any, bool]:
    """Return the start, with its name in place of "auto", and whether it is to be searched for."""
    if not isinstance(start, str):
        return start, False
    name = inputs.choice(start, "start", ["auto", *names])
    return (auto, auto == "search") if name == "auto" else (name, False)
