"""Solids from meshes in memory: meshio's, and those of gmsh through it."""

from __future__ import annotations

import os
from typing import Any

from ..errors import SceneError

__all__ = ["mesh_file"]

#: Cells of solids.
_SOLID = ("triangle", "triangle6", "quad", "quad8", "quad9", "tetra", "tetra10", "hexahedron", "hexahedron20")


def mesh_file(mesh: Any, path: str | os.PathLike[str]) -> dict[str, str]:
    """Writes a mesh of meshio to a .vtu file beside a scene; the table `[mesh.NAME]` that reads it.

    Use it with `World(scene, folder=...)`, where the folder is that of the file::

        table = mesh_file(meshio.read("part.inp"), folder / "part.vtu")
        scene["mesh"] = {"part": table}
        World(scene, folder=folder)
    """
    import meshio

    name = os.fspath(path)
    if not name.endswith(".vtu"):
        raise SceneError(f"{name}: meshes are handed over as .vtu files")
    kinds = {block.type for block in mesh.cells}
    if not kinds & set(_SOLID):
        raise SceneError(f"the mesh has cells {sorted(kinds)}: expected some of {', '.join(_SOLID)}")
    meshio.write(name, mesh, file_format="vtu", binary=True, compression=None)
    return {"kind": "file", "file": os.path.basename(name)}
