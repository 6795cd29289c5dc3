//! Benchmarks of others: the scenes of `scenes/benchmarks` beside published numbers and closed forms.
//!
//! `book/src/benchmarks.md` is their table; sources are named there and in the scenes.

mod arches;
mod blocks;
mod solids;
mod thrust;

use crate::common::{Folder, Outcome, root};

/// A scene of the folder of benchmarks, with changes.
struct Benchmark {
    folder: Folder,
    scene: String,
}

impl Benchmark {
    fn new(name: &str, test: &str) -> Self {
        let scene = root().join("scenes/benchmarks").join(format!("{name}.toml"));
        Self { folder: Folder::new(&format!("benchmark-{test}")), scene: scene.display().to_string() }
    }

    fn command(&self, verb: &str, more: &[&str], set: &[String]) -> Outcome {
        let mut words = vec![verb, &self.scene];
        words.extend(more);
        words.extend(set.iter().flat_map(|s| ["--set", s]));
        self.folder.run(&words)
    }

    /// Runs the scene to its end and returns these fields of the last frame.
    fn run(&self, set: &[String], fields: &[&str]) -> Vec<f64> {
        let run = self.command("run", &["-o", "run.h5", "--overwrite", "-q"], set);
        assert_eq!(run.code, 0, "{} {set:?}\n{}{}", self.scene, run.out, run.err);
        let mut words = vec!["export", "run.h5", "--csv", "-"];
        words.extend(fields.iter().flat_map(|f| ["--field", f]));
        let csv = self.folder.run(&words);
        let last = csv.out.lines().last().expect("a frame").split(',').skip(2);
        last.map(|x| x.parse().unwrap_or_else(|e| panic!("{x}: {e}"))).collect()
    }

    /// What `explore` finds at the start: the least friction of an equilibrium, nothing where there is none.
    fn equilibrium(&self, set: &[String]) -> Option<f64> {
        let found = self.command("explore", &["--contact", "0"], set);
        assert_eq!(found.code, 0, "{} {set:?}\n{}{}", self.scene, found.out, found.err);
        if found.out.contains("no equilibrium") {
            return None;
        }
        let line = found.out.lines().find(|l| l.starts_with("least friction")).expect("a line on friction");
        if line.contains("none is needed") {
            return Some(0.0);
        }
        let number = line.split("coefficient of ").nth(1).and_then(|l| l.split(' ').next());
        Some(number.expect("a number").parse().expect("a number"))
    }
}

/// Asserts that two numbers differ by at most this share of the second.
#[track_caller]
fn near(what: &str, ours: f64, published: f64, share: f64) {
    let difference = (ours - published) / published;
    assert!(difference.abs() <= share, "{what}: {ours:e}, published {published:e}: {:.3} %", 100.0 * difference);
}
