"""The house: a generator that has the structure it promises, and a loader that says what it
lacks.
"""

import functools
import hashlib
import http.server
import os
import socket
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.spatial import Delaunay
from scipy.spatial.distance import pdist

import orthoprox as op
from orthoprox.datasets import cmu_house, house, synthetic_house

needs_cmu_house = pytest.mark.skipif(
    not os.environ.get("ORTHOPROX_CMU_HOUSE"),
    reason="The CMU House data are not part of the package; set ORTHOPROX_CMU_HOUSE to their folder to run this test.",
)


def affinity(points1, points2, X):
    """vec(X)'K vec(X)."""
    return -op.problems.graph_matching(points1, points2, 0.0).value(X)


def number_of_edges(points):
    corners = Delaunay(points).simplices
    return len({tuple(sorted((c[i], c[i - 1]))) for c in corners for i in range(3)})


def write_mat(file, frames):
    """Write frames, each of shape (30, 2), in the structure of cmum.mat: CMUM.house.XTs, a 1 x 111
    cell of 2 x 30.
    """
    cells = np.empty((1, len(frames)), dtype=object)
    for k, points in enumerate(frames):
        cells[0, k] = np.asarray(points).T
    savemat(file, {"CMUM": {"house": {"XTs": cells}}})


def write_texts(folder, frames):
    folder.mkdir(exist_ok=True)
    for k, points in enumerate(frames, start=1):
        np.savetxt(folder / f"house{k}", points, newline="\r\n")


class TestSyntheticHouse:
    @pytest.mark.parametrize(("frames", "points"), [(111, 30), (1, 4), (5, 12), (3, 80)])
    def test_has_the_shape_asked_for(self, frames, points):
        H = synthetic_house(frames, points)
        assert H.shape == (frames, points, 2)
        assert H.dtype == np.float64

    def test_the_seed_decides(self):
        first = synthetic_house(4, 35, seed=7)
        np.testing.assert_array_equal(first, synthetic_house(4, 35, seed=7))
        np.testing.assert_array_equal(first, synthetic_house(4, 35, seed=np.random.default_rng(7)))
        assert np.abs(first[:, 30:] - synthetic_house(4, 35, seed=8)[:, 30:]).max() > 10

    def test_frames_change_smoothly(self):
        """Without noise no landmark moves by more than 3 units from a frame to the next, and all
        move in the end.
        """
        H = synthetic_house(noise=0)
        assert np.linalg.norm(np.diff(H, axis=0), axis=2).max() < 3
        assert np.linalg.norm(H[-1] - H[0], axis=1).min() > 10

    def test_the_picture_is_a_few_hundred_units_wide(self):
        H = synthetic_house(noise=0)
        assert H.min() > 0
        assert H.max() < 720
        assert np.ptp(H, axis=1).min() > 200

    def test_noise_is_the_standard_deviation_of_each_coordinate(self):
        difference = synthetic_house(noise=2.0, seed=9) - synthetic_house(noise=0, seed=9)
        assert difference.std() == pytest.approx(2.0, rel=0.05)
        assert abs(difference.mean()) < 0.1

    @pytest.mark.parametrize("points", [4, 5, 17, 30, 60])
    @pytest.mark.parametrize("noise", [0, 0.5])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_points_are_distinct_and_can_be_triangulated(self, points, noise, seed):
        for frame in synthetic_house(12, points, noise=noise, seed=seed):
            assert pdist(frame).min() > 1e-2
            assert len(Delaunay(frame).simplices) >= 2

    def test_the_landmarks_face_every_camera(self):
        """Three corners of each face turn counterclockwise (y points down) in all frames: no face
        is seen from behind.
        """
        H = synthetic_house(noise=0)
        bottom_left, bottom_right, back, _, left_eave, right_eave, back_eave, ridge = H[:, :8].swapaxes(0, 1)
        for p, q, r in (
            (bottom_left, bottom_right, right_eave),
            (bottom_right, back, back_eave),
            (left_eave, right_eave, ridge),
        ):
            (a, b), (c, d) = (q - p).T, (r - p).T
            assert np.all(a * d - b * c < 0)

    @pytest.mark.parametrize("frame", [30, 60, 90])
    def test_the_identity_matches_better_than_random_permutations(self, frame):
        """vec(X)'K vec(X) is at least twice as large at X = I as at 20 random permutations."""
        H = synthetic_house(seed=0)
        rng = np.random.default_rng(11)
        random = [affinity(H[0], H[frame - 1], np.eye(30)[rng.permutation(30)]) for _ in range(20)]
        assert affinity(H[0], H[frame - 1], np.eye(30)) > 2 * max(random)

    def test_wrong_arguments_are_named(self):
        with pytest.raises(ValueError, match=r"points = 3; .* >= 4"):
            synthetic_house(points=3)
        with pytest.raises(ValueError, match="frames = 0"):
            synthetic_house(0)
        with pytest.raises(ValueError, match="noise = -1"):
            synthetic_house(noise=-1)
        with pytest.raises(TypeError, match=r"points is 30\.0"):
            synthetic_house(points=30.0)
        with pytest.raises(TypeError, match="seed is None"):
            synthetic_house(seed=None)


