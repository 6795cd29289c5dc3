"""One step of contact on the matrices of other programs.

Every rigid-body library gives the same three things: the mass matrix M(q), the velocity that the step would end with
without contact, and the Jacobian J of the contact points, three rows for each, normal first. They are all that a step
needs:

.. code-block:: text

    M v = M v_free + Jᵀ S,    U = J v + drift,    the laws between U and S

>>> import numpy as np
>>> v, solution = one_step(np.diag([2.0, 2.0, 2.0]), [0.5, 0.0, -1.0], [[0, 0, 1], [1, 0, 0], [0, 1, 0]], 0.3)
>>> v.round(12).tolist(), solution.converged
([0.2, 0.0, 0.0], True)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import friction
from .._matrix import numbers
from ..errors import ProblemError

__all__ = ["mujoco_contacts", "one_step"]

Array = NDArray[np.float64]


def one_step(
    M: Any, v_free: ArrayLike, J: Any, mu: ArrayLike, *, drift: ArrayLike | None = None, dimension: int = 3, **settings: Any
) -> tuple[Array, friction.Solution]:
    """The velocity at the end of the step, and the solution with its certificate.

    `drift` is added to the relative velocities: `gap / h` for contacts that are still open, restitution times the
    velocity before, the velocity of an obstacle.
    """
    free = numbers(v_free, "v_free").ravel()
    rows = J.toarray() if hasattr(J, "toarray") else numbers(J, "J")
    if rows.ndim != 2 or rows.shape[1] != free.size or rows.shape[0] % dimension:
        raise ProblemError(f"J has shape {rows.shape}: expected a multiple of {dimension} rows and {free.size} columns")
    n = rows.shape[0] // dimension
    shift = np.zeros(rows.shape[0]) if drift is None else numbers(drift, "drift").ravel()
    load = (M.toarray() if hasattr(M, "toarray") else numbers(M, "M")) @ free
    if n == 0:
        empty = friction.Problem(np.zeros((0, 0)), np.zeros((0, dimension)), 0.0).solve()
        return free, empty
    found = friction.solve_global(M, rows.T, load, shift.reshape(n, dimension), mu, **settings)
    assert found.body_velocities is not None
    return found.body_velocities, found


def mujoco_contacts(model: Any, data: Any) -> tuple[Array, Array, Array, Array]:
    """Mass matrix, Jacobian of the contacts, friction and gaps of a MuJoCo state, after `mujoco.mj_forward`."""
    import mujoco

    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, mass, data.qM) if _takes_qm(mujoco) else mujoco.mj_fullM(model, data, mass)
    rows, mu, gap = [], [], []
    one, two = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    for k in range(data.ncon):
        contact = data.contact[k]
        for jac, geom in ((one, contact.geom1), (two, contact.geom2)):
            mujoco.mj_jac(model, data, jac, None, contact.pos, model.geom_bodyid[geom])
        # Rows of the frame: normal from the first to the second geometry, then two tangents.
        rows.append(contact.frame.reshape(3, 3) @ (two - one))
        mu.append(contact.friction[0])
        gap.append(contact.dist)
    jacobian = np.vstack(rows) if rows else np.zeros((0, model.nv))
    return mass, jacobian, np.array(mu), np.array(gap)


def _takes_qm(mujoco: Any) -> bool:
    """Releases differ in the arguments of mj_fullM."""
    text = mujoco.mj_fullM.__doc__ or ""
    first = text.strip().splitlines()[0] if text.strip() else ""
    return "MjData" not in first
