"""The minimum-norm element of grad l + dg + 2XY over symmetric Y, by a damped semismooth Newton
method.

The certificate and the polish both minimise |R(Y)| over symmetric Y. The problem is
convex; R(Y) is the element of grad l + dg + 2XY of minimum norm, and |R(Y)|^2 / 2 has the gradient
2 sym(X'R). Columns of X that hardly overlap make the Newton equation nearly singular: the damping
falls as long as the steps succeed, and rises where they change the active entries too much.
"""

from collections.abc import Callable

from orthoprox._arrays.library import Array
from orthoprox._linalg.norms import norm

_FIRST_DAMPING = 1e-3
_GAIN = 1e-5  # a step that reduces the residual by less than this share is the last


def min_norm(
    residual: Callable[[Array], Array],
    newton: Callable[[Array, float], Array | None],
    Y: Array,
    R: Array,
    *,
    tiny: float,
    max_steps: int,
    least_damping: float = 0.0,
    stall_damping: float = float("inf"),
) -> tuple[Array, Array]:
    """Return the best Y found, and R = residual(Y).

    ``newton(R, damping)`` returns the step of Y, or None where there is none. The iteration ends at
    |R| <= ``tiny``, where the damping exceeds 1, and where a step with a damping below
    ``stall_damping`` gains next to nothing. The damping stays at or above ``least_damping``.
    """
    damping = _FIRST_DAMPING
    for _ in range(max_steps):
        size = float(norm(R))
        step = newton(R, damping) if size > tiny and damping <= 1 else None
        if step is None:
            break
        trial = residual(Y + step)
        gain = 1 - float(norm(trial)) / size
        if gain > 0:
            Y, R = Y + step, trial
        damping = max(damping * (0.1 if gain > 0 else 10), least_damping)
        if 0 < gain < _GAIN and damping < stall_damping:
            break
    return Y, R
