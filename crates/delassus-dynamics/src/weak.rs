//! Contact between surfaces: one block of rows for each multiplier
//!
//! ```text
//!     G_m = Σ_j ω_j ψ_m(p_j) G_j / ω_m,      ω_m = Σ_j ω_j ψ_m(p_j)        j collocation points
//! ```
//!
//! so that `U_m` is a mean of relative velocities (or gaps) and `S_m` a percussion, the pressure being
//! `S_m / (h ω_m)`. A penalised contact has a block for each collocation point; so has a stabilisation that
//! is not projected, beside those of the multipliers: its *springs*.

use crate::bodies::turn;
use crate::{BodyLaw, ContactSettings, Formalism, Measure};
use delassus_contact::skin::{ContactError, ContactPoint, Interface, PointKey, Stencil};
use delassus_contact::{ContactKey, Dim, Space, Vector};
use std::sync::Arc;

/// Displacement and velocity of an obstacle at a time.
pub type ObstacleMotion = Arc<dyn Fn(f64) -> [[f64; 3]; 2] + Send + Sync>;

/// A place where two surfaces, or a surface and an obstacle, may meet.
#[derive(Clone)]
pub struct Weak<const D: usize>
where
    Dim<D>: Space<D>,
{
    /// Its name.
    pub name: String,
    /// Pairing and collocation points.
    pub interface: Interface<D>,
    /// The law; thresholds and tractions are per area.
    pub law: Arc<dyn BodyLaw>,
    /// Motion of the obstacle; none: it rests.
    pub motion: Option<ObstacleMotion>,
    home: Vector<D>,
}

impl<const D: usize> Weak<D>
where
    Dim<D>: Space<D>,
{
    /// An interface with its law.
    pub fn new(
        name: impl Into<String>,
        mut interface: Interface<D>,
        law: Arc<dyn BodyLaw>,
        motion: Option<ObstacleMotion>,
    ) -> Self {
        let home = interface.obstacle_mut().map_or(Vector::zeros(), |o| o.motion().pose.position);
        Self { name: name.into(), interface, law, motion, home }
    }

    /// Pairs at positions `x` and velocities `v`; obstacles are where they are at time `t`.
    pub(crate) fn pair(&mut self, x: &[f64], reference: &[f64], v: &[f64], t: f64) -> Result<(), ContactError> {
        if let (Some(motion), Some(obstacle)) = (&self.motion, self.interface.obstacle_mut()) {
            let [displacement, velocity] = motion(t);
            let mut moved = *obstacle.motion();
            for k in 0..D {
                moved.pose.position[k] = self.home[k] + displacement[k];
                moved.velocity[k] = velocity[k];
            }
            obstacle.move_to(moved)?;
        }
        self.interface.pair(x, reference, v, t)?;
        if let (3, Some(axis)) = (D, self.axis()) {
            self.interface.points_mut().iter_mut().for_each(|p| turn(&mut p.frame, &axis));
        }
        Ok(())
    }

    /// Direction of space to which the first tangent is turned, for laws that are not isotropic.
    fn axis(&self) -> Option<Vector<D>> {
        self.law.material_axis().map(|axis| Vector::from_fn(|k, _| axis[k]))
    }
}

/// The name of a multiplier.
fn multiplier_key(interface: u32, number: u32) -> ContactKey {
    ContactKey { colliders: [u32::MAX, interface], features: [number, 0], ..ContactKey::default() }
}

/// The name of a collocation point; the place of its master in the key is below 2²⁴, its rank below 2⁸.
pub(crate) fn point_key(interface: u32, p: &PointKey) -> ContactKey {
    let rest = (p.master << 8) | (p.index & 0xff);
    ContactKey { colliders: [u32::MAX, interface], features: [p.slave, rest], ..ContactKey::default() }
}

/// In the second number of a key: a spring of that interface.
const SPRING: u32 = 1 << 31;

/// The name of the spring at a collocation point.
pub(crate) fn spring_key(interface: u32, p: &PointKey) -> ContactKey {
    point_key(SPRING | interface, p)
}

/// The blocks of all interfaces on one pairing; flat.
#[derive(Clone, Debug, Default)]
pub(crate) struct WeakBlocks<const D: usize> {
    /// First block of each interface, and the end.
    pub first: Vec<u32>,
    /// Whether each collocation point is a block of its own.
    pub by_point: bool,
    /// Names, ascending.
    keys: Vec<ContactKey>,
    /// Number of blocks that are not springs.
    own: usize,
    /// By spring: the multipliers at its point.
    at: Vec<Stencil>,
    /// First multiplier of each interface, and the end.
    multipliers: Vec<u32>,
    /// `(multiplier, block, ω ψ)`, sorted: gaps that do not depend on how facets were cut.
    share: Vec<(u32, u32, f64)>,
    /// Areas.
    pub weight: Vec<f64>,
    /// Mean gaps at the pairing.
    pub gap: Vec<f64>,
    /// Mean velocities of obstacles, in the frames.
    pub wall: Vec<Vector<D>>,
    /// Mean normals.
    pub normal: Vec<Vector<D>>,
    /// Mean cosine of the first tangent with the axis of the law.
    pub facing: Vec<f64>,
    /// Mean places.
    pub place: Vec<Vector<D>>,
    /// First entry of each block, and the end.
    start: Vec<u32>,
    /// `(block, degree of freedom, column)`, sorted.
    entry: Vec<(u32, u32, Vector<D>)>,
    /// Displacements at the pairing.
    pub u: Vec<f64>,
}

