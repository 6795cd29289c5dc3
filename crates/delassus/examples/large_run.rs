//! A run file as large as asked for, without the days that its computation would take: spheres in a box that turns.
//!
//!     cargo run --release --example large_run -- BODIES FRAMES large.h5
//!
//! The scene, the fields and the file are those of a real run; places and velocities follow a rotation about the
//! vertical, faster at the top. For `delassus view`: how long it opens, what it keeps in memory.

use delassus::record::{Column, Frame, Options as Recording, Recorder};
use delassus::scene::Scene;
use delassus::simulation::{Options, Simulation};
use std::time::Instant;

/// Time between frames [s].
const STEP: f64 = 0.01;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [bodies, frames, path] = args.as_slice() else { return Err("usage: large_run BODIES FRAMES FILE.h5".into()) };
    let (bodies, frames): (usize, usize) = (bodies.parse()?, frames.parse()?);
    let scene = Scene::parse(&text(bodies, frames), "large", &[]).map_err(|d| d.to_string())?;
    let mut simulation = Simulation::new(&scene, &Options::default())?;
    let header = simulation.header().clone();
    let mut frame = header.frame();
    simulation.fill(&mut frame)?;
    let at = |name: &str| header.position(name).ok_or(format!("no field {name}"));
    let (position, velocity) = (at("bodies/position")?, at("bodies/velocity")?);
    let Column::F64(start) = frame.columns[position].clone() else { return Err("places are doubles".into()) };
    let begin = Instant::now();
    let mut recorder = Recorder::create(path, &header, &Recording { overwrite: true, ..Recording::default() })?;
    for k in 0..frames {
        (frame.time, frame.step) = (k as f64 * STEP, k as u64);
        turn(&mut frame, [position, velocity], &start);
        recorder.write(&frame)?;
    }
    recorder.finish()?;
    let bytes = std::fs::metadata(path)?.len();
    println!(
        "{path}: {bodies} bodies, {frames} frames, {:.2} GB in {:.0} s",
        bytes as f64 / 1e9,
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Spheres on a grid above a floor.
fn text(bodies: usize, frames: usize) -> String {
    let side = (bodies as f64).cbrt().ceil();
    let (n, width) = (side as usize, 0.022 * side);
    format!(
        "title = \"{bodies} spheres\"\ndimension = 3\n[time]\nstep = {STEP}\nend = {}\nrecord = {STEP}\n\
         [material.glass]\ndensity = 2500\n[law]\nfriction = 0.3\n[body.floor]\nshape.half_space = {{}}\n\
         [[generate]]\nkind = \"grid\"\nname = \"sphere\"\nshape.sphere.radius = 0.01\n\
         count = [{n}, {n}, {}]\nspacing = [0.022, 0.022, 0.022]\nposition = [{}, {}, 0.011]\n",
        STEP * frames as f64,
        bodies.div_ceil(n * n),
        -0.5 * width,
        -0.5 * width,
    )
}

/// Every sphere but the floor on its circle.
fn turn(frame: &mut Frame, [position, velocity]: [usize; 2], start: &[f64]) {
    let rate = |z: f64| 0.2 + 0.5 * z;
    let time = frame.time;
    let turned = |x: &[f64]| {
        let (s, c) = (rate(x[2]) * time).sin_cos();
        [c * x[0] - s * x[1], s * x[0] + c * x[1]]
    };
    if let Column::F64(places) = &mut frame.columns[position] {
        for (now, x) in places.chunks_exact_mut(3).zip(start.chunks_exact(3)).skip(1) {
            now[..2].copy_from_slice(&turned(x));
        }
    }
    if let Column::F64(speeds) = &mut frame.columns[velocity] {
        for (now, x) in speeds.chunks_exact_mut(3).zip(start.chunks_exact(3)).skip(1) {
            let [a, b] = turned(x);
            now[..2].copy_from_slice(&[-rate(x[2]) * b, rate(x[2]) * a]);
        }
    }
}
