"""The instances of the robustness suite, generated from robustness.toml."""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.data import Matrix, draw

import orthoprox as op
from orthoprox.nonsmooth.base import Nonsmooth
from orthoprox.smooth.base import Smooth

SUITE = Path(__file__).with_name("robustness.toml")


@dataclass(frozen=True)
class Instance:
    """One problem with one start."""

    family: str
    problem: str
    penalty: dict[str, Any]
    shape: tuple[int, int]
    seed: int
    data: dict[str, Any] = field(default_factory=dict)
    scale: float = 1.0
    dtype: str = "float64"

    @property
    def name(self) -> str:
        """What tells this instance from the others of its family."""
        m, n = self.shape
        words = [self.problem, self.data.get("name", ""), str(self.data.get("frame", "")), self.penalty["name"], f"{m}x{n}"]
        factor = "" if self.scale == 1 else f"times {self.scale:g}"
        return " ".join(word for word in (*words, factor, f"seed {self.seed}") if word)

    def make(self, *, own: bool = False) -> tuple[op.Problem, Matrix]:
        """Return the problem and the start; with ``own``, l is a bare function with its gradient,
        without any constant.
        """
        rng = np.random.default_rng(self.seed)
        smooth = SMOOTH[self.problem](self, rng)
        if own:
            smooth = op.smooth.Function(smooth.value, smooth.grad)
        start = op.stiefel.random_point(*self.shape, seed=rng).astype(self.dtype)
        return op.Problem(smooth, self._penalty(), self.shape), start

    def matrix(self, rng: np.random.Generator) -> Matrix:
        """Return the data matrix."""
        return draw(m=self.shape[0], rng=rng, **self.data)

    def _penalty(self) -> Nonsmooth:
        options = {key: value for key, value in self.penalty.items() if key != "name"}
        if "mu" in options:
            options["mu"] *= self.scale
        for concavity in {"gamma", "a"} & set(options) if self.scale != 1 else ():
            raise ValueError(f"{self.name}: {concavity} does not scale with f.")
        return getattr(op.nonsmooth, self.penalty["name"])(**options)


def instances(part: str, first: int | None = None) -> Iterator[Instance]:
    """Yield the instances of the seeds for "tuning" or for the "report", or of as many from
    ``first`` on.
    """
    suite = tomllib.loads(SUITE.read_text())
    first = suite[part]["first"] if first is None else first
    seeds = range(first, first + suite[part]["number"])
    for case in suite["case"]:
        shapes, scales = case.pop("shapes"), case.pop("scales", [1.0])
        for shape in shapes:
            for scale in scales:
                for seed in seeds:
                    yield Instance(**case, shape=tuple(shape), scale=scale, seed=seed)


def tolerance(instance: Instance) -> float:
    """Return the relative certificate that an instance should reach."""
    return float(tomllib.loads(SUITE.read_text())["tolerance"][instance.dtype])


def _variance(of: Instance, rng: np.random.Generator) -> Smooth:
    return op.smooth.Variance((of.scale**0.5 * of.matrix(rng)).astype(of.dtype))


def _random_quadratic(of: Instance, rng: np.random.Generator) -> Smooth:
    A, B = op.datasets.random_quadratic(*of.shape, seed=rng)
    return op.smooth.Quadratic((of.scale * A).astype(of.dtype), (of.scale * B).astype(of.dtype))


def _procrustes(of: Instance, rng: np.random.Generator) -> Smooth:
    """|AX - T|^2 / 2 up to a constant, with T = A Q + noise for a sparse Q with orthonormal
    columns.
    """
    (m, n), A = of.shape, of.matrix(rng)
    Q = np.linalg.qr(np.eye(m)[:, rng.permutation(m)[:n]] + 0.3 * np.eye(m)[:, rng.permutation(m)[:n]])[0]
    T = A @ Q + 0.05 * rng.standard_normal((len(A), n))
    return op.smooth.Quadratic((of.scale * (A.T @ A)).astype(of.dtype), (-of.scale * (A.T @ T)).astype(of.dtype))


def _compressed_modes(of: Instance, rng: np.random.Generator) -> Smooth:
    return op.problems.compressed_modes(*of.shape, of.penalty["mu"]).smooth


def _matching(of: Instance, rng: np.random.Generator) -> Smooth:
    (m, n), house = of.shape, op.datasets.synthetic_house(seed=rng)
    return op.problems.graph_matching(house[0][:m], house[of.data["frame"]][:n], of.data["mu"]).smooth


def _function(value: Callable[[Matrix], Matrix], slope: Callable[[Matrix], Matrix]) -> Callable[..., Smooth]:
    """Return the maker of l(X) = -sum value(AX)."""

    def make(of: Instance, rng: np.random.Generator) -> Smooth:
        A = of.matrix(rng).astype(of.dtype)
        return op.smooth.Function(lambda X: -np.sum(value(A @ X)), lambda X: -A.T @ slope(A @ X))

    return make


SMOOTH: dict[str, Callable[[Instance, np.random.Generator], Smooth]] = {
    "variance": _variance,
    "random_quadratic": _random_quadratic,
    "procrustes": _procrustes,
    "compressed_modes": _compressed_modes,
    "matching": _matching,
    "absolute": _function(lambda U: np.sqrt(1 + U**2), lambda U: U / np.sqrt(1 + U**2)),
    "log_cosh": _function(lambda U: np.logaddexp(U, -U) - np.log(2), np.tanh),
    "quartic": _function(lambda U: U**4 / 4, lambda U: U**3),
}
