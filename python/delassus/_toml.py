"""Scenes as TOML text: the part of the language that scenes need."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import SceneError


def value(x: Any) -> str:
    """One value on one line."""
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    if isinstance(x, float):
        if math.isnan(x):
            return "nan"
        if math.isinf(x):
            return "inf" if x > 0 else "-inf"
        return repr(x)
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False)
    if isinstance(x, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {value(v)}" for k, v in x.items() if v is not None) + " }"
    if isinstance(x, Sequence):
        return "[" + ", ".join(value(v) for v in x) + "]"
    raise SceneError(f"{x!r} has no place in a scene: expected numbers, texts, lists and dictionaries")


def _key(key: Any) -> str:
    text = str(key)
    plain = text and all(c.isalnum() and c.isascii() or c in "-_" for c in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def dumps(scene: Mapping[str, Any]) -> str:
    """A scene with the keys of a scene file; what is `None` is left out."""
    lines = [f"{_key(k)} = {value(v)}" for k, v in scene.items() if v is not None and not _is_table(v)]
    for key, table in scene.items():
        if isinstance(table, Mapping):
            _table(lines, (_key(key),), table)
        elif _is_table(table):
            for item in table:
                lines.append(f"\n[[{_key(key)}]]")
                lines += [f"{_key(k)} = {value(v)}" for k, v in item.items() if v is not None]
    return "\n".join(lines) + "\n"


def _table(lines: list[str], path: tuple[str, ...], table: Mapping[str, Any]) -> None:
    """A table; those of named items, such as `body`, one below the other."""
    inner = {k: v for k, v in table.items() if isinstance(v, Mapping) and len(path) == 1}
    own = {k: v for k, v in table.items() if k not in inner and v is not None}
    if own or not inner:
        lines.append(f"\n[{'.'.join(path)}]")
        lines += [f"{_key(k)} = {value(v)}" for k, v in own.items()]
    for key, item in inner.items():
        _table(lines, (*path, _key(key)), item)


def _is_table(x: Any) -> bool:
    listed = isinstance(x, Sequence) and not isinstance(x, str) and len(x) > 0
    return isinstance(x, Mapping) or (listed and all(isinstance(i, Mapping) for i in x))
