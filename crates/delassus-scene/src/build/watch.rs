//! What is observed beyond points, flows and wear, and what events may ask for.

use super::bodies::{Item, Role};
use super::forces::{Fault, Names, each};
use super::observe::Probe;
use super::place::vector;
use super::prepare::Prepared;
use crate::description::{self as says, Observe};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use delassus_contact::{Dim, Expression};
use delassus_rigid::Kinematics;

/// A quantity that is observed after every step.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// Name.
    pub name: String,
    /// What.
    pub what: Watching,
}

/// What is watched.
#[derive(Clone, Debug, PartialEq)]
pub enum Watching {
    /// Force and torque of some bodies on others.
    Force {
        /// Bodies it acts on.
        on: Vec<u32>,
        /// Bodies it comes from; `None`: all others.
        from: Option<Vec<u32>>,
        /// Point of the torque; `None`: the centre of the first.
        about: Option<[f64; 3]>,
    },
    /// Reaction of a joint, by its name.
    Joint(String),
    /// Averages in a box.
    Region {
        /// Corners.
        corners: [[f64; 3]; 2],
        /// Bodies; `None`: all that are free.
        bodies: Option<Vec<u32>>,
    },
    /// Averages in the periodic cell.
    Cell,
    /// Bodies together.
    Group(Vec<u32>),
    /// Distance of two points, or of one from its place at the start.
    Distance {
        /// Bodies.
        bodies: [u32; 2],
        /// Points in their axes.
        points: [[f64; 3]; 2],
    },
    /// A number computed from others, over the variables of [`Laboratory`] before it.
    Formula(Expression),
}

impl Watching {
    /// The series it gives: name, unit, meaning, number of components (`D`: one for each axis, `T`: torques).
    pub fn series(&self) -> &'static [(&'static str, &'static str, &'static str, char)] {
        match self {
            Self::Force { .. } => &[
                ("force", "N", "mean force over the last step", 'D'),
                ("torque", "N m", "mean torque over the last step", 'T'),
                ("contacts", "1", "contacts that carry it", '1'),
                ("friction", "W", "power of friction between the two sides, not positive", '1'),
            ],
            Self::Joint(_) => &[
                ("force", "N", "mean force on the first body over the last step", 'D'),
                ("torque", "N m", "mean torque on the first body about the joint", 'T'),
                ("drive", "N or N m", "part of motor, friction and limits along the free motion", '1'),
                ("value", "m or rad", "displacement, angle or distance", '1'),
            ],
            Self::Region { .. } => &[
                ("stress", "Pa", "stress by rows, positive in compression (N/m in the plane)", 'M'),
                ("fabric", "1", "mean of n n, by rows, over the contacts that carry a force", 'M'),
                ("fraction", "1", "solid fraction: volume of the bodies with their centre inside", '1'),
                ("coordination", "1", "neighbours that carry a force, for each body inside", '1'),
                ("count", "1", "bodies with their centre inside", '1'),
            ],
            Self::Cell => &[
                ("stress", "Pa", "stress by rows, positive in compression (N/m in the plane)", 'M'),
                ("fabric", "1", "mean of n n, by rows, over the contacts that carry a force", 'M'),
                ("fraction", "1", "solid fraction: volume of the bodies with their centre inside", '1'),
                ("coordination", "1", "neighbours that carry a force, for each body inside", '1'),
                ("count", "1", "bodies with their centre inside", '1'),
                ("size", "m", "lengths of the cell", 'D'),
                ("shear", "1", "displacement of the next image over the length of the cell", '1'),
            ],
            Self::Group(_) => &[
                ("count", "1", "bodies that are there", '1'),
                ("position", "m", "centre of mass", 'D'),
                ("velocity", "m/s", "velocity of the centre of mass", 'D'),
                ("lowest", "m", "lowest centre, along the last axis", '1'),
                ("highest", "m", "highest centre, along the last axis", '1'),
                ("speed", "m/s", "largest speed of a centre", '1'),
                ("kinetic", "J", "kinetic energy", '1'),
                ("turning", "J", "part of the rotations in it", '1'),
                ("potential", "J", "energy in gravity", '1'),
            ],
            Self::Formula(_) => &[("value", "1", "by the formula of the scene", '1')],
            Self::Distance { .. } => {
                &[("vector", "m", "from the second point to the first", 'D'), ("length", "m", "distance", '1')]
            }
        }
    }

    /// Components of a series.
    pub fn width(kind: char, dimension: usize) -> usize {
        match kind {
            'D' => dimension,
            'M' => dimension * dimension,
            'T' if dimension == 3 => 3,
            _ => 1,
        }
    }
}

