"""
Your own loss and your own prox
===============================

A problem is a loss with its gradient and a penalty with its prox; each can be two functions of
yours. Here a penalty chooses bands of neighbouring variables, which no term of the library does.
"""

# %%
# The data are spectra: 200 samples at 60 wavelengths. Two substances absorb in two bands each.

import matplotlib.pyplot as plt
import numpy as np

import orthoprox as op

rng = np.random.default_rng(0)
wavelengths = np.arange(60)
substances = np.zeros((60, 2))
for j, centres in enumerate([(11, 38), (23, 52)]):
    for centre in centres:
        substances[:, j] += np.exp(-((wavelengths - centre) ** 2) / 8)
A = rng.gamma(2.0, 1.0, (200, 2)) @ substances.T + 0.25 * rng.standard_normal((200, 60))
A -= A.mean(axis=0)

# %%
# **The penalty.** Cut the wavelengths into bands b of five, and let g(X) = mu times the sum of the
# norms \|X_bj\| over bands and columns. Its prox shortens each X_bj by t mu, to 0 if it is shorter.
# ``check_prox`` tries whether anything nearby is better than what the prox returns. With mu = 60
# the prox is 0 unless t is small, so t = 1e-3 is passed.

mu, width = 60.0, 5


def bands(X):
    return X.reshape(-1, width, X.shape[-1])


def fun(X):
    return mu * np.sum(np.linalg.norm(bands(X), axis=1))


def prox(X, t):
    norms = np.linalg.norm(bands(X), axis=1, keepdims=True)
    return (bands(X) * np.clip(1 - t * mu / np.maximum(norms, 1e-300), 0, None)).reshape(X.shape)


band_norm = op.nonsmooth.Function(fun, prox)
X0 = op.stiefel.random_point(60, 2, seed=0)
print(f"check_prox: {op.checks.check_prox(band_norm, X0, t=1e-3):.0e}, at most 0 up to rounding")

# %%
# **The loss.** Huber's function is quadratic up to 2 and linear beyond. In place of the variance,
# it forgives single wild samples.


def loss(X):
    scores = np.abs(A @ X)
    return -np.sum(np.where(scores <= 2, scores**2 / 2, 2 * scores - 2))


def gradient(X):
    return -A.T @ np.clip(A @ X, -2, 2)


huber = op.smooth.Function(loss, gradient)
print(f"check_grad: relative error {op.checks.check_grad(huber, X0):.0e}")

# %%
# **The problem** is the two of them and a shape. Nothing is tuned, and the certificate holds as for
# the terms of the library.

result = op.minimize(op.Problem(huber, band_norm, shape=(60, 2)))
print(result)

# %%
# Whole bands are zero. Grey shows where the two substances absorb.

X = np.asarray(result.X)
X = X[:, np.argsort(-np.abs(substances[:, 0] @ X))]
X = X * np.sign(X[np.abs(X).argmax(axis=0), [0, 1]])
figure, panels = plt.subplots(2, 1, figsize=(8, 4.8), sharex=True, layout="constrained")
for j, (axes, colour) in enumerate(zip(panels, ("#542788", "#e08214"), strict=True)):
    axes.fill_between(wavelengths, 0.5 * substances[:, j], color="0.88", step="mid", label="absorption")
    axes.bar(wavelengths, X[:, j], color=colour, width=0.9, label="loading")
    for edge in range(0, 61, width):
        axes.axvline(edge - 0.5, color="0.8", linewidth=0.6, zorder=0)
    axes.set_ylabel(f"component {j + 1}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper right")
panels[1].set(xlabel="wavelength; lines are the edges of the bands", xlim=(-0.5, 59.5))
plt.show()
