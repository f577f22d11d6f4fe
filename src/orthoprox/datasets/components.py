"""Sparse PCA data with five known components."""

import numpy as np
from numpy.typing import NDArray

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet


@quiet()
def five_components(
    p: int, m: int, *, sd: float = 0.25, center: bool = False, seed: int | np.random.Generator = 0
) -> NDArray[np.float64]:
    """Return a p x m data matrix made of five components, each repeated p/5 times, plus noise;
    columns have norm 1.

    With t equally spaced on [0, 1] the components are: .5 on (.6, .8); .5 on (.2, .4); a bump of
    height .8 at .5; two bumps of height .4 at .15 and .85; and two of height .4 and -.4 at .05 and
    .95.

    This is a reconstruction of the data of the paper's sparse PCA experiments: its exact components
    are not published. The paper adds noise N(0, 0.25); with these amplitudes its objectives are
    matched by standard deviation .25.

    Parameters
    ----------
    p, m : int
        Numbers of observations (a multiple of 5) and of variables.
    sd : float
        The standard deviation of the noise, nonnegative.
    center : bool
        Whether to subtract the mean of each column before it is scaled.
    seed : int or numpy.random.Generator
    """
    p, m = inputs.integer(p, "p", minimum=5), inputs.integer(m, "m", minimum=2)
    if p % 5:
        raise ValueError(f"p = {p}; each of the five components is repeated p/5 times, so p needs to be a multiple of 5.")
    sd, center = inputs.number(sd, "sd", strict=False), inputs.flag(center, "center")
    t = np.linspace(0, 1, m)
    components = np.array(
        [
            0.5 * ((t > 0.6) & (t < 0.8)),
            0.5 * ((t > 0.2) & (t < 0.4)),
            0.8 * _bump(t, 0.5, 5e-3),
            0.4 * _bump(t, 0.15, 1e-3) + 0.4 * _bump(t, 0.85, 1e-3),
            0.4 * _bump(t, 0.05, 1e-3) - 0.4 * _bump(t, 0.95, 1e-3),
        ]
    )
    sd, exponent = np.frexp(sd) if sd > 1 else (sd, 0)  # exact; a large sd is one below 1 in another unit
    A = np.repeat(np.ldexp(components, -exponent), p // 5, axis=0) + sd * inputs.generator(seed).standard_normal((p, m))
    if center:
        A = A - A.mean(axis=0)
    A = np.ldexp(A, -np.frexp(np.max(np.abs(A), axis=0))[1])  # exact; squares are numbers
    norms = np.linalg.norm(A, axis=0)
    return np.asarray(A / np.where(norms > 0, norms, 1.0))


def _bump(t: NDArray[np.float64], center: float, width: float) -> NDArray[np.float64]:
    return np.exp(-((t - center) ** 2) / width)
