//! What a run of deformable solids records, field by field
//!
//! `nodes/displacement`, `nodes/velocity`, `nodes/acceleration` and `restart/*` together are
//! the state. Nodes are those of all solids, one solid after the other.

use super::fields::path;
use super::solids::number;
use super::{Error, Totals};
use delassus_fem::analysis::{ContactView, Ledger, Report, State};
use delassus_fem::solid::CellFields;
use delassus_record::{Column, Extent, Field, Frame, Kind, Run};
use delassus_scene::SolidProbe;

/// Sizes the fields depend on.
pub struct Sizes {
    /// Dimension of space.
    pub dimension: usize,
    /// Nodes.
    pub nodes: usize,
    /// Internal variables.
    pub history: usize,
    /// Names of the contact pairs.
    pub pairs: Vec<String>,
    /// Names of the observed points.
    pub probes: Vec<String>,
}

/// The series of a frame: name, unit, meaning.
const SERIES: [(&str, &str, &str); 22] = [
    ("step/residual", "1", "relative residual of the contact laws in the last step"),
    ("step/balance", "1", "relative residual of the balance in the last step"),
    ("step/newton", "1", "Newton iterations of the last step"),
    ("step/statuses", "1", "sets of statuses tried in the last step"),
    ("step/thresholds", "1", "friction thresholds tried in the last step"),
    ("step/pairings", "1", "pairings of surfaces in the last step"),
    ("step/parts", "1", "parts the last step was made in"),
    ("step/contacts", "1", "contact points that are closed"),
    ("step/sliding", "1", "contact points that slide"),
    ("step/penetration", "m", "deepest penetration"),
    ("step/approach", "m/s", "largest relative normal velocity of closed contact points"),
    ("energy/kinetic", "J", "kinetic energy"),
    ("energy/strain", "J", "stored energy"),
    ("work/external", "J", "work of loads, gravity and supports since the start"),
    ("work/contact", "J", "work of normal contact forces since the start"),
    ("work/friction", "J", "work of friction since the start"),
    ("work/plastic", "J", "dissipated by plasticity since the start"),
    ("work/viscous", "J", "dissipated by viscosity since the start"),
    ("work/numerical", "J", "work of the scheme since the start"),
    ("work/closing", "J", "what is left of the energy balance, summed"),
    ("worst/residual", "1", "largest relative residual of a step so far"),
    ("worst/penetration", "m", "deepest penetration so far"),
];

/// Counters, after the series.
const COUNTS: [(&str, &str, &str); 2] = [
    ("count/flagged", "1", "steps above the tolerance so far"),
    ("count/retried", "1", "steps made again in smaller ones so far"),
];

/// The fields, in the order in which [`write`] fills them.
pub fn fields(sizes: &Sizes) -> Vec<Field> {
    let d = sizes.dimension;
    let node = |name: &str, width| Field::new(format!("nodes/{name}"), Kind::F64, width, Extent::Fixed(sizes.nodes));
    let ragged = |name: &str, kind, width, group: &str| Field::new(name, kind, width, Extent::Ragged(group.into()));
    let contact = |name: &str, width| ragged(name, Kind::F64, width, "contacts");
    let tensor = "xx, yy, zz, xy, yz, zx";
    let mut all = vec![
        node("displacement", d).with("m", "displacement"),
        node("velocity", d).with("m/s", "velocity"),
        node("acceleration", d).with("m/s2", "acceleration that the next step begins with"),
        node("contact_normal", d).with("N", "normal contact force"),
        node("contact_tangential", d).with("N", "friction force"),
        Field::new("restart/history", Kind::F64, 1, Extent::Fixed(sizes.history)).with("1", "internal variables"),
        ragged("restart/multipliers", Kind::F64, 1, "multipliers").with("Pa", "multipliers of the contact pairs"),
        node("stress", 6).with("Pa", format!("Cauchy stress: {tensor}")),
        node("strain", 6).with("1", format!("strain, Green's in finite strain: {tensor}")),
        node("von_mises", 1).with("Pa", "von Mises stress"),
        node("plastic_strain", 1).with("1", "accumulated plastic strain"),
        ragged("contacts/pair", Kind::U32, 1, "contacts").with("1", "contact pair"),
        contact("contacts/point", d).with("m", "place of the contact point"),
        contact("contacts/normal", d).with("1", "unit vector towards the slave"),
        contact("contacts/gap", 1).with("m", "distance, negative in penetration"),
        contact("contacts/pressure", 1).with("Pa", "contact pressure"),
        contact("contacts/friction", d).with("Pa", "friction stress on the slave"),
        contact("contacts/semi_multiplier", d - 1).with("1", "friction stress over its limit, along the slip"),
        contact("contacts/area", 1).with("m2", "area of the contact point"),
        ragged("contacts/status", Kind::U8, 1, "contacts").with("1", "0 open, 1 sticking, 2 slipping"),
    ];
    let scalar = |name: String, width| Field::new(name, Kind::F64, width, Extent::Scalar);
    for (name, unit, about) in SERIES.iter().chain(&COUNTS) {
        all.push(scalar((*name).into(), 1).with(*unit, *about));
    }
    all.push(scalar("momentum/linear".into(), d).with("kg m/s", "linear momentum"));
    let turns = if d == 2 { 1 } else { 3 };
    all.push(scalar("momentum/angular".into(), turns).with("kg m2/s", "angular momentum about the origin"));
    for name in &sizes.pairs {
        let field = |what: &str, width| scalar(format!("contact/{}/{what}", path(name)), width);
        all.push(field("normal_force", 1).with("N", "sum of pressure times area"));
        all.push(field("tangential_force", d).with("N", "sum of the friction forces on the slave"));
        all.push(field("highest_pressure", 1).with("Pa", "highest contact pressure"));
        all.push(field("closed", 1).with("1", "contact points that are closed"));
    }
    for name in &sizes.probes {
        let field = |what: &str, width| scalar(format!("probes/{}/{what}", path(name)), width);
        all.push(field("displacement", d).with("m", "mean displacement of the observed nodes"));
        all.push(field("velocity", d).with("m/s", "their mean velocity"));
        all.push(field("contact_force", d).with("N", "sum of the contact forces on them"));
        all.push(field("von_mises", 1).with("Pa", "their mean von Mises stress"));
        all.push(field("plastic_strain", 1).with("1", "their mean plastic strain"));
    }
    all
}

