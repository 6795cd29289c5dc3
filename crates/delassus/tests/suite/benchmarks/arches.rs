//! Thickness limits of masonry arches: Milankovitch 1907; Cocchetti and Rizzi 2020 for limited friction.

use super::thrust::{Arch, Weight};
use super::{Benchmark, near};

fn set(arch: Arch, ratio: f64) -> Vec<String> {
    let Arch { blocks, angle, friction, .. } = arch;
    vec![format!("n={blocks}"), format!("ratio={ratio}"), format!("mu={friction}"), format!("angle={angle}")]
}

/// The lines of thrust themselves tend to the published limits. Milankovitch: 0.1075 with enough friction. Cocchetti
/// and Rizzi, who put the weight on the centre line: below μ = 0.395832 springings slide; at μ = 0.309215 the least
/// thickness is 0.200637, and below no thickness is enough.
#[test]
fn lines_of_thrust_tend_to_the_published_limits() {
    let milankovitch = Arch::half(400, 0.7, Weight::Blocks).least_thickness().expect("stands");
    near("Milankovitch", milankovitch, 0.1075, 5e-4);
    let line = |mu| Arch::half(400, mu, Weight::Line);
    near("mixed mode", line(0.309_217).least_thickness().expect("stands"), 0.200_637, 1e-4);
    assert!(line(0.3091).least_thickness().is_none(), "below 0.309215 no thickness is enough");
    let thin = line(0.7).least_thickness().expect("stands") * (1.0 + 1e-6);
    near("first sliding", line(0.7).least_friction(thin), 0.395_832, 1e-4);
}

/// `explore` finds an equilibrium a millionth above the least thickness and none a millionth below, for few and many
/// voussoirs, complete and incomplete arches, modes with and without sliding.
#[test]
fn equilibria_of_arches_begin_at_the_least_thickness() {
    let benchmark = Benchmark::new("masonry_arch", "thickness");
    let pi = std::f64::consts::PI;
    for (blocks, angle, friction) in [
        (9, pi, 0.7),
        (27, pi, 0.7),
        (28, pi, 0.7),
        (101, pi, 0.7),
        (27, pi, 0.35),
        (15, 0.8 * pi, 0.7),
        (27, pi, 0.32),
    ] {
        let arch = Arch { blocks, angle, friction, weight: Weight::Blocks };
        let least = arch.least_thickness().expect("some thickness is enough");
        let above = benchmark.equilibrium(&set(arch, least * (1.0 + 1e-6)));
        assert!(above.is_some_and(|mu| mu <= friction), "{blocks} blocks, {least}: {above:?}");
        assert_eq!(benchmark.equilibrium(&set(arch, least * (1.0 - 1e-6))), None, "{blocks} blocks, {least}");
    }
}

/// The least friction of an arch as thin as can be, and of one of 0.200637: those of lines of thrust, and those of
/// Cocchetti and Rizzi, 0.395832 and 0.309215, as far as blocks weigh like a line.
#[test]
fn least_friction_of_arches_is_that_of_lines_of_thrust() {
    let benchmark = Benchmark::new("masonry_arch", "friction");
    let arch = Arch::half(101, 0.7, Weight::Blocks);
    let thin = arch.least_thickness().expect("stands") * (1.0 + 1e-6);
    for (ratio, published) in [(thin, 0.395_832), (0.200_637, 0.309_215)] {
        let found = benchmark.equilibrium(&set(arch, ratio)).expect("stands");
        near("lines of thrust", found, arch.least_friction(ratio), 1e-5);
        near("published", found, published, 2e-3);
    }
}

/// In motion: at rest to the last bit a thousandth above the limit; a thousandth below, hinges open and it falls.
#[test]
fn arches_stand_above_the_least_thickness_and_fall_below() {
    let benchmark = Benchmark::new("masonry_arch", "motion");
    let arch = Arch::half(27, 0.7, Weight::Blocks);
    let least = arch.least_thickness().expect("stands");
    let energies = |ratio: f64| benchmark.run(&set(arch, ratio), &["energy/kinetic", "energy/potential"]);
    assert_eq!(energies(1.001 * least)[0], 0.0);
    let [kinetic, potential] = energies(0.999 * least)[..] else { panic!("two energies") };
    assert!(kinetic > 0.05 * potential, "after one second it is falling: {kinetic} and {potential} J");
}
