"""What the tests run over: small instances of every smooth term, nonsmooth term, solver and
problem.

A key starts with the registered name; further words tell variants apart. ``test_cases.py`` fails
when a registered name has no entry here, so a new term, solver or problem is one line below and is
then tested like all the others.
"""

from dataclasses import fields

import numpy as np
import scipy.sparse as sp
from hypothesis import settings
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

import orthoprox as op
from orthoprox.solvers import (
    ALMSSN,
    MADMM,
    MIALM,
    PAMAL,
    PCAL,
    PLAM,
    RADMM,
    RGD,
    RPG,
    RPNCG,
    RSM,
    SOC,
    Adaptive,
    AManPG,
    Dissolving,
    Landing,
    ManIAL,
    ManPG,
    ManPGAda,
    SmoothingRGD,
    base,
)

SHAPE = M, N = 7, 3  # of X, for all terms below

EXAMPLES = settings(max_examples=20, deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 2**32 - 1)


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def symmetric(seed, m):
    A = normal(seed, m, m)
    return A + A.T


class Alone:
    """A communicator of one process, with what the library uses of mpi4py."""

    rank, size = 0, 1

    def Allreduce(self, mine, total):
        total[...] = mine

    def allgather(self, value):
        return [value]

    def bcast(self, value, root=0):
        return value


OFF_CENTER = np.where(normal(11, 20, M) > 0.5, 0.0, normal(12, 20, M) + 3 * np.arange(M))


def graph(seed, nodes, edges):
    """A random simple graph, as an array of ``edges`` pairs i < j."""
    pairs = np.array([(i, j) for j in range(nodes) for i in range(j)])
    return pairs[np.sort(np.random.default_rng(seed).permutation(len(pairs))[:edges])]


def kinked(g, seed):
    """A point of the domain of g with exact zeros and with entries on its border, wherever g has
    those.
    """
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(SHAPE) < 0.2, 0.0, rng.standard_normal(SHAPE))
    X[rng.integers(SHAPE[0])] = 0.0
    return g.prox(X, 0.3)


def gaussian_pca(m=20, n=4, mu=0.5, p=60, dtype=np.float64):
    """Sparse principal components of Gaussian data."""
    return op.Problem(op.smooth.Variance(normal(0, p, m).astype(dtype)), op.nonsmooth.L1(mu), (m, n))


def smooth_terms(array=np.asarray):
    """Every smooth term on dense data, each array passed through ``array``."""
    affinity = np.random.default_rng(5).random((9, 3))
    return {
        "Function log-cosh": op.smooth.Function(_log_cosh, _tanh),
        "LogCosh": op.smooth.LogCosh(array(normal(3, 20, M)), 1.3),
        "Matching": op.smooth.Matching(graph(6, M, 9), graph(7, N, 3), array(affinity), SHAPE, 0.7),
        "Quadratic": op.smooth.Quadratic(array(symmetric(1, M))),
        "Quadratic linear": op.smooth.Quadratic(array(symmetric(1, M)), array(normal(2, M, N))),
        "Variance tall": op.smooth.Variance(array(normal(3, 20, M))),
        "Variance wide": op.smooth.Variance(array(normal(4, 2, M))),
        "Variance centred": op.smooth.Variance(array(OFF_CENTER), center=True, scale=True),
        "Variance scaled": op.smooth.Variance(array(OFF_CENTER[:2]), center=np.ones(M), scale=True),
    }


def nonsmooth_terms(array=np.asarray):
    """Every nonsmooth term, each array passed through ``array``. Steps t < 1 suit all of them."""
    return {
        "Box": op.nonsmooth.Box(-0.5, 0.8),
        "Box entrywise": op.nonsmooth.Box(array(BOX[0]), array(BOX[1])),
        "Function ridge": op.nonsmooth.Function(_ridge, _shrink),
        "L1": op.nonsmooth.L1(0.4),
        "L1 bounded": op.nonsmooth.L1(0.4, bound=0.9),
        "L1 weighted": op.nonsmooth.L1(array(WEIGHTS)),
        "L21": op.nonsmooth.L21(0.6),
        "MCP": op.nonsmooth.MCP(0.5, gamma=1.6),
        "Nonnegative": op.nonsmooth.Nonnegative(),
        "SCAD": op.nonsmooth.SCAD(0.5, a=2.5),
        "Zero": op.nonsmooth.Zero(),
    }


def operator_terms():
    """The smooth terms whose data are not a dense array; they take one X at a time."""
    A, C = normal(3, 20, M), symmetric(1, M)
    return {
        "LogCosh sparse": op.smooth.LogCosh(sp.csr_array(A)),
        "Sharded": op.smooth.Sharded(op.smooth.LogCosh(A), Alone()),
        "Quadratic sparse": op.smooth.Quadratic(sp.csr_array(C)),
        "Quadratic operator": op.smooth.Quadratic(aslinearoperator(C), normal(2, M, N)),
        "Variance sparse": op.smooth.Variance(sp.csr_array(A)),
        "Variance sparse wide": op.smooth.Variance(sp.csr_array(A[:2])),
        "Variance operator": op.smooth.Variance(aslinearoperator(A)),
        "Variance sparse centred": op.smooth.Variance(sp.csr_array(OFF_CENTER), center=True, scale=True),
        "Variance sparse wide centred": op.smooth.Variance(sp.csr_array(OFF_CENTER[:2]), center=True),
        "Variance operator centred": op.smooth.Variance(aslinearoperator(OFF_CENTER), center=True, scale=True),
    }


