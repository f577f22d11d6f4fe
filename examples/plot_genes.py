"""
Genes of a wide table
=====================

Sixty samples of 3,000 genes: principal components of such a table show mostly noise. With few
nonzeros per component the genes that vary together are found by number.
"""

# %%
# The table is made up, so that the truth is known: four groups of 25 genes follow four hidden
# activities, everything else is noise.

import matplotlib.pyplot as plt
import numpy as np

from orthoprox import SparsePCA

rng = np.random.default_rng(0)
samples, genes, groups, size = 60, 3000, 4, 25
table = rng.standard_normal((samples, genes))
truth = rng.permutation(genes)[: groups * size].reshape(groups, size)
for group in truth:
    table[:, group] += np.outer(rng.standard_normal(samples), rng.uniform(0.9, 1.6, size))

# %%
# As many nonzeros as there are genes in groups are asked for; that each component gets one group is
# found from the data.

pca = SparsePCA(n_components=groups, n_nonzero=groups * size).fit(table)
found = [np.flatnonzero(component) for component in pca.components_]
for j, chosen in enumerate(found, 1):
    hits = [len(np.intersect1d(chosen, group)) for group in truth]
    print(f"component {j}: {len(chosen)} genes, {max(hits)} of them from group {int(np.argmax(hits)) + 1}")

# %%
# How well do components follow the hidden groups? Each row below is the loadings of one component,
# with the genes of the four groups first and 100 others after them. Principal components put weight
# everywhere.

_, _, dense = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
shown = np.r_[truth.ravel(), np.setdiff1d(np.arange(genes), truth)[:100]]
figure, rows = plt.subplots(2, 1, figsize=(9, 4.4), sharex=True, layout="constrained")
for axes, components, name in zip(rows, (dense[:groups], pca.components_), ("PCA", "SparsePCA"), strict=True):
    picture = axes.imshow(components[:, shown], cmap="PuOr", vmin=-0.3, vmax=0.3, aspect="auto", interpolation="nearest")
    axes.set_yticks(range(groups), range(1, groups + 1))
    axes.set_title(f"{name}: {np.count_nonzero(components):,} nonzero loadings of {groups * genes:,}", loc="left", fontsize=10)
    for edge in range(size, groups * size + 1, size):
        axes.axvline(edge - 0.5, color="0.6", linewidth=0.8)
rows[1].set_xlabel("genes: four groups of 25, then 100 that belong to none")
figure.colorbar(picture, ax=rows, label="loading")
plt.show()

# %%
# The share of the weight that lies on genes of the four groups:

member = np.isin(np.arange(genes), truth)
for name, components in (("PCA", dense[:groups]), ("SparsePCA", pca.components_)):
    print(f"{name:>9}: {100 * np.sum(components[:, member] ** 2) / groups:.0f} %")
