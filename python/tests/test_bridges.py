"""Bridges: matrices of MuJoCo, meshes of meshio, assemblies of compas_dem."""

import numpy as np
import pytest

from delassus import World, errors
from delassus.bridges import matrices, meshes

MODEL = """
<mujoco><option timestep="0.001"/>
  <worldbody>
    <geom type="plane" size="5 5 .1" friction="0.4 0 0"/>
    <body pos="0 0 0.0999"><freejoint/><geom type="box" size=".1 .1 .1" mass="2" friction="0.4 0 0"/></body>
  </worldbody>
</mujoco>"""


def test_a_step_on_the_matrices_of_mujoco():
    """A box that slides at 1 m/s: closed form v − μ g h, exactly, where MuJoCo's own law is relaxed."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    data.qvel[0] = 1.0
    mujoco.mj_forward(model, data)
    M, J, mu, gap = matrices.mujoco_contacts(model, data)
    assert len(mu) == 4 and np.allclose(mu, 0.4) and (gap <= 0).all()
    h = model.opt.timestep
    free = data.qvel + h * np.array([0, 0, -9.81, 0, 0, 0])
    v, found = matrices.one_step(M, free, J, mu, tolerance=1e-12)
    assert found.converged
    assert v == pytest.approx([1.0 - 0.4 * 9.81 * h, 0, 0, 0, 0, 0], abs=1e-10)
    assert found.reactions[:, 0].sum() == pytest.approx(2.0 * 9.81 * h, rel=1e-9)


CORNERS = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]


@pytest.mark.others
def test_a_step_on_the_matrices_of_pinocchio():
    """The same box, and a pendulum that hits a wall: closed form of an inelastic shock, v = 0 and p = m l² ω / l."""
    import pinocchio as pin

    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "box")
    model.appendBodyToJoint(joint, pin.Inertia.FromBox(2.0, 0.2, 0.2, 0.2), pin.SE3.Identity())
    place = [pin.Frame(f"corner {k}", joint, 0, pin.SE3(np.eye(3), np.array(c)), pin.FrameType.OP_FRAME) for k, c in enumerate(CORNERS)]
    frames = [model.addFrame(f) for f in place]
    data = model.createData()
    q, v, h = pin.neutral(model), np.zeros(6), 1e-3
    q[2], v[0] = 0.1, 1.0
    M, J, gap = matrices.pinocchio_contacts(model, data, q, frames)
    assert gap == pytest.approx([0.0] * 4, abs=1e-15)
    free = v - h * np.linalg.solve(M, pin.nonLinearEffects(model, data, q, v))
    after, found = matrices.one_step(M, free, J, 0.4, tolerance=1e-12)
    assert found.converged and after == pytest.approx([1.0 - 0.4 * 9.81 * h, 0, 0, 0, 0, 0], abs=1e-10)

    swing = pin.Model()
    joint = swing.addJoint(0, pin.JointModelRY(), pin.SE3.Identity(), "hinge")
    end = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.5]))
    swing.appendBodyToJoint(joint, pin.Inertia(3.0, np.zeros(3), np.zeros((3, 3))), end)
    tip = swing.addFrame(pin.Frame("tip", joint, 0, end, pin.FrameType.OP_FRAME))
    # Turned about y by ω > 0, the tip below the hinge moves along −x, into a wall whose normal is x.
    M, J, gap = matrices.pinocchio_contacts(swing, swing.createData(), np.zeros(1), [tip], normal=(1.0, 0.0, 0.0))
    after, found = matrices.one_step(M, [2.0], J, 0.0, tolerance=1e-12)
    assert gap == pytest.approx([0.0]) and after == pytest.approx([0.0], abs=1e-12)
    assert found.reactions[0, 0] == pytest.approx(3.0 * 0.5 * 2.0)


@pytest.mark.others
def test_a_step_on_the_matrices_of_drake():
    """The same box, whose closed form is v − μ g h."""
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import SpatialInertia

    plant = MultibodyPlant(1e-3)
    box = plant.AddRigidBody("box", SpatialInertia.SolidBoxWithMass(2.0, 0.2, 0.2, 0.2))
    plant.Finalize()
    context, h = plant.CreateDefaultContext(), 1e-3
    plant.SetFreeBodyPose(context, box, RigidTransform([0.0, 0.0, 0.1]))
    v = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    plant.SetVelocities(context, v)
    M, J, gap = matrices.drake_contacts(plant, context, [(box.body_frame(), c) for c in CORNERS])
    assert gap == pytest.approx([0.0] * 4, abs=1e-15)
    free = v + h * np.linalg.solve(M, plant.CalcGravityGeneralizedForces(context) - plant.CalcBiasTerm(context))
    gravity = -float(plant.gravity_field().gravity_vector()[2])
    after, found = matrices.one_step(M, free, J, 0.4, tolerance=1e-12)
    assert found.converged and after == pytest.approx([0, 0, 0, 1.0 - 0.4 * gravity * h, 0, 0], abs=1e-10)


def test_a_normal_must_be_one():
    with pytest.raises(errors.ProblemError, match="not all zero"):
        matrices._axes([0.0, 0.0, 0.0])
    axes = matrices._axes([1.0, 2.0, 2.0])
    assert axes @ axes.T == pytest.approx(np.eye(3)) and axes[0] == pytest.approx([1 / 3, 2 / 3, 2 / 3])


def test_no_contact_is_a_free_step():
    v, found = matrices.one_step(np.eye(3), [1.0, 2.0, 3.0], np.zeros((0, 3)), 0.1)
    assert v.tolist() == [1.0, 2.0, 3.0] and found.converged


def test_a_solid_from_meshio(tmp_path):
    """A free bar of triangles falls as everything does."""
    import meshio

    nx, ny = 9, 3
    x, y = np.meshgrid(np.linspace(0, 1, nx), np.linspace(0, 0.2, ny))
    points = np.column_stack([x.ravel(), y.ravel(), np.zeros(nx * ny)])
    cells = []
    for j in range(ny - 1):
        for i in range(nx - 1):
            a = j * nx + i
            cells += [[a, a + 1, a + nx + 1], [a, a + nx + 1, a + nx]]
    table = meshes.mesh_file(meshio.Mesh(points, [("triangle", cells)]), tmp_path / "bar.vtu")
    scene = {
        "dimension": 2, "time": {"step": 1e-3, "end": 0.01}, "gravity": [0, -9.81],
        "mesh": {"bar": table},
        "material": {"steel": {"young": 1e9, "poisson": 0.3, "density": 1000.0}},
        "solid": {"bar": {"mesh": "bar", "material": "steel"}},
    }  # fmt: skip
    world = World(scene, folder=tmp_path)
    world.step(2)
    assert len(world.u) == 2 * nx * ny and np.allclose(world.u.reshape(-1, 2)[:, 1], -9.81 * 2e-3, rtol=1e-6)


@pytest.mark.others
def test_an_arch_of_compas_dem_against_lmgc90():
    """Both programs find that the supports carry the weight of the arch; its thrust is not determined by the laws."""
    from compas_dem.analysis.resolve import _element_mass
    from compas_dem.material import Stone
    from compas_dem.models import BlockModel
    from compas_dem.problem import Problem, Solver
    from compas_dem.templates import ArchTemplate

    from delassus.bridges import compas as bridge

    model = BlockModel.from_template(ArchTemplate(rise=3, span=10, thickness=0.5, depth=0.5, n=11))
    blocks = sorted(model.elements(), key=lambda b: b.point[2])
    for block in blocks[:2]:
        block.is_support = True
    stone = Stone(density=2000.0)
    model.add_material(stone)
    model.assign_material(stone, elements=list(model.elements()))
    model.compute_contacts(tolerance=0.001)
    problem = Problem(model)
    problem.set_contact_model("MohrCoulomb", mu=0.7)
    problem.add_boundary_condition("weight")
    bridge.install()
    problem.set_solver(bridge.solver(tolerance=1e-8))
    ours = problem.solve()
    assert ours.metadata["status"] == "converged" and ours.metadata["stands"]
    problem.set_solver(Solver.LMGC90(duration=1.0, n_steps=200))
    theirs = problem.solve()
    supports = {b.graphnode for b in blocks[:2]}
    weight = sum(_element_mass(b) for b in blocks[2:]) * 9.81
    ends = [edge for edge in model.graph.edges() if set(edge) & supports]
    lifted = [[results.edge_attribute(e, "resultant_global") for e in ends] for results in (ours, theirs)]
    assert sum(abs(f[2]) for f in lifted[0]) == pytest.approx(weight, rel=1e-6)
    assert sum(abs(f[2]) for f in lifted[1]) == pytest.approx(weight, rel=1e-3)
    for mine, other in zip(*lifted):
        assert mine[2] == pytest.approx(other[2], rel=1e-3) and np.sign(mine[0]) == np.sign(other[0])


@pytest.mark.others
def test_an_arch_too_thin_falls():
    """A semicircular arch needs a thickness of about a tenth of its radius (Couplet, Milankovitch): 3 % do not stand."""
    from compas_dem.material import Stone
    from compas_dem.models import BlockModel
    from compas_dem.problem import Problem
    from compas_dem.templates import ArchTemplate

    from delassus.bridges import compas as bridge

    model = BlockModel.from_template(ArchTemplate(rise=5, span=10, thickness=0.15, depth=0.5, n=21))
    blocks = sorted(model.elements(), key=lambda b: b.point[2])
    for block in blocks[:2]:
        block.is_support = True
    stone = Stone(density=2000.0)
    model.add_material(stone)
    model.assign_material(stone, elements=list(model.elements()))
    model.compute_contacts(tolerance=0.001)
    problem = Problem(model)
    problem.set_contact_model("MohrCoulomb", mu=0.7)
    problem.add_boundary_condition("weight")
    results = bridge.solve(problem, model)
    assert not results.metadata["stands"] and results.metadata["unbalanced"] > 1e-3