@needs_cmu_house
class TestRealHouse:
    def test_texts_and_mat_agree(self):
        folder = Path(os.environ["ORTHOPROX_CMU_HOUSE"])
        if not (folder / "label").is_dir() or not (folder / "cmum.mat").is_file():
            pytest.skip("ORTHOPROX_CMU_HOUSE names a folder without both label/ and cmum.mat, which this test compares.")
        np.testing.assert_allclose(cmu_house(folder / "label"), cmu_house(folder / "cmum.mat"), rtol=0, atol=1e-5)
        np.testing.assert_array_equal(cmu_house(folder), cmu_house())

    def test_frames_one_thirty_sixty_and_ninety_have_79_edges(self):
        H = cmu_house()
        assert H.shape == (111, 30, 2)
        assert [number_of_edges(H[k - 1]) for k in (1, 30, 60, 90)] == [79, 79, 79, 79]

    @pytest.mark.parametrize(("frame", "expected"), [(30, 151.947), (60, 138.757), (90, 129.943)])
    def test_affinity_of_the_true_matching_with_frame_one(self, frame, expected):
        H = cmu_house()
        assert affinity(H[0], H[frame - 1], np.eye(30)) == pytest.approx(expected, abs=1e-3)


class TestFolder:
    """Written here and read back: the loader needs no real data for its tests."""

    frames = synthetic_house(seed=1)

    @pytest.mark.parametrize("place", [".", "label"])
    def test_reads_texts(self, tmp_path, place):
        write_texts(tmp_path / place, self.frames)
        np.testing.assert_allclose(cmu_house(tmp_path), self.frames, rtol=1e-15)

    def test_reads_mat(self, tmp_path):
        write_mat(tmp_path / "cmum.mat", self.frames)
        for path in (tmp_path, str(tmp_path), tmp_path / "cmum.mat"):
            np.testing.assert_array_equal(cmu_house(path), self.frames)

    def test_reads_the_folder_the_environment_names_unless_one_is_passed(self, tmp_path, monkeypatch):
        write_mat(tmp_path / "cmum.mat", self.frames)
        write_texts(tmp_path / "other", self.frames + 1)
        monkeypatch.setenv("ORTHOPROX_CMU_HOUSE", str(tmp_path))
        np.testing.assert_array_equal(cmu_house(), self.frames)
        np.testing.assert_allclose(cmu_house(tmp_path / "other"), self.frames + 1)

    def test_a_folder_that_does_not_exist_or_lacks_files_is_named(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"nowhere does not exist; .* house1 \.\.\. house111, or cmum\.mat"):
            cmu_house(tmp_path / "nowhere")
        with pytest.raises(FileNotFoundError, match="lacks files"):
            cmu_house(tmp_path)
        write_texts(tmp_path, self.frames[:-1])
        with pytest.raises(FileNotFoundError, match="lacks files"):
            cmu_house(tmp_path)

    @pytest.mark.parametrize(
        ("folder", "message"),
        [
            ("", "^An empty name is no folder; folder .* needs to name one"),
            ("~nobody-of-this-name/house", r"^~nobody-of-this-name/house cannot be read \(.*home.*\); folder"),
            ("a" * 5000, r"^a{300} cannot be read \(.*\); folder"),
            (os.devnull, f"^{os.devnull} is not a folder; folder"),
        ],
        ids=["empty", "no user", "long", "device"],
    )
    def test_a_name_that_no_folder_can_have_is_explained(self, folder, message):
        with pytest.raises(FileNotFoundError, match=message):
            cmu_house(folder)

    def test_a_text_of_the_wrong_shape_is_named(self, tmp_path):
        write_texts(tmp_path, self.frames)
        np.savetxt(tmp_path / "house57", self.frames[0, :29])
        with pytest.raises(ValueError, match=r"house57 has shape \(29, 2\); it needs shape \(30, 2\)"):
            cmu_house(tmp_path)

    def test_a_text_that_is_no_table_is_named(self, tmp_path):
        write_texts(tmp_path, self.frames)
        (tmp_path / "house3").write_text("<html>not found</html>\n")
        with pytest.raises(ValueError, match="house3 is not a table of numbers; it needs 30 rows"):
            cmu_house(tmp_path)

    @pytest.mark.parametrize("content", [b"", b"<html>not found</html>", bytes(300)])
    def test_a_damaged_mat_is_named(self, tmp_path, content):
        (tmp_path / "cmum.mat").write_bytes(content)
        with pytest.raises(ValueError, match=r"cmum\.mat has no CMUM\.house\.XTs that can be read"):
            cmu_house(tmp_path)

    def test_a_mat_of_another_content_is_named(self, tmp_path):
        savemat(tmp_path / "cmum.mat", {"CMUM": np.eye(3)})
        with pytest.raises(ValueError, match=r"no CMUM\.house\.XTs"):
            cmu_house(tmp_path)
        write_mat(tmp_path / "cmum.mat", self.frames[:5])
        with pytest.raises(ValueError, match=r"shape \(5, 2, 30\); it needs shape \(111, 2, 30\)"):
            cmu_house(tmp_path)
        write_mat(tmp_path / "cmum.mat", self.frames[:, :29])
        with pytest.raises(ValueError, match=r"shape \(111, 2, 29\)"):
            cmu_house(tmp_path)
        write_mat(tmp_path / "cmum.mat", np.where(self.frames == self.frames.max(), np.nan, self.frames))
        with pytest.raises(ValueError, match="NaN"):
            cmu_house(tmp_path)

    @pytest.mark.parametrize("folder", [3, b"data", ["data"]])
    def test_a_folder_that_is_no_path_is_refused(self, folder):
        with pytest.raises(TypeError, match=r"folder is .*; it needs a path"):
            cmu_house(folder)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class TestDownload:
    """From a server on this machine, into a cache that is thrown away."""

    frames = synthetic_house(seed=2)

    @pytest.fixture(autouse=True)
    def empty_cache(self, tmp_path, monkeypatch):
        monkeypatch.delenv("ORTHOPROX_CMU_HOUSE", raising=False)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr(house, "_cache", lambda: tmp_path / "cache")

    @pytest.fixture
    def served(self, tmp_path, monkeypatch):
        """The file that the server offers at the address from which the loader downloads."""
        pytest.importorskip("pooch", reason='The download needs pooch; pip install "orthoprox[data]" to run this test.')
        (tmp_path / "server").mkdir()
        file = tmp_path / "server" / "cmum.mat"
        write_mat(file, self.frames)
        handler = functools.partial(Quiet, directory=str(file.parent))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.02,))
            thread.start()
            monkeypatch.setattr(house, "_URL", f"http://127.0.0.1:{server.server_port}/cmum.mat")
            yield file
            server.shutdown()
            thread.join()

    def test_a_file_with_the_right_checksum_is_loaded_and_kept(self, served, tmp_path, monkeypatch):
        monkeypatch.setattr(house, "_SHA256", hashlib.sha256(served.read_bytes()).hexdigest())
        np.testing.assert_array_equal(cmu_house(), self.frames)
        assert (tmp_path / "cache" / "cmum.mat").read_bytes() == served.read_bytes()
        served.unlink()
        np.testing.assert_array_equal(cmu_house(), self.frames)

    def test_a_file_with_another_checksum_is_refused_and_not_kept(self, served, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"(?s)could not be downloaded .*hash.* does not match"):
            cmu_house()
        assert not (tmp_path / "cache" / "cmum.mat").exists()

    def test_a_file_that_the_server_lacks_is_reported(self, served):
        served.unlink()
        with pytest.raises(FileNotFoundError, match=r"could not be downloaded \(404"):
            cmu_house()

    def test_an_unreachable_server_leads_to_advice(self, monkeypatch):
        pytest.importorskip("pooch", reason='The download needs pooch; pip install "orthoprox[data]" to run this test.')
        with socket.socket() as taken:  # bound but not listening: connections are refused
            taken.bind(("127.0.0.1", 0))
            monkeypatch.setattr(house, "_URL", f"http://127.0.0.1:{taken.getsockname()[1]}/cmum.mat")
            with pytest.raises(FileNotFoundError, match=r"could not be downloaded .* by hand .*synthetic_house"):
                cmu_house()

    def test_without_pooch_the_extra_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pooch", None)
        with pytest.raises(FileNotFoundError, match=r'pip install "orthoprox\[data\]"; or save http.*synthetic_house'):
            cmu_house()

    def test_the_cache_belongs_to_the_library(self, monkeypatch):
        pytest.importorskip("pooch", reason='The download needs pooch; pip install "orthoprox[data]" to run this test.')
        monkeypatch.undo()
        assert "orthoprox" in house._cache().parts
