#!/usr/bin/env python3
"""Writes the meshes of this folder: python3 meshes.py (needs nothing beside Python).

Quadrangles of four nodes in patches with four sides, each filled by transfinite interpolation; nodes that coincide
are one. Lengths in millimetres. Groups are those of the boundary, as Gmsh's physical names (format 2.2).
"""

from math import cos, hypot, pi, sin
from pathlib import Path


def line(a, b, n, grading=1.0):
    """n + 1 points from a to b; the last piece is `grading` times the first."""
    ratio = grading ** (1 / max(n - 1, 1))
    sizes = [ratio**i for i in range(n)]
    at = [sum(sizes[:i]) / sum(sizes) for i in range(n + 1)]
    return [(a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])) for s in at]


def arc(centre, radius, start, end, n):
    """n + 1 points of a circle between two angles [rad]."""
    at = [start + (end - start) * i / n for i in range(n + 1)]
    return [(centre[0] + radius * cos(a), centre[1] + radius * sin(a)) for a in at]


class Mesh:
    def __init__(self):
        self.nodes, self.index, self.cells, self.groups = [], {}, [], {}

    def node(self, p):
        key = (round(p[0] * 1e6), round(p[1] * 1e6))
        if key not in self.index:
            self.index[key] = len(self.nodes)
            self.nodes.append(p)
        return self.index[key]

    def patch(self, bottom, right, top, left):
        """A patch between lists of points: bottom and top from left to right, left and right from bottom to top."""
        n, m = len(bottom) - 1, len(left) - 1
        assert (n, m) == (len(top) - 1, len(right) - 1)

        def share(side):
            total = [0.0]
            for a, b in zip(side, side[1:]):
                total.append(total[-1] + hypot(b[0] - a[0], b[1] - a[1]))
            return [t / total[-1] for t in total]

        low, high, before, after = share(bottom), share(top), share(left), share(right)
        grid = []
        for j in range(m + 1):
            row = []
            for i in range(n + 1):
                v = before[j] + (after[j] - before[j]) * i / n
                u = low[i] + (high[i] - low[i]) * j / m
                p = []
                for k in (0, 1):
                    sides = (1 - v) * bottom[i][k] + v * top[i][k] + (1 - u) * left[j][k] + u * right[j][k]
                    corners = (1 - u) * (1 - v) * bottom[0][k] + u * (1 - v) * bottom[n][k]
                    corners += (1 - u) * v * top[0][k] + u * v * top[n][k]
                    p.append(sides - corners)
                # The sides themselves, to the last bit.
                p = bottom[i] if j == 0 else top[i] if j == m else left[j] if i == 0 else right[j] if i == n else p
                row.append(self.node(tuple(p)))
            grid.append(row)
        for j in range(m):
            for i in range(n):
                self.cells.append((grid[j][i], grid[j][i + 1], grid[j + 1][i + 1], grid[j + 1][i]))

    def group(self, name, inside):
        """Facets of the boundary both nodes of which are inside."""
        count = {}
        for c in self.cells:
            for a, b in zip(c, c[1:] + c[:1]):
                key = (min(a, b), max(a, b))
                count[key] = (a, b) if key not in count else None
        facets = [f for f in count.values() if f and all(inside(self.nodes[k]) for k in f)]
        assert facets, name
        self.groups[name] = facets

    def write(self, name):
        physical = ["body", *self.groups]
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(physical))]
        lines += [f'{2 if k == 0 else 1} {k + 1} "{g}"' for k, g in enumerate(physical)]
        lines += ["$EndPhysicalNames", "$Nodes", str(len(self.nodes))]
        lines += [f"{i + 1} {p[0]:.9g} {p[1]:.9g} 0" for i, p in enumerate(self.nodes)]
        elements = [(1, k + 2, f) for k, fs in enumerate(self.groups.values()) for f in fs]
        elements += [(3, 1, c) for c in self.cells]
        lines += ["$EndNodes", "$Elements", str(len(elements))]
        for i, (kind, tag, nodes) in enumerate(elements):
            lines.append(f"{i + 1} {kind} 2 {tag} {tag} " + " ".join(str(k + 1) for k in nodes))
        lines += ["$EndElements", ""]
        (Path(__file__).parent / name).write_text("\n".join(lines))


