"""Derivatives of a step against finite differences of whole steps."""

import dataclasses

import numpy as np
import pytest

from delassus import Scene, World, derivatives, errors, friction


def regular(n=4, seed=0):
    random = np.random.default_rng(seed)
    G = random.normal(size=(3 * n, 3 * n + 3))
    return G @ G.T, random.normal(size=(n, 3)) - [1.0, 0, 0], random.uniform(0.2, 0.6, n)


def solved(W, b, mu):
    return friction.solve(W, b, mu, tolerance=1e-13).reactions.ravel()


def test_a_solution_of_another_problem_has_no_derivative_here():
    W, b, mu = regular()
    with pytest.raises(errors.NotDifferentiable, match="another problem") as caught:
        derivatives.of_problem(W, b, mu, solution=friction.solve(W, b, 0.5 * mu))
    assert caught.value.residual > 1e-3
    same = derivatives.of_problem(W, b, mu, solution=friction.solve(W, b, mu, tolerance=1e-13))
    assert np.allclose(same.dS_db, derivatives.of_problem(W, b, mu).dS_db, rtol=1e-6)


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


def rolling(seed, d):
    """Contacts with resistance to rolling: sliding and rolling groups each hold or yield."""
    n, random = 4, np.random.default_rng(seed)
    G = random.normal(size=(d * n, d * n + 3))
    laws = [friction.Rolling(float(random.uniform(0.2, 0.7)), float(random.uniform(0.05, 0.5))) for _ in range(n)]
    return G @ G.T, random.normal(size=(n, d)) - np.eye(d)[0], laws


