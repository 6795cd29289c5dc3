//! Assembly and implicit step of 100,000 unknowns, beside the bare factorisation and solves
//!
//! ```sh
//! RAYON_NUM_THREADS=1 cargo run --release -p delassus-fem --example step_hex8 [CELLS_X CELLS_Y CELLS_Z]
//! ```
//!
//! A block of Hex8 clamped at its foot under its own weight, one quasi-static step: elastic in
//! small strain, then neo-Hookean. Times are those of this thread, other processes left out.

use delassus_fem::algebra::{Cholesky, SolveScratch, SymmetricMatrix};
use delassus_fem::material::{Kinematics, Material};
use delassus_fem::mesh::CellKind;
use delassus_fem::mesh::generate::Cuboid;
use delassus_fem::model::{PartSpec, Support};
use delassus_fem::solid::{Hypothesis, SolidSpec};
use delassus_fem::structure::{At, Structure};
use delassus_fem::{Model, Scheme, SolidSettings, world_of};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let cells: Vec<usize> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let cells: [usize; 3] = cells.try_into().unwrap_or([31, 31, 32]);
    // One thread, this one: its clock is the one that is read.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    let (young, poisson) = (2e11, 0.3);
    measure("elastic, small strain", Material::Elastic { young, poisson }, Kinematics::Small, cells)?;
    measure("neo-Hookean, F-bar", Material::NeoHookean { young, poisson }, Kinematics::Finite, cells)
}

/// Seconds this thread has run: other processes do not count, where the system tells (Linux).
fn clock() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|s| s.split_whitespace().next().and_then(|x| x.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let start = clock();
    let out = f();
    (out, clock() - start)
}

fn block(material: Material, kinematics: Kinematics, cells: [usize; 3]) -> Result<Model, Box<dyn Error>> {
    let mesh = Cuboid::new([0.0; 3], cells.map(|n| n as f64), cells, CellKind::Hex8).mesh()?;
    let mut model = Model::new(3);
    let solid = SolidSpec::new(material, 7800.0, kinematics, Hypothesis::Space);
    let name = "block".to_owned();
    model.add(PartSpec { name, mesh: Arc::new(mesh), solid, velocity: [0.0; 3], rayleigh: [0.0; 2] })?;
    let foot = model.parts[0].mesh.points.iter().enumerate().filter(|(_, x)| x[2] == 0.0);
    let dofs = foot.flat_map(|(n, _)| (0..3).map(move |k| 3 * n as u32 + k)).collect();
    model.supports.push(Support { dofs, value: 0.0.into() });
    // Heavy enough that finite strain takes several iterations.
    model.gravity = [0.0, 0.0, -1e4];
    Ok(model)
}

fn measure(name: &str, material: Material, kinematics: Kinematics, cells: [usize; 3]) -> Result<(), Box<dyn Error>> {
    let model = block(material, kinematics, cells)?;
    let (n, elements) = (model.dofs(), cells.iter().product::<usize>());
    println!("{name}: {elements} elements, {n} unknowns");

    let mut structure = Structure::new(Arc::new(model.clone()))?;
    let (zero, history) = (vec![0.0; n], structure.initial_history());
    let mut force = vec![0.0; n];
    let mut best = f64::INFINITY;
    for round in 1..=4 {
        // Another factor each time: a linear tangent that did not change is not gathered again.
        let at = At { u: &zero, v: &zero, history: &history };
        let (done, time) = timed(|| structure.internal(at, Some([f64::from(round), 0.0]), &mut force));
        done?;
        best = best.min(time);
    }
    println!("  tangent and forces      {best:8.3} s   {:.0} elements/s", elements as f64 / best);
    let at = At { u: &zero, v: &zero, history: &history };
    structure.internal(at, Some([1.0, 0.0]), &mut force)?;

    let mut matrix: SymmetricMatrix = structure.tangent().clone();
    let diagonal = matrix.diagonal().fold(0.0, f64::max);
    matrix.impose(structure.imposed(), diagonal);
    let mut factor = Cholesky::new(structure.pattern())?;
    factor.refactor(&matrix)?;
    let (done, bare) = timed(|| factor.refactor(&matrix));
    done?;
    let (mut x, mut scratch) = (vec![1.0; n], SolveScratch::default());
    factor.solve_in_place(&mut x, &mut scratch)?;
    let (done, solve) = timed(|| factor.solve_in_place(&mut x, &mut scratch));
    done?;
    println!("  factorisation           {bare:8.3} s");
    println!("  solve                   {solve:8.3} s");
    drop((factor, matrix, structure));

    let step = Some(1.0);
    let settings = SolidSettings { step, scheme: Scheme::QuasiStatic, tolerance: 1e-8, ..SolidSettings::default() };
    let mut world = world_of::<3>(model, settings)?;
    // The first step also orders the unknowns; the load then changes, so that the next one works as well.
    let (_, first) = timed(|| world.step().map(|_| ()));
    let mut state = world.state().clone();
    state.q[..n].fill(0.0);
    world.set_state(state)?;
    let (report, time) = timed(|| world.step().cloned());
    // A linear tangent is factorised once: both sides have one factorisation added.
    let newton = report?.newton as f64;
    let linear = kinematics == Kinematics::Small;
    let (time, bound) = if linear { (time + bare, bare + solve) } else { (time, newton * (bare + solve)) };
    println!("  first step              {first:8.3} s   (order and structure included)");
    println!("  step                    {time:8.3} s   {newton} Newton iterations: {bound:.3} s bare");
    println!("  step over bare          {:8.3}", time / bound);
    Ok(())
}
