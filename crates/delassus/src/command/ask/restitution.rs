//! Coefficient of restitution of a body or an assembly
//!
//! ```text
//!     e = − d·v⁺ / d·v⁻,     v: velocity of the centre of mass, relative to what is struck,  d = v⁻/|v⁻|
//! ```
//!
//! A shock is going on while some body of the assembly does not fly freely: its velocity changes by something else
//! than gravity. It is over when all have flown freely for some steps and the assembly goes away.

use super::args::RestitutionArgs;
use super::{Answer, body_index, short};
use crate::command::{Verdict, scene};
use crate::simulation::{Options, Simulation};
use delassus_scene::Built;
use serde_json::json;

/// Steps of free flight that end a shock.
const FREE: u32 = 5;
/// Change of a velocity that is no flight, relative to the fastest.
const CHANGED: f64 = 1e-9;

/// Speed of approach that is none, relative to the fastest body.
const STILL: f64 = 1e-9;

/// Masses and gravity, whatever the dimension.
struct Matter {
    mass: Vec<f64>,
    gravity: Vec<f64>,
    width: usize,
}

impl Matter {
    fn of(built: &Built) -> Self {
        match built {
            Built::Plane(s) => Self {
                mass: s.model.bodies().iter().map(|b| b.mass).collect(),
                gravity: s.model.gravity().iter().copied().collect(),
                width: 3,
            },
            Built::Space(s) => Self {
                mass: s.model.bodies().iter().map(|b| b.mass).collect(),
                gravity: s.model.gravity().iter().copied().collect(),
                width: 6,
            },
        }
    }

    /// Velocity of the centre of mass of some bodies.
    fn centre(&self, u: &[f64], bodies: &[usize]) -> Vec<f64> {
        let all: f64 = bodies.iter().map(|b| self.mass[*b]).sum();
        let of = |k: usize| bodies.iter().map(|b| self.mass[*b] * u[self.width * b + k]).sum::<f64>() / all;
        (0..self.gravity.len()).map(of).collect()
    }

    /// Largest change of a velocity that gravity does not explain.
    fn pushed(&self, before: &[f64], after: &[f64], bodies: &[usize], h: f64) -> f64 {
        let change = |b: &usize, k: usize| {
            let i = self.width * b + k;
            (after[i] - before[i] - h * self.gravity[k]).abs()
        };
        bodies.iter().flat_map(|b| (0..self.gravity.len()).map(move |k| change(b, k))).fold(0.0, f64::max)
    }
}

/// Bodies by name, `NAME*` for all that begin so; those that are moved have no velocity to change.
fn chosen(names: &[String], wanted: &[String], mass: &[f64]) -> Result<Vec<usize>, String> {
    let mut all = vec![];
    for name in wanted {
        match name.strip_suffix('*') {
            Some(start) => {
                let found: Vec<usize> = (0..names.len()).filter(|i| names[*i].starts_with(start)).collect();
                if found.is_empty() {
                    return Err(format!("no body has a name that begins with '{start}'"));
                }
                all.extend(found);
            }
            None => all.push(body_index(names, name)?),
        }
    }
    match all.iter().find(|b| !(mass[**b] > 0.0)) {
        Some(b) => Err(format!("'{}' does not obey mechanics: it has no velocity to give back", names[*b])),
        None => Ok(all),
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Asks.
pub fn ask(args: &RestitutionArgs) -> Result<Answer, String> {
    let scene = scene::load(&args.scene_name, &args.scene).map_err(|_| String::new())?;
    let matter = Matter::of(&scene.build().map_err(|e| e.to_string())?);
    let mut simulation = Simulation::new(&scene, &Options::default()).map_err(|e| e.to_string())?;
    let names = simulation.names();
    let own = chosen(&names, &args.body, &matter.mass)?;
    let other = chosen(&names, &args.against, &matter.mass)?;
    let h = simulation.clock().step;
    let relative = |u: &[f64]| {
        let mut v = matter.centre(u, &own);
        if !other.is_empty() {
            v.iter_mut().zip(matter.centre(u, &other)).for_each(|(v, w)| *v -= w);
        }
        v
    };
    let mut before = None;
    let mut free = 0;
    let (mut begin, mut end, mut after) = (0.0, 0.0, None);
    let mut fastest_before = 0.0f64;
    while !simulation.is_over() {
        let last = simulation.whole_state().u.clone();
        let time = simulation.time();
        simulation.step().map_err(|e| e.to_string())?;
        let now = &simulation.whole_state().u;
        let fastest = last.iter().chain(now).fold(0.0f64, |m, x| m.max(x.abs()));
        let touched = matter.pushed(&last, now, &own, h) > CHANGED * fastest.max(1e-12);
        if touched && before.is_none() {
            (before, begin) = (Some(relative(&last)), time);
            fastest_before = last.iter().fold(0.0, |m, x| m.max(x.abs()));
        }
        let Some(v) = &before else { continue };
        if touched {
            (free, end) = (0, simulation.time());
            after = Some(relative(now));
        } else {
            free += 1;
        }
        if free >= FREE && after.as_ref().is_some_and(|w| dot(w, v) < 0.0) {
            break;
        }
    }
    let (Some(v), Some(w)) = (before, after) else {
        let lines = vec!["no shock: the bodies fly freely to the end of the scene".to_owned()];
        return Ok(Answer { lines, data: json!({ "restitution": null }), verdict: Verdict::NotSolved });
    };
    if !(dot(&v, &v).sqrt() > STILL * fastest_before) {
        let other = if args.against.is_empty() { "" } else { " relative to what they strike" };
        let lines = vec![
            format!(
                "no approach: the bodies have no velocity{other} before t = {} s",
                crate::command::draw::rounded(begin)
            ),
            "  name the bodies that strike (--body), and those that are struck where they are free (--against)".into(),
        ];
        return Ok(Answer { lines, data: json!({ "restitution": null, "begin": begin }), verdict: Verdict::NotSolved });
    }
    let e = -dot(&w, &v) / dot(&v, &v);
    let energy = dot(&w, &w) / dot(&v, &v);
    let lines = vec![
        format!("coefficient of restitution {e:.6}"),
        format!(
            "  velocity {} m/s before, {} m/s after along it",
            short(dot(&v, &v).sqrt()),
            short(-e * dot(&v, &v).sqrt())
        ),
        format!("  {} of the energy of the centre of mass stays", short(energy)),
        format!("  from t = {} s to {} s", crate::command::draw::rounded(begin), crate::command::draw::rounded(end)),
    ];
    let data = json!({ "restitution": e, "energy": energy, "before": v, "after": w, "begin": begin, "end": end });
    Ok(Answer { lines, data, verdict: Verdict::Solved })
}
