"""The initial state of a scene as one neutral description, for every engine.

Shapes, places, velocities come from the first frame of a run of ours; what a run does not say in numbers (the
step, friction, densities, which bodies are fixed) from the scene that the run holds.

    {scene, dimension, gravity, step, end, record, friction, tolerance, unit,
     bodies: [{name, kind: fixed | moving | driven, density, position, rotation, velocity, spin, shapes: [...]}]}

Rotations are an angle in the plane and a quaternion w, x, y, z in space. Shapes, in the frame of their body whose
origin is the centre of mass: half_space (below its last axis), disc or sphere (radius), capsule (along x: half, radius),
box (centre, half), polygon (points), polyhedron (convex: points, faces), mesh (points, faces).
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import h5py
import numpy as np

ROUND = {2: 32, 3: 482}
"""Points by which a run draws a full disc or sphere."""
CAPSULE = 34
"""Points by which a run draws a capsule of the plane."""
VESSELS = ("container", "hopper", "drum")
UNBOUNDED = ("half_plane", "half_space", "height_field")


def read(run: Path) -> dict:
    """The description, from a run of any length."""
    with h5py.File(run) as file:
        header = json.loads(file.attrs["header"])
        scene = tomllib.loads(file.attrs["scene"])
        dimension = int(file.attrs["dimension"])
        shapes = geometry(file, header, dimension, scene)
        count = next(f["extent"]["fixed"] for f in header["fields"] if f["name"] == "bodies/position")
        first = {k: np.array(file[f"bodies/{k}"][0]) for k in ("position", "velocity", "orientation", "spin")}
    bodies = []
    for k in range(count):
        name, material, parts = shapes[k]
        kind = "fixed" if is_fixed(scene, name) else "moving"
        spin = first["spin"][k]
        if kind == "fixed" and np.any(spin):
            kind = "driven"
        bodies.append({
            "name": name, "kind": kind, "density": density(scene, material),
            "position": first["position"][k].tolist(), "rotation": np.atleast_1d(first["orientation"][k]).tolist(),
            "velocity": first["velocity"][k].tolist(), "spin": np.atleast_1d(spin).tolist(), "shapes": parts,
        })
    time, law = scene["time"], scene["law"]
    gravity = scene.get("gravity", [0.0] * (dimension - 1) + [-9.81])
    return {
        "scene": run.stem, "dimension": dimension, "gravity": gravity, "step": time["step"], "end": time["end"],
        "record": time["record"], "friction": law["friction"],
        "tolerance": scene.get("solver", {}).get("tolerance", 1e-8), "unit": unit(bodies), "bodies": bodies,
    }


def geometry(file: h5py.File, header: dict, dimension: int, scene: dict) -> dict[int, tuple[str, str, list]]:
    """Name, material and shapes of each body."""
    points, sizes = file["geometry/points"][:], file["geometry/sizes"][:]
    vertices, scales = file["geometry/vertices"][:], file["geometry/scales"][:]
    found: dict[int, tuple[str, str, list]] = {}
    outlines: list[tuple[np.ndarray, list]] = []
    p = f = v = 0
    for entry, scale in zip(header["geometry"], scales):
        if "like" in entry:
            outlines.append(outlines[entry["like"]])
        else:
            faces = []
            for size in sizes[f:f + entry["polygons"]]:
                faces.append(vertices[v:v + size].tolist())
                v += size
            outlines.append((points[p:p + entry["points"]], faces))
            p, f = p + entry["points"], f + entry["polygons"]
        own, faces = outlines[-1]
        given = scene.get("body", {}).get(entry["name"], {}).get("shape", {})
        _, _, parts = found.setdefault(entry["body"], (entry["name"], entry["material"], []))
        parts.append(shape(scale * own[:, :dimension], faces, dimension, next(iter(given), None)))
    return found


def shape(points: np.ndarray, faces: list, dimension: int, given: str | None) -> dict:
    """What was drawn by these points."""
    if given in ("half_plane", "half_space"):
        return {"kind": "half_space"}
    if given == "height_field":
        return {"kind": "mesh", "points": points.tolist(), "faces": faces}
    radii = np.linalg.norm(points, axis=1)
    if len(points) == ROUND[dimension] and np.ptp(radii) < 1e-12 * radii[0]:
        return {"kind": "disc" if dimension == 2 else "sphere", "radius": float(radii[0])}
    low, high = points.min(axis=0), points.max(axis=0)
    if dimension == 2 and len(points) == CAPSULE:
        return {"kind": "capsule", "half": float(high[0] - high[1]), "radius": float(high[1])}
    corners = len(points) == 2**dimension
    if corners and np.all((np.abs(points - low) < 1e-12) | (np.abs(points - high) < 1e-12)):
        return {"kind": "box", "centre": (0.5 * (low + high)).tolist(), "half": (0.5 * (high - low)).tolist()}
    if dimension == 2:
        return {"kind": "polygon", "points": points.tolist()}
    return {"kind": "polyhedron", "points": points.tolist(), "faces": faces}


def is_fixed(scene: dict, name: str) -> bool:
    """Obstacles, and vessels, which are one body of the name of their generator."""
    body = scene.get("body", {}).get(name)
    if body is not None:
        return body.get("fixed", False) or any(key in UNBOUNDED for key in body.get("shape", {}))
    return any(g["name"] == name and g["kind"] in VESSELS for g in scene.get("generate", []))


def density(scene: dict, material: str) -> float:
    return float(scene["material"][material]["density"]) if material in scene["material"] else 0.0


def unit(bodies: list[dict]) -> float:
    """The smallest extent of what moves: what engines that are tuned for metres take for a metre."""
    smallest = float("inf")
    for body in bodies:
        for part in body["shapes"] if body["kind"] == "moving" else []:
            if "radius" in part:
                extent = 2.0 * part["radius"]
            elif "half" in part:
                extent = 2.0 * min(part["half"])
            else:
                extent = float(np.ptp(np.array(part["points"]), axis=0).min())
            smallest = min(smallest, extent)
    return smallest
