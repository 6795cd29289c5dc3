"""One step of contact and dry friction, solved and certified.

.. code-block:: text

    U = W S + b,    every contact obeys its law between U and S

`W` is the Delassus operator, `S` the percussions [N s], `U` the relative velocities [m/s], `b` the free relative
velocities. Components of a contact are (normal, tangent) in the plane, (normal, tangent, tangent) in space.

A unit mass arrives on a floor at 1 m/s, sliding at 2 m/s, with friction 0.5:

>>> import numpy as np
>>> from delassus import friction
>>> solution = friction.solve(np.eye(3), [[-1.0, 2.0, 0.0]], 0.5)
>>> solution.status, solution.reactions.round(12).tolist()
('converged', [[1.0, -0.5, 0.0]])
>>> solution.certificate.relative < 1e-8
True
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._matrix import numbers, scipy_matrix, sparse, thread_count, whole
from .errors import NotConverged, ProblemError

__all__ = [
    "Bilateral", "Certificate", "Coulomb", "Directional", "Elliptic", "Event", "Frictionless", "Law", "Limited", "Problem",
    "Rolling", "SOLVERS", "Settings", "Solution", "Tresca", "read", "solve", "solve_global",
]  # fmt: skip

#: Names of the solvers; `auto` chooses among the others.
SOLVERS: tuple[str, ...] = tuple(_core.solver_names())

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """What every solver understands."""

    #: Name of the solver, one of :data:`SOLVERS`.
    solver: str = "auto"
    #: Relative residual to reach.
    tolerance: float = 1e-8
    #: Limit on iterations; `None` takes the solver's own.
    max_iterations: int | None = None
    #: After a failure of `auto`, ask whether a solution exists at all.
    existence: bool = False

    def _json(self) -> str:
        if self.solver not in SOLVERS:
            import difflib

            near = difflib.get_close_matches(str(self.solver), SOLVERS, 1)
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            raise ProblemError(
                f"unknown solver '{self.solver}': expected one of {', '.join(SOLVERS)}{hint}", name=self.solver
            )
        real = isinstance(self.tolerance, (int, float, np.number)) and not isinstance(self.tolerance, bool)
        if not (real and 0 < self.tolerance < float("inf")):
            raise ProblemError(f"setting tolerance = {self.tolerance!r}: expected a positive finite number",
                               name="tolerance", value=self.tolerance)  # fmt: skip
        most = None if self.max_iterations is None else whole(self.max_iterations, "max_iterations", 0, 2**53)
        values = {**dataclasses.asdict(self), "tolerance": float(self.tolerance), "max_iterations": most}
        return json.dumps({**values, "existence": bool(self.existence)})


@dataclass(frozen=True)
class Frictionless:
    """Unilateral contact without friction."""


@dataclass(frozen=True)
class Coulomb:
    """Coulomb friction, circular cone."""

    mu: float


@dataclass(frozen=True)
class Elliptic:
    """Orthotropic friction: coefficients along the axes of the section, `angle` [rad] from the first tangent."""

    mu: tuple[float, float]
    angle: float = 0.0


@dataclass(frozen=True)
class Directional:
    """In the plane: another coefficient each way."""

    mu: tuple[float, float]


@dataclass(frozen=True)
class Tresca:
    """A given threshold [N s] of the tangential percussion, while the contact is closed."""

    threshold: float


@dataclass(frozen=True)
class Bilateral:
    """A two-sided constraint, U = 0."""


@dataclass(frozen=True)
class Rolling:
    """Friction with resistance to rolling; `mu_r` [m]."""

    mu: float
    mu_r: float


@dataclass(frozen=True)
class Limited:
    """A two-sided constraint that yields, component by component: U_k = 0 as long as `|S_k| ≤ limit[k]` [N s].

    A motor of limited force, dry friction in a joint. `inf` holds whatever comes, 0 and components beyond the list are free.

    >>> import numpy as np
    >>> solve(np.eye(2), [[-1.0, 0.3]], laws=Limited((0.4, float("inf")))).reactions.round(12).tolist()
    [[0.4, -0.3]]
    """

    limit: tuple[float, ...]


Law = Union[Frictionless, Coulomb, Elliptic, Directional, Tresca, Bilateral, Rolling, Limited]


def _law(law: Law) -> Any:
    name = type(law).__name__.lower()
    if not isinstance(law, _LAWS):
        raise ProblemError(f"{law!r} is no law: expected Coulomb(mu), Frictionless(), Bilateral(), …", law=repr(law))
    if isinstance(law, Limited):
        return {name: {"limit": _limits(law)}}
    values = dataclasses.asdict(law)
    for key, value in values.items():
        given = numbers(value, f"{key} of {law}")
        wide = (2,) if isinstance(law, (Elliptic, Directional)) and key == "mu" else ()
        if given.shape != wide or not np.isfinite(given).all() or (key != "angle" and (given < 0.0).any()):
            kind = "two finite numbers" if wide else "one finite number"
            raise ProblemError(f"{key} of {law}: expected {kind}, not negative", what=key, law=repr(law))
        values[key] = given.tolist()
    return {name: values} if values else name


_LAWS = (Frictionless, Coulomb, Elliptic, Directional, Tresca, Bilateral, Rolling, Limited)


def _limits(law: Limited) -> list[float]:
    """Six numbers; JSON has no infinity, so that the largest number stands for it."""
    given = numbers(law.limit, "limit").ravel()
    if given.size > 6 or np.isnan(given).any() or (given < 0.0).any():
        raise ProblemError(f"{law}: expected at most 6 limits, not negative", what="limit")
    return [*np.minimum(given, np.finfo(float).max).tolist(), *[0.0] * (6 - given.size)]


@dataclass(frozen=True)
class Certificate:
    """The verdict on a set of percussions, computed by one function for all solvers."""

    #: Residual of the laws relative to the free velocity: does not depend on units.
    relative: float
    #: The same in velocity units [m/s].
    absolute: float
    #: FCLIB's and Siconos' full error.
    fclib_error: float
    #: Largest penetrating velocity [m/s].
    normal_velocity: float
    #: Largest distance of a percussion to its cone [N s].
    cone: float
    #: Largest product of percussion and velocity [J].
    complementarity: float
    #: Largest angle between friction and the opposite of slip [rad].
    misalignment: float
    #: The contacts with the largest residuals and these [m/s], worst first.
    worst: tuple[tuple[int, float], ...]

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Certificate:
        def real(x: float | None) -> float:
            return float("inf") if x is None else float(x)  # JSON has no infinity

        return cls(
            relative=real(data["relative"]),
            absolute=real(data["absolute"]),
            fclib_error=real(data["fclib_error"]),
            worst=tuple((int(w["contact"]), real(w["error"])) for w in data["worst"]),
            **{k: real(v) for k, v in data["parts"].items()},
        )


@dataclass(frozen=True)
class Event:
    """One thing that was done, and why."""

    solver: str
    iterations: int
    residual: float | None
    reason: str


@dataclass(frozen=True)
class Solution:
    """The answer: percussions, velocities, status, certificate, and the story."""

    #: Percussions, one row for each contact, normal first [N s].
    reactions: Array
    #: Relative velocities, likewise [m/s].
    velocities: Array
    #: Velocities of the bodies, for problems in global form [m/s].
    body_velocities: Array | None
    #: 'converged', or why not: 'iteration_limit', 'stalled', 'breakdown', 'interrupted', 'may_have_no_solution'.
    status: str
    certificate: Certificate
    iterations: int
    solver: str
    log: tuple[Event, ...] = field(repr=False)

    @property
    def converged(self) -> bool:
        """True when the laws hold at every contact to the tolerance."""
        return self.status == "converged"

    def __repr__(self) -> str:
        return (f"<Solution of {len(self.reactions)} contacts: {self.status}, relative residual {self.certificate.relative:.1e}, "
                f"{self.iterations} iterations of {self.solver}>")  # fmt: skip

    def raise_for_status(self) -> Solution:
        """Itself if it converged; raises :class:`~delassus.errors.NotConverged` if not."""
        if self.converged:
            return self
        raise NotConverged(
            f"{self.solver} ended with '{self.status}' at a relative residual of {self.certificate.relative:.1e}, "
            f"worst at contact {self.certificate.worst[0][0] if self.certificate.worst else '?'}",
            solution=self, status=self.status, residual=self.certificate.relative,
        )  # fmt: skip


class Problem:
    """A problem of one step, checked once and solved as often as wanted.

    >>> import numpy as np
    >>> problem = Problem(np.eye(2), [[-1.0, 0.3]], 0.2)
    >>> problem
    <Problem of 1 contacts with 2 components>
    >>> problem.solve(solver="nlgs").reactions.round(12).tolist()
    [[1.0, -0.2]]
    """

    def __init__(
        self,
        W: Any,
        b: ArrayLike,
        mu: ArrayLike | None = None,
        *,
        mu_r: ArrayLike | None = None,
        laws: Law | Sequence[Law] | None = None,
        dimension: int | None = None,
    ) -> None:
        rows = sparse(W, "W")
        if rows[0][0] != rows[0][1]:
            raise ProblemError(f"W has shape {rows[0]}: expected a square matrix", what="W", shape=rows[0])
        free = numbers(b, "b")
        n, d = _layout(free, mu if laws is None else laws, dimension)
        if rows[0][0] != free.size:
            raise ProblemError(f"W has shape {rows[0]}, but b has {free.size} numbers: expected as many rows",
                               what="W", expected=free.size, found=rows[0][0])  # fmt: skip
        _finite(rows[3], lambda k: f"W is not finite at row {np.searchsorted(rows[1], k, 'right') - 1}, column {rows[2][k]}")
        bad = np.argwhere(~np.isfinite(free.reshape(n, d)))
        if len(bad):
            contact, component = (int(k) for k in bad[0])
            raise ProblemError(f"b is not finite at contact {contact}, component {component}",
                               what="b", contact=contact, component=component)  # fmt: skip
        described = None
        if laws is not None and (mu is not None or mu_r is not None):
            raise ProblemError("give either coefficients or laws, not both")
        if laws is None and mu is None:
            raise ProblemError("friction is missing: expected mu, one number or one for each contact, or laws")
        if mu_r is not None and d == 3:  # in the plane, which FCLIB does not know
            pairs = zip(_each(0.0 if mu is None else mu, n, "mu"), _each(mu_r, n, "mu_r"))
            laws, mu_r = [Rolling(float(a), float(b)) for a, b in pairs], None
        if laws is not None:
            listed = [laws] * n if dataclasses.is_dataclass(laws) or isinstance(laws, str) else list(laws)
            described, mu = json.dumps([_law(law) for law in listed]), 0.0
        elif d == 5 and mu_r is None:
            raise ProblemError("contacts of 5 components resist rolling: expected mu_r [m], or laws", what="mu_r")
        if mu_r is not None and d != 5:
            raise ProblemError(f"mu_r needs 5 components in space, 3 in the plane (normal, tangent, roll): b has {d}", what="mu_r", found=d)
        self._core = _core.Problem.local(
            rows, free.ravel(), _each(0.0 if mu is None else mu, n, "mu"), None if mu_r is None else _each(mu_r, n, "mu_r"), d, described
        )

    @classmethod
    def _of(cls, core: _core.Problem) -> Problem:
        problem = cls.__new__(cls)
        problem._core = core
        return problem

    @classmethod
    def global_form(
        cls, M: Any, H: Any, f: ArrayLike, w: ArrayLike, mu: ArrayLike, *, mu_r: ArrayLike | None = None,
        dimension: int | None = None,
    ) -> Problem:  # fmt: skip
        """`M v = f + H S`, `U = Hᵀ v + w`: mass, the transpose of the contact rows, impulses, imposed velocities."""
        mass, rows = sparse(M, "M"), sparse(H, "H")
        if mass[0][0] != mass[0][1]:
            raise ProblemError(f"M has shape {mass[0]}: expected a square matrix", what="M", shape=mass[0])
        load, imposed = numbers(f, "f").ravel(), numbers(w, "w")
        if load.size != mass[0][0]:
            raise ProblemError(f"f has {load.size} numbers: expected {mass[0][0]}, as many as M has rows", what="f", found=load.size)
        for name, values in (("M", mass[3]), ("H", rows[3]), ("f", load), ("w", imposed.ravel())):
            _finite(values, lambda k, name=name: f"{name} is not finite at its entry {k}")  # type: ignore[misc]
        n, d = _layout(imposed, mu, dimension)
        if rows[0] != (mass[0][0], imposed.size):
            raise ProblemError(f"H has shape {rows[0]}: expected {(mass[0][0], imposed.size)}, one column for each "
                               "component of each contact", what="H", shape=rows[0])  # fmt: skip
        rolling = None if mu_r is None else _each(mu_r, n, "mu_r")
        return cls._of(_core.Problem.global_form(mass, rows, load, imposed.ravel(), _each(mu, n, "mu"), rolling, d))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Problem:
        """Reads an FCLIB file, local or global."""
        return cls._of(_core.Problem.read(os.fspath(path)))

    def write(
        self, path: str | os.PathLike[str], *, title: str = "", description: str = "", solution: Solution | None = None
    ) -> None:
        """Writes an FCLIB file, with a solution where one is given."""
        flat: list[list[float] | None] = [None, None, None]
        if solution is not None:
            found = (solution.reactions, solution.velocities, solution.body_velocities)
            flat = [None if x is None else x.ravel().tolist() for x in found]
        self._core.write(os.fspath(path), title, description, *flat)

    def solve(
        self, *, start: ArrayLike | None = None, settings: Settings | None = None, threads: int | None = None,
        **changes: Any,
    ) -> Solution:  # fmt: skip
        """Solves from `start` or from zero. Settings are given whole, or one by one: `solver`, `tolerance`, …"""
        try:
            settings = dataclasses.replace(settings or Settings(), **changes)
        except TypeError as unknown:
            names = ", ".join(f.name for f in dataclasses.fields(Settings))
            raise TypeError(f"{unknown}; settings are {names}") from None
        guess = None
        if start is not None and not np.isfinite(numbers(start, "start")).all():
            raise ProblemError("start is not finite", what="start")
        if start is not None:
            guess = numbers(start, "start").ravel()
            if guess.size != self.contacts * self.dimension:
                raise ProblemError(f"start has {guess.size} numbers, expected {self.contacts * self.dimension}",
                                   what="start", expected=self.contacts * self.dimension, found=guess.size)  # fmt: skip
        r, u, v, story = self._core.solve(settings._json(), guess, thread_count(threads))
        told = json.loads(story)
        return Solution(
            reactions=r.reshape(-1, self.dimension),
            velocities=u.reshape(-1, self.dimension),
            body_velocities=v,
            status=told["status"],
            certificate=Certificate._of(told["certificate"]),
            iterations=told["iterations"],
            solver=told["solver"],
            log=tuple(Event(**event) for event in told["log"]),
        )

    def certify(self, reactions: ArrayLike) -> Certificate:
        """Judges percussions, wherever they come from."""
        flat = numbers(reactions, "reactions").ravel()
        _finite(flat, lambda k: f"reactions are not finite at contact {k // self.dimension}, component {k % self.dimension}")
        return Certificate._of(json.loads(self._core.certify(flat)))

    def explore(self, **options: Any) -> Any:
        """The set of its solutions, see :func:`delassus.explore`."""
        from ._explore import explore

        return explore(self, **options)

    @property
    def contacts(self) -> int:
        """Number of contacts."""
        return int(self._core.contacts)

    @property
    def dimension(self) -> int:
        """Components of a contact."""
        return int(self._core.dimension)

    @property
    def warnings(self) -> list[str]:
        """What one should know before trusting the data: an asymmetric W, for instance."""
        return list(self._core.warnings)

    @property
    def data(self) -> dict[str, Any]:
        """Matrices (SciPy, where installed) and vectors by the names of FCLIB: W, q or M, H, f, w, and mu."""
        found = self._core.data()
        if found is None:
            raise ProblemError("FCLIB has no names for the laws of this problem")
        return {k: scipy_matrix(x) if k in ("W", "M", "H") else x for k, x in found.items()}

    def __repr__(self) -> str:
        form = "" if self._core.dofs is None else f", {self._core.dofs} degrees of freedom"
        return f"<Problem of {self.contacts} contacts with {self.dimension} components{form}>"


def _layout(b: Array, per_contact: Any, dimension: int | None) -> tuple[int, int]:
    """Number of contacts and components of each, from the shape of b."""
    dimension = None if dimension is None else whole(dimension, "dimension", 2, 5)
    if b.ndim == 2:
        if dimension is not None and dimension != b.shape[1]:
            raise ProblemError(f"b has shape {b.shape}: expected {dimension} columns", what="b", shape=b.shape)
        n, d = b.shape
    elif b.ndim == 1:
        n = len(per_contact) if np.ndim(per_contact) == 1 else None
        if dimension is None:
            if not n or b.size % n:
                raise ProblemError("how many components has a contact? Give b as an array of shape (contacts, "
                                   "components), mu for each contact, or dimension=3", what="b", shape=b.shape)  # fmt: skip
            dimension = b.size // n
        if b.size % dimension:
            raise ProblemError(f"b has {b.size} numbers: expected a multiple of {dimension}", what="b", found=b.size)
        n, d = b.size // dimension, dimension
    else:
        raise ProblemError(f"b has shape {b.shape}: expected (contacts, components)", what="b", shape=b.shape)
    if d not in (2, 3, 5):
        raise ProblemError(f"contacts of {d} components: expected 2 in the plane, 3 in space, 5 with rolling",
                           what="b", found=d)  # fmt: skip
    return n, d


def _finite(values: Array, message: Callable[[int], str]) -> None:
    bad = np.nonzero(~np.isfinite(values))[0]
    if len(bad):
        raise ProblemError(message(int(bad[0])), index=int(bad[0]))


def _each(x: ArrayLike, n: int, name: str) -> Array:
    values = numbers(x, name)
    if values.ndim == 0:
        values = np.full(n, float(values))
    if values.shape != (n,):
        raise ProblemError(f"{name} has shape {values.shape}: expected one number, or {n} of them, one per contact",
                           what=name, expected=n, found=values.size)  # fmt: skip
    bad = np.nonzero(~(values >= 0.0) | np.isinf(values))[0]
    if len(bad):
        raise ProblemError(f"{name} is {values[bad[0]]} at contact {bad[0]}: expected a finite number, not negative",
                           what=name, contact=int(bad[0]), value=float(values[bad[0]]))  # fmt: skip
    return values


def solve(
    W: Any,
    b: ArrayLike,
    mu: ArrayLike | None = None,
    *,
    mu_r: ArrayLike | None = None,
    laws: Law | Sequence[Law] | None = None,
    dimension: int | None = None,
    start: ArrayLike | None = None,
    settings: Settings | None = None,
    threads: int | None = None,
    **changes: Any,
) -> Solution:
    """Percussions and velocities of contacts with `U = W S + b`.

    `W` is a NumPy array or a SciPy sparse or block-sparse matrix; `b` has one row for each contact; `mu` is one
    number or one for each contact. `laws` takes the place of `mu` where contacts obey other laws than Coulomb's.
    Whatever the solver, the answer carries its certificate; one that did not converge is returned, not raised:
    ask :attr:`Solution.converged`, or chain :meth:`Solution.raise_for_status`.
    """
    problem = Problem(W, b, mu, mu_r=mu_r, laws=laws, dimension=dimension)
    return problem.solve(start=start, settings=settings, threads=threads, **changes)


def solve_global(
    M: Any, H: Any, f: ArrayLike, w: ArrayLike, mu: ArrayLike, *, mu_r: ArrayLike | None = None,
    dimension: int | None = None, start: ArrayLike | None = None, settings: Settings | None = None,
    threads: int | None = None, **changes: Any,
) -> Solution:  # fmt: skip
    """The same in global form, `M v = f + H S`, `U = Hᵀ v + w`; velocities of bodies are in the answer.

    >>> import numpy as np
    >>> found = solve_global(2.0 * np.eye(2), np.eye(2), [-2.0, 0.5], [[0.0, 0.0]], 0.2)
    >>> found.body_velocities.round(12).tolist()
    [0.0, 0.05]
    """
    problem = Problem.global_form(M, H, f, w, mu, mu_r=mu_r, dimension=dimension)
    return problem.solve(start=start, settings=settings, threads=threads, **changes)


def read(path: str | os.PathLike[str]) -> Problem:
    """Reads an FCLIB file."""
    return Problem.read(path)
