"""Worlds: loops, states, callbacks, laws, records."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

from delassus import Run, Scene, World, errors, example, gallery


def ball(**options):
    return World("bouncing_ball", **options)


def block(mu=0.3, **options):
    """A point mass that slides on a floor at 2 m/s."""
    scene = Scene("block", dimension=2, step=1e-3, end=1.0)
    scene.body("floor", shape={"half_plane": {}})
    scene.body("block", shape={"box": {"size": [0.2, 0.1]}}, mass=2.0, position=[0, 0.05], velocity=[2.0, 0.0])
    scene.law(friction=mu)
    return World(scene, **options)


def test_a_ball_falls_as_galilei_says():
    """Closed form before the first impact: the scheme is exact on constant acceleration."""
    world = ball()
    for report in world.steps(0.4):
        assert report.converged
    assert world.time == pytest.approx(0.4) and report.step + 1 == world.steps_made == 400
    assert world.positions[1, 1] == pytest.approx(1.1 - 0.5 * 9.81 * 0.16, rel=1e-12)
    assert world.velocities[1, 1] == pytest.approx(-9.81 * 0.4, rel=1e-12)


def test_views_are_one_memory_and_read_only():
    world = ball()
    q, heights = world.q, world.positions[:, 1]
    assert np.shares_memory(q, world.q) and np.shares_memory(q, world.positions)
    before = heights[1]
    world.step(100)
    assert heights[1] < before and heights[1] == world.state.q[4]
    with pytest.raises(ValueError):
        q[0] = 1.0


def test_scene_from_a_file_a_text_a_dict_and_calls(tmp_path):
    file = tmp_path / "ball.toml"
    file.write_text(example("bouncing_ball"))
    table = {
        "title": "Bouncing ball", "dimension": 2, "time": {"step": 1e-3, "end": 4.5, "record": 0.01},
        "body": {"floor": {"shape": {"half_plane": {}}},
                 "ball": {"shape": {"disc": {"radius": 0.1}}, "mass": 1.0, "position": [0, 1.1]}},
        "law": {"friction": 0.3, "restitution": 0.8},
    }  # fmt: skip
    worlds = [World(file), World(str(file)), World(example("bouncing_ball")), World(table), ball()]
    for world in worlds:
        world.step(600)
    assert len({world.hash for world in worlds}) == 1


def test_overrides_are_those_of_the_command():
    world = ball(set={"law.restitution": 0.5, "time.step": 2e-3})
    assert world.step_size == 2e-3
    assert ball(set=["law.restitution=0.5", "h=2e-3"]).step_size == 2e-3


def command(folder, *words):
    done = subprocess.run([sys.executable, "-m", "delassus", *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_variants_are_those_of_the_command(tmp_path):
    command(tmp_path, "run", "two_bars", "--variant", "newmark", "-q", "-o", "newmark.h5")
    one, run = World("two_bars", variant="newmark").run(record=tmp_path / "one.h5"), Run(tmp_path / "newmark.h5")
    assert (one["nodes/displacement"] == run["nodes/displacement"]).all()
    assert (World("two_bars").run(record=tmp_path / "two.h5")["nodes/displacement"] != one["nodes/displacement"]).any()


def test_a_scene_goes_on_with_a_run_as_the_command_does(tmp_path):
    ball(set={"time.end": 0.45}).run(record=tmp_path / "first.h5")
    text = '[start]\nfrom = "first.h5"\n[time]\nend = 0.3\n[law]\nrestitution = 0.5\n'
    (tmp_path / "on.toml").write_text(text)
    command(tmp_path, "run", "on.toml", "-q", "-o", "on.h5")
    last = Run(tmp_path / "on.h5")["bodies/position"][-1]
    worlds = [World(tmp_path / "on.toml"), World(text, folder=tmp_path), World(
        {"start": {"from": "first.h5"}, "time": {"end": 0.3}, "law": {"restitution": 0.5}}, folder=tmp_path)]  # fmt: skip
    for world in (*worlds, worlds[0].clone()):
        assert world.positions[1, 1] == pytest.approx(1.1 - 0.5 * 9.81 * 0.45**2, rel=1e-12) and world.time == 0.0
        world.run()
        assert (world.positions == last).all()
    with pytest.raises(errors.SceneError, match="nowhere.h5"):
        World('[start]\nfrom = "nowhere.h5"\n', folder=tmp_path)


def test_included_scenes_are_found_in_the_folder(tmp_path):
    (tmp_path / "floor.toml").write_text("[body.floor]\nshape.half_plane = {}\n")
    text = 'include = ["floor.toml"]\ndimension = 2\n[time]\nstep = 1e-3\nend = 1.0\n'
    assert World(text, folder=tmp_path).names == ["floor"]


def test_states_go_back_are_cloned_and_pickled():
    """n + m steps equal n steps, keep, give back, m steps, to the last bit; also in another world."""
    world = World("discs_28")
    world.step(30)
    kept, other = world.state, world.clone()
    world.step(20)
    end = world.hash
    again = pickle.loads(pickle.dumps(kept))
    assert again == kept and again.hash == kept.hash
    world.state = again
    assert world.hash == kept.hash
    world.step(20)
    other.step(20)
    assert world.hash == other.hash == end
    world.reset()
    assert world.time == 0.0
    world.step(50)
    assert world.hash == end


def test_threads_do_not_change_bits():
    hashes = set()
    for threads in (None, 1, 2):
        world = World("discs_28", threads=threads)
        world.step(20)
        hashes.add(world.hash)
    assert len(hashes) == 1


def test_forces_by_callback():
    """Closed form: a = F/m − μ g while it slides."""
    force = 3.0
    world = block(mu=0.3, forces=lambda w: [[0, 0, 0], [force, 0, 0]])
    world.step(100)
    assert world.velocities[1, 0] == pytest.approx(2.0 + 0.1 * (force / 2.0 - 0.3 * 9.81), rel=1e-9)
    assert world.totals["external"] == pytest.approx(force * float(world.positions[1, 0]), rel=1e-6)


def test_torque_in_space():
    """Closed form: a free sphere under a constant torque, I = 2/5 m r²."""
    scene = Scene("ball", dimension=3, step=1e-3, end=1.0)
    scene.set(gravity=[0, 0, 0])
    scene.body("ball", shape={"sphere": {"radius": 0.1}}, mass=1.0, position=[0, 0, 0])
    scene.law(friction=0.1)
    world = World(scene)
    world.apply([[1.0, 0, 0, 0, 0, 0.02]])
    world.step(500)
    assert world.velocities[0, 0] == pytest.approx(0.5) and world.spins[0] == pytest.approx([0, 0, 0.02 / 0.004 * 0.5])
    world.apply(None)
    world.step(10)
    assert world.velocities[0, 0] == pytest.approx(0.5)


def test_imposed_motion_by_callback():
    """A box rides on a belt that the caller moves: it takes the speed of the belt when friction allows."""
    scene = Scene("belt", dimension=2, step=1e-3, end=1.0)
    scene.body("belt", shape={"box": {"size": [4.0, 0.2]}}, position=[0, -0.1], fixed=True)
    scene.body("box", shape={"box": {"size": [0.2, 0.1]}}, mass=1.0, position=[0, 0.05])
    scene.law(friction=0.5)
    world = World(scene, imposed={"belt": lambda t: [0.25 * t * t, 0.0, 0.0]})
    world.step(400)
    assert world.velocities[1, 0] == pytest.approx(0.5 * 0.4, abs=1e-3)
    assert world.positions[0, 0] == pytest.approx(0.25 * 0.16, rel=1e-9)


def test_motor_by_callback():
    scene = Scene("slider", dimension=2, step=1e-3, end=1.0)
    scene.body("cart", shape={"box": {"size": [0.2, 0.1]}}, mass=1.0, position=[0, 0])
    scene.joint("rail", kind="slider", bodies=["cart"], at=[0, 0], axis=[1, 0], speed=0.0)
    scene.law(friction=0.5)
    world = World(scene, motors={"rail": lambda w: math.sin(10 * w.time)})
    world.step(100)
    assert world.velocities[0, 0] == pytest.approx(math.sin(10 * 0.099), rel=1e-9)


def test_a_law_in_python_is_exact():
    """A law that answers μ = 0.3 gives the bits of the engine's own."""
    own = block(0.3)
    asked = []

    def law(gap, velocity, closed, time, step):
        asked.append((len(gap), velocity.shape))
        return np.full(len(gap), 0.3)

    material = own._core.text[0]
    assert "material" not in material
    scene = Scene("block", dimension=2, step=1e-3, end=1.0)
    scene.material("stone", density=2000.0)
    scene.body("floor", shape={"half_plane": {}}, material="stone")
    scene.body("block", shape={"box": {"size": [0.2, 0.1]}}, mass=2.0, position=[0, 0.05], velocity=[2.0, 0.0], material="stone")
    scene.law(["stone", "stone"], friction=0.9)
    world = World(scene, laws={("stone", "stone"): law})
    own.step(300)
    world.step(300)
    assert world.hash == own.hash and asked[0] == (2, (2, 2))


