"""What holds for all tests."""

import os
from pathlib import Path

os.environ.setdefault("ORTHOPROX_COMPILED", "0")  # equal calls are compared: none may depend on what is kept on disk
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / ".numba"))  # nor may later calls on what tests compile
