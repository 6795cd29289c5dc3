"""Points, cells and fields of the .vtu files that `delassus export --vtk` writes.

Appended raw data with 64-bit lengths: what ParaView reads, and nothing more general.
"""

from __future__ import annotations

import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TYPES = {"Float64": "<f8", "Float32": "<f4", "Int32": "<i4", "Int64": "<i8", "UInt32": "<u4",
         "UInt8": "u1", "UInt64": "<u8"}


@dataclass
class Mesh:
    """Nodes, four-noded cells, and fields of the nodes by name."""

    points: np.ndarray
    quads: np.ndarray
    solid: np.ndarray
    """Of each cell, the number of the solid it belongs to."""
    fields: dict[str, np.ndarray]


def read(path: Path) -> Mesh:
    """The mesh and its fields in one frame."""
    data = path.read_bytes()
    mark = data.index(b"<AppendedData")
    start = data.index(b"_", mark) + 1
    tree = xml.fromstring(data[:mark] + b"</VTKFile>")

    def array(item: xml.Element) -> np.ndarray:
        at = start + int(item.attrib["offset"])
        length = int(np.frombuffer(data, "<u8", 1, at)[0])
        kind = np.dtype(TYPES[item.attrib["type"]])
        values = np.frombuffer(data, kind, length // kind.itemsize, at + 8)
        width = int(item.attrib.get("NumberOfComponents", "1"))
        return values.reshape(-1, width) if width > 1 else values

    def group(name: str) -> dict[str, np.ndarray]:
        return {item.attrib["Name"]: array(item) for item in tree.iter("DataArray")
                if item in list(tree.find(f".//{name}"))}

    cells = group("Cells")
    connectivity = cells["connectivity"].reshape(-1, 4)
    return Mesh(group("Points")["Points"], connectivity, group("CellData")["solid"],
                group("PointData"))
