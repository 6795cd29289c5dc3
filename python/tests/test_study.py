"""Studies: the same rows on every engine, also when workers die."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from delassus import World, errors
from delassus.study import StudyError, grid, study, sweep


def slide(mu, steps):
    from delassus import World

    world = World("bouncing_ball", set={"law.restitution": mu})
    world.step(steps)
    return {"hash": world.hash, "height": world.positions[1, 1]}


def dies_once(mu, folder):
    """Kills its own process the first time it sees mu = 0.2."""
    mark = pathlib.Path(folder) / "died"
    if mu == 0.2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"twice": 2 * mu, "pid": os.getpid()}


POINTS = grid(mu=[0.1, 0.5, 0.9], steps=[600])


@pytest.fixture(scope="module")
def rows():
    return study(slide, POINTS, table=False)


def same(rows, others):
    return [(r["mu"], r["hash"]) for r in rows] == [(r["mu"], r["hash"]) for r in others]


def test_rows_are_in_the_order_of_the_points(rows):
    assert [r["mu"] for r in rows] == [0.1, 0.5, 0.9] and len({r["hash"] for r in rows}) == 3
    table = study(slide, POINTS[:1])
    assert list(table.columns) == ["mu", "steps", "hash", "height"]


def test_threads_and_processes(rows):
    with ThreadPoolExecutor(2) as pool:
        assert same(rows, study(slide, POINTS, on=pool, table=False))
    assert same(rows, study(slide, POINTS, on=2, table=False))


def test_a_killed_worker_loses_nothing(tmp_path):
    found = study(dies_once, grid(mu=[0.1, 0.2, 0.3, 0.4], folder=[str(tmp_path)]), on=2, table=False)
    assert [r["twice"] for r in found] == [0.2, 0.4, 0.6, 0.8] and (tmp_path / "died").exists()


def test_a_pool_that_broke_says_so(tmp_path):
    with ProcessPoolExecutor(1) as pool, pytest.raises(StudyError) as caught:
        study(dies_once, grid(mu=[0.2, 0.3], folder=[str(tmp_path)]), on=pool, table=False)
    assert "on=N" in caught.value.rows[0]["error"]


def test_dask_gives_the_same_rows_and_survives_a_dead_worker(rows, tmp_path):
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        assert same(rows, study(slide, POINTS, on=client, table=False))
        found = study(dies_once, grid(mu=[0.1, 0.2, 0.3], folder=[str(tmp_path)]), on=client, table=False)
        assert [r["twice"] for r in found] == [0.2, 0.4, 0.6] and (tmp_path / "died").exists()


@pytest.mark.others
def test_ray_gives_the_same_rows_and_survives_a_dead_worker(rows, tmp_path, monkeypatch):
    import ray

    monkeypatch.chdir(tmp_path)
    folder, alone = planned(tmp_path, "bouncing_ball")
    ray.init(num_cpus=2, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": os.path.dirname(__file__)}})
    try:
        assert same(rows, study(slide, POINTS, on=ray, table=False))
        found = study(dies_once, grid(mu=[0.1, 0.2, 0.3], folder=[str(tmp_path)]), on=ray, table=False)
        assert [r["twice"] for r in found] == [0.2, 0.4, 0.6] and (tmp_path / "died").exists()
        sweep(folder, on=ray)
        same_bytes(folder, alone)
    finally:
        ray.shutdown()


def fails(x):
    if x == 2:
        raise ValueError("two")
    return {"y": x}


def test_what_a_point_raises_does_not_lose_the_others(tmp_path):
    found = study(fails, grid(x=[1, 2, 3]), errors="keep", table=False)
    assert found[1]["error"] == "ValueError: two" and found[2]["y"] == 3
    with pytest.raises(StudyError, match="1 of 3 points failed"):
        study(fails, grid(x=[1, 2, 3]))
    with pytest.raises(TypeError, match="Dask Client"):
        study(fails, [], on="somewhere")


def test_a_journal_goes_on_where_it_was(tmp_path):
    journal, calls = tmp_path / "study.jsonl", []

    def count(x):
        calls.append(x)
        return {"y": x * x}

    study(count, grid(x=[1, 2]), journal=journal, table=False)
    with open(journal, "a") as file:
        file.write('{"point": {"x": 3}, "ro')  # cut while it was written
    found = study(count, grid(x=[1, 2, 3]), journal=journal, table=False)
    assert calls == [1, 2, 3] and [r["y"] for r in found] == [1, 4, 9]
    study(count, grid(x=[1, 2, 3]), journal=journal, table=False)
    assert calls == [1, 2, 3]


OVER = ["--over", "law.restitution=0.2,0.5,0.8", "--over", "law.friction=0.1,0.3"]
MEASURES = ["--measure", "top=max:bodies/position[ball].y@0.5:1", "--measure", "energy/kinetic"]


def planned(folder, scene, *words):
    """The plan of a sweep, and the folder of the same sweep by the command alone."""
    for place, more in (("cluster", ["--plan"]), ("alone", ["--quiet"])):
        command = [sys.executable, "-m", "delassus", "sweep", scene, *OVER, *MEASURES, "--set", "time.end=1.0", *words, "-o", place, *more]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return folder / "cluster", folder / "alone"


def same_bytes(folder, alone):
    names = sorted(p.name for p in alone.iterdir())
    assert sorted(p.name for p in folder.iterdir()) == names and "table.h5" in names and "figure.svg" in names
    for name in names:
        assert (folder / name).read_bytes() == (alone / name).read_bytes(), name


def test_the_plan_of_a_sweep_ends_in_the_table_of_the_command(tmp_path, monkeypatch):
    """Reference: the command alone, to the last bit, runs and figures too; its scene goes on with the file of a run."""
    World("bouncing_ball", set={"time.end": 0.1}).run(record=tmp_path / "first.h5")
    (tmp_path / "on.toml").write_text('[start]\nfrom = "first.h5"\n[time]\nend = 1.0\n')
    folder, alone = planned(tmp_path, "on.toml")
    monkeypatch.chdir(tmp_path)
    table = sweep(folder, on=2)
    same_bytes(folder, alone)
    assert list(table["law.restitution"]) == [0.2, 0.2, 0.5, 0.5, 0.8, 0.8] and (table["status"] == "certified").all()
    with pytest.raises(errors.RunError, match="which is not there"):
        monkeypatch.chdir(folder)
        sweep(folder)
    assert sweep(folder, scene=tmp_path / "on.toml", table=False)[0]["law.friction"] == 0.1


def test_a_sweep_goes_on_and_members_that_fail_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder, alone = planned(tmp_path, "bouncing_ball", "--discard")
    shutil.copy(alone / "restitution=0.2,friction=0.1.json", folder)
    asked = []
    with ThreadPoolExecutor(1) as pool:
        submit = pool.submit
        pool.submit = lambda function, task, point: asked.append(point["words"]) or submit(function, task, point)
        sweep(folder, on=pool, discard=True)
    assert len(asked) == 5  # one was known
    same_bytes(folder, alone)
    refused = [sys.executable, "-m", "delassus", "sweep", "bouncing_ball", "--over", "law.restitution=0.5,2.0", "--measure", "energy/kinetic"]
    subprocess.run([*refused, "-o", "bad", "--plan"], check=True, capture_output=True)
    with pytest.raises(StudyError, match="1 of 2 members failed") as caught:
        sweep("bad", table=False)
    assert [row["status"] for row in caught.value.rows] == ["certified", "failed"]
    assert str(sweep("bad", table=False, errors="keep")) == str(caught.value.rows)


def test_a_killed_worker_of_dask_costs_a_sweep_nothing(tmp_path, monkeypatch):
    """Reference: the command alone. A worker is killed once the first member has come back, with others under way."""
    from distributed import Client, LocalCluster

    monkeypatch.chdir(tmp_path)
    folder, alone = planned(tmp_path, "bouncing_ball")
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        pids, killed = client.run(os.getpid), []

        def kill():
            while not list(folder.glob("restitution*.json")):
                time.sleep(0.01)
            killed.append(next(iter(pids.values())))
            os.kill(killed[0], signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        sweep(folder, on=client)
        thread.join()
        assert len(killed) == 1
    same_bytes(folder, alone)
