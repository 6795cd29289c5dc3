#!/usr/bin/env python3
"""Compare `delassus solve` with every solver of Siconos on FCLIB files.

See README.md in this folder for what is measured and how.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import h5py  # noqa: F401
    import numpy as np
    import scipy  # noqa: F401
    import siconos.numerics  # noqa: F401
except ImportError as missing:
    print(f"{missing}\nThis comparison needs Debian's packages python3-siconos, python3-h5py, "
          "python3-numpy and python3-scipy, and Debian's own interpreter (/usr/bin/python3).",
          file=sys.stderr)
    sys.exit(2)

import fclib
import peer
from measure import measure

COLUMNS = ["file", "contacts", "solver", "time_s", "error", "status", "iterations", "tol_used",
           "setup_s", "cpu_s"]
BIG = 20
"""Files with at least this many contacts enter the totals."""
SLOW = 1.5

Row = dict[str, Any]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="+", type=Path, help="FCLIB files or folders of them")
    parser.add_argument("--tol", type=float, default=1e-8, help="target error (default 1e-8)")
    parser.add_argument("--scale", choices=("q", "max"), default="q",
                        help="denominator of the error: |q| (default) or max(|q|, |u|, |r|)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each solver; best counts")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one solve")
    parser.add_argument("--cap", type=float, default=0.0, metavar="FACTOR",
                        help="once a solver took t on a file, give the others FACTOR*t (0: no)")
    parser.add_argument("--only", default="", help="only files whose name contains this")
    parser.add_argument("--skip", default="",
                        help="not the files whose name contains one of these (a,b)")
    parser.add_argument("--solvers", default="", help="only these Siconos solvers (a,b,c)")
    parser.add_argument("--min-contacts", type=int, default=0)
    parser.add_argument("--max-contacts", type=int, default=10**9)
    parser.add_argument("--csv", type=Path, help="append a row per solver and file, as they come")
    parser.add_argument("--reuse", type=Path, nargs="*", default=[],
                        help="CSV files of an earlier run here: files in them are not run again")
    parser.add_argument("--shortlist", type=Path, nargs="*", default=[], metavar="CSV",
                        help="run only the solvers that were best on each file in these")
    parser.add_argument("--top", type=int, default=4, help="how many solvers are shortlisted")
    parser.add_argument("--count-condensation", action="store_true",
                        help="add the condensation of global problems to Siconos' local solvers")
    parser.add_argument("--cpu", action="store_true",
                        help="on a busy machine: count Siconos' processor time, not elapsed time")
    parser.add_argument("--delassus", type=Path, default=Path("target/release/delassus"))
    parser.add_argument("--no-ours", action="store_true", help="run only Siconos")
    return parser.parse_args()


def files(options: argparse.Namespace) -> Iterator[Path]:
    for place in options.problems:
        found = sorted(place.rglob("*.hdf5")) if place.is_dir() else [place]
        yield from (path for path in found if options.only in path.stem
                    and not any(part and part in path.stem for part in options.skip.split(",")))


def append(path: Path | None, row: Row) -> None:
    """Write one row now, so that an interrupted run keeps what it measured."""
    if path is None:
        return
    fresh = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if fresh:
            writer.writeheader()
        writer.writerow(row)


def stored(paths: list[Path]) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for path in paths:
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["solver"] != "delassus":
                    for key in ("time_s", "error", "setup_s", "cpu_s"):
                        row[key] = float(row[key])
                    rows.setdefault(row["file"], []).append(row)
    return rows


def shortlisted(rows: list[Row], top: int) -> set[str]:
    """The solvers with the best times on one file."""
    solved = sorted((row["time_s"], row["solver"]) for row in rows if row["status"] == "solved")
    return {solver for _, solver in solved[:top]}


def run_peer(problem: fclib.Problem, options: argparse.Namespace, wanted: set[str]) -> list[Row]:
    """Siconos' solvers, all or those wanted, on one problem."""
    rows: list[Row] = []
    fastest = math.inf
    for solver in peer.catalogue(problem):
        names = {solver.name, solver.name.split(":")[-1]}
        if problem.contacts > solver.max_contacts or (wanted and not names & wanted):
            continue
        limit = options.limit
        if options.cap > 0.0:
            limit = min(limit, max(0.3, options.cap * fastest))
        outcome = peer.solve(problem, solver, options.tol, options.scale, options.repeat,
                             limit)
        if outcome.status == "solved":
            fastest = min(fastest, outcome.time_s)
        condensed = problem.global_form is not None and solver.route != "global"
        rows.append({"file": problem.name, "contacts": problem.contacts, "solver": solver.name,
                     "time_s": outcome.time_s, "error": outcome.error, "status": outcome.status,
                     "iterations": outcome.iterations, "tol_used": outcome.tol_used,
                     "setup_s": problem.condense_s if condensed else 0.0, "cpu_s": outcome.cpu_s})
        append(options.csv, rows[-1])
    return rows


