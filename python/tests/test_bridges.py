"""Bridges: matrices of MuJoCo, meshes of meshio and Gmsh, assemblies of compas_dem."""

import numpy as np
import pytest

from delassus import Scene, World, errors
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


BAR = {"title": "bar", "dimension": 2, "time": {"step": 1e-3, "end": 0.01}, "gravity": [0, 0],
       "material": {"steel": {"young": 1e9, "poisson": 0.0, "density": 1000.0}},
       "solid": {"bar": {"mesh": "bar", "material": "steel"}},
       "analysis": {"scheme": "quasi_static"},
       "support": {"wall": {"on": "bar/left", "x": 0}, "pull": {"on": "bar/right", "x": 1e-4}, "foot": {"on": "bar/corner", "y": 0}}}  # fmt: skip


def stretched(world):
    """Closed form of a bar of length 1 pulled by 1e-4: u = 1e-4 x, whatever the mesh, and nothing across (ν = 0)."""
    world.run()
    u = world.field("nodes/displacement")
    x = np.array([p for s in world_shapes(world) for p in s])[:, :2]
    assert len(u) > 10 and np.allclose(u[:, 0], 1e-4 * x[:, 0], atol=1e-12) and np.abs(u[:, 1]).max() < 1e-12


def world_shapes(world):
    import os
    import tempfile

    from delassus import Run

    with tempfile.TemporaryDirectory() as folder:
        world.record(os.path.join(folder, "now.h5"))
        world.end_record()
        with Run(os.path.join(folder, "now.h5")) as run:
            return [s["points"] for s in run._header["bodies"]]


def triangles(nx=9, ny=3):
    x, y = np.meshgrid(np.linspace(0, 1, nx), np.linspace(0, 0.2, ny))
    points, corner = np.column_stack([x.ravel(), y.ravel()]), [j * nx + i for j in range(ny - 1) for i in range(nx - 1)]
    return points, [c for a in corner for c in ([a, a + 1, a + nx + 1], [a, a + nx + 1, a + nx])], (nx, ny)


@pytest.mark.parametrize("how", ["sets", "physical"])
def test_groups_of_meshio_are_those_of_the_scene(how):
    """Point sets and cell sets, or the physical groups that meshio reads from files of Gmsh."""
    import meshio

    points, cells, (nx, ny) = triangles()
    left, right = [[[j * nx + e, (j + 1) * nx + e] for j in range(ny - 1)] for e in (0, nx - 1)]
    blocks = [("triangle", cells), ("line", left), ("line", right)]
    if how == "sets":
        sides = {"left": [[], [0, 1], []], "right": [None, None, [0, 1]]}
        mesh = meshio.Mesh(points, blocks, cell_sets=sides, point_sets={"corner": [0]})
    else:
        tags = [np.full(len(c), t) for (_, c), t in zip(blocks, (7, 1, 2))]
        names = {"bar": np.array([7, 2]), "left": np.array([1, 1]), "right": np.array([2, 1])}
        mesh = meshio.Mesh(points, blocks, cell_data={"gmsh:physical": tags}, field_data=names, point_sets={"corner": [0]})
    stretched(World({**BAR, "mesh": {"bar": mesh}}))


@pytest.mark.others
def test_a_solid_from_gmsh():
    """The current model with its physical groups, those of no group too; a clone after the model is gone."""
    import gmsh

    gmsh.initialize()
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        with pytest.raises(errors.SceneError, match="no cells"):
            meshes.mesh_bytes(gmsh.model)
        gmsh.model.occ.addRectangle(0, 0, 0, 1.0, 0.2)
        gmsh.model.occ.synchronize()
        for tag in [t for _, t in gmsh.model.getEntities(1)]:
            x = gmsh.model.occ.getCenterOfMass(1, tag)[0]
            if abs(x - 0.5) > 0.4:
                gmsh.model.addPhysicalGroup(1, [tag], name="left" if x < 0.5 else "right")
        gmsh.model.addPhysicalGroup(0, [1], name="corner")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.1)
        gmsh.model.mesh.generate(2)
        before = gmsh.option.getNumber("Mesh.SaveAll")
        scene = Scene("bar", dimension=2, step=1e-3, end=0.01)
        scene.mesh("bar", gmsh.model)
        scene.set(**{k: v for k, v in BAR.items() if k not in ("title", "dimension", "time")})
        world = World({**BAR, "mesh": {"bar": gmsh}})
        assert gmsh.option.getNumber("Mesh.SaveAll") == before
    finally:
        gmsh.finalize()
    other = world.clone()
    for one in (world, other, World(scene)):
        stretched(one)
    with pytest.raises(errors.SceneError, match="no model"):
        meshes.mesh_bytes(gmsh)


@pytest.mark.others
def test_a_block_of_gmsh_in_space(tmp_path):
    """Tetrahedra of a file: a free block falls as everything does."""
    import gmsh

    gmsh.initialize()
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.model.occ.addBox(0, 0, 0, 0.2, 0.2, 0.2)
        gmsh.model.occ.synchronize()
        gmsh.model.addPhysicalGroup(2, [1], name="side")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.1)
        gmsh.model.mesh.generate(3)
        table = meshes.mesh_file(gmsh.model, tmp_path / "block.msh")
    finally:
        gmsh.finalize()
    steel = {"young": 1e9, "poisson": 0.3, "density": 1000.0}
    world = World({"dimension": 3, "time": {"step": 1e-3, "end": 0.01}, "mesh": {"block": table}, "material": {"steel": steel},
                   "solid": {"block": {"mesh": "block", "material": "steel"}}}, folder=tmp_path)  # fmt: skip
    world.step(2)
    assert np.allclose(world.u.reshape(-1, 3)[:, 2], -9.81 * 2e-3, rtol=1e-6)


def test_what_is_no_mesh_is_refused():
    import meshio

    for mesh, match in ((3, "no mesh"), (meshio.Mesh([[0, 0, 0], [1, 0, 0]], [("line", [[0, 1]])]), "expected triangle"),
                        (meshio.Mesh(np.zeros((6, 3)), [("wedge", [list(range(6))])]), "wedge")):  # fmt: skip
        with pytest.raises(errors.SceneError, match=match):
            World({**BAR, "mesh": {"bar": mesh}})


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
