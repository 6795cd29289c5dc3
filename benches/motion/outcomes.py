"""What a motion came to, scene by scene: the same questions for every engine."""

from __future__ import annotations

from typing import Callable

import numpy as np

BEFORE_THE_BALL = 0.2
"""The tower is struck a quarter of a second after the start; until then it stands [s]."""


class Motion:
    """Frames of what moves, as arrays."""

    def __init__(self, state: dict, motion: dict):
        self.moving = [k for k, body in enumerate(state["bodies"]) if body["kind"] == "moving"]
        self.names = [state["bodies"][k]["name"] for k in self.moving]
        self.time = np.array(motion["time"])
        self.position = np.array(motion["position"], dtype=float)[:, self.moving]
        self.velocity = np.array(motion["velocity"], dtype=float)[:, self.moving]

    def of(self, prefix: str) -> np.ndarray:
        """Positions of the bodies of a generator: frame, body, component."""
        return self.position[:, [name.startswith(prefix) for name in self.names]]

    def rms_speed(self) -> float:
        """Of the last frame [m/s]."""
        return float(np.sqrt((self.velocity[-1]**2).sum(axis=1).mean()))


def drift_of_top(positions: np.ndarray, frame: int = -1) -> str:
    """How far the body that was highest has come [mm]."""
    top = positions[0, :, -1].argmax()
    return f"{1e3 * np.linalg.norm(positions[frame, top] - positions[0, top]):.2g}"


def standing(positions: np.ndarray) -> str:
    top = positions[0, :, -1].argmax()
    return "stands" if positions[-1, top, -1] > 0.9 * positions[0, top, -1] else "has fallen"


def box_stack(m: Motion) -> tuple[str, str]:
    return drift_of_top(m.position), f"{standing(m.position)}, {m.rms_speed():.0e} m/s"


def card_house(m: Motion) -> tuple[str, str]:
    return drift_of_top(m.position), f"{standing(m.position)}, {m.rms_speed():.0e} m/s"


def dominoes(m: Motion) -> tuple[str, str]:
    x = m.position
    return "", f"{int((x[-1, :, 2] < 0.9 * x[0, :, 2]).sum())} of {x.shape[1]} fell"


def brick_wall(m: Motion) -> tuple[str, str]:
    bricks = m.of("brick")
    moved = np.linalg.norm(bricks[-1] - bricks[0], axis=1)
    return "", f"{int((moved > 0.05).sum())} of {len(moved)} bricks moved 5 cm, highest at {bricks[-1, :, 1].max():.2f} m"


def kapla_tower(m: Motion) -> tuple[str, str]:
    planks = m.of("plank")
    frame = int(np.searchsorted(m.time, BEFORE_THE_BALL - 1e-9))
    drift = drift_of_top(planks, frame) if frame < len(m.time) else ""
    levels = (planks[-1, :, 2] > 0.05).sum()
    return drift, f"highest at {1e3 * planks[-1, :, 2].max():.0f} mm, {int(levels)} of {planks.shape[1]} planks above 50 mm"


def spheres_in_box(m: Motion) -> tuple[str, str]:
    x = m.position[-1]
    outside = (np.abs(x[:, :2]).max(axis=1) > 0.125) | (x[:, 2] < 0.0)
    return "", f"mean height {1e3 * x[:, 2].mean():.1f} mm, {m.rms_speed():.1e} m/s, {int(outside.sum())} outside"


def drum(m: Motion) -> tuple[str, str]:
    centre = m.position[m.time >= 0.5 * m.time[-1]].mean(axis=1)
    angles = np.degrees(np.arctan2(centre[:, 0], -centre[:, 1]))
    outside = np.linalg.norm(m.position[-1], axis=1) > 0.55
    return "", f"grains hang at {angles.mean():.1f}° ± {angles.std():.1f}°, {int(outside.sum())} outside"


def hopper(m: Motion) -> tuple[str, str]:
    x = m.position[-1]
    return "", f"{int((x[:, 1] > 0.0).sum())} of {len(x)} grains left"


def rubble(m: Motion) -> tuple[str, str]:
    x = m.position[-1]
    return "", f"mean height {1e3 * x[:, 2].mean():.0f} mm, {m.rms_speed():.1e} m/s, {int((x[:, 2] < -0.1).sum())} lost"


JUDGES: dict[str, Callable[[Motion], tuple[str, str]]] = {
    judge.__name__: judge
    for judge in (box_stack, card_house, dominoes, brick_wall, kapla_tower, spheres_in_box, drum, hopper, rubble)
}


def judge(scene: str, state: dict, motion: dict) -> tuple[str, str]:
    """Drift of what should stand still [mm], where something should; and the outcome in words."""
    return JUDGES[scene](Motion(state, motion))