def run_ours(problem: fclib.Problem, options: argparse.Namespace) -> Row:
    """`delassus solve` on one file, its answer judged like everyone's."""
    row: Row = {"file": problem.name, "contacts": problem.contacts, "solver": "delassus",
                "time_s": math.nan, "error": math.nan, "status": "failed", "iterations": 0,
                "tol_used": options.tol, "setup_s": 0.0, "cpu_s": math.nan}
    command = [str(options.delassus), "solve", str(problem.path), "--tol", repr(options.tol),
               "--json", "--repeat", str(options.repeat), "--threads", "1", "--with-solution"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=options.limit * (options.repeat + 1) + 10.0)
        report = json.loads(done.stdout)[0]
    except FileNotFoundError:
        row["status"] = "no binary"
    except subprocess.TimeoutExpired:
        row["status"] = "timeout"
    except (json.JSONDecodeError, IndexError):
        row["status"] = "crashed"
    else:
        row["time_s"], row["iterations"] = report["time_s"], report["iterations"]
        if report.get("solution") is not None:
            row["error"] = measure(problem, np.asarray(report["solution"], dtype=float),
                                   options.scale)
        if row["error"] <= options.tol:
            row["status"] = "solved"
    append(options.csv, row)
    return row


def best_of(rows: list[Row], options: argparse.Namespace) -> tuple[str, float] | None:
    """The solver that reached the tolerance first, and its time."""
    times = []
    for row in rows:
        if row["status"] == "solved":
            taken = row["time_s"]
            if options.cpu and not math.isnan(row["cpu_s"]):
                taken = min(taken, row["cpu_s"])
            if options.count_condensation:
                taken += row["setup_s"]
            times.append((taken, row["solver"]))
    if not times:
        return None
    taken, solver = min(times)
    return solver, taken


def seconds(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value * 1e3:.3f} ms"


def main() -> int:
    options = arguments()
    known, earlier = stored(options.reuse), stored(options.shortlist)
    print(f"{'file':<42} {'nc':>5}  {'best of Siconos':<24} {'time':>13} {'ours':>13} {'ratio':>7}")
    theirs_total = ours_total = 0.0
    both = slower = ours_alone = theirs_alone = nobody = 0
    for path in files(options):
        try:
            problem = fclib.read(path)
        except fclib.Unsupported as reason:
            print(f"{path.stem:<42} not posed: {reason}")
            continue
        if not options.min_contacts <= problem.contacts <= options.max_contacts:
            continue
        wanted = set(filter(None, options.solvers.split(",")))
        if options.shortlist:
            wanted = shortlisted(earlier.get(problem.name, []), options.top) or {"none"}
        rows = known.get(problem.name) or run_peer(problem, options, wanted)
        theirs = best_of(rows, options)
        ours = None if options.no_ours else run_ours(problem, options)
        solved = ours is not None and ours["status"] == "solved"
        ratio, time_of_ours = "", None
        if ours is not None:
            time_of_ours = ours["time_s"] if solved else None
            ratio = "" if solved else ours["status"]
        if solved and theirs:
            ratio = f"{time_of_ours / theirs[1]:.2f}"
            slower += time_of_ours > SLOW * theirs[1]
            both += 1
            if problem.contacts >= BIG:
                theirs_total += theirs[1]
                ours_total += time_of_ours
        ours_alone += solved and not theirs
        theirs_alone += theirs is not None and not solved
        nobody += theirs is None and not solved
        solver, time_of_theirs = theirs if theirs else ("none", None)
        print(f"{problem.name:<42} {problem.contacts:>5}  {solver:<24} "
              f"{seconds(time_of_theirs):>13} {seconds(time_of_ours):>13} {ratio:>7}", flush=True)
    if not options.no_ours:
        print(f"\nsolved by both: {both}; only ours: {ours_alone}; only Siconos: {theirs_alone}; "
              f"nobody: {nobody}")
        print(f"files where ours takes more than {SLOW}x the best of Siconos: {slower}")
        if theirs_total > 0.0:
            print(f"total over files with >= {BIG} contacts solved by both: Siconos "
                  f"{theirs_total:.4f} s (its best solver per file), ours {ours_total:.4f} s, "
                  f"ratio {ours_total / theirs_total:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
