//! What no run could mean, told before it is made: times that do not fit, bodies lost in round-off or in
//! memory, explicit forces that no step of this length can follow.

use super::forces::each;
use super::prepare::Prepared;
use super::{Clock, SolidSetup};
use crate::description::{Dimension, Kind, MeshForm, Size};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::{Dim, Space};
use delassus_rigid::{Explicit, Kinematics, RigidModel, State, unstable};

/// Share of a step by which times may miss a whole number of them.
const WHOLE: f64 = 1e-6;
/// More steps than this are a mistake: years of computing.
const MOST_STEPS: f64 = 1e13;
/// Round-off of a place, in sizes of the smallest body, from which contacts are lost.
const LOST: f64 = 1e-6;
/// Memory of a body: description, shapes, state, contacts, scratch \[bytes\].
const PER_BODY: f64 = 4e3;
/// Memory of a cell of a solid, its share of the matrices included \[bytes\].
const PER_CELL: f64 = 2e3;

impl Scene {
    /// Bodies and cells that memory cannot hold, counted before they are made.
    pub(super) fn check_memory(&self, diagnostics: &mut Diagnostics) {
        let Some(free) = available() else { return };
        let mut needed = PER_BODY * self.description.body.items.len() as f64;
        for (i, generator) in self.description.generate.0.iter().enumerate() {
            let count = count(&generator.kind, self.description.dimension);
            needed += PER_BODY * count;
            if needed > free {
                let what = format!(
                    "{count:.3e} bodies need about {} of memory, and {} are free: make fewer",
                    gigabytes(needed),
                    gigabytes(free)
                );
                self.error(diagnostics, &Path::of(&["generate"]).at(i), Problem::Inconsistent { what });
                return;
            }
        }
        for (path, name, mesh) in each("mesh", &self.description.mesh) {
            let cells = cells(&mesh.form);
            if PER_CELL * cells > free {
                let what = format!(
                    "the mesh `{name}` of {cells:.3e} cells needs at least {} of memory, and {} are free: make it coarser",
                    gigabytes(PER_CELL * cells),
                    gigabytes(free)
                );
                self.error(diagnostics, &path, Problem::Inconsistent { what });
            }
        }
    }

    /// Steps, end and frames that do not fit each other.
    pub(super) fn check_times(&self, clock: &Clock, solids: Option<&SolidSetup>, diagnostics: &mut Diagnostics) {
        let time = &self.description.time;
        let at = |key: &str| Path::of(&["time", key]);
        let (step, end) = (clock.step, time.end);
        let own = solids.is_some_and(|s| s.settings.step.is_some());
        let key = if time.step.is_some() { "step" } else { "end" };
        if step > end * (1.0 + WHOLE) {
            let what =
                format!("a step of {step} s is longer than the run of {end} s: make `time.step` at most `time.end`");
            self.error(diagnostics, &at(key), Problem::Inconsistent { what });
            return;
        }
        let steps = end / step;
        if !(steps < MOST_STEPS) {
            let what =
                format!("{steps:.1e} steps of {step:e} s would be needed to reach {end} s: at most 1e13 are made");
            self.error(diagnostics, &at(key), Problem::Inconsistent { what });
            return;
        }
        // Steps of explicit solids are chosen by their stability, and nobody gave a multiple.
        if !own && (steps - steps.round()).abs() > WHOLE * steps.max(1.0) {
            let made = clock.steps as f64 * step;
            let what =
                format!("`time.end` = {end} s is no whole number of steps of {step} s: the run ends at {made} s");
            self.warning(diagnostics, &at("end"), Problem::Inconsistent { what });
        }
        let Some(record) = time.record.filter(|_| !own) else { return };
        let every = record / step;
        if (every - every.round()).abs() > WHOLE * every.max(1.0) || every < 0.5 {
            let made = clock.every as f64 * step;
            let what = format!(
                "`time.record` = {record} s is no whole number of steps of {step} s: frames are {made} s apart"
            );
            self.warning(diagnostics, &at("record"), Problem::Inconsistent { what });
        } else if record > end * (1.0 + WHOLE) {
            let what =
                format!("`time.record` = {record} s is longer than the run: only its start and its end are recorded");
            self.warning(diagnostics, &at("record"), Problem::Inconsistent { what });
        }
    }

    /// Explicit forces that make every motion explode.
    pub(super) fn check_stability<const D: usize>(
        &self,
        (model, state): (&RigidModel<D>, &State),
        h: f64,
        diagnostics: &mut Diagnostics,
    ) where
        Dim<D>: Kinematics<D>,
    {
        let found = match unstable(model, state, h) {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(e) => {
                self.error(diagnostics, &Path::default(), Problem::Model { message: e.to_string() });
                return;
            }
        };
        let description = &self.description;
        let solids = self.has_solids();
        let (place, what) = match found.owner {
            Explicit::Spring(i) => {
                let mut all = each("spring", &description.spring).filter(|x| !(solids && x.2.on.is_some()));
                (all.nth(i).map(|x| (x.0, x.1)), "spring")
            }
            Explicit::Load(i) => {
                let mut all = each("load", &description.load).filter(|x| !(solids && x.2.on.is_some()));
                (all.nth(i).map(|x| (x.0, x.1)), "force")
            }
        };
        let (path, name) = place.unwrap_or_default();
        // A step somewhat shorter than the limit is what helps.
        let cure = match what {
            "spring" => format!("set `implicit = true`, or `time.step` below {:.2e}", found.limit),
            _ => format!("set `time.step` below {:.2e}, or make it a spring with `implicit = true`", found.limit),
        };
        let motion = match found.frequency > found.damping {
            true => format!("it vibrates at {:.3e} rad/s", found.frequency),
            false => format!("it slows motion at the rate {:.3e} 1/s", found.damping),
        };
        let what = format!(
            "the explicit {what} `{name}` is too stiff for steps of {h:e} s: with the masses it moves {motion}, and the \
             longest stable step is {:.2e} s",
            found.limit
        );
        self.error(diagnostics, &path, Problem::Inconsistent { what }).help(cure);
    }
}

