"""Reading friction-contact problems from FCLIB's HDF5 files.

Whatever the file holds, a :class:`Problem` also carries the *local* form
``u = W r + q`` of the problem: solvers are judged on it, and global problems
(``M v = f + H r``, ``u = H^T v + w``) are condensed to it by a sparse
factorisation of ``M``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla


class Unsupported(Exception):
    """The file holds something this harness cannot pose to the peers."""


@dataclass
class Global:
    """The global form: ``M v = f + H r``, ``u = H^T v + w``."""

    M: sp.csc_matrix
    H: sp.csc_matrix
    f: np.ndarray
    w: np.ndarray


@dataclass
class Problem:
    """One friction-contact problem in local form, and its global form if it has one."""

    path: Path
    dim: int
    """Components per contact: 2, 3, or 5 (rolling)."""
    W: sp.csc_matrix
    q: np.ndarray
    mu: np.ndarray
    mu_r: np.ndarray | None = None
    global_form: Global | None = None
    condense_s: float = 0.0
    """Seconds spent in forming W and q from the global form."""
    solution: np.ndarray | None = None
    """The reactions stored in the file, if any."""

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def contacts(self) -> int:
        return len(self.mu)


def with_long_indices(matrix: sp.spmatrix) -> sp.csc_matrix:
    """Compressed columns with sorted 64-bit indices, which is what Siconos takes."""
    csc = sp.csc_matrix(matrix)
    csc.sum_duplicates()
    csc.indices = csc.indices.astype(np.int64)
    csc.indptr = csc.indptr.astype(np.int64)
    return csc


def _matrix(group: h5py.Group) -> sp.csc_matrix:
    """One FCLIB matrix: triplets (nz >= 0), columns (nz = -1) or rows (nz = -2)."""
    shape = (int(group["m"][0]), int(group["n"][0]))
    nz = int(group["nz"][0])
    p, i, x = (np.asarray(group[key][()]) for key in ("p", "i", "x"))
    if nz >= 0:
        stored: Any = sp.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape=shape)
    elif nz == -1:
        stored = sp.csc_matrix((x[: p[-1]], i[: p[-1]], p), shape=shape)
    elif nz == -2:
        stored = sp.csr_matrix((x[: p[-1]], i[: p[-1]], p), shape=shape)
    else:
        raise Unsupported(f"matrix storage nz = {nz}")
    return with_long_indices(stored)


def _condense(form: Global) -> tuple[sp.csc_matrix, np.ndarray, float]:
    """``W = H^T M^-1 H`` and ``q = H^T M^-1 f + w``, and the seconds it took."""
    start = time.perf_counter()
    factors = spla.splu(sp.csc_matrix((form.M.data, form.M.indices.astype(np.int32),
                                       form.M.indptr.astype(np.int32)), shape=form.M.shape))
    W = sp.csc_matrix(form.H.T @ factors.solve(form.H.toarray()))
    q = form.H.T @ factors.solve(form.f) + form.w
    return with_long_indices(W), np.asarray(q), time.perf_counter() - start


def read(path: Path) -> Problem:
    """Read a local, global or rolling problem."""
    with h5py.File(path, "r") as file:
        solution = np.asarray(file["solution/r"][()]) if "solution/r" in file else None
        kind = next((k for k in file.keys() if k.startswith("fclib_")), None)
        if kind is None:
            raise Unsupported("no fclib_* group")
        group = file[kind]
        vectors = {name: np.asarray(data[()], dtype=float)
                   for name, data in group["vectors"].items()}
        problem = Problem(path=path, dim=int(group["spacedim"][0]), W=sp.csc_matrix((0, 0)),
                          q=np.zeros(0), mu=vectors["mu"], mu_r=vectors.get("mu_r"),
                          solution=solution)
        if kind.startswith("fclib_local"):
            problem.W, problem.q = _matrix(group["W"]), vectors["q"]
            return problem
        if "G" in group and group["G/x"].size:
            raise Unsupported("bilateral constraints (G)")
        form = Global(_matrix(group["M"]), _matrix(group["H"]), vectors["f"], vectors["w"])
    problem.global_form = form
    problem.W, problem.q, problem.condense_s = _condense(form)
    return problem


def embed_in_3d(problem: Problem) -> Problem:
    """A 2D problem as a 3D one whose second tangent is free of everything else.

    The added rows read ``u_s = r_s``: their reaction is zero in every
    solution, so dropping it gives a solution of the 2D problem.
    """
    n = problem.contacts
    planar = np.flatnonzero(np.arange(3 * n) % 3 != 2)
    into = sp.csc_matrix((np.ones(2 * n), (planar, np.arange(2 * n))), shape=(3 * n, 2 * n))
    extra = sp.diags((np.arange(3 * n) % 3 == 2).astype(float))
    return Problem(path=problem.path, dim=3, W=with_long_indices(into @ problem.W @ into.T + extra),
                   q=into @ problem.q, mu=problem.mu, condense_s=problem.condense_s)
