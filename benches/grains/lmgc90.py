#!/usr/bin/env python3
"""LMGC90's converged steps of settled spheres, judged by our certificate, and ours on the same problems.

See README.md in this folder. LMGC90 comes from PyPI inside `compas_lmgc90`, whose interface has polyhedra and one
tolerance only; its library, however, exports every procedure of the core, and these are called here: spheres,
`Quad` criterion, any tolerance, and the reactions, velocities, frames and gaps of each contact.
"""

from __future__ import annotations

import argparse
import ctypes as c
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
PYTHON = TARGET / "lmgc90-python" / "bin" / "python"
# Without its dependencies: they are for drawing.
PACKAGES = (["--no-deps", "compas_lmgc90==0.1.11"], ["numpy", "scipy", "h5py"])

MU, DENSITY, GRAVITY = 0.3, 2600.0, 9.81
ALERT = 5e-4
"""Contacts are sought up to this distance [m]."""
LINING = 0.03
"""Radius of the fixed spheres that are floor and walls [m]."""
SWEEPS = 10
"""Between two checks of convergence."""
SPHER, SPSPX = 6, 12
"""LMGC90's numbers for spheres and for pairs of them."""
ITERATE, CHECK, FINISH = 1, 2, 3
LIMIT = 200_000
"""Sweeps of a step."""


def interpreter() -> None:
    """The packages in a virtual environment under the target folder; goes on in it."""
    if Path(sys.prefix).resolve() == PYTHON.parents[1].resolve():
        return
    stamp = PYTHON.parents[1] / "installed"
    if not stamp.exists() or stamp.read_text() != str(PACKAGES):
        subprocess.run([sys.executable, "-m", "venv", str(PYTHON.parents[1])], check=True)
        for packages in PACKAGES:
            pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
            subprocess.run(pip, check=True)
        stamp.write_text(str(PACKAGES))
    os.execv(PYTHON, [str(PYTHON), *sys.argv])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delassus", type=Path, default=TARGET / "release" / "delassus")
    parser.add_argument("--count", type=int, default=2000, help="grains (2000)")
    parser.add_argument("--settle", type=float, default=1.2, help="time to settle [s] (1.2)")
    parser.add_argument("--step", type=float, default=2e-4, help="time step of the measured steps [s] (2e-4)")
    parser.add_argument("--tolerances", default="1e-3,1e-4,1e-5", metavar="T,..", help="of LMGC90's criterion Quad")
    parser.add_argument("--steps", type=int, default=5, help="measured steps for each, after as many that are not (5)")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for one solve of ours (20)")
    parser.add_argument("--keep", type=Path, help="keep the problems in this folder, as FCLIB files")
    options = parser.parse_args()
    if not options.delassus.exists():
        parser.exit(2, f"{options.delassus} not found: cargo build --release, or give --delassus\n")
    return options


class Dimension(c.Structure):
    _fields_ = [("stride", c.c_ssize_t), ("lower", c.c_ssize_t), ("upper", c.c_ssize_t)]


class Pointer(c.Structure):
    """A pointer to an array, as gfortran passes it."""

    _fields_ = [("base", c.c_void_p), ("offset", c.c_ssize_t), ("element", c.c_size_t), ("version", c.c_int),
                ("rank", c.c_byte), ("type", c.c_byte), ("attribute", c.c_short), ("span", c.c_ssize_t),
                ("dimension", Dimension * 1)]

    @staticmethod
    def to(values: list, of: type) -> "Pointer":
        """To a copy that the library may free."""
        malloc = c.CDLL(None).malloc
        malloc.restype = c.c_void_p
        size = c.sizeof(of)
        base = malloc(c.c_size_t(size * len(values)))
        c.memmove(base, (of * len(values))(*values), size * len(values))
        kind = 3 if of is c.c_double else 1
        return Pointer(base, -1, size, 0, 1, kind, 0, size, (Dimension * 1)(Dimension(1, 1, len(values))))


