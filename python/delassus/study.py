"""Parameter studies: one function, many points, on whatever runs processes.

>>> from delassus.study import grid, study
>>> def slide(mu):
...     from delassus import World
...     world = World("sliding_cube", set={"law.friction": mu})
...     world.run(0.2)
...     return {"speed": float(abs(world.velocities).max())}
>>> rows = study(slide, grid(mu=[0.1, 0.3]), table=False)
>>> [row["mu"] for row in rows], rows[0]["speed"] > rows[1]["speed"]
([0.1, 0.3], True)

The same call runs on a pool of `concurrent.futures`, on a Dask client or on Ray: `on=` says where. The function does
not change. A worker that dies loses nothing: its points are given to another. With `journal`, points that were finished
are kept in a file, line by line, and a study that was interrupted goes on where it was. :func:`sweep` does the same with
the plan of `delassus sweep`.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from .errors import Error

__all__ = ["StudyError", "grid", "study", "sweep"]

#: How often a point is given to another worker when its own died.
RETRIES = 3


class StudyError(Error, RuntimeError):
    """A point that could not be finished: its function raised, or its workers died; `rows` holds the others."""


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """All combinations, the last name fastest."""
    names = list(values)
    return [dict(zip(names, point)) for point in itertools.product(*(list(v) for v in values.values()))]


def study(
    function: Callable[..., Mapping[str, Any]],
    points: Iterable[Mapping[str, Any]],
    *,
    on: Any = None,
    journal: str | os.PathLike[str] | None = None,
    table: bool | None = None,
    errors: str = "raise",
    progress: bool = False,
) -> Any:
    """Calls `function(**point)` for every point; one row for each, in the order of the points.

    `on` is `None` (this process), a number of processes, an executor of `concurrent.futures`, a Dask `Client`, or the
    module `ray`. `errors="keep"` puts the message of what a function raised into the column `error` of its row.
    Rows are a pandas table where pandas is installed, unless `table=False`.
    """
    _choice(errors)
    listed = [dict(p) for p in points]
    done = _read(journal, listed)
    todo = [k for k in range(len(listed)) if k not in done]
    log = None if journal is None else open(journal, "a", encoding="utf-8")
    if log is not None and log.tell() > 0:
        log.write("\n")  # the last line may have been cut
    bar = None
    if progress:
        from .world import _bar

        bar = _bar(len(todo), getattr(function, "__name__", "study"))
    try:
        for k, row in _engine(on)(function, listed, todo):
            done[k] = row
            if log is not None:
                log.write(json.dumps({"point": listed[k], "row": row}, default=_plain) + "\n")
                log.flush()
            if bar is not None:
                bar.update(1)
    finally:
        if log is not None:
            log.close()
        if bar is not None:
            bar.close()
    rows = [{**listed[k], **done[k]} for k in range(len(listed))]
    failed = [row for row in rows if "error" in row]
    if failed and errors == "raise":
        raise StudyError(f"{len(failed)} of {len(rows)} points failed; the first, {failed[0]}", rows=rows)
    return _table(rows, table)


def sweep(
    plan: str | os.PathLike[str],
    *,
    on: Any = None,
    scene: str | os.PathLike[str] | None = None,
    discard: bool = False,
    again: bool = False,
    options: Sequence[str] = (),
    table: bool | None = None,
    errors: str = "raise",
    progress: bool = False,
) -> Any:
    """Runs the plan of a sweep, made by `delassus sweep SCENE --over … --measure … --plan`, wherever `on` says.

    `plan` is its folder. A worker gets one member at a time, with the scene and the files beside it that it names; it
    needs this package and no common disk. Accounts and runs come back into the folder as each is done, so that the same call, or
    the command itself, goes on after an interruption. At the end the command writes table and figure as it would have
    done alone, and runs here what no worker could: the table is the same, to the last bit.

    `scene` is where the file of the scene is now, if not where the plan says; `discard` and `again` are those of
    the command, `options` others of it, such as `["--along", "law.friction"]`. Rows as :func:`study` gives them.
    """
    from ._sweep import Plan, run_member

    _choice(errors)
    work = Plan(plan, scene)
    left = work.left(again)
    tasks = [work.task(member, discard) for member in left]
    bar = None
    if progress:
        from .world import _bar

        bar = _bar(len(left), work.folder.name)
    try:
        for k, found in _engine(on)(run_member, tasks, list(range(len(tasks)))):
            work.keep(left[k], found)
            if bar is not None:
                bar.update(1)
    finally:
        if bar is not None:
            bar.close()
    rows = work.tell([*(["--discard"] if discard else []), *options])
    failed = [row for row in rows if row["status"] == "failed"]
    if failed and errors == "raise":
        raise StudyError(f"{len(failed)} of {len(rows)} members failed; the first, {failed[0]}", rows=rows)
    return _table(rows, table)


def _choice(errors: str) -> None:
    if errors not in ("raise", "keep"):
        raise ValueError(f"errors = {errors!r}: expected 'raise' or 'keep'")


Engine = Callable[[Callable[..., Mapping[str, Any]], list[dict[str, Any]], list[int]], Iterator[tuple[int, dict[str, Any]]]]


def _engine(on: Any) -> Engine:
    if on is None:
        return lambda function, points, todo: ((k, _call(function, points[k])) for k in todo)
    if isinstance(on, int):
        return lambda function, points, todo: _pools(function, points, todo, on)
    if isinstance(on, Executor):
        return lambda function, points, todo: _executor(on, function, points, todo)
    kind = type(on).__module__.partition(".")[0]
    if kind == "distributed":
        return lambda function, points, todo: _dask(on, function, points, todo)
    if getattr(on, "__name__", "") == "ray":
        return lambda function, points, todo: _ray(on, function, points, todo)
    raise TypeError(f"on = {on!r}: expected nothing, a number of processes, an executor of concurrent.futures, "
                    "a Dask Client, or the module ray")  # fmt: skip


def _call(function: Callable[..., Mapping[str, Any]], point: Mapping[str, Any]) -> dict[str, Any]:
    try:
        row = function(**point)
    except Exception as error:  # what a point raises is a result, not the end of the study
        return {"error": f"{type(error).__name__}: {error}"}
    if not isinstance(row, Mapping):
        return {"error": f"TypeError: the function returned {type(row).__name__}, expected a dictionary of numbers"}
    return {k: _plain(v) for k, v in row.items()}


def _plain(x: Any) -> Any:
    """Numbers of NumPy as numbers of Python, arrays as lists."""
    return x.tolist() if hasattr(x, "tolist") else x


def _pools(function: Any, points: list[dict[str, Any]], todo: list[int], workers: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Pools of our own, made again when a worker died."""
    import multiprocessing

    left, tries = set(todo), dict.fromkeys(todo, 0)
    while left:
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            futures: dict[Future[dict[str, Any]], int] = {}
            try:
                for k in sorted(left):
                    futures[pool.submit(_call, function, points[k])] = k
                for future in as_completed(futures):
                    k, row = futures[future], future.result()
                    left.discard(k)
                    yield k, row
            except BrokenProcessPool:
                for future, k in futures.items():
                    if future.done() and future.exception() is None and k in left:
                        left.discard(k)
                        yield k, future.result()
                for k in sorted(left):
                    tries[k] += 1
                    if tries[k] > RETRIES:
                        left.discard(k)
                        yield k, {"error": f"its worker died {tries[k]} times"}


