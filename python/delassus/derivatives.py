"""Derivatives of a step, by the implicit function theorem on its certified solution.

The percussions of a step solve `F(S; W, b, μ) = 0`, one block of equations for each contact, by its status:

.. code-block:: text

    open     S = 0
    stick    U = W S + b = 0
    slip     U_N = 0,   S_T = −μ S_N U_T / |U_T|        Coulomb; other laws, rolling, motors: `_statuses.py`

Where every status is strictly what it is, and the matrix ∂F/∂S is regular, S is differentiable, and
`∂S/∂θ = −(∂F/∂S)⁻¹ ∂F/∂θ`. Where a contact is on the edge between two of them, or more than one S solves the step,
there is no derivative, and :class:`~delassus.errors.NotDifferentiable` says which contacts are to blame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import friction
from ._statuses import KNOWN, PARAMETERS, Piece, Units, coefficient, piece, roots
from .errors import NotDifferentiable, ProblemError, WorldError
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

    #: Of each contact: 'open', 'stick', 'slip', with resistance to rolling also 'roll' and 'slip and roll'; of a motor or
    #: a joint with friction: 'hold' or 'yield'.
    status: tuple[str, ...]
    #: Percussions and relative velocities, flat.
    S: Array
    U: Array
    #: ∂S/∂b, square; ∂S/∂μ, one column for each contact: by the coefficient of Coulomb's law or the one in use of a
    #: directional law, by the threshold of Tresca's, by a factor of both coefficients of an elliptic one.
    dS_db: Array
    dS_dmu: Array
    #: ∂S/∂μ_r, by the coefficients of rolling [m]; ∂S/∂l, by a factor of the limits of a motor or of dry friction in a joint.
    dS_dmu_r: Array
    dS_dlimit: Array

    def __repr__(self) -> str:
        return f"<Sensitivity of {len(self.status)} blocks: {', '.join(f'{self.status.count(s)} {s}' for s in dict.fromkeys(self.status))}>"

    def along(self, dW: Any, db: ArrayLike) -> Array:
        """Change of S for changes of W and b: `dS = ∂S/∂b (dW S + db)`, for W and b enter by U alone."""
        change = np.asarray(dW @ self.S) + np.asarray(db, dtype=float).ravel()
        return np.asarray(self.dS_db @ change)


def of_problem(W: Any, b: ArrayLike, mu: ArrayLike = 0.0, *, solution: friction.Solution | None = None,
               edge: float = EDGE, laws: Any = None) -> Sensitivity:  # fmt: skip
    """Derivatives of the solution of `U = W S + b` with Coulomb's law, or with `laws` of :mod:`delassus.friction`, any of them.

    >>> import numpy as np
    >>> found = of_problem(np.eye(3), [[-1.0, 2.0, 0.0]], 0.5)
    >>> found.status, (found.dS_dmu.ravel().round(9) + 0.0).tolist()
    (('slip',), [0.0, -1.0, 0.0])
    """
    free = np.asarray(b, dtype=float)
    count = len(laws) if isinstance(laws, Sequence) else len(np.atleast_1d(mu))
    n, d = free.shape if free.ndim == 2 else (count, free.size // max(count, 1))
    known = list(laws) if isinstance(laws, Sequence) else [laws] * n
    if laws is None:
        known = [friction.Coulomb(float(m)) for m in np.broadcast_to(np.asarray(mu, dtype=float), (n,))]
    if solution is None:
        solution = friction.solve(W, free.reshape(n, d), laws=known, tolerance=1e-12)
        if solution.certificate.relative > 1e-9:
            raise NotDifferentiable(
                f"the step is solved to {solution.certificate.relative:.1e} only ('{solution.status}'): a derivative needs 1e-9"
            )
    elif not isinstance(solution, friction.Solution):
        raise ProblemError(f"solution is {type(solution).__name__}: expected what friction.solve gives", what="solution")
    elif solution.reactions.shape != (n, d):
        raise ProblemError(f"the solution has shape {solution.reactions.shape}: expected {(n, d)}, as b has", what="solution")
    else:
        found = friction.Problem(W, free.reshape(n, d), laws=known).certify(solution.reactions).relative
        if not found <= edge:
            raise NotDifferentiable(f"this is a solution of another problem, or a poor one: its relative residual is {found:.1e} here, "
                                    f"expected {edge:.0e} at most", residual=found)  # fmt: skip
    dense = np.asarray(W.toarray() if hasattr(W, "toarray") else W, dtype=float)
    return _sensitivity(dense, solution, known, edge)


def _sensitivity(W: Array, solution: friction.Solution, laws: list[Any], edge: float) -> Sensitivity:
    S, U = solution.reactions, solution.velocities
    n, d = S.shape
    root = np.array([roots(law, np.diag(W)[d * i : d * i + d]) for i, law in enumerate(laws)]).reshape(n, d)
    size = max(float(np.abs(U / root).max(initial=0.0)), float(np.abs(S * root).max(initial=0.0)), 1e-300)
    found = [piece(law, s, u, Units(r, size, edge)) for law, s, u, r in zip(laws, S, U, root)]
    doubtful = [i for i, what in enumerate(found) if what is None]
    if doubtful:
        raise NotDifferentiable(
            f"contacts {doubtful} are on the edge between two statuses: S has no derivative there", contacts=doubtful
        )
    pieces = [what for what in found if what is not None]
    if not pieces:
        none = np.zeros((0, 0))
        return Sensitivity((), S.ravel(), U.ravel(), none, none, none, none)
    by_b, columns = _solved(W, pieces, root.ravel())
    return Sensitivity(tuple(what.status for what in pieces), S.ravel(), U.ravel(), by_b, *columns)


def _solved(W: Array, pieces: list[Piece], root: Array) -> tuple[Array, list[Array]]:
    """∂S/∂b, and ∂S by the parameters, one column for each block; in √J, where the matrix has no units."""
    n, d = len(pieces), len(root) // len(pieces)
    by_s, by_u = np.zeros((n * d, n * d)), np.zeros((n * d, n * d))
    by = {name: np.zeros((n * d, n)) for name in PARAMETERS}
    for i, what in enumerate(pieces):
        at = slice(d * i, d * i + d)
        mine = root[at]
        # An equation is one of percussions or one of velocities.
        scale = np.where(what.by_s.any(axis=1), mine, 1.0 / mine)[:, None]
        by_s[at, at], by_u[at, at] = scale * what.by_s / mine, scale * what.by_u * mine
        for name, column in what.by.items():
            by[name][at, i] = scale[:, 0] * column
    matrix = by_s + by_u @ (W / np.outer(root, root))
    values = np.linalg.svd(matrix, compute_uv=True)
    least = values[1][-1]
    if least < SINGULAR * values[1][0]:
        share = np.linalg.norm(values[2][-1].reshape(n, d), axis=1)
        blamed = np.nonzero(share > 0.1 * share.max())[0].tolist()
        raise NotDifferentiable(
            f"more than one set of percussions solves the step (contacts {blamed} can trade forces): "
            "only motions, not forces, are determined", contacts=blamed, smallest_singular_value=float(least),
        )  # fmt: skip
    solved = -np.linalg.solve(matrix, np.hstack([by_u / root, *by.values()])) / root[:, None]
    return solved[:, : n * d], np.split(solved[:, n * d :], len(PARAMETERS), axis=1)


@dataclass(frozen=True)
class StepDerivatives:
    """Derivatives of the velocities and the configuration at the end of a step of rigid bodies.

    Rows are degrees of freedom of bodies that move freely (`dofs` names them among those of :attr:`World.u`).
    """

    dofs: NDArray[np.int64]
    #: Velocities at the end.
    u: Array
    #: ∂u/∂μ, one column for each contact; ∂u/∂(friction factor): all coefficients of sliding and thresholds changed alike, in
    #: proportion.
    du_dmu: Array
    du_dfriction: Array
    #: ∂u/∂μ_r and ∂u/∂l, one column for each block: coefficients of rolling [m], a factor of the limits of a motor or joint.
    du_dmu_r: Array
    du_dlimit: Array
    #: ∂u/∂b: by the free velocities of the blocks, contacts first, then joints. The speed of a motor is taken off the first of
    #: its block, so that ∂u/∂speed is the opposite of that column.
    du_db: Array
    #: ∂u/∂f: forces and torques at the centres of mass along the axes of the world, constant over the step.
    du_dforce: Array
    #: ∂u/∂m: one column for each moving body, all its inertia (and weight) changed by the same share; multiply by 1/mass
    #: for the derivative by the mass.
    du_dscale: Array
    bodies: NDArray[np.int64]
    #: ∂u/∂u_i and ∂u/∂q_i: velocities and configuration at the beginning (columns: free degrees of freedom; in space the
    #: configuration turns about the principal axes of the body, as spins do); `None` unless asked for.
    du_du: Array | None
    du_dq: Array | None
    sensitivity: Sensitivity

    def __repr__(self) -> str:
        return f"<StepDerivatives of {len(self.u)} velocities of {len(self.bodies)} bodies, {self.sensitivity!r}>"

    def objective(self, gradient: ArrayLike) -> dict[str, Array]:
        """Gradients of a function of the velocities at the end, from its own gradient by `u`."""
        g = np.asarray(gradient, dtype=float)
        found = {"mu": self.du_dmu, "friction": self.du_dfriction, "rolling": self.du_dmu_r, "limit": self.du_dlimit,
                 "force": self.du_dforce, "scale": self.du_dscale, "velocity": self.du_du, "configuration": self.du_dq}  # fmt: skip
        return {name: g @ m for name, m in found.items() if m is not None}


def _solve(step: NextStep, edge: float) -> tuple[Sensitivity, Array]:
    for i, law in enumerate(step.laws):
        if not isinstance(law, KNOWN):
            raise NotDifferentiable(f"block {i} obeys {law}: derivatives are known for the laws of Coulomb (also elliptic and "
                                    "directional) and Tresca, resistance to rolling, frictionless contacts, joints and their "
                                    "motors", contacts=[i])  # fmt: skip
    if step.components not in (2, 3, 5):
        raise NotDifferentiable(f"contacts of {step.components} components, which resist spinning: derivatives are known for 2, 3 or 5")
    found = of_problem(step.W, step.b, edge=edge, laws=step.laws)
    moved = found.U.reshape(-1, step.components)
    return found, np.array([coefficient(law, u) for law, u in zip(step.laws, moved)], dtype=float)


def of_step(world: World, *, initial: bool = False, edge: float = EDGE, eps: float = 1e-6) -> StepDerivatives:
    """Derivatives of the coming step of a world of rigid bodies. Nothing moves.

    With `initial`, also by the state at the beginning: the solution is differentiated as above, the data of the problem
    (rows, gaps, free velocities: the geometry) by central differences of length `eps`; where the set of contacts
    changes within them, the step has no derivative.
    """
    if not isinstance(world, World):
        raise WorldError(f"{type(world).__name__} is no world: expected a delassus.World")
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
        du_dq = _by_state(world, step, found, "q", eps)
    return StepDerivatives(
        step.dofs, u, du_dmu, du_dmu @ mu[:, None], carry @ found.dS_dmu_r, carry @ found.dS_dlimit, carry @ found.dS_db,
        du_dforce, du_dscale, bodies, du_du, du_dq, found,
    )  # fmt: skip


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
                if which == "u" or world.dimension == 2:
                    x[dof] += sign * eps
                else:
                    _nudge(x[7 * (dof // 6) :][:7], int(dof % 6), sign * eps)
                world.state = start.replace(**{which: x})
                ends.append(world.next_step())
            columns.append(_change(step, found, ends[0], ends[1], 2.0 * eps))
    finally:
        world.state = start
    return np.stack(columns, axis=1)


def _nudge(pose: Array, axis: int, by: float) -> None:
    """Moves the place and the quaternion of a body along an axis of the world, or about one of its own."""
    if axis < 3:
        pose[axis] += by
        return
    turn = np.zeros(3)
    turn[axis - 3] = np.sin(0.5 * by)
    w, v = pose[3], pose[4:].copy()
    pose[3] = w * np.cos(0.5 * by) - v @ turn
    pose[4:] = w * turn + np.cos(0.5 * by) * v + np.cross(v, turn)


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
