"""Gymnasium environments, one world or many at once.

>>> from delassus.learning import GripperEnv
>>> env = GripperEnv()
>>> observation, info = env.reset(seed=1)
>>> observation.shape, env.action_space.shape
((15,), (2,))
>>> observation, reward, ended, truncated, info = env.step([0.0, 1.0])
>>> ended, truncated, info["flagged"]
(False, False, 0)

Equal seeds and equal actions give equal bits, alone or among others, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import WorldError
from .world import World

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise ImportError("environments need gymnasium: pip install gymnasium, or pip install 'delassus[learning]'") from None

__all__ = ["GripperEnv", "GripperVectorEnv", "step_together"]

Array = NDArray[np.float64]

#: Steps of the world for one action, and actions in an episode.
SUBSTEPS, ACTIONS = 10, 150
#: Speeds of the motors for an action of one [m/s].
LIFT, GRIP = 0.15, 0.1
#: Largest change of these speeds by one action [m/s]: motors do not jump.
CHANGE = 0.05
_MOTORS = ("lift", "grip_left", "grip_right")


def step_together(worlds: Sequence[World], steps: int = 1, *, threads: int | None = None) -> None:
    """Makes steps of many worlds in one call, without the GIL; forces and speeds are what they were set to.

    An error ends its own world only; the first is raised when all others have been stepped.
    """
    if len({id(w) for w in worlds}) < len(worlds):
        raise WorldError("a world is listed twice: each takes its steps once")
    busy = [w for w in worlds if w._callbacks]
    if busy:
        raise WorldError(f"{busy[0]!r} has callbacks, which need the GIL: step it by itself")
    raised = _core.step_together([w._core for w in worlds], int(steps), threads)
    for world in worlds:
        world._refresh()
    for error in raised:
        if error is not None:
            raise error


class _Gripper:
    """One gripper: what both environments share."""

    observation = spaces.Box(-np.inf, np.inf, (15,), np.float64)
    action = spaces.Box(-1.0, 1.0, (2,), np.float64)

    def __init__(self, scene: Any) -> None:
        self.world = World(_scene() if scene is None else scene, steered=_MOTORS)
        self.cube, self.palm = self.world.names.index("cube"), self.world.names.index("palm")
        self.fingers = [self.world.names.index(n) for n in ("left", "right")]
        self.start = self.world.state
        self.lowest = float(self.world.positions[self.cube, 2])
        self.actions = 0
        self.speeds = np.zeros(2)

    def reset(self, random: np.random.Generator) -> Array:
        """The cube a little aside and turned about the vertical."""
        q = np.array(self.start.q).reshape(-1, 7)
        q[self.cube, :2] += random.uniform(-0.008, 0.008, 2)
        half = 0.5 * random.uniform(-0.2, 0.2)
        q[self.cube, 3:] = _times(np.array([np.cos(half), 0.0, 0.0, np.sin(half)]), q[self.cube, 3:])
        self.world.state = self.start.replace(q=q.ravel())
        self.actions = 0
        self.speeds[:] = 0.0
        self.drive(np.zeros(2))
        return self.look()

    def drive(self, action: ArrayLike) -> None:
        wanted = np.clip(np.asarray(action, dtype=float), -1.0, 1.0) * (LIFT, GRIP)
        self.speeds += np.clip(wanted - self.speeds, -CHANGE, CHANGE)
        lift, grip = self.speeds
        for name, speed in zip(_MOTORS, (lift, grip, grip)):
            self.world.drive(name, speed)

    def look(self) -> Array:
        x, v, w = self.world.positions, self.world.velocities, self.world
        gap = x[self.fingers, 0] - x[self.cube, 0]
        return np.concatenate([x[self.cube], w.orientations[self.cube], v[self.cube], x[self.palm, 2:], v[self.palm, 2:],
                               gap, [float(self.actions) / ACTIONS]])  # fmt: skip

    def judge(self) -> tuple[float, bool, bool]:
        """Height of the cube, whether it was lifted by 10 cm, whether the time is over."""
        height = float(self.world.positions[self.cube, 2]) - self.lowest
        return height, height > 0.1, self.actions >= ACTIONS

    def info(self) -> dict[str, Any]:
        report = self.world.report
        return {"residual": report.residual, "contacts": report.contacts, "flagged": int(self.world.totals["flagged"])}


class GripperEnv(gymnasium.Env[Array, Array]):
    """Lift a cube by two fingers. Actions: speed of the palm, closing speed of the fingers, both in [−1, 1].

    Observed: place, orientation and velocity of the cube, height and speed of the palm, distances of the fingers to
    the cube, share of the time. The reward is the height of the cube [m]; 0.1 m ends the episode.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, scene: Any = None, render_mode: str | None = None) -> None:
        self._gripper = _Gripper(scene)
        self.observation_space, self.action_space = _Gripper.observation, _Gripper.action
        self.render_mode = render_mode

    @property
    def world(self) -> World:
        """The world inside."""
        return self._gripper.world

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new episode."""
        super().reset(seed=seed)
        return self._gripper.reset(self.np_random), self._gripper.info()

    def step(self, action: ArrayLike) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """One action: ten steps of the world."""
        gripper = self._gripper
        gripper.drive(action)
        gripper.world.step(SUBSTEPS)
        gripper.actions += 1
        reward, ended, truncated = gripper.judge()
        return gripper.look(), reward, ended, truncated, gripper.info()

    def render(self) -> Any:
        """The picture of the command `draw`, as an array of pixels."""
        if self.render_mode != "rgb_array":
            return None
        import io

        from matplotlib.image import imread

        return imread(io.BytesIO(self.world.draw(options=["--view", "60,15"]).png))


class GripperVectorEnv(VectorEnv[Array, Array, Any]):
    """Many grippers, stepped in one call by `threads` threads, without the GIL."""

    def __init__(self, num_envs: int, *, threads: int | None = None, scene: Any = None) -> None:
        if num_envs < 1:
            raise WorldError(f"{num_envs} environments: expected at least one")
        self.num_envs, self.threads = num_envs, threads
        self._grippers = [_Gripper(scene) for _ in range(num_envs)]
        self.single_observation_space, self.single_action_space = _Gripper.observation, _Gripper.action
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
            self._random = [gymnasium.utils.seeding.np_random(s)[0] for s in seeds]
        self._done[:] = False
        return np.stack([g.reset(r) for g, r in zip(self._grippers, self._random)]), {}

    def step(self, actions: ArrayLike) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One action each. An environment that ended begins anew instead."""
        given = np.asarray(actions, dtype=float)
        if given.shape != (self.num_envs, 2):
            raise WorldError(f"actions have shape {given.shape}: expected {(self.num_envs, 2)}")
        for gripper, action in zip(self._grippers, given):
            gripper.drive(action)
        moving = [g.world for g, done in zip(self._grippers, self._done) if not done]
        step_together(moving, SUBSTEPS, threads=self.threads)
        seen, rewards, ended, truncated = [], [], [], []
        for gripper, random, done in zip(self._grippers, self._random, self._done):
            if done:
                seen.append(gripper.reset(random))
                verdict = (0.0, False, False)
            else:
                gripper.actions += 1
                seen.append(gripper.look())
                verdict = gripper.judge()
            rewards.append(verdict[0])
            ended.append(verdict[1])
            truncated.append(verdict[2])
        self._done = np.array(ended) | np.array(truncated)
        return np.stack(seen), np.array(rewards), np.array(ended), np.array(truncated), {}


def _scene() -> str:
    return resources.files("delassus").joinpath("scenes/gripper.toml").read_text(encoding="utf-8")


def _times(a: Array, b: Array) -> Array:
    """Product of two quaternions."""
    w, v, x, y = a[0], a[1:], b[0], b[1:]
    return np.concatenate([[w * x - v @ y], w * y + x * v + np.cross(v, y)])
