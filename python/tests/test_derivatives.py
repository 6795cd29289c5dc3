"""Derivatives of a step against finite differences of whole steps."""

import numpy as np
import pytest

from delassus import Scene, World, derivatives, errors, friction


def regular(n=4, seed=0):
    random = np.random.default_rng(seed)
    G = random.normal(size=(3 * n, 3 * n + 3))
    return G @ G.T, random.normal(size=(n, 3)) - [1.0, 0, 0], random.uniform(0.2, 0.6, n)


def solved(W, b, mu):
    return friction.solve(W, b, mu, tolerance=1e-13).reactions.ravel()


@pytest.mark.parametrize("seed", range(4))
def test_percussions_against_finite_differences(seed):
    """Central differences of length 1e-6 on solutions of 1e-13: an error of about 1e-7."""
    W, b, mu = regular(seed=seed)
    found = derivatives.of_problem(W, b, mu)
    eps = 1e-6
    for k in range(b.size):
        e = np.zeros(b.size)
        e[k] = eps
        e = e.reshape(b.shape)
        slope = (solved(W, b + e, mu) - solved(W, b - e, mu)) / (2 * eps)
        assert np.allclose(found.dS_db[:, k], slope, atol=1e-5 * max(1, abs(slope).max()))
    for k in range(len(mu)):
        e = np.eye(len(mu))[k] * eps
        slope = (solved(W, b, mu + e) - solved(W, b, mu - e)) / (2 * eps)
        assert np.allclose(found.dS_dmu[:, k], slope, atol=1e-5 * max(1, abs(slope).max()))
    random = np.random.default_rng(seed + 10)
    D = random.normal(size=W.shape)
    D = D + D.T
    slope = (solved(W + eps * D, b, mu) - solved(W - eps * D, b, mu)) / (2 * eps)
    assert np.allclose(found.along(D, np.zeros(b.size)), slope, atol=1e-5 * max(1, abs(slope).max()))
    assert {"stick", "slip", "open"} & set(found.status)


def changed(law, k, eps):
    """The law with its parameter changed."""
    if isinstance(law, friction.Tresca):
        return friction.Tresca(law.threshold + eps)
    if isinstance(law, friction.Elliptic):
        return friction.Elliptic((law.mu[0] * (1 + eps), law.mu[1] * (1 + eps)), law.angle)
    if isinstance(law, friction.Directional):
        return friction.Directional(tuple(m + eps * (i == k) for i, m in enumerate(law.mu)))
    return friction.Coulomb(law.mu + eps)


@pytest.mark.parametrize("kind", ["tresca", "elliptic", "directional"])
@pytest.mark.parametrize("seed", range(3))
def test_other_laws_against_finite_differences(kind, seed):
    """The same, for laws with another section, which slip along other directions than they move."""
    d, n = (2, 4) if kind == "directional" else (3, 4)
    random = np.random.default_rng(seed)
    G = random.normal(size=(d * n, d * n + 3))
    W, b = G @ G.T, random.normal(size=(n, d)) - np.eye(d)[0]
    make = {
        "tresca": lambda: friction.Tresca(float(random.uniform(0.02, 0.1))),
        "elliptic": lambda: friction.Elliptic(tuple(random.uniform(0.2, 0.7, 2)), float(random.uniform(0, 3))),
        "directional": lambda: friction.Directional(tuple(random.uniform(0.2, 0.7, 2))),
    }
    laws = [make[kind]() for _ in range(n)]

    def percussions(b, laws):
        return friction.solve(W, b, laws=laws, tolerance=1e-13).reactions.ravel()

    found, eps = derivatives.of_problem(W, b, 0.0, laws=laws), 1e-6
    slope = np.stack([(percussions(b + e, laws) - percussions(b - e, laws)) / (2 * eps) for e in eps * np.eye(b.size).reshape(-1, n, d)], 1)
    assert np.allclose(found.dS_db, slope, atol=1e-5 * max(1, abs(slope).max()))
    for i in range(n):
        way = 0 if found.U.reshape(n, d)[i, 1] > 0 else 1
        ends = [percussions(b, [changed(law, way, sign * eps) if k == i else law for k, law in enumerate(laws)]) for sign in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * eps)
        assert np.allclose(found.dS_dmu[:, i], slope, atol=1e-5 * max(1, abs(slope).max())), (i, found.status)
    assert "slip" in found.status


