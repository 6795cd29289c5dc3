//! What a run of rigid bodies records, field by field
//!
//! `bodies/*` and `restart/*` together are the state. Positions are those of the centre of
//! mass, orientations those of the principal axes, spins are in these axes in space.

use super::{Error, Totals};
use delassus_record::{Column, Extent, Field, Frame, Kind, Run};
use delassus_rigid::{AnyContact, MEMORY, Report, State};

/// Components of a percussion in the state.
const COMPONENTS: usize = delassus_friction::laws::COMPONENTS;

/// Sizes the fields depend on.
pub struct Sizes {
    /// Dimension of space.
    pub dimension: usize,
    /// Bodies.
    pub bodies: usize,
    /// Blocks of joints.
    pub links: usize,
    /// Names of the observed points.
    pub probes: Vec<String>,
}

/// The scalars of a frame: name, unit, meaning.
const SERIES: [(&str, &str, &str); 9] = [
    ("step/residual", "1", "relative residual of the laws in the last step"),
    ("step/iterations", "1", "iterations of the last step"),
    ("step/contacts", "1", "contacts that took part in the last step"),
    ("step/penetration", "m", "deepest penetration at the middle of the last step"),
    ("step/joint_drift", "m", "largest defect of the joints"),
    ("energy/kinetic", "J", "kinetic energy"),
    ("energy/potential", "J", "potential energy of gravity and springs, strain energy of solids"),
    ("momentum/linear", "kg m/s", "linear momentum"),
    ("momentum/angular", "kg m2/s", "angular momentum about the origin"),
];

/// The sums over the run, in the order of [`Totals::numbers`].
const TOTALS: [(&str, &str, &str); Totals::NUMBERS] = [
    ("work/external", "J", "work of loads, motors and obstacles since the start"),
    ("work/friction", "J", "work of friction since the start"),
    ("work/shock", "J", "work of normal percussions since the start"),
    ("work/bonds", "J", "work of cohesion and adhesion since the start"),
    ("work/correction", "J", "energy brought by position corrections since the start"),
    ("work/numerical", "J", "work that vanishes with the step, since the start"),
    ("work/closing", "J", "what is left of the energy balance, summed"),
    ("worst/residual", "1", "largest relative residual of a step so far"),
    ("worst/penetration", "m", "deepest penetration so far"),
    ("count/flagged", "1", "steps above the tolerance so far"),
    ("count/retried", "1", "steps made again in smaller ones so far"),
    ("count/handed_over", "1", "steps in which another solver took over so far"),
];

/// The fields, in the order in which [`write`] fills them.
pub fn fields(sizes: &Sizes) -> Vec<Field> {
    let d = sizes.dimension;
    let (turn, spin) = if d == 2 { (1, 1) } else { (4, 3) };
    let bodies = |name: &str, width| Field::new(name, Kind::F64, width, Extent::Fixed(sizes.bodies));
    let ragged = |name: &str, kind, width, group: &str| Field::new(name, kind, width, Extent::Ragged(group.into()));
    let contact = |name: &str, width| ragged(name, Kind::F64, width, "contacts");
    let kept = |name: &str, kind, width| ragged(name, kind, width, "restart");
    let turn_about = if d == 2 { "angle" } else { "unit quaternion (w, x, y, z) of the principal axes" };
    let turn_unit = if d == 2 { "rad" } else { "1" };
    let mut all = vec![
        bodies("bodies/position", d).with("m", "centre of mass"),
        bodies("bodies/orientation", turn).with(turn_unit, turn_about),
        bodies("bodies/velocity", d).with("m/s", "velocity of the centre of mass"),
        bodies("bodies/spin", spin).with("rad/s", "angular velocity, in space about the principal axes"),
        ragged("contacts/bodies", Kind::U32, 2, "contacts").with("1", "the normal points towards the first"),
        contact("contacts/point", d).with("m", "middle of the two nearest points"),
        contact("contacts/normal", d).with("1", "unit vector towards the first body"),
        contact("contacts/gap", 1).with("m", "distance, negative in penetration"),
        contact("contacts/force", d).with("N", "mean force on the first body over the last step"),
        contact("contacts/velocity", d).with("m/s", "relative velocity after the step, normal first"),
        ragged("contacts/status", Kind::U8, 1, "contacts").with("1", "0 open, 1 sticking, 2 slipping"),
        kept("restart/key", Kind::U32, 4).with("1", "colliders and features of a contact"),
        kept("restart/image", Kind::I32, 3).with("1", "periodic image of the second"),
        kept("restart/normal", Kind::F64, d).with("1", "normal of the last frame"),
        kept("restart/tangent", Kind::F64, d).with("1", "first tangent of the last frame"),
        kept("restart/percussion", Kind::F64, COMPONENTS).with("N s", "percussion of the last step, normal first"),
        kept("restart/memory", Kind::F64, MEMORY).with("1", "internal variables of the law"),
        Field::new("restart/links", Kind::F64, COMPONENTS, Extent::Fixed(sizes.links))
            .with("N s", "percussions of the joints"),
    ];
    for (name, unit, about) in SERIES.iter().chain(&TOTALS) {
        let width = match *name {
            "momentum/linear" => d,
            "momentum/angular" if d == 3 => 3,
            _ => 1,
        };
        all.push(Field::new(*name, Kind::F64, width, Extent::Scalar).with(*unit, *about));
    }
    for name in &sizes.probes {
        let name = path(name);
        let field = |what: &str| Field::new(format!("probes/{name}/{what}"), Kind::F64, d, Extent::Scalar);
        all.push(field("position").with("m", "an observed point"));
        all.push(field("velocity").with("m/s", "its velocity"));
    }
    all
}

