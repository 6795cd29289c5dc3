"""MuJoCo on a scene of the gallery, from the description that `state.py` writes.

    python mujoco_peer.py STATE.json OUT.json SECONDS

Scenes of the plane lie in x, z: bodies slide along both and turn about -y; discs are spheres with the inertia of a disc,
rectangles are boxes. Writes the motion as `motion-peers` does.
"""

from __future__ import annotations

import json
import sys
import time
from xml.etree import ElementTree as Xml

import mujoco
import numpy as np

DEPTH = 0.5
"""Half depth of plane bodies, in units of the smallest extent."""
HEAVY = 1e6
"""Inertia of what is driven: contacts do not slow it."""


def text(values) -> str:
    return " ".join(repr(float(v)) for v in np.atleast_1d(values))


class Scene:
    """A description as a model of MuJoCo."""

    def __init__(self, state: dict):
        self.state, self.plane = state, state["dimension"] == 2
        self.ground: list[tuple[str, np.ndarray]] = []
        h = state["step"]
        root = Xml.Element("mujoco")
        Xml.SubElement(root, "size", memory="4G")
        # Stiff: Newton's method on elliptic cones, contacts as fast as the step resolves.
        Xml.SubElement(root, "option", timestep=repr(h), gravity=text(self.spatial(state["gravity"])), cone="elliptic",
                       solver="Newton", impratio="10")
        Xml.SubElement(Xml.SubElement(root, "default"), "geom", condim="3", friction=f"{state['friction']} 0 0",
                       solref=f"{2.0 * h!r} 1", solimp="0.99 0.99 0.001")
        self.assets, self.world = Xml.SubElement(root, "asset"), Xml.SubElement(root, "worldbody")
        for index, body in enumerate(state["bodies"]):
            self.add(index, body)
        self.model = mujoco.MjModel.from_xml_string(Xml.tostring(root, encoding="unicode"))
        for name, heights in self.ground:
            self.model.hfield(name).data[:] = heights
        self.data = mujoco.MjData(self.model)
        self.start()

    def spatial(self, x) -> list[float]:
        return [x[0], 0.0, x[1]] if self.plane else list(x)

    def turn(self, rotation) -> list[float]:
        """A quaternion; in the plane angles are about -y."""
        if not self.plane:
            return rotation
        return [np.cos(0.5 * rotation[0]), 0.0, -np.sin(0.5 * rotation[0]), 0.0]

    def add(self, index: int, body: dict) -> None:
        node = self.world
        if body["kind"] != "fixed":
            node = Xml.SubElement(self.world, "body", name=f"b{index}", pos=text(self.spatial(body["position"])),
                                  quat=text(self.turn(body["rotation"])))
            self.joints(node, index, body)
        frame = node
        if body["kind"] == "fixed":
            frame = Xml.SubElement(self.world, "frame", pos=text(self.spatial(body["position"])),
                                   quat=text(self.turn(body["rotation"])))
        for k, part in enumerate(body["shapes"]):
            self.geom(frame, f"g{index}_{k}", part, body)

    def joints(self, node: Xml.Element, index: int, body: dict) -> None:
        if body["kind"] == "driven":
            node.set("gravcomp", "1")
            axis = "0 -1 0" if self.plane else text(np.array(body["spin"]) / np.linalg.norm(body["spin"]))
            Xml.SubElement(node, "joint", name=f"j{index}", type="hinge", axis=axis, armature=repr(HEAVY))
        elif self.plane:
            # A slide is along an axis of the body as it starts; the world's is wanted.
            angle = body["rotation"][0]
            c, s = np.cos(angle), np.sin(angle)
            Xml.SubElement(node, "joint", name=f"x{index}", type="slide", axis=text([c, 0.0, -s]))
            Xml.SubElement(node, "joint", name=f"y{index}", type="slide", axis=text([s, 0.0, c]))
            Xml.SubElement(node, "joint", name=f"j{index}", type="hinge", axis="0 -1 0")
            mass, inertia = inertia_of(body)
            Xml.SubElement(node, "inertial", pos="0 0 0", mass=repr(mass), diaginertia=text([inertia] * 3))
        else:
            Xml.SubElement(node, "freejoint", name=f"j{index}")

    def geom(self, node: Xml.Element, name: str, part: dict, body: dict) -> None:
        depth = DEPTH * self.state["unit"]
        given = {"name": name, "density": repr(body["density"])}
        match part["kind"]:
            case "half_space":
                given |= {"type": "plane", "size": "0 0 1"}
            case "disc" | "sphere":
                given |= {"type": "sphere", "size": text(part["radius"])}
            case "capsule":
                given |= {"type": "capsule", "size": text(part["radius"]),
                          "fromto": text([-part["half"], 0, 0, part["half"], 0, 0])}
            case "box" if self.plane:
                given |= {"type": "box", "size": text([part["half"][0], depth, part["half"][1]]),
                          "pos": text(self.spatial(part["centre"]))}
            case "box":
                given |= {"type": "box", "size": text(part["half"]), "pos": text(part["centre"])}
            case "polygon":
                centre, half, angle = rectangle(np.array(part["points"]))
                given |= {"type": "box", "size": text([half[0], depth, half[1]]), "pos": text(self.spatial(centre)),
                          "quat": text(self.turn([angle]))}
            case "polyhedron":
                Xml.SubElement(self.assets, "mesh", name=name, vertex=text(np.ravel(part["points"])))
                given |= {"type": "mesh", "mesh": name}
            case "mesh":
                given |= self.heights(name, np.array(part["points"]))
        Xml.SubElement(node, "geom", given)

    def heights(self, name: str, points: np.ndarray) -> dict:
        """A height field from the vertices of a regular grid."""
        points = points[np.lexsort((points[:, 0], points[:, 1]))]
        columns, rows = len(np.unique(points[:, 0])), len(np.unique(points[:, 1]))
        if columns * rows != len(points):
            sys.exit("a mesh that is no height field")
        low, reach = points[:, 2].min(), np.ptp(points[:, 2])
        size = [0.5 * np.ptp(points[:, 0]), 0.5 * np.ptp(points[:, 1]), reach, 0.1]
        Xml.SubElement(self.assets, "hfield", name=name, nrow=str(rows), ncol=str(columns), size=text(size))
        self.ground.append((name, ((points[:, 2] - low) / reach).reshape(rows, columns)))
        return {"type": "hfield", "hfield": name, "pos": text([0.0, 0.0, low])}

    def start(self) -> None:
        for index, body in enumerate(self.state["bodies"]):
            if body["kind"] == "fixed":
                continue
            joint = self.data.joint(f"j{index}")
            if body["kind"] == "driven" or self.plane:
                joint.qvel = body["spin"][0] if self.plane else np.linalg.norm(body["spin"])
                if body["kind"] == "moving":
                    self.data.joint(f"x{index}").qvel, self.data.joint(f"y{index}").qvel = body["velocity"]
            else:
                # MuJoCo has the angular velocity of a free joint in the frame of the body.
                local = np.zeros(3)
                inverse = np.array(body["rotation"]) * [1, -1, -1, -1]
                mujoco.mju_rotVecQuat(local, np.array(body["spin"]), inverse)
                joint.qvel = [*body["velocity"], *local]
        mujoco.mj_forward(self.model, self.data)

    def frame(self, motion: dict) -> None:
        positions, rotations, velocities = [], [], []
        for index, body in enumerate(self.state["bodies"]):
            if body["kind"] == "fixed":
                positions.append(body["position"])
                rotations.append(body["rotation"])
                velocities.append(body["velocity"])
                continue
            own = self.data.body(f"b{index}")
            x, joint = own.xpos.tolist(), self.data.joint(f"j{index}")
            if self.plane:
                positions.append([x[0], x[2]])
                rotations.append([body["rotation"][0] + float(joint.qpos[0])])
                slides = [self.data.joint(f"{a}{index}").qvel[0] for a in "xy"] if body["kind"] == "moving" else [0, 0]
                velocities.append([float(v) for v in slides])
            else:
                positions.append(x)
                rotations.append(own.xquat.tolist())
                velocities.append(joint.qvel[:3].tolist())
        motion["time"].append(self.data.time)
        motion["position"].append(positions)
        motion["rotation"].append(rotations)
        motion["velocity"].append(velocities)


