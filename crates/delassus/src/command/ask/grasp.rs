//! Forces and torques that a held body can bear.

use super::args::GraspArgs;
use super::{Answer, body_index, short};
use crate::command::explore::subject::{self, AnyQuestion, Question, Subject};
use crate::command::{Verdict, scene};
use delassus_explore::{BoundsSettings, Equilibrium, Reaction, Statics};
use serde_json::{Value, json};

/// Most programs for one set in space.
const DIRECTIONS: usize = 400;

/// Asks.
pub fn ask(args: &GraspArgs) -> Result<Answer, String> {
    let subject = subject::load(&args.source, &args.scene, false).map_err(|_| String::new())?;
    let body = body_index(&subject.bodies, &args.body)?;
    let rows: Vec<usize> = (0..subject.equations.len()).filter(|i| subject.equations[*i] as usize == body).collect();
    if rows.is_empty() {
        return Err(format!("'{}' is fixed or moved: it bears everything", args.body));
    }
    match &subject.question {
        AnyQuestion::Two(q) => held(args, &subject, q, &rows),
        AnyQuestion::Three(q) => held(args, &subject, q, &rows),
        AnyQuestion::Four(q) => held(args, &subject, q, &rows),
        AnyQuestion::Five(q) => held(args, &subject, q, &rows),
        AnyQuestion::Six(q) => held(args, &subject, q, &rows),
    }
}

fn held<const C: usize>(args: &GraspArgs, subject: &Subject, q: &Question<C>, rows: &[usize]) -> Result<Answer, String>
where
    Statics<C>: Equilibrium<C>,
{
    let d = if rows.len() == 3 { 2 } else { 3 };
    let (forces, torques) = rows.split_at(d);
    // Only in space is the gap needed: in the plane sets are exact.
    let settings = BoundsSettings { contacts: None, gap: (d == 3).then_some(args.gap), directions: DIRECTIONS };
    let ask = |rows: &[usize]| q.statics.withstood(rows, &settings).map_err(|e| e.to_string());
    let mut lines = vec![format!("{}: what '{}' bears beside its loads, at its centre", subject.name, args.body)];
    let (Some(force), torque) = (ask(forces)?, ask(torques)?) else {
        lines.push("it is not held: no equilibrium is possible, whatever force is added".into());
        let data = json!({ "body": args.body, "held": false });
        return Ok(Answer { lines, data, verdict: Verdict::NotSolved });
    };
    let held = q.statics.any().map_err(|e| e.to_string())?.is_some();
    lines.push(if held { "held: yes".into() } else { "held: no, only with one of these forces".to_owned() });
    let axes = ["x", "y", "z"];
    let mut data = json!({ "body": args.body, "held": held });
    data["force"] = set(&force, &axes[..d], subject.factor, "force", "N", &mut lines);
    let about: &[&str] = if d == 2 { &["z"] } else { &["1", "2", "3"] };
    // Where a force is needed to hold it, no torque alone does.
    if let Some(torque) = &torque {
        data["torque"] = set(torque, about, subject.factor, "torque", "N m", &mut lines);
    }
    if d == 3 {
        lines.push("             torques are about the principal axes of the body".into());
    }
    if d == 2 && force.rays.is_empty() {
        let least = weakest(&force, subject.factor);
        lines.push(format!("weakest      {} N: less than this it bears in every direction", short(least)));
        data["weakest"] = json!(least);
    }
    if let Some(path) = &args.csv {
        let mut text = axes[..d].iter().map(|a| format!("force_{a} [N]")).collect::<Vec<_>>().join(",") + "\n";
        for v in &force.vertices {
            let row: Vec<String> = (0..d).map(|k| format!("{:?}", v[k] * subject.factor)).collect();
            text += &(row.join(",") + "\n");
        }
        if scene::write(path, &text) != Verdict::Solved {
            return Err(String::new());
        }
    }
    Ok(Answer { lines, data, verdict: if held { Verdict::Solved } else { Verdict::NotSolved } })
}

/// The ranges of a set, told and as data.
fn set<const C: usize>(
    found: &Reaction<C>,
    axes: &[&str],
    factor: f64,
    name: &str,
    unit: &str,
    lines: &mut Vec<String>,
) -> Value {
    if !found.rays.is_empty() {
        lines.push(format!("{name:<12} without bound in some direction: it is held by shape, not by friction alone"));
        return json!({ "bounded": false });
    }
    for (k, axis) in axes.iter().enumerate() {
        let [low, high] = found.range(k).map(|x| x * factor);
        lines.push(format!("{:<12} {} … {} {unit}", format!("{name} {axis}"), short(low), short(high)));
    }
    let shape = match found.vertices.len() {
        n if axes.len() == 2 => format!("a polygon of {n} vertices"),
        n if axes.len() == 3 => {
            format!("{n} points of the set, which reaches {} {unit} beyond them at most", short(found.gap * factor))
        }
        _ => return json!({ "bounded": true, "range": found.range(0).map(|x| x * factor) }),
    };
    lines.push(format!("{:<12} {shape}", ""));
    let point = |v: &delassus_friction::algebra::Vector<C>| (0..axes.len()).map(|i| v[i] * factor).collect::<Vec<_>>();
    json!({ "bounded": true, "gap": found.gap * factor, "vertices": found.vertices.iter().map(point).collect::<Vec<_>>() })
}

/// Distance from zero to the nearest edge of a polygon; zero where it is outside.
fn weakest<const C: usize>(set: &Reaction<C>, factor: f64) -> f64 {
    let n = set.vertices.len();
    if n < 3 {
        return 0.0;
    }
    let distance = |k: usize| {
        let (a, b) = (&set.vertices[k], &set.vertices[(k + 1) % n]);
        let (x, y) = (b[0] - a[0], b[1] - a[1]);
        (x * -a[1] + y * a[0]) / x.hypot(y)
    };
    ((0..n).map(distance).fold(f64::INFINITY, f64::min) * factor).max(0.0)
}
