//! A flow of grains along x over a floor, measured at every step
//!
//! ```text
//! v_k = Σ V_ik u_i / Σ V_ik          mean velocity in slice k
//! φ_k = Σ V_ik / (A Δy)              its solid fraction; A area of the periodic cell
//! T/N = −Σ S_x / Σ S_y               percussions of the floor on the flow, summed over contacts and steps
//! ⟨a⟩ = Δ(Σ m_i u_i) / (M Δt)        mean acceleration
//! z   = (2 n_gg + n_gf) / n          neighbours that carry a force, for each grain
//! ```
//!
//! V_ik is the part of grain i inside slice k, taken from the ball (in the plane the disc) of its
//! volume about its centre of mass: slices may be thinner than a grain, and no volume is lost.
//! The momentum theorem gives T/N = tan θ − ⟨a⟩/(g cos θ) \[Moreau03\], §5.
//!
//! A frame has the means over the steps since the frame before. The sums themselves are kept in
//! the frame too, so that an interrupted interval goes on with the same bits.

use super::fields::Table;
use super::geometry::Drawn;
use super::sums::Sums;
use delassus_contact::{Dim, Vector};
use delassus_record::{Extent, Field, Kind};
use delassus_rigid::{AnyContact, Event, Kinematics, Report, RigidModel, State};
use delassus_scene::Flow;
use std::f64::consts::PI;

/// End of the distribution of forces, in means.
const FORCES: f64 = 5.0;

/// A grain of the flow.
struct Grain {
    body: usize,
    mass: f64,
    volume: f64,
    /// Radius of the ball of this volume [m].
    radius: f64,
}

/// Follows a flow.
pub struct FlowMeter<const D: usize> {
    flow: Flow,
    grains: Vec<Grain>,
    mass: f64,
    gravity: Vector<D>,
    sums: Sums,
}

/// Fields of a flow: name, unit, meaning.
const FIELDS: [(&str, &str, &str); 12] = [
    ("height", "m", "middles of the slices"),
    ("velocity", "m/s", "mean velocity along x in the slices; 0 where there is no grain"),
    ("fraction", "1", "solid fraction of the slices"),
    ("thickness", "m", "twice the height of the centre of mass above the bottom"),
    ("solid_fraction", "1", "solid fraction of the layer of this thickness"),
    ("force", "N", "mean force of the floor on the flow"),
    ("stress_ratio", "1", "tangential over normal percussions of the floor"),
    ("acceleration", "m/s2", "mean acceleration of the grains"),
    ("balance_ratio", "1", "tan θ − a/(g cos θ), which the stress ratio must equal"),
    ("coordination", "1", "neighbours that carry a force, for each grain"),
    ("force_mean", "N", "mean magnitude of the contact forces"),
    ("force_distribution", "1", "density of probability of f/⟨f⟩ in classes from 0 to 5"),
];

/// The beginning of the names of the fields.
fn folder(flow: &Flow) -> String {
    format!("flow/{}", super::fields::path(&flow.name))
}

/// Name of the sums in the record.
pub fn kept(flow: &Flow) -> String {
    format!("restart/flow_{}", super::fields::path(&flow.name))
}

/// What a frame has of a flow, in the order of [`FlowMeter::columns`].
fn fields(flow: &Flow, dimension: usize) -> Vec<Field> {
    let folder = folder(flow);
    let field = |name: String, width| Field::new(name, Kind::F64, width, Extent::Scalar);
    let mut all: Vec<Field> = FIELDS
        .iter()
        .map(|(name, unit, about)| {
            let width = match *name {
                "height" | "velocity" | "fraction" => flow.slices,
                "force" | "acceleration" => dimension,
                "force_distribution" => flow.classes,
                _ => 1,
            };
            field(format!("{folder}/{name}"), width).with(*unit, *about)
        })
        .collect();
    all.push(field(format!("{folder}/steps"), 1).with("1", "steps averaged over"));
    let sums = Sums::new(flow.slices, flow.classes).numbers().len();
    // One item, not a series: it is for restarts.
    all.push(Field::new(kept(flow), Kind::F64, sums, Extent::Fixed(1)).with("1", "sums since the last frame"));
    all
}

/// Adds the fields of flow number `i`.
pub fn table<const D: usize>(table: &mut Table<D>, i: usize, flow: &Flow)
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    for (k, field) in fields(flow, D).into_iter().enumerate() {
        table.add(field, move |look, x| x.extend(&look.flows[i].columns(look.state)[k]));
    }
}

