//! The contacts of the last step, for records and pictures.

use crate::World;
use crate::islands::NONE;
use crate::weak::{point_key, spring_key};
use delassus_contact::{Contact, Dim, Rotation, Space, Vector as Place};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;
use delassus_friction::laws::COMPONENTS;

/// How a contact ended the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactStatus {
    /// No percussion.
    Open = 0,
    /// Percussion without slip.
    Stick = 1,
    /// Percussion with slip.
    Slip = 2,
}

/// Names of the laws of contacts, by their numbers in records.
pub const LAWS: [&str; 11] = [
    "frictionless",
    "coulomb",
    "elliptic",
    "polyhedral",
    "directional",
    "tresca",
    "bilateral",
    "limited",
    "rolling",
    "torsional",
    "rolling and torsional",
];

/// Place of a law in [`LAWS`], and its coefficient of friction: the largest where it depends on the direction, zero
/// where there is none.
fn told(law: &Law) -> (u8, f64) {
    match law {
        Law::Frictionless => (0, 0.0),
        Law::Coulomb { mu } => (1, *mu),
        Law::Elliptic { mu, .. } => (2, mu[0].max(mu[1])),
        Law::Polyhedral(section) => (3, section.vertices().iter().map(|v| v[0].hypot(v[1])).fold(0.0, f64::max)),
        Law::Directional { mu } => (4, mu[0].max(mu[1])),
        Law::Tresca { .. } => (5, 0.0),
        Law::Bilateral => (6, 0.0),
        Law::Limited { .. } => (7, 0.0),
        Law::Rolling { mu, .. } => (8, *mu),
        Law::Torsional { mu, .. } => (9, *mu),
        Law::RollingTorsional { mu, .. } => (10, *mu),
    }
}

/// A point at which two surfaces face each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointView<const D: usize> {
    /// Pair it belongs to.
    pub pair: u32,
    /// Place on the opposite side \[m\].
    pub position: Place<D>,
    /// Columns: normal towards the slave, tangents.
    pub frame: Rotation<D>,
    /// Gap at the end of the step \[m\].
    pub gap: f64,
    /// Pressure and friction stress on the slave, in the frame \[Pa\].
    pub stress: Place<D>,
    /// Share of the asperities in the pressure \[Pa\]; the rest is the substrate's.
    pub asperities: f64,
    /// Its law in the step, by its place in [`LAWS`].
    pub law: u8,
    /// Coefficient of friction.
    pub friction: f64,
    /// Area \[m²\].
    pub area: f64,
    /// How it ended.
    pub status: ContactStatus,
}

/// A contact of the last step, for records and pictures.
#[derive(Clone, Copy, Debug)]
pub struct ContactView<'a, const D: usize> {
    /// Geometry at `q_m`.
    pub contact: &'a Contact<D>,
    /// Percussion in its frame, normal first \[N·s\].
    pub percussion: [f64; COMPONENTS],
    /// Share of the asperities in its normal component \[N·s\]; the rest is the substrate's.
    pub asperities: f64,
    /// Relative velocity after the step, in its frame \[m/s\].
    pub velocity: [f64; COMPONENTS],
    /// Internal variables of its law.
    pub memory: [f64; crate::MEMORY],
    /// How it ended.
    pub status: ContactStatus,
    /// Its law in the step, by its place in [`LAWS`].
    pub law: u8,
    /// Coefficient of friction.
    pub friction: f64,
}

