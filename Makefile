# make demo and make test set up everything they need in .venv; a second run installs nothing.
PYTHON ?= python3
BIN := .venv/bin
# One BLAS thread for each process: the problems are small, and spinning threads are slow on a machine that others use.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_NUM_THREADS=1

.PHONY: demo test test-fast lint types format clean

demo: .venv/installed
	$(ONE_THREAD) $(BIN)/python examples/plot_sparse_pca.py

test: lint types
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2

test-fast: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 -m "not slow"

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

.PHONY: docs bench bench-solvers bench-certificates bench-robustness

docs: .venv/installed
	$(BIN)/python -m docs.methods

bench: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.bench

bench-solvers: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.solvers

bench-certificates: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.certificates

bench-robustness: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m benchmarks.robustness

clean:
	rm -rf .venv build dist

.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "orthoprox needs Python 3.11 or newer; name one, as in: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@
