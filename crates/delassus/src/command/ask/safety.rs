//! Factor of safety of a structure of blocks.

use super::args::SafetyArgs;
use super::{Answer, mechanism, short};
use crate::command::explore::subject::{self, AnyQuestion, Question, Subject};
use crate::command::{Verdict, scene};
use delassus_explore::{Equilibrium, LeastFriction, Limit, Statics, common_friction, least_friction};
use delassus_scene::{Built, Scene};
use rayon::prelude::*;
use serde_json::{Value, json};

/// A load that grows: its name, and the scene that has it once more.
struct Growing {
    /// In the answer.
    name: String,
    /// What its multiple is counted in.
    unit: String,
    with: Vec<f64>,
}

/// Asks.
pub fn ask(args: &SafetyArgs) -> Result<Answer, String> {
    let scene = scene::load(&args.scene_name, &args.scene).map_err(|_| String::new())?;
    let built = scene.build().map_err(|e| e.to_string())?;
    if built.solids().is_some() {
        return Err("factors of safety are for rigid bodies: the scene has deformable solids".into());
    }
    let subject = posed(&scene, &args.scene_name)?;
    if subject.moving {
        return Err("bodies move at the start: a factor of safety is of a structure at rest".into());
    }
    let growing = growing(&scene, &built, args, &subject)?;
    match &subject.question {
        AnyQuestion::Two(q) => Asked { args, subject: &subject, q, built: &built }.answer(&growing),
        AnyQuestion::Three(q) => Asked { args, subject: &subject, q, built: &built }.answer(&growing),
        AnyQuestion::Four(q) => Asked { args, subject: &subject, q, built: &built }.answer(&growing),
        AnyQuestion::Five(q) => Asked { args, subject: &subject, q, built: &built }.answer(&growing),
        AnyQuestion::Six(q) => Asked { args, subject: &subject, q, built: &built }.answer(&growing),
    }
}

fn posed(scene: &Scene, name: &str) -> Result<Subject, String> {
    subject::of_scene(scene, name, false)
}

/// The given percussions of a question.
fn load(subject: &Subject) -> &[f64] {
    match &subject.question {
        AnyQuestion::Two(q) => q.statics.load(),
        AnyQuestion::Three(q) => q.statics.load(),
        AnyQuestion::Four(q) => q.statics.load(),
        AnyQuestion::Five(q) => q.statics.load(),
        AnyQuestion::Six(q) => q.statics.load(),
    }
}

/// What the loads of the scene become with some changes, less what they are.
fn difference(scene: &Scene, subject: &Subject, changes: &[String], sign: f64) -> Result<Vec<f64>, String> {
    let overrides: Vec<String> = scene.overrides.iter().chain(changes).cloned().collect();
    let mut changed = Scene::parse(&scene.text, "the scene", &overrides).map_err(|e| e.to_string())?;
    changed.files.clone_from(&scene.files);
    let other = posed(&changed, "changed")?;
    let (a, b) = (load(subject), load(&other));
    if a.len() != b.len() {
        return Err("the bodies of the scene depend on its loads: they cannot be compared".into());
    }
    Ok(a.iter().zip(b).map(|(a, b)| sign * (b - a)).collect())
}

/// The loads that are multiplied.
fn growing(scene: &Scene, built: &Built, args: &SafetyArgs, subject: &Subject) -> Result<Vec<Growing>, String> {
    let gravity: Vec<f64> = match built {
        Built::Plane(setup) => setup.model.gravity().iter().copied().collect(),
        Built::Space(setup) => setup.model.gravity().iter().copied().collect(),
    };
    let mut all = vec![];
    for name in &args.load {
        let named = scene
            .description
            .load
            .items
            .iter()
            .find(|(key, load)| key.as_deref().or(load.name.as_deref()) == Some(name));
        let Some((_, found)) = named else {
            let names: Vec<&str> =
                scene.description.load.items.iter().filter_map(|(k, l)| k.as_deref().or(l.name.as_deref())).collect();
            let there = if names.is_empty() {
                "the scene has no load".into()
            } else {
                format!("there are: {}", names.join(", "))
            };
            return Err(format!("--load {name}: no [load.{name}] in the scene; {there}"));
        };
        let zeros = |n: usize| format!("[{}]", vec!["0"; n].join(","));
        let mut changes = vec![];
        changes.extend(found.force.as_ref().map(|f| format!("load.{name}.force={}", zeros(f.len()))));
        changes.extend(found.torque.as_ref().map(|t| format!("load.{name}.torque={}", zeros(t.len()))));
        let with = difference(scene, subject, &changes, -1.0)?;
        if with.iter().all(|f| *f == 0.0) {
            return Err(format!("--load {name}: it is zero at the start, so that it has no multiple"));
        }
        all.push(Growing { name: format!("load {name}"), unit: format!("times [load.{name}]"), with });
    }
    let size = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
    if args.load.is_empty() {
        if !(size > 0.0) {
            return Err("the scene has no gravity, and no --load is named: nothing is multiplied".into());
        }
        // Across gravity: the axes that are most so.
        for axis in 0..gravity.len() {
            if gravity[axis].abs() > 0.5 * size {
                continue;
            }
            for sign in [1.0, -1.0] {
                let mut pulled = gravity.clone();
                pulled[axis] += sign * size;
                let change = format!("gravity={pulled:?}");
                let name = format!("towards {}{}", if sign > 0.0 { "+" } else { "−" }, ["x", "y", "z"][axis]);
                all.push(Growing { name, unit: "g".into(), with: difference(scene, subject, &[change], 1.0)? });
            }
        }
    }
    Ok(all)
}

