"""Solids from meshes in memory: the model of Gmsh, and meshes of meshio, with their named groups.

A mesh goes into a scene as it is, and its groups are the parts and boundaries that supports, loads and contacts speak of:

.. code-block:: python

    gmsh.model.addPhysicalGroup(1, [4], name="foot")
    gmsh.model.mesh.generate(2)
    scene.mesh("part", gmsh.model)                  # or a mesh of meshio
    scene.solid("part", mesh="part", material="steel")
    scene.item("support", "wall", on="part/foot", x=0, y=0)
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from ..errors import SceneError

__all__ = ["mesh_bytes", "mesh_file"]

#: Cells of solids, as meshio names them.
_SOLID = ("triangle", "triangle6", "quad", "quad8", "tetra", "tetra10", "hexahedron")
#: Cells that surround them.
_OTHER = ("vertex", "line", "line3")


def mesh_file(mesh: Any, path: str | os.PathLike[str]) -> dict[str, str]:
    """Writes a mesh of meshio (.vtu) or the current model of Gmsh (.msh) to a file; the table `[mesh.NAME]` that reads it.

    Use it with `World(scene, folder=...)`, where the folder is that of the file::

        table = mesh_file(meshio.read("part.inp"), folder / "part.vtu")
        scene["mesh"] = {"part": table}
        World(scene, folder=folder)
    """
    name, (ending, content) = os.fspath(path), mesh_bytes(mesh)
    if not name.endswith(ending):
        raise SceneError(f"{name}: this mesh is handed over as a {ending} file")
    with open(name, "wb") as file:
        file.write(content)
    return {"kind": "file", "file": os.path.basename(name)}


def mesh_bytes(mesh: Any) -> tuple[str, bytes]:
    """The ending and the content of the file of a mesh. Groups are kept: physical ones of Gmsh, cell sets and point sets of
    meshio, and what meshio read as physical groups."""
    # A module and a class: there is one current model.
    if getattr(mesh, "__name__", "") == "gmsh" or (isinstance(mesh, type) and mesh.__module__ == "gmsh"):
        return ".msh", _of_gmsh()
    if hasattr(mesh, "points") and hasattr(mesh, "cells"):
        return ".vtu", _of_meshio(mesh)
    raise SceneError(f"{type(mesh).__name__} is no mesh: expected one of meshio, or gmsh.model")


def _of_gmsh() -> bytes:
    import gmsh

    if not gmsh.isInitialized():
        raise SceneError("gmsh has no model: expected gmsh.initialize() and a mesh")
    solid = [d for d in (3, 2) if len(gmsh.model.mesh.getElements(d)[0])]
    if not solid:
        raise SceneError(f"the model '{gmsh.model.getCurrent()}' has no cells: expected gmsh.model.mesh.generate(2) or (3)")
    # Version 4.1 has the groups beside the cells, so that all cells can be written, those of no group too.
    wanted = {"Mesh.MshFileVersion": 4.1, "Mesh.Binary": 1, "Mesh.SaveAll": 1}
    before = {key: gmsh.option.getNumber(key) for key in wanted}
    try:
        for key, value in wanted.items():
            gmsh.option.setNumber(key, value)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.msh")
            gmsh.write(path)
            with open(path, "rb") as file:
                return file.read()
    finally:
        for key, value in before.items():
            gmsh.option.setNumber(key, value)


def _of_meshio(mesh: Any) -> bytes:
    import meshio

    kinds = {block.type for block in mesh.cells}
    unknown = kinds - {*_SOLID, *_OTHER}
    if unknown or not kinds & set(_SOLID):
        raise SceneError(f"the mesh has cells {sorted(unknown or kinds)}: expected {', '.join(_SOLID)}",
                         cells=sorted(kinds))  # fmt: skip
    points = np.asarray(mesh.points, dtype=float)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise SceneError(f"points have shape {points.shape}: expected (points, 2) or (points, 3)")
    points = np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])
    nodes = {f"group:{name}": _marks(chosen, len(points)) for name, chosen in (mesh.point_sets or {}).items()}
    cells = {f"group:{name}": marks for name, marks in _cell_groups(mesh).items()}
    plain = meshio.Mesh(points, mesh.cells, point_data=nodes, cell_data=cells)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mesh.vtu")
        meshio.write(path, plain, file_format="vtu", binary=True, compression=None)
        with open(path, "rb") as file:
            return file.read()


def _marks(chosen: Any, count: int) -> Any:
    marks = np.zeros(count, dtype=np.int32)
    marks[np.asarray(chosen, dtype=np.int64)] = 1
    return marks


def _cell_groups(mesh: Any) -> dict[str, list[Any]]:
    """Marks of the cells of each group, block by block."""
    sizes = [len(block.data) for block in mesh.cells]
    found = {}
    for name, chosen in (mesh.cell_sets or {}).items():
        if not name.startswith("gmsh:"):  # entities, not groups
            found[name] = [_marks([] if c is None else c, n) for c, n in zip(chosen, sizes)]
    physical = (mesh.cell_data or {}).get("gmsh:physical")
    for name, (tag, dimension) in (mesh.field_data or {}).items():
        if physical is not None and name not in found:
            mine = [dimension == _DIMENSION.get(block.type, 3) for block in mesh.cells]
            found[name] = [((np.asarray(p) == tag) & own).astype(np.int32) for p, own in zip(physical, mine)]
    return found


_DIMENSION = {"vertex": 0, "line": 1, "line3": 1, "triangle": 2, "triangle6": 2, "quad": 2, "quad8": 2}
