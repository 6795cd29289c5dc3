//! How far a support may move before the last equilibrium is lost.

use super::args::CollapseArgs;
use super::{Answer, body_index, short};
use crate::command::draw::{self, DrawArgs, rounded};
use crate::command::explore::subject::{self, AnyQuestion, Subject};
use crate::command::output::warn;
use crate::command::{Verdict, run, scene};
use crate::simulation::{Options, Simulation};
use delassus_explore::{Equilibrium, Statics};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::json;
use std::sync::atomic::Ordering;

/// Questions in a row without an equilibrium that end the run: a joint that rattles is closed again soon.
const LOST: usize = 40;

/// Where the structure was asked.
#[derive(Clone, Copy)]
struct Asked {
    time: f64,
    moved: f64,
}

/// Asks.
pub fn ask(args: &CollapseArgs) -> Result<Answer, String> {
    let scene = scene::load(&args.scene_name, &args.scene).map_err(|_| String::new())?;
    let mut simulation = Simulation::new(&scene, &Options::default()).map_err(|e| e.to_string())?;
    let body = body_index(&simulation.names(), &args.moved)?;
    let start = subject::of_simulation(&mut simulation, "the start".into())?;
    if start.moving {
        return Err("bodies move at the start: give them a structure at rest, whose supports move slowly".into());
    }
    let loads = match &start.question {
        AnyQuestion::Two(q) => q.statics.load().to_vec(),
        AnyQuestion::Three(q) => q.statics.load().to_vec(),
        _ => return Err("this question is for Coulomb's law, without resistance to rolling".into()),
    };
    let from = place(&simulation, body);
    let open = args.open.unwrap_or_else(|| 1e-4 * size(&start));
    let target = if args.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(simulation.clock().steps), target);
    let (mut last, mut first, mut lost) = (None, None, 0);
    let stop = run::interruptible();
    loop {
        let subject = subject::of_simulation(&mut simulation, String::new())?;
        let here = Asked { time: simulation.time(), moved: distance(&place(&simulation, body), &from) };
        if stands(&subject, &loads, open)? {
            (last, first, lost) = (Some(here), None, 0);
        } else {
            first = first.or(Some(here));
            lost += 1;
        }
        if lost >= LOST || simulation.is_over() || stop.load(Ordering::Relaxed) {
            break;
        }
        loop {
            simulation.step().map_err(|e| e.to_string())?;
            bar.inc(1);
            if simulation.is_due() {
                break;
            }
        }
    }
    bar.finish_and_clear();
    if simulation.totals().flagged > 0 {
        warn(&format!("{} steps above the tolerance on the way", simulation.totals().flagged));
    }
    told(args, last, first)
}

fn told(args: &CollapseArgs, last: Option<Asked>, first: Option<Asked>) -> Result<Answer, String> {
    let moved = &args.moved;
    let line = match (last, first) {
        (None, _) => "no equilibrium is possible at the start".to_owned(),
        (Some(l), None) => {
            format!(
                "{moved} moved by {} m, to the end of the scene at {} s, and equilibrium was never lost",
                short(l.moved),
                rounded(l.time)
            )
        }
        (Some(l), Some(f)) => format!(
            "the last equilibrium is lost when {moved} has moved by {} … {} m, between {} s and {} s",
            short(l.moved),
            short(f.moved),
            rounded(l.time),
            rounded(f.time)
        ),
    };
    let point = |a: Option<Asked>| a.map(|a| json!({ "time": a.time, "displacement": a.moved }));
    let data = json!({ "body": moved, "last_equilibrium": point(last), "first_without": point(first) });
    let mut lines = vec![line];
    if let (Some(path), Some(l)) = (&args.picture, last) {
        let until = (l.time > 0.0).then_some(l.time);
        let (scene, output) = (args.scene.clone(), Some(path.clone()));
        let how =
            DrawArgs { scene, output, until, forces: Some(draw::ForceChoice::Lines), ..DrawArgs::of(&args.scene_name) };
        lines.push(draw::told(&how)?);
    }
    let verdict = if last.is_some() { Verdict::Solved } else { Verdict::NotSolved };
    Ok(Answer { lines, data, verdict })
}

/// Whether the closed contacts can carry the loads at rest.
fn stands(subject: &Subject, loads: &[f64], open: f64) -> Result<bool, String> {
    fn any<const C: usize>(
        statics: &Statics<C>,
        loads: &[f64],
        gap: &[f64],
        open: f64,
    ) -> Result<bool, delassus_explore::Error>
    where
        Statics<C>: Equilibrium<C>,
    {
        let closed = statics.only(|c| gap[c] <= open)?.under(loads.to_vec())?;
        Ok(closed.any()?.is_some())
    }
    match &subject.question {
        AnyQuestion::Two(q) => any(&q.statics, loads, &subject.gaps, open),
        AnyQuestion::Three(q) => any(&q.statics, loads, &subject.gaps, open),
        _ => return Err("the laws of the scene change on the way".into()),
    }
    .map_err(|e| e.to_string())
}

/// Largest distance of two contacts.
fn size(subject: &Subject) -> f64 {
    let Some(places) = &subject.places else { return 1.0 };
    let d = places.dimension;
    let along = |k: usize| {
        let all = places.position.iter().skip(k).step_by(d);
        let [low, high] = all.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(*x), h.max(*x)]);
        high - low
    };
    (0..d).map(along).fold(0.0, f64::max).max(f64::MIN_POSITIVE)
}

fn place(simulation: &Simulation, body: usize) -> Vec<f64> {
    let header = simulation.header();
    let (d, turns) = (header.dimension, if header.dimension == 2 { 1 } else { 4 });
    let q = &simulation.whole_state().q;
    q[body * (d + turns)..body * (d + turns) + d].to_vec()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
