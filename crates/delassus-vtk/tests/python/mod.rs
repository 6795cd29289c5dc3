//! Programs of others that read our files: Python with h5py, VTK, PyVista and meshio.
//!
//! `scripts/python` makes the virtual environment under `target`, once. A test that cannot have it
//! fails: a file that nobody else has read is not known to be readable.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

static INTERPRETER: LazyLock<PathBuf> = LazyLock::new(|| {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/python");
    let output = Command::new("bash").arg(&script).output().unwrap_or_else(|e| panic!("{}: {e}", script.display()));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "this test needs Python 3 with venv, and h5py, vtk, pyvista, meshio and xarray from pip;\n\
         'scripts/python' installs them under target/python, and failed:\n{message}"
    );
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
});

/// What a script prints; panics with its message if it fails.
pub fn python(script: &str, arguments: &[&Path]) -> String {
    let output = Command::new(&*INTERPRETER).arg("-c").arg(script).args(arguments).output();
    let output = output.unwrap_or_else(|e| panic!("{}: {e}", INTERPRETER.display()));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}
