"""Two fingers with force-limited motors lift a cube."""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from ..world import World
from ._env import ACTIONS, Array, WorldEnv, WorldVectorEnv, times

#: Speeds of the motors for an action of one [m/s].
LIFT, GRIP = 0.15, 0.1
#: Largest change of these speeds by one action [m/s]: motors do not jump.
CHANGE = 0.05
_MOTORS = ("lift", "grip_left", "grip_right")


class Gripper:
    """One gripper."""

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
        q[self.cube, 3:] = times(np.array([np.cos(half), 0.0, 0.0, np.sin(half)]), q[self.cube, 3:])
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


class GripperEnv(WorldEnv):
    """Lift a cube by two fingers. Actions: speed of the palm, closing speed of the fingers, both in [−1, 1].

    Observed: place, orientation and velocity of the cube, height and speed of the palm, distances of the fingers to
    the cube, share of the time. The reward is the height of the cube [m]; 0.1 m ends the episode.
    """

    def __init__(self, scene: Any = None, render_mode: str | None = None) -> None:
        super().__init__(Gripper(scene), render_mode)


class GripperVectorEnv(WorldVectorEnv):
    """Many grippers, stepped in one call by `threads` threads, without the GIL."""

    def __init__(self, num_envs: int, *, threads: int | None = None, scene: Any = None) -> None:
        super().__init__(num_envs, lambda: Gripper(scene), threads)


def _scene() -> str:
    return resources.files("delassus").joinpath("scenes/gripper.toml").read_text(encoding="utf-8")
