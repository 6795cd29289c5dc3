"""Statuses of blocks, and the equations they turn the laws into.

A contact is open (`S = 0`) or closed (`U_N = 0`); then its components beyond the normal form groups, sliding and rolling, and
a group holds (`U_g = 0`) or yields, `S_g + r(S_N, U_g; p) = 0`:

.. code-block:: text

    Coulomb       r = μ S_N U_T/|U_T|              p = μ
    Elliptic      r = S_N M² U_T/|M U_T|           p = 1, a factor of both coefficients; M = R diag(μ) Rᵀ
    Directional   r = μ± S_N sign U_T              p = μ±, the coefficient against this motion
    Tresca        r = g U_T/|U_T|                  p = g
    Rolling       r = μ S_N U_T/|U_T| and r = μ_r S_N U_R/|U_R|, each group by itself
    Limited       U_k = 0, or S_k = ∓ l_k against U_k, component by component; p = 1, a factor of the limits

Percussions and velocities of one component are compared in units of energy: `√W_kk S_k` and `U_k/√W_kk`, both in √J whatever
the component is, a force or a torque.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import friction

Array = NDArray[np.float64]
#: Laws that are known here.
KNOWN = (friction.Coulomb, friction.Frictionless, friction.Bilateral, friction.Tresca, friction.Elliptic, friction.Directional,
         friction.Rolling, friction.Limited)  # fmt: skip
#: Parameters that percussions are differentiated by.
PARAMETERS = ("mu", "mu_r", "limit")


@dataclass(frozen=True)
class Piece:
    """The equations of one block: its status, ∂F/∂S, ∂F/∂U, and ∂F/∂p by the name of the parameter."""

    status: str
    by_s: Array
    by_u: Array
    by: dict[str, Array]


@dataclass(frozen=True)
class Units:
    """`√W_kk` of each component, the size of everything in √J, and the width of an edge as a share of it."""

    root: Array
    size: float
    edge: float

    def of_percussion(self, s: float, k: int) -> float:
        return s * float(self.root[k]) / self.size

    def of_velocity(self, u: float, k: int) -> float:
        return u / float(self.root[k]) / self.size


def groups(law: Any, d: int) -> list[tuple[str, slice]]:
    """Components beyond the normal, by what they resist."""
    if isinstance(law, (friction.Bilateral, friction.Limited)):
        return [("", slice(k, k + 1)) for k in range(1, d)]
    if isinstance(law, friction.Rolling):
        split = 2 if d == 3 else 3
        return [("slip", slice(1, split)), ("roll", slice(split, d))]
    return [("slip", slice(1, d))]


def roots(law: Any, diagonal: Array) -> Array:
    """`√W_kk`, one number for a group, so that its directions stay alike; one where nothing moves."""
    out = diagonal.copy()
    for _, where in groups(law, len(diagonal)):
        out[where] = diagonal[where].mean()
    return np.sqrt(np.where(out > 0.0, out, 1.0))


def piece(law: Any, s: Array, u: Array, units: Units) -> Piece | None:
    """The equations of a block; `None` on the edge between two statuses."""
    d = len(s)
    if isinstance(law, friction.Bilateral):
        return Piece("stick", np.zeros((d, d)), np.eye(d), {})
    return _box(law, s, u, units) if isinstance(law, friction.Limited) else _cone(law, s, u, units)


def _box(law: friction.Limited, s: Array, u: Array, units: Units) -> Piece | None:
    d = len(s)
    by_s, by_u, by_limit, words = np.zeros((d, d)), np.zeros((d, d)), np.zeros(d), "hold"
    limits = np.zeros(d)
    limits[: len(law.limit)] = law.limit[:d]
    for k, limit in enumerate(limits):
        if limit == 0.0:
            by_s[k, k] = 1.0  # free: no percussion, whatever it does
        elif units.of_percussion(limit - abs(s[k]), k) > units.edge:
            by_u[k, k] = 1.0
        elif units.of_velocity(abs(u[k]), k) > units.edge:
            by_s[k, k], by_limit[k], words = 1.0, limit * np.sign(u[k]), "yield"
        else:
            return None
    return Piece(words, by_s, by_u, {"limit": by_limit})


def _cone(law: Any, s: Array, u: Array, units: Units) -> Piece | None:
    d = len(s)
    by_s, by_u = np.zeros((d, d)), np.zeros((d, d))
    if units.of_percussion(s[0], 0) <= units.edge:
        return Piece("open", np.eye(d), by_u, {}) if units.of_velocity(u[0], 0) > units.edge else None
    by_u[0, 0], words, by = 1.0, [], {}
    for word, where in groups(law, d):
        reach = _reach(law, word)
        if reach == 0.0:
            by_s[where, where] = np.eye(where.stop - where.start)  # nothing resists
            words += [word] if word == "slip" else []
            continue
        k = where.start
        if units.of_velocity(float(np.linalg.norm(u[where])), k) > units.edge:
            rule = _rule(law, word, float(s[0]), u[where])
            by_s[where, where] = np.eye(where.stop - where.start)
            by_s[where, 0], by_u[where, where] = rule.by_normal, rule.by_velocity
            by["mu" if word == "slip" else "mu_r"] = np.zeros(d)
            by["mu" if word == "slip" else "mu_r"][where] = rule.by_parameter
            words.append(word)
            continue
        # What is left before it yields, against what it would be for a percussion of the size of everything.
        whole = units.of_percussion(reach, k) if isinstance(law, friction.Tresca) else reach * float(units.root[k] / units.root[0])
        if units.of_percussion(_room(law, word, s, where), k) <= units.edge * max(whole, units.edge):
            return None
        by_u[where, where] = np.eye(where.stop - where.start)
    return Piece(" and ".join(words) or "stick", by_s, by_u, by)


@dataclass(frozen=True)
class Rule:
    """Derivatives of r by the normal percussion, the velocity of the group and the parameter of the law."""

    by_normal: Array
    by_velocity: Array
    by_parameter: Array


def _reach(law: Any, word: str) -> float:
    """The largest coefficient of a group, or the threshold."""
    if isinstance(law, friction.Tresca):
        return law.threshold
    return float(law.mu_r) if word == "roll" else float(np.max(getattr(law, "mu", 0.0)))


def _section(law: friction.Elliptic) -> Array:
    c, s = np.cos(law.angle), np.sin(law.angle)
    turn = np.array([[c, -s], [s, c]])
    return np.asarray(turn @ np.diag(law.mu) @ turn.T)


def _rule(law: Any, word: str, normal: float, u: Array) -> Rule:
    """Of a group that moves with `u`."""
    speed = float(np.linalg.norm(u))
    along, across = u / speed, (np.eye(len(u)) - np.outer(u, u) / speed**2) / speed
    if isinstance(law, friction.Tresca):
        return Rule(np.zeros(len(u)), law.threshold * across, along)
    if isinstance(law, friction.Directional):
        mu = law.mu[0] if u[0] > 0 else law.mu[1]
        return Rule(mu * along, np.zeros((1, 1)), normal * along)
    if isinstance(law, friction.Elliptic):
        M = _section(law)
        size = float(np.linalg.norm(M @ u))
        pulled = M @ M @ u / size
        return Rule(pulled, normal * (M @ M / size - np.outer(pulled, pulled) / size), normal * pulled)
    mu = _reach(law, word)
    return Rule(mu * along, mu * normal * across, normal * along)


def _room(law: Any, word: str, s: Array, where: slice) -> float:
    """How far the percussion of a group is from where it would yield."""
    if isinstance(law, friction.Tresca):
        return law.threshold - float(np.linalg.norm(s[where]))
    if isinstance(law, friction.Directional):
        return float(min(law.mu[0] * s[0] + s[1], law.mu[1] * s[0] - s[1]))
    if isinstance(law, friction.Elliptic):
        return float(min(law.mu) * (s[0] - np.linalg.norm(np.linalg.solve(_section(law), s[where])))) if min(law.mu) > 0 else 0.0
    return _reach(law, word) * float(s[0]) - float(np.linalg.norm(s[where]))


def coefficient(law: Any, u: Array) -> float:
    """What a factor of all friction multiplies, at a contact that moves with `u`: p of the sliding group."""
    if isinstance(law, friction.Tresca):
        return law.threshold
    if isinstance(law, friction.Directional):
        return float(law.mu[0] if len(u) > 1 and u[1] > 0 else law.mu[1])
    if isinstance(law, friction.Elliptic):
        return 1.0
    return float(getattr(law, "mu", 0.0))
