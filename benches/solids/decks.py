"""CalculiX decks of the two cases, on the meshes that delassus made."""

from __future__ import annotations

from typing import Iterable

import numpy as np

from vtu import Mesh

EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))


def _set(name: str, items: Iterable[int], kind: str = "NSET") -> list[str]:
    numbers = [str(int(i) + 1) for i in items]
    rows = [",".join(numbers[k:k + 10]) + "," for k in range(0, len(numbers), 10)]
    return [f"*{kind}, {kind}={name}", *rows]


def _nodes(points: np.ndarray) -> list[str]:
    # Entries have at most twenty characters.
    return ["*NODE, NSET=NALL",
            *(f"{i + 1}," + ",".join(f"{x:.11e}" for x in p) for i, p in enumerate(points))]


def _elements(kind: str, name: str, cells: np.ndarray, first: int = 0) -> list[str]:
    rows = [f"*ELEMENT, TYPE={kind}, ELSET={name}"]
    for e, cell in enumerate(cells):
        numbers = [str(first + e + 1), *(str(int(n) + 1) for n in cell)]
        # A line of a deck has at most sixteen entries.
        rows += [",".join(numbers[k:k + 16]) + ("," if k + 16 < len(numbers) else "")
                 for k in range(0, len(numbers), 16)]
    return rows


def quadratic(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes in the middle of the edges of four-noded cells."""
    middle: dict[tuple[int, int], int] = {}
    more: list[np.ndarray] = []
    out = []
    for cell in cells:
        row = list(cell)
        for a, b in EDGES:
            key = (min(cell[a], cell[b]), max(cell[a], cell[b]))
            if key not in middle:
                middle[key] = len(points) + len(more)
                more.append(0.5 * (points[key[0]] + points[key[1]]))
            row.append(middle[key])
        out.append(row)
    return np.vstack([points, np.array(more)]), np.array(out)


def layer(points: np.ndarray, cells: np.ndarray, thickness: float) -> tuple[np.ndarray, np.ndarray]:
    """One layer of bricks on plane cells of four or eight nodes; node i + n lies behind node i.

    CalculiX itself makes bricks of plane elements, but not with initial velocities.
    """
    n = len(points)
    behind = points + [0.0, 0.0, thickness]
    if cells.shape[1] == 4:
        return np.vstack([points, behind]), np.hstack([cells, cells + n])
    corners = np.unique(cells[:, :4])
    between = {c: 2 * n + k for k, c in enumerate(corners)}
    middles = points[corners] + [0.0, 0.0, 0.5 * thickness]
    c, m = cells[:, :4], cells[:, 4:]
    vertical = np.vectorize(between.get)(c)
    return np.vstack([points, behind, middles]), np.hstack([c, c + n, m, m + n, vertical])


def taylor(points: np.ndarray, cells: np.ndarray, kind: str, procedure: str) -> str:
    """The bar of Taylor as one layer of bricks in plane strain, its foot held in its plane.

    Held in both directions: with a contact pair the implicit steps of CalculiX do not
    converge here (README.md), and this spares it the search and the contact.
    """
    front = len(points)
    width = points[:, 0].max()
    points, cells = layer(points, cells, width / 5.0)
    return "\n".join([
        *_nodes(points), *_elements(kind, "BAR", cells),
        *_set("FRONT", range(front)),
        *_set("AXIS", np.flatnonzero(points[:, 0] == 0.0)),
        *_set("FOOT", np.flatnonzero(points[:, 1] == 0.0)),
        "*MATERIAL, NAME=COPPER", "*ELASTIC", "1.17e11,0.35", "*DENSITY", "8930.",
        "*PLASTIC", "4e8,0.", f"{4e8 + 10 * 1e8!r},10.",
        "*SOLID SECTION, ELSET=BAR, MATERIAL=COPPER",
        "*BOUNDARY", "AXIS,1,1,0.", "FOOT,2,2,0.", "NALL,3,3,0.",
        "*INITIAL CONDITIONS, TYPE=VELOCITY", "NALL,2,-227.",
        "*STEP, NLGEOM, INC=1000000", procedure,
        "*NODE PRINT, NSET=FRONT, FREQUENCY=1000000", "U",
        "*END STEP", ""])


def hertz(mesh: Mesh, stiffness: float, increment: float, contact: str) -> str:
    """Two half balls of revolution, their flat faces moved towards each other by 2 mm each."""
    points, cells = mesh.points, mesh.quads
    upper = np.unique(cells[mesh.solid == 0])
    lower = np.unique(cells[mesh.solid == 1])
    radius = np.abs(points[:, 1]).max()
    top = [i for i in upper if abs(points[i, 1] - radius) < 1e-9]
    bottom = [i for i in lower if abs(points[i, 1] + radius) < 1e-9]
    axis = np.flatnonzero(np.abs(points[:, 0]) < 1e-12)

    def faces(solid: int, centre: float) -> list[str]:
        """Edges on the ball, as faces of cells; only those that may touch."""
        rows = []
        for e in np.flatnonzero(mesh.solid == solid):
            for k, (a, b) in enumerate(EDGES):
                ends = points[cells[e][[a, b]]]
                far = np.hypot(ends[:, 0], ends[:, 1] - centre)
                if np.all(np.abs(far / radius - 1.0) < 1e-9) and ends[:, 0].max() < 0.5 * radius:
                    rows.append(f"{e + 1},S{k + 1}")
        return rows

    return "\n".join([
        *_nodes(points), *_elements("CAX4", "BALLS", cells),
        *_set("TOP", top), *_set("BOTTOM", bottom), *_set("AXIS", axis),
        "*MATERIAL, NAME=RESIN", "*ELASTIC", "2e10,0.3",
        "*SOLID SECTION, ELSET=BALLS, MATERIAL=RESIN",
        "*SURFACE, NAME=SLAVE, TYPE=ELEMENT", *faces(0, radius),
        "*SURFACE, NAME=MASTER, TYPE=ELEMENT", *faces(1, -radius),
        "*SURFACE INTERACTION, NAME=TOUCH",
        "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR", repr(stiffness),
        f"*CONTACT PAIR, INTERACTION=TOUCH, TYPE={contact}", "SLAVE,MASTER",
        "*BOUNDARY", "AXIS,1,1,0.",
        "*STEP, INC=1000", "*STATIC", f"{increment!r},1.,1e-6,{increment!r}",
        "*BOUNDARY", "TOP,2,2,-2e-3", "BOTTOM,2,2,2e-3",
        "*NODE PRINT, NSET=TOP, TOTALS=ONLY, FREQUENCY=1000", "RF",
        "*CONTACT PRINT, FREQUENCY=1000", "CSTR",
        "*END STEP", ""])
