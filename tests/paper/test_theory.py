"""The theorems of the paper, on problems small enough to evaluate its potential function."""

import numpy as np
import pytest

import orthoprox as op
from orthoprox import LSALM, stiefel

CASES = [(2, 1), (3, 2), (4, 2)]


class Potential:
    """Phi = F - 2d + 2p with F = L_rho(X, Y) - eps/2 |Y|^2 + r/2 |X - Z|^2, d = min_X F and p =
    max_Y min_X F.
    """

    def __init__(self, problem, p, box):
        self.problem, self.p, self.box = problem, p, box
        self.curvature = p.penalty_lipschitz + p.r

    def F(self, X, Y, Z):
        p, G = self.p, stiefel.defect(X)
        lagrangian = self.problem.value(X) + np.sum(Y * G) + p.rho / 2 * np.sum(G**2)
        return lagrangian - p.eps / 2 * np.sum(Y**2) + p.r / 2 * np.sum((X - Z) ** 2)

    def minimiser(self, Y, Z):
        """X(Y, Z): F(., Y, Z) is strongly convex, proximal gradient steps contract to its minimiser
        over the box.
        """
        p, X = self.p, Z
        for _ in range(40):  # the condition number is below 2.5, each step halves the error at least
            grad = self.problem.smooth.grad(X) + 2 * X @ (Y + p.rho * stiefel.defect(X)) + p.r * (X - Z)
            new = self.problem.nonsmooth.prox(X - grad / self.curvature, 1 / self.curvature)
            new = np.clip(new, -self.box, self.box)
            if stiefel.norm(new - X) <= 4e-16:
                break
            X = new
        return new

    def ball(self, Y):
        return Y * min(1, self.p.dual_radius / max(stiefel.norm(Y), 1e-300))

    def ascent(self, Y, Z, step):
        """One projected gradient step on the dual function d(., Z)."""
        return self.ball(Y + step * (stiefel.defect(self.minimiser(Y, Z)) - self.p.eps * Y))

    def p_value(self, Y, Z):
        """p(Z): d(., Z) is eps-strongly concave, gradient steps of length 1 / L_d climb to its
        maximum.
        """
        R = 2**0.5 * np.sqrt(np.prod(Z.shape))
        step = 1 / (4 * R**2 / (self.p.r - self.p.weak_convexity) + self.p.eps)
        for _ in range(200):
            new = self.ascent(Y, Z, step)
            if stiefel.norm(new - Y) <= 1e-13 * stiefel.norm(new):
                break
            Y = new
        return self.F(self.minimiser(Y, Z), Y, Z)

    def __call__(self, X, Y, Z):
        d = self.F(self.minimiser(Y, Z), Y, Z)
        return self.F(X, Y, Z) - 2 * d + 2 * self.p_value(Y, Z)


def theoretical_case(m, n, seed):
    rng = np.random.default_rng(seed)
    A, B = op.datasets.random_quadratic(m, n, seed=rng)
    mu, box = 0.3, 2**0.5
    problem = op.problems.quadratic(A, B, mu)
    X0 = stiefel.random_point(m, n, rng)
    R = box * (m * n) ** 0.5  # |X|_2 <= |X|_F on the box
    size = R + 1.01 * n**0.5  # |grad l| = |AX + B| is at most this, and A has norm 1
    lower = -stiefel.norm(B) * R  # A is positive definite and g nonnegative
    parameters = op.theoretical_parameters(
        max(1.0, size), float(problem.value(X0)) - lower, lipschitz_g=mu * (m * n) ** 0.5, radius=R
    )
    return problem, X0, parameters, box


