"""Mistakes in the parameters of methods are named."""

import numpy as np
import pytest

import orthoprox as op
from cases import float_parameters
from orthoprox import problems
from orthoprox.solvers import (
    ALMSSN,
    MADMM,
    MIALM,
    PAMAL,
    PLAM,
    RADMM,
    RGD,
    RPG,
    RSM,
    SOC,
    AManPG,
    Dissolving,
    Landing,
    ManIAL,
    ManPG,
    ManPGAda,
    SmoothingRGD,
)
from refusals import FINITE, NONNEGATIVE, POSITIVE, PROBLEM, A, N, X, bad_arrays, bad_integers, bad_matrices, bad_numbers, table


def parameter(kind, name):
    return lambda v: kind(**{name: v})


CENTRE = {"LSALM.Z0": ("Z0", parameter(op.LSALM, "Z0"), X)}
MULTIPLIER = {"LSALM.Y0": ("Y0", parameter(op.LSALM, "Y0"), np.eye(N))}
NUMBERS = {
    "LSALM.rho": ("rho", parameter(op.LSALM, "rho"), NONNEGATIVE),
    "LSALM.lam": ("lam", parameter(op.LSALM, "lam"), POSITIVE),
    "LSALM.r": ("r", parameter(op.LSALM, "r"), NONNEGATIVE),
    "LSALM.alpha": ("alpha", parameter(op.LSALM, "alpha"), POSITIVE),
    "LSALM.beta": ("beta", parameter(op.LSALM, "beta"), POSITIVE),
    "LSALM.eps": ("eps", parameter(op.LSALM, "eps"), NONNEGATIVE),
    "LSALM.box": ("box", parameter(op.LSALM, "box"), POSITIVE),
    "LSALM.dual_radius": ("dual_radius", parameter(op.LSALM, "dual_radius"), POSITIVE),
    "LSALM.Y0": ("Y0", parameter(op.LSALM, "Y0"), FINITE),
    **{
        f"{kind.__name__}.{name}": (name, parameter(kind, name), POSITIVE)
        for kind in op.SOLVERS.values()
        for name in float_parameters(kind)
        if kind is not op.LSALM
    },
}
INTEGERS = {
    "PAMAL.max_cycles": ("max_cycles", parameter(PAMAL, "max_cycles"), 1),
    "RPG.max_cycles": ("max_cycles", parameter(RPG, "max_cycles"), 1),
    "AManPG.safeguard": ("safeguard", parameter(AManPG, "safeguard"), 1),
    "MADMM.max_cycles": ("max_cycles", parameter(MADMM, "max_cycles"), 1),
    "MIALM.max_cycles": ("max_cycles", parameter(MIALM, "max_cycles"), 1),
    "MIALM.extra": ("extra", parameter(MIALM, "extra"), 0),
}
MISFITS = [
    ("trial", lambda: RGD(trial="gorw"), ValueError, "trial is 'gorw'; it needs one of .*Did you mean 'grow'"),
    ("Barzilai", lambda: RGD(trial="Barzilai_Borwein"), ValueError, "trial is .*Did you mean 'barzilai-borwein'"),
    (
        "no trial",
        lambda: RGD(trial=None),
        TypeError,
        "trial is None, a NoneType; it needs one of 'barzilai-borwein', 'grow'",
    ),
    ("retraction", lambda: RGD(retraction="QR"), ValueError, "retraction is 'QR'; it needs one of .*Did you mean 'qr'"),
    ("function", lambda: RSM(retraction=op.stiefel.polar), TypeError, "retraction is <function polar.*; it needs one of"),
    ("rule", lambda: RSM(rule="geometrical"), ValueError, "rule is 'geometrical'; .*Did you mean 'geometric'"),
    ("inner", lambda: ManPG(inner="publishd"), ValueError, "inner is 'publishd'; .*Did you mean 'published'"),
    ("inner Ada", lambda: ManPGAda(inner=1), TypeError, "inner is 1, a int; it needs one of 'adaptive', 'published'"),
    ("shrink", lambda: RGD(shrink=1.0), ValueError, "shrink = 1; it needs a number between 0 and 1"),
    ("decrease", lambda: RGD(decrease=1.5), ValueError, "decrease = 1.5; it needs a number between 0 and 1"),
    ("safe", lambda: Landing(safe=1), ValueError, "safe = 1; it needs a distance between 0 and 1, or None"),
    ("growth", lambda: PAMAL(growth=0.9), ValueError, "growth = 0.9; it needs a finite number >= 1"),
    ("accuracy", lambda: PAMAL(accuracy=1.1), ValueError, "accuracy = 1.1; it needs a number of at most 1"),
    ("growth ALM", lambda: ManIAL(growth=0.9), ValueError, "growth = 0.9; it needs a finite number >= 1"),
    ("decrease ALM", lambda: MIALM(decrease=1.1), ValueError, "decrease = 1.1; it needs a number of at most 1"),
    ("rule ALM", lambda: ManIAL(rule="III"), ValueError, "rule is 'III'; it needs one of 'I', 'II'"),
    ("almssn growth", lambda: ALMSSN(growth=0.9), ValueError, "growth = 0.9; it needs a finite number >= 1"),
    ("almssn accuracy", lambda: ALMSSN(accuracy=1.1), ValueError, "accuracy = 1.1; it needs a number of at most 1"),
    ("decay", lambda: RSM(decay=1.1), ValueError, "decay = 1.1; it needs a number of at most 1"),
    ("smoothing", lambda: SmoothingRGD(rule="two phase"), ValueError, "rule is 'two phase'; .*Did you mean 'two-phase'"),
    ("factor", lambda: SmoothingRGD(factor=1.0), ValueError, "factor = 1; it needs a number between 0 and 1"),
    ("dissolving", lambda: Dissolving(inner="bfgs"), ValueError, "inner is 'bfgs'; .*Did you mean 'lbfgs'"),
    ("its decay", lambda: Dissolving(decay=1.1), ValueError, "decay = 1.1; it needs a number of at most 1"),
    ("its cycles", lambda: Dissolving(max_cycles=0), ValueError, "max_cycles = 0; it needs a whole number >= 1"),
    ("no shrink", lambda: RGD(shrink=None), TypeError, "shrink is None, a NoneType; it needs a real number"),
    ("no decay", lambda: RSM(decay=None), TypeError, "decay is None, a NoneType; it needs a real number"),
    ("no gamma", lambda: RADMM(gamma=None), TypeError, "gamma is None, a NoneType; it needs a real number"),
    ("no growth", lambda: PAMAL(growth=None), TypeError, "growth is None, a NoneType; it needs a real number"),
    ("list", lambda: SOC(penalty=[1.0]), TypeError, r"penalty is \[1.0\], a list; it needs a real number"),
    ("array", lambda: PLAM(step_size=np.ones(2)), TypeError, "step_size is a NumPy array of shape .*; it needs a real number"),
    ("experiment", lambda: op.LSALM.paper("sparsepca", PROBLEM), ValueError, "experiment is 'sparsepca'; .*'sparse_pca'"),
    (
        "no experiment",
        lambda: op.LSALM.paper(None, PROBLEM),
        TypeError,
        "experiment is None, .*; it needs one of 'matching'",
    ),
    (
        "paper",
        lambda: op.LSALM.paper("sparse_pca", A),
        TypeError,
        "problem is a NumPy array .*; it needs an orthoprox.Problem",
    ),
    (
        "paper's lam",
        lambda: op.LSALM.paper("sparse_pca", problems.sparse_pca(0 * A, 2, 0.1)),
        ValueError,
        "L in lam = 1/L = 0; it needs a finite number > 0",
    ),
    (
        "rho",
        lambda: op.LSALM(rho=np.ones(3)),
        ValueError,
        r"rho has shape \(3,\); it needs a number, or .* \(batch, 1, 1\)",
    ),
    ("lam", lambda: op.LSALM(lam=[1.0]), TypeError, r"lam is \[1.0\], a list; it needs a real number"),
    ("alpha", lambda: op.LSALM(alpha=np.zeros((2, 1, 1))), ValueError, "alpha has entries that are not finite numbers > 0"),
]


