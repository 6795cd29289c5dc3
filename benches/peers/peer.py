"""Posing problems to Siconos and timing its solvers, one forked process per solve.

The parent process never calls a solver: a solver that crashes, exits or runs
past its limit costs only its own child. Each child poses the problem in the
storage the solver is fastest with, runs it, judges the answer, and reports
every run through a pipe as soon as it is over.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Callable, Iterator

import numpy as np
import siconos.numerics as sn

from fclib import Problem, embed_in_3d
from measure import measure

warnings.filterwarnings("ignore", message="Performance warning")

MANY = 1_000_000
"""Iteration limit of first-order solvers; the time limit is the one that cuts."""
ATTEMPTS = 5
"""Runs with ever smaller tolerances when Siconos stops before the target is reached."""
POSING_S = 300.0
"""Seconds a child may take to build Siconos' problem."""


@dataclass(frozen=True)
class Solver:
    """One Siconos solver in one configuration."""

    name: str
    id: str
    """Name of its constant in Siconos, less ``SICONOS_``."""
    route: str = "local"
    """``local``, ``global`` (gfc3d), ``embed`` (2D posed in 3D) or ``rolling``."""
    storage: str = "sbm"
    """``sbm`` (sparse blocks), ``csc`` or ``dense``."""
    iterations: int = MANY
    one_contact: str | None = None
    inner: str | None = None
    """Inner solver of a nested one, when not its default."""
    iparam: dict[str, int] = field(default_factory=dict)
    dparam: dict[str, float] = field(default_factory=dict)
    max_contacts: int = MANY

    def options(self, tolerance: float) -> Any:
        options = sn.SolverOptions(getattr(sn, "SICONOS_" + self.id))
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = self.iterations
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        if self.one_contact:
            family = "ROLLING_FRICTION_3D" if self.route == "rolling" else "FRICTION_3D"
            sn.solver_options_update_internal(
                options, 0, getattr(sn, f"SICONOS_{family}_ONECONTACT_{self.one_contact}"))
        if self.inner:
            sn.solver_options_update_internal(options, 0, getattr(sn, "SICONOS_" + self.inner))
        for key, value in self.iparam.items():
            options.iparam[getattr(sn, "SICONOS_FRICTION_3D_" + key)] = value
        for key, number in self.dparam.items():
            options.dparam[getattr(sn, "SICONOS_FRICTION_3D_" + key)] = number
        return options


def _nsgs_family(prefix: str, route: str) -> list[Solver]:
    """Gauss-Seidel with each one-contact solver, and with freezing of settled contacts."""
    local = [("", None), ("-PLI", "ProjectionOnConeWithLocalIteration"), ("-QUARTIC", "QUARTIC"),
             ("-NSN", "NSN"), ("-NSN_GP", "NSN_GP"), ("-POC", "ProjectionOnCone")]
    family = [Solver(f"{prefix}NSGS{tag}", "FRICTION_3D_NSGS", route, one_contact=one)
              for tag, one in local]
    family += [Solver(f"{prefix}NSGS{tag}-freeze", "FRICTION_3D_NSGS", route, one_contact=one,
                      iparam={"NSGS_FREEZING_CONTACT": 10}) for tag, one in local[:4]]
    family += [
        Solver(f"{prefix}NSGS-shuffle", "FRICTION_3D_NSGS", route, iparam={"NSGS_SHUFFLE": 1}),
        Solver(f"{prefix}NSGS-dense", "FRICTION_3D_NSGS", route, "dense", max_contacts=60),
    ]
    return family


def _newton_family(prefix: str, route: str) -> list[Solver]:
    """Semismooth Newton; hybrid variants start from an extragradient phase."""
    family = [Solver(f"{prefix}{name}", f"FRICTION_3D_{name}", route, "csc", 10_000)
              for name in ("NSN_AC", "NSN_AC_TEST", "NSN_FB", "NSN_NM")]
    family += [
        Solver(f"{prefix}NSN_AC-sbm", "FRICTION_3D_NSN_AC", route, "sbm", 10_000),
        Solver(f"{prefix}NSN_AC-hybrid", "FRICTION_3D_NSN_AC", route, "csc", 10_000,
               iparam={"NSN_HYBRID_STRATEGY":
                       sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN}),
        Solver(f"{prefix}NSN_AC-dense", "FRICTION_3D_NSN_AC", route, "dense", 10_000,
               max_contacts=60),
    ]
    return family


