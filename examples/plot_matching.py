"""
Graph matching, drawn on the points
===================================

Two pictures of a house from different sides, 30 landmarks in each: which is which? Only distances
between neighbours are compared. The solution is an orthogonal matrix whose large entries pair the
points.
"""

# %%
# ``synthetic_house`` draws the landmarks as a moving camera sees them; the order of the second set
# is shuffled, so that nothing can be read off the numbering.

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import Delaunay

import orthoprox as op

frames = op.datasets.synthetic_house()
first, last = frames[0], frames[60]
shuffled = np.random.default_rng(0).permutation(len(last))
problem = op.problems.graph_matching(first, last[shuffled], mu=1.0)
result = op.minimize(problem)
matched = op.assignment.assign(result.X)  # for each point of the second set, one of the first
right = matched == shuffled
print(result)
print(f"\n{right.sum()} of {len(right)} landmarks are matched rightly")

# %%
# Lines join what is matched: purple where it is right, orange where it is not. Grey is the
# triangulation of each picture, whose edges are what is compared.

figure, axes = plt.subplots(figsize=(11, 4.4), layout="constrained")
shift = np.array([1.5 * np.ptp(first[:, 0]), 0])
there = last[shuffled] + shift + first.mean(axis=0) - last.mean(axis=0)
for j, i in enumerate(matched):
    colour = "#542788" if right[j] else "#e08214"
    axes.plot(*np.array([first[i], there[j]]).T, color=colour, linewidth=0.8, alpha=0.55)
for points in (first, there):
    axes.triplot(*points.T, Delaunay(points).simplices, color="0.8", linewidth=0.7, zorder=0)
    axes.scatter(*points.T, color="0.15", s=22, zorder=3)
axes.set_aspect("equal")
axes.set_axis_off()
axes.set_title(f"Frames 1 and 61: {right.sum()} of {len(right)} matched rightly")
plt.show()

# %%
# The matrix itself: rows are landmarks of the first picture, columns those of the second, put back
# into their order. A perfect matching would be the identity.

X = np.asarray(result.projected())[:, np.argsort(shuffled)]
figure, axes = plt.subplots(figsize=(4.8, 4.2), layout="constrained")
picture = axes.imshow(X, cmap="PuOr", vmin=-1, vmax=1)
axes.set(xlabel="landmark, frame 61", ylabel="landmark, frame 1")
figure.colorbar(picture)
plt.show()