impl<const D: usize> WeakBlocks<D> {
    /// Gathers the blocks of the points of paired interfaces; `u` are the displacements of the pairing.
    pub fn gather(&mut self, weak: &[Weak<D>], settings: &ContactSettings, u: impl Iterator<Item = f64>)
    where
        Dim<D>: Space<D>,
    {
        self.by_point = !settings.formalism.has_multipliers();
        self.u.clear();
        self.u.extend(u);
        for list in [&mut self.first, &mut self.multipliers] {
            list.clear();
            list.push(0);
        }
        self.keys.clear();
        self.share.clear();
        for (i, w) in weak.iter().enumerate() {
            let (points, count) = (w.interface.points(), w.interface.multipliers());
            match self.by_point {
                true => self.keys.extend(points.iter().map(|p| point_key(i as u32, &p.key))),
                false => self.keys.extend((0..count as u32).map(|m| multiplier_key(i as u32, m))),
            }
            self.first.push(self.keys.len() as u32);
            self.multipliers.push(self.multipliers[i] + count as u32);
        }
        self.own = self.keys.len();
        self.at.clear();
        if settings.pointwise().is_some() {
            for (i, w) in weak.iter().enumerate() {
                self.keys.extend(w.interface.points().iter().map(|p| spring_key(i as u32, &p.key)));
            }
        }
        let count = self.keys.len();
        self.entry.clear();
        for x in [&mut self.weight, &mut self.gap, &mut self.facing] {
            x.clear();
            x.resize(count, 0.0);
        }
        for x in [&mut self.wall, &mut self.normal, &mut self.place] {
            x.clear();
            x.resize(count, Vector::zeros());
        }
        for (i, w) in weak.iter().enumerate() {
            let axis = w.axis();
            for (j, point) in w.interface.points().iter().enumerate() {
                if self.by_point {
                    let block = self.first[i] + j as u32;
                    self.add(block, point.weight, (point, axis.as_ref()));
                    let first = self.multipliers[i];
                    self.share.extend(point.multiplier.iter().map(|(m, psi)| (first + m, block, point.weight * psi)));
                } else {
                    for (m, psi) in point.multiplier.iter() {
                        self.add(self.first[i] + m, point.weight * psi, (point, axis.as_ref()));
                    }
                }
            }
        }
        if count > self.own {
            for (i, w) in weak.iter().enumerate() {
                let axis = w.axis();
                for point in w.interface.points() {
                    let block = (self.own + self.at.len()) as u32;
                    self.add(block, point.weight, (point, axis.as_ref()));
                    self.at.push(point.multiplier.shifted(self.first[i]));
                }
            }
        }
        let weight = &self.weight;
        match self.by_point {
            true => self.share.sort_unstable_by_key(|s| (s.0, s.1)),
            false => self.share.extend((0..self.own as u32).filter(|b| weight[*b as usize] > 0.0).map(|b| (b, b, 1.0))),
        }
        self.merge(count);
    }

    fn add(&mut self, block: u32, w: f64, (point, axis): (&ContactPoint<D>, Option<&Vector<D>>)) {
        let b = block as usize;
        self.weight[b] += w;
        self.facing[b] += axis.map_or(0.0, |a| w * point.frame.column(1).dot(a));
        self.gap[b] += w * point.gap;
        self.normal[b] += point.frame.column(0) * w;
        self.place[b] += point.foot * w;
        self.wall[b] += point.frame.tr_mul(&point.obstacle_velocity) * w;
        for (node, c) in point.coefficients().filter(|(_, c)| *c != 0.0) {
            for k in 0..D {
                let column = Vector::<D>::from_fn(|a, _| w * c * point.frame[(k, a)]);
                self.entry.push((block, D as u32 * node + k as u32, column));
            }
        }
    }