def _local_3d(prefix: str = "", route: str = "local") -> list[Solver]:
    """Every local 3D solver, those that tend to win first."""
    newton, nsgs = _newton_family(prefix, route), _nsgs_family(prefix, route)
    symmetric = {"ADMM_IPARAM_SYMMETRY": sn.SICONOS_FRICTION_3D_ADMM_FORCED_SYMMETRY}
    others = [Solver(f"{prefix}ADMM", "FRICTION_3D_ADMM", route, "csc", 100_000),
              Solver(f"{prefix}ADMM-sym", "FRICTION_3D_ADMM", route, "csc", 100_000,
                     iparam=symmetric),
              Solver(f"{prefix}ADMM-rho0.1", "FRICTION_3D_ADMM", route, "csc", 100_000,
                     iparam=symmetric, dparam={"ADMM_RHO": 0.1}),
              Solver(f"{prefix}ADMM-rho0.01", "FRICTION_3D_ADMM", route, "csc", 100_000,
                     iparam=symmetric, dparam={"ADMM_RHO": 0.01}),
              Solver(f"{prefix}PROX-csc", "FRICTION_3D_PROX", route, "csc", 10_000),
              Solver(f"{prefix}PROX-reg", "FRICTION_3D_PROX", route, "sbm", 10_000, iparam={
                  "PROXIMAL_IPARAM_STRATEGY": sn.SICONOS_FRICTION_3D_PROXIMAL_REGULARIZATION}),
              Solver(f"{prefix}PROX-NSGS", "FRICTION_3D_PROX", route, "sbm", 10_000,
                     inner="FRICTION_3D_NSGS"),
              Solver(f"{prefix}NSGSV", "FRICTION_3D_NSGSV", route, "dense", max_contacts=300)]
    others += [Solver(prefix + name, f"FRICTION_3D_{name}", route, "sbm", count)
               for name, count in (("PROX", 10_000), ("TFP", 10_000),
                                   ("ACLMFP", 10_000), ("SOCLCP", 10_000), ("PFP", 10_000),
                                   ("VI_EG", MANY), ("VI_FPP", MANY), ("EG", MANY),
                                   ("FPP", MANY), ("HP", MANY), ("DSFP", MANY))]
    family = newton + nsgs + others
    leaders = [prefix + name for name in ("NSGS-NSN-freeze", "PROX-reg", "NSGS-PLI-freeze",
                                          "ADMM-sym", "ADMM-rho0.1", "NSN_AC", "PROX")]
    return ([s for name in leaders for s in family if s.name == name]
            + [s for s in family if s.name not in leaders])


def catalogue(problem: Problem) -> list[Solver]:
    """The solvers Siconos has for a problem of this kind."""
    if problem.dim == 5:
        # Its rolling Gauss-Seidel has no sparse-block code path.
        return [Solver(f"ROLLING_{name}{tag}-{storage}", f"ROLLING_FRICTION_3D_{name}", "rolling",
                       storage, count, one_contact=one)
                for storage in ("csc", "dense")
                for name, tag, count, one in (("NSGS", "", MANY, None),
                                              ("NSGS", "-POC", MANY, "ProjectionOnCone"),
                                              ("ADMM", "", 100_000, None))]
    prefix = "" if problem.global_form is None else "condensed:"
    if problem.dim == 2:
        planar = [Solver(f"{prefix}NSGS", "FRICTION_2D_NSGS"),
                  Solver(f"{prefix}NSGS-dense", "FRICTION_2D_NSGS", storage="dense",
                         max_contacts=1000),
                  Solver(f"{prefix}CPG", "FRICTION_2D_CPG", storage="dense", max_contacts=1000),
                  Solver(f"{prefix}LEMKE", "FRICTION_2D_LEMKE", storage="dense",
                         max_contacts=1000),
                  Solver(f"{prefix}ENUM", "FRICTION_2D_ENUM", storage="dense", max_contacts=4)]
        return planar + _local_3d(f"{prefix}3d:", "embed")
    if problem.global_form is None:
        return _local_3d()
    counts = {"NSN_AC_WR": 10_000, "NSN_AC": 10_000, "ADMM": 100_000, "ADMM_WR": 100_000,
              "NSGS_WR": MANY, "NSGS": MANY, "IPM": 1000, "NSGSV_WR": MANY, "PROX_WR": 10_000,
              "TFP_WR": 10_000, "DSFP_WR": MANY, "VI_EG": MANY, "VI_FPP": MANY,
              "ACLMFP": 10_000}
    return [Solver(name, f"GLOBAL_FRICTION_3D_{name}", "global", "csc", count)
            for name, count in counts.items()] + _local_3d("condensed:")


def _blocks(problem: Problem) -> Any:
    info, blocks = sn.SBM_from_csparse(problem.dim, problem.W)
    if info:
        raise RuntimeError(f"SBM_from_csparse: {info}")
    return sn.NM_new_SBM(len(problem.q), len(problem.q), blocks), blocks


def _rolling_from_text(problem: Problem) -> Any:
    """The bindings cannot set ``mu_r``, so the problem goes through a text file."""
    matrix, _blocks_kept = _blocks(problem)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "problem.dat")
        sn.NM_write_in_filename(matrix, name)
        with open(name, encoding="ascii") as file:
            body = file.read()
        vectors = "\n".join(" ".join(f"{x:.17e}" for x in v)
                            for v in (problem.q, problem.mu, problem.mu_r))
        with open(name, "w", encoding="ascii") as file:
            file.write(f"{problem.dim}\n{problem.contacts}\n{body}{vectors}\n")
        return sn.rollingFrictionContact_new_from_filename(name)


