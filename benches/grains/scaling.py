#!/usr/bin/env python3
"""Cost of a step against the number of grains, at equal work per contact.

The example `packing` drops N discs into a box whose width grows with N; the height of the packing
stays. The steps on the way to rest have at most 41 sweeps each, so that all sizes do the same work per contact.
Read are the times of the steps printed between t = 0.28 s and 0.33 s; the least of them is kept, since
other programs may disturb the rest.

    cargo build --release --workspace --example packing
    python3 benches/grains/scaling.py target/release/examples/packing [N ...]

Writes scaling.csv and, with matplotlib (pip install matplotlib), scaling.svg beside this file.
"""

import csv
import pathlib
import re
import subprocess
import sys

LINE = re.compile(r"^t ([\d.]+)\s+contacts\s+(\d+)\s+iterations\s+(\d+).*?([\d.]+) ms")
END = 0.34


def measure(program, n):
    """Contacts and milliseconds of the printed steps, until the grains have met."""
    process = subprocess.Popen([program, "discs", str(n), str(END)], stdout=subprocess.PIPE, text=True)
    rows = []
    for line in process.stdout:
        found = LINE.match(line)
        if not found:
            break
        t, contacts, sweeps, ms = float(found[1]), int(found[2]), int(found[3]), float(found[4])
        if t > 0.28:
            rows.append((ms, contacts, sweeps))
        if t > 0.32:
            break
    process.kill()
    return min(rows)


def main():
    program, sizes = sys.argv[1], [int(n) for n in sys.argv[2:]] or [2000, 5000, 10000, 20000, 50000]
    here = pathlib.Path(__file__).parent
    table = []
    for n in sizes:
        ms, contacts, sweeps = measure(program, n)
        table.append((n, contacts, sweeps, ms, 1e3 * ms / n))
        print(f"{n:6} discs  {contacts:6} contacts  {sweeps:3} sweeps  {ms:8.2f} ms  {1e3 * ms / n:6.2f} µs per disc", flush=True)
    with open(here / "scaling.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["discs", "contacts", "sweeps", "ms per step", "µs per disc"])
        writer.writerows(table)
    try:
        import matplotlib
    except ImportError:
        sys.exit("scaling.csv written; for the plot: pip install matplotlib")
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.6))
    discs, ms = [row[0] for row in table], [row[3] for row in table]
    axes.loglog(discs, ms, "o-", color="#0072b2", label="one step")
    axes.loglog(discs, [ms[0] * n / discs[0] for n in discs], "--", color="#999999", label="linear")
    axes.set_xlabel("discs")
    axes.set_ylabel("ms per step")
    axes.legend()
    figure.tight_layout()
    figure.savefig(here / "scaling.svg")


if __name__ == "__main__":
    main()
