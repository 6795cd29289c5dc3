"""Derivatives of a step, by the implicit function theorem on its certified solution.

The percussions of a step solve `F(S; W, b, μ) = 0`, one block of equations for each contact, by its status:

.. code-block:: text

    open     S = 0
    stick    U = W S + b = 0
    slip     U_N = 0,   S_T = −μ S_N U_T / |U_T|        Coulomb; other laws: `_slip.py`

Where every status is strictly what it is, and the matrix ∂F/∂S is regular, S is differentiable, and
`∂S/∂θ = −(∂F/∂S)⁻¹ ∂F/∂θ`. Where a contact is on the edge between two of them, or more than one S solves the step,
there is no derivative, and :class:`~delassus.errors.NotDifferentiable` says which contacts are to blame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import friction
from ._slip import KNOWN, parameter, room, slip
from .errors import NotDifferentiable
from .run import _rotation
from .step import NextStep
from .world import State, World

__all__ = ["Sensitivity", "StepDerivatives", "of_problem", "of_step"]

Array = NDArray[np.float64]
#: Statuses within this share of the scale of velocities or percussions are on the edge.
EDGE = 1e-6
#: A matrix whose smallest singular value is below this share of the largest is singular.
SINGULAR = 1e-10


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of percussions with respect to the data of a problem."""

    #: 'open', 'stick' or 'slip' of each contact.
    status: tuple[str, ...]
    #: Percussions and relative velocities, flat.
    S: Array
    U: Array
    #: ∂S/∂b, square; ∂S/∂μ, one column for each contact: by the coefficient of Coulomb's law or the one in use of a
    #: directional law, by the threshold of Tresca's, by a factor of both coefficients of an elliptic one.
    dS_db: Array
    dS_dmu: Array
    #: ∂F/∂U: what a change of U = W S + b does to the equations, before they are solved.
    _solve: Array

    def along(self, dW: Any, db: ArrayLike) -> Array:
        """Change of S for changes of W and b: `dS = ∂S/∂b (dW S + db)`, for W and b enter by U alone."""
        change = np.asarray(dW @ self.S) + np.asarray(db, dtype=float).ravel()
        return np.asarray(self.dS_db @ change)


