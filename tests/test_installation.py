"""An installed copy of the package: what importing it costs, and what works without a cache, a home
or an extra.
"""

import compileall
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

import orthoprox

LIMIT = 0.15  # CPU seconds of `import orthoprox` beyond NumPy and scipy.sparse
LATE = (
    "numba", "llvmlite", "matplotlib", "rich", "pooch", "jinja2",
    "multiprocessing", "concurrent.futures.process",
    "scipy.optimize", "scipy.linalg", "scipy.sparse.linalg", "scipy.spatial", "scipy.special", "scipy.io",
)  # fmt: skip
COST = """
import time
began = time.process_time()
import numpy, scipy.sparse
between = time.process_time()
import orthoprox
print(between - began, time.process_time() - between)
"""
LARGE = """
import numpy as np
import orthoprox as op
from orthoprox._linalg import products
X = np.zeros((400, 60))
X[:60] = np.eye(60)
at = products.support(X)
np.testing.assert_array_equal(products.gram(X, at), np.eye(60))
np.testing.assert_array_equal(products.lincomb((2.0, X), (-1.0, X)), X)
print("loops" if products.compiled() is not None else "no loops", at is not None)
"""
SMALL = """
import numpy as np
import orthoprox as op
problem = op.problems.sparse_pca(np.random.default_rng(0).standard_normal((30, 8)), 2, 1.0)
result = op.minimize(problem, "coordinates", progress=True)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with a compiled copy of the package, as pip leaves it."""
    folder = tmp_path_factory.mktemp("site")
    copy = shutil.copytree(Path(orthoprox.__file__).parent, folder / "orthoprox", ignore=shutil.ignore_patterns("__pycache__"))
    assert compileall.compile_dir(copy, quiet=2)
    return folder


def run(program, folder, *, without=(), **environment):
    """Run a program with the copy of the package in another interpreter, where some modules cannot
    be imported.
    """
    blocked = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in without)
    return subprocess.run(
        [sys.executable, "-c", blocked + program],
        env={**os.environ, "PYTHONPATH": str(folder), "OPENBLAS_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )


def output(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_costs_little(installed):
    """The median of five imports takes at most .15 CPU seconds more than NumPy and scipy.sparse; on
    a slow or busy machine, no more than these two.
    """
    costs = [[float(cost) for cost in output(COST, installed).split()] for _ in range(5)]
    theirs, ours = (statistics.median(column) for column in zip(*costs, strict=True))
    assert ours <= max(LIMIT, theirs)


def test_import_brings_nothing_that_is_used_later(installed):
    program = "import numpy, scipy.sparse, sys\nbefore = set(sys.modules)\nimport orthoprox\nnew = set(sys.modules) - before\n"
    assert output(program + f"print(sorted(new & {set(LATE)}))", installed).strip() == "[]"


def test_a_small_problem_needs_no_compiled_loops(installed):
    assert output(SMALL + "print(result.status.name, 'numba' in sys.modules)", installed) == "CONVERGED False\n"


def test_a_read_only_installation_without_a_home_has_its_loops(installed, tmp_path):
    """Where no folder can be made to keep compiled code in, loops are compiled again."""
    pytest.importorskip("numba")
    shutil.copytree(installed, tmp_path / "site")
    file = tmp_path / "site" / "orthoprox" / "_linalg" / "__pycache__"  # no folder can take the place of a file
    shutil.rmtree(file)
    file.touch()
    nowhere = str(file / "nowhere")
    assert output(LARGE, tmp_path / "site", HOME=nowhere, XDG_CACHE_HOME=nowhere, NUMBA_CACHE_DIR=nowhere) == "loops True\n"
    assert file.is_file()


def test_without_numba_products_go_without_loops(installed):
    assert output(LARGE, installed, without=["numba"]) == "no loops True\n"


def test_without_rich_progress_has_plain_lines(installed):
    done = run(SMALL, installed, without=["rich"])
    assert done.returncode == 0
    assert "steps" in done.stderr
    assert 'pip install "orthoprox[progress]"' in orthoprox.Progress.__doc__


COMMAND = "from orthoprox.cli.__main__ import main\nsys.exit(main(['reproduce', '--quick']))"
NEEDS = {
    "plot": ("matplotlib", SMALL + "result.plot()", 'ImportError: A plot needs matplotlib: pip install "orthoprox[plot]"'),
    "report": ("jinja2", COMMAND, 'needs jinja2 and matplotlib: pip install "orthoprox[reproduce]"'),
    "figures": ("matplotlib", COMMAND, 'needs jinja2 and matplotlib: pip install "orthoprox[reproduce]"'),
    "download": ("pooch", "import orthoprox\northoprox.datasets.cmu_house()", 'needs pooch, pip install "orthoprox[data]"'),
}


@pytest.mark.parametrize("feature", NEEDS)
def test_what_needs_an_extra_says_which(feature, installed):
    module, program, message = NEEDS[feature]
    done = run(program, installed, without=[module], ORTHOPROX_CMU_HOUSE="")
    assert done.returncode != 0
    assert message in done.stderr