/// A number that conditions may use.
#[derive(Clone, Debug, PartialEq)]
pub enum Variable {
    /// Of the step: by its place in [`Variable::GENERAL`].
    General(usize),
    /// Observed point `.0`: position or velocity `.1`, axis `.2`.
    Point(usize, usize, usize),
    /// Watched quantity `.0`: its number `.1`.
    Watched(usize, usize),
    /// Bodies that a sink has taken, and the time since the last of them.
    Sink(usize, usize),
}

impl Variable {
    /// Names that every condition knows.
    pub const GENERAL: [&'static str; 12] = [
        "t",
        "start",
        "step",
        "kinetic",
        "potential",
        "speed",
        "contacts",
        "residual",
        "penetration",
        "flagged",
        "bodies",
        "drift",
    ];
}

/// An event.
#[derive(Clone, Debug)]
pub struct EventSetup {
    /// Name.
    pub name: String,
    /// The condition, over the variables of [`Laboratory`](super::Laboratory).
    pub condition: delassus_contact::Expression,
    /// How long it must hold \[s\].
    pub lasting: f64,
    /// Not before this time of the stage \[s\].
    pub after: f64,
    /// The stage; `None`: all.
    pub stage: Option<String>,
    /// More than once.
    pub again: bool,
    /// Ends the run.
    pub stop: bool,
    /// Goes on to the next stage.
    pub next: bool,
    /// Changes.
    pub change: crate::Change,
}

/// A box that takes bodies away.
#[derive(Clone, Debug, PartialEq)]
pub struct SinkSetup {
    /// Name.
    pub name: String,
    /// Corners \[m\].
    pub corners: [[f64; 3]; 2],
    /// Whether they enter again.
    pub again: bool,
}

/// Bodies that enter.
#[derive(Clone, Debug, PartialEq)]
pub struct FeederSetup {
    /// Name.
    pub name: String,
    /// The bodies, in order.
    pub bodies: Vec<u32>,
    /// Time between two entries \[s\].
    pub every: f64,
    /// First entry \[s\].
    pub from: f64,
    /// Bodies of an entry.
    pub count: usize,
}

/// Everything of this file, resolved.
#[derive(Clone, Debug, Default)]
pub struct Laboratory {
    /// Watched quantities.
    pub watched: Vec<Watched>,
    /// What conditions may use: names and where they come from.
    pub variables: Vec<(String, Variable)>,
    /// Events.
    pub events: Vec<EventSetup>,
    /// Sinks.
    pub sinks: Vec<SinkSetup>,
    /// Feeders.
    pub feeders: Vec<FeederSetup>,
    /// Who of the bodies is there.
    pub present: Vec<bool>,
    /// Who is not there and moves freely when it comes.
    pub later: Vec<bool>,
    /// Joints of all stages by name, those of servos after them.
    pub joints: Vec<String>,
    /// Springs of rigid bodies by name, in the order of the model.
    pub springs: Vec<String>,
    /// Whether the model may change while it runs.
    pub changes: bool,
}

