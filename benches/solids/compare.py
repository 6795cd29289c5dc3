#!/usr/bin/env python3
"""Time `delassus run` and CalculiX on the bar of Taylor and on Hertz' contact, in one run.

See README.md in this folder for what is measured and how.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import numpy as np
except ImportError:
    print("This comparison needs numpy.", file=sys.stderr)
    sys.exit(2)

import decks
import vtu

SCENES = Path(__file__).resolve().parents[2] / "scenes"

TAYLOR = {"length": 13.69e-3, "foot": 4.833e-3}
"""Length and half-width of the foot without friction, 10 x 200 cells, by another code [m]."""
HERTZ = {"force": 657643.0, "pressure": 2.9049e9}
"""Force and pressure at the centre of finite half balls, by another code: 32 cells, and the limit."""


@dataclass
class Row:
    """One run of one program."""

    case: str
    program: str
    how: str
    mesh: str
    nodes: int = 0
    wall: float = float("nan")
    cpu: float = float("nan")
    steps: str = ""
    found: dict[str, float] = field(default_factory=dict)
    status: str = "ok"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("taylor", "hertz"), help="one of the two cases")
    parser.add_argument("--delassus", type=Path, default=Path("target/release/delassus"))
    parser.add_argument("--ccx", default="ccx", help="CalculiX (Debian: calculix-ccx)")
    parser.add_argument("--meshes", default="5x100", metavar="NXxNY,..",
                        help="meshes of the half bar (default 5x100)")
    parser.add_argument("--cells", default="12", metavar="N,..",
                        help="meshes of the half balls (default 12; 24 is finer)")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each; the best counts")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for one run")
    parser.add_argument("--all", action="store_true",
                        help="also the settings of CalculiX that fail or are less accurate")
    parser.add_argument("--csv", type=Path, help="write the measurements to this file")
    parser.add_argument("--keep", type=Path, help="keep decks and outputs in this folder")
    options = parser.parse_args()
    if shutil.which(options.ccx) is None:
        parser.exit(2, f"{options.ccx} not found: install calculix-ccx, or give --ccx\n")
    if shutil.which(str(options.delassus)) is None:
        parser.exit(2, f"{options.delassus} not found: cargo build --release, or give --delassus\n")
    options.delassus = options.delassus.resolve()
    return options


def measured(command: list[str], folder: Path, options: argparse.Namespace) -> tuple[float, float, str]:
    """Elapsed and processor seconds of the best run, and why it failed if it did."""
    best, problem = (float("inf"), float("inf")), ""
    for _ in range(options.repeat):
        with (folder / "log").open("w") as log:
            start = time.perf_counter()
            process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
            status, usage = wait(process, options.limit)
        wall, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
        if status is None:
            return wall, cpu, f"more than {options.limit:.0f} s"
        best = min(best, (wall, cpu), key=lambda t: t[1])
        if status != 0:
            problem = f"exit {status}"
    return *best, problem


def wait(process: subprocess.Popen[bytes], limit: float) -> tuple[int | None, "os.struct_rusage"]:
    """Exit status and usage of a process; no status if it had to be stopped."""
    end = time.monotonic() + limit
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.monotonic() > end:
            process.kill()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = -9
            return None, usage
        time.sleep(0.01)


def run_ours(row: Row, changes: list[str], folder: Path, options: argparse.Namespace) -> Path:
    """A scene of the gallery with some values changed; its frames as VTK files."""
    folder.mkdir(parents=True, exist_ok=True)
    run, frames = folder / "run.h5", folder / "vtk"
    scene = SCENES / {"taylor": "taylor_bar.toml", "hertz": "hertz.toml"}[row.case]
    command = [str(options.delassus), "run", str(scene), "-o", str(run), "--overwrite",
               "--threads", "1"]
    for change in changes:
        command += ["--set", change]
    row.wall, row.cpu, problem = measured(command, folder, options)
    if problem:
        row.status = problem
    log = (folder / "log").read_text(errors="replace")
    if steps := re.search(r"after (\d+) steps", log):
        row.steps = f"{steps[1]} steps"
    subprocess.run([str(options.delassus), "export", str(run), "--vtk", str(frames)],
                   check=True, capture_output=True)
    return run


def frame(run: Path, last: bool) -> vtu.Mesh:
    files = sorted((run.parent / "vtk").glob("solids_*.vtu"))
    return vtu.read(files[-1 if last else 0])


def series(run: Path, options: argparse.Namespace) -> dict[str, float]:
    """The last values of all time series of a run, by name without unit."""
    text = subprocess.run([str(options.delassus), "export", str(run), "--csv", "-"], check=True,
                          capture_output=True, text=True).stdout
    last = list(csv.DictReader(io.StringIO(text)))[-1]
    return {name.split(" [")[0]: float(value) for name, value in last.items()}


def shape(points: np.ndarray) -> dict[str, float]:
    """Length of a bar along y and half-width of its foot."""
    return {"length": float(np.ptp(points[:, 1])), "foot": float(points[:, 0].max())}


def numbers(text: str, width: int) -> np.ndarray:
    """Rows of numbers of a .dat file; CalculiX leaves out the E of large exponents."""
    rows = []
    for line in text.splitlines():
        items = re.findall(r"[-+]?\d+\.?\d*(?:E[-+]\d+)?", line)
        if len(items) == width and re.match(r"^\s*[-\d]", line):
            rows.append([float(x) for x in items])
    return np.array(rows)


def run_calculix(row: Row, deck: str, folder: Path, options: argparse.Namespace) -> str:
    """What CalculiX printed in its .dat file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.inp").write_text(deck)
    row.wall, row.cpu, problem = measured([options.ccx, "-i", "case"], folder, options)
    log = (folder / "log").read_text(errors="replace")
    if "Job finished" not in log:
        errors = re.findall(r"\*ERROR:? *(.*)", log)
        row.status = problem or (errors[-1].strip() if errors else "did not finish")
        if problem and errors:
            row.status = errors[-1].strip()
    statistics = folder / "case.sta"
    if statistics.exists():
        lines = [line.split() for line in statistics.read_text().splitlines() if line.split()]
        if lines and lines[-1][0].isdigit():
            row.steps = f"{lines[-1][1]} increments"
    output = folder / "case.dat"
    return output.read_text() if output.exists() else ""


