"""Matrices of others as rows of numbers: NumPy arrays, SciPy sparse and block-sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import Error, ProblemError

Sparse = tuple[tuple[int, int], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def numbers(x: ArrayLike, name: str) -> NDArray[np.float64]:
    """An array of float64; text, objects and complex numbers are refused."""
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise ProblemError(f"{name} is no array: {error}", what=name) from None
    if np.ma.isMaskedArray(x) and np.ma.getmaskarray(x).any():
        raise ProblemError(f"{name} has masked entries: expected a number everywhere", what=name)
    if array.dtype.kind not in "fiub":
        raise ProblemError(f"{name} has dtype {array.dtype}: expected real numbers", what=name, dtype=str(array.dtype))
    return np.asarray(array, dtype=np.float64, order="C")


#: More threads than this are a mistake, and would take the machine down.
MOST_THREADS = 1024


def whole(x: Any, name: str, least: int, most: int | None = None, *, error: type[Error] = ProblemError) -> int:
    """A whole number, of Python or NumPy, within bounds."""
    import operator

    try:
        number = operator.index(x)
    except TypeError:
        number = least - 1
    if isinstance(x, (bool, np.bool_)) or number < least or (most is not None and number > most):
        upper = "" if most is None else f" and at most {most}"
        raise error(f"{name} = {x!r}: expected a whole number, at least {least}{upper}", name=name, value=x)
    return number


def thread_count(threads: Any, *, error: type[Error] = ProblemError) -> int | None:
    """A number of threads, or `None` for those of the process."""
    return None if threads is None else whole(threads, "threads", 1, MOST_THREADS, error=error)


def sparse(matrix: Any, name: str) -> Sparse:
    """Rows of a matrix: shape, starts, columns, values. Entries of a dense matrix that are zero are left out."""
    if hasattr(matrix, "tocsr"):
        rows = matrix.tocsr()
        try:
            rows.check_format(full_check=True)  # SciPy itself would write beyond its arrays
        except ValueError as error:
            raise ProblemError(f"{name} is no sparse matrix: {error}", what=name) from None
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
