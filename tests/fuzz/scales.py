"""Problems of extreme scales: f times 1e-200 to 1e200, or one of its terms alone."""

import numpy as np
from hypothesis import strategies as st

import judge
from fuzz import callables
from fuzz.arrays import entries, layouts
from fuzz.pick import SEEDS, one_in
from fuzz.terms import Recipe, recipes, shapes

SCALES = [1e-200, 1e-160, 1e-120, 1e-60, 1e-20, 1e20, 1e60, 1e120, 1e160, 1e200]


class Times:
    """A function times a number, in double precision."""

    def __init__(self, function, scale):
        self.function, self.scale = function, scale

    def __call__(self, *arguments):
        return np.multiply(self.function(*arguments), self.scale, dtype=float)

    def __repr__(self):
        return f"Times({self.function.__name__}, {self.scale:g})"


def _smooth(draw, shape, scale):
    m, n = shape
    kind, seed = draw(st.sampled_from(["Quadratic", "Variance", "Function"])), draw(SEEDS)
    if kind == "Quadratic":
        A, B = scale * entries(seed, (m, m)), scale * entries(seed + 1, shape) * draw(st.booleans())
        A = np.maximum(A, A.T)
        steepest = scale * np.linalg.norm(A / scale, 2) * n**0.5 + judge.norm(B)
        return (kind, {"A": draw(layouts(A)), "B": B}), lambda X: A @ X + B, steepest
    if kind == "Variance":
        A = entries(seed, (7, m))
        steepest = 2 * scale * np.linalg.norm(A, 2) ** 2 * n**0.5
        return (kind, {"A": draw(layouts(scale**0.5 * A))}), lambda X: -2 * (scale * (A.T @ (A @ X))), steepest
    fun, grad = Times(callables.log_cosh, scale), Times(callables.tanh, scale)
    return ("Function", {"fun": fun, "grad": grad}), grad, scale * float((m * n) ** 0.5)


def _nonsmooth(draw, scale):
    mu = scale * draw(st.sampled_from([0.1, 0.5, 2.0]))
    return draw(
        st.sampled_from(
            [
                (("L1", {"mu": mu}), lambda P: judge.l1(P, mu)),
                (("L1", {"mu": mu, "bound": 0.75}), lambda P: judge.l1(P, mu, 0.75)),
                (("L21", {"mu": mu}), lambda P: judge.l21(P, mu)),
                (("MCP", {"mu": mu, "gamma": 3 / scale}), lambda P: judge.mcp(P, mu, 3 / scale)),
                (("Nonnegative", {}), judge.nonnegative),
                (("Zero", {}), judge.zero),
            ]
        )
    )


@st.composite
def scaled_recipes(draw):
    """A problem with f times a number; now and then only one of its terms."""
    shape, scale = draw(shapes), draw(st.sampled_from(SCALES))
    sizes = draw(st.sampled_from([(scale, scale), (scale, scale), (scale, 1.0), (1.0, scale)]))
    smooth, grad, steepest = _smooth(draw, shape, sizes[0])
    nonsmooth, subdifferential = _nonsmooth(draw, sizes[1])
    return Recipe(smooth, nonsmooth, shape, judge.Plain(grad, subdifferential, steepest), daring=sizes[0] != sizes[1])


@st.composite
def any_recipes(draw):
    """Problems of every kind: usual ones, those of extreme scales, and those whose functions
    misbehave.
    """
    return draw(scaled_recipes() if one_in(5, draw) else recipes(callables_too=True))