def _log_cosh(X):
    xp = X.__array_namespace__()
    return xp.sum(xp.log(xp.cosh(X)), axis=(-2, -1))


def _tanh(X):
    return X.__array_namespace__().tanh(X)


def _ridge(X):
    return X.__array_namespace__().sum(X**2, axis=(-2, -1)) / 2


def _shrink(X, t):
    return X / (1 + t)


WEIGHTS = np.random.default_rng(8).random(SHAPE) * (np.arange(N) != 1)  # one column free of charge
BOX = np.where(np.arange(N) == 2, -np.inf, -np.random.default_rng(9).random(SHAPE)), np.random.default_rng(10).random((1, N))

SMOOTH = smooth_terms() | operator_terms()
NONSMOOTH = nonsmooth_terms()

# g_ij(x), written once more and without the library: a function of the entries x at the place (i,
# j).
NAIVE = {
    "Box": lambda x, i, j: np.where((x < -0.5) | (x > 0.8), np.inf, 0.0),
    "Box entrywise": lambda x, i, j: np.where((x < BOX[0][i, j]) | (x > BOX[1][0, j]), np.inf, 0.0),
    "Function ridge": lambda x, i, j: x**2 / 2,
    "L1": lambda x, i, j: 0.4 * abs(x),
    "L1 bounded": lambda x, i, j: np.where(abs(x) > 0.9, np.inf, 0.4 * abs(x)),
    "L1 weighted": lambda x, i, j: WEIGHTS[i, j] * abs(x),
    "MCP": lambda x, i, j: np.where(abs(x) <= 0.8, 0.5 * abs(x) - x**2 / 3.2, 0.2),
    "Nonnegative": lambda x, i, j: np.where(x < 0, np.inf, 0.0),
    "SCAD": lambda x, i, j: np.select(
        [abs(x) <= 0.5, abs(x) <= 1.25], [0.5 * abs(x), (2.5 * abs(x) - x**2 - 0.25) / 3], 0.4375
    ),
    "Zero": lambda x, i, j: 0.0 * x,
}

SOLVERS = {
    "adaptive": Adaptive(),
    "adaptive first-order": Adaptive(newton=False),
    "lsalm": op.LSALM(),
    "manpg": ManPG(),
    "manpg published": ManPG(inner="published"),
    "manpg-ada": ManPGAda(),
    "amanpg": AManPG(),
    "rpg": RPG(),
    "rpn-cg": RPNCG(),
    "rpn-cg newton": RPNCG(hybrid=False, unchecked="linear"),
    "soc": SOC(),
    "pamal": PAMAL(),
    "radmm": RADMM(),
    "madmm": MADMM(),
    "manial": ManIAL(),
    "mialm": MIALM(),
    "almssn": ALMSSN(),
    "almssn gradient": ALMSSN(search="gradient"),
    "smoothing-rgd": SmoothingRGD(),
    "smoothing-rgd dynamic": SmoothingRGD(rule="dynamic"),
    "dissolving": Dissolving(),
    "dissolving gradient": Dissolving(inner="gradient"),
    "dissolving lbfgs": Dissolving(inner="lbfgs", max_cycles=5),
    "rsm": RSM(),
    "rsm qr": RSM(retraction="qr"),
    "rsm diminishing": RSM(rule="diminishing", step_size=0.1),
    "rgd": RGD(),
    "rgd qr": RGD(retraction="qr"),
    "rgd restart": RGD(trial="restart"),
    "rgd barzilai-borwein": RGD(trial="barzilai-borwein"),
    "plam": PLAM(),
    "plam fixed": PLAM(step_size=0.004),
    "pcal": PCAL(),
    "pcal fixed": PCAL(step_size=0.004),
    "landing": Landing(),
    "landing unsafe": Landing(safe=None),
}
SUBLINEAR = {"rsm"}  # methods from which no accurate certificate can be expected
SMOOTH_ONLY = {name for name, solver in SOLVERS.items() if base.SMOOTH in solver.needs}


def float_parameters(kind):
    """The names of the parameters of a method that are real numbers."""
    return [field.name for field in fields(kind) if field.type in (float, float | None)]


def _graph_matching():
    rng = np.random.default_rng(0)
    points = 100 * rng.random((6, 2))
    return op.problems.graph_matching(points, points[:5] + rng.standard_normal((5, 2)), 2.0)


PROBLEMS = {
    "compressed_modes": op.problems.compressed_modes(20, 3, 0.1),
    "graph_matching": _graph_matching(),
    "quadratic": op.problems.quadratic(*op.datasets.random_quadratic(20, 3), 0.1),
    "sparse_pca": op.problems.sparse_pca(op.datasets.five_components(50, 20), 3, 0.3),
}
