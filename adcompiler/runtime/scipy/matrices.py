"""Sparse matrices whose entries carry derivatives: the entries and their places, and what is computed with them.

In differentiated code such a matrix is a tuple; entries at the same place add. A matrix that carries no derivative stays
the object that it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from ..products import matmul_right_adjoint


class SparseMatrix(NamedTuple):
    """A sparse matrix by its entries.

    >>> (SparseMatrix(np.array([2.0]), np.array([0]), np.array([1]), (1, 2)) @ np.array([3.0, 4.0])).tolist()
    [8.0]
    """

    data: np.ndarray
    rows: np.ndarray
    cols: np.ndarray
    shape: tuple

    def __matmul__(self, other):
        return sparse_product(self.data, self.rows, self.cols, self.shape, other)

    def dot(self, other):
        """The product with a vector or a dense matrix."""
        return sparse_product(self.data, self.rows, self.cols, self.shape, other)

    def toarray(self):
        """The dense matrix."""
        return sparse_dense(self.data, self.rows, self.cols, self.shape)

    def transpose(self):
        """The transpose."""
        return SparseMatrix(self.data, self.cols, self.rows, (self.shape[1], self.shape[0]))

    @property
    def T(self):  # noqa: N802
        """The transpose."""
        return self.transpose()

    def __neg__(self):
        return SparseMatrix(-self.data, self.rows, self.cols, self.shape)

    def __add__(self, other):
        return joined_entries(self, 1.0, other)

    def __radd__(self, other):
        return joined_entries(self, 1.0, other)

    def __sub__(self, other):
        return joined_entries(self, -1.0, other)

    def __rsub__(self, other):
        return joined_entries(-self, 1.0, other)

    def __mul__(self, factor):
        return SparseMatrix(self.data * single_number(factor), self.rows, self.cols, self.shape)

    def __rmul__(self, factor):
        return SparseMatrix(self.data * single_number(factor), self.rows, self.cols, self.shape)

    def __truediv__(self, factor):
        return SparseMatrix(self.data / single_number(factor), self.rows, self.cols, self.shape)

    def tocsr(self):
        """The same matrix; formats make no difference here."""
        return self

    def tocsc(self):
        """The same matrix; formats make no difference here."""
        return self


def joined_entries(first, sign, second):
    """`first + sign * second`; entries at the same place add.

    >>> one = SparseMatrix(np.array([2.0]), np.array([0]), np.array([1]), (1, 2))
    >>> joined_entries(one, -1.0, one).toarray().tolist()
    [[0.0, 0.0]]
    """
    if not isinstance(second, SparseMatrix):
        raise TypeError("a sparse matrix with active entries is added to an array; use A.toarray()")
    data = np.concatenate([first.data, sign * second.data])
    rows, cols = np.concatenate([first.rows, second.rows]), np.concatenate([first.cols, second.cols])
    return SparseMatrix(data, rows, cols, same_extents(first.shape, second.shape))


def same_extents(first, second):
    """The shape of a sum of sparse matrices, which both must have.

    >>> same_extents((1, 2), (1, 2))
    (1, 2)
    """
    if tuple(first) != tuple(second):
        raise ValueError(f"sparse matrices of shapes {tuple(first)} and {tuple(second)} have no sum")
    return tuple(first)


def single_number(factor):
    """The factor of a sparse matrix, which must be one number: with more, matrices and arrays mean different things.

    >>> single_number(2.0)
    2.0
    """
    if np.ndim(factor) > 0:
        raise TypeError("a sparse matrix with active entries is multiplied and divided by single numbers; "
                        "write A @ x for a product, and change the entries themselves for anything else")
    return factor


def entries_of(matrix):
    """A sparse matrix that carries no derivative by its entries.

    >>> entries_of(sparse.csr_matrix(np.array([[0.0, 2.0]])))[0].tolist()
    [2.0]
    """
    if isinstance(matrix, SparseMatrix):
        return matrix
    if not sparse.issparse(matrix):
        raise TypeError(f"a sparse matrix with active entries is added to a {type(matrix).__name__}; "
                        "make a sparse matrix of it, or use A.toarray()")
    made = matrix.tocoo()
    return SparseMatrix(made.data, made.row, made.col, tuple(int(n) for n in made.shape))


def is_sparse(value) -> bool:
    """Is it a sparse matrix of SciPy?

    >>> is_sparse(2.0), is_sparse(sparse.eye(2))
    (False, True)
    """
    return sparse.issparse(value)


def from_rows(arg1, shape=None):
    """`scipy.sparse.csr_matrix` (and `coo_matrix`) of `(data, (rows, cols))` or of `(data, indices, indptr)`.

    >>> from_rows((np.array([2.0]), (np.array([0]), np.array([1])))).toarray().tolist()
    [[0.0, 2.0]]
    """
    if len(arg1) == 2:
        data, places = arg1
        return SparseMatrix(data, places[0], places[1], extents(places[0], places[1], shape))
    data, indices, indptr = arg1
    rows = spread_pointers(indptr)
    return SparseMatrix(data, rows, indices, extents(rows, indices, shape, len(indptr) - 1))


def from_columns(arg1, shape=None):
    """`scipy.sparse.csc_matrix` of `(data, (rows, cols))` or of `(data, indices, indptr)`.

    >>> from_columns((np.array([2.0]), np.array([0]), np.array([0, 0, 1]))).toarray().tolist()
    [[0.0, 2.0]]
    """
    if len(arg1) == 2:
        data, places = arg1
        return SparseMatrix(data, places[0], places[1], extents(places[0], places[1], shape))
    data, indices, indptr = arg1
    cols = spread_pointers(indptr)
    return SparseMatrix(data, indices, cols, extents(indices, cols, shape, None, len(indptr) - 1))


def from_diagonals(diagonals, offsets=(0,), shape=None, format=None):
    """`scipy.sparse.diags` of a list of arrays.

    >>> from_diagonals([np.array([1.0, 2.0]), np.array([3.0])], [0, 1]).toarray().tolist()
    [[1.0, 3.0], [0.0, 2.0]]
    """
    lengths = [len(d) for d in diagonals]
    data = np.concatenate(tuple(diagonals))
    rows = diagonal_rows(lengths, offsets)
    cols = diagonal_columns(lengths, offsets)
    return SparseMatrix(data, rows, cols, diagonal_extents(lengths, offsets, shape))


def extents(rows, cols, shape=None, row_count=None, col_count=None):
    """The shape of a matrix, as given or as the places need it.

    >>> extents(np.array([0]), np.array([1]))
    (1, 2)
    """
    if shape is not None:
        return tuple(int(n) for n in shape)
    m = int(np.max(rows, initial=-1)) + 1 if row_count is None else int(row_count)
    return m, int(np.max(cols, initial=-1)) + 1 if col_count is None else int(col_count)


def spread_pointers(indptr):
    """The row of each entry from the pointers to the rows.

    >>> spread_pointers(np.array([0, 2, 3])).tolist()
    [0, 0, 1]
    """
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def _offsets(offsets, count):
    found = np.atleast_1d(np.asarray(offsets))
    if len(found) != count:
        raise ValueError(f"{count} diagonals and {len(found)} offsets")
    return found


def diagonal_rows(lengths, offsets):
    """The rows of the entries of diagonals.

    >>> diagonal_rows([2, 1], [0, -1]).tolist()
    [0, 1, 1]
    """
    pairs = zip(lengths, _offsets(offsets, len(lengths)), strict=True)
    return np.concatenate([np.arange(n) + max(-int(k), 0) for n, k in pairs])


def diagonal_columns(lengths, offsets):
    """The columns of the entries of diagonals.

    >>> diagonal_columns([2, 1], [0, 1]).tolist()
    [0, 1, 1]
    """
    pairs = zip(lengths, _offsets(offsets, len(lengths)), strict=True)
    return np.concatenate([np.arange(n) + max(int(k), 0) for n, k in pairs])


def diagonal_extents(lengths, offsets, shape=None):
    """The shape of a matrix of diagonals, which must fill them exactly.

    >>> diagonal_extents([2, 1], [0, 1])
    (2, 2)
    """
    offsets = _offsets(offsets, len(lengths))
    size = lengths[0] + abs(int(offsets[0]))
    m, n = (size, size) if shape is None else tuple(int(k) for k in shape)
    for length, k in zip(lengths, offsets, strict=True):
        if length != min(m + min(int(k), 0), n - max(int(k), 0)):
            raise ValueError(f"diagonal {int(k)} of a matrix of shape {(m, n)} does not have {length} entries")
    return m, n


def _matrix(data, rows, cols, shape):
    return sparse.csc_matrix((data, (rows, cols)), shape)


def sparse_product(data, rows, cols, shape, x):
    """A sparse matrix by its entries, times a vector or a dense matrix.

    >>> sparse_product(np.array([2.0]), np.array([0]), np.array([1]), (1, 2), np.array([3.0, 4.0])).tolist()
    [8.0]
    """
    if sparse.issparse(x) or isinstance(x, SparseMatrix):
        raise TypeError("a sparse matrix with active entries has products with dense arrays; write A @ (B @ x) for (A @ B) @ x")
    return _matrix(data, rows, cols, shape) @ np.asarray(x)


def sparse_dense(data, rows, cols, shape):
    """The dense matrix with these entries.

    >>> sparse_dense(np.array([2.0, 1.0]), np.array([0, 0]), np.array([1, 1]), (1, 2)).tolist()
    [[0.0, 3.0]]
    """
    return _matrix(data, rows, cols, shape).toarray()


def sparse_solution(data, rows, cols, shape, b):
    """`scipy.sparse.linalg.spsolve` of a matrix by its entries and a dense right side.

    >>> sparse_solution(np.array([2.0]), np.array([0]), np.array([0]), (1, 1), np.array([3.0])).tolist()
    [1.5]
    """
    return linalg.spsolve(_matrix(data, rows, cols, shape), b)


def entries_adjoint(left, right, rows, cols):
    """The adjoint of the entries where that of the dense matrix is `left right^H`.

    >>> entries_adjoint(np.array([1.0, 2.0]), np.array([3.0]), np.array([1]), np.array([0])).tolist()
    [6.0]
    """
    product = left[rows] * np.conj(right[cols])
    return product if product.ndim == 1 else np.sum(product, axis=1)


def solve_written(A, b, permc_spec=None, use_umfpack=True):
    """`scipy.sparse.linalg.spsolve` of such a matrix.

    >>> solve_written(SparseMatrix(np.array([2.0]), np.array([0]), np.array([0]), (1, 1)), np.array([3.0])).tolist()
    [1.5]
    """
    return sparse_solution(A.data, A.rows, A.cols, A.shape, b)


# ---- matrices that carry no derivative ----


def _is_linear(matrix):
    if not (sparse.issparse(matrix) or isinstance(matrix, (linalg.LinearOperator, np.ndarray))):
        raise TypeError(f"the derivative of a product with a {type(matrix).__name__} is not known")
    return matrix


def constant_product(matrix, x):
    """`matrix @ x` with a sparse matrix or a linear operator.

    >>> constant_product(sparse.csr_matrix(np.eye(2)), np.ones(2)).tolist()
    [1.0, 1.0]
    """
    return matrix @ x


def constant_product_adjoint(matrix, y_bar, shape):
    """The adjoint of an `x` of this shape in `matrix @ x`.

    >>> constant_product_adjoint(sparse.csr_matrix(np.array([[0.0, 2.0]])), np.ones(1), (2,)).tolist()
    [0.0, 2.0]
    """
    matrix = _is_linear(matrix)
    if isinstance(matrix, np.ndarray):
        return matmul_right_adjoint(y_bar, matrix, shape)
    return (matrix.H if isinstance(matrix, linalg.LinearOperator) else matrix.conj().T) @ y_bar


def constant_product_tangent(matrix, x_dot):
    """The tangent of `matrix @ x`.

    >>> constant_product_tangent(sparse.csr_matrix(np.array([[0.0, 2.0]])), np.ones(2)).tolist()
    [2.0]
    """
    return _is_linear(matrix) @ x_dot


def spsolve_adjoint(A, x_bar):
    """The adjoint of the right side in `scipy.sparse.linalg.spsolve(A, b)`.

    >>> spsolve_adjoint(sparse.csc_matrix(np.diag([2.0, 4.0])), np.ones(2)).tolist()
    [0.5, 0.25]
    """
    return linalg.spsolve(sparse.csc_matrix(A).conj().T.tocsc(), x_bar)
