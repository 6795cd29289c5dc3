"""What goes wrong ends in an exception, and the world is usable or says that it is not."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from delassus import Run, World, derivatives, errors, friction
from delassus.bridges import matrices


def test_a_scene_with_mistakes_names_their_places():
    with pytest.raises(errors.SceneError) as caught:
        World('title = "x"\ndimension = 2\n[time]\nstep = 1e-3\nend = 1\n[law]\nfrction = 0.5\n')
    (first, *_) = caught.value.diagnostics
    assert first["line"] == 7 and "frction" in first["problem"]
    assert any("friction" in line for line in first["help"])
    with pytest.raises(errors.SceneError, match="did you mean 'card_house'"):
        World("card_hose")
    with pytest.raises(errors.SceneError):
        World("nowhere.toml")


@pytest.mark.parametrize(
    "call",
    [
        lambda w: w.apply(np.zeros((1, 3))),
        lambda w: w.apply([[0, 0, 0], [np.nan, 0, 0]]),
        lambda w: w.drive("nobody", 1.0),
        lambda w: w.step(-1),
        lambda w: list(w.steps(float("nan"))),
        lambda w: list(w.steps(1.0, every=0)),
        lambda w: w.field("nothing"),
        lambda w: setattr(w, "state", 3),
        lambda w: setattr(w, "state", World("discs_28").state),
        lambda w: w.state.replace(q=np.zeros(2)),
        lambda w: w.state.replace(u=np.full(6, np.inf)),
        lambda w: World("bouncing_ball", threads=0),
        lambda w: World("bouncing_ball", steered=["ball"]),
        lambda w: World("bouncing_ball", laws={("a", "b"): print}),
        lambda w: World("bouncing_ball", laws={"stone": print}),
        lambda w: World("bouncing_ball", laws={("a", "b"): 3}),
        lambda w: World("bouncing_ball", forces=3),
        lambda w: World("bouncing_ball", threads=10**9),
        lambda w: World("bouncing_ball", threads="2"),
        lambda w: World(b"bouncing_ball"),
        lambda w: World("bouncing_ball", files={"a.msh": 3}),
        lambda w: World("two_bars", variant="newmrk"),
        lambda w: World("x = " + "[" * 100_000 + "\n"),
        lambda w: World(None),
        lambda w: w.step(1.5),
        lambda w: w.step(2**70),
        lambda w: w.run(float("inf")),
        lambda w: list(w.steps(1.0, every=2.5)),
        lambda w: derivatives.of_step(3),
    ],
)
def test_misuse_changes_nothing(call):
    world = World("bouncing_ball")
    world.step(10)
    before = world.hash
    with pytest.raises((errors.WorldError, errors.SceneError)):
        call(world)
    assert world.hash == before
    world.step(10)


def test_an_exception_in_a_callback_leaves_the_world_as_it_was():
    def forces(world):
        if world.steps_made == 5:
            raise KeyError("my own mistake")
        return None

    world = World("bouncing_ball", forces=forces)
    with pytest.raises(KeyError, match="my own mistake"):
        world.step(10)
    assert world.steps_made == 5 and world.failed is None
    world.forces = None
    world.step(5)
    reference = World("bouncing_ball")
    reference.step(10)
    assert world.hash == reference.hash


STONES = """
dimension = 2
[time]
step = 1e-3
end = 1.0
[material.stone]
density = 2000.0
[body.floor]
shape.half_plane = {}
material = "stone"
[body.block]
shape.box.size = [0.2, 0.1]
position = [0, 0.05]
velocity = [1.0, 0]
material = "stone"
[[law]]
between = ["stone", "stone"]
friction = 0.3
"""


def stones(law):
    return World(STONES, laws={("stone", "stone"): law})


@pytest.mark.parametrize("answer", ["raise", "nan", "shape", "negative", "text"])
def test_an_exception_in_a_law_undoes_its_step(answer):
    bad = {"nan": np.nan, "shape": [1.0, 2.0, 3.0], "negative": -1.0, "text": "much"}

    def law(gap, time, **_):
        if 0.0049 < time < 0.0061 and broken[0]:
            if answer == "raise":
                raise ZeroDivisionError("in a law")
            return bad[answer]
        return 0.3

    broken = [True]
    world, reference = stones(law), stones(lambda **_: 0.3)
    with pytest.raises((ZeroDivisionError, errors.Error)):
        world.step(10)
    reached = world.steps_made
    assert reached == 5 and world.failed is None
    broken[0] = False
    world.step(10 - reached)
    reference.step(10)
    assert world.hash == reference.hash


def test_a_step_that_cannot_be_made_poisons_until_a_state_is_given():
    world = World("bouncing_ball", set={"law.restitution": 0.0, "solver.on_failure": "stop"})
    kept = world.state
    world.apply([[0, 0, 0], [0, -1e308, 0]])
    with pytest.raises(errors.StepError):
        world.step(20)
    assert world.failed
    with pytest.raises(errors.WorldError, match="give it a state"):
        world.step()
    world.apply(None)
    world.state = kept
    assert world.failed is None
    world.step(10)


def test_one_thread_at_a_time_and_the_gil_is_free():
    world, other = World("spheres_in_box"), World("bouncing_ball")
    failed, ran = [], []
    thread = threading.Thread(target=lambda: world.step(40))
    thread.start()
    while thread.is_alive():
        ran.append(other.step())
        try:
            world.time
        except errors.WorldError as error:
            failed.append(str(error))
    thread.join()
    assert len(ran) > 10 and failed and "another thread" in failed[0]
    assert world.steps_made == 40


def child(queue):
    world = World("discs_28", threads=2)
    world.step(10)
    queue.put((world.hash, friction.solve(np.eye(3), [[-1.0, 2.0, 0.0]], 0.5, threads=2).converged))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are a thing of Unix")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_work_like_their_parent():
    world = World("discs_28", threads=2)
    world.step(10)
    World("spheres_in_box").step(2)  # threads of the process are there before the fork
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    found = queue.get(timeout=60)
    process.join(60)
    assert process.exitcode == 0 and found == (world.hash, True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_ends_steps_between_two_of_them():
    program = (
        "import delassus, sys\n"
        "w = delassus.World('spheres_in_box')\n"
        "print('go', flush=True)\n"
        "try:\n    w.step(10**9)\n"
        "except KeyboardInterrupt:\n    print(w.steps_made > 0, w.failed)\n    w.step(); print('on')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "True None\non\n" and process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(
    "endless",
    [
        "delassus.explore(world, samples=200_000)",
        "delassus.learning.step_together([world, world.clone()], 10**9, threads=2)",
        "delassus.friction.solve(A @ A.T, b, 0.9, solver='nlgs', tolerance=1e-15, max_iterations=10**9)",
    ],
)
def test_ctrl_c_ends_what_takes_long(endless):
    program = (
        "import delassus, delassus.learning, numpy as np\n"
        "world = delassus.World('arch_standing')\n"
        "rng = np.random.default_rng(0); A = rng.normal(size=(900, 60)); b = rng.normal(size=(300, 3))\n"
        "print('go', flush=True)\n"
        "try:\n    %s\n"
        "except KeyboardInterrupt:\n    print(world.failed)\n    world.step(); print('on')\n"
    ) % endless
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "None\non\n" and process.returncode == 0


@pytest.mark.parametrize(
    "work",
    [
        "law.step(10**9)",
        "plain.step(10**9)",
        "[plain.step() for _ in range(10**9)]",
        "[delassus.friction.solve(np.eye(3), [[-1.0, 2.0, 0.0]], 0.5) for _ in range(10**9)]",
    ],
)
def test_a_process_ends_though_a_thread_is_at_work(work):
    """What asks for the GIL then is ended by Python, which frames of Rust answer with an abort."""
    program = (
        "import delassus, threading, time, numpy as np, sys\n"
        "plain = delassus.World('bouncing_ball')\n"
        "law = delassus.World(sys.argv[1], laws={('stone', 'stone'): lambda **_: 0.3})\n"
        "def work():\n    %s\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.3)\nprint('end', flush=True)\n"
    ) % work
    done = subprocess.run([sys.executable, "-c", program, STONES], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_closed_runs_and_broken_files(tmp_path):
    run = World("bouncing_ball", set={"time.end": 0.05}).run(record=tmp_path / "a.h5")
    times = run.times
    run.close()
    assert run.closed and len(times) == 6
    for use in (lambda: run["bodies/position"], lambda: len(run), lambda: run.table(), lambda: run.read(0, "bodies/position")):
        with pytest.raises(errors.RunError, match="closed"):
            use()
    again = Run(tmp_path / "a.h5")
    assert "bodies/position" in again and "nothing" not in again
    for use in (lambda: again[3], lambda: again.draw(frame=99), lambda: again.read(99, "bodies/position"), lambda: again.to_xarray("nothing"),
                lambda: again.view("--nothing", inline=True)):  # fmt: skip
        with pytest.raises(errors.RunError):
            use()
    (tmp_path / "a.h5").write_bytes((tmp_path / "a.h5").read_bytes()[:2000])
    with pytest.raises(errors.RunError):
        Run(tmp_path / "a.h5")
    with pytest.raises(errors.RunError):
        Run(tmp_path / "nowhere.h5")
    (tmp_path / "text.h5").write_text("no run")
    with pytest.raises(errors.RunError):
        Run(tmp_path / "text.h5")


def test_the_import_is_fast():
    """Below 0.3 s of processor in a fresh process, NumPy's own time included; the clock of a busy machine would tell of others."""
    program = "import time; t = time.process_time(); import delassus; print(time.process_time() - t)"
    times = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout) for _ in range(5)]
    assert min(times) < 0.3, times


