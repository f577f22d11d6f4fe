"""
Variance against nonzeros
=========================

How many loadings does a table need? ``SparsePCA.path`` finds components for many numbers of
nonzeros, which share the work, so that you can choose where the curve bends.
"""

# %%
# The table has 30 measurements of 569 tumours. Six principal components have 180 loadings.

import numpy as np
from sklearn.datasets import load_breast_cancer

from orthoprox import SparsePCA

tumours = load_breast_cancer(as_frame=True).data
pca = SparsePCA(n_components=6, scale=True)
path = pca.path(tumours, n_nonzeros=[180, 110, 70, 50, 40, 30, 18, 6])
print(path)

# %%
# The diamond marks the smallest of these numbers that keeps 98 % of what principal components
# explain. With fewer than 30 loadings some variables are left out, and every further one costs.

import matplotlib.pyplot as plt

shares = 100 * path.explained_variance_ratio
figure, axes = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
axes.axhline(100 * path.pca, color="black", linestyle=":", linewidth=1.2)
axes.text(178, 100 * path.pca + 1, f"PCA: {100 * path.pca:.1f} %", ha="right")
axes.plot(path.n_nonzeros, shares, color="#542788", marker="o")
kept = int(np.argmin(np.where(shares >= 0.98 * 100 * path.pca, path.n_nonzeros, np.inf)))
axes.plot(path.n_nonzeros[kept], shares[kept], color="#b35806", marker="D", markersize=10, linestyle="none")
axes.annotate(
    f"{path.n_nonzeros[kept]} of 180 loadings keep\n98 % of what PCA explains",
    (path.n_nonzeros[kept], shares[kept]),
    xytext=(90, 62),
    arrowprops={"arrowstyle": "-", "color": "0.4", "shrinkB": 8},
)
axes.set(xlabel="nonzero loadings of six components", ylabel="variance explained, in %", xlim=(0, 184))
axes.grid(alpha=0.3)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The estimator with that number is fitted as usual.

pca.set_params(n_nonzero=int(path.n_nonzeros[kept])).fit(tumours)
print("nonzeros of each component:", pca.n_nonzero_)
print("share of the variance:     ", pca.explained_variance_ratio_.round(3))
