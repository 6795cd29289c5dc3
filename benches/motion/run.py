#!/usr/bin/env python3
"""Time and quality of whole motions: scenes of the gallery by us, MuJoCo, Rapier and Box2D, one thread each.

See README.md in this folder for what is measured and how.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
PACKAGES = ("mujoco==4.0.0", "numpy", "h5py")
PYTHON = TARGET / "motion-python" / "bin" / "python"
PEERS = TARGET / "motion" / "release" / "motion-peers"

SCENES = ("box_stack", "card_house", "dominoes", "brick_wall", "kapla_tower", "spheres_in_box", "drum", "hopper",
          "rubble")
ENGINES = (("mujoco", "stiff"), ("rapier", "default"), ("rapier", "stiff"), ("box2d", "default"), ("box2d", "stiff"))
NAMES = {"ours": "Delassus", "mujoco": "MuJoCo", "rapier": "Rapier", "box2d": "Box2D"}
COLUMNS = ("scene", "engine", "setting", "steps", "mean_ms", "worst_ms", "penetration_mm", "drift_mm", "outcome", "notes")
HEADS = {"scene": "scene", "engine": "engine", "mean_ms": "ms per step", "worst_ms": "worst", "penetration_mm": "deepest, mm",
         "drift_mm": "drift, mm", "outcome": "at the end", "notes": "certified"}

RESOLUTION = 0.005
"""Milliseconds per step below which the difference of two runs is noise."""

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"


def interpreter() -> None:
    """The packages of the peers in a virtual environment under the target folder; goes on in it."""
    if Path(sys.prefix).resolve() == PYTHON.parents[1].resolve():
        return
    stamp = PYTHON.parents[1] / "installed"
    if not stamp.exists() or stamp.read_text() != " ".join(PACKAGES):
        subprocess.run([sys.executable, "-m", "venv", str(PYTHON.parents[1])], check=True)
        pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
        subprocess.run(pip, check=True)
        stamp.write_text(" ".join(PACKAGES))
    os.execv(PYTHON, [str(PYTHON), *sys.argv])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", metavar="scene", help=f"default: {' '.join(SCENES)}")
    parser.add_argument("--delassus", type=Path, default=TARGET / "release" / "delassus")
    parser.add_argument("--engines", default="ours,mujoco,rapier,box2d", metavar="A,B,..", help="default: all")
    parser.add_argument("--ours-only", action="store_true", help="the same as --engines ours")
    parser.add_argument("--reuse", type=Path, metavar="CSV", help="rows that are not measured now, from earlier")
    parser.add_argument("--limit", type=float, default=240.0, help="processor seconds for one run of a peer (240)")
    parser.add_argument("--csv", type=Path, help="write the measurements to this file")
    parser.add_argument("--markdown", type=Path, metavar="FILE", nargs="?", const=HERE / "README.md",
                        help="replace the table of this file (default: the README beside this script)")
    options = parser.parse_args()
    options.engines = ["ours"] if options.ours_only else options.engines.split(",")
    options.scenes = options.scenes or list(SCENES)
    for name, known in [(s, SCENES) for s in options.scenes] + [(e, NAMES) for e in options.engines]:
        if name not in known:
            parser.exit(2, f"unknown '{name}': {', '.join(known)}\n")
    if shutil.which(str(options.delassus)) is None:
        parser.exit(2, f"{options.delassus} not found: cargo build --release, or give --delassus\n")
    options.delassus = options.delassus.resolve()
    return options


def build() -> None:
    """Rapier and Box2D; ours too needs it, for one measure of penetration."""
    manifest = HERE / "peers" / "Cargo.toml"
    command = ["cargo", "build", "--release", "--quiet", "--locked", "--manifest-path", str(manifest)]
    if subprocess.run([*command, "--target-dir", str(PEERS.parents[1])]).returncode:
        sys.exit(2)


def ours(options: argparse.Namespace, *more: str) -> tuple[float, str, int]:
    """Processor seconds of a run of ours, what it said, and its exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(options.delassus), "run", *more, "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, done.stdout + done.stderr, done.returncode


def run_ours(scene: str, state: dict, folder: Path, options: argparse.Namespace) -> tuple[dict, dict]:
    """Times of a run that records nothing, less its first step; the motion of one that does."""
    run = folder / f"{scene}.ours.h5"
    ours(options, scene, "-o", str(run), "--overwrite")
    motion = recorded(run)
    setup, _, _ = ours(options, scene, "--no-record", "--set", f"time.end={state['step']}")
    whole, said, _ = ours(options, scene, "--no-record")
    motion["steps"] = round(state["end"] / state["step"])
    motion["mean_ms"] = 1e3 * (whole - setup) / (motion["steps"] - 1)
    counts = re.search(r"residual at most (\S+),.* (\d+) steps above the tolerance, (\d+) retried", said)
    slowest = re.search(r"slowest (\S+) ms", said)
    if counts is None or slowest is None:
        sys.exit(f"{scene}: no summary in what delassus said:\n{said}")
    motion["worst_ms"] = float(slowest[1])
    residual, flagged, retried = counts.groups()
    notes = f"{float(state['tolerance']):.0e}; worst {residual}, {flagged} flagged, {retried} retried"
    return motion, {"notes": notes}