struct Asked<'a, const C: usize> {
    args: &'a SafetyArgs,
    subject: &'a Subject,
    q: &'a Question<C>,
    built: &'a Built,
}

impl<const C: usize> Asked<'_, C>
where
    Statics<C>: Equilibrium<C>,
{
    fn answer(&self, growing: &[Growing]) -> Result<Answer, String> {
        let say = |e: delassus_explore::Error| e.to_string();
        // A load that is multiplied is not among those that are there anyway.
        let fixed = |g: &Growing| -> Result<Statics<C>, String> {
            match self.args.load.is_empty() {
                true => Ok(self.q.statics.clone()),
                false => {
                    let rest = self.q.statics.load().iter().zip(&g.with).map(|(f, l)| f - l).collect();
                    self.q.statics.under(rest).map_err(say)
                }
            }
        };
        let statics = &self.q.statics;
        let mut lines = vec![format!("{}: {} contacts", self.subject.name, statics.contacts())];
        let mut data = json!({ "scene": self.args.scene_name, "contacts": statics.contacts() });
        let stands = statics.any().map_err(say)?.is_some();
        lines
            .push(format!("equilibrium  {}", if stands { "possible" } else { "impossible: it cannot stand as it is" }));
        data["equilibrium"] = json!(stands);
        if !self.args.no_friction {
            let (line, value) = self.friction().map_err(say)?;
            lines.push(line);
            data["friction"] = value;
        }
        let mut limits = vec![];
        let mut worst: Option<(&Growing, Limit<C>)> = None;
        let found: Vec<Result<Option<Limit<C>>, String>> =
            growing.par_iter().map(|g| fixed(g)?.limit(&g.with).map_err(say)).collect();
        for (g, limit) in growing.iter().zip(found) {
            let limit = limit?;
            let (words, value) = match &limit {
                None => ("bears none of it".to_owned(), json!({ "name": g.name, "unit": g.unit, "largest": null })),
                Some(Limit { largest, .. }) => {
                    let words = match largest.is_finite() {
                        true => format!("bears {largest:.6} {}", g.unit),
                        false => "bears any multiple".to_owned(),
                    };
                    let number = largest.is_finite().then_some(*largest);
                    (words, json!({ "name": g.name, "unit": g.unit, "largest": number }))
                }
            };
            lines.push(format!("{:<12} {words}", g.name));
            limits.push(value);
            if let Some(limit) = limit.filter(|l| !l.mechanism.is_empty())
                && worst.as_ref().is_none_or(|(_, w)| limit.largest < w.largest)
            {
                worst = Some((g, limit));
            }
        }
        data["limits"] = json!(limits);
        if let Some(path) = &self.args.picture {
            let Some((g, limit)) = &worst else {
                return Err("no load has a limit: there is no mechanism to draw".into());
            };
            let title = format!("{}: {} {}", g.name, short(limit.largest), g.unit);
            lines.push(mechanism::draw(self.built, &limit.mechanism, &self.subject.equations, &title, path)?);
        }
        Ok(Answer { lines, data, verdict: if stands { Verdict::Solved } else { Verdict::NotSolved } })
    }

    fn friction(&self) -> Result<(String, Value), delassus_explore::Error> {
        let precision = if C == 2 { 1e-10 } else { 1e-6 };
        let given = common_friction(&self.q.statics);
        let words = match (least_friction(&self.q.statics, precision)?, given) {
            (LeastFriction::None, _) => ("needs none".into(), json!({ "least": 0.0 })),
            (LeastFriction::Factor(f), Some(mu)) => {
                let safety = if f <= 1.0 { format!(", a factor of safety of {:.4}", 1.0 / f) } else { String::new() };
                let data = json!({ "least": f * mu, "given": mu, "factor": 1.0 / f });
                (format!("needs {:.6}, is {mu}{safety}", f * mu), data)
            }
            (LeastFriction::Factor(f), None) => {
                (format!("needs {f:.6} times the given coefficients"), json!({ "factor": 1.0 / f }))
            }
            (LeastFriction::Impossible, _) => {
                ("a thousand times more would not hold it".into(), json!({ "least": null }))
            }
            (LeastFriction::Undecided(f), _) => (
                format!("{f} times the given one does not hold it; beyond there is no answer"),
                json!({ "least": null }),
            ),
            (LeastFriction::Frictionless, _) => ("no contact has any".into(), json!({ "least": null })),
        };
        Ok((format!("{:<12} {}", "friction", words.0), words.1))
    }
}
