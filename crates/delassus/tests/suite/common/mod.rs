//! A scratch folder and small problems for the tests of the command.

pub mod packet;
pub mod run;

use hdf5_pure::{FileBuilder, GroupBuilder};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of one test, removed at its end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("delassus-{}-{made}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file of contents `bytes`.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("files are below the folder")).expect("writable");
        std::fs::write(&path, bytes).expect("writable");
        path
    }

    /// Runs the command in this folder.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        let command = Command::new(env!("CARGO_BIN_EXE_delassus")).args(arguments).current_dir(&self.0).output();
        Outcome::new(command.expect("the command starts"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Exit code and texts. No outcome may be a panic.
pub struct Outcome {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Outcome {
    fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let found =
            Self { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) };
        assert!(!found.err.contains("panicked") && !found.err.contains("internal error"), "{}", found.err);
        found
    }

    /// Asserts the exit code and that the error stream has all of `parts`.
    pub fn fails(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for part in parts {
            assert!(self.err.contains(part), "'{part}' is missing from:\n{}", self.err);
        }
    }

    pub fn json(&self) -> Vec<serde_json::Value> {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e} in\n{}", self.out))
    }
}

/// What to write into a local 2D file, right unless a test spoils it. Two masses, one on
/// the other, fall on a floor: coupled, so that one sweep does not solve it.
pub struct Stack {
    pub q: Vec<f64>,
    pub mu: Option<Vec<f64>>,
    pub size: i32,
    pub spacedim: i32,
}

impl Default for Stack {
    fn default() -> Self {
        Self { q: vec![-1.0, 0.3, -0.5, 0.2], mu: Some(vec![0.5, 0.5]), size: 4, spacedim: 2 }
    }
}

impl Stack {
    /// The bytes of the file, in the layout of FCLIB, checked by nobody.
    pub fn bytes(&self) -> Vec<u8> {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("fclib_local");
        group.create_dataset("spacedim").with_i32_data(&[self.spacedim]);
        let w = self.matrix(&mut group);
        group.add_group(w);
        let mut vectors = group.create_group("vectors");
        vectors.create_dataset("q").with_f64_data(&self.q);
        if let Some(mu) = &self.mu {
            vectors.create_dataset("mu").with_f64_data(mu);
        }
        group.add_group(vectors.finish());
        file.add_group(group.finish());
        file.finish().expect("a small file")
    }

    /// W = [1 −1; −1 2] ⊗ identity, compressed rows.
    fn matrix(&self, group: &mut GroupBuilder) -> hdf5_pure::FinishedGroup {
        let mut w = group.create_group("W");
        for (name, value) in [("m", self.size), ("n", self.size), ("nz", -2), ("nzmax", 8)] {
            w.create_dataset(name).with_i32_data(&[value]);
        }
        w.create_dataset("p").with_i32_data(&[0, 2, 4, 6, 8]);
        w.create_dataset("i").with_i32_data(&[0, 2, 1, 3, 0, 2, 1, 3]);
        w.create_dataset("x").with_f64_data(&[1.0, -1.0, 1.0, -1.0, -1.0, 2.0, -1.0, 2.0]);
        w.finish()
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
