"""Claims of convergence over all methods and terms, for the judge:
``PYTHONPATH=tests python -m claims --number 1000``.
"""

import argparse
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import judge
import orthoprox as op
from cases import graph

SHAPES = (6, 2), (10, 3), (4, 4), (15, 1), (12, 5)
TOLERANCES = 1e-2, 1e-3, 1e-4, 1e-6, 1e-8


# --- Instances: a problem for the library, and the same for the judge ---


def _quadratic(rng, shape):
    m, n = shape
    A, B = rng.standard_normal((m, m)), rng.standard_normal(shape)
    A = A + A.T
    return op.smooth.Quadratic(A, B), lambda X: A @ X + B, np.linalg.norm(A, 2) * n**0.5 + np.linalg.norm(B)


def _variance(rng, shape):
    A = rng.standard_normal((3 * shape[0], shape[0]))
    return op.smooth.Variance(A), lambda X: -2 * A.T @ (A @ X), 2 * np.linalg.norm(A, 2) ** 2 * shape[1] ** 0.5


def _log_cosh(rng, shape):
    W = rng.standard_normal(shape)
    ell = op.smooth.Function(lambda X: float(np.sum(np.log(np.cosh(X - W)))), lambda X: np.tanh(X - W))
    return ell, lambda X: np.tanh(X - W), float(np.prod(shape)) ** 0.5


def _matching(rng, shape):
    if shape[1] < 3:
        return _quadratic(rng, shape)
    edges = [graph(0, nodes, nodes) for nodes in shape]
    Q = rng.random((len(edges[0]), len(edges[1])))

    def grad(X):
        D = np.where(X < 0, 2 * X, 0.0)
        for (i, j), row in zip(edges[0], Q, strict=True):
            for (a, b), q in zip(edges[1], row, strict=True):
                for k, c, h, d in ((i, a, j, b), (j, b, i, a), (i, b, j, a), (j, a, i, b)):
                    D[k, c] -= 2 * q * X[h, d]
        return D

    return op.smooth.Matching(*edges, Q, shape, 1.0), grad, 2 * (2 * np.sum(Q) + 1) * shape[1] ** 0.5


SMOOTH = {"Quadratic": _quadratic, "Variance": _variance, "Function": _log_cosh, "Matching": _matching}


def _l1_alone(mu):
    soft = op.nonsmooth.L1(mu)
    return op.nonsmooth.Function(soft.value, soft.prox)


def nonsmooth(kind, mu, shape, rng):
    """Return a term, and its subdifferential."""
    weights = mu * rng.random(shape) * (rng.random(shape) > 0.2)
    return {
        "Box": lambda: (op.nonsmooth.Box(-0.4, 0.7), lambda P: judge.box(P, -0.4, 0.7)),
        "Function": lambda: (_l1_alone(mu), lambda P: judge.l1(P, mu)),
        "L1": lambda: (op.nonsmooth.L1(mu), lambda P: judge.l1(P, mu)),
        "L1 bounded": lambda: (op.nonsmooth.L1(mu, bound=0.8), lambda P: judge.l1(P, mu, 0.8)),
        "L1 weighted": lambda: (op.nonsmooth.L1(weights), lambda P: judge.l1(P, weights)),
        "L21": lambda: (op.nonsmooth.L21(mu), lambda P: judge.l21(P, mu)),
        "MCP": lambda: (op.nonsmooth.MCP(mu, 2.0), lambda P: judge.mcp(P, mu, 2.0)),
        "Nonnegative": lambda: (op.nonsmooth.Nonnegative(), judge.nonnegative),
        "SCAD": lambda: (op.nonsmooth.SCAD(mu, 3.0), lambda P: judge.scad(P, mu, 3.0)),
        "Zero": lambda: (op.nonsmooth.Zero(), judge.zero),
    }[kind]()


NONSMOOTH = "L1", "L1 bounded", "L1 weighted", "L21", "MCP", "SCAD", "Box", "Nonnegative", "Zero", "Function"


@dataclass
class Docket:
    """What was claimed, and what the judge found."""

    runs: Counter = field(default_factory=Counter)  # by (method, term)
    claims: Counter = field(default_factory=Counter)
    false: list[str] = field(default_factory=list)
    tightest: float = np.inf  # the largest and the smallest upper bound over the distance
    loosest: float = 0.0

    def hear(self, case, result, plain, tol, start):
        """Judge one result, if it claims convergence."""
        self.runs[case[:2]] += 1
        if not result.converged:
            return
        self.claims[case[:2]] += 1
        verdict = judge.judge(result, plain, tol, start=start)
        self.false += [f"{' '.join(map(str, case))}: {complaint}" for complaint in verdict.complaints]
        if verdict.exact > 100 * verdict.rounding:
            self.tightest = min(self.tightest, result.certificate.upper / verdict.exact)
            self.loosest = max(self.loosest, result.certificate.upper / verdict.exact)


def methods(problem):
    """Return the names of the methods that suit a problem."""
    return [name for name, kind in op.SOLVERS.items() if all(need.lacking_in(problem) is None for need in kind().needs)]


def session(docket, seed, iterations=1500):
    """Judge one run of each method on each term."""
    for k, kind in enumerate(NONSMOOTH):
        rng = np.random.default_rng([seed, k])
        shape, tol = SHAPES[rng.integers(len(SHAPES))], TOLERANCES[rng.integers(len(TOLERANCES))]
        ell = list(SMOOTH)[rng.integers(len(SMOOTH))]
        smooth, grad, steepest = SMOOTH[ell](rng, shape)
        g, dg = nonsmooth(kind, [0.1, 0.5, 2.0][rng.integers(3)], shape, rng)
        problem, plain = op.Problem(smooth, g, shape), judge.Plain(grad, dg, steepest)
        X0 = np.linalg.qr(rng.standard_normal(shape))[0]
        for name in methods(problem):
            result = op.minimize(problem, X0, method=name, tol=tol, max_iterations=iterations, history=False)
            docket.hear((name, kind, ell, shape, tol, f"seed {seed}"), result, plain, tol, X0)
        for polish in (True, False):
            result = op.minimize(problem, tol=tol, max_iterations=iterations, polish=polish, seed=seed)
            docket.hear(("search", kind, ell, shape, tol, f"seed {seed}"), result, plain, tol, None)


def main() -> int:
    """Judge so many claims; 1 if one is false."""
    parser = argparse.ArgumentParser(prog="python -m claims", description=__doc__)
    parser.add_argument("--number", type=int, default=1000, help="the least number of claims")
    parser.add_argument("--seed", type=int, default=0, help="of the first session")
    options = parser.parse_args()
    docket, seed, write = Docket(), options.seed, sys.stdout.write
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", op.ConvergenceWarning)
        while docket.claims.total() < options.number:
            session(docket, seed)
            seed += 1
    write(f"{docket.claims.total()} claims of {docket.runs.total()} runs, {len(docket.false)} false\n")
    write(f"upper bound over exact distance: {docket.tightest:.6f} to {docket.loosest:.3g}\n")
    for position, title in enumerate(("method", "term")):
        write(f"\n{title:16}{'runs':>8}{'claims':>8}\n")
        for name in dict.fromkeys(case[position] for case in docket.runs):
            counts = (sum(n for case, n in count.items() if case[position] == name) for count in (docket.runs, docket.claims))
            write(f"{name:16}{next(counts):8}{next(counts):8}\n")
    write("\n".join(["", *docket.false, ""]))
    return 1 if docket.false else 0


if __name__ == "__main__":
    sys.exit(main())
