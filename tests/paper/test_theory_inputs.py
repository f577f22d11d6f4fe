"""Mistakes in the constants of the theory are named."""

import pytest

import orthoprox as op
from refusals import NONNEGATIVE, POSITIVE, bad_numbers, table

RULE = {"rho": 1.0, "lam": 1.0, "r": 1.0, "alpha": 1.0, "beta": 0.5, "eps": 0.1}


def theory(name):
    return lambda v: op.theoretical_parameters(**{"lipschitz": 1.0, "gap": 1.0, name: v})


def stability(name):
    return lambda v: op.stability_radius(**{**RULE, name: v})


NUMBERS = {
    "theoretical_parameters.lipschitz": ("lipschitz", theory("lipschitz"), POSITIVE),
    "theoretical_parameters.gap": ("gap", theory("gap"), POSITIVE),
    "theoretical_parameters.lipschitz_g": ("lipschitz_g", theory("lipschitz_g"), NONNEGATIVE),
    "theoretical_parameters.radius": ("radius", theory("radius"), "a finite number >= 1.41421"),
    "theoretical_parameters.eps": ("eps", theory("eps"), POSITIVE),
    "theoretical_parameters.delta": ("delta", theory("delta"), POSITIVE),
    "theoretical_parameters.xi": ("xi", theory("xi"), POSITIVE),
    "stability_radius.rho": ("rho", stability("rho"), NONNEGATIVE),
    "stability_radius.lam": ("lam", stability("lam"), POSITIVE),
    "stability_radius.r": ("r", stability("r"), NONNEGATIVE),
    "stability_radius.alpha": ("alpha", stability("alpha"), POSITIVE),
    "stability_radius.beta": ("beta", stability("beta"), POSITIVE),
    "stability_radius.eps": ("eps", stability("eps"), NONNEGATIVE),
    "stability_radius.curvature": ("curvature", stability("curvature"), NONNEGATIVE),
}
MISFITS = [
    ("delta", lambda: op.theoretical_parameters(1.0, 1.0, delta=1), ValueError, "delta = 1; .* between 0 and 1"),
    ("overflow", lambda: op.theoretical_parameters(1e308, 1.0), ValueError, "out of the range .* less extreme, scale f"),
    ("underflow", lambda: op.theoretical_parameters(1, 1, eps=1e-320), ValueError, "out of the range .* less extreme"),
    ("tiny delta", lambda: op.theoretical_parameters(1, 1, delta=1e-200), ValueError, "out of the range .* less extreme"),
    ("stability", lambda: stability("lam")(1e-320), ValueError, "too large or too small .* need to be less extreme"),
]


@table(bad_numbers(NUMBERS), MISFITS)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
