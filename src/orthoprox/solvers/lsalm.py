"""LSALM, the linearized smoothing augmented Lagrangian method: Algorithm 1 of the paper."""

from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from orthoprox._arrays import inputs
from orthoprox._arrays.library import Array, identity, is_array, namespace
from orthoprox._certify.certificate import proximal_step
from orthoprox._linalg import stiefel
from orthoprox.paper.constants import CONSTANTS
from orthoprox.paper.theory import stability_radius
from orthoprox.problems.problem import Problem, as_problem
from orthoprox.smooth.curvature import lipschitz
from orthoprox.solvers._shared.sets import Ball, ConvexSet, Cube, Everything
from orthoprox.solvers.base import SEPARABLE, Ability, Facts, Residuals, Solver


@dataclass(frozen=True)
class Parameters:
    """The parameters in force."""

    rho: float  # penalty on |X'X - I|^2
    lam: float  # step of the linearization
    r: float  # weight of the smoothing term |X - Z|^2 / 2
    alpha: float  # dual step
    beta: float  # step of the smoothing centre
    eps: float  # dual perturbation


@dataclass(frozen=True)
class State:
    """The iterates."""

    X: Array  # X^k, primal iterate; X'X = I only in the limit
    Y: Array  # Y^k, multiplier of X'X = I; symmetric n x n
    Z: Array  # Z^k, smoothing centre
    G: Array  # X^k'X^k - I, kept from the last step
    D: Array  # grad l(X^k), kept from the last step
    p: Parameters  # rho, lam, r, alpha, beta, eps in force


