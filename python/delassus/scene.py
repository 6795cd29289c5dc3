"""Scenes call by call, with the keys of scene files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import SceneError

__all__ = ["Scene"]


class Scene:
    """A scene, built by calls. Keys are those of scene files (the chapter *Scenes* of the book).

    >>> from delassus import Scene, World
    >>> scene = Scene("A box on an incline", dimension=2, step=1e-3, end=0.5)
    >>> scene.body("floor", shape={"half_plane": {}})
    >>> scene.body("box", shape={"box": {"size": [0.2, 0.1]}}, position=[0, 0.05], mass=1.0, velocity=[1.0, 0])
    >>> scene.law(friction=0.3)
    >>> world = World(scene)
    >>> _ = world.step(200)
    >>> round(float(world.velocities[1, 0]), 4)
    0.4114
    """

    def __init__(self, title: str = "", *, dimension: int, step: float, end: float, **time: Any) -> None:
        self._scene: dict[str, Any] = {"title": title, "dimension": dimension}
        self._scene["time"] = {"step": step, "end": end, **time}
        #: Contents of files by name, for worlds.
        self.files: dict[str, bytes] = {}

    def set(self, **keys: Any) -> None:
        """Keys at the head of the scene, or whole tables: `gravity`, `solver`, `parameters`, …"""
        self._scene.update(keys)

    def item(self, kind: str, name: str, /, **keys: Any) -> None:
        """A named item of any kind: `[kind.name]` of a scene file."""
        items = self._scene.setdefault(kind, {})
        if not isinstance(items, dict) or name in items:
            raise SceneError(f"{kind} '{name}' is there already", kind=kind, name=name)
        items[name] = keys

    def body(self, name: str, /, **keys: Any) -> None:
        """A rigid body: `shape`, `position`, `mass` or `density`, `velocity`, `motion`, …"""
        self.item("body", name, **keys)

    def material(self, name: str, /, **keys: Any) -> None:
        """A material: `density`, …"""
        self.item("material", name, **keys)

    def joint(self, name: str, /, **keys: Any) -> None:
        """A joint: `kind`, `bodies`, `at`, `motor`, …"""
        self.item("joint", name, **keys)

    def spring(self, name: str, /, **keys: Any) -> None:
        """A spring with a damper."""
        self.item("spring", name, **keys)

    def load(self, name: str, /, **keys: Any) -> None:
        """A force by expressions."""
        self.item("load", name, **keys)

    def mesh(self, name: str, mesh: Any = None, /, **keys: Any) -> None:
        """A mesh of solids: that of meshio or the current model of Gmsh as it is now, with their groups, or by `kind`, …"""
        if mesh is not None:
            from .bridges.meshes import mesh_bytes

            ending, content = mesh_bytes(mesh)
            self.files[name + ending] = content
            keys = {"kind": "file", "file": name + ending, **keys}
        self.item("mesh", name, **keys)

    def solid(self, name: str, /, **keys: Any) -> None:
        """A deformable solid: `mesh`, `material`, …"""
        self.item("solid", name, **keys)

    def law(self, between: Sequence[str] | None = None, **keys: Any) -> None:
        """The law of all contacts, or of a pair of materials; several calls, several laws."""
        laws = self._scene.setdefault("law", [])
        laws.append({**({} if between is None else {"between": list(between)}), **keys})

    def __repr__(self) -> str:
        counts = (f"{len(items)} {kind}" for kind, items in self._scene.items() if isinstance(items, (dict, list)) and kind != "time")
        return f"<Scene '{self._scene['title']}': {', '.join(counts) or 'empty'}>"

    def to_dict(self) -> Mapping[str, Any]:
        """The scene as a dictionary."""
        return self._scene

    def to_toml(self) -> str:
        """The text of a scene file."""
        from ._toml import dumps

        return dumps(self._scene)
