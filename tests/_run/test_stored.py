"""Results in files: the same numbers, without the problem and the solver."""

import json
import pickle
from copy import deepcopy
from dataclasses import fields, replace

import array_api_strict as strict
import numpy as np
import pytest

import orthoprox as op
from cases import gaussian_pca
from orthoprox._run.stored import packed, unpacked
from orthoprox.files.archive import write
from orthoprox.stopping import MaxIterations
from small_problems import SPARSE, X0


@pytest.fixture
def path(tmp_path):
    return tmp_path / "result.npz"


def equal(found, expected):
    """Whether all fields of two results are the same, bit for bit."""
    for field in fields(op.Result):
        if field.name not in ("problem", "solver", "certificate"):
            np.testing.assert_equal(getattr(found, field.name), getattr(expected, field.name))
    np.testing.assert_equal(vars(found.certificate), vars(expected.certificate))
    assert repr(found) == repr(expected)
    assert found.to_dict(arrays=True) == expected.to_dict(arrays=True)


RESULTS = {
    "default": lambda: op.minimize(SPARSE, X0),
    "LSALM": lambda: op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(20)),
    "no multiplier": lambda: op.solve(SPARSE, op.solvers.RSM(), X0, stop=MaxIterations(3)),
    "infinite objective": lambda: op.solve(
        op.Problem(SPARSE.smooth, op.nonsmooth.Nonnegative(), (20, 3)), op.LSALM(), X0, stop=MaxIterations(0)
    ),
    "single precision": lambda: op.minimize(gaussian_pca(dtype=np.float32), max_iterations=30, history=False),
}


@pytest.mark.filterwarnings("ignore::orthoprox.ConvergenceWarning")
@pytest.mark.parametrize("name", RESULTS)
def test_a_loaded_result_is_the_saved_one(name, path):
    result = RESULTS[name]()
    result.save(path)
    loaded = op.Result.load(path)
    equal(loaded, result)
    assert loaded.X.dtype == result.X.dtype
    loaded.save(path)  # once more
    equal(op.Result.load(path), result)
    assert op.Result.load(path).problem.text == loaded.problem.text


def test_arrays_of_another_library_become_those_of_numpy(path):
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(3))
    replace(result, X=strict.asarray(result.X)).save(path)
    assert type(op.Result.load(path).X) is np.ndarray
    equal(op.Result.load(path), result)


def test_a_loaded_result_says_that_it_has_no_problem(path):
    """The text of the problem is there; its use and that of the solver tell what is missing."""
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(3))
    result.save(path)
    loaded = op.Result.load(path)
    assert loaded.problem.shape == (20, 3)
    assert repr(loaded.problem) == f"{SPARSE!r}, not stored in the file"
    with pytest.raises(AttributeError, match=r"has the text of the Problem but not the object: there is no 'value'. Make"):
        loaded.problem.value(loaded.X)
    with pytest.raises(AttributeError, match="loaded from a file, which has the text of the LSALM"):
        loaded.solver.init(SPARSE, X0)
    with pytest.raises(TypeError, match=r"problem is .*; it needs an orthoprox\.Problem"):
        op.minimize(loaded.problem)
    assert loaded.method == "LSALM"
    np.testing.assert_array_equal(loaded.projected(), result.projected())


def test_a_loaded_result_can_be_copied_and_sent(path):
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(3))
    result.save(path)
    for copy in (deepcopy(op.Result.load(path)), pickle.loads(pickle.dumps(op.Result.load(path)))):
        equal(copy, result)


def test_a_loaded_result_draws_its_picture(path):
    pytest.importorskip("matplotlib")
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(3))
    result.save(path)
    assert op.Result.load(path).plot().get_suptitle() == result.plot().get_suptitle()


def test_the_header_is_json():
    """Numbers that are not finite are text there; parameters of a batch are arrays."""
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(0))
    odd = replace(result, parameters={"r": np.full((2, 1, 1), 3.0), "rho": float("inf")}, seconds=float("nan"))
    header, arrays = packed(odd)
    assert json.loads(json.dumps(header, allow_nan=False)) == header
    found = unpacked(header, arrays)
    np.testing.assert_equal(found.parameters, odd.parameters)
    assert np.isnan(found.seconds)


def test_a_file_without_all_of_a_result_is_named(path):
    result = op.solve(SPARSE, op.LSALM(), X0, stop=MaxIterations(0))
    header, arrays = packed(result)
    for lacking in ("status", "measurement", "problem", "seconds"):
        write(path, "Result", {name: value for name, value in header.items() if name != lacking}, arrays)
        with pytest.raises(ValueError, match=rf"result\.npz' lacks a part of a result, KeyError\('{lacking}'\)"):
            op.Result.load(path)
    write(path, "Result", header, {})
    with pytest.raises(ValueError, match="lacks a part of a result"):
        op.Result.load(path)