def _executor(pool: Executor, function: Any, points: list[dict[str, Any]], todo: list[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    futures = {pool.submit(_call, function, points[k]): k for k in todo}
    for future in as_completed(futures):
        try:
            yield futures[future], future.result()
        except BrokenProcessPool:
            yield futures[future], {"error": "its worker died, and with it the pool that was given: on=N makes new ones"}


def _dask(client: Any, function: Any, points: list[dict[str, Any]], todo: list[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    from distributed import as_completed as finished

    # Dask gives the points of a dead worker to another by itself.
    futures = {client.submit(_call, function, points[k], pure=False, retries=RETRIES): k for k in todo}
    keys = {future.key: k for future, k in futures.items()}
    for future in finished(list(futures)):
        k = keys[future.key]
        yield k, future.result() if future.status == "finished" else {"error": f"its worker died: {future.exception()}"}


def _ray(ray: Any, function: Any, points: list[dict[str, Any]], todo: list[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    remote = ray.remote(max_retries=RETRIES)(_call)
    waiting = {remote.remote(function, points[k]): k for k in todo}
    while waiting:
        (ready,), _ = ray.wait(list(waiting), num_returns=1)
        k = waiting.pop(ready)
        try:
            yield k, ray.get(ready)
        except ray.exceptions.RayError as error:
            yield k, {"error": f"its worker died: {error}"}


def _read(journal: Any, points: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Rows of points that an earlier call finished. The last line may be cut."""
    if journal is None or not os.path.exists(journal):
        return {}
    kept: dict[str, dict[str, Any]] = {}
    with open(journal, encoding="utf-8") as file:
        for line in file:
            try:
                entry = json.loads(line)
                entry["row"], entry["point"]
            except (ValueError, KeyError, TypeError):
                continue
            if "error" not in entry["row"]:
                kept[json.dumps(entry["point"], sort_keys=True)] = entry["row"]
    names = {k: json.dumps(p, sort_keys=True, default=_plain) for k, p in enumerate(points)}
    return {k: kept[name] for k, name in names.items() if name in kept}


def _table(rows: list[dict[str, Any]], table: bool | None) -> Any:
    if table is False:
        return rows
    try:
        import pandas
    except ImportError:
        if table:
            raise ImportError("a table needs pandas: pip install pandas; table=False gives a list") from None
        return rows
    return pandas.DataFrame(rows)