impl<const D: usize> FlowMeter<D>
where
    Dim<D>: Kinematics<D> + Drawn<D>,
{
    /// For the free bodies of a model that have a volume.
    pub fn new(flow: Flow, model: &RigidModel<D>) -> Self {
        let mut volumes = vec![0.0; model.bodies().len()];
        for c in model.colliders().iter() {
            volumes[c.body as usize] += Dim::<D>::volume(&c.shape);
        }
        let free = model.bodies().iter().zip(volumes).enumerate();
        let grains: Vec<Grain> = free
            .filter(|(_, (body, volume))| body.is_dynamic() && *volume > 0.0)
            .map(|(i, (body, volume))| Grain { body: i, mass: body.mass, volume, radius: radius::<D>(volume) })
            .collect();
        let mass = grains.iter().map(|g| g.mass).sum();
        let sums = Sums::new(flow.slices, flow.classes);
        Self { flow, grains, mass, gravity: *model.gravity(), sums }
    }

    /// What is followed.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Starts an interval.
    pub fn begin(&mut self, state: &State) {
        self.sums = Sums::new(self.flow.slices, self.flow.classes);
        self.sums.start = self.momentum(state);
        self.sums.since = state.time;
    }

    /// The sums, for [`FlowMeter::resume`].
    pub fn kept_numbers(&self) -> Vec<f64> {
        self.sums.numbers()
    }

    /// Goes on with the sums of a frame.
    pub fn resume(&mut self, numbers: &[f64]) -> Option<()> {
        self.sums = Sums::from_numbers(numbers, self.flow.slices, self.flow.classes)?;
        Some(())
    }

    /// Adds the step that ended in this state.
    pub fn follow(&mut self, model: &RigidModel<D>, state: &State, contacts: &[AnyContact<D>], report: &Report) {
        let mut sums = std::mem::take(&mut self.sums);
        sums.steps += 1.0;
        self.slice(state, &mut sums);
        // Of a step made again in parts only the last part is known: it would count for the whole.
        let whole = !report.events.iter().any(|e| matches!(e, Event::Retried { .. } | Event::Cut { .. }));
        if whole && report.h > 0.0 {
            sums.time += report.h;
            self.press(model, contacts, &mut sums);
            self.touch(model, contacts, report.h, &mut sums);
        }
        self.sums = sums;
    }

    /// Volumes and velocities in the slices.
    fn slice(&self, state: &State, sums: &mut Sums) {
        let [bottom, top] = self.flow.heights;
        let count = self.flow.slices;
        let thickness = (top - bottom) / count as f64;
        let mut moment = 0.0;
        for grain in &self.grains {
            let (at, speed) = (place::<D>(state, grain.body), velocity::<D>(state, grain.body));
            let (height, r) = (at[D - 1] - bottom, grain.radius);
            moment += grain.volume * height;
            let slice = |h: f64| (h / thickness).floor().clamp(0.0, count as f64 - 1.0) as usize;
            if height + r <= 0.0 || height - r >= top - bottom {
                continue;
            }
            for k in slice(height - r)..=slice(height + r) {
                let below = |k: usize| part::<D>((k as f64 * thickness - height) / r);
                let inside = grain.volume * (below(k + 1) - below(k));
                sums.volume[k] += inside;
                sums.flux[k] += inside * speed[0];
            }
        }
        sums.moment += moment;
    }

    /// Percussions of the floor.
    fn press(&self, model: &RigidModel<D>, contacts: &[AnyContact<D>], sums: &mut Sums) {
        let floor = |body: u32| match self.flow.floor {
            Some(floor) => body == floor,
            None => model.bodies().get(body as usize).is_some_and(|b| !b.is_dynamic()),
        };
        for c in contacts {
            let [first, second] = c.contact.bodies.map(floor);
            let sign = f64::from(u8::from(second)) - f64::from(u8::from(first));
            let s = c.contact.frame * Vector::<D>::from_column_slice(&c.percussion[..D]) * sign;
            sums.impulse.iter_mut().zip(s.iter()).for_each(|(sum, x)| *sum += x);
        }
    }

    /// Neighbours, and the distribution of the forces.
    fn touch(&self, model: &RigidModel<D>, contacts: &[AnyContact<D>], h: f64, sums: &mut Sums) {
        let size = |c: &AnyContact<D>| c.percussion[..D].iter().map(|x| x * x).sum::<f64>().sqrt() / h;
        let loaded: Vec<(f64, &AnyContact<D>)> =
            contacts.iter().map(|c| (size(c), c)).filter(|(f, _)| *f > 0.0).collect();
        if loaded.is_empty() {
            return;
        }
        let mean = loaded.iter().map(|(f, _)| f).sum::<f64>() / loaded.len() as f64;
        let classes = self.flow.classes;
        let mut before = None;
        for (f, c) in &loaded {
            let class = (f / mean / FORCES * classes as f64) as usize;
            if class < classes {
                sums.classes[class] += 1.0;
            }
            // Contacts are sorted: those of one pair follow each other, two for flat sides.
            if before.replace(c.contact.key).is_none_or(|k| !k.same_pair(&c.contact.key)) {
                let free =
                    c.contact.bodies.iter().filter(|b| model.bodies().get(**b as usize).is_none_or(|b| b.is_dynamic()));
                sums.neighbours += free.count() as f64;
            }
        }
        sums.contacts += loaded.len() as f64;
        sums.forces += mean * loaded.len() as f64;
        sums.loaded += 1.0;
    }

    fn momentum(&self, state: &State) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for grain in &self.grains {
            let u = velocity::<D>(state, grain.body);
            (0..D).for_each(|k| sum[k] += grain.mass * u[k]);
        }
        sum
    }

    /// The numbers of a frame, one list for each of [`fields`]. Without a step, the velocities
    /// are those of the state, and there is no force.
    pub fn columns(&self, state: &State) -> Vec<Vec<f64>> {
        let mut present = Sums::new(self.flow.slices, self.flow.classes);
        let sums = match self.sums.steps > 0.0 {
            true => &self.sums,
            false => {
                self.slice(state, &mut present);
                &present
            }
        };
        let steps = sums.steps.max(1.0);
        let over = |x: f64, y: f64| if y == 0.0 { 0.0 } else { x / y };
        let ([bottom, top], n) = (self.flow.heights, self.flow.slices);
        let thick = (top - bottom) / n as f64;
        let volume: f64 = self.grains.iter().map(|g| g.volume).sum();
        let layer = 2.0 * over(sums.moment, steps * volume);
        let elapsed = state.time - sums.since;
        let now = self.momentum(state);
        let acceleration: Vec<f64> = (0..D)
            .map(|k| if sums.steps > 0.0 { over(now[k] - sums.start[k], self.mass * elapsed) } else { 0.0 })
            .collect();
        let force: Vec<f64> = sums.impulse[..D].iter().map(|s| over(*s, sums.time)).collect();
        let class = FORCES / self.flow.classes as f64;
        vec![
            (0..n).map(|k| bottom + (k as f64 + 0.5) * thick).collect(),
            sums.flux.iter().zip(&sums.volume).map(|(f, v)| over(*f, *v)).collect(),
            sums.volume.iter().map(|v| v / (steps * self.flow.area * thick)).collect(),
            vec![layer],
            vec![if layer > 0.0 { volume / (self.flow.area * layer) } else { 0.0 }],
            force,
            vec![over(-sums.impulse[0], sums.impulse[D - 1])],
            acceleration.clone(),
            vec![(self.gravity[0] - acceleration[0]) / -self.gravity[D - 1]],
            vec![over(sums.neighbours, sums.loaded * self.grains.len() as f64)],
            vec![over(sums.forces, sums.contacts)],
            sums.classes.iter().map(|c| over(*c, sums.contacts * class)).collect(),
            vec![sums.steps],
            self.sums.numbers(),
        ]
    }
}