def test_a_law_of_velocity():
    """μ(v) = 0.1 + 0.2 exp(−|v|): against the ordinary differential equation, to the order of the step."""
    scene = Scene("block", dimension=2, step=1e-4, end=1.0)
    scene.material("stone", density=2000.0)
    scene.body("floor", shape={"half_plane": {}}, material="stone")
    scene.body("block", shape={"box": {"size": [0.2, 0.1]}}, mass=2.0, position=[0, 0.05], velocity=[2.0, 0.0], material="stone")
    scene.law(["stone", "stone"], friction=0.9)
    law = lambda velocity, **_: 0.1 + 0.2 * np.exp(-np.abs(velocity[:, 1]))  # noqa: E731
    world = World(scene, laws={("stone", "stone"): law})
    world.step(3000)
    v, n = 2.0, 30000
    for _ in range(n):
        v -= 0.3 / n * 9.81 * (0.1 + 0.2 * math.exp(-abs(v)))
    assert world.velocities[1, 0] == pytest.approx(v, rel=2e-4)


def test_fields_contacts_and_stop_conditions():
    world = block()
    for report in world.steps(1.0, until=lambda r: abs(world.velocities[1, 0]) < 1.0):
        pass
    assert 0.9 < world.velocities[1, 0] < 1.0 and world.time < 0.5
    contacts = world.contacts()
    assert len(contacts["force"]) == report.contacts == 2
    assert abs(contacts["force"][:, 1].sum()) == pytest.approx(2.0 * 9.81, rel=1e-6)
    assert world.field("bodies/position").shape == (2, 2) and "[m]" in world.fields["bodies/position"]