    /// Sums entries of the same degree of freedom and divides by the areas.
    fn merge(&mut self, count: usize) {
        self.entry.sort_unstable_by_key(|e| (e.0, e.1));
        self.entry.dedup_by(|b, a| {
            let same = (a.0, a.1) == (b.0, b.1);
            if same {
                a.2 += b.2;
            }
            same
        });
        for (block, _, column) in &mut self.entry {
            let w = self.weight[*block as usize];
            if w > 0.0 {
                *column /= w;
            }
        }
        for b in (0..count).filter(|b| self.weight[*b] > 0.0) {
            self.gap[b] /= self.weight[b];
            self.wall[b] /= self.weight[b];
            self.normal[b] /= self.weight[b];
            self.place[b] /= self.weight[b];
        }
        self.start.clear();
        self.start.resize(count + 1, 0);
        self.entry.iter().for_each(|e| self.start[e.0 as usize + 1] += 1);
        (0..count).for_each(|b| self.start[b + 1] += self.start[b]);
    }

    /// Number of blocks, those without points included.
    pub fn len(&self) -> usize {
        self.weight.len()
    }

    /// Number of blocks that are not springs: those come after.
    pub fn own(&self) -> usize {
        self.own
    }

    /// Blocks of an interface, springs not included.
    pub fn blocks(&self, interface: usize) -> std::ops::Range<usize> {
        self.first[interface] as usize..self.first[interface + 1] as usize
    }

    /// Blocks of the multipliers at the point of a spring.
    pub fn held_by(&self, spring: usize) -> &[u32] {
        self.at[spring - self.own].indices()
    }

    /// Degrees of freedom (of the solids) and columns of a block.
    pub fn columns(&self, block: usize) -> &[(u32, u32, Vector<D>)] {
        &self.entry[self.start[block] as usize..self.start[block + 1] as usize]
    }

    /// `G_m x`.
    pub fn times(&self, block: usize, x: impl Fn(usize) -> f64) -> Vector<D> {
        self.columns(block).iter().map(|(_, dof, c)| c * x(*dof as usize)).sum()
    }

    /// Mean gap at other displacements, the pairing frozen.
    pub fn gap_at(&self, block: usize, u: impl Fn(usize) -> f64) -> f64 {
        self.gap[block] + self.times(block, |d| u(d) - self.u[d])[0]
    }

    /// Blocks that a multiplier's function sees.
    pub fn blocks_of(&self, multiplier: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.share.partition_point(|s| s.0 < multiplier);
        self.share[from..].iter().take_while(move |s| s.0 == multiplier).map(|s| s.1)
    }

    /// Mean gap and normal over each multiplier's function, from the gaps of its blocks: multiplier, gap, normal.
    pub fn means<'a>(&'a self, gap: impl Fn(usize) -> f64 + 'a) -> impl Iterator<Item = (u32, f64, Vector<D>)> + 'a {
        self.share.chunk_by(|a, b| a.0 == b.0).map(move |shares| {
            let (mut sum, mut mean, mut normal) = (0.0, 0.0, Vector::zeros());
            for &(_, b, w) in shares {
                sum += w;
                mean += w * gap(b as usize);
                normal += self.normal[b as usize] * w;
            }
            let sum = if sum > 0.0 { sum } else { 1.0 };
            (shares[0].0, mean / sum, normal / sum)
        })
    }

    /// Interface of a block, and its number there.
    pub fn owner(&self, block: usize) -> (usize, u32) {
        if block >= self.own {
            return ((self.keys[block].colliders[1] & !SPRING) as usize, (block - self.own) as u32);
        }
        let i = self.first.partition_point(|f| *f as usize <= block) - 1;
        (i, block as u32 - self.first[i])
    }

    /// The name of a block from step to step: after those of all bodies.
    pub fn key(&self, block: usize) -> ContactKey {
        self.keys[block]
    }

    /// The block of this name.
    pub fn find(&self, key: &ContactKey) -> Option<usize> {
        self.keys.binary_search(key).ok()
    }

    /// Compliance of the law of a block, per percussion: normal and tangential. `slope` is that of the
    /// displacements, see [`crate::Nodes`].
    pub fn compliance(
        &self,
        block: usize,
        settings: &ContactSettings,
        (measure, slope, h): (Measure, f64, f64),
    ) -> [f64; 2] {
        // d + ε p = 0 with p = S/(h ω), in units of velocity: gaps are divided by the slope.
        let scale = 1.0 / (h * self.weight[block]);
        let normal = match measure {
            Measure::Velocity => scale,
            Measure::Gap => scale / slope,
        };
        // Slip velocities are displacements over the step.
        let tangential = match measure {
            Measure::Velocity => scale,
            Measure::Gap => scale * h / slope,
        };
        if let (Some(k), true) = (settings.pointwise(), block >= self.own) {
            return [normal / k, 0.0];
        }
        match settings.formalism {
            Formalism::Perturbed { compliance } => [compliance * normal, 0.0],
            Formalism::Penalty { normal: k, tangential: k_t } => {
                [normal / k, if k_t > 0.0 { tangential / k_t } else { 0.0 }]
            }
            _ => [0.0; 2],
        }
    }
}
