"""The contact problem of a step, as arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import friction
from ._matrix import scipy_matrix
from .errors import ProblemError

__all__ = ["NextStep"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NextStep:
    """What the coming step will solve: blocks are the contacts, then the joints.

    .. code-block:: text

        U = W S + b,      A u = load + Gᵀ S       by equation of balance
    """

    #: Length of the step [s].
    h: float
    #: Dimension of space, components of a block.
    dimension: int
    components: int
    #: Where the contacts are [m]; their frames by rows (normal, tangents); their bodies.
    position: Array
    frame: Array
    bodies: NDArray[np.int64]
    #: The Delassus operator, by blocks (SciPy's BSR, where installed; dense elsewhere).
    W: Any
    #: Free velocities, one row for each block [m/s].
    b: Array
    #: Laws of the blocks, as :mod:`delassus.friction` has them; other ones as they are named in the engine.
    laws: list[Any]
    #: Percussions of the last step.
    start: Array
    #: Gᵀ: one row for each equation of balance, one column for each component of each block. Empty with solids.
    Gt: Any
    #: Momentum before the step and percussions of loads, by equation; masses and moments; the body and the degree of
    #: freedom of each equation.
    load: Array
    inertia: Array
    body: NDArray[np.int64]
    dofs: NDArray[np.int64]
    _laws_json: str = field(default="")

    @classmethod
    def _of(cls, data: dict[str, Any]) -> NextStep:
        d, c = data["dimension"], data["components"]
        start, column, value = data["W"]
        n = len(start) - 1
        row, entry, number = data["transposed"]
        shape = (len(data["load"]), c * n)
        return cls(
            h=data["h"], dimension=d, components=c,
            position=data["position"].reshape(-1, d),
            frame=data["frame"].reshape(-1, d, d),
            bodies=data["bodies"].reshape(-1, 2),
            W=_blocks(start, column, value.reshape(-1, c, c), n, c),
            b=data["b"].reshape(-1, c),
            laws=[_known(law, c) for law in json.loads(data["laws"])],
            start=data["start"].reshape(-1, c),
            Gt=_triplets(row, entry, number, shape),
            load=data["load"], inertia=data["inertia"], body=data["body"], dofs=data["dofs"],
            _laws_json=data["laws"],
        )  # fmt: skip

    def __repr__(self) -> str:
        joints = len(self.laws) - len(self.bodies)
        return f"<NextStep of {self.h:g} s: {len(self.bodies)} contacts and {joints} blocks of joints, {self.components} components each>"

    def problem(self) -> friction.Problem:
        """The same for :mod:`delassus.friction`, where contacts have 2, 3 or 5 components and known laws."""
        laws = [law for law in self.laws if dataclass_law(law)]
        if len(laws) < len(self.laws):
            raise ProblemError("some laws of this step have no name in delassus.friction")
        return friction.Problem(self.W, self.b, laws=laws)


def dataclass_law(law: Any) -> bool:
    """Whether the law has a class of :mod:`delassus.friction`."""
    return not isinstance(law, (dict, str))


def _known(law: Any, components: int) -> Any:
    names: dict[str, Any] = {k.__name__.lower(): k for k in (
        friction.Frictionless, friction.Coulomb, friction.Elliptic, friction.Directional, friction.Tresca,
        friction.Bilateral, friction.Rolling)}  # fmt: skip
    name, values = (law, {}) if isinstance(law, str) else next(iter(law.items()))
    if name == "limited":
        # JSON has no infinity.
        return friction.Limited(tuple(float("inf") if x is None else float(x) for x in values["limit"][:components]))
    if name in names and isinstance(values, dict):
        return names[name](**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
    return law


def _blocks(start: Any, column: Any, value: Any, n: int, c: int) -> Any:
    try:
        from scipy.sparse import bsr_array
    except ImportError:
        dense = np.zeros((c * n, c * n))
        for i in range(n):
            for k in range(start[i], start[i + 1]):
                j = column[k]
                dense[c * i : c * (i + 1), c * j : c * (j + 1)] = value[k]
        return dense
    return bsr_array((value, column, start), shape=(c * n, c * n)) if n else np.zeros((0, 0))


def _triplets(row: Any, column: Any, value: Any, shape: tuple[int, int]) -> Any:
    order = np.lexsort((column, row))
    row, column, value = row[order], column[order], value[order]
    start = np.zeros(shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=shape[0]) if shape[0] else [], out=start[1:])
    return scipy_matrix((shape, start, column, value))
