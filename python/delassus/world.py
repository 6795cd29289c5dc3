"""A scene in motion: the loop is the user's."""

from __future__ import annotations

import contextlib
import os
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._matrix import numbers, thread_count, whole
from .errors import SceneError, WorldError

__all__ = ["Report", "State", "World", "example", "gallery"]

Report = _core.Report
State = _core.State
Array = NDArray[np.float64]

#: A scene: a file, the name of a scene of the gallery, a dictionary, or the text of a file.
Source = "str | os.PathLike[str] | Mapping[str, Any]"


def gallery() -> dict[str, str]:
    """Names of the scenes that come with the package, with what they show."""
    return dict(_core.gallery())


def example(name: str) -> str:
    """The text of a scene of the gallery."""
    text, nearest = _core.example(name)
    if text is None:
        hint = f": did you mean '{nearest}'?" if nearest else ""
        raise SceneError(f"there is no scene '{name}' in the gallery{hint}", name=name, nearest=nearest)
    return str(text)


class World:
    """A scene in motion.

    It is built from a scene file, from the name of a scene of the gallery, from a dictionary with the keys of a scene
    file, or call by call (:class:`delassus.Scene`). `set` changes keys as `--set` does on the command line, `variant` takes one
    of those that the scene has. Files that the scene names, runs to go on with among them, are looked for in `folder`, or
    taken from `files`, contents by name.

    >>> world = World("bouncing_ball", set={"time.step": 1e-3})
    >>> world.time, world.step_size
    (0.0, 0.001)
    >>> for report in world.steps(0.01):
    ...     pass
    >>> report.step + 1, round(world.time, 9), report.converged
    (10, 0.01, True)

    Between two steps the user may apply forces, steer imposed motions and motors, look at any recorded field, keep
    the state and go back to it. Callbacks do the same inside :meth:`run` and :meth:`steps`: `forces(world)` gives
    forces and torques, `imposed` maps the name of a body with imposed motion to `motion(t)`, displacements along the
    axes and the angle, and `motors` maps the name of a joint with a motor to `speed(world)`.

    `laws` maps a pair of materials to a law of one's own, asked once a step for all contacts of the pair:
    `law(gap, velocity, closed, time, step)`, arrays with one row for each contact, gives friction coefficients, or a
    dictionary of `mu`, `restitution` (normal, tangential), `cohesion` [N] and `threshold` [N] (Tresca's, instead of
    `mu`). The step is then solved exactly with them. A law that takes `memory` too, four numbers for each contact, zero
    at a new one, may answer with another `memory`: it gets it back in the next step, and states hold it.

    The GIL is released while steps are made; `threads` sets how many threads may share the work, which does not change
    the results. A callback that raises leaves the world as it was before the step. A step that cannot be made raises
    :class:`~delassus.errors.StepError`, and the world refuses to go on until it is given a state.
    """

    def __init__(
        self,
        scene: Any,
        *,
        set: Mapping[str, Any] | Sequence[str] = (),
        variant: str | None = None,
        folder: str | os.PathLike[str] | None = None,
        files: Mapping[str, bytes | str] | None = None,
        threads: int | None = None,
        forces: Callable[[World], ArrayLike | None] | None = None,
        imposed: Mapping[str, Callable[[float], ArrayLike]] | None = None,
        motors: Mapping[str, Callable[[World], float]] | None = None,
        laws: Mapping[tuple[str, str], Callable[..., Any]] | None = None,
        steered: Sequence[str] = (),
        failures: str | os.PathLike[str] | None = None,
    ) -> None:
        scene, kept = _in_memory(scene, files)
        steered = [steered] if isinstance(steered, str) else steered
        path, text, origin, folder = _source(scene, folder)
        _callable({"forces": forces} if forces is not None else {}, imposed or {}, motors or {}, laws or {})
        self.forces, self.imposed, self.motors = forces, dict(imposed or {}), dict(motors or {})
        self._how: dict[str, Any] = dict(
            path=path, text=text, origin=origin, folder=folder, overrides=_overrides(set), variant=variant,
            threads=thread_count(threads, error=WorldError),
            steered=list(dict.fromkeys([*steered, *self.imposed, *self.motors])),
            laws=[(a, b, _asked(law)) for (a, b), law in (laws or {}).items()],
            failures=None if failures is None else os.fspath(failures),
            files=[(name, _bytes(name, content)) for name, content in kept.items()],
        )  # fmt: skip
        self._core = _core.World(**self._how)
        self._start = self._core.state
        self._views: _Views | None = None
        self._asking = False

    # -- steps

    def step(self, steps: int = 1) -> Report:
        """Makes steps; the report of the last."""
        self._advance(whole(steps, "steps", 0, 2**63 - 1, error=WorldError), heed=False)
        return self._core.report

    def _advance(self, steps: int, heed: bool) -> int:
        """Makes steps, fewer where an event of the scene ends the run and is heeded; how many."""
        if not self._callbacks:
            return self._made(steps, heed)
        for made in range(steps):
            self._control()
            self._made(1, heed)
            if heed and self.stopped:
                return made + 1
        return steps

    def steps(
        self, t_end: float | None = None, *, every: int = 1, until: Callable[[Report], bool] | None = None,
        progress: bool = False,
    ) -> Iterator[Report]:  # fmt: skip
        """Steps to `t_end`, by default that of the scene, with a report after each, or after `every` so many.

        `until(report)` ends the loop when it is true, and so does an event of the scene that stops it
        (:attr:`stopped`); `progress` shows a bar of tqdm, where it is installed.
        """
        end = self._until(t_end)
        every = whole(every, "every", 1, error=WorldError)
        left = round((end - self.time) / self.step_size)
        bar = _bar(left, self._core.title) if progress else None
        try:
            while left > 0 and not self.stopped:
                made = self._advance(min(every, left), heed=True)
                left -= made
                if bar is not None:
                    bar.update(made)
                report = self.report
                yield report
                if until is not None and until(report):
                    return
        finally:
            if bar is not None:
                bar.close()

    def run(
        self, t_end: float | None = None, *, record: str | os.PathLike[str] | None = None, overwrite: bool = False,
        until: Callable[[Report], bool] | None = None, progress: bool = False,
    ) -> Any:  # fmt: skip
        """To the end, into a run file where one is named: then the :class:`~delassus.Run`, else the last report."""
        if record is not None:
            self.record(record, overwrite=overwrite)
        report = self.report
        try:
            if until is None and not progress and not self._callbacks:
                if not self.stopped:
                    self._advance(max(0, round((self._until(t_end) - self.time) / self.step_size)), heed=True)
                report = self.report
            else:
                for report in self.steps(t_end, until=until, progress=progress):
                    pass
        finally:
            if record is not None:
                self.end_record()
        if record is None:
            return report
        from .run import Run

        return Run(record)

    def _until(self, t_end: float | None) -> float:
        end = self.end if t_end is None else float(t_end)
        if not np.isfinite(end):
            raise WorldError(f"t_end = {t_end}: expected a time in seconds", t_end=t_end)
        return end

    def _made(self, steps: int, heed: bool) -> int:
        try:
            made = int(self._core.step(steps, heed))
        except BaseException:
            with contextlib.suppress(WorldError):  # another thread is at it: the first complaint is the one to tell
                self._refresh()
            raise
        self._refresh()
        return made

    def _refresh(self) -> None:
        """Brings the live arrays up to date; where the model was made anew with other sizes, they are made anew."""
        views = self._views
        if views is not None and not self._core.read_into(views.q_owned, views.u_owned):
            self._views = None

    @property
    def _callbacks(self) -> bool:
        return bool(self.forces or self.imposed or self.motors)

    def _control(self) -> None:
        """Asks the callbacks; nothing has moved when one of them raises."""
        if self._asking:
            raise WorldError("a callback steps the world that asks it: it may look at it, and no more")
        self._asking = True
        try:
            self._ask()
        finally:
            self._asking = False

    def _ask(self) -> None:
        t, h = self.time, self.step_size
        if self.forces is not None:
            self.apply(self.forces(self))
        for name, motion in self.imposed.items():
            now, then = (np.atleast_1d(numbers(motion(x), f"motion of '{name}'")) for x in (t, t + h))
            if now.shape != then.shape:
                raise WorldError(f"motion of '{name}' has {now.size} numbers at {t} s and {then.size} later")
            self._core.steer(name, t, now.tolist(), ((then - now) / h).tolist())
        for name, speed in self.motors.items():
            self.drive(name, speed(self))

    # -- what the user imposes

    def apply(self, forces: ArrayLike | None) -> None:
        """Forces and torques on the bodies from now on, at their centres of mass, along the axes of the world.

        One row for each body of :attr:`names`: (fx, fy, torque) in the plane, (fx, fy, fz, tx, ty, tz) in space.
        `None` ends them.
        """
        if forces is None:
            self._core.set_forces(np.empty(0))
            return
        rows = numbers(forces, "forces")
        expected = (self.bodies, 3 if self.dimension == 2 else 6)
        if rows.shape != expected:
            raise WorldError(f"forces have shape {rows.shape}: expected {expected}, one row for each body",
                             expected=expected, found=rows.shape)  # fmt: skip
        if not np.isfinite(rows).all():
            body = int(np.nonzero(~np.isfinite(rows).all(axis=1))[0][0])
            raise WorldError(f"the force on '{self.names[body]}' is not finite: {rows[body]}", body=body)
        self._core.set_forces(rows.ravel())

    def drive(self, joint: str, speed: float) -> None:
        """Speed of the motor of a joint from now on [m/s or rad/s]; the joint was named in `steered` or `motors`."""
        self._core.steer(joint, self.time, [0.0], [float(speed)])

    def move(self, body: str, displacement: ArrayLike, velocity: ArrayLike) -> None:
        """Motion of an imposed body from now on: displacements from its start, angle, and their rates."""
        where, rate = (np.atleast_1d(numbers(x, "motion")).tolist() for x in (displacement, velocity))
        self._core.steer(body, self.time, where, rate)

    # -- where it stands

    @property
    def time(self) -> float:
        """Time [s]."""
        return float(self._core.time)

    @property
    def steps_made(self) -> int:
        """Steps since the start of the scene."""
        return int(self._core.steps_made)

    @property
    def step_size(self) -> float:
        """Length of a step [s]."""
        return float(self._core.clock[0])

    @property
    def end(self) -> float:
        """End of the scene [s]."""
        return float(self._core.clock[1])

    @property
    def title(self) -> str:
        """Title of the scene."""
        return str(self._core.title)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self._core.dimension)

    @property
    def gravity(self) -> Array:
        """Gravity of the scene [m/s²]."""
        given = self._core.gravity
        down = [0.0] * (self.dimension - 1) + [-9.81]
        return np.array(down if given is None else given, dtype=float)

    @property
    def names(self) -> list[str]:
        """Names of the bodies, then of the solids."""
        return list(self._core.names)

    @property
    def bodies(self) -> int:
        """Number of rigid bodies."""
        return int(self._core.bodies)

    @property
    def warnings(self) -> list[str]:
        """What the scene was warned of."""
        return list(self._core.warnings)

    @property
    def stopped(self) -> bool:
        """Whether an event of the scene (`[when.NAME]`) ended the run before its time; :meth:`step` goes on all the same."""
        return bool(self._core.stopped)

    @property
    def failed(self) -> str | None:
        """Why the world cannot go on until it is given a state; `None` when it can."""
        failed = self._core.failed
        return None if failed is None else str(failed)

    @property
    def report(self) -> Report:
        """What the last step told."""
        return self._core.report

    @property
    def totals(self) -> dict[str, float]:
        """Energies now, works since the start [J], worst residual, deepest penetration, flagged steps."""
        return dict(self._core.totals())

    # -- arrays

    @property
    def q(self) -> Array:
        """Configuration: always the same array, brought up to date by every step. Read-only."""
        return self._live().q

    @property
    def u(self) -> Array:
        """Velocities: always the same array, brought up to date by every step. Read-only."""
        return self._live().u

    @property
    def positions(self) -> Array:
        """Centres of mass [m], one row for each body: a view of :attr:`q`, always the same."""
        return self._live().positions

    @property
    def orientations(self) -> Array:
        """Angles [rad] in the plane, unit quaternions (w, x, y, z) of the principal axes in space: a view of :attr:`q`."""
        return self._live().orientations

    @property
    def velocities(self) -> Array:
        """Velocities of the centres of mass [m/s]: a view of :attr:`u`, always the same."""
        return self._live().velocities

    @property
    def spins(self) -> Array:
        """Angular velocities [rad/s], in space along the principal axes of each body: a view of :attr:`u`."""
        return self._live().spins

    def _live(self) -> _Views:
        if self._views is None:
            q, u = (np.empty(n) for n in self._core.sizes)
            self._core.read_into(q, u)
            self._views = _Views(q, u, self.bodies, self.dimension)
        return self._views

    @property
    def fields(self) -> dict[str, str]:
        """Names of the recorded fields, with unit and meaning."""
        return {f["name"]: f"[{f['unit']}] {f['about']}" for f in self._core.fields()}

    def field(self, name: str) -> NDArray[Any]:
        """A recorded field at present, such as 'contacts/force': one row for each item."""
        (flat,) = self._core.read_fields([name])
        width = next(f["width"] for f in self._core.fields() if f["name"] == name)
        return np.asarray(flat) if width == 1 else np.asarray(flat).reshape(-1, width)

    def contacts(self) -> dict[str, NDArray[Any]]:
        """The contacts of the last step: every field of the group, by its short name."""
        mine = [f for f in self._core.fields() if f["name"].startswith("contacts/")]
        found = self._core.read_fields([f["name"] for f in mine])
        shaped = (np.asarray(x) if f["width"] == 1 else np.asarray(x).reshape(-1, f["width"]) for f, x in zip(mine, found))
        return {f["name"].partition("/")[2]: x for f, x in zip(mine, shaped)}

    # -- states

    @property
    def state(self) -> State:
        """Exactly what a restart needs: a value that can be kept, compared, pickled, and given back."""
        return self._core.state

    @state.setter
    def state(self, state: State) -> None:
        if not isinstance(state, State):
            raise WorldError(f"{type(state).__name__} is no state: expected what World.state gives")
        self._core.set_state(state)
        self._refresh()

    @property
    def hash(self) -> str:
        """Of every bit of the state: equal hashes, equal bits."""
        return str(self._core.state.hash)

    def reset(self) -> None:
        """Back to the start of the scene, without building it again. Applied forces end; motors keep their last speed.

        A scene with stages or events is built again, for what they remember is not part of a state; a record of it ends.
        """
        if "stage" in self.fields:
            self._core.end_record()
            self._core = _core.World(**self._how)
            self._refresh()
        else:
            self.state = self._start
        self._core.set_forces(np.empty(0))

    def clone(self) -> World:
        """Another world of the same scene, in the same state, with the same callbacks."""
        other = World.__new__(World)
        other.forces, other.imposed, other.motors = self.forces, dict(self.imposed), dict(self.motors)
        other._how, other._start, other._views, other._asking = self._how, self._start, None, False
        other._core = _core.World(**self._how)
        other._core.set_state(self._core.state)
        return other

    def __copy__(self) -> World:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> World:
        return self.clone()

    def __reduce__(self) -> Any:
        raise TypeError("a World cannot be pickled: pickle world.state, and give it to a World of the same scene")

    def next_step(self) -> Any:
        """The contact problem of the coming step, as arrays; nothing moves. See :class:`delassus.NextStep`."""
        from .step import NextStep

        if self._callbacks:
            self._control()
        return NextStep._of(self._core.next_step())

    def explore(self, **options: Any) -> Any:
        """The set of solutions of the coming step, see :func:`delassus.explore`."""
        from ._explore import explore

        return explore(self, **options)

    # -- records

    def record(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Records from now on into a run file, a frame every so many steps as the scene says."""
        self._core.record(os.fspath(path), overwrite)

    def end_record(self) -> int | None:
        """Closes the run file; the frames in it."""
        frames = self._core.end_record()
        return None if frames is None else int(frames)

    def draw(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """A picture of the present state, by :meth:`delassus.Run.draw`."""
        import tempfile

        from .run import Run

        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "now.h5")
            self._core.snapshot(file)
            with Run(file) as run:
                return run.draw(path, **options)

    def __repr__(self) -> str:
        return f"<World '{self.title}' at t = {self.time:.6g} s, {self.bodies} bodies, {self.report.contacts} contacts>"


def _callable(*tables: Mapping[Any, Any]) -> None:
    for name, given in ((k, f) for table in tables for k, f in table.items()):
        if not callable(given):
            raise WorldError(f"{name!r} is given {given!r}: expected a function")
    for pair in tables[-1]:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise WorldError(f"laws[{pair!r}]: expected a pair of materials, such as ('stone', 'stone')")


class _Views:
    """The two arrays that the engine writes after each call that makes steps, and what users see of them."""

    __slots__ = ("orientations", "positions", "q", "q_owned", "spins", "u", "u_owned", "velocities")

    def __init__(self, q: Array, u: Array, bodies: int, dimension: int) -> None:
        self.q_owned, self.u_owned = q, u
        self.q, self.u = q.view(), u.view()
        self.q.flags.writeable = self.u.flags.writeable = False
        wide, moved = (3, 3) if dimension == 2 else (7, 6)
        poses, rates = self.q[: wide * bodies].reshape(-1, wide), self.u[: moved * bodies].reshape(-1, moved)
        self.positions, self.orientations = poses[:, :dimension], poses[:, dimension:]
        self.velocities, self.spins = rates[:, :dimension], rates[:, dimension:]


def _in_memory(scene: Any, files: Mapping[str, bytes | str] | None) -> tuple[Any, dict[str, bytes | str]]:
    """Meshes that stand in a dictionary as objects of meshio or Gmsh become files in memory."""
    kept = {**getattr(scene, "files", {}), **(files or {})}
    if not isinstance(scene, Mapping) or not isinstance(scene.get("mesh"), Mapping):
        return scene, kept
    tables = {}
    for name, mesh in scene["mesh"].items():
        if not isinstance(mesh, Mapping):
            from .bridges.meshes import mesh_bytes

            ending, content = mesh_bytes(mesh)
            kept[name + ending], mesh = content, {"kind": "file", "file": name + ending}
        tables[name] = mesh
    return {**scene, "mesh": tables}, kept


def _bytes(name: str, content: Any) -> bytes:
    if isinstance(content, str):
        return content.encode()
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise WorldError(f"files['{name}'] is {type(content).__name__}: expected its contents, bytes or a text", name=name)
    return bytes(content)


def _source(scene: Any, folder: Any) -> tuple[str | None, str | None, str, str | None]:
    """From what the user gives to a file, or to a text."""
    place = None if folder is None else os.fspath(folder)
    if hasattr(scene, "to_dict"):
        scene = scene.to_dict()
    if isinstance(scene, Mapping):
        from ._toml import dumps

        return None, dumps(scene), "<dict>", place
    if isinstance(scene, str) and "\n" in scene:
        return None, scene, "<text>", place
    if not isinstance(scene, (str, os.PathLike)):
        raise SceneError(f"{type(scene).__name__} is no scene: expected a file, a name of the gallery, a text, a dictionary or a Scene")
    name = os.fspath(scene)
    if isinstance(scene, pathlib.PurePath) or os.path.exists(name) or name.endswith(".toml"):
        return name, None, name, place
    return None, example(name), name, place


def _overrides(given: Mapping[str, Any] | Sequence[str]) -> list[str]:
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Mapping):
        return [str(x) for x in given]
    from ._toml import value

    return [f"{key}={value(x)}" for key, x in given.items()]


def _words(law: Callable[..., Any]) -> set[str] | None:
    """Names of the arguments of a law; `None` where it takes any."""
    import inspect

    try:
        found = inspect.signature(law).parameters
    except (TypeError, ValueError):
        return None
    return None if any(p.kind is p.VAR_KEYWORD for p in found.values()) else set(found)


def _asked(law: Callable[..., Any]) -> Callable[[dict[str, Any]], dict[str, Array]]:
    """A law of the user's as the engine asks for it: columns of numbers."""
    takes = _words(law)

    def ask(seen: dict[str, Any]) -> dict[str, Array]:
        n = len(seen["gap"])
        kept = seen["memory"]
        answer = law(**(seen if takes is None else {k: v for k, v in seen.items() if k in takes or k != "memory"}))
        if not isinstance(answer, Mapping):
            answer = {"mu": answer}
        unknown = set(answer) - {"mu", "restitution", "cohesion", "threshold", "memory"}
        if unknown:
            raise WorldError(f"a law answered {sorted(unknown)}: expected mu, restitution, cohesion, threshold or memory")
        out = {}
        if "memory" in answer:
            x = numbers(answer["memory"], "'memory' of a law")
            if x.shape != kept.shape or not np.isfinite(x).all():
                raise WorldError(f"a law answered 'memory' of shape {x.shape}: expected finite numbers, {kept.shape}, as it was given")
            out["memory"] = np.ascontiguousarray(x, dtype=np.float64).ravel()
        for name, width in (("mu", 1), ("restitution", 2), ("cohesion", 1), ("threshold", 1)):
            x = numbers(answer.get(name, 0.0), f"'{name}' of a law")
            wide = (n,) if width == 1 else (n, width)
            if width == 2 and x.ndim == 1 and x.shape == (n,) and n != 2:
                x = np.stack([x, np.zeros(n)], axis=1)
            elif width == 2 and x.ndim == 0:
                x = np.array([float(x), 0.0])
            try:
                x = np.broadcast_to(x, wide)
            except ValueError:
                raise WorldError(f"a law answered '{name}' of shape {x.shape} for {n} contacts: expected {wide}") from None
            if not np.isfinite(x).all() or (x < 0).any():
                raise WorldError(f"a law answered '{name}' = {x.ravel()[~(x.ravel() >= 0)][:3]}: expected finite numbers, "
                                 "not negative")  # fmt: skip
            out[name] = np.ascontiguousarray(x, dtype=np.float64).ravel()
        return out

    return ask


def _bar(total: int, title: str) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True needs tqdm: pip install tqdm") from None
    return tqdm(total=total, desc=title, unit="step")