/// A name as part of a path in the file.
pub fn path(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

/// What one frame is filled from.
pub struct Source<'a, const D: usize> {
    /// The state.
    pub state: &'a State,
    /// Number of rigid bodies: the state begins with them.
    pub bodies: usize,
    /// The contacts of the last step.
    pub contacts: &'a [AnyContact<D>],
    /// The report of the last step.
    pub report: &'a Report,
    /// Kinetic and potential energy.
    pub energy: [f64; 2],
    /// Sums over the run.
    pub totals: &'a Totals,
    /// Position and velocity of the observed points.
    pub probes: &'a [[delassus_contact::Vector<D>; 2]],
}

/// Fills the cleared columns in the order of [`fields`].
pub fn write<const D: usize>(source: &Source<D>, frame: &mut Frame) {
    let mut columns = frame.columns.iter_mut();
    let mut next = || columns.next().expect("the frame was made from these fields");
    let (state, h) = (source.state, source.report.h);
    let (coordinates, dofs) = if D == 2 { (3, 3) } else { (7, 6) };
    let floats = |column: &mut Column, fill: &mut dyn FnMut(&mut Vec<f64>)| {
        fill(column.f64_mut().expect("declared as f64"));
    };
    let (q, u) = (&state.q[..coordinates * source.bodies], &state.u[..dofs * source.bodies]);
    floats(next(), &mut |x| q.chunks(coordinates).for_each(|q| x.extend(&q[..D])));
    floats(next(), &mut |x| q.chunks(coordinates).for_each(|q| x.extend(&q[D..])));
    floats(next(), &mut |x| u.chunks(dofs).for_each(|u| x.extend(&u[..D])));
    floats(next(), &mut |x| u.chunks(dofs).for_each(|u| x.extend(&u[D..])));
    let contacts = source.contacts;
    next().u32_mut().expect("declared as u32").extend(contacts.iter().flat_map(|c| c.contact.bodies));
    floats(next(), &mut |x| {
        contacts.iter().for_each(|c| x.extend(((c.contact.points[0] + c.contact.points[1]) * 0.5).iter()));
    });
    floats(next(), &mut |x| contacts.iter().for_each(|c| x.extend(c.contact.frame.column(0).iter())));
    floats(next(), &mut |x| x.extend(contacts.iter().map(|c| c.contact.gap)));
    floats(next(), &mut |x| {
        for c in contacts {
            let s = delassus_contact::Vector::<D>::from_column_slice(&c.percussion[..D]);
            x.extend((c.contact.frame * s / h).iter());
        }
    });
    floats(next(), &mut |x| contacts.iter().for_each(|c| x.extend(&c.velocity[..D])));
    next().u8_mut().expect("declared as u8").extend(contacts.iter().map(|c| c.status as u8));
    let kept = &state.contacts;
    let ids = kept.iter().flat_map(|c| c.key.colliders.into_iter().chain(c.key.features));
    next().u32_mut().expect("declared as u32").extend(ids);
    next().i32_mut().expect("declared as i32").extend(kept.iter().flat_map(|c| c.key.image));
    floats(next(), &mut |x| kept.iter().for_each(|c| x.extend(&c.normal[..D])));
    floats(next(), &mut |x| kept.iter().for_each(|c| x.extend(&c.tangent[..D])));
    floats(next(), &mut |x| kept.iter().for_each(|c| x.extend(&c.percussion)));
    floats(next(), &mut |x| kept.iter().for_each(|c| x.extend(&c.memory)));
    floats(next(), &mut |x| state.links.iter().for_each(|l| x.extend(l)));
    let r = source.report;
    let [kinetic, potential] = source.energy;
    let numbers = [r.residual, r.iterations as f64, r.contacts as f64, r.max_penetration, r.joint_drift];
    for value in numbers.into_iter().chain([kinetic, potential]) {
        floats(next(), &mut |x| x.push(value));
    }
    floats(next(), &mut |x| x.extend(&r.momenta.linear[..D]));
    let angular = if D == 2 { &r.momenta.angular[2..] } else { &r.momenta.angular[..] };
    floats(next(), &mut |x| x.extend(angular));
    for value in source.totals.numbers() {
        floats(next(), &mut |x| x.push(value));
    }
    for vector in source.probes.iter().flatten() {
        floats(next(), &mut |x| x.extend(vector.iter()));
    }
}

/// The state and the sums of a frame.
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
        (numbers("restart/percussion")?, COMPONENTS, COMPONENTS),
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
    let links = numbers("restart/links")?.chunks_exact(COMPONENTS);
    let links = links.map(|l| std::array::from_fn(|k| l[k])).collect();
    let mut totals = [0.0; Totals::NUMBERS];
    for (total, (name, _, _)) in totals.iter_mut().zip(&TOTALS) {
        *total = numbers(name)?.first().copied().unwrap_or(0.0);
    }
    Ok((State { step: record.step, time: record.time, q, u, contacts, links }, Totals::from_numbers(&totals)))
}

/// `a` and `b` item by item.
fn interleave(a: &[f64], a_width: usize, b: &[f64], b_width: usize) -> Vec<f64> {
    a.chunks(a_width).zip(b.chunks(b_width)).flat_map(|(a, b)| a.iter().chain(b)).copied().collect()
}
