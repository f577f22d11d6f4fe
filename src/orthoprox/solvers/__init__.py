"""The methods, by name."""

from typing import Any

from orthoprox.solvers.adaptive import Adaptive
from orthoprox.solvers.almssn import ALMSSN
from orthoprox.solvers.base import Solver
from orthoprox.solvers.landing import Landing
from orthoprox.solvers.lsalm import LSALM
from orthoprox.solvers.manpg import ManPG, ManPGAda
from orthoprox.solvers.pamal import PAMAL
from orthoprox.solvers.pcal import PCAL
from orthoprox.solvers.plam import PLAM
from orthoprox.solvers.radmm import RADMM
from orthoprox.solvers.rgd import RGD
from orthoprox.solvers.rsm import RSM
from orthoprox.solvers.soc import SOC

SOLVERS: dict[str, type[Solver[Any]]] = {
    "adaptive": Adaptive,
    "lsalm": LSALM,
    "manpg": ManPG,
    "manpg-ada": ManPGAda,
    "soc": SOC,
    "pamal": PAMAL,
    "radmm": RADMM,
    "almssn": ALMSSN,
    "rsm": RSM,
    "rgd": RGD,
    "plam": PLAM,
    "pcal": PCAL,
    "landing": Landing,
}

__all__ = [
    "ALMSSN",
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
    "Landing",
    "ManPG",
    "ManPGAda",
    "Solver",
]