def taylor(options: argparse.Namespace, work: Path) -> list[Row]:
    rows = []
    for mesh in options.meshes.split(","):
        nx, ny = (int(n) for n in mesh.split("x"))
        base = [f"nx={nx}", f"ny={ny}"]
        for how, changes in [("semi-explicit", []), ("central differences", ["analysis.scheme=central_differences"])]:
            row = Row("taylor", "delassus", f"{how}, Quad4", mesh)
            run = run_ours(row, base + changes, work / f"bar-{mesh}-{how.replace(' ', '-')}", options)
            final = frame(run, last=True)
            row.nodes = len(final.points)
            row.found = shape(final.points)
            rows.append(row)
        start = frame(run, last=False)
        half = coarser(start.points, nx, ny)
        curved, implicit = decks.quadratic(*half), "*DYNAMIC\n2e-7,6e-5,1e-11,1e-6"
        tries = [("implicit, C3D20R, foot held", curved, implicit, None),
                 ("implicit, C3D20R, contact", curved, implicit, 5e13)]
        if options.all:
            own, explicit = (start.points, start.quads), "*DYNAMIC, EXPLICIT\n1e-6,6e-5"
            tries += [("implicit, C3D8, foot held", own, implicit, None),
                      ("implicit, C3D8, contact", own, implicit, 5e13),
                      ("implicit, C3D8R, foot held", own, implicit, None),
                      ("implicit, C3D8I, foot held", own, implicit, None),
                      ("explicit, C3D8, foot held", own, explicit, None),
                      ("explicit, C3D8R, foot held", own, explicit, None)]
        for how, (points, cells), procedure, penalty in tries:
            kind = how.split(", ")[1]
            row = Row("taylor", "CalculiX", how, mesh, len(points))
            deck = decks.taylor(points, cells, kind, procedure, penalty)
            name = f"bar-{mesh}-{how.replace(', ', '-').replace(' ', '-')}"
            text = run_calculix(row, deck, work / name, options)
            moved = numbers(text, 4)
            if len(moved) == len(points) and row.status == "ok":
                row.found = shape(points + moved[:, 1:])
            elif row.status == "ok":
                row.status = "numbers overflow"
            rows.append(row)
    return rows


def coarser(points: np.ndarray, nx: int, ny: int) -> tuple[np.ndarray, np.ndarray]:
    """Half as many cells each way (rounded up) on the same rectangle: the same nodes once quadratic."""
    mx, my = (nx + 1) // 2, (ny + 1) // 2
    x, y = np.meshgrid(np.linspace(0.0, points[:, 0].max(), mx + 1),
                       np.linspace(0.0, points[:, 1].max(), my + 1))
    nodes = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    corner = np.array([i + (mx + 1) * j for j in range(my) for i in range(mx)])
    return nodes, np.stack([corner, corner + 1, corner + mx + 2, corner + mx + 1], axis=1)


