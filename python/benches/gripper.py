"""64 grippers at once, by us and by MuJoCo, in one run.

    target/wheel-test/bin/python python/benches/gripper.py [THREADS]

The same bodies, joints, motors with the same gains and limits, the same cube, the same step; MuJoCo by `mujoco.rollout` on as
many threads, with elliptic cones. It relaxes the laws of contact, we solve them: the slip of the held cube is told too. Both are
told how high the cubes are in the end, on average: it is the same experiment.
"""

import sys
import time

import mujoco
import numpy as np
from mujoco import rollout

from delassus.learning import ACTIONS, GRIP, LIFT, SUBSTEPS, GripperVectorEnv

ENVS = 64
MODEL = """
<mujoco>
  <option timestep="0.002" cone="elliptic" iterations="100" integrator="implicitfast"/>
  <default><geom friction="0.8 0 0"/></default>
  <worldbody>
    <geom type="plane" size="2 2 .1" contype="1" conaffinity="1"/>
    <body name="cube" pos="0 0 .025"><freejoint/><geom type="box" size=".025 .025 .025" mass=".2" contype="1" conaffinity="3"/></body>
    <body name="palm" pos="0 0 .16"><joint name="lift" type="slide" axis="0 0 1"/>
      <geom type="box" size=".12 .03 .01" mass=".5" contype="2" conaffinity="1"/>
      <body name="left" pos="-.065 0 -.085"><joint name="grip_left" type="slide" axis="1 0 0"/>
        <geom type="box" size=".01 .025 .065" mass=".15" contype="2" conaffinity="1"/></body>
      <body name="right" pos=".065 0 -.085"><joint name="grip_right" type="slide" axis="-1 0 0"/>
        <geom type="box" size=".01 .025 .065" mass=".15" contype="2" conaffinity="1"/></body>
    </body>
  </worldbody>
  <actuator>
    <velocity joint="lift" kv="2000" forcerange="-60 60"/>
    <velocity joint="grip_left" kv="500" forcerange="-8 8"/>
    <velocity joint="grip_right" kv="500" forcerange="-8 8"/>
  </actuator>
</mujoco>"""


def speeds(k: int) -> np.ndarray:
    """Closes for 20 actions, then lifts at a fifth of the speed, by 8 cm in all."""
    return np.array([0.0, 1.0]) if k < 20 else np.array([0.2, 1.0])


def clocks() -> np.ndarray:
    """Of the wall and of all processors, which other programs do not change."""
    return np.array([time.perf_counter(), time.process_time()])


def ours(threads: int) -> tuple[np.ndarray, float, float, float]:
    env = GripperVectorEnv(ENVS, threads=threads)
    env.reset(seed=0)
    begin, held = clocks(), None
    for k in range(ACTIONS):
        env.step(np.tile(speeds(k), (ENVS, 1)))
        if k == 40:
            held = below(env)
    seconds = clocks() - begin
    slip = np.abs(below(env) - held).max()
    flagged = sum(g.world.totals["flagged"] for g in env.tasks)
    height = float(np.mean([g.world.positions[g.cube, 2] for g in env.tasks]))
    return ENVS * ACTIONS * SUBSTEPS / seconds, slip, height, flagged


def below(env: GripperVectorEnv) -> np.ndarray:
    """Height of the palm above the cube: constant while the cube does not slip."""
    return np.array([g.world.positions[g.palm, 2] - g.world.positions[g.cube, 2] for g in env.tasks])


def mujocos(threads: int) -> tuple[np.ndarray, float, float]:
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = [mujoco.MjData(model) for _ in range(threads)]
    start = mujoco.MjData(model)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.zeros((ENVS, size))
    for k in range(ENVS):
        random = np.random.default_rng(k)
        start.qpos[:2] = random.uniform(-0.008, 0.008, 2)
        half = 0.5 * random.uniform(-0.2, 0.2)
        start.qpos[3:7] = [np.cos(half), 0, 0, np.sin(half)]
        mujoco.mj_getState(model, start, states[k], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    control = np.array([[LIFT * lift, GRIP * grip, GRIP * grip] for lift, grip in map(speeds, range(ACTIONS))])
    control = np.repeat(control, SUBSTEPS, axis=0)[None].repeat(ENVS, axis=0)
    begin = clocks()
    found, _ = rollout.rollout(model, data, states, control)
    seconds = clocks() - begin
    # Full state: time, qpos (cube 7, lift, grips), qvel.
    apart = 0.16 + found[:, :, 8] - found[:, :, 3]
    slip = np.abs(apart[:, -1] - apart[:, 40 * SUBSTEPS]).max()
    return ENVS * ACTIONS * SUBSTEPS / seconds, slip, float(found[:, -1, 3].mean())


if __name__ == "__main__":
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    for name, run in (("delassus", ours), ("MuJoCo", mujocos)):
        rate, slip, height, *flagged = run(threads)
        told = f", flagged {flagged[0]:.0f}" if flagged else ""
        print(f"{name:9s} {rate[0]:9.0f} steps/s, {rate[1]:.0f} a second of processor, {ENVS} environments, {threads} threads, slip of the held cube {slip:.2e} m, height {height:.4f} m{told}")
