"""The package as it is published: it builds, its description renders, and it works elsewhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.extended


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the source distribution."""
    for name in ("build", "hatchling", "twine"):
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return sorted(folder.iterdir())


def test_what_is_built_passes_the_checks_of_the_index(built):
    assert [path.suffix for path in built] == [".whl", ".gz"]
    assert run(sys.executable, "-m", "twine", "check", "--strict", *built).count("PASSED") == 2


def test_the_wheel_works_outside_of_the_clone(built, tmp_path):
    """The command of the installed wheel makes a report of the table that it ships."""
    site, here = tmp_path / "site", tmp_path / "here"
    here.mkdir()
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, built[0])
    environment = {**os.environ, "PYTHONPATH": str(site)}
    where = run(sys.executable, "-c", "import orthoprox; print(orthoprox.__file__)", env=environment, cwd=here)
    assert where.startswith(str(site))
    table = site / "orthoprox" / "datasets" / "wine.csv"
    assert table.with_name("wine-LICENSE.txt").is_file()
    command = sys.executable, site / "bin" / "orthoprox"
    out = run(*command, "spca", table, "-n", "4", "--nonzeros", "20", env=environment, cwd=here)
    assert "The report is wine-spca/report.html" in out
    assert (here / "wine-spca" / "report.html").stat().st_size > 10000
    scores = run(*command, "transform", "wine-spca/model.npz", table, env=environment, cwd=here)
    assert scores == (here / "wine-spca" / "scores.csv").read_text()