@pytest.mark.parametrize("d", [3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_rolling_against_finite_differences(seed, d):
    """Central differences of length 1e-6 by the free velocities and by both coefficients."""
    W, b, laws = rolling(seed, d)
    found, eps, n = derivatives.of_problem(W, b, laws=laws), 1e-6, len(laws)

    def percussions(b, laws):
        return friction.solve(W, b, laws=laws, tolerance=1e-13).raise_for_status().reactions.ravel()

    def near(column, ends):
        slope = (ends[0] - ends[1]) / (2 * eps)
        assert np.allclose(column, slope, atol=1e-5 * max(1, abs(slope).max())), found.status

    for k in range(b.size):
        e = eps * np.eye(b.size)[k].reshape(b.shape)
        near(found.dS_db[:, k], [percussions(b + e, laws), percussions(b - e, laws)])
    for i in range(n):
        for name, columns in (("mu", found.dS_dmu), ("mu_r", found.dS_dmu_r)):
            ends = []
            for sign in (1, -1):
                other = list(laws)
                other[i] = dataclasses.replace(laws[i], **{name: getattr(laws[i], name) + sign * eps})
                ends.append(percussions(b, other))
            near(columns[:, i], ends)


def test_rolling_statuses_are_all_met():
    """Otherwise the test above would not look at them."""
    met = {what for d in (3, 5) for seed in range(3) for what in derivatives.of_problem(*rolling(seed, d)[:2], laws=rolling(seed, d)[2]).status}
    assert {"slip", "roll", "slip and roll"} <= met, met


@pytest.mark.parametrize("seed", range(3))
def test_limits_against_finite_differences(seed):
    """Motors among contacts: components hold, yield at their limits, or are free."""
    n, d, eps, random = 5, 3, 1e-6, np.random.default_rng(seed)
    G = random.normal(size=(d * n, d * n + 3))
    W, b = G @ G.T, random.normal(size=(n, d)) - np.eye(d)[0]
    laws = [friction.Coulomb(0.4), friction.Limited((0.02, np.inf, 0.0)), friction.Limited((0.1,)), friction.Bilateral(),
            friction.Limited((np.inf, 0.01, 0.05))]  # fmt: skip

    def percussions(b, laws):
        return friction.solve(W, b, laws=laws, tolerance=1e-13).raise_for_status().reactions.ravel()

    found = derivatives.of_problem(W, b, laws=laws)
    assert "yield" in found.status
    for k in range(b.size):
        e = eps * np.eye(b.size)[k].reshape(b.shape)
        slope = (percussions(b + e, laws) - percussions(b - e, laws)) / (2 * eps)
        assert np.allclose(found.dS_db[:, k], slope, atol=1e-5 * max(1, abs(slope).max())), found.status
    for i, law in enumerate(laws):
        if isinstance(law, friction.Limited):
            scaled = [[friction.Limited(tuple((1 + sign * eps) * x for x in law.limit)) if k == i else x for k, x in enumerate(laws)]
                      for sign in (1, -1)]  # fmt: skip
            slope = (percussions(b, scaled[0]) - percussions(b, scaled[1])) / (2 * eps)
            assert np.allclose(found.dS_dlimit[:, i], slope, atol=1e-5 * max(1, abs(slope).max())), found.status


def pusher(limit=4.0, speed=0.5, mu=0.3, mass=0.5):
    """A disc on a rail, driven by a motor of limited force, pushes another over a floor."""
    scene = Scene("pusher", dimension=2, step=1e-3, end=1.0)
    scene.set(solver={"tolerance": 1e-12})
    scene.body("floor", shape={"half_plane": {}})
    scene.body("pusher", shape={"disc": {"radius": 0.1}}, mass=1.0, position=[0, 0.3], velocity=[0.45, 0], group="a")
    scene.body("ball", shape={"disc": {"radius": 0.2}}, mass=mass, position=[0.2828428, 0.2], velocity=[0.1, -0.2])
    scene.joint("rail", kind="slider", bodies=["pusher"], at=[0, 0.3], axis=[1, 0], speed=speed, limit=limit)
    scene.law(friction=mu)
    return World(scene)


@pytest.mark.parametrize("limit, status", [(4.0, "yield"), (4000.0, "hold")])
def test_a_step_with_a_limited_motor(limit, status):
    """By the limit, the speed of the motor, friction and mass, against whole steps."""
    found = derivatives.of_step(pusher(limit))
    motor = len(found.sensitivity.status) - 1
    assert found.sensitivity.status[motor] == status and len(found.sensitivity.status) > 3
    eps = 1e-6

    def slope(name, value, size):
        ends = [after(pusher(**{"limit": limit, name: value + sign * eps * size}), found.dofs) for sign in (1, -1)]
        return (ends[0] - ends[1]) / (2 * eps * size)

    assert np.allclose(found.du_dlimit[:, motor], limit * slope("limit", limit, limit), atol=1e-7)
    assert np.abs(found.du_dlimit[:, motor]).max() > 1e-3 if status == "yield" else not found.du_dlimit.any()
    assert np.allclose(-found.du_db[:, 2 * motor], slope("speed", 0.5, 1.0), atol=1e-7)
    assert np.allclose(found.du_dmu.sum(axis=1), slope("mu", 0.3, 1.0), atol=1e-7)
    ball = list(found.bodies).index(2)
    assert np.allclose(found.du_dscale[:, ball], 0.5 * slope("mass", 0.5, 0.5), atol=1e-7)


def test_a_motor_at_its_limit_is_on_the_edge():
    """The speed that the limit just reaches in one step, F h/m: it neither holds nor yields."""
    def cart(limit):
        scene = Scene("cart", dimension=2, step=1e-3, end=1.0)
        scene.set(solver={"tolerance": 1e-12}, gravity=[0, 0])
        scene.body("cart", shape={"disc": {"radius": 0.1}}, mass=2.0, position=[0, 0])
        scene.joint("rail", kind="slider", bodies=["cart"], at=[0, 0], axis=[1, 0], speed=0.5, limit=limit)
        scene.law(friction=0.1)
        return World(scene)

    with pytest.raises(errors.NotDifferentiable, match="edge"):
        derivatives.of_step(cart(2.0 * 0.5 / 1e-3))
    weak = derivatives.of_step(cart(100.0))
    # Closed form: u = F h/m.
    assert weak.u[0] == pytest.approx(0.05) and weak.du_dlimit[0, -1] == pytest.approx(0.05)


def roller(dimension, **changes):
    values = {"friction": 0.4, "rolling": 0.02, "spin": 8.0, **changes}
    scene = Scene("roller", dimension=dimension, step=1e-3, end=1.0)
    scene.set(solver={"tolerance": 1e-12})
    scene.body("floor", shape={"half_plane": {}} if dimension == 2 else {"half_space": {}})
    shape, up = ({"disc": {"radius": 0.1}}, [0, 0.1]) if dimension == 2 else ({"sphere": {"radius": 0.1}}, [0, 0, 0.1])
    velocity, spin = ([1.0, -0.2], values["spin"]) if dimension == 2 else ([1.0, 0.1, -0.2], [0.3, values["spin"], 0.2])
    scene.body("ball", shape=shape, mass=1.0, position=up, velocity=velocity, spin=spin)
    scene.law(friction=values["friction"], rolling=values["rolling"])
    return World(scene)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_step_with_resistance_to_rolling(dimension):
    found = derivatives.of_step(roller(dimension), initial=True)
    assert found.sensitivity.status == ("slip and roll",)
    eps = 1e-6
    for name, columns in (("friction", found.du_dmu), ("rolling", found.du_dmu_r)):
        value = {"friction": 0.4, "rolling": 0.02}[name]
        ends = [after(roller(dimension, **{name: value + sign * eps}), found.dofs) for sign in (1, -1)]
        assert np.allclose(columns[:, 0], (ends[0] - ends[1]) / (2 * eps), atol=1e-6), name
    with pytest.raises(errors.NotDifferentiable, match="spinning|Torsional|torsional"):
        world = sphere()
        scene = Scene("top", dimension=3, step=1e-3, end=1.0)
        scene.body("floor", shape={"half_space": {}})
        scene.body("ball", shape={"sphere": {"radius": 0.1}}, mass=1.0, position=[0, 0, 0.1], velocity=[1.0, 0, -1.0], spin=[0, 0, 3.0])
        scene.law(friction=0.3, torsional=0.01)
        world = World(scene)
        derivatives.of_step(world)


def test_a_step_by_the_place_and_attitude_of_a_box():
    """In space: a box that lands on an edge point, turned; against whole steps from nudged states."""
    scene = Scene("box", dimension=3, step=1e-3, end=1.0)
    scene.set(solver={"tolerance": 1e-12})
    scene.body("floor", shape={"half_space": {}})
    scene.body("box", shape={"box": {"size": [0.2, 0.3, 0.4]}}, mass=1.0, position=[0, 0, 0.262], velocity=[0.7, 0.2, -0.6],
               rotation=[{"axis": [1, 0, 0], "angle": 0.4}, {"axis": [0, 1, 0], "angle": 0.3}], spin=[0.3, -0.5, 0.2])  # fmt: skip
    scene.law(friction=0.3)
    world = World(scene)
    while not world.next_step().laws:
        world.step()
    start = world.state
    found = derivatives.of_step(world, initial=True)
    assert found.sensitivity.status == ("slip",) and world.state == start
    eps = 1e-5
    for k, dof in enumerate(found.dofs):
        for which, matrix in (("u", found.du_du), ("q", found.du_dq)):
            ends = []
            for sign in (1, -1):
                x = np.array(getattr(start, which))
                if which == "u":
                    x[dof] += sign * eps
                else:
                    # Turned about its own axis: q ⊗ (cos ½ε, sin ½ε e), by the matrix of the product.
                    pose, axis = x[7 * (dof // 6) :][:7], int(dof % 6)
                    if axis < 3:
                        pose[axis] += sign * eps
                    else:
                        w, a, b, c = pose[3:]
                        right = np.array([[w, -a, -b, -c], [a, w, -c, b], [b, c, w, -a], [c, -b, a, w]])
                        turn = np.zeros(4)
                        turn[0], turn[axis - 2] = np.cos(0.5 * eps), sign * np.sin(0.5 * eps)
                        pose[3:] = right @ turn
                world.state = start.replace(**{which: x})
                ends.append(after(world, found.dofs))
            assert np.allclose(matrix[:, k], (ends[0] - ends[1]) / (2 * eps), atol=1e-5 * max(1.0, np.abs(matrix[:, k]).max())), (which, k)
