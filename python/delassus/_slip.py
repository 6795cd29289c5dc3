"""Laws of friction where they slip: `S_T + r(S_N, U_T; p) = 0`, with the derivatives of r, and how far stick is from it.

.. code-block:: text

    Coulomb       r = μ S_N U_T/|U_T|              p = μ
    Elliptic      r = S_N M² U_T/|M U_T|           p = 1, a factor of both coefficients; M = R diag(μ) Rᵀ
    Directional   r = μ± S_N sign U_T              p = μ±, the coefficient against this motion
    Tresca        r = g U_T/|U_T|                  p = g
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import friction

Array = NDArray[np.float64]
#: Laws that are known here; joints hold whatever comes.
KNOWN = (friction.Coulomb, friction.Frictionless, friction.Bilateral, friction.Tresca, friction.Elliptic, friction.Directional)


@dataclass(frozen=True)
class Slip:
    """Derivatives of r by the normal percussion, the tangential velocity and the parameter of the law."""

    by_normal: Array
    by_velocity: Array
    by_parameter: Array


def section(law: Any) -> Array:
    """M of a law with a round or elliptic section."""
    if isinstance(law, friction.Elliptic):
        c, s = np.cos(law.angle), np.sin(law.angle)
        turn = np.array([[c, -s], [s, c]])
        return np.asarray(turn @ np.diag(law.mu) @ turn.T)
    return np.asarray(getattr(law, "mu", 0.0) * np.eye(2))


def slip(law: Any, normal: float, u: Array) -> Slip:
    """Of a contact that slides with `u`."""
    speed = float(np.linalg.norm(u))
    along, across = u / speed, (np.eye(len(u)) - np.outer(u, u) / speed**2) / speed
    if isinstance(law, friction.Tresca):
        return Slip(np.zeros(len(u)), law.threshold * across, along)
    if isinstance(law, friction.Directional):
        mu = law.mu[0] if u[0] > 0 else law.mu[1]
        return Slip(mu * along, np.zeros((1, 1)), normal * along)
    if isinstance(law, friction.Elliptic):
        M = section(law)
        size = float(np.linalg.norm(M @ u))
        pulled = M @ M @ u / size
        return Slip(pulled, normal * (M @ M / size - np.outer(pulled, pulled) / size), normal * pulled)
    mu = float(getattr(law, "mu", 0.0))
    return Slip(mu * along, mu * normal * across, normal * along)


def room(law: Any, s: Array, scale: float) -> float:
    """How far the percussion is from where the contact would slide, relative to the size of the section; `scale` turns a
    percussion into the units of `s`."""
    if isinstance(law, friction.Tresca):
        return law.threshold * scale - float(np.linalg.norm(s[1:]))
    if isinstance(law, friction.Directional):
        return float(min(law.mu[0] * s[0] + s[1], law.mu[1] * s[0] - s[1]))
    if isinstance(law, friction.Elliptic):
        return float(min(law.mu) * (s[0] - np.linalg.norm(np.linalg.solve(section(law), s[1:])))) if min(law.mu) > 0 else 0.0
    return float(getattr(law, "mu", 0.0)) * float(s[0]) - float(np.linalg.norm(s[1:]))


def parameter(law: Any, u: Array) -> float:
    """p of a law, at a contact that moves with `u`."""
    if isinstance(law, friction.Tresca):
        return law.threshold
    if isinstance(law, friction.Directional):
        return float(law.mu[0] if len(u) and u[0] > 0 else law.mu[1])
    if isinstance(law, friction.Elliptic):
        return 1.0
    return float(getattr(law, "mu", 0.0))
