//! Friction-contact problems in FCLIB's HDF5 layout
//!
//! ```text
//!     local     u = W r + q  (+ V λ),      Vᵀ r + R λ + s = 0
//!     global    M v = f + H r  (+ G λ),    u = Hᵀ v + w,     Gᵀ v + b = 0
//! ```
//!
//! W  Delassus operator, D·nc × D·nc      M  mass, n × n       H  n × D·nc
//! r  percussions [N·s]   u  relative velocities [m/s]   v  velocities [m/s]
//! μ  friction coefficients, one per contact; component order (n, t1, t2)
//!
//! V, R, s and G, b with multipliers λ are FCLIB's optional equality constraints.
//! Rolling problems add μ_r and one rolling component in 2D, two in 3D.
//!
//! Layout: the Frictional Contact Library, `fclib.h`. Departures: the group
//! `fclib_local_rolling` is ours; a matrix's conditioning, determinant, rank and
//! comment, and attributes, are not kept.
//!
//! A file is untrusted: whatever its bytes, reading ends in a [`File`] that passes
//! [`File::validate`] or in an [`FclibError`], with memory bounded by its length.

mod check;
mod error;
mod read;
mod source;
mod sparse;
mod write;

use std::path::Path;

use crate::algebra::Csr;
pub use error::{Fault, FclibError};
pub use sparse::matrix_from;

/// The four problem groups of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `fclib_local`
    Local,
    /// `fclib_global`
    Global,
    /// `fclib_local_rolling`, our extension
    LocalRolling,
    /// `fclib_global_rolling`
    GlobalRolling,
}

impl Kind {
    /// In the order in which a file holding several is searched, the C library's:
    /// global before local.
    pub const ALL: [Kind; 4] = [Kind::Global, Kind::GlobalRolling, Kind::Local, Kind::LocalRolling];

    /// Name of the HDF5 group.
    pub fn group(self) -> &'static str {
        match self {
            Kind::Local => "fclib_local",
            Kind::Global => "fclib_global",
            Kind::LocalRolling => "fclib_local_rolling",
            Kind::GlobalRolling => "fclib_global_rolling",
        }
    }

    /// Whether contacts resist rolling, hence carry μ_r.
    pub fn is_rolling(self) -> bool {
        matches!(self, Kind::LocalRolling | Kind::GlobalRolling)
    }

    /// Whether the problem is stated in M, H, f, w.
    pub fn is_global(self) -> bool {
        matches!(self, Kind::Global | Kind::GlobalRolling)
    }
}

/// What one FCLIB file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Dimension of space, 2 or 3 (rolling files store their block size instead).
    pub space_dim: usize,
    /// Title and remarks.
    pub info: Option<Info>,
    /// Matrices and vectors.
    pub problem: Problem,
    /// μ, one per contact, ≥ 0.
    pub mu: Vec<f64>,
    /// μ_r, one per contact, ≥ 0 \[m\]; present exactly in rolling problems.
    pub mu_r: Option<Vec<f64>>,
    /// Starting points.
    pub guesses: Vec<Solution>,
    /// A known solution.
    pub solution: Option<Solution>,
}

/// The problem in contact coordinates, or in those of the bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// u = W r + q
    Local(Local),
    /// M v = f + H r, u = Hᵀ v + w
    Global(Global),
}

/// u = W r + q (+ V λ)
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// W, D·nc × D·nc \[1/kg\]
    pub w: Csr,
    /// q, D·nc \[m/s\]
    pub q: Vec<f64>,
    /// Vᵀ r + R λ + s = 0
    pub equality: Option<LocalEquality>,
}

/// Equality constraints of a local problem, Vᵀ r + R λ + s = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalEquality {
    /// V, D·nc × p
    pub v: Csr,
    /// R, p × p
    pub r: Csr,
    /// s, p
    pub s: Vec<f64>,
}

/// M v = f + H r (+ G λ), u = Hᵀ v + w
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// M, n × n \[kg\]
    pub m: Csr,
    /// H, n × D·nc: the transpose of what maps velocities to contacts
    pub h: Csr,
    /// f, n \[N·s\]
    pub f: Vec<f64>,
    /// w, D·nc \[m/s\]
    pub w: Vec<f64>,
    /// Gᵀ v + b = 0
    pub equality: Option<GlobalEquality>,
}

/// Equality constraints of a global problem, Gᵀ v + b = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalEquality {
    /// G, n × p
    pub g: Csr,
    /// b, p
    pub b: Vec<f64>,
}

/// Title and remarks; what a file lacks reads as empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Name of the problem.
    pub title: String,
    /// Where it comes from.
    pub description: String,
    /// Known properties, such as existence.
    pub math_info: String,
}

/// A guess or a solution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// v, n; global problems only
    pub v: Option<Vec<f64>>,
    /// u, D·nc
    pub u: Option<Vec<f64>>,
    /// r, D·nc
    pub r: Vec<f64>,
    /// λ, p; with equality constraints only
    pub l: Option<Vec<f64>>,
}

impl File {
    /// Reads a file. Where it holds several problems, the first of [`Kind::ALL`].
    ///
    /// # Errors
    /// [`FclibError`], naming the file, the item in it and what was expected.
    pub fn read(path: &Path) -> Result<File, FclibError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| Fault::from(e).at(&name, ""))?;
        read::parse(&name, bytes)
    }

    /// Reads a file held in memory; `name` stands for its path in errors.
    ///
    /// # Errors
    /// As [`File::read`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<File, FclibError> {
        read::parse(name, bytes.to_vec())
    }

    /// Writes a file, replacing one of that name, in the types of the C library.
    /// Local matrices are stored by compressed rows, global ones as triplets, the
    /// forms other programs expect.
    ///
    /// # Errors
    /// What [`File::validate`] refuses, what 32-bit integers cannot count, and the
    /// file system's.
    pub fn write(&self, path: &Path) -> Result<(), FclibError> {
        let name = path.display().to_string();
        let bytes = write::serialize(&name, self)?;
        std::fs::write(path, bytes).map_err(|e| Fault::from(e).at(&name, ""))
    }

    /// The bytes [`File::write`] would write; `name` stands for the path in errors.
    ///
    /// # Errors
    /// As [`File::write`].
    pub fn to_bytes(&self, name: &str) -> Result<Vec<u8>, FclibError> {
        write::serialize(name, self)
    }

    /// Checks lengths, matrix structure, finite numbers and μ, μ_r ≥ 0; `name`
    /// stands for the file in errors.
    ///
    /// # Errors
    /// The first offence, naming dataset and index.
    pub fn validate(&self, name: &str) -> Result<(), FclibError> {
        check::file(name, self)
    }

    /// Which of the four groups this is.
    pub fn kind(&self) -> Kind {
        match (&self.problem, &self.mu_r) {
            (Problem::Local(_), None) => Kind::Local,
            (Problem::Local(_), Some(_)) => Kind::LocalRolling,
            (Problem::Global(_), None) => Kind::Global,
            (Problem::Global(_), Some(_)) => Kind::GlobalRolling,
        }
    }

    /// nc
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// D, components per contact: 2 or 3, rolling 3 or 5.
    pub fn block_size(&self) -> usize {
        if self.mu_r.is_some() { 2 * self.space_dim - 1 } else { self.space_dim }
    }
}
