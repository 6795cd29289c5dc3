"""What Python costs: the loop against steps without it, a solve against the command, the import.

    target/wheel-test/bin/python python/benches/overhead.py
"""

import json
import pathlib
import subprocess
import sys
import time

import numpy as np

import delassus

ROOT = pathlib.Path(__file__).resolve().parents[2]


def loop(steps: int = 60, rounds: int = 7) -> None:
    """One report a step, velocities looked at, against the same steps in one call."""
    world = delassus.World("rubble", threads=1)
    while world.report.contacts < 1000 and world.time < world.end:
        world.step(20)
    start, contacts = world.state, world.report.contacts
    world.velocities  # live arrays are brought up to date from here on
    fast, slow = [], []
    for _ in range(rounds):
        for times, body in ((fast, lambda: world.step(steps)), (slow, lambda: watched(world, steps))):
            world.state = start
            begin = time.perf_counter()
            body()
            times.append((time.perf_counter() - begin) / steps)
    a, b = min(fast), min(slow)
    print(f"loop: {contacts} contacts, {1e3 * a:.3f} ms a step in one call, {1e3 * b:.3f} ms in a loop: {100 * (b / a - 1):+.1f} %")


def watched(world: delassus.World, steps: int) -> None:
    seen = 0.0
    for _ in range(steps):
        report = world.step()
        seen += report.residual + float(world.velocities[:, 2].max())


def solve(rounds: int = 7) -> None:
    """The largest problem at hand, by the time that the command tells of its solve."""
    files = sorted((ROOT / "examples/problems").glob("*.hdf5"), key=lambda f: f.stat().st_size)
    total = [0.0, 0.0]
    for file in files[-3:]:
        problem = delassus.friction.read(file)
        times, told = [], []
        for _ in range(rounds):
            begin = time.perf_counter()
            problem.solve()
            times.append(time.perf_counter() - begin)
            out = subprocess.run([sys.executable, "-m", "delassus", "solve", str(file), "--json"], capture_output=True, text=True)
            told.append(json.loads(out.stdout)[0]["seconds"] if out.stdout.startswith("[") else json.loads(out.stdout)["seconds"])
        total[0] += min(times)
        total[1] += min(told)
        print(f"solve: {file.name}, {problem.contacts} contacts, {1e3 * min(times):.3f} ms here, {1e3 * min(told):.3f} ms in the command")
    print(f"solve: {100 * (total[0] / total[1] - 1):+.1f} % in all")


def imports() -> None:
    program = "import time; t = time.perf_counter(); import delassus; print(time.perf_counter() - t)"
    alone = "import time; t = time.perf_counter(); import numpy; print(time.perf_counter() - t)"
    best = [min(float(subprocess.run([sys.executable, "-c", p], capture_output=True, text=True).stdout) for _ in range(7))
            for p in (program, alone)]  # fmt: skip
    print(f"import: {best[0]:.3f} s, of which NumPy {best[1]:.3f} s")


if __name__ == "__main__":
    np.seterr(all="raise")
    imports()
    solve()
    loop()