def test_a_record_is_a_run(tmp_path):
    world = ball(set={"time.end": 0.2})
    run = world.run(record=tmp_path / "ball.h5")
    assert isinstance(run, Run) and len(run) == 21
    with pytest.raises(errors.RunError):
        ball().run(0.1, record=tmp_path / "ball.h5")
    assert len(ball(set={"time.end": 0.1}).run(record=tmp_path / "ball.h5", overwrite=True)) == 11


def test_next_step_is_what_the_step_solves():
    world = World("discs_28")
    world.step(5)
    step = world.next_step()
    found = step.problem().solve(tolerance=1e-12)
    u = (step.load + step.Gt @ found.reactions.ravel()) / step.inertia
    world.step()
    assert np.allclose(world.u[step.dofs], u, atol=1e-6)


def test_gallery_and_progress():
    assert "card_house" in gallery()
    assert sum(1 for _ in ball().steps(0.05, every=10, progress=True)) == 5


def test_solids_too():
    world = World("two_bars")
    world.step(3)
    assert world.report.residual < 1e-6 and any(name.startswith("solids/") or "node" in name for name in world.fields)


def test_a_law_with_a_memory_that_states_hold():
    """Friction that grows with the number of steps in contact: v = v₀ − g h Σ μ_k, in closed form; and a state taken in the
    middle, pickled, goes on to the same bits."""
    scene = Scene("block", dimension=2, step=1e-3, end=1.0)
    scene.set(solver={"tolerance": 1e-12})
    scene.material("stone", density=2000.0)
    scene.body("floor", shape={"half_plane": {}}, material="stone")
    scene.body("block", shape={"box": {"size": [0.4, 0.1]}}, mass=1.0, position=[0, 0.05], velocity=[2.0, 0], material="stone")
    scene.law(["stone", "stone"], friction=0.9)

    def hardening(gap, velocity, closed, time, step, memory):
        return {"mu": 0.1 + 0.01 * memory[:, 0], "memory": memory + [1.0, 0.0, 0.0, 0.0]}

    world = World(scene, laws={("stone", "stone"): hardening})
    world.step(20)
    kept = pickle.loads(pickle.dumps(world.state))
    world.step(20)
    expected = 2.0 - 9.81 * 1e-3 * sum(0.1 + 0.01 * k for k in range(40))
    assert world.velocities[1, 0] == pytest.approx(expected, abs=1e-9)
    last = world.hash
    world.state = kept
    world.step(20)
    assert world.hash == last
    fresh = World(scene, laws={("stone", "stone"): hardening})
    fresh.state = kept
    fresh.step(20)
    assert fresh.hash == last
    with pytest.raises(errors.WorldError, match="memory"):
        World(scene, laws={("stone", "stone"): lambda memory, **_: {"mu": 0.1, "memory": memory[:, :2]}}).step()