def near(a, b):
    return abs(a - b) < 1e-6


def punch():
    """Half of the section of a punch, radius 50, height 100, with a fillet of radius 10 at its edge (40, 0)-(50, 10)."""
    flat, round_, up = 20, 6, 16
    s = (36.0, 14.0)  # where the patches meet
    p0, p90, c = (40.0, 0.0), (50.0, 10.0), (40.0, 10.0)
    mesh = Mesh()
    # The triangle between the fillet and s, in three patches around its middle.
    half = [arc(c, 10, -pi / 2, -pi / 4, round_), arc(c, 10, -pi / 4, 0, round_)]
    p45 = half[0][-1]
    middle = (41.5, 8.5)
    sides = line(p0, s, 2 * round_), line(p90, s, 2 * round_)
    m0, m90 = sides[0][round_], sides[1][round_]
    spokes = line(m0, middle, round_), line(m90, middle, round_), line(p45, middle, round_)
    mesh.patch(half[0], spokes[2], spokes[0], sides[0][: round_ + 1])
    mesh.patch(half[1], sides[1][: round_ + 1], spokes[1][::-1], spokes[2])
    mesh.patch(spokes[0], spokes[1][::-1], line(s, m90, round_), sides[0][round_:])
    # Below, beside and above.
    across = line((0, 14), s, flat, 0.12)
    mesh.patch(line((0, 0), p0, flat, 0.12), sides[0], across, line((0, 0), (0, 14), 2 * round_))
    mesh.patch(across, line(s, (36, 100), up, 8), line((0, 100), (36, 100), flat, 0.12), line((0, 14), (0, 100), up, 8))
    mesh.patch(sides[1][::-1], line(p90, (50, 100), up, 8), line((36, 100), (50, 100), 2 * round_), line(s, (36, 100), up, 8))
    mesh.group("axis", lambda p: near(p[0], 0))
    mesh.group("top", lambda p: near(p[1], 100))
    mesh.group("foot", lambda p: near(p[1], 0) or near(hypot(p[0] - 40, p[1] - 10), 10))
    mesh.write("punch.msh")


def strip():
    """Half of a strip with a hole of radius 50 at the origin, its end round with radius 100, held at y = 200."""
    around, across = 24, 14  # cells along a quarter of the hole, as the pin has them, and between hole and outside
    mesh = Mesh()

    def hole(start, end, n):
        return arc((0, 0), 50, start * pi / 180, end * pi / 180, n)

    def spoke(a, b):
        return line(a, b, across, 4)

    outside = arc((0, 0), 100, -pi / 2, 0, around)
    bottom, side, corner, top = (0.0, -100.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0)
    edges = {a: hole(a, a, 1)[0] for a in (-90, 0, 45, 90)}
    edges[-90], edges[90] = (0.0, -50.0), (0.0, 50.0)
    outside[0], outside[-1] = bottom, side

    def sector(start, end, n, outer, first, last):
        inner = hole(start, end, n)
        inner[0], inner[-1] = edges[start], edges[end]
        # Counter-clockwise cells: outwards along u, around along v.
        mesh.patch(spoke(inner[0], first), outer, spoke(inner[-1], last), inner)

    sector(-90, 0, around, outside, bottom, side)
    sector(0, 45, around // 2, line(side, corner, around // 2), side, corner)
    upper = line(corner, top, around // 2)
    sector(45, 90, around // 2, upper, corner, top)
    mesh.patch(upper[::-1], line(corner, (100, 200), 10), line((0, 200), (100, 200), around // 2), line(top, (0, 200), 10))
    mesh.group("axis", lambda p: near(p[0], 0))
    mesh.group("end", lambda p: near(p[1], 200))
    mesh.group("hole", lambda p: near(hypot(*p), 50))
    mesh.write("strip.msh")


if __name__ == "__main__":
    punch()
    strip()
