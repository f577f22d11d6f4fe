"""Matrix Market's exchange format (.mtx), sparse or dense."""

import scipy.sparse as sp

from orthoprox.tables.reader import Matrix, MatrixReader


class Mtx(MatrixReader):
    """A matrix whose entries come in any order: it is read as a whole, then given by rows."""

    def open(self) -> Matrix:
        from scipy.io import mmread

        try:
            with self.source.open() as file:
                found = mmread(file)
        except (ValueError, OSError, OverflowError) as error:
            raise ValueError(f"{self.source.label} is not a whole Matrix Market file: {error}") from error
        return Matrix(sp.csr_array(found) if sp.issparse(found) else found)