@table(bad_matrices(CENTRE, required=False), bad_arrays(MULTIPLIER), bad_numbers(NUMBERS), bad_integers(INTEGERS))
def test_bad_parameters_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@table(MISFITS)
def test_parameters_that_do_not_fit_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Y0": np.eye(3)}, r"Y0 has shape \(3, 3\); it needs shape \(2, 2\)"),
        ({"Y0": np.zeros((4, 2, 2))}, r"Y0 has 3 dimension\(s\), .*; it needs shape \(2, 2\)"),
        ({"Z0": X.T}, r"Z0 has shape \(2, 6\); it needs shape \(6, 2\)"),
        ({"Z0": X[None]}, r"Z0 has 3 dimension\(s\), .*; it needs shape \(6, 2\)"),
        ({"rho": np.ones((4, 1, 1))}, r"rho has shape \(4, 1, 1\), the start \(6, 2\); it needs a number"),
        ({"rho": 1e308}, "lam = 0; it needs a finite number > 0"),
        ({"Y0": 1e308}, "lam = nan; it needs a finite number > 0"),
        ({"rho": 1e-320}, "eps = inf; it needs a finite number >= 0"),
        ({"lam": 1e-320}, "r = inf; it needs a finite number >= 0"),
    ],
    ids=str,
)
def test_parameters_that_do_not_fit_the_problem_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        op.minimize(PROBLEM, **parameters)
