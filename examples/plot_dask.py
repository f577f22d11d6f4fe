"""
Data larger than memory with Dask
=================================

A Dask array is a recipe: its blocks are computed when they are needed and forgotten afterwards.
``SparsePCA`` reads it block by block, and never holds more than a few.
"""

# %%
# A table of 60,000 samples and 300 variables, in 30 blocks of 2,000 rows. Nothing of it exists yet.
# Each block draws its samples with a seed of its own: three hidden activities, each felt by twelve
# variables, and noise.

import tracemalloc

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from orthoprox import SparsePCA

rows, variables, size = 2000, 300, 12
truth = np.zeros((3, variables))
for j in range(3):
    truth[j, 100 * j + 20 : 100 * j + 20 + size] = np.linspace(1.0, 0.5, size)


def block(seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, 3)) @ truth + rng.standard_normal((rows, variables))


blocks = [da.from_delayed(dask.delayed(block)(seed), (rows, variables), dtype=float) for seed in range(30)]
table = da.concatenate(blocks)
print(f"the table would take {table.nbytes / 2**20:.0f} MB")

# %%
# The fit asks for the blocks one after the other. ``tracemalloc`` tells the most memory that was in
# use at once.

tracemalloc.start()
with dask.config.set(scheduler="synchronous"):
    pca = SparsePCA(n_components=3, n_nonzero=3 * size).fit(table)
most = tracemalloc.get_traced_memory()[1]
tracemalloc.stop()
print(f"the fit took {most / 2**20:.0f} MB at most")
print("nonzeros:", pca.n_nonzero_, "samples seen:", pca.n_samples_seen_)

# %%
# What was found, and the line of what is true.

figure, axes = plt.subplots(figsize=(9, 3.2), layout="constrained")
for j, (component, colour) in enumerate(zip(pca.components_, ("#542788", "#e08214", "#1b7837"), strict=True)):
    axes.bar(range(variables), component, color=colour, width=1.0, label=f"component {j + 1}")
unit = truth.max(axis=0) / np.linalg.norm(truth[0])
axes.step(range(variables), unit, where="mid", color="black", linewidth=0.8, label="truth")
axes.set(xlabel="variable", ylabel="loading", xlim=(0, variables))
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()