class Library:
    """LMGC90's procedures, by module and name; arguments by reference, as Fortran has them."""

    def __init__(self) -> None:
        package = Path(importlib.util.find_spec("compas_lmgc90").submodule_search_locations[0])
        self.code = c.CDLL(str(next(package.glob("_lmgc90*.so"))))

    def call(self, module: str, name: str, *arguments, result=None):
        procedure = getattr(self.code, f"__{module}_MOD_{name}")
        procedure.restype = result
        given, lengths = [], []
        for argument in arguments:
            if isinstance(argument, bytes):
                given.append(c.c_char_p(argument))
                lengths.append(c.c_size_t(len(argument)))
            elif isinstance(argument, int):
                given.append(c.byref(c.c_int(argument)))
            elif isinstance(argument, float):
                given.append(c.byref(c.c_double(argument)))
            elif isinstance(argument, c.Array):
                given.append(argument)
            else:
                given.append(c.byref(argument))
        # What is optional and not given is null.
        return procedure(*given, *lengths, None, None, None, None)

    def contacts(self, name: str, *arguments, result=None):
        return self.call("inter_meca_handler_3d", name, SPSPX, *arguments, result=result)


@dataclass
class Contact:
    """One contact after a step: normal first, towards the candidate."""

    bodies: tuple[int, int]
    frame: "np.ndarray"
    percussion: "np.ndarray"
    velocity: "np.ndarray"
    before: "np.ndarray"
    gap: float


