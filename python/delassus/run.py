"""Recorded runs, read as they are asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import RunError

__all__ = ["Page", "Picture", "Run"]


class Run:
    """A run file. Opening reads its header; fields are read when they are asked for.

    >>> import delassus, tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> world = delassus.World("bouncing_ball", set={"time.end": 0.1})
    >>> run = world.run(record=os.path.join(folder, "ball.h5"))
    >>> len(run), run["bodies/position"].shape
    (11, (11, 2, 2))
    >>> run.close()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._core = _core.Run(self.path)
        self._header = self._core.header()
        self._fields = {f["name"]: f for f in self._header["fields"]}

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; what was read stays."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return bool(self._core.closed)

    def __len__(self) -> int:
        return len(self._core.times())

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the frames [s]."""
        return np.asarray(self._core.times())

    @property
    def steps(self) -> NDArray[np.uint64]:
        """Steps of the frames."""
        return np.asarray(self._core.steps())

    @property
    def growing(self) -> bool:
        """Whether another process is writing it."""
        return bool(self._core.growing)

    @property
    def title(self) -> str:
        """Title of the scene."""
        return str(self._header["title"])

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self._header["dimension"])

    @property
    def scene(self) -> str:
        """The text of the scene it was made from."""
        return str(self._header["scene"])

    @property
    def names(self) -> list[str]:
        """Names of the bodies."""
        seen: dict[int, str] = {}
        for shape in self._header["bodies"]:
            seen.setdefault(shape["body"], shape["name"])
        return [seen[k] for k in sorted(seen)]

    @property
    def fields(self) -> dict[str, str]:
        """Names of the fields, with unit and meaning."""
        return {name: f"[{f['unit']}] {f['about']}" for name, f in self._fields.items()}

    def __getitem__(self, name: str) -> Any:
        """A field in all frames: frames × items × components. Items of contacts change in number from frame to frame:
        then a list of arrays, one for each frame."""
        f = self._field(name)
        if f["extent"] == "ragged":
            return [self.read(k, name) for k in range(len(self))]
        flat = np.asarray(self._core.series(name))
        shape = [len(self)] + ([f["items"]] if f["extent"] == "fixed" else []) + ([f["width"]] if f["width"] > 1 else [])
        return flat.reshape(shape)

    def read(self, frame: int, name: str) -> NDArray[Any]:
        """A field in one frame; negative frames count from the end."""
        f = self._field(name)
        flat = np.asarray(self._core.read(self._frame(frame), name))
        return flat if f["width"] == 1 else flat.reshape(-1, f["width"])

    def _frame(self, frame: int) -> int:
        count = len(self)
        if not -count <= frame < count:
            raise RunError(f"{self.path} has {count} frames, no frame {frame}", frame=frame, frames=count)
        return frame % count

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Any:
        raise TypeError("a run is not a sequence: its times are in .times, the names of its fields in .fields")

    def _field(self, name: str) -> dict[str, Any]:
        if not isinstance(name, str):
            raise RunError(f"a field is asked for by its name, not by {name!r}: such as 'bodies/position'; .read(frame, name) takes a frame")
        if name not in self._fields:
            import difflib

            near = difflib.get_close_matches(name, self._fields, 1)
            hint = f": did you mean '{near[0]}'?" if near else f": expected one of {', '.join(self._fields)}"
            raise RunError(f"{self.path} has no field '{name}'{hint}", name=name)
        return dict(self._fields[name])

    def verify(self) -> None:
        """Compares every frame with its hash; raises where one differs."""
        self._core.verify()

    # -- with other packages

    def table(self, names: str | Sequence[str] | None = None) -> Any:
        """Time series as a pandas table, with the time as its index: all of one number a frame, or those below a name."""
        pandas = _need("pandas", "tables")
        columns: dict[str, Any] = {}
        for name, f in self._fields.items():
            wanted = names is None or any(name == n or name.startswith(n + "/") for n in _listed(names))
            if f["extent"] == "scalar" and wanted:
                data = self[name]
                parts = [(name, data)] if f["width"] == 1 else [(f"{name}.{k}", data[:, k]) for k in range(f["width"])]
                columns.update(parts)
        if not columns:
            raise RunError(f"{self.path} has no series below {names}: expected some of "
                           + ", ".join(n for n, f in self._fields.items() if f["extent"] == "scalar"))  # fmt: skip
        return pandas.DataFrame(columns, index=pandas.Index(self.times, name="time"))

    def contacts(self, frame: int) -> Any:
        """The contacts of a frame as a pandas table."""
        pandas = _need("pandas", "tables")
        columns: dict[str, Any] = {}
        for name in self._fields:
            if name.startswith("contacts/"):
                data, short = self.read(frame, name), name.partition("/")[2]
                parts = [(short, data)] if data.ndim == 1 else [(f"{short}.{k}", data[:, k]) for k in range(data.shape[1])]
                columns.update(parts)
        return pandas.DataFrame(columns)

    def to_xarray(self, names: str | Sequence[str] | None = None) -> Any:
        """Fields as an xarray Dataset, with times, names of bodies, units and meanings; contacts are left out."""
        xarray = _need("xarray", "tables")
        out: dict[str, Any] = {}
        for name, f in self._fields.items():
            wanted = names is None or any(name == n or name.startswith(n + "/") for n in _listed(names))
            if f["extent"] == "ragged" or not wanted or name.startswith("restart/"):
                continue
            data, dims = self[name], ["time"]
            if f["extent"] == "fixed":
                dims.append("body" if f["items"] == len(self.names) and name.startswith("bodies/") else f"{name}.item")
            if f["width"] > 1:
                spatial = f["width"] == self.dimension
                dims.append("axis" if spatial else f"{name}.component")
            out[name] = (dims, data, {"units": f["unit"], "long_name": f["about"]})
        if not out:
            raise RunError(f"{self.path} has no fields below {names}: expected some of {', '.join(self._fields)}")
        coordinates: dict[str, Any] = {"time": ("time", self.times, {"units": "s"})}
        if any("body" in v[0] for v in out.values()):
            coordinates["body"] = ("body", self.names, {})
        if any("axis" in v[0] for v in out.values()):
            coordinates["axis"] = ("axis", list("xyz"[: self.dimension]), {})
        return xarray.Dataset(out, coordinates, {"title": self.title, "file": self.path})

    def plot(self, names: str | Sequence[str] = "energy", ax: Any = None) -> Any:
        """Series against time by matplotlib; the axes."""
        pyplot = _need("matplotlib.pyplot", "plot")
        table = self.table(names)
        if ax is None:
            _, ax = pyplot.subplots(layout="constrained")
        for column in table.columns:
            ax.plot(table.index, table[column], label=column)
        units = {self._fields[c if c in self._fields else c.rpartition(".")[0]]["unit"] for c in table.columns}
        ax.set(xlabel="time [s]", ylabel=f"[{units.pop()}]" if len(units) == 1 else "", title=self.title)
        ax.legend()
        return ax

    def draw(self, path: str | os.PathLike[str] | None = None, *, time: float | None = None, frame: int | None = None,
             options: Sequence[str] = ()) -> Any:  # fmt: skip
        """A picture of a frame, by the command `draw`: into a file where one is named, else shown in a notebook.

        `options` are those of the command, such as `["--forces"]`.
        """
        self._core.times()  # a run that was closed says so
        words = ["draw", self.path, *options]
        words += [] if time is None else ["--time", repr(float(time))]
        words += [] if frame is None else ["--frame", str(self._frame(frame))]
        if path is not None:
            _command([*words, "--output", os.fspath(path)])
            return os.fspath(path)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "frame.png")
            _command([*words, "--output", file])
            with open(file, "rb") as picture:
                return Picture(picture.read())

    def view(self, *options: str, inline: bool | None = None, frames: int = 200, height: int = 520) -> Page | None:
        """The viewer on this run: in a notebook the page itself, elsewhere the one that the command serves and opens.

        The page of a notebook (`inline=True` anywhere) holds at most so many frames, in single precision, needs neither
        server nor network, and stays in the saved notebook. `options` are those of the command `view`.
        """
        self._core.times()
        if not (_in_notebook() if inline is None else inline):
            _command(["view", self.path, *options], capture=False)
            return None
        if int(frames) < 1 or int(height) < 1:
            raise RunError(f"frames = {frames}, height = {height}: expected at least one", frames=frames, height=height)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.html")
            _command(["view", self.path, "--html", file, "--frames", str(int(frames)), *options])
            with open(file, encoding="utf-8") as page:
                return Page(page.read(), int(height))

    def to_pyvista(self, frame: int = -1) -> Any:
        """The bodies and solids of a frame as a PyVista MultiBlock, by name; solids deformed, with every field of their nodes."""
        pyvista = _need("pyvista", "all")
        blocks = pyvista.MultiBlock()
        shapes = self._header["bodies"]
        rigid = "bodies/position" in self._fields
        where = self.read(frame, "bodies/position") if rigid else np.zeros((0, self.dimension))
        turned = self.read(frame, "bodies/orientation").reshape(len(where), 1 if self.dimension == 2 else 4) if rigid else where
        nodes = int(self._fields["nodes/displacement"]["items"]) if "nodes/displacement" in self._fields else 0
        # Solids come last, their points are the nodes one after the other.
        first, left = len(shapes), nodes
        while left > 0 and first > 0:
            first -= 1
            left -= len(shapes[first]["points"])
        for shape in shapes[:first]:
            body = shape["body"]
            points = np.asarray(shape["points"], dtype=float).reshape(-1, 3) @ _rotation(turned[body]).T
            points[:, : self.dimension] += where[body]
            faces = [i for p in shape["polygons"] for i in (len(p), *p)]
            blocks.append(pyvista.PolyData(points, faces=faces), shape["name"])
        node = 0
        for shape in shapes[first:]:
            count = len(shape["points"])
            blocks.append(self._solid(pyvista, shape, frame, slice(node, node + count)), shape["name"])
            node += count
        return blocks

    def _solid(self, pyvista: Any, shape: dict[str, Any], frame: int, mine: slice) -> Any:
        kinds = [_CELLS[self.dimension].get(len(p), 7) for p in shape["polygons"]]
        points = np.array(shape["points"], dtype=float).reshape(-1, 3)
        points[:, : self.dimension] += self.read(frame, "nodes/displacement")[mine, : self.dimension]
        mesh = pyvista.UnstructuredGrid([i for p in shape["polygons"] for i in (len(p), *p)], kinds, points)
        for name, f in self._fields.items():
            if name.startswith("nodes/") and f["extent"] == "fixed":
                mesh.point_data[name.partition("/")[2]] = self.read(frame, name)[mine]
        return mesh

    def __repr__(self) -> str:
        if self.closed:
            return f"<Run {self.path}, closed>"
        times = self.times
        end = f", {times[0]:g} s to {times[-1]:g} s" if len(times) else ""
        return f"<Run {self.path}: '{self.title}', {len(times)} frames{end}>"


#: Kinds of cells of VTK by dimension and number of nodes.
_CELLS = {2: {2: 3, 3: 5, 4: 9, 6: 22, 8: 23, 9: 28}, 3: {2: 3, 4: 10, 8: 12, 10: 24, 20: 25, 27: 29}}


class Picture:
    """A picture that notebooks show; `save` writes it."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        width, height = (int.from_bytes(self.png[k : k + 4], "big") for k in (16, 20))
        return f"<Picture of {width} × {height} pixels>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the PNG file."""
        with open(path, "wb") as file:
            file.write(self.png)


