"""One step alone: closed forms, forms of the data, files, errors."""

import json
import pathlib
import pickle

import numpy as np
import pytest
import scipy.sparse as sparse

from delassus import errors, friction

ROOT = pathlib.Path(__file__).resolve().parents[2]


def chain(n, d=3, seed=0):
    """A regular W = G A⁻¹ Gᵀ of n contacts."""
    random = np.random.default_rng(seed)
    G = random.normal(size=(d * n, d * n + 4))
    return G @ G.T / n, random.normal(size=(n, d)) - [[0.5] + [0.0] * (d - 1)]


def test_block_that_slides_and_block_that_sticks():
    """Closed form: |S_T| = μ S_N against the slip, or as much as stops it."""
    slides = friction.solve(np.eye(3), [[-1.0, 2.0, 0.0]], 0.5)
    assert slides.converged and np.allclose(slides.reactions, [[1.0, -0.5, 0.0]], atol=1e-12)
    sticks = friction.solve(np.eye(3), [[-1.0, 0.2, 0.1]], 0.5)
    assert np.allclose(sticks.velocities, 0.0, atol=1e-12) and np.allclose(sticks.reactions, [[1.0, -0.2, -0.1]])


@pytest.mark.parametrize("solver", ["auto", "nlgs", "newton-ac", "admm", "ipm"])
def test_dense_sparse_and_block_sparse_agree(solver):
    """The same matrix in four forms gives the same bits; every solver is judged by one certificate."""
    W, b = chain(12)
    forms = [W, sparse.csr_matrix(W), sparse.coo_array(W), sparse.bsr_array(W, blocksize=(3, 3))]
    found = [friction.solve(m, b, 0.4, solver=solver) for m in forms]
    assert all(f.converged and f.certificate.relative <= 1e-8 for f in found)
    assert all((f.reactions == found[0].reactions).all() for f in found)


def test_certificate_is_the_residual_of_the_law():
    """Against the natural map written here: ‖S − P_K(S − ρ Û)‖/ρ over ‖b‖."""
    W, b = chain(5, seed=3)
    mu, S = 0.3, np.abs(np.random.default_rng(1).normal(size=(5, 3)))
    U = (W @ S.ravel() + b.ravel()).reshape(-1, 3)
    total = 0.0
    for i in range(5):
        rho = 3.0 / np.trace(W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3])
        shifted = U[i].copy()
        shifted[0] += mu * np.linalg.norm(U[i, 1:])
        x = S[i] - rho * shifted
        n, t = x[0], np.linalg.norm(x[1:])
        if t <= mu * n:
            p = x
        elif mu * t <= -n:
            p = np.zeros(3)
        else:
            p = np.empty(3)
            p[0] = (n + mu * t) / (1 + mu * mu)
            p[1:] = mu * p[0] * x[1:] / t
        total += (np.linalg.norm(S[i] - p) / rho) ** 2
    expected = np.sqrt(total) / np.linalg.norm(b)
    assert friction.Problem(W, b, mu).certify(S).relative == pytest.approx(expected, rel=1e-9)


def test_global_form_agrees_with_the_local_one():
    random = np.random.default_rng(5)
    M, H, f = np.diag(random.uniform(1, 3, 7)), random.normal(size=(7, 6)), random.normal(size=7)
    w = random.normal(size=(2, 3)) - [1.0, 0, 0]
    found = friction.solve_global(M, H, f, w, 0.3, tolerance=1e-11)
    W, b = H.T @ np.linalg.solve(M, H), (H.T @ np.linalg.solve(M, f)).reshape(2, 3) + w
    local = friction.solve(W, b, 0.3, tolerance=1e-11)
    assert np.allclose(found.reactions, local.reactions, atol=1e-8)
    assert np.allclose(M @ found.body_velocities, f + H @ found.reactions.ravel())


def test_laws_other_than_coulomb():
    tresca = friction.solve(np.eye(3), [[-1.0, 2.0, 0.0]], laws=[friction.Tresca(0.25)])
    assert np.allclose(tresca.reactions, [[1.0, -0.25, 0.0]])
    held = friction.solve(np.eye(3), [[1.0, 2.0, 0.0]], laws=friction.Bilateral())
    assert np.allclose(held.velocities, 0.0, atol=1e-12)
    ellipse = friction.solve(np.eye(3), [[-1.0, 2.0, 0.0]], laws=friction.Elliptic((0.5, 0.1)))
    assert np.allclose(ellipse.reactions, [[1.0, -0.5, 0.0]], atol=1e-8)


