"""What Python costs: the loop against steps without it, a solve against the command, the import.

    target/wheel-test/bin/python python/benches/overhead.py
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import delassus

def settled(contacts: int = 1000) -> delassus.World:
    """A world with so many contacts."""
    world = delassus.World("spheres_in_box", set={"time.end": 10.0})
    while world.report.contacts < contacts and world.time < world.end:
        world.step(20)
    return world


def loop(world: delassus.World, steps: int = 60, rounds: int = 7) -> None:
    """One report a step, velocities looked at, against the same steps in one call; time of the processor, which other programs do not change."""
    start, contacts = world.state, world.report.contacts
    world.velocities  # live arrays are brought up to date from here on
    fast, slow = [], []
    for _ in range(rounds):
        for times, body in ((fast, lambda: world.step(steps)), (slow, lambda: watched(world, steps))):
            world.state = start
            begin = time.process_time()
            body()
            times.append((time.process_time() - begin) / steps)
    a, b = min(fast), min(slow)
    print(f"loop: {contacts} contacts, {1e3 * a:.3f} ms a step in one call, {1e3 * b:.3f} ms in a loop: {100 * (b / a - 1):+.1f} %")


def watched(world: delassus.World, steps: int) -> None:
    seen = 0.0
    for _ in range(steps):
        report = world.step()
        seen += report.residual + float(world.velocities[:, 2].max())


def solve(world: delassus.World, rounds: int = 7) -> None:
    """The problem of a step of that world, from the same FCLIB file, by the time that the command tells of its solve."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "step.hdf5")
        step = world.next_step()
        delassus.friction.Problem(step.W, step.b, [law.mu for law in step.laws]).write(file)
        problem = delassus.friction.read(file)
        times, told = [], []
        for _ in range(rounds):
            begin = time.perf_counter()
            problem.solve()
            times.append(time.perf_counter() - begin)
            out = subprocess.run([sys.executable, "-m", "delassus", "solve", file, "--json"], capture_output=True, text=True)
            told.append(json.loads(out.stdout)[0]["time_s"])
    a, b = min(times), min(told)
    print(f"solve: {problem.contacts} contacts, {1e3 * a:.2f} ms here, {1e3 * b:.2f} ms in the command: {100 * (a / b - 1):+.1f} %")


def views(world: delassus.World, times: int = 100_000) -> None:
    """What a look at the positions costs, and bringing the arrays up to date once a step."""
    import timeit

    look = min(timeit.repeat(lambda: world.positions, number=times, repeat=7)) / times
    bring = min(timeit.repeat(world._refresh, number=times // 100, repeat=7)) / (times // 100)
    print(f"views: {1e9 * look:.0f} ns a look, {1e6 * bring:.1f} µs to bring {world.bodies} bodies up to date")


def imports() -> None:
    program = "import time; t = time.perf_counter(); import delassus; print(time.perf_counter() - t)"
    alone = "import time; t = time.perf_counter(); import numpy; print(time.perf_counter() - t)"
    best = [min(float(subprocess.run([sys.executable, "-c", p], capture_output=True, text=True).stdout) for _ in range(7))
            for p in (program, alone)]  # fmt: skip
    print(f"import: {best[0]:.3f} s, of which NumPy {best[1]:.3f} s")


if __name__ == "__main__":
    np.seterr(all="raise")
    imports()
    world = settled()
    views(world)
    solve(world)
    loop(world)