def recorded(run: Path) -> dict:
    """A run file of ours as the motion that peers write."""
    import h5py
    with h5py.File(run) as file:
        times = file["frames/time"][:]
        fields = json.loads(file.attrs["header"])["fields"]
        count = next(f["extent"]["fixed"] for f in fields if f["name"] == "bodies/position")
        take = lambda name: file[f"bodies/{name}"][:len(times)].reshape(len(times), count, -1).tolist()
        return {"time": times.tolist(), "position": take("position"), "rotation": take("orientation"),
                "velocity": take("velocity"), "steps": 0, "mean_ms": 0.0, "worst_ms": 0.0}


def run_peer(engine: str, setting: str, state: Path, out: Path, options: argparse.Namespace) -> dict | None:
    """The motion of a peer; none where it has no such scenes or fails."""
    if engine == "mujoco":
        command = [str(PYTHON), str(HERE / "mujoco_peer.py"), str(state), str(out), str(options.limit)]
    else:
        command = [str(PEERS), engine, str(state), str(out), setting, str(options.limit)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{engine} {setting}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return json.loads(out.read_text())


def measured(scene: str, state: dict, files: tuple[Path, Path], motion: dict) -> dict:
    """The columns that are the same for everybody."""
    import outcomes
    done = subprocess.run([str(PEERS), "depth", *map(str, files)], capture_output=True, text=True, check=True)
    drift, outcome = outcomes.judge(scene, state, motion)
    if motion["time"][-1] < state["end"] - 0.5 * state["record"]:
        outcome = f"stopped at {motion['time'][-1]:.2f} s: {outcome}"
    worst = f"{motion['worst_ms']:.3g}" if motion["worst_ms"] else ""
    mean = f"{motion['mean_ms']:.3g}" if motion["mean_ms"] >= RESOLUTION else f"< {RESOLUTION}"
    return {"steps": motion["steps"], "mean_ms": mean, "worst_ms": worst,
            "penetration_mm": f"{1e3 * float(done.stdout):.2g}", "drift_mm": drift, "outcome": outcome}


def rows_of(scene: str, folder: Path, options: argparse.Namespace) -> list[dict]:
    import state as description
    first = folder / f"{scene}.h5"
    # The description of the start needs no step; a run has at least one.
    ours(options, scene, "-o", str(first), "--overwrite", "--set", "time.end=1e-3")
    state = description.read(first)
    source = folder / f"{scene}.json"
    source.write_text(json.dumps(state))
    rows = []
    for engine, setting in (("ours", ""), *ENGINES):
        if engine not in options.engines or (engine == "box2d" and state["dimension"] == 3):
            continue
        out, row = folder / f"{scene}.{engine}.{setting}.json", {"notes": ""}
        if engine == "ours":
            motion, row = run_ours(scene, state, folder, options)
            out.write_text(json.dumps(motion))
        else:
            motion = run_peer(engine, setting, source, out, options)
        if motion is not None:
            row |= measured(scene, state, (source, out), motion)
            rows.append({"scene": scene, "engine": engine, "setting": setting} | row)
            shown = [rows[-1][k] for k in COLUMNS]
            print("  ".join(str(x) for x in shown if x != ""), file=sys.stderr)
    return rows


def kept(options: argparse.Namespace) -> list[dict]:
    if options.reuse is None:
        return []
    with options.reuse.open() as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["engine"] not in options.engines or row["scene"] not in options.scenes]


def table(rows: list[dict]) -> str:
    lines = ["| " + " | ".join(HEADS.values()) + " |", "|" + "---|" * len(HEADS)]
    last = None
    for row in rows:
        shown = dict(row)
        shown["engine"] = " ".join(filter(None, (NAMES[row["engine"]], row["setting"])))
        shown["scene"] = "" if row["scene"] == last else f"`{row['scene']}`"
        last = row["scene"]
        lines.append("| " + " | ".join(str(shown[k]) for k in HEADS) + " |")
    return "\n".join(lines)


def replace(path: Path, text: str) -> None:
    """The lines between the two marks of a file."""
    begin, end = "<!-- table -->\n", "<!-- end of table -->"
    before, _, rest = path.read_text().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{path} has no lines '{begin.strip()}' and '{end}'")
    path.write_text(f"{before}{begin}{text}\n{end}{after}")


def main() -> None:
    options = arguments()
    build()
    rows = kept(options)
    with tempfile.TemporaryDirectory() as folder:
        for scene in options.scenes:
            rows += rows_of(scene, Path(folder), options)
    order = {name: k for k, name in enumerate(NAMES)}
    rows.sort(key=lambda row: (SCENES.index(row["scene"]), order[row["engine"]], row["setting"]))
    print(table(rows))
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if options.markdown:
        replace(options.markdown, table(rows))


if __name__ == "__main__":
    interpreter()
    main()
