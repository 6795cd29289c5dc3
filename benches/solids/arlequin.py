#!/usr/bin/env python3
"""Taylor's bar by one model and by two: unknowns, processor times, results against the fine model.

Runs the variants of the scene taylor_arlequin on one thread, one after the other, and prints a table: the bar meshed
coarsely and finely, and a fine foot glued to a coarse bar (plastic, elastic). See README.md in this folder.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"
SCENE = Path(__file__).resolve().parents[2] / "scenes" / "taylor_arlequin.toml"
VARIANTS = ("fine", "coarse", "plastic", "elastic")


def called(command: list[str]) -> str:
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def timed(command: list[str]) -> float:
    """Processor seconds of a command, user and system."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def last(delassus: str, run: Path, *fields: str) -> list[float]:
    """The last numbers of a series."""
    text = called([delassus, "plot", str(run), *fields, "--csv", "-"])
    return [float(word) for word in text.strip().splitlines()[-1].split(",")[1:]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delassus", default="target/release/delassus")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change the scene")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="the first is what others are held against")
    options = parser.parse_args()
    delassus = shutil.which(options.delassus)
    if delassus is None:
        parser.exit(2, f"{options.delassus} not found: cargo build --release, or give --delassus\n")
    changes = [word for change in options.set for word in ("--set", change)]
    reference = None
    print(f"{'':10} {'unknowns':>8} {'CPU':>8} {'length':>10} {'foot':>10} {'plastic work':>13}")
    with tempfile.TemporaryDirectory() as folder:
        for variant in options.variants.split(","):
            run = Path(folder) / f"{variant}.h5"
            scene = [str(SCENE), "--variant", variant, *changes]
            unknowns = int(re.search(r"(\d+) free unknowns", called([delassus, "check", *scene])).group(1))
            cpu = timed([delassus, "run", *scene, "-q", "-o", str(run)])
            tall, wide = last(delassus, run, "head/displacement.y", "edge/displacement.x")
            work, = last(delassus, run, "work/plastic")
            row = [unknowns, cpu, 20e-3 + tall, 1e-3 + wide, work]
            reference = reference or row
            print(f"{variant:10} {row[0]:8} {row[1]:6.1f} s {1e3 * row[2]:7.3f} mm {1e3 * row[3]:7.3f} mm {row[4]:11.1f} J")
            off = [100 * (a / b - 1) for a, b in zip(row[2:], reference[2:])]
            print(f"{'':10} {row[0] / reference[0]:8.2f} {row[1] / reference[1]:8.2f} {off[0]:+8.2f} % {off[1]:+8.2f} % "
                  f"{off[2]:+11.2f} %", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
