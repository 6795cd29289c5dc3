"""The bodies and the forces of one frame with PyVista.

    python pyvista_show.py RUN.h5 [FRAME] [FILE.vtm]

With a file it writes the meshes, without one it opens a window.
"""

import json
import sys

import h5py
import numpy as np
import pyvista as pv


def turned(points, q):
    """Points turned by an angle, or by a quaternion (w, x, y, z)."""
    if len(q) == 1:
        c, s = np.cos(q[0]), np.sin(q[0])
        return points @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T
    w, v = q[0], q[1:]
    return points + 2 * np.cross(v, np.cross(v, points) + w * points)


def wide(x):
    """Places of the plane in space."""
    return np.pad(x, ((0, 0), (0, 3 - x.shape[1])))


def bodies(f, frame):
    """One mesh for each shape, where it is."""
    outlines, at, polygon, vertex = {}, 0, 0, 0
    points, sizes = f["geometry/points"][:], f["geometry/sizes"][:]
    vertices, scales = f["geometry/vertices"][:], f["geometry/scales"][:]
    place = wide(f["bodies/position"][frame])
    turn = f["bodies/orientation"][frame].reshape(len(place), -1)
    blocks = pv.MultiBlock()
    for i, shape in enumerate(json.loads(f.attrs["header"])["geometry"]):
        if shape.get("like") is None:
            faces, lines = [], []
            for size in sizes[polygon : polygon + shape["polygons"]]:
                (faces if size > 2 else lines).append((size, vertices[vertex : vertex + size]))
                vertex += size
            outlines[i] = (points[at : at + shape["points"]], faces, lines)
            at, polygon = at + shape["points"], polygon + shape["polygons"]
        mesh, faces, lines = outlines[shape.get("like", i)]
        cells = [np.hstack([[n, *v] for n, v in kind]) if kind else None for kind in (faces, lines)]
        body = shape["body"]
        if body >= len(place):
            continue  # a deformable solid
        here = turned(scales[i] * mesh, turn[body]) + place[body]
        blocks.append(pv.PolyData(here, faces=cells[0], lines=cells[1]), f"{shape['name']} {i}")
    return blocks


with h5py.File(sys.argv[1]) as f:
    frame = int(sys.argv[2]) if len(sys.argv) > 2 else len(f["frames/time"]) - 1
    scene = bodies(f, frame)
    first, count = f["frames/contacts"][frame]
    contacts = pv.PolyData(wide(f["contacts/point"][first : first + count])) if count else pv.PolyData()
    if count:
        contacts["force"] = wide(f["contacts/force"][first : first + count])
    scene.append(contacts, "contacts")

print(f"{scene.n_blocks - 1} shapes, {contacts.n_points} contacts, from {scene.bounds[0]:g} to {scene.bounds[1]:g} m")
if len(sys.argv) > 3:
    scene.save(sys.argv[3])
else:
    plotter = pv.Plotter()
    plotter.add_mesh(scene, show_edges=True)
    if contacts.n_points:
        largest = np.linalg.norm(contacts["force"], axis=1).max()
        plotter.add_mesh(contacts.glyph(orient="force", scale="force", factor=0.2 / max(largest, 1e-12)), color="red")
    plotter.show()
