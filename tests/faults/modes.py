"""Computations that are killed, each from its beginning or a checkpoint to its end.

``python -m faults.modes NAME CHECKPOINT RESULT`` tells when it begins, goes on as far as it gets,
and writes its X in the end.
"""

import sys
import warnings

import numpy as np

import orthoprox as op


def minimise(**options):
    """The default call: a search for a start, a run, lower minima, a polish."""
    problem = op.problems.sparse_pca(op.datasets.five_components(200, 150, seed=0), 25, 0.5)
    return op.minimize(problem, seed=1, **options).X


def path(**options):
    """Weights of the penalty, to and fro."""
    problem = op.problems.sparse_pca(op.datasets.five_components(200, 60, seed=0), 6, 0.5)
    return np.stack([result.X for result in op.path(problem, [0.1, 0.3, 0.6, 1.0], compiled=False, **options)])


def starts(**options):
    """Several starts in processes of their own."""
    problem = op.problems.sparse_pca(op.datasets.five_components(300, 200, seed=0), 20, 0.5)
    return op.minimize(problem, "random", n_starts=4, **options).X


def nonzeros(**options):
    """The search for a number of nonzeros."""
    A = op.datasets.five_components(200, 30, seed=0)
    return op.SparsePCA(6, n_nonzero=60, **options).fit(A).components_


MODES = {"minimize": minimise, "path": path, "n_starts": starts, "n_nonzero": nonzeros}
EVERY = {"minimize": 0.0, "path": 0.01, "n_starts": 0.02, "n_nonzero": 0.0}  # seconds between checkpoints


def main(name, checkpoint, result):
    warnings.simplefilter("ignore", op.ConvergenceWarning)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    X = MODES[name](checkpoint=checkpoint, checkpoint_every=EVERY[name], resume=True)
    np.save(result, X)


if __name__ == "__main__":
    main(*sys.argv[1:])
