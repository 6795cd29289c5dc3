//! Explicit steps of an elastoplastic block: `cargo run --release -p delassus-fem --example step_quad4`
//!
//! Whole steps of a world with central differences (forces, internal variables, contact
//! bookkeeping, energies, momenta, stability of the deformed mesh), Quad4 with 2 × 2 points. In
//! free flight nothing flows; compressed at constant speed everything does.

use delassus_dynamics::World;
use delassus_fem::material::{Hardening, J2, Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::Rectangle;
use delassus_fem::model::{PartSpec, Support};
use delassus_fem::solid::{CellFields, Hypothesis, SolidSpec};
use delassus_fem::{Function, Model, Scheme, SolidSettings, world_of};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// Seconds this thread has run: other processes do not count, where the system tells (Linux).
fn clock(start: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|s| s.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

/// A block of `n` × `n` cells, thrown, or pressed from above at `speed`.
fn block(
    n: usize,
    kinematics: Kinematics,
    scheme: Scheme,
    pressed: bool,
) -> Result<(Model, World<2, 2>), Box<dyn Error>> {
    let mut model = Model::new(2);
    let mesh = Rectangle::new([0.0; 2], [1.0; 2], [n, n], CellKind::Quad4).mesh()?;
    let material = Material::J2(J2 {
        young: 1.17e11,
        poisson: 0.35,
        yield_stress: 4e8,
        isotropic: Hardening::Linear { modulus: 1e8 },
        kinematic: 0.0,
    });
    let solid = SolidSpec::new(material, 8930.0, kinematics, Hypothesis::PlaneStrain { thickness: 1.0 });
    let velocity = if pressed { [0.0; 3] } else { [30.0, 200.0, 0.0] };
    let name = "block".to_owned();
    model.add(PartSpec { name, mesh: Arc::new(mesh), solid, velocity, rayleigh: [0.0; 2] })?;
    if pressed {
        for (group, component, value) in
            [("left", 0, 0.0.into()), ("bottom", 1, 0.0.into()), ("top", 1, Function::expression("-400 * t")?)]
        {
            let dofs = model.group_nodes(0, group)?.iter().map(|i| 2 * i + component).collect();
            model.supports.push(Support { dofs, value });
        }
    }
    Ok((model.clone(), world_of(model, SolidSettings { scheme, ..SolidSettings::default() })?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(160), |a| a.parse())?;
    // One thread, this one: its clock is the one that is read.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    println!("{:46} {:>12} {:>9} {:>7}", "World::step, Quad4 2x2, J2, one thread", "cells/s", "flowing", "parts");
    for (law, kinematics) in [("small strain, B-bar", Kinematics::Small), ("finite strain, F-bar", Kinematics::Finite)]
    {
        for scheme in [Scheme::CentralDifferences, Scheme::SemiExplicit { theta: 1.0 }] {
            for pressed in [false, true] {
                measure(n, law, (kinematics, scheme, pressed))?;
            }
        }
    }
    Ok(())
}

fn measure(
    n: usize,
    law: &str,
    (kinematics, scheme, pressed): (Kinematics, Scheme, bool),
) -> Result<(), Box<dyn Error>> {
    let (model, mut world) = block(n, kinematics, scheme, pressed)?;
    // Until the wave has crossed the block, once and a half.
    let steps = if pressed { 2 * n } else { 60 };
    for _ in 0..if pressed { steps - 60 } else { 3 } {
        world.step()?;
    }
    let origin = Instant::now();
    let (start, mut parts) = (clock(origin), 0);
    for _ in 0..60 {
        parts += world.step()?.parts;
    }
    let rate = (parts * n * n) as f64 / (clock(origin) - start);
    let mut fields = CellFields::default();
    let (u, rest) = world.state().q.split_at(model.dofs());
    let solid = &model.parts[0].solid;
    solid.fields(u, &rest[..solid.history_len()], &mut fields)?;
    let flowing = fields.plastic_strain.iter().filter(|a| **a > 0.0).count() as f64 / (n * n) as f64;
    let name = format!("{law}, {}, {}", scheme.name(), if pressed { "pressed" } else { "thrown" });
    println!("{name:46} {rate:12.0} {:7.0} % {:7.1}", 100.0 * flowing, parts as f64 / 60.0);
    Ok(())
}