def _pose(problem: Problem, solver: Solver) -> Callable[[np.ndarray, Any], int]:
    """Build Siconos' problem; the result runs the driver on it."""
    size = len(problem.q)
    u = np.zeros(size)
    if solver.route == "global":
        form = problem.global_form
        assert form is not None
        posed = sn.GlobalFrictionContactProblem()
        posed.dimension, posed.numberOfContacts = problem.dim, problem.contacts
        M, H = sn.NumericsMatrix(form.M), sn.NumericsMatrix(form.H)
        posed.M, posed.H, posed.q, posed.b, posed.mu = M, H, form.f, form.w, problem.mu
        v = np.zeros(len(form.f))
        kept = (M, H)
        return lambda r, o: (kept, u.fill(0.0), v.fill(0.0), sn.gfc3d_driver(posed, r, u, v, o))[-1]
    if solver.route == "rolling":
        rolling = _rolling_from_text(problem)
        dense = np.asfortranarray(problem.W.toarray()) if solver.storage == "dense" else None
        W = sn.NumericsMatrix(problem.W if dense is None else dense)
        rolling.M = W
        return lambda r, o: (W, dense, u.fill(0.0), sn.rolling_fc3d_driver(rolling, r, u, o))[-1]
    kept_blocks = None
    if solver.storage == "sbm":
        matrix, kept_blocks = _blocks(problem)
    else:
        matrix = problem.W.toarray() if solver.storage == "dense" else problem.W
    local = sn.FrictionContactProblem(problem.dim, problem.contacts, matrix, problem.q, problem.mu)
    driver = sn.fc2d_driver if problem.dim == 2 else sn.fc3d_driver
    return lambda r, o: (kept_blocks, matrix, u.fill(0.0), driver(local, r, u, o))[-1]


def _child(problem: Problem, solver: Solver, tolerance: float, scale: str, repeat: int,
           pipe: Connection) -> None:
    """Run with the target tolerance, then tighter while Siconos' own test is too lax."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    posed = embed_in_3d(problem) if solver.route == "embed" else problem
    asked = tolerance
    for _attempt in range(ATTEMPTS):
        wins = 0
        while wins < repeat:
            run = _pose(posed, solver)  # some drivers leave their problem changed
            options = solver.options(asked)
            r = np.zeros(len(posed.q))
            pipe.send("start")
            start, start_cpu = time.perf_counter(), time.process_time()
            info = int(run(r, options))
            seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
            answer = r.reshape(-1, 3)[:, :2].ravel() if solver.route == "embed" else r
            error = measure(problem, answer, scale)
            good = error <= tolerance
            pipe.send({"time_s": seconds, "cpu_s": cpu, "error": error, "tol": asked,
                       "iterations": int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]),
                       "good": good})
            if not good:
                break
            wins += 1
        if wins or info != 0 or not np.isfinite(error):
            break
        asked *= min(0.5, 0.9 * tolerance / error)
    pipe.send("end")
    os._exit(0)


def _messages(pipe: Connection, limit_s: float) -> Iterator[Any]:
    """What the child reports, until its end, its death ("died") or a run too long."""
    message: Any = None
    while message != "end":
        # Only the driver's run is limited tightly, not posing the problem to it.
        if not pipe.poll(limit_s if message == "start" else POSING_S):
            yield "timeout"
            return
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            yield "died"
            return
        yield message


@dataclass
class Outcome:
    """The best run of one solver on one problem."""

    status: str
    time_s: float = float("nan")
    cpu_s: float = float("nan")
    error: float = float("nan")
    iterations: int = 0
    tol_used: float = float("nan")


def solve(problem: Problem, solver: Solver, tolerance: float, scale: str, repeat: int,
          limit_s: float) -> Outcome:
    """Time one solver: the best of its runs that reach the tolerance."""
    context = mp.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(problem, solver, tolerance, scale, repeat, send))
    child.start()
    send.close()
    best = Outcome("failed")
    for message in _messages(receive, limit_s):
        if isinstance(message, dict):
            outcome = Outcome("solved" if message["good"] else "failed", message["time_s"],
                              message["cpu_s"], message["error"], message["iterations"],
                              message["tol"])
            if best.status != "solved":
                best = outcome
            elif message["good"]:
                best.time_s = min(best.time_s, outcome.time_s)
                best.cpu_s = min(best.cpu_s, outcome.cpu_s)
        elif message in ("timeout", "died") and best.status != "solved":
            best = Outcome("timeout" if message == "timeout" else "crashed",
                           limit_s if message == "timeout" else float("nan"))
    child.kill()
    child.join()
    receive.close()
    return best

