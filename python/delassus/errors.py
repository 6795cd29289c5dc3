"""What can go wrong, as exceptions that carry their values.

Every exception of this package is an :class:`Error`. The values of the message are attributes too, and all of
them are in :attr:`Error.values`::

    >>> import delassus, numpy as np
    >>> try:
    ...     delassus.friction.solve(np.eye(3), [[-1.0, 0.0, np.nan]], 0.5)
    ... except delassus.errors.ProblemError as error:
    ...     print(error)
    b is not finite at contact 0, component 2
"""

from __future__ import annotations

from typing import Any

__all__ = ["DefectError", "Error", "NotConverged", "NotDifferentiable", "ProblemError", "RunError", "SceneError", "StepError", "WorldError"]


class Error(Exception):
    """An exception of this package; `values` holds what the message names."""

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message)
        self.values = values

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]
        raise AttributeError(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args[0], self.values)


def _again(kind: type[Error], message: str, values: dict[str, Any]) -> Error:
    return kind(message, **values)


class ProblemError(Error, ValueError):
    """A problem or a setting that makes no sense: sizes, NaN, a negative coefficient, an unknown solver."""


class SceneError(Error, ValueError):
    """A scene that is refused; `diagnostics` lists file, line, column, problem and help of each mistake."""


class StepError(Error, RuntimeError):
    """A step that could not be made. The world stands still until it is given a state."""


class WorldError(Error, RuntimeError):
    """A world that is used by another thread, stopped in a step, or given what does not belong to it."""


class RunError(Error, OSError):
    """A run file that cannot be read or written, or was closed."""


class DefectError(Error, RuntimeError):
    """A defect of the program, not of what was asked of it. A world in which it came up must be built again."""


class NotConverged(Error, RuntimeError):
    """Asked for by `raise_for_status`: the laws do not hold to the tolerance; `solution` is what was found."""


class NotDifferentiable(Error, ArithmeticError):
    """The step has no derivative here: a status on its edge, or more than one solution; `contacts` names them."""
