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

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import friction
from .._matrix import numbers, whole
from ..errors import ProblemError

__all__ = ["drake_contacts", "mujoco_contacts", "one_step", "pinocchio_contacts"]

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
    mass = M.toarray() if hasattr(M, "toarray") else numbers(M, "M")
    dimension = whole(dimension, "dimension", 1, 6)
    if mass.shape != (free.size, free.size):
        raise ProblemError(f"M has shape {mass.shape}: expected {(free.size, free.size)}, as v_free has {free.size} numbers",
                           what="M", shape=mass.shape)  # fmt: skip
    if rows.ndim != 2 or rows.shape[1] != free.size or rows.shape[0] % dimension:
        raise ProblemError(f"J has shape {rows.shape}: expected a multiple of {dimension} rows and {free.size} columns")
    n = rows.shape[0] // dimension
    shift = np.zeros(rows.shape[0]) if drift is None else numbers(drift, "drift").ravel()
    if shift.size != rows.shape[0]:
        raise ProblemError(f"drift has {shift.size} numbers: expected {rows.shape[0]}, one for each row of J", what="drift", found=shift.size)
    load = mass @ free
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


def pinocchio_contacts(
    model: Any, data: Any, q: ArrayLike, frames: Sequence[int], *, normal: ArrayLike = (0.0, 0.0, 1.0), height: float = 0.0
) -> tuple[Array, Array, Array]:
    """Mass matrix, Jacobian and gaps of frames of a Pinocchio model over the half-space `normal · x ≤ height`.

    The free velocity of a step is `v + h · M⁻¹ (τ − pinocchio.nonLinearEffects(model, data, q, v))`.
    """
    import pinocchio

    place = numbers(q, "q")
    mass = np.array(pinocchio.crba(model, data, place))
    mass = np.triu(mass) + np.triu(mass, 1).T
    pinocchio.computeJointJacobians(model, data, place)
    pinocchio.updateFramePlacements(model, data)
    axes = _axes(normal)
    along = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
    # With one degree of freedom it comes as a list of six.
    rows = [axes @ np.reshape(pinocchio.getFrameJacobian(model, data, k, along), (6, -1))[:3] for k in frames]
    gap = [float(axes[0] @ data.oMf[k].translation) - height for k in frames]
    return mass, np.vstack(rows) if rows else np.zeros((0, model.nv)), np.array(gap)


def drake_contacts(
    plant: Any, context: Any, points: Sequence[tuple[Any, ArrayLike]], *, normal: ArrayLike = (0.0, 0.0, 1.0), height: float = 0.0
) -> tuple[Array, Array, Array]:
    """Mass matrix, Jacobian and gaps of points of a Drake plant, each `(frame, place in it)`, over a half-space.

    The free velocity of a step is `v + h · M⁻¹ (τ + gravity − bias)` with `CalcGravityGeneralizedForces`, `CalcBiasTerm`.
    """
    from pydrake.multibody.tree import JacobianWrtVariable

    mass, world, axes = plant.CalcMassMatrix(context), plant.world_frame(), _axes(normal)
    rows, gap = [], []
    for frame, place in points:
        at = numbers(place, "point").reshape(3, 1)
        jac = plant.CalcJacobianTranslationalVelocity(context, JacobianWrtVariable.kV, frame, at, world, world)
        rows.append(axes @ jac)
        gap.append(float(axes[0] @ plant.CalcPointsPositions(context, frame, at, world).ravel()) - height)
    return mass, np.vstack(rows) if rows else np.zeros((0, plant.num_velocities())), np.array(gap)


def _axes(normal: ArrayLike) -> Array:
    """The normal and two tangents, by rows."""
    n = numbers(normal, "normal")
    size = float(np.linalg.norm(n)) if n.shape == (3,) else 0.0
    if not size > 0.0:
        raise ProblemError(f"normal = {n.tolist()}: expected three numbers, not all zero")
    n = n / size
    least = np.eye(3)[int(np.argmin(np.abs(n)))]
    tangent = least - (least @ n) * n
    tangent /= np.linalg.norm(tangent)
    return np.stack([n, tangent, np.cross(n, tangent)])


def _takes_qm(mujoco: Any) -> bool:
    """Releases differ in the arguments of mj_fullM."""
    text = mujoco.mj_fullM.__doc__ or ""
    first = text.strip().splitlines()[0] if text.strip() else ""
    return "MjData" not in first
