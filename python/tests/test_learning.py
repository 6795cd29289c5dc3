"""Environments: Gymnasium's own checks, seeds, threads, and whether one can learn to lift."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from delassus import World, errors
from delassus.learning import ACTIONS, ArmEnv, ArmVectorEnv, GripperEnv, GripperVectorEnv, step_together


def policy(k):
    """Closes for 20 actions, then lifts."""
    return np.array([0.0, 1.0]) if k < 20 else np.array([1.0, 1.0])


def test_gymnasium_accepts_it():
    check_env(GripperEnv(), skip_render_check=True)


@pytest.mark.parametrize("bad", [[np.nan, 1.0], [np.inf, 1.0], [1.0], [[1.0, 1.0]], "up", None])
def test_actions_that_are_none_change_nothing(bad):
    env, other = GripperEnv(), GripperVectorEnv(2)
    env.reset(seed=0)
    other.reset(seed=0)
    for refuses in (lambda: env.step(bad), lambda: other.step([[0.0, 1.0], bad])):
        with pytest.raises((errors.WorldError, errors.ProblemError), match="actions"):
            refuses()
    reference = GripperEnv()
    reference.reset(seed=0)
    for one in (env, reference):
        one.step([0.0, 1.0])
    other.step([[0.0, 1.0], [0.0, 1.0]])
    assert env.world.hash == reference.world.hash == other.tasks[0].world.hash
    for count in (0, -1, 1.5, "2"):
        with pytest.raises(errors.WorldError, match="num_envs"):
            GripperVectorEnv(count)


def test_what_makes_no_sense_of_many_is_told():
    env, world = GripperVectorEnv(2), World("bouncing_ball")
    for call, says in (
        (lambda: env.reset(seed=[1]), "1 seeds for 2"),
        (lambda: env.reset(seed=[1, 2, 3]), "3 seeds for 2"),
        (lambda: GripperVectorEnv(2, threads="a"), "threads = 'a'"),
        (lambda: step_together([world], 1.5), "steps = 1.5"),
        (lambda: step_together([world], -1), "steps = -1"),
        (lambda: step_together([world, 3]), "int is no world"),
    ):
        with pytest.raises(errors.WorldError, match=says):
            call()
    assert world.steps_made == 0


def test_a_grip_lifts_the_cube_and_an_open_hand_does_not():
    env = GripperEnv()
    env.reset(seed=3)
    for k in range(ACTIONS):
        _, height, ended, _, info = env.step(policy(k))
        if ended:
            break
    assert ended and height > 0.1 and info["flagged"] == 0
    env.reset(seed=3)
    for k in range(60):
        _, height, ended, _, _ = env.step([1.0, -1.0] if k > 5 else [0.0, 0.0])
    assert not ended and height < 1e-3


def test_equal_seeds_equal_bits_alone_and_among_others():
    single, hashes = GripperEnv(), []
    single.reset(seed=12)
    for k in range(25):
        seen, *_ = single.step(policy(k))
    for threads in (1, 2):
        many = GripperVectorEnv(3, threads=threads)
        many.reset(seed=11)  # environment 1 takes seed 12
        for k in range(25):
            all_seen, rewards, *_ = many.step(np.tile(policy(k), (3, 1)))
        assert (all_seen[1] == seen).all()
        hashes.append([g.world.hash for g in many.tasks])
    assert hashes[0] == hashes[1] and len(set(hashes[0])) == 3


def resolved_rates(seen):
    """Behind the box, down, then forward along the floor: wanted velocities of the tool through the inverse Jacobian."""
    (a, b), (x, z), (box, _, _, goal) = seen[:2], seen[4:6], seen[6:10]
    behind = box - 0.05 - 0.04
    high = z > 0.07
    if high and x > behind - 0.01:
        wanted = np.array([-0.4, 0.0]) if x > behind - 0.02 else np.array([0.0, -0.5])
    elif high:
        wanted = np.array([0.0, -0.5])
    else:
        wanted = np.array([np.clip(4.0 * (goal - box), -0.05, 0.3), 2.0 * (0.06 - z)])
    # Tool at (0.4 sin a + 0.42 cos(a + b), 0.12 + 0.4 cos a − 0.42 sin(a + b)).
    d = np.array([-0.42 * np.sin(a + b), -0.42 * np.cos(a + b)])
    jacobian = np.column_stack([np.array([0.4 * np.cos(a), -0.4 * np.sin(a)]) + d, d])
    return np.clip(np.linalg.solve(jacobian, wanted) / 2.0, -1.0, 1.0)


def test_the_arm_is_that_of_the_example():
    """Angles, tool and limits are those of the URDF file: closed form of two links in a plane."""
    import pathlib
    from importlib import resources

    example = pathlib.Path(__file__).parents[2] / "examples/arm.urdf"
    packed = resources.files("delassus").joinpath("scenes/arm.urdf").read_text(encoding="utf-8")
    assert packed == example.read_text(encoding="utf-8")
    env = ArmEnv()
    env.reset(seed=0)
    for _ in range(8):
        seen, *_ = env.step([0.2, -0.3])
    a, b = seen[:2]
    assert a > 0.02 and b < -0.02
    assert seen[4] == pytest.approx(0.4 * np.sin(a) + 0.42 * np.cos(a + b), abs=1e-6)
    assert seen[5] == pytest.approx(0.12 + 0.4 * np.cos(a) - 0.42 * np.sin(a + b), abs=1e-6)
    # The elbow's own limit, 2 rad, holds against its motor.
    for _ in range(60):
        seen, *_ = env.step([0.0, -1.0])
    assert seen[1] == pytest.approx(-2.0, abs=5e-3)


def test_an_arm_pushes_the_box_to_its_mark():
    env = ArmEnv()
    check_env(env, skip_render_check=True)
    seen, _ = env.reset(seed=5)
    for _ in range(ACTIONS):
        seen, reward, ended, truncated, info = env.step(resolved_rates(seen))
        if ended or truncated:
            break
    assert ended and reward > -0.01 and info["flagged"] == 0


def test_arms_of_equal_seeds_have_equal_bits():
    single = ArmEnv()
    single.reset(seed=8)
    for _ in range(20):
        seen, *_ = single.step([0.4, 0.3])
    for threads in (1, 2):
        many = ArmVectorEnv(3, threads=threads)
        many.reset(seed=7)
        for _ in range(20):
            all_seen, *_ = many.step(np.tile([0.4, 0.3], (3, 1)))
        assert (all_seen[1] == seen).all() and not (all_seen[0] == seen).all()


def test_episodes_begin_anew():
    many = GripperVectorEnv(2)
    assert isinstance(many, gymnasium.vector.VectorEnv)
    many.reset(seed=0)
    many.tasks[0].actions = ACTIONS - 1
    _, _, _, truncated, _ = many.step(np.zeros((2, 2)))
    assert truncated.tolist() == [True, False]
    seen, rewards, _, truncated, _ = many.step(np.zeros((2, 2)))
    assert not truncated.any() and seen[0, -1] == 0.0 and rewards[0] == 0.0


def test_misuse():
    with pytest.raises(errors.WorldError, match="shape"):
        GripperVectorEnv(2).step(np.zeros((3, 2)))
    world = World("bouncing_ball")
    with pytest.raises(errors.WorldError, match="twice"):
        step_together([world, world])
    with pytest.raises(errors.WorldError, match="callbacks"):
        step_together([World("bouncing_ball", forces=lambda w: None)])


def test_an_error_ends_its_own_world_only():
    good, bad = World("bouncing_ball"), World("bouncing_ball")
    bad.apply([[0, 0, 0], [0, -1e308, 0]])
    with pytest.raises(errors.StepError):
        step_together([bad, good], 20)
    assert good.steps_made == 20 and bad.failed
