"""Gymnasium environments, one world or many at once.

>>> from delassus.learning import GripperEnv
>>> env = GripperEnv()
>>> observation, info = env.reset(seed=1)
>>> observation.shape, env.action_space.shape
((15,), (2,))
>>> observation, reward, ended, truncated, info = env.step([0.0, 1.0])
>>> ended, truncated, info["flagged"]
(False, False, 0)

Equal seeds and equal actions give equal bits, alone or among others, whatever the number of threads. A task of one's own
has the methods of :class:`Task`; :class:`WorldEnv` and :class:`WorldVectorEnv` make environments of it.
"""

from ._env import ACTIONS, SUBSTEPS, Task, WorldEnv, WorldVectorEnv, step_together
from ._arm import ArmEnv, ArmVectorEnv
from ._gripper import GRIP, LIFT, GripperEnv, GripperVectorEnv

__all__ = [
    "ACTIONS", "GRIP", "LIFT", "SUBSTEPS", "ArmEnv", "ArmVectorEnv", "GripperEnv", "GripperVectorEnv", "Task", "WorldEnv",
    "WorldVectorEnv", "step_together",
]  # fmt: skip