impl<const D: usize, const C: usize> World<D, C>
where
    Dim<D>: Space<D>,
{
    /// The contacts that took part in the last step.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = ContactView<'_, D>> + '_ {
        let ws = &self.ws;
        let narrow = |x: &Vector<C>| std::array::from_fn(|k| if k < C { x[k] } else { 0.0 });
        // Slip below what the residual can tell from none is none.
        let level = 10.0 * self.report.absolute.max(1e-12 * ws.scale());
        ws.took.iter().map(move |&[c, i]| {
            let kept = &ws.kept[c as usize];
            if i == NONE {
                // What sleeps does not slip.
                let open = kept.percussion == [0.0; COMPONENTS];
                let (law, friction) = self.law_asleep(c as usize).map_or((0, 0.0), |law| told(&law));
                return ContactView {
                    contact: &ws.found.contacts[c as usize],
                    percussion: kept.percussion,
                    asperities: 0.0,
                    velocity: [0.0; COMPONENTS],
                    memory: kept.memory,
                    status: if open { ContactStatus::Open } else { ContactStatus::Stick },
                    law,
                    friction,
                };
            }
            let i = i as usize;
            let v = &ws.after[i];
            let slip = (1..C).map(|k| v[k] * v[k]).sum::<f64>().sqrt();
            let bonded = ws.bonds.binary_search_by_key(&(i as u32), |b| b.block).is_ok();
            let status = match if bonded { ws.total(i).amax() } else { ws.s[i].amax() } {
                0.0 => ContactStatus::Open,
                _ if slip <= level => ContactStatus::Stick,
                _ => ContactStatus::Slip,
            };
            let (law, friction) = ws.laws.get(i).map_or((0, 0.0), told);
            ContactView {
                contact: &ws.found.contacts[c as usize],
                percussion: ws.kept[c as usize].percussion,
                asperities: ws.layer(i).map_or(0.0, |l| l.parts[0] + l.parts[1]),
                velocity: narrow(v),
                memory: ws.kept[c as usize].memory,
                status,
                law,
                friction,
            }
        })
    }

    /// The points at which surfaces face each other, on the pairing of the last step.
    pub fn points(&self) -> impl Iterator<Item = PointView<D>> + '_ {
        let ws = &self.ws;
        let first = ws.active.len() + ws.links.len();
        let h = self.report.part.max(f64::MIN_POSITIVE);
        let level = 10.0 * self.report.absolute.max(1e-12 * ws.scale());
        let block = move |b: u32| {
            let k = ws.weak_active.binary_search_by_key(&b, |a| a.0).ok()?;
            Some((first + k, ws.total(first + k)))
        };
        let nodes = self.parts.with_nodes().map(|(p, begin)| (p.surfaces().nodes, begin.dofs));
        self.weak.iter().enumerate().flat_map(move |(pair, weak)| {
            weak.interface.points().iter().map(move |point| {
                // Points go by their names: the forces may be those of the pairing before.
                let own = ws.weak.by_point.then(|| ws.weak.find(&point_key(pair as u32, &point.key))).flatten();
                let basis = point.multiplier.iter().filter(move |_| !ws.weak.by_point);
                let basis = basis.map(move |(m, psi)| (ws.weak.first[pair] + m, psi));
                let spring =
                    (ws.weak.own() < ws.weak.len()).then(|| ws.weak.find(&spring_key(pair as u32, &point.key)));
                let basis = basis.chain([own, spring.flatten()].into_iter().flatten().map(|b| (b as u32, 1.0)));
                let (mut stress, mut status) = (Place::<D>::zeros(), ContactStatus::Open);
                let (mut law, mut friction) = (0, 0.0);
                let mut asperities = 0.0;
                for (b, psi) in basis {
                    let Some((i, s)) = block(b) else { continue };
                    let scale = psi / (h * ws.weak.weight[b as usize]);
                    (0..D).for_each(|k| stress[k] += scale * s[k]);
                    asperities += ws.layer(i).map_or(0.0, |l| scale * (l.parts[0] + l.parts[1]));
                    // What rubs, where a bond stands beside it.
                    if let Some((kind, mu)) = ws.laws.get(i).map(told)
                        && (friction == 0.0 || mu > 0.0)
                    {
                        (law, friction) = (kind, mu);
                    }
                    // Pressed, or pulled by cohesion; what hangs on a bond alone is open.
                    if ws.s[i][0] - ws.offset[i][0] != 0.0 && psi != 0.0 {
                        let slip = (1..C).map(|k| ws.u[i][k] * ws.u[i][k]).sum::<f64>().sqrt();
                        let frictionless = matches!(ws.laws.get(i), Some(Law::Frictionless));
                        let slides = slip > level || frictionless;
                        status = match (slides, status) {
                            (true, _) | (_, ContactStatus::Slip) => ContactStatus::Slip,
                            _ => ContactStatus::Stick,
                        };
                    }
                }
                // From where the points were paired to the end of the step.
                let gap = nodes.filter(|_| !ws.u_f.is_empty()).map_or(point.gap, |(n, dofs)| {
                    let paired = |d: usize| ws.positions[d] - n.reference[d];
                    let end = |d: usize| n.base[d] + n.slope * ws.u_f[dofs + d] - paired(d);
                    let moved = |(node, c): (u32, f64)| {
                        c * (0..D).map(|k| point.frame[(k, 0)] * end(D * node as usize + k)).sum::<f64>()
                    };
                    point.gap + point.coefficients().map(moved).sum::<f64>()
                });
                PointView {
                    pair: pair as u32,
                    position: point.foot,
                    frame: point.frame,
                    gap,
                    stress,
                    asperities,
                    law,
                    friction,
                    area: point.weight,
                    status,
                }
            })
        })
    }
}
