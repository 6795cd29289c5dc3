"""An arm described by a URDF file pushes a box to a mark on the floor."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from ..run import _command
from ..world import World
from ._env import ACTIONS, Array, WorldEnv, WorldVectorEnv, times, turned

#: Speed of the motors for an action of one, and its largest change by one action [rad/s].
SPEED, CHANGE = 2.0, 0.5
#: The box is at its mark within this distance [m].
NEAR = 0.01
_MOTORS = ("shoulder", "elbow")
#: The middle of the tool in the description of the robot [m].
_TOOL = np.array([0.42, 0.0, 0.52])

#: What is beside the robot: a floor, and a box within its reach.
_CELL = """
[solver]
tolerance = 1e-4
on_failure = "retry"

[body.floor]
shape.half_space = {}

[body.box]
shape.box.size = [0.1, 0.2, 0.1]
mass = 0.5
position = [0.5, 0, 0.05]
"""


class Arm:
    """One arm."""

    observation = spaces.Box(-np.inf, np.inf, (11,), np.float64)
    action = spaces.Box(-1.0, 1.0, (2,), np.float64)

    def __init__(self, scene: Any) -> None:
        self.world = World(_scene() if scene is None else scene, steered=_MOTORS)
        self.box, self.links = self.world.names.index("box"), [self.world.names.index(n) for n in ("upper", "fore")]
        self.start = self.world.state
        # Turned back to how they were described, links turn about the axis of both joints, y.
        self.rest = [_back(q) for q in self.world.orientations[self.links]]
        self.reach = _TOOL - self.world.positions[self.links[1]]
        self.goal, self.actions = 0.0, 0
        self.speeds = np.zeros(2)

    def reset(self, random: np.random.Generator) -> Array:
        """The box and its mark somewhere in front of the arm."""
        q = np.array(self.start.q).reshape(-1, 7)
        q[self.box, 0] = random.uniform(0.45, 0.55)
        self.goal = float(random.uniform(0.62, 0.72))
        self.world.state = self.start.replace(q=q.ravel())
        self.actions = 0
        self.speeds[:] = 0.0
        self.drive(np.zeros(2))
        return self.look()

    def drive(self, action: ArrayLike) -> None:
        wanted = np.clip(np.asarray(action, dtype=float), -1.0, 1.0) * SPEED
        self.speeds += np.clip(wanted - self.speeds, -CHANGE, CHANGE)
        for name, speed in zip(_MOTORS, self.speeds):
            self.world.drive(name, speed)

    def turns(self) -> list[Array]:
        """Quaternions of the links from how they were described."""
        return [times(q, back) for q, back in zip(self.world.orientations[self.links], self.rest)]

    def angles(self) -> Array:
        """Of the shoulder and the elbow [rad]."""
        upper, fore = (2.0 * np.arctan2(q[2], q[0]) for q in self.turns())
        return np.array([upper, fore - upper])

    def tool(self) -> Array:
        """The middle of the tool [m]."""
        return np.asarray(self.world.positions[self.links[1]] + turned(self.turns()[1], self.reach))

    def look(self) -> Array:
        box, speed = self.world.positions[self.box], self.world.velocities[self.box]
        return np.concatenate([self.angles(), self.speeds, self.tool()[[0, 2]], [box[0], box[2], speed[0], self.goal],
                               [self.actions / ACTIONS]])  # fmt: skip

    def judge(self) -> tuple[float, bool, bool]:
        """Minus the distance of the box from its mark; whether it stands there; whether the time is over."""
        far = abs(float(self.world.positions[self.box, 0]) - self.goal)
        return -far, far < NEAR and abs(float(self.world.velocities[self.box, 0])) < 0.01, self.actions >= ACTIONS


class ArmEnv(WorldEnv):
    """Push a box over the floor to a mark by an arm of two joints. Actions: their speeds, in [−1, 1] of 2 rad/s.

    The arm is read from a URDF file, with its limits of angle and effort. Observed: angles and speeds of the joints,
    place of the tool (x, z), place (x, z) and speed of the box, its mark, share of the time. The reward is minus the
    distance of the box from the mark [m]; standing within 1 cm of it ends the episode.

    >>> env = ArmEnv()
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, observation[:2].round(9).tolist(), observation[4:6].round(9).tolist()
    ((11,), [0.0, 0.0], [0.42, 0.52])
    """

    eye = "75,12"

    def __init__(self, scene: Any = None, render_mode: str | None = None) -> None:
        super().__init__(Arm(scene), render_mode)


class ArmVectorEnv(WorldVectorEnv):
    """Many arms, stepped in one call by `threads` threads, without the GIL."""

    def __init__(self, num_envs: int, *, threads: int | None = None, scene: Any = None) -> None:
        super().__init__(num_envs, lambda: Arm(scene), threads)


@lru_cache(maxsize=1)
def _scene() -> str:
    """The robot as `delassus import` writes it, its motors at given speeds instead of given angles, in its cell."""
    robot = resources.files("delassus").joinpath("scenes/arm.urdf").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "arm.urdf")
        with open(file, "w", encoding="utf-8") as text:
            text.write(robot)
        _command(["import", file, "--output", os.path.join(folder, "arm.toml")])
        with open(os.path.join(folder, "arm.toml"), encoding="utf-8") as text:
            scene = text.read()
    return scene.replace('drive = "0"', "speed = 0.0").replace("step = 0.001", "step = 0.002") + _CELL


def _back(q: Array) -> Array:
    """The inverse of a unit quaternion."""
    return np.array([q[0], -q[1], -q[2], -q[3]])
