"""
Reading a certificate
=====================

Every result says how far from stationary it is at most, and proves it. This example draws the proof
of one run, from the first iteration to the last.
"""

# %%
# A sparse PCA problem with 100 variables and 10 components, solved by the paper's method, LSALM,
# from a random point and without polish, so that there is something to see.

import matplotlib.pyplot as plt
import numpy as np

import orthoprox as op

A = op.datasets.five_components(1000, 100, seed=0)
problem = op.problems.sparse_pca(A, n=10, mu=0.5)
result = op.minimize(problem, "random", method="lsalm")
proof = result.certificate
print(f"status                   {result.status.value}")
print(f"distance to stationary   between {proof.lower:.2e} and {proof.upper:.2e}")
print(f"relative to the gradient {result.stationarity:.2e}  (tol was 1e-6)")
print(f"the bounds hold at P     {proof.distance:.1e} from X, feasible to {proof.feasibility:.1e}")

# %%
# The certificate is a matrix Y. You can check it with a few lines that know nothing of the library:
# at every entry, -(grad l(P) + 2PY) has to be mu sign(p) where p is not 0, and between -mu and mu
# where it is. What is missing to that is the upper bound.

P, Y, mu = np.asarray(proof.point), np.asarray(proof.multiplier), 0.5
W = -2 * A.T @ (A @ P) + 2 * P @ Y
missing = np.where(P != 0, W + mu * np.sign(P), np.sign(W) * np.maximum(np.abs(W) - mu, 0))
print(f"norm of what is missing: {np.linalg.norm(missing):.3e}, the certificate says {proof.upper:.3e}")

# %%
# Left: stationarity and feasibility along the run, both below ``tol`` at its end. Right: all
# entries at once. Entries that are zero (grey) lie within the band of width mu; the others (purple)
# on its edge, on the side of their sign. This picture is the whole proof.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
k = result.history["iteration"]
left.semilogy(k[1:], result.history["stationarity"][1:], color="#542788", label="stationarity, relative: proved")
left.semilogy(k[1:], result.history["feasibility"][1:], color="#e08214", label="feasibility |X'X - I|")
left.axhline(1e-6, color="0.4", linestyle=":", label="tol")
left.set(xlabel="iteration", title="along the run")
left.grid(alpha=0.3)
left.legend(frameon=False)
zero = P == 0
right.axvspan(-0.02, 0.02, color="0.95", zorder=0)
for edge in (-mu, mu):
    right.axhline(edge, color="0.6", linewidth=0.8)
right.scatter(P[zero], -W[zero], s=6, color="0.5", label="entries that are 0")
right.scatter(P[~zero], -W[~zero], s=16, color="#542788", label="entries that are not")
right.set(xlabel="entry of P", ylabel="entry of -(grad l(P) + 2PY)", title="at the end", ylim=(-0.62, 0.62))
right.legend(frameon=False, loc="upper left")
plt.show()

# %%
# What a certificate does not say: that no other point is lower. The default call also looks for
# lower minima, and here it ends below this run.

print(f"this run {result.objective:.4f}, the default call {op.minimize(problem).objective:.4f}")