@dataclass(frozen=True)
class LSALM(Solver[State]):
    """The linearized smoothing augmented Lagrangian method: one loop, no retraction, only matrix
    products.

    With L_rho(X, Y) = l(X) + g(X) + <Y, X'X - I> + rho/2 |X'X - I|^2 and c = r + 1/lam, each
    iteration does

        X+ = prox_{g/c}((X/lam + r Z - grad l(X) - 2X (Y + rho (X'X - I))) / c)
        Z+ = Z + beta (X+ - Z)
        Y+ = proj(Y + alpha (X+'X+ - I - eps Y))

    at the price of one gradient, one prox and one product X'X. What is given is used exactly as
    given. What is not follows one rule, careful and slow, with L the Lipschitz constant of grad l
    plus the weak convexity modulus of g, and s = L (X0 - prox_{g/L}(X0)) for a subgradient of g:

        Y0 = -sym(X0'(grad l(X0) + s)) / 2      rho = max(L/6, |Y0|_2/2)      alpha = rho
        1/lam = L + 2 |Y0|_2 + 4 rho            r = .1 / lam                  beta = .9
        Z0 = X0                                 eps = 1e-10 / rho

    (Where rho = 0 is given, max(L/6, |Y0|_2/2) takes its place in alpha and eps and is added to
    1/lam.)

    Parameters
    ----------
    rho, lam, r, alpha, beta, eps : float, optional
        As above; lam, alpha and beta positive, the others nonnegative. For a batch of problems also
        arrays (batch, 1, 1).
    box : float, optional
        Keeps X in |x_ij| <= box, in place of the paper's set of primal iterates; needs a separable
        g. None by default.
    dual_radius : float, optional
        Keeps Y in |Y|_F <= dual_radius, the paper's R_Y. None by default.
    Y0, Z0 : array, optional
        The first multiplier and smoothing centre; ``Y0=0`` is the paper's choice.

    References
    ----------
    Zhu, Ding, Liu and So, Primal-Dual Methods for Nonsmooth Nonconvex Optimization with
    Orthogonality Constraints, arXiv:2604.04130 (2026), Algorithm 1.
    """

    facts: ClassVar = Facts(
        "LSALM",
        nonsmooth=True,
        single_loop=True,
        complexity="O(eps^-3)",
        sequential=True,
        retraction_free=True,
        work={"gradient": 1, "prox": 1, "gram": 1, "right": 1},
    )
    units: ClassVar = {"rho": 1, "lam": -1, "r": 1, "alpha": 1, "eps": -1, "dual_radius": 1, "Y0": 1}

    rho: float | None = None
    lam: float | None = None
    r: float | None = None
    alpha: float | None = None
    beta: float | None = None
    eps: float | None = None
    box: float | None = None
    dual_radius: float | None = None
    Y0: Any = None
    Z0: Any = None

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if getattr(self, field.name) is not None):
            object.__setattr__(self, name, _checked(name, getattr(self, name)))

    @classmethod
    def paper(cls, experiment: str, problem: Problem) -> "LSALM":
        """Return LSALM with the constants of one of the paper's experiments, "quadratic",
        "sparse_pca" or "matching".
        """
        constants = CONSTANTS[inputs.choice(experiment, "experiment", CONSTANTS)]
        return cls(**constants(as_problem(problem)), box=10.0, Y0=0.0)

    @property
    def needs(self) -> tuple[Ability, ...]:  # type: ignore[override]
        return () if self.box is None else (SEPARABLE,)

    def init(self, problem: Problem, X0: Array) -> State:
        self._check_shapes(problem, X0)
        D = problem.smooth.grad(X0)
        L = lipschitz(problem.smooth, X0) + problem.nonsmooth.modulus
        Y, Z = self._first_multiplier(problem, X0, D, L), _first(self.Z0, X0)
        return State(X0, Y, Z, stiefel.defect(X0), D, self._resolve(L, Y))

    def step(self, problem: Problem, state: State) -> State:
        ell, g = problem.smooth, problem.nonsmooth
        X, Y, Z, G, D, p = state.X, state.Y, state.Z, state.G, state.D, state.p
        c = p.r + 1 / p.lam

        # Algorithm 1, line 2:  X+ = prox_{g/c}( (X/lam + rZ - grad_X L_rho(X, Y)) / c ), kept in
        # the box with grad_X L_rho = D + 2X (Y + rho G); X/lam joins that product
        M = 2 * (Y + p.rho * G) - identity(Y.shape[-1], Y) / p.lam
        X = self._primal_set.project(g.prox((p.r * Z - D - X @ M) / c, 1 / c))

        # Algorithm 1, line 3
        Z = Z + p.beta * (X - Z)

        # Algorithm 1, line 4
        G = stiefel.defect(X)
        Y = self._dual_set.project(Y + p.alpha * (G - p.eps * Y))
        return State(X, Y, Z, G, ell.grad(X), p)

    def residuals(self, problem: Problem, old: State, new: State) -> Residuals:
        """Return the residuals of the paper's stopping rules, and two that bound the distance to
        stationarity.

        ``step`` |X+ - X|, ``smoothing`` |X+ - Z|, ``update`` their sum, ``constraint`` |X+'X+ - I|,
        and with s the subgradient of g at X+ that the prox gave (0 if g = 0): ``prox`` |grad l(X) +
        s + 2X (Y + rho (X'X - I))|, which needs no product, and ``kkt`` |grad l(X+) + s + 2 X+ Y+|.
        """
        p = new.p

        def step() -> Array:
            return stiefel.norm(new.X - old.X)

        def smoothing() -> Array:
            return stiefel.norm(new.X - old.Z)

        def proximal() -> Array:
            return (new.X - old.X) / p.lam + p.r * (new.X - old.Z)

        def kkt() -> Array:
            s = -(old.D + old.X @ (2 * (old.Y + p.rho * old.G))) - proximal()
            return stiefel.norm(new.D + s + new.X @ (2 * new.Y))

        return {
            "step": step,
            "smoothing": smoothing,
            "update": lambda: step() + smoothing(),
            "constraint": lambda: stiefel.norm(new.G),
            "prox": lambda: stiefel.norm(proximal()),
            "kkt": kkt,
        }

    def multiplier(self, state: State) -> Array:
        return state.Y

    def parameters(self, state: State) -> dict[str, Any]:
        return asdict(state.p)

    def advice(self, problem: Problem, state: State) -> str:
        p = self.parameters(state)
        radius = stability_radius(**p)
        smaller = [(name, float(f"{p[name] / 4**k:.2g}")) for k in range(1, 8) for name in ("beta", "alpha", "rho", "lam")]
        for name, value in smaller if radius >= 1 else ():
            if value > 0 and stability_radius(**{**p, name: value}) < 1:
                return f"The stability radius is {radius:.2f}, above 1; it would be below with {name} = {value:.2g}."
        if self.lam is not None:
            return f"Set a smaller lam, a quarter of {p['lam']:.2g} or less, or leave it out."
        return f"Set lam = {p['lam'] / 4:.2g} or less, or rho = {2 * p['rho']:.2g} or more."

    @property
    def _primal_set(self) -> ConvexSet:
        return Everything() if self.box is None else Cube(self.box)

    @property
    def _dual_set(self) -> ConvexSet:
        return Everything() if self.dual_radius is None else Ball(self.dual_radius)

    def _first_multiplier(self, problem: Problem, X0: Array, D: Array, L: float) -> Array:
        if self.Y0 is None:
            t = 1 / L if L > 2 * problem.nonsmooth.modulus else proximal_step(problem, X0)
            s = (X0 - problem.nonsmooth.prox(X0, t)) / t
            return stiefel.multiplier(X0, D + s)
        return stiefel.sym(self.Y0) if is_array(self.Y0) else self.Y0 + 0 * stiefel.defect(X0)

    def _check_shapes(self, problem: Problem, X0: Array) -> None:
        m, n = problem.shape
        for name, shape in {"Y0": (n, n), "Z0": (m, n)}.items():
            if is_array(getattr(self, name)):
                inputs.matrix(getattr(self, name), name, shape=shape, batch=X0.ndim > 2)
        for name in (field.name for field in fields(Parameters) if is_array(getattr(self, field.name))):
            given, batch = tuple(getattr(self, name).shape), tuple(X0.shape[:-2])
            if given[:-2] != batch:
                raise ValueError(
                    f"{name} has shape {given}, the start {tuple(X0.shape)}; it needs a number or {(*batch, 1, 1)}."
                )

    def _resolve(self, L: float, Y0: Array) -> Parameters:
        """Return the parameters, those left open by the safe rule."""
        given = {field.name: getattr(self, field.name) for field in fields(Parameters)}
        size = float(namespace(Y0).max(namespace(Y0).linalg.matrix_norm(Y0, ord=2)))
        penalty = max(L / 6, size / 2) or 1.0
        rho = _first(given["rho"], penalty)
        alpha = _nonzero(rho, penalty)  # a method without penalty still needs a dual step
        lam = _first(given["lam"], 1 / (L + 2 * size + 4 * rho + (alpha - rho)))
        _checked("lam", lam)
        safe = {"rho": rho, "lam": lam, "r": 0.1 / lam, "alpha": alpha, "beta": 0.9, "eps": 1e-10 / alpha}
        return Parameters(**{name: _checked(name, _first(given[name], safe[name])) for name in safe})


def _checked(name: str, value: Any) -> Any:
    if name in ("box", "dual_radius"):
        return inputs.number(value, name)
    if name == "Y0" and not isinstance(value, (list, tuple)) and not (is_array(value) and value.ndim > 0):
        return inputs.number(value, name, minimum=float("-inf"))
    if name in ("Y0", "Z0"):
        return inputs.matrix(value, name, batch=True)
    return inputs.parameter(value, name, strict=name in ("lam", "alpha", "beta"))


def _first(given: Any, otherwise: Any) -> Any:
    return otherwise if given is None else given


def _nonzero(value: Any, otherwise: float) -> Any:
    return namespace(value).where(value > 0, value, otherwise) if is_array(value) else value or otherwise