def of_problem(W: Any, b: ArrayLike, mu: ArrayLike, *, solution: friction.Solution | None = None,
               edge: float = EDGE, laws: Any = None) -> Sensitivity:  # fmt: skip
    """Derivatives of the solution of `U = W S + b` with Coulomb's law, or with `laws` of :mod:`delassus.friction`:
    Coulomb, Frictionless, Bilateral, Tresca, Elliptic, Directional.

    >>> import numpy as np
    >>> found = of_problem(np.eye(3), [[-1.0, 2.0, 0.0]], 0.5)
    >>> found.status, (found.dS_dmu.ravel().round(9) + 0.0).tolist()
    (('slip',), [0.0, -1.0, 0.0])
    """
    free = np.asarray(b, dtype=float)
    n, d = free.shape if free.ndim == 2 else (len(np.atleast_1d(mu)), free.size // len(np.atleast_1d(mu)))
    coefficients = np.broadcast_to(np.asarray(mu, dtype=float), (n,))
    if solution is None:
        solution = friction.solve(W, free.reshape(n, d), None if laws else coefficients, laws=laws, tolerance=1e-12)
        if solution.certificate.relative > 1e-9:
            raise NotDifferentiable(
                f"the step is solved to {solution.certificate.relative:.1e} only ('{solution.status}'): a derivative needs 1e-9"
            )
    dense = np.asarray(W.toarray() if hasattr(W, "toarray") else W, dtype=float)
    known = list(laws) if laws else [friction.Coulomb(float(m)) for m in coefficients]
    return _sensitivity(dense, solution, known, edge)


def _sensitivity(W: Array, solution: friction.Solution, laws: list[Any], edge: float) -> Sensitivity:
    S, U = solution.reactions, solution.velocities
    n, d = S.shape
    scale = np.array([max(np.trace(W[d * i : d * i + d, d * i : d * i + d]) / d, 1e-300) for i in range(n)])
    # In velocity units, so that percussions and velocities can be compared.
    size = max(float(np.abs(U).max(initial=0.0)), float((np.abs(S).max(axis=1, initial=0.0) * scale).max(initial=0.0)), 1e-300)
    status, doubtful = [], []
    for i in range(n):
        status.append(_status(laws[i], S[i] * scale[i] / size, U[i] / size, (scale[i] / size, edge)))
        if status[-1] == "edge":
            doubtful.append(i)
    if doubtful:
        raise NotDifferentiable(
            f"contacts {doubtful} are on the edge between two statuses: S has no derivative there", contacts=doubtful
        )
    by_s, by_u, by_mu = np.zeros((n * d, n * d)), np.zeros((n * d, n * d)), np.zeros((n * d, n))
    for i, what in enumerate(status):
        at = slice(d * i, d * i + d)
        if what == "open":
            by_s[at, at] = np.eye(d) * scale[i]
        elif what == "stick":
            by_u[at, at] = np.eye(d)
        else:
            by_u[d * i, d * i] = 1.0
            tangent, law = slice(d * i + 1, d * i + d), slip(laws[i], float(S[i, 0]), U[i, 1:])
            by_s[tangent, tangent] = np.eye(d - 1) * scale[i]
            by_s[tangent, d * i] = law.by_normal * scale[i]
            by_u[tangent, tangent] = law.by_velocity * scale[i]
            by_mu[tangent, i] = law.by_parameter * scale[i]
    matrix = by_s + by_u @ W
    if n:
        values = np.linalg.svd(matrix, compute_uv=True)
        least = values[1][-1]
        if least < SINGULAR * values[1][0]:
            share = np.linalg.norm(values[2][-1].reshape(n, d), axis=1)
            blamed = np.nonzero(share > 0.1 * share.max())[0].tolist()
            raise NotDifferentiable(
                f"more than one set of percussions solves the step (contacts {blamed} can trade forces): "
                "only motions, not forces, are determined", contacts=blamed, smallest_singular_value=float(least),
            )  # fmt: skip
    solved = np.linalg.solve(matrix, np.hstack([by_u, by_mu])) if n else np.zeros((0, 0))
    return Sensitivity(tuple(status), S.ravel(), U.ravel(), -solved[:, : n * d], -solved[:, n * d :], by_u)


def _status(law: Any, s: Array, u: Array, units: tuple[float, float]) -> str:
    """Of one contact, both in units of the largest velocity; `units` from percussions to them, and the width of an edge."""
    scale, edge = units
    if isinstance(law, friction.Bilateral):
        return "stick"
    if s[0] <= edge:
        return "open" if u[0] > edge else "edge"
    if float(np.linalg.norm(u[1:])) > edge:
        return "slip"
    size = law.threshold * scale if isinstance(law, friction.Tresca) else float(np.max(getattr(law, "mu", 0.0)))
    return "stick" if room(law, s, scale) > edge * max(size, edge) else "edge"


@dataclass(frozen=True)
class StepDerivatives:
    """Derivatives of the velocities and the configuration at the end of a step of rigid bodies.

    Rows are degrees of freedom of bodies that move freely (`dofs` names them among those of :attr:`World.u`).
    """

    dofs: NDArray[np.int64]
    #: Velocities at the end.
    u: Array
    #: ∂u/∂μ, one column for each contact; ∂u/∂(friction factor): all coefficients changed alike, in proportion.
    du_dmu: Array
    du_dfriction: Array
    #: ∂u/∂f: forces and torques at the centres of mass along the axes of the world, constant over the step.
    du_dforce: Array
    #: ∂u/∂m: one column for each moving body, all its inertia (and weight) changed by the same share; multiply by 1/mass
    #: for the derivative by the mass.
    du_dscale: Array
    bodies: NDArray[np.int64]
    #: ∂u/∂u_i and ∂u/∂q_i: velocities and configuration at the beginning (columns: free degrees of freedom); `None`
    #: unless asked for.
    du_du: Array | None
    du_dq: Array | None
    sensitivity: Sensitivity

    def objective(self, gradient: ArrayLike) -> dict[str, Array]:
        """Gradients of a function of the velocities at the end, from its own gradient by `u`."""
        g = np.asarray(gradient, dtype=float)
        found = {"mu": self.du_dmu, "friction": self.du_dfriction, "force": self.du_dforce, "scale": self.du_dscale,
                 "velocity": self.du_du, "configuration": self.du_dq}  # fmt: skip
        return {name: g @ m for name, m in found.items() if m is not None}


def _solve(step: NextStep, edge: float) -> tuple[Sensitivity, Array]:
    for i, law in enumerate(step.laws):
        if not isinstance(law, KNOWN):
            raise NotDifferentiable(f"block {i} obeys {law}: derivatives are known for the laws of Coulomb (also elliptic and "
                                    "directional) and Tresca, frictionless contacts and joints", contacts=[i])  # fmt: skip
    if step.components not in (2, 3):
        raise NotDifferentiable("derivatives are known for contacts of 2 or 3 components")
    found = of_problem(step.W, step.b, 0.0, edge=edge, laws=step.laws)
    moved = found.U.reshape(len(step.laws), -1)
    return found, np.array([parameter(law, u[1:]) for law, u in zip(step.laws, moved)], dtype=float)


def of_step(world: World, *, initial: bool = False, edge: float = EDGE, eps: float = 1e-6) -> StepDerivatives:
    """Derivatives of the coming step of a world of rigid bodies. Nothing moves.

    With `initial`, also by the state at the beginning: the solution is differentiated as above, the data of the problem
    (rows, gaps, free velocities: the geometry) by central differences of length `eps`; where the set of contacts
    changes within them, the step has no derivative.
    """
    if world.dimension not in (2, 3) or len(world.u) != world.bodies * (3 if world.dimension == 2 else 6):
        raise NotDifferentiable("derivatives of a step are known for rigid bodies alone")
    step = world.next_step()
    found, mu = _solve(step, edge)
    Gt = np.asarray(step.Gt.toarray() if hasattr(step.Gt, "toarray") else step.Gt, dtype=float)
    inverse = 1.0 / step.inertia
    carry = inverse[:, None] * Gt
    free = inverse * step.load
    u = free + carry @ found.S
    du_dmu = carry @ found.dS_dmu
    # Forces change the free velocity by h A⁻¹ f, hence b by G h A⁻¹ f.
    du_dfree = np.eye(len(u)) + carry @ found.dS_db @ Gt.T
    du_dforce = du_dfree * (step.h * inverse) @ _axes(world, step)
    bodies = np.unique(step.body)
    du_dscale = np.zeros((len(u), len(bodies)))
    before = world.u[step.dofs]
    gravity = _weights(world, step)
    for k, body in enumerate(bodies):
        mine = step.body == body
        # A ← (1 + ε) A on one body: percussions weigh less, loads other than weight accelerate less.
        dinverse = np.where(mine, -inverse, 0.0)
        dfree = np.where(mine, -(free - before - gravity), 0.0)
        dW = Gt.T @ (dinverse[:, None] * Gt)
        dS = found.along(dW, Gt.T @ dfree)
        du_dscale[:, k] = dfree + dinverse * (Gt @ found.S) + carry @ dS
    du_du = du_dq = None
    if initial:
        du_du = _by_state(world, step, found, "u", eps)
        du_dq = _by_state(world, step, found, "q", eps) if world.dimension == 2 else None
    return StepDerivatives(step.dofs, u, du_dmu, du_dmu @ mu[:, None], du_dforce, du_dscale, bodies, du_du, du_dq, found)


def _axes(world: World, step: NextStep) -> Array:
    """From forces and torques of the world to those of the degrees of freedom, in the middle of the step."""
    out = np.eye(len(step.dofs))
    if world.dimension == 2:
        return out
    for body in np.unique(step.body):
        turn = np.nonzero((step.body == body) & (step.dofs % 6 >= 3))[0]
        out[np.ix_(turn, turn)] = (_rotation(world.orientations[body]) @ _turned(0.5 * step.h * world.spins[body])).T
    return out


def _turned(angle: Array) -> Array:
    """The rotation by a vector, by Rodrigues' formula."""
    size = float(np.linalg.norm(angle))
    if size == 0.0:
        return np.eye(3)
    x, y, z = angle / size
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(size) * cross + (1.0 - np.cos(size)) * cross @ cross)