def test_the_command_comes_with_the_package(tmp_path):
    run = subprocess.run([sys.executable, "-m", "delassus", "run", "bouncing_ball", "--set", "time.end=0.1", "-q"], cwd=tmp_path)
    assert run.returncode == 0 and (tmp_path / "bouncing_ball.h5").exists()
    bad = subprocess.run([sys.executable, "-m", "delassus", "run", "nothing"], capture_output=True, text=True)
    assert bad.returncode == 2 and "nothing" in bad.stderr


W3, B3 = np.eye(3), [[-1.0, 2.0, 0.0]]


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: friction.solve([[1, 0], [0]], B3, 0.5), "W is no array"),
        (lambda: friction.solve(np.ma.masked_array(W3, mask=np.eye(3)), B3, 0.5), "masked"),
        (lambda: friction.solve(W3, [-1.0, 2.0, 0.0], 0.5, dimension=0), "dimension = 0"),
        (lambda: friction.solve(W3, [-1.0, 2.0, 0.0], 0.5, dimension="3"), "dimension = '3'"),
        (lambda: friction.solve(W3, B3, np.nan), "mu is nan at contact 0"),
        (lambda: friction.solve(W3, B3, -1.0), "mu is -1.0 at contact 0"),
        (lambda: friction.solve(W3, B3, 0.5, tolerance=True), "tolerance = True"),
        (lambda: friction.solve(W3, B3, 0.5, max_iterations=1.5), "max_iterations = 1.5"),
        (lambda: friction.solve(W3, B3, 0.5, threads=10**9), "at most 1024"),
        (lambda: friction.solve(W3, B3, 0.5, threads=-1), "threads = -1"),
        (lambda: friction.solve(W3, B3, 0.5, start=[np.inf, 0, 0]), "start is not finite"),
        (lambda: friction.solve(W3, B3, laws=friction.Coulomb(np.nan)), "one finite number"),
        (lambda: friction.solve(W3, B3, laws=friction.Elliptic(0.5)), "two finite numbers"),
        (lambda: friction.solve(W3, B3, laws=friction.Limited((-1.0,))), "not negative"),
        (lambda: friction.solve(W3, B3, laws=[{"coulomb": 0.5}]), "is no law"),
        (lambda: friction.solve(np.eye(5), [[-1.0, 1, 0, 2, 0]], 0.5), "expected mu_r"),
        (lambda: friction.solve(np.eye(2), [[-1.0, 1]], 0.5, mu_r=0.1), "mu_r needs"),
        (lambda: friction.solve_global(np.eye(2), np.eye(2), [0, 0, 0], [[-1.0, 0]], 0.5), "f has 3 numbers"),
        (lambda: friction.solve_global(np.eye(2), np.eye(2), [0, np.nan], [[-1.0, 0]], 0.5), "f is not finite"),
        (lambda: friction.Problem(W3, B3, 0.5).certify([np.nan, 0, 0]), "not finite at contact 0"),
        (lambda: derivatives.of_problem(W3, B3, 0.5, solution=3), "expected what friction.solve gives"),
        (lambda: matrices.one_step(np.eye(2), [0, 0, -1], W3, 0.5), "M has shape"),
        (lambda: matrices.one_step(W3, [0, 0, -1], W3, 0.5, drift=[1.0]), "drift has 1 numbers"),
        (lambda: matrices.one_step(W3, [0, 0, -1], W3, 0.5, dimension=0), "dimension = 0"),
        (lambda: derivatives.of_problem(W3, B3, 0.5, solution=friction.solve(np.eye(6), B3 * 2, 0.5)), "shape"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_told_by_name(call, says):
    with pytest.raises(errors.ProblemError, match=says):
        call()


def test_numbers_of_numpy_are_numbers():
    """Types and orders that the same numbers come in give the same bits."""
    W, b = np.eye(6) + 0.1, np.array([[-1.0, 2.0, 0.0], [-1.0, 1.0, 3.0]])
    wide = np.zeros((12, 12))
    wide[::2, ::2] = W
    forms = [(W, b), (np.asfortranarray(W), np.asfortranarray(b)), (wide[::2, ::2], b), (W[::-1, ::-1][::-1, ::-1], b[::-1][::-1]),
             (W.astype(">f8"), b.astype(">f8")), (W.tolist(), b.astype(int).tolist())]  # fmt: skip
    found = [friction.solve(w, x, np.float32(0.5), tolerance=np.float32(1e-6), max_iterations=np.int64(1000)) for w, x in forms]
    assert all((f.reactions == found[0].reactions).all() for f in found)
    state = World("bouncing_ball").state
    assert state.replace(q=list(state.q)) == state == state.replace(u=np.zeros(12, dtype=np.float32)[::2])


def test_a_sparse_matrix_whose_arrays_lie_is_refused():
    """SciPy itself writes beyond its arrays here, and the process dies later."""
    import scipy.sparse as sparse

    for array, place, value in (("indptr", 1, 9), ("indices", 0, -1), ("indices", 0, 99)):
        W = sparse.csr_matrix(np.eye(3))
        getattr(W, array)[place] = value
        with pytest.raises(errors.ProblemError, match="W is no sparse matrix"):
            friction.solve(W, B3, 0.5)


def test_views_outlive_their_world_and_callbacks_do_not_step_it():
    import copy
    import gc
    import pickle

    world = World("card_house")
    places = world.positions
    assert places is world.positions and world.q is world.q
    world.step(3)
    kept, other = places.copy(), copy.deepcopy(world)
    assert other.hash == world.hash and other.positions is not places
    with pytest.raises(TypeError, match="pickle world.state"):
        pickle.dumps(world)
    del world
    gc.collect()
    other.step()
    assert (places == kept).all()
    greedy = World("bouncing_ball", forces=lambda w: w.step())
    with pytest.raises(errors.WorldError, match="a callback steps the world"):
        greedy.step()
    greedy.forces = None
    greedy.step()


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_interrupts_in_callbacks_and_laws_undo_the_step(raised):
    def stop(*_, **__):
        raise raised

    for world in (World("bouncing_ball", forces=stop), stones(stop)):
        with pytest.raises(raised):
            world.step(3)
        assert world.steps_made == 0 and world.failed is None


def test_looking_at_the_coming_step_changes_neither_it_nor_what_the_last_one_left(tmp_path):
    """Reference: the same world without a look, to the last bit."""
    world, reference = World("card_house"), World("card_house")
    fresh = world.clone()
    fresh.next_step()
    assert len(fresh.contacts()["force"]) == 0  # no step was made
    for w in (world, reference):
        w.step(5)
    before = world.contacts()
    world.next_step()
    world.record(tmp_path / "looked.h5")
    reference.record(tmp_path / "plain.h5")
    after = world.contacts()
    assert before.keys() == after.keys() and all((before[k] == after[k]).all() for k in before)
    assert len(after["force"]) == world.report.contacts > 0
    for w in (world, reference):
        w.step(5)
        w.end_record()
    assert world.hash == reference.hash
    looked, plain = Run(tmp_path / "looked.h5"), Run(tmp_path / "plain.h5")
    assert all((a == b).all() for name in plain.fields if name.startswith("contacts/") for a, b in zip(looked[name], plain[name]))
    world.next_step()
    world.state = fresh.state
    assert len(world.contacts()["force"]) == 0
    world.step(10)
    assert world.hash == reference.hash


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are a thing of Unix")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_leaves_the_record_to_its_parent(tmp_path):
    world = World("bouncing_ball")
    world.record(tmp_path / "a.h5")
    world.step(50)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            world.step(60)
            if world.end_record() is None:
                world.record(tmp_path / "child.h5")
                world.step(20)
                code = 0 if world.end_record() == 3 else 2
            del world
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    world.step(50)
    assert world.end_record() == 11
    run = Run(tmp_path / "a.h5")
    run.verify()
    assert run.times[-1] == pytest.approx(0.1) and len(Run(tmp_path / "child.h5")) == 3


@pytest.mark.parametrize("use", [lambda r, p: r.draw(p / "a.png"), lambda r, p: r.view(inline=True), lambda r, p: r.plot(), lambda r, p: r.verify()])
def test_a_closed_run_is_closed_for_pictures_too(use, tmp_path):
    run = World("bouncing_ball", set={"time.end": 0.05}).run(record=tmp_path / "a.h5")
    run.close()
    with pytest.raises(errors.RunError, match="closed"):
        use(run, tmp_path)
