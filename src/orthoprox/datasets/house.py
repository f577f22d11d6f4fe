"""A house seen by a moving camera: the CMU landmarks and a synthetic stand-in."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orthoprox._arrays import inputs
from orthoprox._arrays.words import shown

FRAMES, POINTS = 111, 30  # of the CMU sequence
_LONGEST = 300  # characters of a path in a message

_URL = "https://raw.githubusercontent.com/zhfe99/fgm/06ebf17787b3e0b05ec612a3ba859eda80232032/data/cmum/cmum.mat"
_SHA256 = "d428f3a01bee927dfeb71deaeb5229dbcf0cd2da07d3842e820a84f23ec50091"

# Front wall, gable wall and front half of the roof of a house 4 long, 3 deep and 3.7 high. A face
# is an origin o and two sides u, v; its point (a, b) is o + a u + b v. The triangle of the gable is
# the part of its plane above b = 1.
_FACES = np.array(
    [
        [[0, 0, 0], [4, 0, 0], [0, 0, 2.5]],
        [[4, 0, 0], [0, 3, 0], [0, 0, 2.5]],
        [[0, 0, 2.5], [4, 0, 0], [0, 1.5, 1.2]],
    ]
)
_CORNERS = [(0, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 1), (0, 0, 1), (0, 1, 1), (1, 1, 1), (2, 0, 1)]  # face, a, b
_DOOR = [(0, 0.42, 0), (0, 0.58, 0), (0, 0.42, 0.75), (0, 0.58, 0.75), (0, 0.64, 0.55)]  # the last is a lamp
_WINDOWS = [(0, a, b) for a in (0.08, 0.33, 0.72, 0.92) for b in (0.35, 0.78)]
_GABLE = [(1, a, b) for a in (0.3, 0.65) for b in (0.3, 0.7)] + [(1, 0.5, 1.15)]  # a window, and a round one above it
_SKYLIGHT = [(2, a, b) for a in (0.55, 0.8) for b in (0.3, 0.7)]
_LANDMARKS = np.array([*_CORNERS, *_DOOR, *_WINDOWS, *_GABLE, *_SKYLIGHT])


def cmu_house(folder: str | os.PathLike[str] | None = None) -> NDArray[np.float64]:
    """Return the CMU House landmarks: 30 points of a toy house in each of 111 video frames.

    The data are not part of this package. They are read from ``folder``; without it, from the
    folder that the environment variable ``ORTHOPROX_CMU_HOUSE`` names; without that, they are
    downloaded once into the user's cache, for which ``pip install "orthoprox[data]"`` is needed.

    Parameters
    ----------
    folder : path, optional
        A folder with the text files ``house1`` ... ``house111``, directly or in its subfolder
        ``label``; or one with ``cmum.mat``; or that file itself.

    Returns
    -------
    array of shape (111, 30, 2)
        Frame k of the literature, which counts from 1, is at index k - 1. Row i is the same
        landmark in every frame, so the true matching of any two frames is the identity.

    References
    ----------
    F. Zhou and F. De la Torre, Factorized graph matching, IEEE TPAMI 38 (2016).
    """
    if folder is None:
        folder = os.environ.get("ORTHOPROX_CMU_HOUSE") or _download()
    if not isinstance(folder, (str, os.PathLike)) or not isinstance(os.fspath(folder), str):
        raise TypeError(f"folder is {shown(folder)}; it needs a path, as a str or a pathlib.Path.")
    files, problem = _files(folder)
    if problem:
        raise FileNotFoundError(
            f"{os.fspath(folder)[:_LONGEST] or 'An empty name'} {problem}; folder (or the variable ORTHOPROX_CMU_HOUSE) needs "
            f"to name one that holds all of house1 ... house{FRAMES}, or cmum.mat. Pass such a folder, or save {_URL} there."
        )
    return np.stack([_read_text(file) for file in files]) if len(files) == FRAMES else _read_mat(files[0])


def _files(folder: str | os.PathLike[str]) -> tuple[list[Path], str]:
    """Return the files of a folder that hold the landmarks, or no file and why not."""
    if not os.fspath(folder):
        return [], "is no folder"
    try:
        path = Path(folder).expanduser()
        for texts in (path, path / "label"):
            files = [texts / f"house{k}" for k in range(1, FRAMES + 1)]
            if all(file.is_file() for file in files):
                return files, ""
        for file in (path, path / "cmum.mat"):
            if file.is_file():
                return [file], ""
        return [], "does not exist" if not path.exists() else "lacks files" if path.is_dir() else "is not a folder"
    except (OSError, RuntimeError, ValueError) as error:  # a name too long, no permission, no such user
        return [], f"cannot be read ({getattr(error, 'strerror', None) or error})"


def synthetic_house(
    frames: int = FRAMES, points: int = POINTS, *, noise: float = 0.5, seed: int | np.random.Generator = 0
) -> NDArray[np.float64]:
    """Return landmarks of a drawn house in the pictures of a camera that moves around it, in units
    like pixels.

    The camera turns by 30 degrees at a constant height and looks at the middle of the house, about
    500 units wide. The landmarks lie on two walls and one side of the roof of a convex house, all
    in sight all the time: without noise no two of them ever coincide. Row i is the same landmark in
    every frame, so the true matching is the identity.

    Parameters
    ----------
    frames : int
        The number of pictures into which the movement is divided.
    points : int
        The number of landmarks, at least 4. Thirty are fixed: the corners of the house, its door
        and its windows. For fewer the seed chooses among them; for more it adds random points of
        the walls and the roof.
    noise : float
        The standard deviation of the Gaussian noise in each coordinate, nonnegative.
    seed : int or numpy.random.Generator

    Returns
    -------
    array of shape (frames, points, 2)
    """
    frames, points = inputs.integer(frames, "frames"), inputs.integer(points, "points", minimum=4)
    noise, rng = inputs.number(noise, "noise", strict=False), inputs.generator(seed)
    # The first four corners stay: they are never on one line, so every frame has a triangulation.
    kept = np.sort(rng.permutation(np.arange(4, POINTS))[: points - 4])
    extra = max(points - POINTS, 0)
    added = np.column_stack([rng.integers(len(_FACES), size=extra), rng.random((extra, 2))])
    chosen = np.concatenate([_LANDMARKS[:4], _LANDMARKS[kept], added])
    o, u, v = _FACES[chosen[:, 0].astype(int)].transpose(1, 0, 2)
    house = o + chosen[:, 1:2] * u + chosen[:, 2:] * v
    pictures = _pictures(house - [2, 1.5, 1.6], np.radians(np.linspace(27, 57, frames)))
    return pictures + noise * rng.standard_normal(pictures.shape)


def _pictures(points: NDArray[np.float64], turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the perspective pictures of the points by cameras at distance 12, angle .5 above them,
    ``turn`` around them.
    """
    cos, sin, zero = np.cos(turn), np.sin(turn), np.zeros_like(turn)
    right = np.stack([cos, sin, zero], axis=1)
    backward = np.stack([np.cos(0.5) * sin, -np.cos(0.5) * cos, zero + np.sin(0.5)], axis=1)
    x = points @ np.stack([right, np.cross(right, backward), backward], axis=2)  # to the right, down, towards the camera
    return np.asarray(400 + 1200 * x[..., :2] / (12 - x[..., 2:]))