STOPS = """
dimension = 2
[time]
step = 1e-3
end = 1.0
[body.floor]
shape.half_plane = {}
[body.ball]
shape.disc.radius = 0.1
mass = 1.0
position = [0, 0.5]
[law]
friction = 0.3
[when.down]
if = "contacts > 0"
stop = true
"""


@pytest.mark.parametrize("forces", [None, lambda world: None])
def test_an_event_of_the_scene_ends_the_run(tmp_path, forces):
    """A ball falls by 0.4 m: the step that touches is the one after √(2 s/g) = 0.2856 s, and the command ends there too."""
    import subprocess
    import sys

    scene = tmp_path / "stops.toml"
    scene.write_text(STOPS)
    told = subprocess.run([sys.executable, "-m", "delassus", "run", str(scene), "--no-record"], capture_output=True, text=True).stdout
    world = World(scene, forces=forces)
    assert not world.stopped
    report = world.run()
    assert world.stopped and report.contacts == 1 and world.time == pytest.approx((2 * 0.4 / 9.81) ** 0.5, abs=2e-3)
    assert f"after {world.steps_made} steps" in told and f"state {world.hash[:16]}" in told
    made = world.steps_made
    assert world.run().step + 1 == made and list(world.steps()) == [] and world.steps_made == made
    world.step(3)  # whoever asks for steps gets them
    assert world.steps_made == made + 3
    world.reset()
    assert not world.stopped and len(list(world.steps())) == made and world.stopped


def test_a_scene_of_stages_begins_anew():
    text = STOPS.split("[when")[0].replace("end = 1.0", "end = 0.1") + "[stage.up]\ntime.end = 0.2\ngravity = [0, 9.81]\n"
    world = World(text)
    places = world.positions
    world.run()
    ended = world.hash
    assert world.velocities[1, 1] == pytest.approx(9.81 * 0.1)  # 0.1 s down, 0.2 s up
    world.reset()
    assert world.time == 0.0 and places is world.positions and places[1, 1] == 0.5
    world.run()
    assert world.hash == ended
