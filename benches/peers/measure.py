"""The one measure by which every solver's answer is judged.

It is the full error of FCLIB: the natural map of the second-order-cone
complementarity problem with step 1, relative to ``||q||``,

    || r - P_K( r - (u + mu |u_T| n) ) ||_2 / ||q||_2 ,   u = W r + q ,

with K the product of the Coulomb cones ``|r_T| <= mu r_N``; rolling contacts
add ``mu_r |u_R|`` to the shift and ``|r_R| <= mu_r r_N`` to the cone.
Siconos' own test has the same numerator over ``max(||q||, ||u||, ||r||)``
(found by evaluating ``fc3d_compute_error`` at random reactions): it is the
laxer one, and available here as the scale ``max``.
"""

from __future__ import annotations

import numpy as np

from fclib import Problem


def _norms(x: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ij,ij->i", x, x))


def _shrink(x: np.ndarray, norms: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Each row scaled back to the ball of the given radius."""
    scale = np.ones_like(norms)
    outside = norms > radius
    scale[outside] = radius[outside] / norms[outside]
    return x * scale[:, None]


def project(x: np.ndarray, mu: np.ndarray, mu_r: np.ndarray) -> np.ndarray:
    """Exact projection of each row on ``{|t| <= mu n, |m| <= mu_r n}``.

    Rows are (n), (t), (m) with one or two tangential components and, for
    rolling contacts, two rolling ones. The normal component of the projection
    is the root of an increasing piecewise linear function with at most two
    kinks; the cone of Coulomb is the case without rolling part.
    """
    normal, tangent, rolling = x[:, 0], x[:, 1:3], x[:, 3:5]
    t, m = _norms(tangent), _norms(rolling)
    # Above its kink a constraint is inactive.
    kink_t = np.divide(t, mu, out=np.zeros_like(t), where=mu > 0)
    kink_m = np.divide(m, mu_r, out=np.zeros_like(m), where=mu_r > 0)

    def slope(n: np.ndarray) -> np.ndarray:
        return (n - normal - mu * np.maximum(t - mu * n, 0.0)
                - mu_r * np.maximum(m - mu_r * n, 0.0))

    low, high = np.minimum(kink_t, kink_m), np.maximum(kink_t, kink_m)
    both = slope(low) >= 0.0
    one = ~both & (slope(high) >= 0.0)
    with_t = both | (one & (kink_t >= kink_m))
    with_m = both | (one & (kink_t < kink_m))
    n = (normal + with_t * mu * t + with_m * mu_r * m) / (1.0 + with_t * mu**2 + with_m * mu_r**2)
    n = np.maximum(n, 0.0)
    return np.hstack([n[:, None], _shrink(tangent, t, mu * n), _shrink(rolling, m, mu_r * n)])


def measure(problem: Problem, r: np.ndarray, scale: str = "q") -> float:
    """The error of the reactions ``r``; infinite if they are not finite.

    ``scale`` names the denominator: ``q`` for ``||q||``, ``max`` for
    ``max(||q||, ||u||, ||r||)``.
    """
    if r.shape != problem.q.shape or not np.all(np.isfinite(r)):
        return float("inf")
    mu = problem.mu
    mu_r = problem.mu_r if problem.mu_r is not None else np.zeros_like(mu)
    velocity = problem.W @ r + problem.q
    u = velocity.reshape(-1, problem.dim)
    reactions = r.reshape(-1, problem.dim)
    shifted = u.copy()
    shifted[:, 0] += mu * _norms(u[:, 1:3]) + mu_r * _norms(u[:, 3:5])
    error = float(np.linalg.norm(reactions - project(reactions - shifted, mu, mu_r)))
    denominator = float(np.linalg.norm(problem.q))
    if scale == "max":
        denominator = max(denominator, float(np.linalg.norm(velocity)), float(np.linalg.norm(r)))
    return error / denominator if denominator > np.finfo(float).eps else error
