"""What holds for all tests."""

import os

os.environ.setdefault("ORTHOPROX_COMPILED", "0")  # equal calls are compared: none may depend on what is kept on disk
