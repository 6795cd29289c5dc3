//! What is read and written: the description of a scene, and a motion.

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};
use std::error::Error;

/// A scene at its start; see `state.py`.
#[derive(Deserialize)]
pub struct State {
    pub dimension: usize,
    pub gravity: Vec<f64>,
    pub step: f64,
    pub end: f64,
    pub record: f64,
    pub friction: f64,
    /// The smallest extent of what moves [m].
    pub unit: f64,
    pub bodies: Vec<Body>,
}

#[derive(Deserialize)]
pub struct Body {
    pub kind: Kind,
    pub density: f64,
    pub position: Vec<f64>,
    /// An angle, or a quaternion w, x, y, z.
    pub rotation: Vec<f64>,
    pub velocity: Vec<f64>,
    pub spin: Vec<f64>,
    pub shapes: Vec<Shape>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Fixed,
    Moving,
    /// Its velocities are imposed.
    Driven,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    HalfSpace,
    Disc { radius: f64 },
    Sphere { radius: f64 },
    Capsule { half: f64, radius: f64 },
    Box { centre: Vec<f64>, half: Vec<f64> },
    Polygon { points: Vec<Vec<f64>> },
    Polyhedron { points: Vec<Vec<f64>> },
    Mesh { points: Vec<Vec<f64>>, faces: Vec<[u32; 3]> },
}

/// How stiff the contacts of an engine are.
#[derive(Clone, Copy, PartialEq)]
pub enum Setting {
    /// As the engine comes.
    Default,
    /// As stiff as its step allows.
    Stiff,
}

impl Setting {
    pub fn named(name: &str) -> Result<Self, Box<dyn Error>> {
        match name {
            "default" => Ok(Setting::Default),
            "stiff" => Ok(Setting::Stiff),
            other => Err(format!("unknown setting '{other}': default or stiff").into()),
        }
    }
}

/// What an engine computed: the start and every `record` seconds, and the time that it took.
#[derive(Default, Deserialize, Serialize)]
pub struct Motion {
    pub time: Vec<f64>,
    /// Frame, body, component.
    pub position: Vec<Vec<Vec<f64>>>,
    pub rotation: Vec<Vec<Vec<f64>>>,
    pub velocity: Vec<Vec<Vec<f64>>>,
    pub steps: usize,
    /// Processor time of the steps, without setup and frames: mean and worst [ms].
    pub mean_ms: f64,
    pub worst_ms: f64,
}

/// A scene in an engine.
pub trait Engine {
    fn step(&mut self) -> Result<(), Box<dyn Error>>;

    /// Position, rotation and velocity of a body, in metres and seconds.
    fn body(&mut self, index: usize) -> Result<[Vec<f64>; 3], Box<dyn Error>>;
}

/// Steps to the end, or until so many seconds of processor time are spent.
pub fn drive(state: &State, limit: f64, engine: &mut impl Engine) -> Result<Motion, Box<dyn Error>> {
    let steps = (state.end / state.step).round() as usize;
    let every = (state.record / state.step).round() as usize;
    let (mut motion, mut spent) = (Motion::default(), 0.0);
    frame(state, engine, &mut motion)?;
    while motion.steps < steps && spent <= limit {
        let start = ProcessTime::now();
        engine.step()?;
        let taken = start.elapsed().as_secs_f64();
        spent += taken;
        motion.steps += 1;
        motion.worst_ms = motion.worst_ms.max(1e3 * taken);
        if motion.steps % every == 0 || motion.steps == steps {
            frame(state, engine, &mut motion)?;
        }
    }
    motion.mean_ms = 1e3 * spent / motion.steps.max(1) as f64;
    Ok(motion)
}

fn frame(state: &State, engine: &mut impl Engine, motion: &mut Motion) -> Result<(), Box<dyn Error>> {
    motion.time.push(motion.steps as f64 * state.step);
    let (mut position, mut rotation, mut velocity) = (vec![], vec![], vec![]);
    for k in 0..state.bodies.len() {
        let [x, q, v] = engine.body(k)?;
        position.push(x);
        rotation.push(q);
        velocity.push(v);
    }
    motion.position.push(position);
    motion.rotation.push(rotation);
    motion.velocity.push(velocity);
    Ok(())
}
