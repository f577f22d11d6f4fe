"""
Digits in nonnegative parts
===========================

With loadings that may not be negative, components become parts: groups of pixels that are dark
together. No two of them share a pixel, since nonnegative orthogonal vectors cannot.
"""

# %%
# 1,797 pictures of digits, 8 x 8 pixels each. ``nonnegative=True`` asks for loadings >= 0, and
# ``n_nonzero`` distributes 48 of the 64 pixels over ten components.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from orthoprox import SparsePCA

digits = load_digits().data
parts = SparsePCA(n_components=10, n_nonzero=48, nonnegative=True).fit(digits)
dense = PCA(n_components=10).fit(digits)
print(f"smallest loading: {parts.components_.min():.1f}; pixels of each part: {parts.n_nonzero_}")
print(f"variance explained: {100 * parts.explained_variance_ratio_.sum():.1f} %", end="; ")
print(f"by ten principal components: {100 * dense.explained_variance_ratio_.sum():.1f} %")

# %%
# Principal components (above) are patterns over the whole picture, of both signs. Parts (below) are
# strokes.

figure, rows = plt.subplots(2, 10, figsize=(11, 2.9), layout="constrained")
for axes, component in zip(rows[0], dense.components_, strict=True):
    axes.imshow(component.reshape(8, 8), cmap="PuOr", vmin=-0.4, vmax=0.4)
for axes, component, share in zip(rows[1], parts.components_, parts.explained_variance_ratio_, strict=True):
    axes.imshow(np.where(component > 0, component, np.nan).reshape(8, 8), cmap="Purples", vmin=0, vmax=0.9)
    axes.set_xlabel(f"{100 * share:.1f} %")
for axes in rows.flat:
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_color("0.8")
rows[0, 0].set_ylabel("PCA")
rows[1, 0].set_ylabel("parts")
plt.show()

# %%
# All parts together cover the pixels where digits differ. Each colour is one part.

owner = np.where(parts.components_.max(axis=0) > 0, parts.components_.argmax(axis=0), np.nan)
figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 3.6), layout="constrained")
left.imshow(digits.std(axis=0).reshape(8, 8), cmap="Greys")
left.set_title("standard deviation of a pixel")
right.imshow(owner.reshape(8, 8), cmap="tab10", vmin=-0.5, vmax=9.5)
right.set_title("the part that a pixel belongs to")
for axes in (left, right):
    axes.set(xticks=[], yticks=[])
plt.show()
