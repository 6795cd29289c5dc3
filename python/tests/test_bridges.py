"""Bridges: matrices of MuJoCo, meshes of meshio, assemblies of compas_dem."""

import numpy as np
import pytest

from delassus import World
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
    """The weight of the arch is carried by its supports, in both programs; ours with a certificate."""
    from compas_dem.models import BlockModel
    from compas_dem.problem import Problem
    from compas_dem.templates import ArchTemplate

    from delassus.bridges import compas as bridge

    model = BlockModel.from_template(ArchTemplate(rise=3, span=10, thickness=0.5, depth=0.5, n=11))
    from compas_dem.material import Stone

    blocks = sorted(model.elements(), key=lambda b: b.point.z)
    for block in blocks[:2]:
        block.is_support = True
    for block in blocks:
        block.material = Stone(density=2000.0)
    model.compute_contacts(tolerance=0.001)
    problem = Problem(model)
    problem.set_contact_model("MohrCoulomb", mu=0.7)
    problem.add_boundary_condition("weight")
    bridge.install()
    problem.set_solver(bridge.solver(tolerance=1e-8))
    results = problem.solve()
    assert results.metadata["status"] == "converged" and results.metadata["stands"]
    supports = {b.graphnode for b in blocks[:2]}
    weight = sum(b.mass for b in blocks[2:]) * 9.81
    lifted = 0.0
    for edge in model.graph.edges():
        if set(edge) & supports:
            lifted += abs(results.edge_attribute(edge, "resultant_global")[2])
    assert lifted == pytest.approx(weight, rel=1e-6)
