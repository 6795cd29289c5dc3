"""A run with h5py: who is there, where they go, what the contacts carry.

    python h5py_read.py RUN.h5
"""

import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1]) as f:
    time = f["frames/time"][:]
    frames = len(time)  # rows beyond it belong to a frame that is not complete
    names = f["model/bodies/name"].asstr()[:]
    mass = f["model/bodies/mass"][:]
    position = f["bodies/position"][:frames]  # (frames, bodies, axes)
    velocity = f["bodies/velocity"][:frames]
    print(f"{f.attrs['title']}: {frames} frames to {time[-1]:g} s, {len(names)} bodies, {mass.sum():g} kg")

    # What obeys mechanics has a mass; what is moved or fixed has none.
    momentum = np.einsum("b,fba->fa", mass, velocity)
    print("momentum at the start", momentum[0], "in the file", f["momentum/linear"][0])

    for shape, body in enumerate(f["model/shapes/body"][:]):
        kind = f["model/shapes/kind"].asstr()[shape]
        radius = f["model/shapes/radius"][shape]
        print(f"{names[body]}: {kind}" + (f" of radius {radius:g} m" if radius > 0 else ""))

    # The contacts of the last frame: rows first to first + count.
    first, count = f["frames/contacts"][frames - 1]
    rows = slice(first, first + count)
    laws = f["model/laws/name"].asstr()[:]
    for (a, b), law, mu, force, normal in zip(
        f["contacts/bodies"][rows],
        f["contacts/law"][rows],
        f["contacts/coefficient"][rows],
        f["contacts/force"][rows],
        f["contacts/normal"][rows],
    ):
        pressed = force @ normal
        rubbed = np.linalg.norm(force - pressed * normal)
        assert rubbed <= mu * pressed * (1 + 1e-6) + 1e-9, "outside the cone of friction"
        print(f"{names[a]} on {names[b]}: {laws[law]} {mu:g}, {pressed:.6g} N pressed, {rubbed:.6g} N rubbed")

    if "joints" in f:
        for name, force in zip(f["model/joints/name"].asstr()[:], f["joints/force"][frames - 1]):
            print(f"joint {name}: {np.linalg.norm(force):.6g} N")