@pytest.mark.parametrize(("m", "n"), CASES)
@pytest.mark.parametrize("seed", [0, 1])
def test_potential_falls_by_the_proposition(m, n, seed):
    """Sufficient descent: Phi falls by 7/(16 lam)|dX|^2 + 1/(16 alpha)|Y - Y+(Z)|^2 + 4r/(7
    beta)|dZ|^2 at each step.
    """
    problem, X0, p, box = theoretical_case(m, n, seed)
    solver = LSALM(p.rho, p.lam, p.r, p.alpha, p.beta, p.eps, box=box, dual_radius=p.dual_radius, Y0=0.0)
    potential = Potential(problem, p, box)
    state = solver.init(problem, X0)
    phi = potential(state.X, state.Y, state.Z)
    for _ in range(20):
        new = solver.step(problem, state)
        bound = (
            7 / (16 * p.lam) * stiefel.norm(new.X - state.X) ** 2
            + 1 / (16 * p.alpha) * stiefel.norm(state.Y - potential.ascent(state.Y, state.Z, p.alpha)) ** 2
            + 4 * p.r / (7 * p.beta) * stiefel.norm(new.Z - state.Z) ** 2
        )
        phi_new = potential(new.X, new.Y, new.Z)
        assert phi - phi_new >= bound - 1e-11 * (1 + abs(phi))
        assert stiefel.norm(new.Y) < p.dual_radius
        state, phi = new, phi_new


@pytest.mark.parametrize(("m", "n"), CASES)
def test_theoretical_parameters_meet_every_condition_of_the_propositions(m, n):
    """The printed inequalities hold: Proposition (sufficient descent) and Remark (feasibility
    condition).
    """
    _, _, p, box = theoretical_case(m, n, 0)
    R, delta, xi = box * (m * n) ** 0.5, 0.5, 1.0
    L_rho, mu_rho = p.penalty_lipschitz, p.weak_convexity
    L_g = 0.3 * (m * n) ** 0.5
    assert p.r >= max(L_rho + L_g + 4 * R, 3 * (L_rho + L_g))
    assert p.lam <= 1 / (2 * R)
    c = 1 / p.lam + L_rho
    zeta = (2 / (p.r - mu_rho) + 1 / c) * c * (np.sqrt(2 * L_rho / c) + 1)
    assert p.alpha <= min(1 / (20 * R), 1 / (8 * R * zeta**2), 1 / p.eps) * (1 + 1e-12)
    omega = (1 + (4 * R**2 / (p.r - mu_rho) + p.eps) * p.alpha) / (np.sqrt((p.r - mu_rho) * p.eps) * p.alpha)
    bounds = (1, (p.r - mu_rho) ** 2 / (2 * p.alpha * p.r * R**2), 1 / (16 * p.r * omega**2 * p.alpha))
    assert p.beta <= min(bounds) / 28 * (1 + 1e-12)
    L = L_rho - 2 * p.dual_radius - 6 * p.rho * R**2 - 2 * p.rho + L_g
    needed = (L + 2 * p.rho * R + max(p.r, 1 / p.lam) ** 0.5 * xi**0.5) / (2 * (1 - delta) ** 0.5)
    assert p.dual_radius > needed


