"""What the paper proves about the parameters of LSALM, and a practical rule for their stability."""

from dataclasses import astuple, dataclass

import numpy as np

from orthoprox._arrays import inputs
from orthoprox._arrays.arithmetic import quiet


@dataclass(frozen=True)
class TheoreticalParameters:
    """Parameters that satisfy the sufficient-descent proposition and the feasibility remark."""

    rho: float
    lam: float
    r: float
    alpha: float
    beta: float
    eps: float
    dual_radius: float  # R_Y
    penalty_lipschitz: float  # L_rho, of the gradient of the augmented Lagrangian without g
    weak_convexity: float  # mu_rho, of the augmented Lagrangian


@quiet()  # what leaves the range of the floating-point numbers is found at the end
def theoretical_parameters(
    lipschitz: float,
    gap: float,
    *,
    lipschitz_g: float = 0.0,
    radius: float = 1.5,
    eps: float = 1e-3,
    delta: float = 0.5,
    xi: float = 1.0,
) -> TheoreticalParameters:
    """Return parameters for which the paper's potential function provably decreases.

    They are evaluated in the order lam, rho, r, R_Y, L_rho and mu_rho, zeta, alpha, omega, beta,
    from

        lam   = 1 / (2R)
        rho   > 2 (Phi0 - f_min) / delta^2    with the a priori bound Phi0 - f_min <= 3 gap
        r     = max(1 / lam, c1, c2)                      (remark on the feasibility condition)
        R_Y   = (L + 2 rho R + sqrt(r xi)) / sqrt(1 - delta)
        alpha = min(1 / (20R), 1 / (8R zeta^2), 1 / eps)
        beta  = min(1, (r - mu_rho)^2 / (2 alpha r R^2), 1 / (16 r omega^2 alpha)) / 28

    The result is correct and of no practical use: beta is usually below 1e-7, so the smoothing
    centre hardly moves.

    Parameters
    ----------
    lipschitz : float
        L_l, a Lipschitz constant of l and of its gradient on the set |X|_2 <= radius.
    gap : float
        f(X0) minus the minimum of f over that set.
    lipschitz_g : float
        L_g, a Lipschitz constant of g that also bounds its weak convexity modulus.
    radius : float
        R, the bound of |X|_2; at least sqrt(2), so that the set contains |X'X - I|_F <= 1.
    eps : float
        The dual perturbation.
    delta, xi : float
        The free constants of the feasibility proposition, 0 < delta < 1 and xi > 0.

    References
    ----------
    Zhu, Ding, Liu and So, Primal-Dual Methods for Nonsmooth Nonconvex Optimization with
    Orthogonality Constraints, arXiv:2604.04130 (2026): sufficient descent property, feasibility
    proposition and the remark after it.
    """
    L_ell, L_g = np.float64(inputs.number(lipschitz, "lipschitz")), inputs.number(lipschitz_g, "lipschitz_g", strict=False)
    gap, eps, xi = (np.float64(inputs.number(x, name)) for x, name in ((gap, "gap"), (eps, "eps"), (xi, "xi")))
    R = np.float64(inputs.number(radius, "radius", minimum=float(np.nextafter(2**0.5, 0)), strict=False))
    delta = np.float64(inputs.number(delta, "delta"))
    if not delta < 1:
        raise ValueError(f"delta = {delta:g}; it needs a number between 0 and 1.")
    L, root = L_ell + L_g, (1 - delta) ** 0.5

    lam = 1 / (2 * R)
    rho = 1.01 * 2 * (3 * gap) / delta**2
    c1 = 4 / 3 * (L + 4 * R + (2 * (L + 2 * rho * R) * root + 4 * xi) / root**2 + 6 * rho * R**2 + 2 * rho)
    c2 = 4 * L + (8 * (L + 2 * rho * R) * root + 48 * xi) / root**2 + 24 * rho * R**2 + 8 * rho
    r = max(1 / lam, c1, c2)
    R_Y = (L + 2 * rho * R + (r * xi) ** 0.5) / root
    L_rho = L_ell + 2 * R_Y + 6 * rho * R**2 + 2 * rho
    mu_rho = L + 2 * R_Y + 2 * rho

    total = 1 / lam + L_rho
    zeta = (2 / (r - mu_rho) + 1 / total) * total * ((2 * L_rho / total) ** 0.5 + 1)
    alpha = min(1 / (20 * R), 1 / (8 * R * zeta**2), 1 / eps)
    sigma2 = 2 * R / (r - mu_rho)
    omega = (1 + (2 * sigma2 * R + eps) * alpha) / ((r - mu_rho) ** 0.5 * eps**0.5 * alpha)
    beta = min(1, (r - mu_rho) ** 2 / (2 * alpha * r * R**2), 1 / (16 * r * omega**2 * alpha)) / 28
    result = TheoreticalParameters(*map(float, (rho, lam, r, alpha, beta, eps, R_Y, L_rho, mu_rho)))
    if not all(0 < value < np.inf for value in astuple(result)):
        raise ValueError(f"{result} is out of the range of numbers; what was given needs to be less extreme, scale f.")
    return result


@quiet()
def stability_radius(
    *, rho: float, lam: float, r: float, alpha: float, beta: float, eps: float = 0.0, curvature: float = 0.0
) -> float:
    """Return the spectral radius of LSALM in the normal direction X (I + d) near the manifold;
    above 1 the run diverges.

    With c = r + 1 / lam and ``curvature`` the second derivative of the Lagrangian along d (between
    0 and L_l), to first order

        d+ = ((1/lam - curvature - 4 rho) d + r z - 2 y) / c
        z+ = (1 - beta) z + beta d+
        y+ = (1 - alpha eps) y + 2 alpha d+

    Without the lag of z it reads  alpha + 2 rho < r + 1 / lam.  The rule is practical, not part of
    the paper; it says nothing about tangential directions.
    """
    rho, r = inputs.number(rho, "rho", strict=False), inputs.number(r, "r", strict=False)
    eps, curvature = inputs.number(eps, "eps", strict=False), inputs.number(curvature, "curvature", strict=False)
    lam, alpha, beta = inputs.number(lam, "lam"), inputs.number(alpha, "alpha"), inputs.number(beta, "beta")
    c = r + 1 / lam
    d = np.array([(1 / lam - curvature - 4 * rho) / c, r / c, -2 / c])
    z = beta * d + np.array([0, 1 - beta, 0])
    y = 2 * alpha * d + np.array([0, 0, 1 - alpha * eps])
    if not np.all(np.isfinite([d, z, y])):
        raise ValueError("The parameters are too large or too small to compute with; they need to be less extreme.")
    return float(np.max(np.abs(np.linalg.eigvals(np.array([d, z, y])))))
