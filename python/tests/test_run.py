"""Run files: fields against h5-like shapes, tables, pictures."""

import numpy as np
import pytest

from delassus import Run, World, errors


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    world = World("disc_pyramid_3", set={"time.end": 0.05, "time.record": 0.01})
    with world.run(record=tmp_path_factory.mktemp("runs") / "pyramid.h5") as run:
        yield run


def test_fields_are_arrays(run):
    frames, bodies = len(run), len(run.names)
    assert run["bodies/position"].shape == (frames, bodies, 2)
    assert run.times.shape == (frames,) and run["energy/kinetic"].shape == (frames,)
    forces = run["contacts/force"]
    assert len(forces) == frames and all(f.shape[1] == 2 for f in forces)
    assert (run.read(-1, "bodies/position") == run["bodies/position"][-1]).all()
    run.verify()


def test_what_is_recorded_is_what_the_world_had(tmp_path):
    world = World("disc_pyramid_3", set={"time.end": 0.02, "time.record": 0.01})
    run = world.run(record=tmp_path / "a.h5")
    assert (run.read(-1, "bodies/position") == world.positions).all()
    assert run["energy/kinetic"][-1] == world.totals["kinetic"]


def test_tables(run):
    table = run.table("energy")
    assert list(table.index) == list(run.times) and "energy/kinetic" in table
    assert len(run.contacts(-1)) == len(run.read(-1, "contacts/force"))
    data = run.to_xarray()
    assert data["bodies/position"].dims == ("time", "body", "axis")
    assert data["bodies/position"].attrs["units"] == "m"
    assert float(data["bodies/position"].sel(axis="y").isel(time=-1).max()) == run.read(-1, "bodies/position")[:, 1].max()


def test_a_world_is_drawn_while_it_is_recorded(tmp_path):
    world = World("bouncing_ball")
    world.record(tmp_path / "a.h5")
    world.step(20)
    assert world.draw().png.startswith(b"\x89PNG")
    world.step(20)
    world.end_record()
    other = World("bouncing_ball")
    other.record(tmp_path / "b.h5")
    other.step(40)
    other.end_record()
    with Run(tmp_path / "a.h5") as one, Run(tmp_path / "b.h5") as two:
        assert (one["bodies/position"] == two["bodies/position"]).all() and len(one) == 5


def test_plot_and_draw(run, tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    ax = run.plot("energy")
    assert ax.get_xlabel() == "time [s]" and len(ax.lines) >= 2
    picture = run.draw(options=["--forces"])
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert run.draw(tmp_path / "a.svg") == str(tmp_path / "a.svg") and (tmp_path / "a.svg").exists()
    with pytest.raises(errors.RunError):
        run.draw(time=1e9)


def test_a_page_for_a_notebook(run, tmp_path):
    """The page in the frame is the one that the command writes, and its bounds are told."""
    import html
    import re
    import subprocess
    import sys

    page = run.view(inline=True, frames=3, height=300)
    inside = re.fullmatch(r'<iframe srcdoc="([^"]*)" .*></iframe>', page._repr_html_(), re.DOTALL)
    assert inside and html.unescape(inside[1]) == page.html and "height: 300px" in page._repr_html_()
    words = ["view", run.path, "--html", str(tmp_path / "a.html"), "--frames", "3"]
    subprocess.run([sys.executable, "-m", "delassus", *words], check=True, capture_output=True)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page.html
    with pytest.raises(errors.RunError, match="frames = 0"):
        run.view(inline=True, frames=0)


def test_what_is_not_there(run):
    with pytest.raises(errors.RunError, match="did you mean 'bodies/position'"):
        run["bodies/positions"]
    with pytest.raises(errors.RunError, match="no frame 99"):
        run.read(99, "bodies/position")
    with pytest.raises(errors.RunError, match="no series"):
        run.table("nothing")


@pytest.mark.others
def test_pyvista(run):
    blocks = run.to_pyvista()
    assert len(blocks) >= len(run.names)
    assert np.allclose(np.array(blocks[1].center)[:2], run.read(-1, "bodies/position")[1], atol=1e-2)


@pytest.mark.others
@pytest.mark.parametrize("scene", ["patch_test", "two_bars_space"])
def test_solids_in_pyvista(tmp_path, scene):
    """Deformed meshes whose measure is that of their cells, with the fields of their nodes."""
    world = World(scene)
    world.record(tmp_path / "a.h5")
    world.step(1)
    world.end_record()
    with Run(tmp_path / "a.h5") as run:
        blocks, u = run.to_pyvista(), run.read(-1, "nodes/displacement")
        solids = [b for b in blocks if b.n_cells and "displacement" in b.point_data]
        assert sum(b.n_points for b in solids) == len(u)
        assert np.array_equal(np.concatenate([b.point_data["displacement"] for b in solids]), u)
        sizes = np.concatenate([b.compute_cell_sizes()["Area" if run.dimension == 2 else "Volume"] for b in solids])
        assert (sizes > 0).all()


def test_a_run_made_by_the_command(tmp_path):
    import subprocess
    import sys

    subprocess.run([sys.executable, "-m", "delassus", "run", "bouncing_ball", "--set", "time.end=0.1", "-q"], cwd=tmp_path, check=True)
    with Run(tmp_path / "bouncing_ball.h5") as run:
        world = World("bouncing_ball", set={"time.end": 0.1})
        world.run()
        assert (run.read(-1, "bodies/position") == world.positions).all()