/// What one frame is filled from.
pub struct Source<'a> {
    /// The state.
    pub state: &'a State,
    /// The report of the last step.
    pub report: &'a Report,
    /// Energies, and works since the start.
    pub ledger: &'a Ledger,
    /// Sums over the run.
    pub totals: &'a Totals,
    /// The contact points of the last step.
    pub contacts: &'a [ContactView],
    /// Stresses of the parts.
    pub stress: &'a [CellFields],
    /// The observed nodes.
    pub probes: &'a [SolidProbe],
}

/// Fills the cleared columns in the order of [`fields`].
pub fn write(source: &Source, sizes: &Sizes, frame: &mut Frame) {
    let mut columns = frame.columns.iter_mut();
    let mut next = || columns.next().expect("the frame was made from these fields");
    let floats = |column: &mut Column, fill: &mut dyn FnMut(&mut Vec<f64>)| {
        fill(column.f64_mut().expect("declared as f64"));
    };
    let (state, d) = (source.state, sizes.dimension);
    let kept = [&state.u, &state.v, &state.a, &state.contact[0], &state.contact[1], &state.history, &state.multipliers];
    for numbers in kept {
        floats(next(), &mut |x| x.extend(numbers));
    }
    floats(next(), &mut |x| source.stress.iter().for_each(|s| x.extend(s.nodal_stress.iter().flatten())));
    floats(next(), &mut |x| source.stress.iter().for_each(|s| x.extend(s.nodal_strain.iter().flatten())));
    floats(next(), &mut |x| source.stress.iter().for_each(|s| x.extend(&s.nodal_von_mises)));
    floats(next(), &mut |x| source.stress.iter().for_each(|s| x.extend(&s.nodal_plastic_strain)));
    let contacts = source.contacts;
    next().u32_mut().expect("declared as u32").extend(contacts.iter().map(|c| c.pair));
    floats(next(), &mut |x| contacts.iter().for_each(|c| x.extend(&c.position[..d])));
    floats(next(), &mut |x| contacts.iter().for_each(|c| x.extend(&c.normal[..d])));
    floats(next(), &mut |x| x.extend(contacts.iter().map(|c| c.gap)));
    floats(next(), &mut |x| x.extend(contacts.iter().map(|c| c.pressure)));
    floats(next(), &mut |x| contacts.iter().for_each(|c| x.extend(&c.friction[..d])));
    floats(next(), &mut |x| contacts.iter().for_each(|c| x.extend(&c.semi[..d - 1])));
    floats(next(), &mut |x| x.extend(contacts.iter().map(|c| c.area)));
    next().u8_mut().expect("declared as u8").extend(contacts.iter().map(|c| number(c.status)));
    for value in series(source) {
        floats(next(), &mut |x| x.push(value));
    }
    floats(next(), &mut |x| x.extend(&source.report.linear[..d]));
    let angular = if d == 2 { &source.report.angular[2..] } else { &source.report.angular[..] };
    floats(next(), &mut |x| x.extend(angular));
    for pair in 0..sizes.pairs.len() as u32 {
        let mine = || contacts.iter().filter(move |c| c.pair == pair);
        floats(next(), &mut |x| x.push(mine().map(|c| c.pressure * c.area).fold(0.0, |a, b| a + b)));
        floats(next(), &mut |x| {
            x.extend((0..d).map(|k| mine().map(|c| c.friction[k] * c.area).fold(0.0, |a, b| a + b)))
        });
        floats(next(), &mut |x| x.push(mine().map(|c| c.pressure).fold(0.0, f64::max)));
        floats(next(), &mut |x| x.push(mine().filter(|c| number(c.status) > 0).count() as f64));
    }
    let mises: Vec<f64> = source.stress.iter().flat_map(|s| s.nodal_von_mises.iter().copied()).collect();
    let plastic: Vec<f64> = source.stress.iter().flat_map(|s| s.nodal_plastic_strain.iter().copied()).collect();
    for probe in source.probes {
        let share = 1.0 / probe.nodes.len().max(1) as f64;
        let sum = |field: &[f64], k: usize| probe.nodes.iter().map(|n| field[d * *n as usize + k]).sum::<f64>();
        let mean = |field: &[f64]| share * probe.nodes.iter().map(|n| field[*n as usize]).sum::<f64>();
        floats(next(), &mut |x| x.extend((0..d).map(|k| share * sum(&state.u, k))));
        floats(next(), &mut |x| x.extend((0..d).map(|k| share * sum(&state.v, k))));
        floats(next(), &mut |x| x.extend((0..d).map(|k| sum(&state.contact[0], k) + sum(&state.contact[1], k))));
        floats(next(), &mut |x| x.push(mean(&mises)));
        floats(next(), &mut |x| x.push(mean(&plastic)));
    }
}