def _weights(world: World, step: NextStep) -> Array:
    """Velocity that weight gives in the step: it does not depend on the mass."""
    g = np.zeros(3 if world.dimension == 2 else 6)
    g[: world.dimension] = world.gravity
    return step.h * g[step.dofs % len(g)]


def _by_state(world: World, step: NextStep, found: Sensitivity, which: str, eps: float) -> Array:
    """Columns of ∂u_f by the velocities or the configuration of the free degrees of freedom."""
    start: State = world.state
    columns = []
    try:
        for dof in step.dofs:
            ends = []
            for sign in (1.0, -1.0):
                x = np.array(getattr(start, which))
                x[dof] += sign * eps
                world.state = start.replace(**{which: x})
                ends.append(world.next_step())
            columns.append(_change(step, found, ends[0], ends[1], 2.0 * eps))
    finally:
        world.state = start
    return np.stack(columns, axis=1)


def _change(step: NextStep, found: Sensitivity, high: NextStep, low: NextStep, length: float) -> Array:
    same = all(x.bodies.shape == step.bodies.shape and (x.bodies == step.bodies).all() and x.b.shape == step.b.shape
               for x in (high, low))  # fmt: skip
    if not same:
        raise NotDifferentiable("the set of contacts changes with the state here", contacts=[])

    def dense(m: Any) -> Array:
        return np.asarray(m.toarray() if hasattr(m, "toarray") else m, dtype=float)

    def slope(f: Callable[[NextStep], Array]) -> Array:
        return (f(high) - f(low)) / length

    inverse = 1.0 / step.inertia
    dW, db = slope(lambda x: dense(x.W)), slope(lambda x: x.b.ravel())
    dfree, dGt = slope(lambda x: x.load / x.inertia), slope(lambda x: dense(x.Gt))
    dS = found.along(dW, db)
    return np.asarray(dfree + inverse * (dGt @ found.S + dense(step.Gt) @ dS))
