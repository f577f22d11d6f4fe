"""The methods, one file each: state, init, step, residuals. The registry is SOLVERS; _shared holds
what several use.

Imports the rooms _arrays, _linalg, smooth, nonsmooth, problems, _certify, stopping, paper,
_adaptive.
"""

from typing import Any

from orthoprox.solvers.adaptive import Adaptive
from orthoprox.solvers.almssn import ALMSSN
from orthoprox.solvers.amanpg import AManPG
from orthoprox.solvers.base import Solver
from orthoprox.solvers.dissolving import Dissolving
from orthoprox.solvers.landing import Landing
from orthoprox.solvers.lsalm import LSALM
from orthoprox.solvers.madmm import MADMM
from orthoprox.solvers.manial import ManIAL
from orthoprox.solvers.manpg import ManPG, ManPGAda
from orthoprox.solvers.mialm import MIALM
from orthoprox.solvers.pamal import PAMAL
from orthoprox.solvers.pcal import PCAL
from orthoprox.solvers.plam import PLAM
from orthoprox.solvers.radmm import RADMM
from orthoprox.solvers.rgd import RGD
from orthoprox.solvers.rpg import RPG
from orthoprox.solvers.rpncg import RPNCG
from orthoprox.solvers.rsm import RSM
from orthoprox.solvers.smoothing_rgd import SmoothingRGD
from orthoprox.solvers.soc import SOC

SOLVERS: dict[str, type[Solver[Any]]] = {
    "adaptive": Adaptive,
    "lsalm": LSALM,
    "manpg": ManPG,
    "manpg-ada": ManPGAda,
    "amanpg": AManPG,
    "rpg": RPG,
    "rpn-cg": RPNCG,
    "soc": SOC,
    "pamal": PAMAL,
    "radmm": RADMM,
    "madmm": MADMM,
    "manial": ManIAL,
    "mialm": MIALM,
    "almssn": ALMSSN,
    "smoothing-rgd": SmoothingRGD,
    "rsm": RSM,
    "rgd": RGD,
    "plam": PLAM,
    "pcal": PCAL,
    "landing": Landing,
    "dissolving": Dissolving,
}

__all__ = [
    "ALMSSN",
    "LSALM",
    "MADMM",
    "MIALM",
    "PAMAL",
    "PCAL",
    "PLAM",
    "RADMM",
    "RGD",
    "RPG",
    "RPNCG",
    "RSM",
    "SOC",
    "SOLVERS",
    "AManPG",
    "Adaptive",
    "Dissolving",
    "Landing",
    "ManIAL",
    "ManPG",
    "ManPGAda",
    "SmoothingRGD",
    "Solver",
]
