//! Stacked and sliding blocks.

use super::{Benchmark, near};
use crate::common::Folder;

/// Five blocks reach 137/120 lengths beyond the table, not more (Coffin 1923): statics and motion agree.
#[test]
fn stacked_blocks_stand_up_to_the_harmonic_overhang() {
    let benchmark = Benchmark::new("overhang", "overhang");
    for (share, stands) in [(0.9999, true), (1.0001, false)] {
        let set = [format!("share={share}")];
        assert_eq!(benchmark.equilibrium(&set).is_some(), stands, "{share}");
        let kinetic = benchmark.run(&set, &["energy/kinetic"])[0];
        assert_eq!(kinetic < 1e-12, stands, "{share}: {kinetic} J");
    }
}

/// Housner's rocking block: a landing keeps a share 1 − (3/2) sin²α of the angular velocity, tan α = 1/4. Gravity
/// changes it by 1.7e-3 in each of the two steps around the landing.
#[test]
fn a_landing_of_the_rocking_block_keeps_the_share_of_housner() {
    let folder = Folder::new("benchmark-rocking");
    let times = ["--set", "time.record=5e-4", "--set", "time.end=0.43"];
    folder.run(&[&["run", "rocking_block", "-o", "run.h5", "-q"], &times[..]].concat()).fails(0, &[]);
    let csv = folder.run(&["export", "run.h5", "--csv", "-", "--body", "block"]).out;
    let last = |line: &str| line.rsplit(',').next().expect("a spin").parse::<f64>().expect("a number");
    let spins: Vec<f64> = csv.lines().skip(1).map(last).collect();
    let landing = spins.windows(2).min_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0]))).expect("frames");
    near("share", landing[1] / landing[0], 1.0 - 1.5 / 17.0, 3.4e-3);
}

/// A deformable block pushed up an incline moves at F/G = (tan α + μ)/(1 − μ tan α): beyond it a spring carries
/// the rest. The ratio of the limit is that of F less the elongation of the spring, which has stiffness G/m.
#[test]
fn a_pushed_block_slides_up_the_incline_at_the_ratio_of_statics() {
    let benchmark = Benchmark::new("incline_push", "incline");
    let limit = (0.1 + 0.3) / (1.0 - 0.3 * 0.1);
    let elongation = |ratio: f64| benchmark.run(&[format!("ratio={ratio}")], &["probes/held/displacement"])[0];
    near("F/G", 0.42 - elongation(0.42), limit, 1e-6);
    // Below it the side gives way by its elasticity alone: less than F/(E × 0.5 m) over 1 m.
    assert!(elongation(0.41).abs() < 0.41e6 / (2.1e11 * 0.5));
}