class Page:
    """A page that plays a run; notebooks show it, `save` writes it."""

    def __init__(self, html: str, height: int) -> None:
        self.html, self.height = html, height

    def _repr_html_(self) -> str:
        # A frame of its own: neither styles nor programs meet those of the notebook.
        inside = self.html.replace("&", "&amp;").replace('"', "&quot;")
        return (f'<iframe srcdoc="{inside}" style="width: 100%; height: {self.height}px; border: 0" '
                'sandbox="allow-scripts allow-downloads" title="Run" loading="lazy"></iframe>')  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, as `delassus view --html` does."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<Page of a run, {len(self.html) / 1e6:.1f} MB>"


def _in_notebook() -> bool:
    """Whether outputs are shown by a notebook, which has a kernel, and not by a terminal."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and hasattr(found, "kernel")


def _rotation(turn: NDArray[np.float64]) -> NDArray[np.float64]:
    if turn.size == 1:
        c, s = float(np.cos(turn[0])), float(np.sin(turn[0]))
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    w, x, y, z = turn
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _need(name: str, extra: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ImportError(f"this needs {package}: pip install {package}, or pip install 'delassus[{extra}]'") from None


def _command(words: Sequence[str], capture: bool = True) -> None:
    """The command of this package, in a process of its own; its complaint is the message."""
    done = subprocess.run([sys.executable, "-m", "delassus", *words], capture_output=capture, text=True)
    # A viewer that is closed by Ctrl-C is no failure.
    if done.returncode not in (0, 1) or (done.returncode == 1 and capture):
        said = (done.stderr or "").strip() or f"exit code {done.returncode}"
        raise RunError(f"delassus {words[0]}: {said}", code=done.returncode)