/// Resolves names, reads conditions.
pub(crate) fn build<const D: usize>(
    scene: &Scene,
    prepared: &Prepared<D>,
    probes: &[Probe],
    diagnostics: &mut Diagnostics,
) -> Laboratory
where
    Dim<D>: Kinematics<D>,
{
    let names = Names::new(prepared);
    let later = |i: &Item| !i.present && i.part == Role::Free;
    let mut lab = Laboratory {
        present: prepared.items.iter().map(|i| i.present).collect(),
        later: prepared.items.iter().map(later).collect(),
        ..Default::default()
    };
    lab.changes = scene.is_laboratory();
    lab.joints = scene.cast.joints.to_vec();
    for (path, name, observe) in each("observe", &scene.description.observe) {
        match watching(scene, &names, observe) {
            Ok(None) => {}
            Ok(Some(what)) => lab.watched.push(Watched { name, what }),
            Err(fault) => names.report(scene, &path, fault, diagnostics),
        }
    }
    let springs = each("spring", &scene.description.spring);
    lab.springs = springs.filter(|x| names.there(x.2.bodies.as_deref().unwrap_or_default())).map(|x| x.1).collect();
    for (path, name, sink) in each("sink", &scene.description.sink) {
        match corners::<D>(&sink.from, &sink.to) {
            Ok(corners) => lab.sinks.push(SinkSetup { name, corners, again: sink.again }),
            Err(fault) => names.report(scene, &path, fault, diagnostics),
        }
    }
    for (path, name, feeder) in each("feeder", &scene.description.feeder) {
        match names.several(feeder.bodies.iter()) {
            Ok(bodies) => {
                let (every, from, count) = (feeder.every, feeder.from, feeder.count as usize);
                lab.feeders.push(FeederSetup { name, bodies, every, from, count });
            }
            Err(problem) => names.report(scene, &path, ("bodies", problem), diagnostics),
        }
    }
    if !scene.description.arlequin.items.is_empty() && scene.is_laboratory() {
        let what = "stages, feeders, sinks and events that change something are for scenes without superposed models";
        scene.error(diagnostics, &crate::tree::Path::of(&["arlequin"]), Problem::Inconsistent { what: what.into() });
    }
    lab.variables = variables::<D>(&lab, probes);
    formulas::<D>(scene, &mut lab, probes, diagnostics);
    events(scene, &names, &mut lab, diagnostics);
    lab
}

/// Numbers computed from others, each over those before it.
fn formulas<const D: usize>(scene: &Scene, lab: &mut Laboratory, probes: &[Probe], diagnostics: &mut Diagnostics) {
    for (path, name, observe) in each("observe", &scene.description.observe) {
        let Observe::Formula(formula) = observe else { continue };
        let known: Vec<&str> = lab.variables.iter().map(|v| v.0.as_str()).collect();
        match scene.parameters.expression_of_names(&formula.value, &known) {
            Ok(made) => {
                lab.watched.push(Watched { name, what: Watching::Formula(made) });
                // Those before keep their places.
                let sinks = lab.variables.len() - 2 * lab.sinks.len();
                let new = variables::<D>(lab, probes).into_iter().nth(sinks);
                lab.variables.extend(new);
            }
            Err(problem) => drop(scene.error(diagnostics, &path.at("value"), problem)),
        }
    }
}

fn events<const D: usize>(scene: &Scene, names: &Names<'_, D>, lab: &mut Laboratory, diagnostics: &mut Diagnostics)
where
    Dim<D>: Kinematics<D>,
{
    let known: Vec<&str> = lab.variables.iter().map(|v| v.0.as_str()).collect();
    for (path, name, when) in each("when", &scene.description.when) {
        if let Err(problem) = names.several(when.remove.iter().map(String::as_str)) {
            names.report(scene, &path, ("remove", problem), diagnostics);
        }
        if !compares(&when.condition) {
            let what = format!("`{}` is a number, which is no condition", when.condition.trim());
            let told = scene.error(diagnostics, &path.at("if"), Problem::Inconsistent { what });
            told.help("compare it, as in \"t > 1\"; conditions are joined by `and`, `or`, `not`");
            continue;
        }
        match scene.parameters.expression_of_names(&when.condition, &known) {
            Ok(condition) => lab.events.push(EventSetup {
                name,
                condition,
                lasting: when.lasting,
                after: when.after,
                stage: when.stage.clone(),
                again: when.again,
                stop: when.stop,
                next: when.next,
                change: crate::Change {
                    remove: when.remove.clone(),
                    release: when.release.clone(),
                    set: when.set.clone(),
                },
            }),
            Err(problem) => drop(scene.error(diagnostics, &path.at("if"), problem)),
        }
    }
}

/// Whether an expression can be meant as a condition: it compares, or is the name of a number that is 1 or 0.
fn compares(text: &str) -> bool {
    let word = |w: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|x| x == w);
    let name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let text = text.trim();
    text.contains(['<', '>', '=', '!'])
        || ["and", "or", "not"].iter().any(|w| word(w))
        || text.starts_with(char::is_alphabetic) && text.chars().all(name)
}

