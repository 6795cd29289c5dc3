"""Sets of solutions against closed forms."""

import numpy as np
import pytest

from delassus import World, errors, explore, friction


def test_a_wedged_bar_is_not_determined():
    found = explore("wedged_bar")
    assert found.equilibrium and not any(s.determined for s in found.sets)
    assert found.h is not None


def test_two_supports_of_a_beam():
    """A rod on two frictionless supports: each carries half of the weight, and nothing is left open."""
    G = np.array([[1.0, 0, -0.5], [0, 1.0, 0], [1.0, 0, 0.5], [0, 1.0, 0]])  # (v, horizontal, spin) to (n, t) × 2
    W, b = G @ G.T, G @ [-1.0, 0.0, 0.0]
    found = explore(friction.Problem(W, b.reshape(2, 2), laws=friction.Frictionless()))
    assert found.equilibrium and [s.determined for s in found.sets] == [True, True]
    assert np.allclose([s.vertices[0, 0] for s in found.sets], 0.5)


def test_samples_are_certified_and_reproducible():
    world = World("wedged_bar")
    one, two = (explore(world, samples=20, seed=7, bounds=False) for _ in range(2))
    assert (one.samples == two.samples).all() and one.residuals.max() <= 1e-8
    assert one.samples.shape[0] + one.rejected == 20
    other = explore(world, samples=20, seed=8, bounds=False)
    assert (one.samples != other.samples).any()


def test_the_step_after_exploring_is_the_same():
    one, two = World("wedged_bar"), World("wedged_bar")
    one.explore(samples=3)
    one.step(3)
    two.step(3)
    assert one.hash == two.hash


def test_factor_of_safety_of_a_ladder():
    """Any factor above one stands, below it falls: the engine's bound against its own equilibrium test."""
    world = World("ladder")
    found = world.explore()
    if found.least_friction == "factor":
        assert found.factor_of_safety == pytest.approx(1.0 / found.least_friction_factor)
    assert found.least_friction in ("none", "factor", "impossible", "undecided", "frictionless")


def test_misuse():
    with pytest.raises(errors.ProblemError, match="'random', 'shuffle' or 'warm'"):
        explore("wedged_bar", procedure="guess")
    with pytest.raises(errors.ProblemError):
        explore(World("bouncing_ball"))  # no contact at the start
