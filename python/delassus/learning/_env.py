"""One world or many at once as Gymnasium sees them; what is done in them is a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._matrix import numbers, thread_count, whole
from ..errors import WorldError
from ..world import World

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise ImportError("environments need gymnasium: pip install gymnasium, or pip install 'delassus[learning]'") from None

Array = NDArray[np.float64]

#: Steps of the world for one action, and actions in an episode.
SUBSTEPS, ACTIONS = 10, 150


class Task(Protocol):
    """A world in which something is to be done."""

    observation: spaces.Box
    action: spaces.Box
    world: World
    #: Actions of this episode.
    actions: int

    def reset(self, random: np.random.Generator) -> Array:
        """A new episode; what is seen at its start."""

    def drive(self, action: ArrayLike) -> None:
        """Sets the motors."""

    def look(self) -> Array:
        """What is seen."""

    def judge(self) -> tuple[float, bool, bool]:
        """Reward, whether it is done, whether the time is over."""


def step_together(worlds: Sequence[World], steps: int = 1, *, threads: int | None = None) -> None:
    """Makes steps of many worlds in one call, without the GIL; forces and speeds are what they were set to.

    An error ends its own world only; the first is raised when all others have been stepped.
    """
    steps = whole(steps, "steps", 0, 2**63 - 1, error=WorldError)
    strange = [w for w in worlds if not isinstance(w, World)]
    if strange:
        raise WorldError(f"{type(strange[0]).__name__} is no world: expected a sequence of delassus.World")
    if len({id(w) for w in worlds}) < len(worlds):
        raise WorldError("a world is listed twice: each takes its steps once")
    busy = [w for w in worlds if w._callbacks]
    if busy:
        raise WorldError(f"{busy[0]!r} has callbacks, which need the GIL: step it by itself")
    raised = _core.step_together([w._core for w in worlds], steps, thread_count(threads, error=WorldError))
    for world in worlds:
        world._refresh()
    for error in raised:
        if error is not None:
            raise error


def told(world: World) -> dict[str, Any]:
    """What an environment tells beside what is seen."""
    report = world.report
    return {"residual": report.residual, "contacts": report.contacts, "flagged": int(world.totals["flagged"])}


class WorldEnv(gymnasium.Env[Array, Array]):
    """One task as an environment of Gymnasium."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}
    #: From where pictures are taken.
    eye = "60,15"

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        self._task = task
        self.observation_space, self.action_space = task.observation, task.action
        self.render_mode = render_mode

    @property
    def world(self) -> World:
        """The world inside."""
        return self._task.world

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new episode."""
        super().reset(seed=seed)
        return self._task.reset(self.np_random), told(self.world)

    def step(self, action: ArrayLike) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """One action: ten steps of the world."""
        task = self._task
        task.drive(_given(action, task.action.shape))
        task.world.step(SUBSTEPS)
        task.actions += 1
        reward, ended, truncated = task.judge()
        return task.look(), reward, ended, truncated, told(task.world)

    def render(self) -> Any:
        """The picture of the command `draw`, as an array of pixels."""
        if self.render_mode != "rgb_array":
            return None
        import io

        from matplotlib.image import imread

        return imread(io.BytesIO(self.world.draw(options=["--view", self.eye]).png))


class WorldVectorEnv(VectorEnv[Array, Array, Any]):
    """Many worlds with the same task, stepped in one call by `threads` threads, without the GIL."""

    def __init__(self, num_envs: int, make: Callable[[], Task], threads: int | None = None) -> None:
        num_envs = whole(num_envs, "num_envs", 1, error=WorldError)
        self.num_envs, self.threads = num_envs, thread_count(threads, error=WorldError)
        self.tasks = [make() for _ in range(num_envs)]
        self.single_observation_space, self.single_action_space = self.tasks[0].observation, self.tasks[0].action
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}
        self._random = [np.random.default_rng(k) for k in range(num_envs)]
        self._done = np.zeros(num_envs, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """New episodes; with one seed, environment k takes seed + k."""
        if seed is not None:
            seeds = [seed + k for k in range(self.num_envs)] if isinstance(seed, int) else list(seed)
            if len(seeds) != self.num_envs:
                raise WorldError(f"{len(seeds)} seeds for {self.num_envs} environments: expected one for each, or a single one",
                                 expected=self.num_envs, found=len(seeds))  # fmt: skip
            self._random = [gymnasium.utils.seeding.np_random(s)[0] for s in seeds]
        self._done[:] = False
        return np.stack([t.reset(r) for t, r in zip(self.tasks, self._random)]), {}

    def step(self, actions: ArrayLike) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One action each. An environment that ended begins anew instead."""
        given = _given(actions, (self.num_envs, *self.single_action_space.shape))
        for task, action in zip(self.tasks, given):
            task.drive(action)
        moving = [t.world for t, done in zip(self.tasks, self._done) if not done]
        step_together(moving, SUBSTEPS, threads=self.threads)
        seen, rewards, ended, truncated = [], [], [], []
        for task, random, done in zip(self.tasks, self._random, self._done):
            if done:
                seen.append(task.reset(random))
                verdict = (0.0, False, False)
            else:
                task.actions += 1
                seen.append(task.look())
                verdict = task.judge()
            rewards.append(verdict[0])
            ended.append(verdict[1])
            truncated.append(verdict[2])
        self._done = np.array(ended) | np.array(truncated)
        return np.stack(seen), np.array(rewards), np.array(ended), np.array(truncated), {}


def _given(actions: ArrayLike, expected: tuple[int, ...]) -> Array:
    """Actions as numbers; what is none is refused before any motor is set."""
    given = numbers(actions, "actions")
    if given.shape != expected:
        raise WorldError(f"actions have shape {given.shape}: expected {expected}", expected=expected, found=given.shape)
    if not np.isfinite(given).all():
        at = np.argwhere(~np.isfinite(given))[0].tolist()
        raise WorldError(f"actions are not finite at {at}: expected numbers from -1 to 1", place=at)
    return given


def times(a: Array, b: Array) -> Array:
    """Product of two quaternions."""
    w, v, x, y = a[0], a[1:], b[0], b[1:]
    return np.concatenate([[w * x - v @ y], w * y + x * v + np.cross(v, y)])


def turned(q: Array, v: Array) -> Array:
    """A vector turned by a unit quaternion."""
    return np.asarray(v + 2.0 * np.cross(q[1:], np.cross(q[1:], v) + q[0] * v))