/// The values of [`SERIES`] and [`COUNTS`].
fn series(source: &Source) -> Vec<f64> {
    let (r, l, t) = (source.report, source.ledger, source.totals);
    vec![
        r.residual,
        r.balance,
        r.counts.newton as f64,
        r.counts.statuses as f64,
        r.counts.thresholds as f64,
        r.counts.pairings as f64,
        r.parts as f64,
        r.closed as f64,
        r.sliding as f64,
        r.penetration,
        r.approach,
        l.kinetic,
        l.strain,
        l.external,
        l.contact,
        l.friction,
        l.plastic,
        l.viscous,
        l.numerical,
        l.closing,
        t.worst_residual,
        t.deepest,
        t.flagged as f64,
        t.retried as f64,
    ]
}

/// What a frame keeps of a run.
pub struct Kept {
    /// The state.
    pub state: State,
    /// Energies and works.
    pub ledger: Ledger,
    /// Extremes and counts.
    pub totals: Totals,
}

/// Reads a frame back.
pub fn read(run: &Run, frame: usize, sizes: &Sizes) -> Result<Kept, Error> {
    let refuse = |reason: String| Error::Frame { frame, reason };
    let header = run.header();
    if header.attributes.get("model").map(String::as_str) != Some("solids") {
        return Err(refuse("the run is one of rigid bodies, the scene has deformable solids".into()));
    }
    if header.dimension != sizes.dimension {
        return Err(refuse(format!("the run has dimension {}, the scene {}", header.dimension, sizes.dimension)));
    }
    let record = run.read_frame(frame)?;
    let numbers = |name: &str| -> Result<Vec<f64>, Error> {
        let i = header.position(name).ok_or_else(|| refuse(format!("the run has no field '{name}'")))?;
        let column = record.columns[i].f64().ok_or_else(|| refuse(format!("'{name}' is not of type float64")))?;
        Ok(column.to_vec())
    };
    let one = |name: &str| numbers(name).map(|x| x.first().copied().unwrap_or(0.0));
    let state = State {
        time: record.time,
        step: record.step,
        u: numbers("nodes/displacement")?,
        v: numbers("nodes/velocity")?,
        a: numbers("nodes/acceleration")?,
        history: numbers("restart/history")?,
        multipliers: numbers("restart/multipliers")?,
        contact: [numbers("nodes/contact_normal")?, numbers("nodes/contact_tangential")?],
    };
    let ledger = Ledger {
        kinetic: one("energy/kinetic")?,
        strain: one("energy/strain")?,
        external: one("work/external")?,
        contact: one("work/contact")?,
        friction: one("work/friction")?,
        plastic: one("work/plastic")?,
        viscous: one("work/viscous")?,
        numerical: one("work/numerical")?,
        closing: one("work/closing")?,
    };
    let totals = Totals {
        worst_residual: one("worst/residual")?,
        deepest: one("worst/penetration")?,
        flagged: one("count/flagged")? as u64,
        retried: one("count/retried")? as u64,
        ..Totals::default()
    };
    Ok(Kept { state, ledger, totals })
}
