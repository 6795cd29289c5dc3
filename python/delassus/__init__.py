"""Contact, impact and dry friction: laws solved exactly, every step with a certificate.

- :mod:`delassus.friction`: one step alone, on NumPy arrays and SciPy matrices, and FCLIB files;
- :class:`World`: a scene in motion, stepped by the user's own loop;
- :class:`Run`: a recorded run, read as it is asked for;
- :func:`explore`: the set of solutions;
- :mod:`delassus.derivatives`: derivatives of a step;
- :mod:`delassus.learning`: Gymnasium environments; :mod:`delassus.study`: parameter studies on many machines;
- :mod:`delassus.bridges`: assemblies of compas_dem, matrices of MuJoCo, Pinocchio and Drake, meshes of Gmsh and meshio.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import errors, friction
from ._core import __version__
from .scene import Scene
from .step import NextStep
from .world import Report, State, World, example, gallery

if TYPE_CHECKING:
    from . import bridges, derivatives, learning, study
    from ._explore import Exploration, explore
    from .run import Run

__all__ = [
    "Exploration", "NextStep", "Report", "Run", "Scene", "State", "World", "__version__", "bridges", "derivatives",
    "errors", "example", "explore", "friction", "gallery", "learning", "study",
]  # fmt: skip

#: Loaded when first asked for: `import delassus` stays fast.
_LAZY = {"Run": "run", "Exploration": "_explore", "explore": "_explore"}
_MODULES = ("bridges", "derivatives", "learning", "study")


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'delassus' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