def sphere(mu=0.3, mass=1.0, velocity=(1.0, 0.2, -0.5), height=0.1):
    """A sphere that strikes a floor at an angle and slides: one contact, everything is determined."""
    scene = Scene("sphere", dimension=3, step=1e-3, end=1.0)
    scene.set(solver={"tolerance": 1e-12})
    scene.body("floor", shape={"half_space": {}})
    scene.body("ball", shape={"sphere": {"radius": 0.1}}, mass=mass, position=[0, 0, height], velocity=list(velocity), spin=[0.3, 0.1, 0.2])
    scene.law(friction=mu)
    return World(scene)


def after(world, dofs):
    world.step()
    return np.array(world.u[dofs])


def test_a_step_by_friction_force_and_mass():
    world = sphere()
    start = world.state
    found = derivatives.of_step(world)
    assert found.sensitivity.status == ("slip",) and world.state == start
    eps = 1e-6
    slope = (after(sphere(mu=0.3 + eps), found.dofs) - after(sphere(mu=0.3 - eps), found.dofs)) / (2 * eps)
    assert np.allclose(found.du_dmu[:, 0], slope, atol=1e-7)
    for k in range(6):
        ends = []
        for sign in (1, -1):
            pushed = sphere()
            f = np.zeros((2, 6))
            f[1, k] = sign * 1e-3
            pushed.apply(f)
            ends.append(after(pushed, found.dofs))
        assert np.allclose(found.du_dforce[:, k], (ends[0] - ends[1]) / 2e-3, atol=1e-7), k
    # A share of the mass: inertia and weight go with it. A force makes it matter.
    ends = []
    f = np.zeros((2, 6))
    f[1] = [0.3, -0.2, 0.5, 0.01, 0.0, 0.02]
    pushed = sphere()
    pushed.apply(f)
    found = derivatives.of_step(pushed)
    for sign in (1, -1):
        other = sphere(mass=1.0 + sign * eps)
        other.apply(f)
        ends.append(after(other, found.dofs))
    assert np.allclose(found.du_dscale[:, 0], (ends[0] - ends[1]) / (2 * eps), atol=1e-7)


def test_a_step_by_its_initial_state():
    """In the plane, where a disc rolls on a hump of another: the geometry changes with the place."""
    def world():
        scene = Scene("hump", dimension=2, step=1e-3, end=1.0)
        scene.set(solver={"tolerance": 1e-12})
        scene.body("hump", shape={"disc": {"radius": 0.5}}, fixed=True, position=[0, 0])
        scene.body("disc", shape={"disc": {"radius": 0.1}}, mass=1.0, position=[0.18, 0.572364], velocity=[0.5, -0.3], spin=1.0)
        scene.law(friction=0.4)
        return World(scene)

    one = world()
    start = one.state
    found = derivatives.of_step(one, initial=True)
    assert one.state == start and found.sensitivity.status == ("slip",)
    eps = 1e-5
    for which, matrix in (("u", found.du_du), ("q", found.du_dq)):
        for k, dof in enumerate(found.dofs):
            ends = []
            for sign in (1, -1):
                x = np.array(getattr(start, which))
                x[dof] += sign * eps
                one.state = start.replace(**{which: x})
                ends.append(after(one, found.dofs))
            assert np.allclose(matrix[:, k], (ends[0] - ends[1]) / (2 * eps), atol=1e-6), (which, k)
    one.state = start
    gradient = found.objective(np.eye(3)[0])
    assert gradient["velocity"].shape == (3,) and np.allclose(gradient["mu"], found.du_dmu[0])


def test_edges_and_undetermined_forces_are_told():
    """A contact between stick and slip, one between open and closed, and four legs of a table."""
    with pytest.raises(errors.NotDifferentiable, match="edge"):
        derivatives.of_problem(np.eye(3), [[-1.0, 0.5, 0.0]], 0.5)
    with pytest.raises(errors.NotDifferentiable, match="edge") as caught:
        derivatives.of_problem(np.eye(3), [[0.0, 1.0, 0.0]], 0.5)
    assert caught.value.contacts == [0]
    with pytest.raises(errors.NotDifferentiable, match="more than one") as caught:
        W, b = np.kron(np.ones((2, 2)), np.eye(3)), [[-1.0, 0.1, 0.0]] * 2
        shared = friction.solve(W, b, 0.5, start=[[0.5, -0.05, 0.0]] * 2)
        derivatives.of_problem(W, b, 0.5, solution=shared)
    assert caught.value.contacts == [0, 1]
    with pytest.raises(errors.NotDifferentiable):
        derivatives.of_step(World("two_bars"))