def hertz(options: argparse.Namespace, work: Path) -> list[Row]:
    rows = []
    for cells in options.cells.split(","):
        for how, changes in [("nested", []), ("condensed", ["analysis.path=condensed"])]:
            row = Row("hertz", "delassus", f"{how}, 10 steps", f"N={cells}")
            run = run_ours(row, [f"N={cells}", *changes], work / f"balls-{cells}-{how}", options)
            start = frame(run, last=False)
            row.nodes = len(start.points)
            last = series(run, options)
            if row.status == "ok":
                row.found = {"force": abs(last["contact/touch/normal_force"]),
                             "pressure": last["contact/touch/highest_pressure"]}
            rows.append(row)
        # Penalties are forces per volume: the pressure at the centre makes it 6 and 3 micrometres.
        tries = [(5e14, "SURFACE TO SURFACE", 0.1), (1e15, "SURFACE TO SURFACE", 0.1)]
        if options.all:
            tries += [(1e14, "SURFACE TO SURFACE", 0.1), (1e14, "NODE TO SURFACE", 0.1),
                      (1e15, "SURFACE TO SURFACE", 1.0)]
        for stiffness, contact, increment in tries:
            how = f"{contact.lower()}, {stiffness:.0e} N/m3"
            row = Row("hertz", "CalculiX", how, f"N={cells}", len(start.points))
            name = f"balls-{cells}-{contact.split()[0].lower()}-{stiffness:.0e}-{increment}"
            text = run_calculix(row, decks.hertz(start, stiffness, increment, contact), work / name,
                                options)
            force = numbers(text.split("contact stress")[0], 3)
            pressure = numbers(text, 5)
            if row.status == "ok" and len(force) and len(pressure):
                # Reactions are those of a sector of two degrees.
                row.found = {"force": 180.0 * abs(force[-1][1]), "pressure": centre(pressure)}
            rows.append(row)
    return rows


def centre(stresses: np.ndarray) -> float:
    """Mean pressure on the slave face next to the axis: the first in the list."""
    first = stresses[:, 0] == stresses[0, 0]
    return float(stresses[first, 2].mean())


def table(rows: list[Row], reference: dict[str, float]) -> None:
    names = list(reference)
    heads = "".join(f"{n:>14} {'error':>8}" for n in names)
    print(f"{'program':<9} {'how':<36} {'mesh':<7} {'nodes':>6} {'wall s':>8} {'CPU s':>8} "
          f"{'':>15} {heads}")
    for row in rows:
        values = "".join(f"{row.found[n]:>14.5g} {100 * (row.found[n] / reference[n] - 1):>+7.1f}%"
                         for n in names) if row.found else f"   {row.status}"
        print(f"{row.program:<9} {row.how:<36} {row.mesh:<7} {row.nodes:>6} {row.wall:>8.2f} "
              f"{row.cpu:>8.2f} {row.steps:>15} {values}")
    for mesh in dict.fromkeys(row.mesh for row in rows):
        done = [r for r in rows if r.mesh == mesh and r.found]
        theirs = [r.cpu for r in done if r.program != "delassus"]
        for ours in (r for r in done if r.program == "delassus" and theirs):
            print(f"{mesh}: best of CalculiX over delassus ({ours.how}), processor time: "
                  f"{min(theirs) / ours.cpu:.1f}")
    print()


def write(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["case", "program", "how", "mesh", "nodes", "wall_s", "cpu_s", "steps",
                         "status", "found"])
        for r in rows:
            found = ";".join(f"{k}={v:.6g}" for k, v in r.found.items())
            writer.writerow([r.case, r.program, r.how, r.mesh, r.nodes, f"{r.wall:.3f}", f"{r.cpu:.3f}",
                             r.steps, r.status, found])


def main() -> int:
    options = arguments()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.keep or Path(temporary)).resolve()
        for case, reference in (("taylor", TAYLOR), ("hertz", HERTZ)):
            if options.only in (None, case):
                print(case, flush=True)
                part = {"taylor": taylor, "hertz": hertz}[case](options, work)
                table(part, reference)
                rows += part
    if options.csv:
        write(options.csv, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
