//! Deformable solids: NAFEMS' contact benchmarks (Konter 2006).
//!
//! Published numbers of NAFEMS' benchmarks are those of Abaqus and Marc on the benchmarks' own meshes, with linear
//! and with quadratic cells, as Code_Aster's tests quote them; what they differ by among themselves is what a
//! comparison on another mesh can show.

use super::{Benchmark, near};

/// Elastic half spaces: 1/E* of the two materials, half width and pressure of a line load.
fn hertz(load: f64, radius: f64, young: [f64; 2], poisson: f64) -> [f64; 2] {
    let modulus = 1.0 / young.iter().map(|e| (1.0 - poisson * poisson) / e).sum::<f64>();
    let half = (4.0 * load * radius / (std::f64::consts::PI * modulus)).sqrt();
    [half, 2.0 * load / (std::f64::consts::PI * half)]
}

/// NAFEMS 1 without friction: 1.3069 and 1.3080 mm below the load; 3800 and 3513 MPa (3585 MPa by Hertz); half
/// width 6.21 mm between the last closed and the first open node.
#[test]
fn cylinder_on_block_of_nafems() {
    let [half, pressure] = hertz(35e6, 0.05, [210e9, 70e9], 0.3);
    near("half width of Hertz", half, 6.21e-3, 1e-3);
    near("pressure of Hertz", pressure, 3585.37e6, 1e-3);
    let fields = ["probes/B/displacement", "contact/touch/highest_pressure", "contact/touch/closed"];
    let found = Benchmark::new("nafems_1", "nafems-1").run(&[], &fields);
    near("displacement", -found[1], 1.3080e-3, 2e-3);
    near("pressure", found[2], pressure, 0.03);
    // Nodes of the block: 36 cells over 0.1 m, the last 40 times the first.
    let ratio = 40f64.powf(1.0 / 35.0);
    let node = |k: f64| 0.1 * (ratio.powf(k) - 1.0) / (ratio.powf(36.0) - 1.0);
    assert!(node(found[3] - 1.0) < half && half < node(found[3]), "{} nodes are closed", found[3]);
}

/// NAFEMS 1 with μ = 0.1: 1.3011 and 1.3026 mm, 3670 and 3543 MPa; friction holds the block together.
#[test]
fn cylinder_on_block_of_nafems_with_friction() {
    let fields = ["probes/B/displacement", "contact/touch/highest_pressure"];
    let found = Benchmark::new("nafems_1", "nafems-1-friction").run(&["mu=0.1".into()], &fields);
    near("displacement", -found[1], 1.3026e-3, 2e-3);
    near("pressure", found[2], 0.5 * (3670.3e6 + 3542.7e6), 0.03);
}
