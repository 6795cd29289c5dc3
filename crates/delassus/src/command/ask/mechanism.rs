//! The mechanism of a collapse, drawn: the bodies a little on their way, over where they stand.

use crate::command::draw::{self, DrawArgs, Snapshot};
use delassus_contact::Dim;
use delassus_draw::colour::{FAINT, WHITE};
use delassus_draw::{Head, Role};
use delassus_rigid::Kinematics;
use delassus_scene::{Built, Setup};
use std::path::Path;

/// Largest displacement of a body, relative to the size of the picture.
const SHOWN: f64 = 0.08;

/// Velocities of all bodies from those of the equations: `width` each, zero where the motion is given.
fn by_body(mechanism: &[f64], equations: &[u32], bodies: usize, width: usize) -> Vec<f64> {
    let mut all = vec![0.0; bodies * width];
    let mut seen = vec![0usize; bodies];
    for (v, body) in mechanism.iter().zip(equations) {
        let b = *body as usize;
        if let Some(k) = seen.get_mut(b).filter(|k| **k < width) {
            all[width * b + *k] = *v;
            *k += 1;
        }
    }
    all
}

/// The start, and a little later.
fn on_its_way<const D: usize>(setup: &Setup<D>, mechanism: &[f64], equations: &[u32]) -> (Snapshot, Snapshot)
where
    Dim<D>: Kinematics<D>,
{
    let (start, count) = (Snapshot::of(setup), setup.model.bodies().len());
    let (width, turns) = (setup.state.u.len() / count.max(1), Dim::<D>::COORDINATES - D);
    let v = by_body(mechanism, equations, count, width);
    let size = extent(&start.position, D);
    let speed = |b: usize| v[width * b..width * b + D].iter().map(|x| x * x).sum::<f64>().sqrt();
    let fastest = (0..count).map(speed).fold(0.0, f64::max);
    let fastest = if fastest > 0.0 { fastest } else { v.iter().fold(0.0, |m: f64, x| m.max(x.abs())) * size };
    let time = SHOWN * size / fastest.max(f64::MIN_POSITIVE);
    let mut moved = start.clone();
    for b in 0..count {
        let (x, r) = (D * b..D * (b + 1), turns * b..turns * (b + 1));
        let mut q = [&start.position[x.clone()], &start.orientation[r.clone()]].concat();
        Dim::<D>::advance(&mut q, &v[width * b..width * (b + 1)], time);
        moved.position[x].copy_from_slice(&q[..D]);
        moved.orientation[r].copy_from_slice(&q[D..]);
    }
    (start, moved)
}

/// Draws, and says what.
pub fn draw(built: &Built, mechanism: &[f64], equations: &[u32], title: &str, path: &Path) -> Result<String, String> {
    let args = DrawArgs { output: Some(path.into()), ..DrawArgs::of("") };
    let (start, moved) = match built {
        Built::Plane(setup) => on_its_way(setup, mechanism, equations),
        Built::Space(setup) => on_its_way(setup, mechanism, equations),
    };
    let mut head = Head::new(title);
    head.subtitle = "the mechanism that this load sets free, over the structure as it stands".into();
    let picture = match built {
        Built::Plane(setup) => {
            let mut figure = draw::plane_figure(setup, &moved, head, &args);
            let ghosts = draw::plane_figure(setup, &start, Head::new(""), &args).bodies;
            let free = ghosts.into_iter().filter(|b| b.role == Role::Free);
            // Below: what comes first is drawn first.
            let mut all: Vec<_> = free
                .map(|mut b| {
                    b.colour = Some(FAINT.mix(WHITE, 0.4));
                    b
                })
                .collect();
            all.append(&mut figure.bodies);
            figure.bodies = all;
            figure.style.marks = false;
            figure.picture()
        }
        Built::Space(setup) => draw::space_figure(setup, &moved, head, &args).picture(),
    };
    draw::save_picture(&picture.map_err(|e| e.to_string())?, path, &args)
}

fn extent(position: &[f64], d: usize) -> f64 {
    let range = |k: usize| {
        let along = position.iter().skip(k).step_by(d);
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(*x), h.max(*x)])
    };
    let size = (0..d).map(range).map(|[l, h]| h - l).fold(0.0, f64::max);
    if size > 0.0 { size } else { 1.0 }
}
