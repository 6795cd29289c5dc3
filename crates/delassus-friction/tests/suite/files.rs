//! Real problems of other codes, when they lie beside the checkout.
#![cfg(feature = "fclib")]

use delassus_friction::algebra::Vector;
use delassus_friction::fclib::File;
use delassus_friction::solver::Silent;
use delassus_friction::{AnyProblem, Certificate, Settings};
use std::path::{Path, PathBuf};

/// Files whose `W` is damaged (diagonal blocks with denormal garbage): no solution is known.
const DAMAGED: [&str; 2] = ["kapla-nc1813-step30", "packed-nc1312-step5"];
/// Larger files, solved by the benchmarks rather than by the tests.
const LARGE: u64 = 1_600_000;

fn files() -> Vec<PathBuf> {
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "hdf5") {
                out.push(path);
            }
        }
    }
    let mut out = vec![];
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems"), &mut out);
    out.sort();
    out
}

/// Reference: the certificate, and FCLIB's own error beside it.
#[test]
fn auto_solves_the_files_of_other_codes() {
    let mut count = 0;
    for path in files() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_string();
        let large = std::fs::metadata(&path).map(|m| m.len() > LARGE).unwrap_or(true);
        if DAMAGED.contains(&name.as_str()) || large {
            continue;
        }
        let problem = AnyProblem::from_fclib(&File::read(&path).expect("readable")).expect("valid");
        let answer = problem.solve(&Settings::default(), None, &mut Silent).expect("supported");
        assert!(answer.solution.converged(), "{name}: {:?}", answer.solution.status);
        let certificate = &answer.solution.certificate;
        assert!(certificate.relative <= 1e-8, "{name}");
        assert!(certificate.fclib_error <= 1e-8, "{name}: FCLIB's error {:e}", certificate.fclib_error);
        count += 1;
    }
    println!("{count} files solved");
}

/// Reference: regular W (rank deficiency 0 and no asymmetry) is solved to 1e-12.
#[test]
fn regular_files_are_solved_to_twelve_digits() {
    for path in files() {
        let name = path.display().to_string();
        let problem = AnyProblem::from_fclib(&File::read(&path).expect("readable")).expect("valid");
        if problem.contacts() > 400 || problem.rank_hint() != Some(0) || problem.asymmetry() > 1e-12 {
            continue;
        }
        let settings = Settings { tolerance: 1e-12, ..Default::default() };
        let answer = problem.solve(&settings, None, &mut Silent).expect("supported");
        assert!(answer.solution.converged(), "{name}: {:e}", answer.solution.certificate.relative);
    }
}

/// Reference: FCLIB's full error of the percussions stored in the files, computed apart
/// with numpy (projection and products written again); most of them are not solutions.
#[test]
fn fclib_error_agrees_with_an_independent_computation() {
    let expected = [
        ("Capsules-i125-1213", 0.015798815428855986),
        ("Capsules-i97-269", 0.0053345333013890455),
        ("local_problem_test", 0.9999997677580159),
        ("packed-nc1312-step5", 0.055106766384878825),
        ("kapla-nc1813-step30", 6.281555311572542),
    ];
    for path in files() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().to_string();
        let Some((_, error)) = expected.iter().find(|(n, _)| *n == name) else { continue };
        let file = File::read(&path).expect("readable");
        let Ok(AnyProblem::Local3(problem)) = AnyProblem::from_fclib(&file) else { panic!("{name}: local, in space") };
        let stored = file.solution.expect("a stored solution").r;
        let s: Vec<_> = stored.chunks_exact(3).map(Vector::<3>::from_column_slice).collect();
        let certificate = Certificate::new(&problem, &s);
        assert!((certificate.fclib_error / error - 1.0).abs() < 1e-9, "{name}: {:e}", certificate.fclib_error);
        // The bounds of the module's documentation, contact by contact in the worst case.
        let (mut low, mut high) = (1.0f64, 1.0f64);
        for i in 0..problem.len() {
            low = low.min(1.0 / problem.rho(i));
            high = high.max(1.0 / problem.rho(i));
        }
        assert!(certificate.relative >= low * certificate.fclib_error * (1.0 - 1e-12), "{name}");
        assert!(certificate.relative <= high * certificate.fclib_error * (1.0 + 1e-12), "{name}");
    }
}
