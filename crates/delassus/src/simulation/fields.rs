//! What a run records, field by field: name, unit, meaning, how to fill it
//!
//! `bodies/*`, `nodes/*` and `restart/*` together are the state. Positions are those of the centre of
//! mass, orientations those of the principal axes, spins are in these axes in space. A field is added by
//! one line of a table.

use super::events::Memory;
use super::flow::FlowMeter;
use super::solids::SolidLook;
use super::{Error, Totals};
use delassus_contact::Vector;
use delassus_dynamics::{PointView, WORKS, Wear};
use delassus_record::{Column, Extent, Field, Frame, Kind, Run};
use delassus_rigid::{AnyContact, MEMORY, Report, State};
use delassus_scene::{Laboratory, Watched, Watching};

/// Components of a percussion in the state.
const COMPONENTS: usize = delassus_friction::laws::COMPONENTS;

/// What a frame is filled from.
pub struct Look<'a, const D: usize> {
    /// The state.
    pub state: &'a State,
    /// The report of the last step.
    pub report: &'a Report,
    /// Number of rigid bodies: the state begins with them.
    pub bodies: usize,
    /// Contacts of bodies and skins in the last step.
    pub contacts: &'a [AnyContact<D>],
    /// Points at which surfaces face each other.
    pub points: &'a [PointView<D>],
    /// Sums over the run.
    pub totals: &'a Totals,
    /// Position and velocity of the observed points of bodies.
    pub probes: &'a [[Vector<D>; 2]],
    /// Observed pairs that rub.
    pub wear: &'a [Wear],
    /// Observed flows.
    pub flows: &'a [FlowMeter<D>],
    /// The solids.
    pub solids: Option<&'a SolidLook<D>>,
    /// Force, torque, drive and value of each joint.
    pub joints: &'a [f64],
    /// Numbers of the watched quantities, one after the other.
    pub watched: &'a [f64],
    /// Who is there.
    pub present: &'a [bool],
    /// What events, sinks and feeders remember.
    pub memory: &'a Memory,
}

