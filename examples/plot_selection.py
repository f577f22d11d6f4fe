"""
Row-sparse feature selection in a pipeline
==========================================

An l1 norm chooses loadings one by one. The l21 norm chooses whole variables: the same few for all
components. What is left out need not be measured any more.
"""

# %%
# 30 measurements of 569 tumours, of which the class is known. The pipeline is: choose k
# measurements without looking at the class, project onto three components, fit a logistic
# regression. With ``penalty="l21"`` a number of nonzeros stands for ``n_nonzero // n_components``
# variables.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from orthoprox import SparsePCA

data, target = load_breast_cancer(return_X_y=True, as_frame=True)
components, variables = 3, [3, 4, 6, 8, 12, 20, 30]
pipeline = make_pipeline(SparsePCA(components, penalty="l21", scale=True), LogisticRegression())
grid = {"sparsepca__n_nonzero": [components * k for k in variables]}
search = GridSearchCV(pipeline, grid, cv=5).fit(data, target)
scores, spread = search.cv_results_["mean_test_score"], search.cv_results_["std_test_score"]
for k, score in zip(variables, scores, strict=True):
    print(f"{k:2} of 30 measurements: {100 * score:.1f} % right")

# %%
# A few measurements, chosen without knowing the class, come close to all of them. Bars are standard
# deviations over the folds.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.errorbar(variables, 100 * scores, 100 * spread, color="#542788", marker="o", capsize=3)
axes.set(xlabel="measurements used", ylabel="right predictions in %, five folds", xlim=(0, 31))
axes.grid(alpha=0.3)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# These are the eight that represent the table best, with their loadings: a row is either used by
# all components or by none.

pca = SparsePCA(components, n_nonzero=8 * components, penalty="l21", scale=True).fit(data)
loadings = pca.to_frame()
loadings = loadings[(loadings != 0).any(axis=1)]
print(loadings.round(2))

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
picture = axes.imshow(loadings, cmap="PuOr", vmin=-0.8, vmax=0.8, aspect="auto")
axes.set_yticks(range(len(loadings)), loadings.index)
axes.set_xticks(range(components), [f"{100 * share:.0f} %" for share in pca.explained_variance_ratio_])
for (i, j), loading in np.ndenumerate(loadings.to_numpy()):
    axes.text(j, i, f"{loading:+.2f}", ha="center", va="center", color="white" if abs(loading) > 0.55 else "black")
axes.set_xlabel("component, by its share of the variance")
axes.spines[:].set_visible(False)
axes.tick_params(length=0)
plt.show()
