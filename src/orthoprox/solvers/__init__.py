"""The methods, by name."""

from typing import Any

from orthoprox.solvers.adaptive import Adaptive
from orthoprox.solvers.base import Solver
from orthoprox.solvers.dissolving import Dissolving
from orthoprox.solvers.landing import Landing
from orthoprox.solvers.lsalm import LSALM
from orthoprox.solvers.manpg import ManPG, ManPGAda
from orthoprox.solvers.pamal import PAMAL
from orthoprox.solvers.pcal import PCAL
from orthoprox.solvers.plam import PLAM
from orthoprox.solvers.radmm import RADMM
from orthoprox.solvers.rgd import RGD
from orthoprox.solvers.rsm import RSM
from orthoprox.solvers.smoothing_rgd import SmoothingRGD
from orthoprox.solvers.soc import SOC

SOLVERS: dict[str, type[Solver[Any]]] = {
    "adaptive": Adaptive,
    "lsalm": LSALM,
    "manpg": ManPG,
    "manpg-ada": ManPGAda,
    "soc": SOC,
    "pamal": PAMAL,
    "radmm": RADMM,
    "smoothing-rgd": SmoothingRGD,
    "dissolving": Dissolving,
    "rsm": RSM,
    "rgd": RGD,
    "plam": PLAM,
    "pcal": PCAL,
    "landing": Landing,
}

__all__ = [
    "LSALM",
    "PAMAL",
    "PCAL",
    "PLAM",
    "RADMM",
    "RGD",
    "RSM",
    "SOC",
    "SOLVERS",
    "Adaptive",
    "Dissolving",
    "Landing",
    "ManPG",
    "ManPGAda",
    "SmoothingRGD",
    "Solver",
]
