"""Assemblies of compas_dem, solved through that package's own interface.

>>> from delassus.bridges import compas as bridge
>>> bridge.install()                                                        # doctest: +SKIP
>>> problem.set_solver(bridge.solver(tolerance=1e-8))                       # doctest: +SKIP
>>> results = problem.solve()                                               # doctest: +SKIP

Contacts are the corners of the contact polygons, each with Coulomb's law. The blocks are at rest: percussions over one
second are forces [N]. Where friction and shape can hold them, the velocities vanish and the forces are one network of
the set that can carry the loads; where they cannot, `results.metadata["stands"]` is false and the blocks move by the
velocities in `results.metadata["velocity"]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import friction
from ..errors import NotConverged, ProblemError

__all__ = ["assembly", "install", "solve", "solver"]

NAME = "DELASSUS"


def solver(**settings: Any) -> Any:
    """A configuration for `problem.set_solver`: settings of :class:`delassus.friction.Settings`."""
    from compas_dem.problem import Solver

    made = Solver()
    made.name, made.parameters = NAME, dict(settings)
    return made


def install() -> None:
    """Lets `problem.solve()` of compas_dem know this solver: its own list of solvers is closed."""
    from compas_dem.problem import Problem

    original = Problem.solve
    if getattr(original, "_knows_delassus", False):
        return

    def dispatch(self: Any, **runtime_options: Any) -> Any:
        chosen = self._solver
        if chosen is None or chosen.name != NAME:
            return original(self, **runtime_options)
        self._check_model_validity(self.model)
        return solve(self, self.model, **{**chosen.parameters, **runtime_options})

    dispatch._knows_delassus = True  # type: ignore[attr-defined]
    Problem.solve = dispatch


def assembly(problem: Any, model: Any) -> tuple[friction.Problem, dict[str, Any]]:
    """The one-step problem of an assembly at rest, and where its contacts are."""
    from compas_dem.analysis.resolve import _element_mass, resolve_centroidal_loads

    law = problem.contact_properties.contact_model
    if law is None or law.mu is None:
        raise ProblemError("no friction coefficient: problem.set_contact_model('MohrCoulomb', mu=...)")
    blocks = {b.graphnode: b for b in model.elements()}
    free = [k for k, b in blocks.items() if not b.is_support]
    place = {k: 6 * i for i, k in enumerate(free)}
    loads = resolve_centroidal_loads(model, problem.boundary_conditions)
    gravity = max((float(bc.g) for bc in problem.boundary_conditions if getattr(bc, "g", None) is not None), default=9.81)
    inertia, load = np.zeros(6 * len(free)), np.zeros(6 * len(free))
    for k in free:
        at, mass = place[k], float(_element_mass(blocks[k]))
        size = np.ptp(np.array(blocks[k].modelgeometry.vertices_attributes("xyz")), axis=0)
        inertia[at : at + 3] = mass
        # Moments of the bounding box: they choose among networks of forces, and decide no equilibrium.
        inertia[at + 3 : at + 6] = mass / 12.0 * (size @ size - size**2)
        load[at : at + 3] = np.asarray(list(loads[k]["force"])) + [0.0, 0.0, -gravity * mass]
        load[at + 3 : at + 6] = np.asarray(list(loads[k]["moment"]))
    rows, contacts = [], []
    for edge in model.graph.edges():
        for contact in model.graph.edge_attribute(edge, "contacts") or []:
            axes = np.array([list(contact.frame.zaxis), list(contact.frame.xaxis), list(contact.frame.yaxis)])
            first, second = (blocks[k] for k in edge)
            # The normal pushes the second block away from the first one.
            sign = 1.0 if np.dot(axes[0], np.subtract(list(second.point), list(first.point))) >= 0 else -1.0
            for point in contact.points:
                row = np.zeros((3, 6 * len(free)))
                for k, side in ((edge[1], sign), (edge[0], -sign)):
                    if k in place:
                        arm = np.subtract(list(point), list(blocks[k].point))
                        row[:, place[k] : place[k] + 3] = side * axes
                        row[:, place[k] + 3 : place[k] + 6] = side * np.cross(arm, axes)
                rows.append(row)
            contacts.append((edge, contact, sign))
    if not rows:
        raise ProblemError("the model has no contacts: model.compute_contacts(...) finds them")
    G = np.vstack(rows)
    held = np.abs(G).max(axis=1).reshape(-1, 3).max(axis=1) == 0
    if held.any():
        raise ProblemError("two supports touch each other: take the contact between them out of the model")
    made = friction.Problem.global_form(
        _diagonal(inertia), _sparse(G.T), load, np.zeros((len(rows), 3)), float(law.mu)
    )
    return made, {"contacts": contacts, "free": free, "load": load, "G": G}


def solve(problem: Any, model: Any, *, strict: bool = True, **settings: Any) -> Any:
    """Solves an assembly; the `Results` of compas_dem, the certificate in `metadata`.

    With `strict`, forces that do not obey the laws to the tolerance are refused.
    """
    from compas.geometry import Translation
    from compas_dem.interactions.contact import local_resultant
    from compas_dem.problem.results import Results

    made, where = assembly(problem, model)
    found = made.solve(**settings)
    if strict and not found.converged:
        raise NotConverged(f"the assembly was solved to {found.certificate.relative:.1e} only ('{found.status}')",
                           solution=found)  # fmt: skip
    results = Results(model_id=str(model.guid), problem_id=str(problem.guid))
    velocity = found.body_velocities if found.body_velocities is not None else np.zeros(0)
    scale = max(float(np.abs(made.data["f"]).max(initial=0.0)), 1e-300)
    unbalanced = float(np.abs(where["load"] + where["G"].T @ found.reactions.ravel()).max(initial=0.0)) / scale
    results.metadata.update(
        solver=NAME, residual=found.certificate.relative, status=found.status, stands=bool(unbalanced < 1e-6),
        unbalanced=unbalanced, velocity={k: velocity[6 * i : 6 * i + 6].tolist() for i, k in enumerate(where["free"])},
    )  # fmt: skip
    for block in model.elements():
        results.set_node(block.graphnode, "transformation", Translation.from_vector([0.0, 0.0, 0.0]))
    first = 0
    for edge, contact, sign in where["contacts"]:
        own = found.reactions[first : first + len(contact.points)]
        first += len(contact.points)
        forces = [{"c_np": float(n), "c_nn": 0.0, "c_u": sign * float(u), "c_v": sign * float(v)} for n, u, v in own]
        axes = np.array([list(contact.frame.zaxis), list(contact.frame.xaxis), list(contact.frame.yaxis)])
        total = -sign * (own.sum(axis=0) @ axes)  # on the first block of the edge, as with LMGC90
        contact.forces = forces
        for name, value in (
            ("contact_polygon", contact.polygon), ("contact_data", contact), ("resultant_global", total.tolist()),
            ("force_magnitude", float(np.linalg.norm(total))), ("resultant_local", local_resultant(forces)),
            ("contact_points", [list(p) for p in contact.points]), ("force_normal", [f["c_np"] for f in forces]),
            ("force_tangent1", [f["c_u"] for f in forces]), ("force_tangent2", [f["c_v"] for f in forces]),
            ("face_contact", len(own) >= 3), ("edge_contact", len(own) == 2), ("point_contact", len(own) == 1),
            ("contact_frame", contact.frame),
        ):  # fmt: skip
            results.set_edge(edge, name, value)
    return results


def _diagonal(values: Any) -> Any:
    try:
        from scipy.sparse import diags_array
    except ImportError:
        return np.diag(values)
    return diags_array(values).tocsr()


def _sparse(matrix: Any) -> Any:
    try:
        from scipy.sparse import csr_array
    except ImportError:
        return matrix
    return csr_array(matrix)
