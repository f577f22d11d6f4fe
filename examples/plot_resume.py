"""
A run killed and resumed
========================

A long call writes checkpoints. Kill it at any moment, start it again, and it goes on where it was:
to the same result, bit for bit.
"""

# %%
# The call to be killed is a program of its own, which tells its iterations and writes a checkpoint
# every fifth of a second.

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import orthoprox as op

A = op.datasets.five_components(400, 120, seed=0)
problem = op.problems.sparse_pca(A, n=30, mu=0.6)
checkpoint = Path(tempfile.mkdtemp()) / "run.npz"
program = """
import sys
import orthoprox as op

A = op.datasets.five_components(400, 120, seed=0)
problem = op.problems.sparse_pca(A, n=30, mu=0.6)
options = {"method": "lsalm", "tol": 1e-8, "callback": lambda now: print(now.iteration, flush=True)}
op.minimize(problem, "random", checkpoint=sys.argv[1], checkpoint_every=0.2, **options)
"""
process = subprocess.Popen([sys.executable, "-c", program, str(checkpoint)], stdout=subprocess.PIPE, text=True)
while not checkpoint.exists():
    time.sleep(0.05)
time.sleep(0.2)
process.kill()
killed = int(process.communicate()[0].split()[-1])
print(f"killed in iteration {killed}; the checkpoint has {checkpoint.stat().st_size:,} bytes")

# %%
# The same call with ``resume=True`` reads the checkpoint and goes on. For comparison the whole call
# is made once more without interruption.

options = {"method": "lsalm", "tol": 1e-8}
resumed = op.minimize(problem, "random", checkpoint=checkpoint, resume=True, **options)
whole = op.minimize(problem, "random", **options)
print(f"resumed: {resumed.iterations} iterations, objective {resumed.objective:.12f}")
print(f"whole:   {whole.iterations} iterations, objective {whole.objective:.12f}")
print("the same X, bit for bit:", np.array_equal(resumed.X, whole.X))

# %%
# The curve of the resumed call has no seam where it was killed.

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
styles = {"whole": {"color": "#e08214", "linewidth": 6, "alpha": 0.5}, "killed and resumed": {"color": "#542788"}}
for (name, style), result in zip(styles.items(), (whole, resumed), strict=True):
    axes.semilogy(result.history["iteration"][1:], result.history["stationarity"][1:], label=name, **style)
axes.axvline(killed, color="0.5", linestyle=":", label="killed here")
axes.set(xlabel="iteration", ylabel="relative stationarity, proved")
axes.grid(alpha=0.3)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()