/// Names of numbers, in the order in which they are filled.
fn variables<const D: usize>(lab: &Laboratory, probes: &[Probe]) -> Vec<(String, Variable)> {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let mut all: Vec<(String, Variable)> =
        Variable::GENERAL.iter().enumerate().map(|(i, n)| ((*n).to_owned(), Variable::General(i))).collect();
    for (i, probe) in probes.iter().enumerate() {
        for (k, what) in ["position", "velocity"].into_iter().enumerate() {
            let axis = |a: usize| (format!("{}.{what}.{}", probe.name, AXES[a]), Variable::Point(i, k, a));
            all.extend((0..D).map(axis));
        }
    }
    for (i, watched) in lab.watched.iter().enumerate() {
        let mut at = 0;
        for (series, _, _, kind) in watched.what.series() {
            let name = format!("{}.{series}", watched.name);
            let width = Watching::width(*kind, D);
            for k in 0..width {
                let part = match kind {
                    'D' => format!("{name}.{}", AXES[k]),
                    'T' if D == 3 => format!("{name}.{}", AXES[k]),
                    'M' => format!("{name}.{}{}", AXES[k / D], AXES[k % D]),
                    _ => name.clone(),
                };
                all.push((part, Variable::Watched(i, at + k)));
            }
            at += width;
        }
    }
    for (i, sink) in lab.sinks.iter().enumerate() {
        all.push((format!("{}.taken", sink.name), Variable::Sink(i, 0)));
        all.push((format!("{}.idle", sink.name), Variable::Sink(i, 1)));
    }
    all
}

fn three<const D: usize>(key: &'static str, values: &[f64]) -> Result<[f64; 3], Fault> {
    let v = vector::<D>(key, values).map_err(|p| (key, p))?;
    Ok(std::array::from_fn(|k| if k < D { v[k] } else { 0.0 }))
}

fn corners<const D: usize>(from: &[f64], to: &[f64]) -> Result<[[f64; 3]; 2], Fault> {
    let (from, to) = (three::<D>("from", from)?, three::<D>("to", to)?);
    match (0..D).find(|k| !(from[*k] < to[*k])) {
        Some(k) => {
            let what = format!("`to` = {} must be above `from` = {} along axis {}", to[k], from[k], k + 1);
            Err(("to", Problem::Inconsistent { what }))
        }
        None => Ok([from, to]),
    }
}

