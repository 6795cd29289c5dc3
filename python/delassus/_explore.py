"""The set of solutions of a contact problem."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, friction
from ._matrix import thread_count, whole
from .errors import ProblemError
from .world import World

__all__ = ["Exploration", "Motion", "ReactionSet", "explore"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ReactionSet:
    """What one reaction can be at rest: a convex set."""

    contact: int
    #: Its vertices: exact in the plane, of the inner hull in space [N s].
    vertices: Array
    #: Vertices of the outer hull, in space.
    outer: Array
    #: Distance between the hulls, relative to the size of the set.
    gap: float
    #: Directions in which it has no end.
    rays: Array

    @property
    def determined(self) -> bool:
        """Whether the laws leave one value only."""
        return len(self.rays) == 0 and len(self.vertices) <= 1


@dataclass(frozen=True)
class Motion:
    """A motion that the step admits."""

    status: tuple[str, ...]
    percussions: Array
    velocities: Array
    residual: float
    count: int

    def __repr__(self) -> str:
        told = ", ".join(f"{self.status.count(s)} {s}" for s in dict.fromkeys(self.status))
        return f"<Motion found {self.count} times: {told}, residual {self.residual:.1e}>"


@dataclass(frozen=True)
class Exploration:
    """How much of the forces is decided by physics."""

    #: Whether some percussions balance the loads within the laws; `None` when not asked.
    equilibrium: bool | None
    #: The sets of reactions at rest, contact by contact.
    sets: list[ReactionSet] = field(repr=False)
    #: 'none' (no friction is needed), 'factor', 'impossible', 'undecided' or 'frictionless'.
    least_friction: str | None
    #: All coefficients multiplied by this just hold.
    least_friction_factor: float | None
    #: The equilibrium that stays farthest from the edges of its cones, and how far [N s].
    most_stable: Array | None = field(repr=False)
    margin: float | None
    #: Sampled solutions, each certified: (samples, blocks, components) [N s], and their residuals.
    samples: Array | None = field(repr=False)
    residuals: Array | None = field(repr=False)
    #: Samples that did not reach the tolerance.
    rejected: int
    #: Distinct motions among what was found.
    motions: list[Motion] = field(repr=False)
    #: Length of the step [s]: percussions over it are forces; `None` for a problem alone.
    h: float | None

    @property
    def factor_of_safety(self) -> float | None:
        """By which friction may be divided before nothing holds any more; infinite where none is needed."""
        if self.least_friction == "none":
            return float("inf")
        return None if not self.least_friction_factor else 1.0 / self.least_friction_factor


def explore(
    subject: World | friction.Problem | Any, *, bounds: bool = True, samples: int = 0, procedure: str = "random",
    seed: int = 0, tolerance: float = 1e-8, max_sweeps: int = 100_000, threads: int | None = None,
) -> Exploration:  # fmt: skip
    """The set of solutions of a problem, or of the coming step of a world (or of a scene, at its start).

    `bounds` asks for the exact sets of reactions at rest, the factor of safety and the most stable network of forces;
    `samples` for so many certified solutions, from random initial forces ('random'), in shuffled orders from zero
    ('shuffle') or from the last forces ('warm'). Equal seeds, equal samples.

    A bar wedged between two walls: gravity decides the sum of its friction forces, not the forces.

    >>> from delassus import explore
    >>> found = explore("wedged_bar")
    >>> found.equilibrium, any(s.determined for s in found.sets)
    (True, False)
    """
    if not 0.0 < float(tolerance) < float("inf"):
        raise ProblemError(f"tolerance = {tolerance}: expected a positive finite number", name="tolerance", value=tolerance)
    how = (bounds, whole(samples, "samples", 0), procedure, whole(seed, "seed", 0, 2**64 - 1), float(tolerance), whole(max_sweeps, "max_sweeps", 1),
           thread_count(threads))  # fmt: skip
    if isinstance(subject, friction.Problem):
        data = _core.explore_problem(subject._core, *how)
    else:
        world = subject if isinstance(subject, World) else World(subject, threads=threads)
        data = _core.explore_world(world._core, *how)
    c = data["components"]

    def rows(x: Any) -> Array:
        return np.asarray(x).reshape(-1, c)

    least, factor = data.get("least_friction", (None, None))
    stable, margin = data.get("most_stable", (None, None))
    count, all_samples, residuals, rejected = data.get("samples", (0, None, None, 0))
    return Exploration(
        equilibrium=None if "empty" not in data else not data["empty"],
        sets=[
            ReactionSet(s["contact"], rows(s["vertices"]), rows(s["outer"]), s["gap"], rows(s["rays"]))
            for s in data.get("sets", [])
        ],
        least_friction=least,
        least_friction_factor=factor,
        most_stable=None if stable is None else rows(stable),
        margin=margin,
        samples=None if all_samples is None else np.asarray(all_samples).reshape(count, -1, c),
        residuals=residuals,
        rejected=rejected,
        motions=[
            Motion(tuple(o["status"]), rows(o["percussions"]), rows(o["velocities"]), o["residual"], o["count"])
            for o in data.get("outcomes", [])
        ],
        h=data.get("h"),
    )
