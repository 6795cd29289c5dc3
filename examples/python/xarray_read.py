"""A run as an xarray Dataset with names and units on its axes.

    python xarray_read.py RUN.h5 [BODY]
"""

import sys

import h5py
import xarray as xr


def dataset(path):
    """All fields of the bodies, and all series of one number."""
    with h5py.File(path) as f:
        time = f["frames/time"][:]
        axes = ["x", "y", "z"][: int(f.attrs["dimension"])]
        names = f["model/bodies/name"].asstr()[:]
        data = xr.Dataset(coords={"time": ("time", time, {"units": "s"}), "body": names, "axis": axes})
        data["mass"] = ("body", f["model/bodies/mass"][:], {"units": "kg"})
        for name in ("position", "velocity"):
            field = f["bodies/" + name]
            unit = {"units": field.attrs["unit"].decode()}
            data[name] = (("time", "body", "axis"), field[: len(time)], unit)
        for group in ("energy", "work"):
            for name, field in f[group].items():
                data[f"{group}_{name}"] = ("time", field[: len(time)], {"units": "J"})
        return data


if __name__ == "__main__":
    run = dataset(sys.argv[1])
    body = sys.argv[2] if len(sys.argv) > 2 else str(run.body[0].item())
    print(run)
    path = run.position.sel(body=body)
    print(body, "ends at", path.isel(time=-1).values)
    centre = run.position.weighted(run.mass).mean("body")
    print("centre of mass ends at", centre.isel(time=-1).values)
    print("largest kinetic energy", float(run.energy_kinetic.max()), "J")