/// Radius of the ball of a volume.
fn radius<const D: usize>(volume: f64) -> f64 {
    if D == 2 { (volume / PI).sqrt() } else { (0.75 * volume / PI).cbrt() }
}

/// The part of a unit ball below a height, from −1 to 1.
fn part<const D: usize>(height: f64) -> f64 {
    let s = height.clamp(-1.0, 1.0);
    match D {
        2 => 0.5 + (s * (1.0 - s * s).sqrt() + s.asin()) / PI,
        _ => 0.25 * (2.0 + 3.0 * s - s.powi(3)),
    }
}

fn place<const D: usize>(state: &State, body: usize) -> &[f64] {
    let coordinates = if D == 2 { 3 } else { 7 };
    &state.q[coordinates * body..][..D]
}

fn velocity<const D: usize>(state: &State, body: usize) -> &[f64] {
    let dofs = if D == 2 { 3 } else { 6 };
    &state.u[dofs * body..][..D]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of a ball against the integral of its sections, 2 √(1 − s²)/π and ¾ (1 − s²).
    #[test]
    fn parts_of_balls_are_integrals_of_their_sections() {
        let n = 20_000;
        let (mut disc, mut ball) = (0.0, 0.0);
        for i in 0..n {
            let s = -1.0 + 2.0 * (f64::from(i) + 0.5) / f64::from(n);
            let step = 2.0 / f64::from(n);
            disc += 2.0 / PI * (1.0 - s * s).sqrt() * step;
            ball += 0.75 * (1.0 - s * s) * step;
            // The midpoint rule at the square root of the ends: order 3/2.
            assert!((part::<2>(s + 0.5 * step) - disc).abs() < step.powf(1.5), "{s}");
            assert!((part::<3>(s + 0.5 * step) - ball).abs() < step * step, "{s}");
        }
        assert_eq!([part::<2>(-2.0), part::<3>(-2.0), part::<2>(2.0), part::<3>(2.0)], [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn balls_of_the_same_volume() {
        assert!((radius::<2>(PI * 0.09) - 0.3).abs() < 1e-15);
        assert!((radius::<3>(4.0 / 3.0 * PI * 0.027) - 0.3).abs() < 1e-15);
    }
}
