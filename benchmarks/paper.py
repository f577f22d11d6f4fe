"""The README's table of the paper's settings, rerun: ``python benchmarks/paper.py``."""

import numpy as np

import orthoprox as op


def quadratics(instances: int = 100) -> str:
    """Random quadratics (20, 2), mu = .35, with at most 20,000 iterations."""
    iterations = []
    for seed in range(instances):
        rng = np.random.default_rng(seed)
        problem = op.problems.quadratic(*op.datasets.random_quadratic(20, 2, seed=rng), 0.35)
        stop = op.stopping.paper.quadratic | op.stopping.MaxIterations(20_000)
        X0 = op.stiefel.random_point(20, 2, rng)
        result = op.solve(problem, op.LSALM.paper("quadratic", problem), X0, stop=stop)
        iterations += [result.iterations] if result.converged else []
    return f"{len(iterations)} of {instances} converge, median {np.median(iterations):.0f} iterations"


def sparse_pca(seeds: int = 5) -> str:
    """Sparse PCA (300, 150), mu = .5."""
    results = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        problem = op.problems.sparse_pca(op.datasets.five_components(1000, 300, seed=rng), 150, 0.5)
        method = op.LSALM.paper("sparse_pca", problem)
        results.append(op.minimize(problem, method=method, stop=op.stopping.paper.sparse_pca, seed=rng))
    objective, sparsity, iterations = (
        np.mean([getattr(result, name) for result in results]) for name in ("objective", "sparsity", "iterations")
    )
    return f"objective {objective:.1f}, sparsity {100 * sparsity:.2f} %, {iterations:.0f} iterations (means)"


if __name__ == "__main__":
    print("random quadratics:", quadratics())
    print("sparse PCA:", sparse_pca())
