"""An environment for each package: .venv-peers/<package>, made by pip from the exact versions in
requirements/.
"""

import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements")
ENVIRONMENTS = Path(__file__).parents[2] / ".venv-peers"


def python(package: str) -> Path:
    """Return the interpreter of a package's environment; make the environment if it is not there or
    its versions changed.
    """
    wanted, folder = (REQUIREMENTS / f"{package}.txt").read_text(), ENVIRONMENTS / package
    interpreter, installed = folder / "bin" / "python", folder / "installed.txt"
    if not installed.exists() or installed.read_text() != wanted:
        create(folder)
        pip = (str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*pip, "-r", str(REQUIREMENTS / f"{package}.txt"))
        installed.write_text(wanted)
    return interpreter


def create(folder: Path) -> Path:
    """Make an empty environment and return its interpreter."""
    run(sys.executable, "-m", "venv", "--clear", str(folder))
    return folder / "bin" / "python"


def run(*command: str) -> None:
    """Run a command; what it says is told if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
