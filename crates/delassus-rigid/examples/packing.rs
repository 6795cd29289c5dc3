//! Time per step of a settled packing: discs, polygons or spheres in a box.
//!
//! `cargo run --release -p delassus-rigid --example packing -- discs 2000 1 0`
//!
//! Kind, number, time to settle [s] and friction while they settle (0.3; with less they pack
//! denser). Then radii 5–15 mm, μ = 0.3, h = 2e-4 s, relative residual 1e-6.

use delassus_contact::{Shape2, Shape3};
use delassus_friction::SolverKind;
use delassus_rigid::{BodySpec, Interaction, Interactions, ModelParts, Policy, RigidModel, StepSettings, simulate};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::error::Error;

const H: f64 = 2e-4;
const MU: f64 = 0.3;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let kind = args.get(1).map_or("discs", String::as_str).to_owned();
    let n: usize = args.get(2).map_or(Ok(2000), |s| s.parse())?;
    let settle: f64 = args.get(3).map_or(Ok(1.0), |s| s.parse())?;
    let friction: f64 = args.get(4).map_or(Ok(MU), |s| s.parse())?;
    match kind.as_str() {
        "discs" | "polygons" => {
            let make = |mu| plane(n, kind == "polygons", mu).and_then(|p| Ok(RigidModel::new(p)?));
            measure(make(friction)?, make(MU)?, settle)
        }
        "spheres" => {
            let make = |mu| space(n, mu).and_then(|p| Ok(RigidModel::new(p)?));
            measure(make(friction)?, make(MU)?, settle)
        }
        other => Err(format!("unknown packing '{other}': discs, polygons or spheres").into()),
    }
}

/// Grains on a jittered grid above the floor of a box whose width grows with `n`: one metre
/// for 2,000, so that the height of the packing, and hence the work per grain, stays.
fn plane(n: usize, polygons: bool, mu: f64) -> Result<ModelParts<2>, Box<dyn Error>> {
    let mut rng = StdRng::seed_from_u64(1);
    let width = n as f64 / 2000.0;
    let mut parts = ModelParts::new([0.0, -9.81].into());
    parts.interactions = Interactions::single(Interaction::coulomb(mu));
    for (name, normal, at) in
        [("floor", [0.0, 1.0], [0.0, 0.0]), ("left", [1.0, 0.0], [0.0, 0.0]), ("right", [-1.0, 0.0], [width, 0.0])]
    {
        parts.bodies.push(BodySpec::fixed(name).at(at.into()).shape(Shape2::half_plane(normal)?));
    }
    let pitch = 0.0305;
    let columns = (width / pitch) as usize;
    for i in 0..n {
        let r = rng.random_range(0.005..0.015);
        let jitter = 0.5 * (pitch - 2.0 * r) * 0.99;
        let x = (i % columns) as f64 * pitch + 0.5 * pitch + rng.random_range(-jitter..jitter);
        let y = (i / columns) as f64 * pitch + 0.5 * pitch + rng.random_range(-jitter..jitter);
        let shape = if polygons { polygon(&mut rng, r)? } else { Shape2::disc(r)? };
        parts.bodies.push(BodySpec::homogeneous(format!("grain {i}"), 2600.0).at([x, y].into()).shape(shape));
    }
    Ok(parts)
}

/// A convex polygon of five to eight vertices on a circle.
fn polygon(rng: &mut StdRng, r: f64) -> Result<Shape2, delassus_contact::Error> {
    let k = rng.random_range(5..=8);
    let start = rng.random_range(0.0..std::f64::consts::TAU);
    let points: Vec<[f64; 2]> = (0..k)
        .map(|i| {
            let a = start + std::f64::consts::TAU * (i as f64 + rng.random_range(-0.3..0.3)) / f64::from(k);
            [r * a.cos(), r * a.sin()]
        })
        .collect();
    Shape2::polygon(&points)
}