class Packing:
    """Grains that fall into a box lined with fixed spheres."""

    def __init__(self, count: int, h: float):
        self.lib, self.h, self.boxes = Library(), h, False
        initialize = self.lib.code.lmgc90_initialize
        initialize.argtypes = [c.c_double, c.c_double, c.c_bool]
        initialize(h, 0.5, False)
        self.lib.code.lmgc90_set_materials(c.c_int(1), (c.c_double * 1)(DENSITY))
        law = c.create_string_buffer(b"IQS_CLB", 31)
        self.lib.code.lmgc90_add_one_tact_behav(c.create_string_buffer(b"iqsc0", 6), law, c.c_int(1), (c.c_double * 1)(MU))
        self.lib.call("tact_behaviour", "close_tact_behav_ll")
        self.lib.call("tact_behaviour", "open_see_ll")
        side = (b"RBDY3", b"SPHER", b"REDxx")
        self.lib.call("tact_behaviour", "add_to_see_ll", *side, b"iqsc0", *side, ALERT, 0.0)
        self.lib.call("tact_behaviour", "close_see_ll")
        places = self.places(count)
        self.lib.code.lmgc90_set_nb_bodies(c.c_int(len(places)))
        self.radius, self.fixed = [], []
        for centre, radius, fixed in places:
            self.add(centre, radius, fixed)
        for name in ("update_existing_entities_rbdy3", "read_behaviours_rbdy3"):
            self.lib.call("rbdy3", name)
        self.lib.call("spher", "read_bodies_spher")
        self.lib.call("overall", "init_entitylist")
        self.lib.contacts("redo_nb_adj")
        self.lib.contacts("stock_rloc")
        self.lib.call("rbdy3", "comp_mass_rbdy3")
        self.mass = [self.lib.call("rbdy3", "get_mass", k + 1, result=c.c_double) for k in range(len(places))]

    @staticmethod
    def places(count: int) -> list:
        """Centre, radius and whether it is fixed: the grains of packing.rs on their jittered grid, and the box."""
        random = np.random.default_rng(1)
        width, pitch = 0.3 * (count / 2000.0) ** (1.0 / 3.0), 0.0305
        columns = int(width / pitch)
        grains = []
        for i in range(count):
            radius = random.uniform(0.005, 0.015)
            jitter = 0.5 * (pitch - 2.0 * radius) * 0.99
            cell = np.array([i % columns, i // columns % columns, i // columns**2])
            grains.append((cell * pitch + 0.5 * pitch + random.uniform(-jitter, jitter, 3), radius, False))
        height = (count // columns**2 + 2) * pitch
        # Near enough that no grain passes between four of them.
        along = np.linspace(0.0, width, int(np.ceil(width / (1.2 * LINING))) + 1)
        up = np.linspace(0.0, height, int(np.ceil(height / (1.2 * LINING))) + 1)
        out = [-LINING, width + LINING]
        box = [(x, y, -LINING) for x in along for y in along]
        box += [(x, y, z) for x in out for y in along for z in up] + [(x, y, z) for x in along for y in out for z in up]
        return grains + [(np.array(p), LINING, True) for p in box]

    def add(self, centre, radius: float, fixed: bool) -> None:
        self.lib.call("rbdy3", "add_one_rbdy3", (c.c_double * 3)(*centre), 1, 6 if fixed else 0, 0)
        body = self.lib.call("rbdy3", "get_nb_rbdy3", result=c.c_int)
        volume = 4.0 / 3.0 * np.pi * radius**3
        inertia = (c.c_double * 3)(*[0.4 * radius**2 * volume] * 3)
        frame, shift = (c.c_double * 9)(1, 0, 0, 0, 1, 0, 0, 0, 1), (c.c_double * 3)()
        self.lib.call("rbdy3", "set_one_tactor_rbdy3", body, 1, SPHER, b"REDxx", volume, inertia, frame, shift,
                      Pointer.to([0], c.c_int), Pointer.to([radius], c.c_double))
        self.lib.call("rbdy3", "set_blmty_rbdy3", body, b"s0001", radius, inertia, frame)
        for k in range(6 if fixed else 0):
            drive = self.lib.code.lmgc90_set_drvdof
            drive(c.c_int(body), c.c_int(k + 1), (c.c_double * 6)(), c.c_int(6), c.c_bool(True), c.c_bool(False))
        self.radius.append(radius)
        self.fixed.append(fixed)

    def set_step(self, h: float) -> None:
        self.lib.call("overall", "set_time_step", h, 0)
        self.lib.call("overall", "init_theta_integrator", 0.5, 1)
        self.h = h

    def step(self, tolerance: float, limit: int, warm: bool = True) -> tuple[int, bool, float]:
        """One step: sweeps, whether they converged, processor seconds of W and sweeps."""
        call = self.lib.call
        call("overall", "clean_writing_flags")
        call("overall", "time_increment")
        for name in ("increment", "comp_fext", "comp_fint", "comp_free_vlocy"):
            call("rbdy3", f"{name}_rbdy3")
        call("overall", "init_entitylist")
        call("overall", "set_run_contactor", 1)
        if not self.boxes:
            call("spspx", "compute_box_spspx")
            self.boxes = True
        call("spspx", "coor_prediction_spspx")
        if call("spspx", "run_spspx", result=c.c_int):
            call("spspx", "creation_tab_visu_spspx")
        call("spspx", "compute_contact_spspx")
        if warm:
            self.lib.contacts("recup_rloc")
        start = time.process_time()
        sweeps, converged = self.solve(tolerance, limit)
        taken = time.process_time() - start
        call("nlgs_3d", "rnodhrloc_nlgs")
        call("nlgs_3d", "solve_nlgs", FINISH)
        call("nlgs_3d", "nullify_entitylist_nlgs")
        call("nlgs_3d", "update_tact_behav_nlgs")
        self.lib.contacts("stock_rloc")
        call("rbdy3", "comp_dof_rbdy3")
        call("overall", "updt_time_begin")
        call("rbdy3", "update_dof_rbdy3")
        return sweeps, converged, taken

    def solve(self, tolerance: float, limit: int) -> tuple[int, bool]:
        """Gauss-Seidel on the stored W until LMGC90's own criterion holds."""
        call, verdict, sweeps = self.lib.call, c.c_int(1), 0
        call("nlgs_3d", "set_nlgs_parameter", b"Quad ", tolerance, 1.0)
        call("nlgs_3d", "prep_nlgs", 1)
        while sweeps < limit:
            for _ in range(SWEEPS):
                call("nlgs_3d", "solve_nlgs", ITERATE)
            sweeps += SWEEPS
            call("nlgs_3d", "prep_check_nlgs", verdict)
            call("nlgs_3d", "solve_nlgs", CHECK)
            call("nlgs_3d", "comp_check_nlgs", verdict)
            if verdict.value == 0:
                return sweeps, True
        return sweeps, False

    def contacts(self) -> list[Contact]:
        """Those of the last step; LMGC90 has tangent, normal, tangent."""
        found = []
        for k in range(1, self.lib.contacts("get_nb_inters", result=c.c_int) + 1):
            r, v, w = ([c.c_double() for _ in range(3)] for _ in range(3))
            gap, status, place = c.c_double(), c.c_int(), (c.c_double * 12)()
            self.lib.contacts("get_rloc", k, *r, status)
            self.lib.contacts("get_vloc", k, *v)
            self.lib.contacts("get_vlocbegin", k, *w, gap, status)
            self.lib.contacts("get_local_frame", k, place)
            bodies = tuple(self.lib.contacts(f"get_i{side}bdy", k, result=c.c_int) - 1 for side in ("cd", "an"))
            t, n, s = np.array(place[3:]).reshape(3, 3)
            ordered = [np.array([x[1].value, x[0].value, x[2].value]) for x in (r, v, w)]
            found.append(Contact(bodies, np.array([n, t, s]), *ordered, gap.value))
        return found


@dataclass
class Problem:
    """u = W r + q of one step with LMGC90's reactions, without the contacts that are apart and carry nothing."""

    W: "sp.csc_matrix"
    q: "np.ndarray"
    r: "np.ndarray"
    consistency: float
    """Largest difference between LMGC90's velocities and W r + G (v before + h g), relative to the norm of q: that the
    problem is LMGC90's, and not one that resembles it."""


def problem_of(packing: Packing) -> Problem:
    contacts = packing.contacts()
    bodies = len(packing.radius)
    rows, columns, values = [], [], []
    for k, contact in enumerate(contacts):
        n = contact.frame[0]
        # The normal points towards the candidate: its arm is against it, the antagonist's along it.
        for body, sign in zip(contact.bodies, (1.0, -1.0)):
            arm = -sign * packing.radius[body] * n
            for i, axis in enumerate(contact.frame):
                rows += [3 * k + i] * 6
                columns += list(range(6 * body, 6 * body + 6))
                values += list(sign * axis) + list(sign * np.cross(arm, axis))
    G = sp.csr_matrix((values, (rows, columns)), shape=(3 * len(contacts), 6 * bodies))
    inverse = np.zeros((bodies, 6))
    fall = np.zeros((bodies, 6))
    for k in range(bodies):
        if not packing.fixed[k]:
            inertia = 0.4 * packing.mass[k] * packing.radius[k] ** 2
            inverse[k] = [1.0 / packing.mass[k]] * 3 + [1.0 / inertia] * 3
            fall[k, 2] = -GRAVITY * packing.h
    W = (G @ sp.diags(inverse.ravel()) @ G.T).tocsr()
    r = np.concatenate([x.percussion for x in contacts])
    u = np.concatenate([x.velocity for x in contacts])
    free = np.concatenate([x.before for x in contacts]) + G @ fall.ravel()
    # IQS_CLB: the gap is used up within the step, a penetration is not pushed out.
    apart = np.array([max(0.0, x.gap / packing.h) for x in contacts])
    q = free + np.outer(apart, [1.0, 0.0, 0.0]).ravel()
    keep = np.repeat([a == 0.0 or np.any(x.percussion != 0.0) for a, x in zip(apart, contacts)], 3)
    difference = np.abs(u - W @ r - free).max()
    W, q, r = sp.csc_matrix(W[keep][:, keep]), q[keep], r[keep]
    return Problem(W, q, r, difference / np.linalg.norm(q))


def write(path: Path, problem: Problem) -> None:
    """FCLIB's layout, with LMGC90's reactions as the solution."""
    W, contacts = problem.W, len(problem.q) // 3
    W.sort_indices()
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_local")
        group["spacedim"] = np.array([3], np.int32)
        matrix = group.create_group("W")
        for name, value in (("m", W.shape[0]), ("n", W.shape[1]), ("nzmax", W.nnz), ("nz", -1)):
            matrix[name] = np.array([value], np.int32)
        matrix["p"], matrix["i"], matrix["x"] = W.indptr.astype(np.int32), W.indices.astype(np.int32), W.data
        group["vectors/q"], group["vectors/mu"] = problem.q, np.full(contacts, MU)
        file["solution/r"], file["solution/u"] = problem.r, W @ problem.r + problem.q
        file["solution/v"] = np.zeros(0)
        file["solution/l"] = np.zeros(0)


def ask(options: argparse.Namespace, *command: str) -> tuple[dict, float]:
    """What `delassus` says of one file, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(options.delassus), *command, "--json"], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)[0], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    options = arguments()
    packing = Packing(options.count, 5e-4)
    # The way to rest does not matter: a few sweeps, accepted as they are.
    for _ in range(round(options.settle / packing.h)):
        packing.step(1e-3, 30)
    packing.set_step(options.step)
    for _ in range(50):
        packing.step(1e-4, 2000)
    print("| Quad | start | contacts | sweeps | LMGC90, ms | our certificate of it | ours to that, ms | ours to 1e-6, ms |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(options.keep or folder)
        folder.mkdir(parents=True, exist_ok=True)
        # From zero last: such a step leaves a motion that the next ones must undo.
        for warm in (True, False):
            for text in options.tolerances.split(","):
                print(f"| {' | '.join(row(packing, text, warm, folder, options))} |", flush=True)


def row(packing: Packing, text: str, warm: bool, folder: Path, options: argparse.Namespace) -> list[str]:
    """Steps that follow each other, or one from zero reactions; the last one judged, and solved by us."""
    if warm:
        for _ in range(options.steps):
            packing.step(float(text), LIMIT)
    done = [packing.step(float(text), LIMIT, warm) for _ in range(options.steps if warm else 1)]
    if not all(converged for _, converged, _ in done):
        print(f"Quad {text}: not every step converged", file=sys.stderr)
    problem = problem_of(packing)
    start = "before" if warm else "zero"
    path = folder / f"spheres-{text}-{start}.hdf5"
    write(path, problem)
    judged, reading = ask(options, "certify", str(path), "--solution")
    residual = judged["relative"]
    # Its velocities are those of the last sweep, in which the reactions still changed.
    if problem.consistency > residual:
        sys.exit(f"Quad {text}: LMGC90's velocities differ from W r + q by {problem.consistency:.1e}: another problem")
    ours = [solved(path, tolerance, reading, options) for tolerance in (residual, 1e-6)]
    sweeps, taken = np.mean([s for s, _, _ in done]), np.mean([t for _, _, t in done])
    return [text, start, str(len(problem.q) // 3), f"{sweeps:.0f}", f"{1e3 * taken:.3g}", f"{residual:.1e}", *ours]


def solved(path: Path, tolerance: float, reading: float, options: argparse.Namespace) -> str:
    """Our processor time from zero reactions, less that of reading the file and judging [ms]."""
    command = ("solve", str(path), "--tol", repr(tolerance), "--time-limit", str(options.limit))
    answer, taken = ask(options, *command)
    if answer["status"] != "converged":
        return f"{answer['residual']:.1e} after {taken:.0f} s"
    return f"{1e3 * (taken - reading):.3g}"


if __name__ == "__main__":
    interpreter()
    import h5py
    import numpy as np
    import scipy.sparse as sp
    main()