def test_fclib_in_and_out(tmp_path):
    W, b = chain(4)
    problem = friction.Problem(W, b, [0.1, 0.2, 0.3, 0.4])
    solution = problem.solve()
    problem.write(tmp_path / "chain.hdf5", title="a chain", solution=solution)
    back = friction.read(tmp_path / "chain.hdf5")
    assert (back.data["W"].toarray() == W).all() and back.data["title"] == "a chain"
    assert (back.data["mu"] == [0.1, 0.2, 0.3, 0.4]).all()
    assert (back.data["r"].reshape(-1, 3) == solution.reactions).all()
    assert (back.solve().reactions == solution.reactions).all()


def test_files_of_others():
    files = sorted((ROOT / "examples/problems").glob("*.hdf5"))
    assert files
    for file in files:
        assert friction.read(file).solve().converged, file


BAD = [
    (lambda: friction.solve(np.eye(4)[:3], [[0.0, 0, 0]], 0.1), "W has shape (3, 4): expected a square matrix"),
    (lambda: friction.solve(np.eye(6), [[0.0, 0, 0]], 0.1), "b has 3 numbers"),
    (lambda: friction.solve(np.eye(3), [[0.0, np.nan, 0]], 0.1), "b is not finite at contact 0, component 1"),
    (lambda: friction.solve(np.diag([1, np.inf, 1]), [[0.0, 0, 0]], 0.1), "not finite"),
    (lambda: friction.solve(np.eye(3), [[0.0, 0, 0]], -0.1), "mu"),
    (lambda: friction.solve(np.eye(3), [[0.0, 0, 0]], [0.1, 0.2]), "expected one number, or 1 of them"),
    (lambda: friction.solve(np.eye(3), [[0.0, 0, 0]], np.nan), "mu"),
    (lambda: friction.solve(np.eye(3), ["a", "b", "c"], 0.1), "expected real numbers"),
    (lambda: friction.solve(np.eye(3) * 1j, [[0.0, 0, 0]], 0.1), "expected real numbers"),
    (lambda: friction.solve(np.ones(9), [[0.0, 0, 0]], 0.1), "expected a matrix"),
    (lambda: friction.solve(np.eye(4), [[0.0, 0, 0, 0]], 0.1), "contacts of 4 components"),
    (lambda: friction.solve(np.eye(3), [0.0, 0, 0], 0.1), "how many components"),
    (lambda: friction.solve(np.eye(3), [[0.0, 0, 0]]), "friction is missing"),
    (lambda: friction.solve(np.eye(3), [[0.0, 0, 0]], 0.1, solver="nlsg"), "did you mean 'nlgs'"),
    (lambda: friction.solve(np.eye(3), [[0.0, 0, 0]], 0.1, tolerance=0.0), "tolerance = 0.0"),
    (lambda: friction.solve(np.eye(3), [[0.0, 0, 0]], 0.1, start=[1.0]), "start has 1 numbers, expected 3"),
    (lambda: friction.solve(np.eye(3), [[0.0, 0, 0]], laws=[friction.Coulomb(-1.0)]), "mu"),
    (lambda: friction.solve_global(np.eye(2), np.eye(3), [0, 0], [[0.0, 0, 0]], 0.1), "H has shape (3, 3)"),
]  # fmt: skip


@pytest.mark.parametrize("call,message", BAD, ids=[m for _, m in BAD])
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(errors.ProblemError) as caught:
        call()
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_errors_carry_their_values_through_pickles():
    with pytest.raises(errors.ProblemError) as caught:
        friction.solve(np.eye(3), [[0.0, np.nan, 0]], 0.1)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.contact, error.component) == (0, 1) and str(error) == str(caught.value)


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError) as caught:
        friction.read("nowhere.hdf5")
    assert caught.value.filename == "nowhere.hdf5"


def test_what_does_not_converge_is_told_not_hidden():
    W, b = chain(20, seed=2)
    found = friction.solve(W, b, 0.9, solver="nlgs", max_iterations=1)
    assert not found.converged and found.status == "iteration_limit"
    with pytest.raises(errors.NotConverged) as caught:
        found.raise_for_status()
    assert caught.value.solution is found and caught.value.residual == found.certificate.relative


def test_settings_are_data():
    settings = friction.Settings(solver="nlgs", tolerance=1e-6)
    assert json.loads(settings._json())["solver"] == "nlgs"
    with pytest.raises(TypeError, match="settings are solver, tolerance"):
        friction.solve(np.eye(3), [[0.0, 0, 0]], 0.1, toleranc=1)
