"""Matrices of others as rows of numbers: NumPy arrays, SciPy sparse and block-sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ProblemError

Sparse = tuple[tuple[int, int], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def numbers(x: ArrayLike, name: str) -> NDArray[np.float64]:
    """An array of float64; text, objects and complex numbers are refused."""
    array = np.asarray(x)
    if array.dtype.kind not in "fiub":
        raise ProblemError(f"{name} has dtype {array.dtype}: expected real numbers", what=name, dtype=str(array.dtype))
    return np.asarray(array, dtype=np.float64, order="C")


def sparse(matrix: Any, name: str) -> Sparse:
    """Rows of a matrix: shape, starts, columns, values. Entries of a dense matrix that are zero are left out."""
    if hasattr(matrix, "tocsr"):
        rows = matrix.tocsr()
        if rows.dtype.kind not in "fiub":
            raise ProblemError(f"{name} has dtype {rows.dtype}: expected real numbers", what=name, dtype=str(rows.dtype))
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        return (
            (int(rows.shape[0]), int(rows.shape[1])),
            np.ascontiguousarray(rows.indptr, dtype=np.int64),
            np.ascontiguousarray(rows.indices, dtype=np.int64),
            np.ascontiguousarray(rows.data, dtype=np.float64),
        )
    dense = numbers(matrix, name)
    if dense.ndim != 2:
        raise ProblemError(f"{name} has {dense.ndim} dimensions: expected a matrix", what=name, shape=dense.shape)
    row, column = np.nonzero(dense)  # NaN is not zero: it is kept, and refused with its place
    start = np.zeros(dense.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=dense.shape[0]), out=start[1:])
    return dense.shape, start, column.astype(np.int64), np.ascontiguousarray(dense[row, column])


def scipy_matrix(parts: Sparse) -> Any:
    """The same for SciPy, where it is installed; a dense array elsewhere."""
    shape, start, column, value = parts
    try:
        from scipy.sparse import csr_array
    except ImportError:
        dense = np.zeros(shape)
        for i in range(shape[0]):
            dense[i, column[start[i] : start[i + 1]]] = value[start[i] : start[i + 1]]
        return dense
    return csr_array((value, column, start), shape=shape)