type Fill<const D: usize> = Box<dyn Fn(&Look<'_, D>, &mut Column) + Send>;

/// The fields of a run and how they are filled.
#[derive(Default)]
pub struct Table<const D: usize> {
    entries: Vec<(Field, Fill<D>)>,
}

impl<const D: usize> Table<D> {
    /// A field of numbers.
    pub fn add(&mut self, field: Field, fill: impl Fn(&Look<'_, D>, &mut Vec<f64>) + Send + 'static) {
        self.put(field, move |look, column| fill(look, column.f64_mut().expect("declared as f64")));
    }

    /// A number for each frame.
    pub fn number(
        &mut self,
        (name, unit, about): (impl Into<String>, &str, &str),
        fill: impl Fn(&Look<'_, D>) -> f64 + Send + 'static,
    ) {
        let field = Field::new(name, Kind::F64, 1, Extent::Scalar).with(unit, about);
        self.add(field, move |look, x| x.push(fill(look)));
    }

    /// A field of any kind.
    pub fn put(&mut self, field: Field, fill: impl Fn(&Look<'_, D>, &mut Column) + Send + 'static) {
        self.entries.push((field, Box::new(fill)));
    }

    /// The fields.
    pub fn fields(&self) -> Vec<Field> {
        self.entries.iter().map(|e| e.0.clone()).collect()
    }

    /// Fills the cleared columns of a frame.
    pub fn fill(&self, look: &Look<'_, D>, frame: &mut Frame) {
        for ((_, fill), column) in self.entries.iter().zip(&mut frame.columns) {
            fill(look, column);
        }
    }
}

/// A name as part of a path in the file.
pub fn path(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

fn sizes<const D: usize>() -> [usize; 2] {
    if D == 2 { [3, 3] } else { [7, 6] }
}

/// Places and velocities of rigid bodies.
pub fn bodies<const D: usize>(table: &mut Table<D>, count: usize) {
    let [coordinates, dofs] = sizes::<D>();
    let field = |name: &str, width| Field::new(name, Kind::F64, width, Extent::Fixed(count));
    let (turn_about, turn_unit) = match D {
        2 => ("angle", "rad"),
        _ => ("unit quaternion (w, x, y, z) of the principal axes", "1"),
    };
    let q = move |look: &Look<'_, D>, x: &mut Vec<f64>, part: std::ops::Range<usize>| {
        x.reserve_exact(part.len() * look.bodies);
        let all = look.state.q[..coordinates * look.bodies].chunks(coordinates);
        all.for_each(|q| x.extend(&q[part.clone()]));
    };
    let u = move |look: &Look<'_, D>, x: &mut Vec<f64>, part: std::ops::Range<usize>| {
        x.reserve_exact(part.len() * look.bodies);
        look.state.u[..dofs * look.bodies].chunks(dofs).for_each(|u| x.extend(&u[part.clone()]));
    };
    table.add(field("bodies/position", D).with("m", "centre of mass"), move |l, x| q(l, x, 0..D));
    let orientation = field("bodies/orientation", coordinates - D).with(turn_unit, turn_about);
    table.add(orientation, move |l, x| q(l, x, D..coordinates));
    table.add(field("bodies/velocity", D).with("m/s", "velocity of the centre of mass"), move |l, x| u(l, x, 0..D));
    let spin = field("bodies/spin", dofs - D).with("rad/s", "angular velocity, in space about the principal axes");
    table.add(spin, move |l, x| u(l, x, D..dofs));
}

/// Contacts of bodies and skins, then the points of surfaces.
pub fn contacts<const D: usize>(table: &mut Table<D>, solids: bool) {
    let field = |name: &str, kind, width| Field::new(name, kind, width, Extent::Ragged("contacts".into()));
    let floats = |name: &str, width| field(name, Kind::F64, width);
    table.put(
        field("contacts/bodies", Kind::U32, 2).with("1", "the normal points towards the first; equal at an obstacle"),
        |l, c| {
            let out = c.u32_mut().expect("declared as u32");
            out.extend(l.contacts.iter().flat_map(|c| c.contact.bodies));
            out.extend(l.points.iter().flat_map(|p| l.solids.map_or([0; 2], |s| s.bodies_of(p))));
        },
    );
    table.add(floats("contacts/point", D).with("m", "middle of the two nearest points"), |l, x| {
        l.contacts.iter().for_each(|c| x.extend(((c.contact.points[0] + c.contact.points[1]) * 0.5).iter()));
        l.points.iter().for_each(|p| x.extend(p.position.iter()));
    });
    table.add(floats("contacts/normal", D).with("1", "unit vector towards the first body"), |l, x| {
        l.contacts.iter().for_each(|c| x.extend(c.contact.frame.column(0).iter()));
        l.points.iter().for_each(|p| x.extend(p.frame.column(0).iter()));
    });
    table.add(floats("contacts/gap", 1).with("m", "distance, negative in penetration"), |l, x| {
        x.extend(l.contacts.iter().map(|c| c.contact.gap).chain(l.points.iter().map(|p| p.gap)));
    });
    table.add(floats("contacts/force", D).with("N", "mean force on the first body over the last step"), |l, x| {
        for c in l.contacts {
            let s = Vector::<D>::from_column_slice(&c.percussion[..D]);
            x.extend((c.contact.frame * s / l.report.part).iter());
        }
        l.points.iter().for_each(|p| x.extend((p.frame * p.stress * p.area).iter()));
    });
    let velocity =
        floats("contacts/velocity", D).with("m/s", "relative velocity after the step, normal first; 0 at surfaces");
    table.add(velocity, |l, x| {
        l.contacts.iter().for_each(|c| x.extend(&c.velocity[..D]));
        x.extend(std::iter::repeat_n(0.0, D * l.points.len()));
    });
    table.put(field("contacts/status", Kind::U8, 1).with("1", "0 open, 1 sticking, 2 slipping"), |l, c| {
        let status = l.contacts.iter().map(|c| c.status as u8).chain(l.points.iter().map(|p| p.status as u8));
        c.u8_mut().expect("declared as u8").extend(status);
    });
    table.put(
        field("contacts/law", Kind::U8, 1).with("1", "the law of the step, its place in model/laws/name"),
        |l, c| {
            let laws = l.contacts.iter().map(|c| c.law).chain(l.points.iter().map(|p| p.law));
            c.u8_mut().expect("declared as u8").extend(laws);
        },
    );
    let coefficient = floats("contacts/coefficient", 1).with("1", "of friction; the largest of all directions");
    table.add(coefficient, |l, x| {
        x.extend(l.contacts.iter().map(|c| c.friction).chain(l.points.iter().map(|p| p.friction)));
    });
    if !solids {
        return;
    }
    table.put(field("contacts/pair", Kind::U32, 1).with("1", "pair of surfaces, 4294967295 for none"), |l, c| {
        let pairs = l.contacts.iter().map(|_| u32::MAX).chain(l.points.iter().map(|p| p.pair));
        c.u32_mut().expect("declared as u32").extend(pairs);
    });
    table.add(floats("contacts/pressure", 1).with("Pa", "contact pressure; 0 without an area"), |l, x| {
        x.extend(l.contacts.iter().map(|_| 0.0).chain(l.points.iter().map(|p| p.stress[0])));
    });
    table.add(floats("contacts/friction", D).with("Pa", "friction stress on the slave; 0 without an area"), |l, x| {
        x.extend(std::iter::repeat_n(0.0, D * l.contacts.len()));
        for p in l.points {
            let mut stress = p.stress;
            stress[0] = 0.0;
            x.extend((p.frame * stress).iter());
        }
    });
    let semi = floats("contacts/semi_multiplier", D - 1).with("1", "friction stress over its limit, along the slip");
    table.add(semi, |l, x| {
        x.extend(std::iter::repeat_n(0.0, (D - 1) * l.contacts.len()));
        for p in l.points {
            let limit = p.friction * p.stress[0];
            x.extend((1..D).map(|k| if limit > 0.0 { -p.stress[k] / limit } else { 0.0 }));
        }
    });
    table.add(floats("contacts/area", 1).with("m2", "area of the contact point; 0 for none"), |l, x| {
        x.extend(l.contacts.iter().map(|_| 0.0).chain(l.points.iter().map(|p| p.area)));
    });
}

/// What of the normal forces of contacts is the asperities', and what the substrate's: method (16).
pub fn asperities<const D: usize>(table: &mut Table<D>, solids: bool) {
    let field = |name: &str| Field::new(name, Kind::F64, 1, Extent::Ragged("contacts".into()));
    table.add(field("contacts/asperities").with("N", "normal force of the asperities, P"), |l, x| {
        x.extend(l.contacts.iter().map(|c| c.asperities / l.report.part));
        x.extend(l.points.iter().map(|p| p.asperities * p.area));
    });
    table.add(field("contacts/substrate").with("N", "normal force of the substrate, λ"), |l, x| {
        x.extend(l.contacts.iter().map(|c| (c.percussion[0] - c.asperities) / l.report.part));
        x.extend(l.points.iter().map(|p| (p.stress[0] - p.asperities) * p.area));
    });
    if !solids {
        return;
    }
    let pressure = field("contacts/asperity_pressure").with("Pa", "share of the asperities in the pressure");
    table.add(pressure, |l, x| {
        x.extend(l.contacts.iter().map(|_| 0.0).chain(l.points.iter().map(|p| p.asperities)));
    });
    let pressure = field("contacts/substrate_pressure").with("Pa", "share of the substrate in the pressure");
    table.add(pressure, |l, x| {
        x.extend(l.contacts.iter().map(|_| 0.0).chain(l.points.iter().map(|p| p.stress[0] - p.asperities)));
    });
}

/// What contacts and links carry to the next step.
pub fn restart<const D: usize>(table: &mut Table<D>, links: Option<usize>) {
    let field = |name: &str, kind, width| Field::new(name, kind, width, Extent::Ragged("restart".into()));
    table.put(field("restart/key", Kind::U32, 4).with("1", "colliders and features of a contact"), |l, c| {
        let ids = l.state.contacts.iter().flat_map(|c| c.key.colliders.into_iter().chain(c.key.features));
        c.u32_mut().expect("declared as u32").extend(ids);
    });
    table.put(field("restart/image", Kind::I32, 3).with("1", "periodic image of the second"), |l, c| {
        c.i32_mut().expect("declared as i32").extend(l.state.contacts.iter().flat_map(|c| c.key.image));
    });
    table.add(field("restart/normal", Kind::F64, D).with("1", "normal of the last frame"), |l, x| {
        l.state.contacts.iter().for_each(|c| x.extend(&c.normal[..D]));
    });
    table.add(field("restart/tangent", Kind::F64, D).with("1", "first tangent of the last frame"), |l, x| {
        l.state.contacts.iter().for_each(|c| x.extend(&c.tangent[..D]));
    });
    let percussion = field("restart/percussion", Kind::F64, COMPONENTS);
    table.add(percussion.with("N s", "percussion of the last step, normal first"), |l, x| {
        l.state.contacts.iter().for_each(|c| x.extend(&c.percussion));
    });
    table.add(field("restart/memory", Kind::F64, MEMORY).with("1", "internal variables of the law"), |l, x| {
        l.state.contacts.iter().for_each(|c| x.extend(&c.memory));
    });
    // Where joints may come and go, their number does.
    let count = links.map_or(Extent::Ragged("links".into()), Extent::Fixed);
    let kept = Field::new("restart/links", Kind::F64, COMPONENTS, count);
    table.add(kept.with("N s", "percussions of the joints"), |l, x| l.state.links.iter().for_each(|s| x.extend(s)));
}

/// The time series of every run.
pub fn series<const D: usize>(table: &mut Table<D>) {
    table.number(("step/residual", "1", "relative residual of the laws in the last step"), |l| l.report.residual);
    table.number(("step/iterations", "1", "iterations of the last step"), |l| l.report.iterations as f64);
    table.number(("step/contacts", "1", "contacts that took part in the last step"), |l| l.report.contacts as f64);
    table.number(("step/penetration", "m", "deepest penetration of the last step"), |l| l.report.max_penetration);
    table.number(("step/joint_drift", "m", "largest defect of the joints"), |l| l.report.joint_drift);
    table.number(("step/parts", "1", "parts the last step was made in"), |l| l.report.parts as f64);
    table.number(("energy/kinetic", "J", "kinetic energy"), |l| l.totals.energy.kinetic);
    table.number(("energy/potential", "J", "potential energy of gravity and springs"), |l| l.totals.energy.potential);
    let vector = |name: &str, width| Field::new(name, Kind::F64, width, Extent::Scalar);
    table.add(vector("momentum/linear", D).with("kg m/s", "linear momentum"), |l, x| {
        x.extend(&l.report.momenta.linear[..D]);
    });
    let turns = if D == 2 { 1 } else { 3 };
    table.add(vector("momentum/angular", turns).with("kg m2/s", "angular momentum about the origin"), |l, x| {
        x.extend(&l.report.momenta.angular[if D == 2 { 2..3 } else { 0..3 }]);
    });
    for (k, (name, about)) in WORKS.iter().enumerate() {
        table.number((format!("work/{name}"), "J", about), move |l| l.totals.energy.numbers()[k]);
    }
    for (k, (name, unit, about)) in Totals::NAMES.iter().enumerate() {
        table.number((*name, unit, about), move |l| l.totals.numbers()[k]);
    }
}

/// What joints carry, in the order of `model/joints`; zero for one that is not there.
pub fn joints<const D: usize>(table: &mut Table<D>, count: usize) {
    if count == 0 {
        return;
    }
    let turns = if D == 2 { 1 } else { 3 };
    let fields = [
        ("force", D, "N", "mean force on the first body over the last step"),
        ("torque", turns, "N m", "mean torque on it, about the point of the joint"),
        ("drive", 1, "N or N m", "of motor, friction and limits, along the free motion"),
        ("value", 1, "m or rad", "angle, displacement or distance"),
    ];
    let (mut first, stride) = (0, D + turns + 2);
    for (name, width, unit, about) in fields {
        let field = Field::new(format!("joints/{name}"), Kind::F64, width, Extent::Fixed(count)).with(unit, about);
        let part = first..first + width;
        table.add(field, move |l, x| l.joints.chunks_exact(stride).for_each(|j| x.extend(&j[part.clone()])));
        first += width;
    }
}

/// Watched quantities.
pub fn watched<const D: usize>(table: &mut Table<D>, watched: &[Watched]) {
    let mut at = 0;
    for watched in watched {
        for (series, unit, about, kind) in watched.what.series() {
            let width = Watching::width(*kind, D);
            let name = format!("observe/{}/{series}", path(&watched.name));
            let field = Field::new(name, Kind::F64, width, Extent::Scalar).with(*unit, *about);
            let range = at..at + width;
            table.add(field, move |l, x| x.extend(&l.watched[range.clone()]));
            at += width;
        }
    }
}

/// Who is there, and what events, sinks and feeders remember.
pub fn memory<const D: usize>(table: &mut Table<D>, lab: &Laboratory, memory: &Memory) {
    table.number(("stage", "1", "number of the stage, from 0"), |l| l.memory.stage as f64);
    for (i, event) in lab.events.iter().enumerate() {
        let name = format!("events/{}", path(&event.name));
        table.number((name, "1", "how often the event happened so far"), move |l| l.memory.events[i].times);
    }
    for (i, sink) in lab.sinks.iter().enumerate() {
        let name = format!("sinks/{}", path(&sink.name));
        table.number((name, "1", "bodies that the sink has taken so far"), move |l| l.memory.sinks[i][0]);
    }
    let present = Field::new("bodies/present", Kind::U8, 1, Extent::Fixed(lab.present.len()));
    table.put(present.with("1", "1 where the body is there"), |l, c| {
        c.u8_mut().expect("declared as u8").extend(l.present.iter().map(|p| u8::from(*p)));
    });
    let kept = Field::new(MEMORY_OF, Kind::F64, memory.numbers().len(), Extent::Fixed(1));
    table.add(kept.with("1", "memory of stages, events, sinks and feeders"), |l, x| x.extend(l.memory.numbers()));
}

/// Name of what events, sinks and feeders remember.
pub const MEMORY_OF: &str = "restart/memory_of_events";

/// Observed points of bodies.
pub fn probes<'a, const D: usize>(table: &mut Table<D>, names: impl Iterator<Item = &'a str>) {
    for (i, name) in names.enumerate() {
        let name = path(name);
        let field = |what: &str| Field::new(format!("probes/{name}/{what}"), Kind::F64, D, Extent::Scalar);
        table.add(field("position").with("m", "an observed point"), move |l, x| x.extend(l.probes[i][0].iter()));
        table.add(field("velocity").with("m/s", "its velocity"), move |l, x| x.extend(l.probes[i][1].iter()));
    }
}

/// The state of bodies and contacts, and the sums of a frame; columns by name.
pub fn read(run: &Run, frame: usize, dimension: usize) -> Result<(State, Totals), Error> {
    let refuse = |reason: String| Error::Frame { frame, reason };
    if run.header().dimension != dimension {
        return Err(refuse(format!("the run has dimension {}, the scene {dimension}", run.header().dimension)));
    }
    let record = run.read_frame(frame)?;
    let column = |name: &str| -> Result<&Column, Error> {
        let i = run.header().position(name);
        i.map(|i| &record.columns[i]).ok_or_else(|| refuse(format!("the run has no field '{name}'")))
    };
    let numbers = |name: &str| -> Result<&[f64], Error> {
        column(name)?.f64().ok_or_else(|| refuse(format!("'{name}' is not of type float64")))
    };
    // Runs of earlier versions have fewer components.
    let width =
        |name: &str| run.header().position(name).map_or(1, |i| run.header().fields[i].width.clamp(1, COMPONENTS));
    let (turn, spin) = if dimension == 2 { (1, 1) } else { (4, 3) };
    let (q, u) = (
        interleave(numbers("bodies/position")?, dimension, numbers("bodies/orientation")?, turn),
        interleave(numbers("bodies/velocity")?, dimension, numbers("bodies/spin")?, spin),
    );
    let ids = column("restart/key")?.u32().ok_or_else(|| refuse("'restart/key' is not of type uint32".into()))?;
    let images = column("restart/image")?.i32().ok_or_else(|| refuse("'restart/image' is not of type int32".into()))?;
    let parts = [
        (numbers("restart/normal")?, dimension, 3),
        (numbers("restart/tangent")?, dimension, 3),
        (numbers("restart/percussion")?, width("restart/percussion"), COMPONENTS),
        (numbers("restart/memory")?, MEMORY, MEMORY),
    ];
    let mut wide = vec![];
    for i in 0..ids.len() / 4 {
        for (x, width, full) in parts {
            let item = x.get(width * i..width * (i + 1)).ok_or_else(|| refuse("contacts lack numbers".into()))?;
            wide.extend(item);
            wide.extend(std::iter::repeat_n(0.0, full - width));
        }
    }
    let contacts = State::contacts_from_columns(ids, images, &wide)
        .ok_or_else(|| refuse("the columns of the contacts disagree".into()))?;
    let links = numbers("restart/links")?.chunks_exact(width("restart/links"));
    let links = links.map(|l| std::array::from_fn(|k| l.get(k).copied().unwrap_or(0.0))).collect();
    let one = |name: &str| numbers(name).map(|x| x.first().copied().unwrap_or(0.0));
    let (mut works, mut totals) = ([0.0; WORKS.len()], [0.0; Totals::NAMES.len()]);
    for (work, (name, _)) in works.iter_mut().zip(&WORKS) {
        *work = one(&format!("work/{name}"))?;
    }
    for (total, (name, _, _)) in totals.iter_mut().zip(&Totals::NAMES) {
        *total = match one(name) {
            // Part of the residual in runs of format 1.
            Err(_) if *name == "worst/balance" => 0.0,
            found => found?,
        };
    }
    let state = State { step: record.step, time: record.time, q, u, contacts, links };
    let mut totals = Totals::from_numbers(&works, &totals);
    let energy = &mut totals.energy;
    (energy.kinetic, energy.potential) = (one("energy/kinetic")?, one("energy/potential")?);
    // Bodies alone have none.
    energy.strain = one("energy/strain").unwrap_or(0.0);
    Ok((state, totals))
}

/// `a` and `b` item by item.
fn interleave(a: &[f64], a_width: usize, b: &[f64], b_width: usize) -> Vec<f64> {
    a.chunks(a_width).zip(b.chunks(b_width)).flat_map(|(a, b)| a.iter().chain(b)).copied().collect()
}