fn space(n: usize, mu: f64) -> Result<ModelParts<3>, Box<dyn Error>> {
    let mut rng = StdRng::seed_from_u64(1);
    let width = 0.3 * (n as f64 / 2000.0).cbrt();
    let mut parts = ModelParts::new([0.0, 0.0, -9.81].into());
    parts.interactions = Interactions::single(Interaction::coulomb(mu));
    let walls = [
        ([0.0, 0.0, 1.0], [0.0; 3]),
        ([1.0, 0.0, 0.0], [0.0; 3]),
        ([-1.0, 0.0, 0.0], [width, 0.0, 0.0]),
        ([0.0, 1.0, 0.0], [0.0; 3]),
        ([0.0, -1.0, 0.0], [0.0, width, 0.0]),
    ];
    for (normal, at) in walls {
        parts.bodies.push(BodySpec::fixed("wall").at(at.into()).shape(Shape3::half_space(normal)?));
    }
    let pitch = 0.0305;
    let columns = (width / pitch) as usize;
    for i in 0..n {
        let r = rng.random_range(0.005..0.015);
        let jitter = 0.5 * (pitch - 2.0 * r) * 0.99;
        let mut place = |k: usize| k as f64 * pitch + 0.5 * pitch + rng.random_range(-jitter..jitter);
        let at = [place(i % columns), place(i / columns % columns), place(i / (columns * columns))];
        let grain = BodySpec::homogeneous(format!("grain {i}"), 2600.0).at(at.into());
        parts.bodies.push(grain.shape(Shape3::sphere(r)?));
    }
    Ok(parts)
}

/// Settles with the laws of the first model, measures with those of the second.
fn measure<const D: usize>(loose: RigidModel<D>, model: RigidModel<D>, settle: f64) -> Result<(), Box<dyn Error>>
where
    delassus_contact::Dim<D>: delassus_rigid::Kinematics<D>,
{
    // The way to rest does not matter: a few sweeps, accepted as they are.
    let rough = StepSettings {
        tolerance: 1e-4,
        solver: SolverKind::Nlgs,
        max_iterations: Some(40),
        on_failure: Policy::Accept,
        ..StepSettings::with_step(2.0 * H)
    };
    let state = loose.initial_state();
    let mut run = simulate(loose, state, rough)?;
    let (mut next, start) = (0.0, std::time::Instant::now());
    let mut handed = 0;
    while run.state().time < settle {
        let report = run.step()?;
        handed += usize::from(!report.events.is_empty());
        if report.time >= next {
            next += settle / 20.0;
            println!(
                "t {:.3}  contacts {:5}  iterations {:5}  residual {:.1e}  kinetic {:.2e}  penetration {:.1e}  {:.2} ms  events {handed}  wall {:.0} s",
                report.time,
                report.contacts,
                report.iterations,
                report.residual,
                report.energy.kinetic,
                report.max_penetration,
                1e3 * report.timings.total(),
                start.elapsed().as_secs_f64()
            );
            handed = 0;
        }
    }
    let settings = StepSettings { tolerance: 1e-6, on_failure: Policy::Accept, ..StepSettings::with_step(H) };
    let mut run = simulate(model, run.state().clone(), settings)?;
    for i in 0..100 {
        let report = run.step()?;
        if i % 10 == 0 || !report.events.is_empty() {
            println!(
                "  iterations {} residual {:.1e} {:.2} ms rest {} {:?}",
                report.iterations,
                report.residual,
                1e3 * report.timings.total(),
                report.at_rest,
                report.events.first()
            );
        }
    }
    let (steps, mut sum, mut worst) = (100, [0.0; 5], 0.0f64);
    let (mut contacts, mut iterations) = (0, 0);
    for _ in 0..steps {
        let report = run.step()?;
        let t = report.timings;
        for (s, x) in sum.iter_mut().zip([t.detect, t.reduce, t.solve, t.commit, t.total()]) {
            *s += 1e3 * x / f64::from(steps);
        }
        worst = worst.max(report.residual);
        contacts += report.contacts;
        iterations += report.iterations;
    }
    println!(
        "mean of {steps} steps: contacts {}, iterations {:.1}, worst residual {worst:.1e}",
        contacts / 100,
        f64::from(iterations as u32) / f64::from(steps)
    );
    println!(
        "ms per step: detect {:.2}  reduce {:.2}  solve {:.2}  commit {:.2}  total {:.2}",
        sum[0], sum[1], sum[2], sum[3], sum[4]
    );
    Ok(())
}
