"""The environment of an older commit: .venv-peers/before, with the versions of constraints.txt."""

import subprocess
from pathlib import Path

from benchmarks.peers.environment import ENVIRONMENTS, create, run

ROOT = Path(__file__).parents[2]


def python(commit: str) -> Path:
    """Return the interpreter of an environment in which a commit is installed; make it if it is not
    there or of another commit.
    """
    folder = ENVIRONMENTS / "before"
    installed, source = folder / "installed.txt", folder / "source"
    if not installed.exists() or installed.read_text() != commit:
        interpreter = create(folder)
        source.mkdir()
        archive = subprocess.run(["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(source)], input=archive, check=True)
        pip = (str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(*pip, "-c", str(ROOT / "constraints.txt"), f"{source}[fast]")
        installed.write_text(commit)
    return folder / "bin" / "python"