def _read_text(file: Path) -> NDArray[np.float64]:
    try:
        table = np.loadtxt(file, ndmin=2)
    except ValueError as error:
        raise ValueError(f"{file} is not a table of numbers; it needs {POINTS} rows of x and y, download it again.") from error
    return np.asarray(inputs.matrix(table, str(file), shape=(POINTS, 2)))


def _read_mat(file: Path) -> NDArray[np.float64]:
    from scipy.io import loadmat

    try:
        XTs = np.stack(loadmat(file, simplify_cells=True)["CMUM"]["house"]["XTs"], dtype=np.float64)
    except Exception as error:  # damaged files make loadmat raise many unrelated errors
        raise ValueError(f"{file} has no CMUM.house.XTs that can be read; it needs to be the file at {_URL}.") from error
    XTs = inputs.matrix(XTs, f"CMUM.house.XTs of {file}", shape=(FRAMES, 2, POINTS))
    return np.asarray(XTs.transpose(0, 2, 1))


def _download() -> str:
    """Return the path of the cached file, which is fetched if it is not there yet."""
    advice = f"save {_URL} by hand and pass its path as folder, or use orthoprox.datasets.synthetic_house()."
    try:
        import pooch  # type: ignore[import-untyped]
    except ImportError as error:
        needed = 'their download needs pooch, pip install "orthoprox[data]"'
        raise FileNotFoundError(f"No folder with the CMU House data is named, and {needed}; or {advice}") from error
    try:
        return str(pooch.retrieve(_URL, known_hash=f"sha256:{_SHA256}", fname="cmum.mat", path=_cache()))
    except (OSError, ValueError) as error:
        raise FileNotFoundError(f"The CMU House data could not be downloaded ({error}); {advice}") from error


def _cache() -> Path:
    import pooch

    return Path(pooch.os_cache("orthoprox"))
