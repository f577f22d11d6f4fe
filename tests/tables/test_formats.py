"""Formats that hold matrices: the same numbers from each of them, as a whole and by blocks."""

import pickle
import sys
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from orthoprox.tables import READERS, Choice, reader
from orthoprox.tables.delimited import Delimited

X = np.round(np.random.default_rng(0).standard_normal((7, 4)), 3)
S = sp.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))
NAMES, ROWS = ("a", "b", "c", "d"), tuple(f"r{i}" for i in range(7))


def npy(path):
    np.save(path, X)


def npy_by_columns(path):
    np.save(path, np.asfortranarray(X))


def npz(path):
    np.savez(path, X=X, names=np.array(NAMES), row_names=np.array(ROWS))


def npz_compressed(path):
    np.savez_compressed(path, X)


def npz_sparse(path):
    sp.save_npz(path, S)


def mtx(path):
    scipy.io.mmwrite(path, S)


def mtx_dense(path):
    scipy.io.mmwrite(path, X)


def parquet(path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"name": list(ROWS), **{name: X[:, at] for at, name in enumerate(NAMES)}, "text": ["u"] * 7}
    pq.write_table(pa.table(columns), path, row_group_size=3)


def h5ad(path):
    _annotated(path, lambda file: file.create_dataset("X", data=X))


def h5ad_csr(path):
    _annotated(path, lambda file: _sparse_group(file, S, "csr_matrix"))


def h5ad_csc(path):
    _annotated(path, lambda file: _sparse_group(file, S.tocsc(), "csc_matrix"))


def _annotated(path, matrix):
    """Write what anndata writes, as far as X and the names go."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        matrix(file)
        for axis, names in (("var", NAMES), ("obs", ROWS)):
            group = file.create_group(axis)
            group.attrs["_index"] = "_index"
            group.create_dataset("_index", data=[name.encode() for name in names])


def _sparse_group(file, matrix, encoding):
    group = file.create_group("X")
    group.attrs["encoding-type"], group.attrs["shape"] = encoding, matrix.shape
    for part in ("data", "indices", "indptr"):
        group.create_dataset(part, data=getattr(matrix, part))


WRITERS = (npy, npy_by_columns, npz, npz_compressed, npz_sparse, mtx, mtx_dense, parquet, h5ad, h5ad_csr, h5ad_csc)
SPARSE = (npz_sparse, mtx, h5ad_csr, h5ad_csc)
SUFFIXES = {"npy": ".npy", "npz": ".npz", "mtx": ".mtx"}


@pytest.fixture(params=WRITERS, ids=lambda writer: writer.__name__)
def written(request, tmp_path):
    """A file of each format, and who wrote it."""
    path = tmp_path / f"table{SUFFIXES.get(request.param.__name__.split('_')[0], '')}"
    request.param(path)
    return path, request.param


def dense(values):
    return values.toarray() if sp.issparse(values) else values


def test_every_format_gives_the_numbers_and_names(written):
    path, writer = written
    choice = Choice(index="name") if writer is parquet else None
    table = reader(path, choice).read()
    assert table.sparse == (writer in SPARSE)
    np.testing.assert_array_equal(dense(table.values), S.toarray() if writer in SPARSE else X)
    named = writer in (npz, parquet, h5ad, h5ad_csr, h5ad_csc)
    assert table.names == (NAMES if named else ("x0", "x1", "x2", "x3"))
    assert table.row_names == (ROWS if named else None)


def test_blocks_are_the_rows_in_their_order(written):
    path, _ = written
    whole, blocks = reader(path).read(), list(reader(path).blocks(3))
    assert max(block.values.shape[0] for block in blocks) <= 3
    np.testing.assert_array_equal(np.concatenate([dense(block.values) for block in blocks]), dense(whole.values))
    assert all(sp.issparse(block.values) == whole.sparse for block in blocks)


def test_columns_are_chosen_by_name(written):
    path, _ = written
    names = reader(path).names
    found = reader(path, Choice(columns=(names[2], names[0]))).read()
    assert found.names == (names[2], names[0])
    np.testing.assert_array_equal(dense(found.values), dense(reader(path).read().values)[:, [2, 0]])


def test_the_registry_has_a_reader_for_each_format(written):
    path, _ = written
    assert type(reader(path)) in READERS.values()
    assert Delimited not in READERS.values()


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("unpickled",)

    array = np.array([[Trap(), Trap()]], dtype=object)
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", X=array)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps([1]))
    for name in ("a.npy", "a.npz", "a.pkl"):
        with pytest.raises(ValueError, match=r"cannot be read|is a binary file"):
            reader(tmp_path / name).read()


def test_precision_stays(tmp_path):
    np.save(tmp_path / "x.npy", X.astype(np.float32))
    np.save(tmp_path / "i.npy", np.arange(6).reshape(3, 2))
    assert reader(tmp_path / "x.npy").read().values.dtype == np.float32
    assert reader(tmp_path / "i.npy").read().values.dtype == np.float64


REFUSED = {
    "vector.npy": (lambda path: np.save(path, X[0]), r"shape \(4,\); it needs two dimensions"),
    "text.npy": (lambda path: np.save(path, np.array([["a"]])), "dtype <U1; it needs real numbers"),
    "cut.npy": (lambda path: path.write_bytes(b"\x93NUMPY\x01"), "cannot be read"),
    "two.npz": (lambda path: np.savez(path, u=X, v=X), "has the arrays 'u' and 'v'; it needs one of two dimensions, named X"),
    "cut.mtx": (lambda path: path.write_text("%%MatrixMarket matrix coordinate real general\n3 3 1\n"), "not a whole Matrix"),
    "book.xlsx": (lambda path: zipfile.ZipFile(path, "w").writestr("xl/workbook.xml", "<x/>"), "save a sheet of Excel as csv"),
    "cut.csv.gz": (lambda path: path.write_bytes(b"\x1f\x8b\x08"), "is a damaged gzip file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_matrix_is_refused(name, tmp_path):
    write, message = REFUSED[name]
    write(tmp_path / name)
    with pytest.raises(ValueError, match=message):
        reader(tmp_path / name).read()


@pytest.mark.parametrize(
    ("start", "module", "extra"), [(b"PAR1....", "pyarrow", "parquet"), (b"\x89HDF\r\n\x1a\n", "h5py", "anndata")]
)
def test_a_format_that_needs_an_extra_says_which(start, module, extra, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "table").write_bytes(start)
    with pytest.raises(ImportError, match=rf'needs {module}: pip install "orthoprox\[{extra}\]"'):
        reader(tmp_path / "table").read()