/// Bodies whose place or size leaves nothing of the smallest one but round-off.
pub(super) fn check_places<const D: usize>(scene: &Scene, prepared: &Prepared<D>, diagnostics: &mut Diagnostics)
where
    Dim<D>: Space<D>,
{
    let Prepared { items, made, .. } = prepared;
    let radius = |m: &super::bodies::Made<D>| {
        m.pieces.iter().map(|p| <Dim<D> as Space<D>>::bounding_radius(&p.shape)).fold(0.0, f64::max)
    };
    let radii: Vec<f64> = made.iter().map(radius).collect();
    let sized = |i: &usize| radii[*i] > 0.0 && radii[*i].is_finite();
    let Some(least) = (0..made.len()).filter(sized).min_by(|a, b| radii[*a].total_cmp(&radii[*b])) else { return };
    let limit = LOST / f64::EPSILON * radii[least];
    let mut told = 0;
    for (i, (item, body)) in items.iter().zip(made).enumerate() {
        let far = body.pose.position.amax();
        let (key, value, what) = match (far > limit, sized(&i) && radii[i] > limit) {
            (true, _) => ("position", far, "from the origin"),
            (_, true) => ("shape", radii[i], "in size"),
            _ => continue,
        };
        let what = format!(
            "`{}` is {value:.1e} m {what}: round-off there is more than 1e-6 of `{}`, of size {:.1e} m; contacts would be \
             lost. Stay below {limit:.1e} m",
            item.name, items[least].name, radii[least]
        );
        scene.error(diagnostics, &item.path.at(key), Problem::Inconsistent { what });
        told += 1;
        if told == 10 {
            return;
        }
    }
}

/// Bodies of a generator, about.
fn count(kind: &Kind, dimension: Dimension) -> f64 {
    let space = dimension == Dimension::Space;
    match kind {
        Kind::Grid(g) => g.count.iter().map(|c| f64::from(*c)).product(),
        Kind::Deposit(d) => match (d.count, d.fraction) {
            (Some(count), _) => f64::from(count),
            (None, fraction) => {
                let least = match &d.radius {
                    Size::Equal(r) => *r,
                    Size::Random(distribution) => distribution.range()[0],
                };
                let sides = d.region.max.iter().zip(&d.region.min).map(|(b, a)| ((b - a) / (2.0 * least)).max(1.0));
                fraction.unwrap_or(0.0) * sides.product::<f64>()
            }
        },
        Kind::BrickWall(w) => f64::from(w.columns) * f64::from(w.rows),
        Kind::Arch(a) => f64::from(a.blocks),
        Kind::Vault(v) => f64::from(v.courses) * f64::from(v.blocks),
        Kind::Dome(d) => f64::from(d.rings) * f64::from(d.blocks),
        // Sets of joints tell when they are too many.
        Kind::Blocks(b) => f64::from(b.cells.unwrap_or(1)),
        Kind::Tower(t) => f64::from(t.levels) * f64::from(t.per_level),
        Kind::Dominoes(d) => f64::from(d.count),
        Kind::CardHouse(c) => 2.0 * f64::from(c.levels).powi(2),
        Kind::GluedFloor(f) => {
            let r = match &f.radius {
                Size::Equal(r) => *r,
                Size::Random(distribution) => distribution.range()[1],
            };
            let across = |x: f64| (x / (2.0 * r)).max(1.0);
            across(f.length) * if space { f.width.map_or(1.0, across) } else { 1.0 }
        }
        Kind::Container(_) | Kind::Hopper(_) => 8.0,
        Kind::Drum(d) => f64::from(d.staves),
    }
}

/// Cells of a mesh at least; those of a file are there already.
fn cells(form: &MeshForm) -> f64 {
    let product = |all: &[u32]| all.iter().map(|c| f64::from(*c)).product::<f64>();
    match form {
        MeshForm::Block(b) => product(&b.cells),
        MeshForm::Disc(d) => product(&[d.cells, d.layers.unwrap_or(d.cells)]),
        MeshForm::Ball(b) => product(&[b.cells, b.cells, b.layers.unwrap_or(b.cells)]),
        MeshForm::Cylinder(c) => product(&c.cells),
        MeshForm::Tube(t) => product(&t.cells),
        MeshForm::File(_) => 0.0,
    }
}

/// Memory that programs may still take \[bytes\], where the system tells. A page of a browser may have 4 GB at most, and
/// loses everything at its end: a fifth of that is safe.
fn available() -> Option<f64> {
    if cfg!(target_arch = "wasm32") {
        return Some(8e8);
    }
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(1024.0 * kilobytes)
}

fn gigabytes(bytes: f64) -> String {
    format!("{:.1} GB", bytes / 1e9)
}