def test_limit_feasibility_is_the_perturbation_times_the_multiplier():
    """At convergence X'X - I = eps Y where it is not exactly zero, and |X'X - I| <= eps |Y|."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        A, B = op.datasets.random_quadratic(20, 4, seed=rng)
        problem = op.problems.quadratic(A, B, 0.1)
        stop = op.stopping.Below(step=1e-13) | op.stopping.MaxIterations(20_000)
        result = op.solve(problem, LSALM(eps=1e-3), stiefel.random_point(20, 4, rng), stop=stop)
        assert result.converged
        G, Y = stiefel.defect(result.X), result.multiplier
        free = np.abs(G) > 1e-10
        assert free.any()
        np.testing.assert_allclose(G[free], 1e-3 * Y[free], rtol=0.01)
        assert stiefel.norm(G) <= 1e-3 * stiefel.norm(Y) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("alpha", "L", "expected"),
    [(15, 55.3, 0.53), (40, 147, 0.83), (15, 23, 1.16), (5, 8.9, 1.57)],
)
def test_stability_radius_of_the_paper_settings(alpha, L, expected):
    """Sparse PCA with rho = 10, r = 15, beta = .5: stable only where L is large, as runs show."""
    radius = op.stability_radius(rho=10, lam=1 / L, r=15, alpha=alpha, beta=0.5)
    assert radius == pytest.approx(expected, abs=0.01)


def test_stability_radius_predicts_the_normal_direction():
    """l = 0, g = 0, m = n = 1: the map is LSALM itself, linearised at X = 1, so distances shrink by
    the radius.
    """
    problem = op.Problem(op.smooth.Quadratic([[0.0]]), op.nonsmooth.Zero(), (1, 1))
    for alpha, rho in [(0.5, 0.2), (1.5, 0.1), (0.1, 1.0)]:
        parameters = {"rho": rho, "lam": 0.4, "r": 1.0, "alpha": alpha, "beta": 0.5, "eps": 0.0}
        solver = LSALM(**parameters, Y0=np.array([[1e-7]]))
        state = solver.init(problem, np.ones((1, 1)))
        sizes = []
        for _ in range(60):
            state = solver.step(problem, state)
            sizes.append(float(np.linalg.norm([state.X[0, 0] - 1, state.Y[0, 0], state.Z[0, 0] - 1])))
        rate = (sizes[59] / sizes[19]) ** (1 / 40)
        assert rate == pytest.approx(op.stability_radius(**parameters), abs=0.03)


def test_sym_of_the_dual_update():
    """The multiplier stays symmetric to the last bit, which the products rely on."""
    A, B = op.datasets.random_quadratic(12, 5, seed=0)
    problem = op.problems.quadratic(A, B, 0.2)
    solver = LSALM()
    state = solver.init(problem, stiefel.random_point(12, 5, 0))
    for _ in range(50):
        state = solver.step(problem, state)
    np.testing.assert_allclose(state.Y, stiefel.sym(state.Y), rtol=0, atol=1e-15 * np.abs(state.Y).max())


@pytest.mark.parametrize(
    ("radius", "rho", "r", "dual_radius", "alpha", "beta"),
    [(1.5, 121, 1.2e4, 672, 5.4e-3, 1.0e-8), (10.0, 121, 3.2e5, 4.2e3, 9.2e-4, 2.0e-9)],
)
def test_theoretical_parameters_of_two_worked_examples(radius, rho, r, dual_radius, alpha, beta):
    """L_l = 1, L_g = 2.2, f(X0) - f_min = 5, eps = 1e-3, delta = 1/2, xi = 1, evaluated
    independently to two digits.
    """
    p = op.theoretical_parameters(1.0, 5.0, lipschitz_g=2.2, radius=radius)
    found = [p.rho, p.r, p.dual_radius, p.alpha, p.beta]
    np.testing.assert_allclose(found, [rho, r, dual_radius, alpha, beta], rtol=0.05)
    assert p.penalty_lipschitz == pytest.approx(1 + 2 * p.dual_radius + 6 * p.rho * radius**2 + 2 * p.rho)
    assert p.weak_convexity == pytest.approx(3.2 + 2 * p.dual_radius + 2 * p.rho)


def test_stability_radius_with_a_strong_perturbation():
    """alpha eps = 1 forgets the multiplier at once: y+ = 2 alpha d+; the radius is that of the map
    with z alone, shifted.
    """
    p = {"rho": 0.2, "lam": 0.4, "r": 1.0, "alpha": 0.5, "beta": 0.5, "eps": 2.0}
    c = 1.0 + 1 / 0.4
    d = np.array([(1 / 0.4 - 0.8) / c, 1 / c, -2 / c])
    rows = [d, 0.5 * d + [0, 0.5, 0], d]
    assert op.stability_radius(**p) == pytest.approx(np.max(np.abs(np.linalg.eigvals(rows))))