fn watching<const D: usize>(scene: &Scene, names: &Names<D>, says: &Observe) -> Result<Option<Watching>, Fault>
where
    Dim<D>: Kinematics<D>,
{
    Ok(Some(match says {
        Observe::Force(f) => Watching::Force {
            on: names.several(f.on.iter()).map_err(|p| ("on", p))?,
            from: f.from.as_ref().map(|x| names.several(x.iter())).transpose().map_err(|p| ("from", p))?,
            about: f.about.as_ref().map(|p| three::<D>("about", p)).transpose()?,
        },
        Observe::Joint(j) => {
            let servo = j.joint.strip_prefix("servo ").map(str::to_owned);
            let known = match &servo {
                Some(name) => each("servo", &scene.description.servo).any(|s| s.1 == *name),
                None => each("joint", &scene.description.joint).any(|s| s.1 == j.joint),
            };
            if !known {
                return Err(("joint", Problem::Inconsistent { what: format!("there is no joint `{}`", j.joint) }));
            }
            Watching::Joint(j.joint.clone())
        }
        Observe::Region(r) => Watching::Region {
            corners: corners::<D>(&r.from, &r.to)?,
            bodies: r.bodies.as_ref().map(|b| names.several(b.iter())).transpose().map_err(|p| ("bodies", p))?,
        },
        Observe::Cell(_) => {
            let periodic = scene.description.periodic.as_ref().map_or([None; 3], |p| [p.x, p.y, p.z]);
            if periodic[..D].iter().any(Option::is_none) {
                let what = "a cell is observed in a scene that is periodic along all axes: give `[periodic]`";
                return Err(("kind", Problem::Inconsistent { what: what.to_owned() }));
            }
            Watching::Cell
        }
        Observe::Group(g) => Watching::Group(names.several(g.bodies.iter()).map_err(|p| ("bodies", p))?),
        Observe::Distance(d) => distance(names, d)?,
        _ => return Ok(None),
    }))
}

fn distance<const D: usize>(names: &Names<D>, says: &says::DistanceOf) -> Result<Watching, Fault>
where
    Dim<D>: Kinematics<D>,
{
    let body = |k: usize| names.body(&says.bodies[k]).map_err(|(_, p)| ("bodies", p));
    let bodies = [body(0)?, if says.bodies.len() > 1 { body(1)? } else { u32::MAX }];
    let mut points = [[0.0; 3]; 2];
    for (point, given) in points.iter_mut().zip(says.points.iter().flatten()) {
        *point = three::<D>("points", given)?;
    }
    Ok(Watching::Distance { bodies, points })
}

impl Scene {
    /// Whether the model may change while it runs.
    pub fn is_laboratory(&self) -> bool {
        let changes = |w: &says::When| w.next || !w.remove.is_empty() || !w.release.is_empty() || !w.set.is_empty();
        let d = &self.description;
        self.cast.staged
            || !d.feeder.items.is_empty()
            || !d.sink.items.is_empty()
            || d.when.items.iter().any(|(_, w)| changes(w))
    }

    /// Bodies with the prints of their places and motions.
    pub fn prints(&self) -> std::collections::HashMap<String, [u64; 2]> {
        let items = super::bodies::items(self, &mut Diagnostics::default());
        items.into_iter().map(|i| (i.name.clone(), i.prints())).collect()
    }

    /// Joints and springs that hold their bodies as those of the scene before do.
    pub fn holds_as(&self, before: &Self) -> (Vec<String>, Vec<String>) {
        let joint = |j: &says::Joint| format!("{:?} {:?} {:?} {:?} {:?}", j.kind, j.bodies, j.at, j.to, j.axis);
        let spring = |s: &says::Spring| format!("{:?} {:?} {:?} {:?}", s.bodies, s.from, s.to, s.rest);
        let servo = |s: &says::Servo| format!("{:?} {:?}", s.body, s.axis);
        let (d, b) = (&self.description, &before.description);
        let mut joints = common(&joint, ("joint", &d.joint), &b.joint);
        joints.extend(common(&servo, ("servo", &d.servo), &b.servo).into_iter().map(|n| format!("servo {n}")));
        (joints, common(&spring, ("spring", &d.spring), &b.spring))
    }
}

fn common<T: super::forces::Labelled>(
    print: &dyn Fn(&T) -> String,
    (key, now): (&str, &says::Named<T>),
    before: &says::Named<T>,
) -> Vec<String> {
    let old: Vec<(String, String)> = each(key, before).map(|x| (x.1, print(x.2))).collect();
    each(key, now).map(|x| (x.1, print(x.2))).filter(|x| old.contains(x)).map(|x| x.0).collect()
}