def inertia_of(body: dict) -> tuple[float, float]:
    """Mass and inertia of a plane body of one shape about its centre."""
    (part,), density = body["shapes"], body["density"]
    match part["kind"]:
        case "disc":
            mass = density * np.pi * part["radius"]**2
            return mass, 0.5 * mass * part["radius"]**2
        case "box":
            a, b = part["half"]
            mass = density * 4.0 * a * b
            return mass, mass * (a * a + b * b) / 3.0
        case "capsule":
            half, r = part["half"], part["radius"]
            slab, ends = density * 4.0 * half * r, density * np.pi * r * r
            # Two half discs, each about its own centre of mass, which is 4r/3π from its flat side.
            shift = 4.0 * r / (3.0 * np.pi)
            about = ends * (0.5 * r * r - shift * shift + (half + shift)**2)
            return slab + ends, slab * (half * half + r * r) / 3.0 + about
        case kind:
            sys.exit(f"a moving {kind} in the plane")


def rectangle(points: np.ndarray) -> tuple[np.ndarray, list[float], float]:
    """Centre, half sides and angle of a rectangle given by its corners."""
    along, across = points[1] - points[0], points[3] - points[0]
    if len(points) != 4 or abs(along @ across) > 1e-9 * np.linalg.norm(along) * np.linalg.norm(across):
        sys.exit("a polygon that is no rectangle")
    half = [0.5 * np.linalg.norm(along), 0.5 * np.linalg.norm(across)]
    return points.mean(axis=0), half, float(np.arctan2(along[1], along[0]))


def main() -> None:
    source, out, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
    with open(source) as file:
        state = json.load(file)
    scene = Scene(state)
    motion = {"time": [], "position": [], "rotation": [], "velocity": [], "steps": 0, "mean_ms": 0.0, "worst_ms": 0.0}
    scene.frame(motion)
    steps, every, spent = round(state["end"] / state["step"]), round(state["record"] / state["step"]), 0.0
    while motion["steps"] < steps and spent <= limit:
        start = time.process_time()
        mujoco.mj_step(scene.model, scene.data)
        taken = time.process_time() - start
        spent += taken
        motion["steps"] += 1
        motion["worst_ms"] = max(motion["worst_ms"], 1e3 * taken)
        if motion["steps"] % every == 0 or motion["steps"] == steps:
            scene.frame(motion)
    motion["mean_ms"] = 1e3 * spent / max(motion["steps"], 1)
    with open(out, "w") as file:
        json.dump(motion, file)


if __name__ == "__main__":
    main()
