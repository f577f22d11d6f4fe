"""Every tuned number of the default method."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The numbers of the default method, each with its meaning and its unit.

    A *residual* is relative and has no unit. Curvatures are in units of c, the curvature that the
    method measures; lengths in units of sqrt(n), the length of X.
    """

    # LSALM
    penalty: float = 0.2  # rho and alpha, in units of c
    smoothing: float = 0.05  # r, in units of c
    centre: float = 0.9  # beta
    inertia: float = 0.95  # the largest theta; the second step rule has none
    margins: tuple[float, ...] = (1.3, 1.0)  # c over the curvature of the Lagrangian, by step rule; also of working sets
    decays: tuple[float, ...] = (0.998, 0.99)  # the least ratio of two successive c, by step rule
    power_steps: int = 4  # finite differences for the first curvature, and for principal components

    # safeguards
    near: float = 0.9  # the norm of E'E - I up to which no column can have vanished, and up to which an epoch goes on
    vanished: int = 20  # iterations in a row with a vanished column that count as a divergence
    growth: float = 1.5  # of a safety factor, after a divergence or stagnation
    safety: float = 3.0  # the largest safety factor; a divergence that reaches it is the last
    weight: float = 10.0  # the largest weight of the dual step; its square if feasibility is as many times the stationarity

    # progress
    window: int = 50  # iterations between two looks at the progress, and of a stage of continuation
    slow: float = 2000  # a run that needs more further iterations is slow
    patience: int = 2  # slow windows in a row that count as stagnation; twice as many in the late phase
    goal: float = 1e-6  # the residual that a run is expected to reach, and the decrease of f that counts as lower
    identified: float = 1e-3  # the residual, or the width, at which supports are identified
    gain: float = 0.1  # the residual near a solution, and the share of a residual that counts as progress

    # working sets
    epoch: int = 30  # the most iterations of an epoch
    pairs: float = 1e7  # the most pairs of entries to multiply, for the memory that they take

    # Newton's method
    widths: tuple[float, float, float] = (0.3, 0.1, 0.03)  # of the smoothing along a continuation: how far the prox moves X
    radius: float = 0.1  # of the first trust region; a longer step of the polish shows a saddle or a wrong support
    accurate: float = 3e-5  # the residual at which nu is reduced
    cg_steps: int = 100  # the most conjugate gradients of a step
    newton_steps: int = 60  # the most steps with one nu, or of a round of the polish
    rejections: int = 12  # rejected steps in a row, after which nu is reduced as well

    # polish
    polish: int = 40  # the work that it may take, in dense iterations
    sparse: float = 20.0  # operations of a gradient at a sparse X, for each row and nonzero
    few: int = 20  # entries that may reach or leave kinks at once, or a tenth of all

    # starts and lower minima
    probe: int = 30  # iterations of a probe; coordinate vectors may cost as many gradients
    share: float = 0.1  # of a time budget, for the search for a start
    work: float = 2e10  # operations that all probes may take
    floor: float = 5e9  # operations that may always go into lower minima
    overhead: float = 2e6  # the least cost of an iteration, in operations
    power: int = 15  # steps of the power method for principal components
    dense: int = 4  # for n >= m / dense coordinate vectors are the best guess
    jitters: tuple[float, float] = (0.1, 3.0)  # random perturbations, near and far, of columns of length 1
    block: int = 4  # columns among which some are exchanged, at most
    exchange: int = 5  # steps of an exchange, with a penalty that grows from a half
    rounds: int = 8  # the most of basin hopping, half of them in vain; of the polish; of exchanges in vain, by size of block


SETTINGS = Settings()
EFFORTS = {"fast": 0.0, "normal": 1.0, "thorough": 10.0}  # the work for lower minima, times that of the run or a floor
