//! The longest step that explicit springs, dampers and forces allow
//!
//! Forces are taken at `q_m` and `u_i`. With stiffness K and damping C the step (5)–(7) is
//!
//! ```text
//!     u_f = u_i − M⁻¹ (h K q_m + h C u_i),   q_m' = q_m + h u_f
//! ```
//!
//! whose roots reach −1 where `4 M − h² K − 2 h C` ceases to be positive: one mass on a spring needs
//! `h < 2/ω`, one on a damper `h < m/c·2`. The largest eigenvalue of `M⁻¹(h² K + 2 h C)` is that of all
//! explicit forces together, on what joints leave free, found by power iterations: its Rayleigh quotient
//! never exceeds it, so that nothing stable is refused.

use crate::system::RigidSystem;
use crate::{Error, Kinematics, RigidModel, State};
use delassus_contact::{Dim, Vector};
use delassus_dynamics::{LinkKind, Rows, Subsystem};
use nalgebra::{Matrix3, SymmetricEigen};
use std::sync::Arc;

/// A force that is taken explicitly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explicit {
    /// Spring of this number.
    Spring(usize),
    /// Load of this number.
    Load(usize),
}

/// Why a step is too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unstable {
    /// The force with the largest share.
    pub owner: Explicit,
    /// Frequency of the fastest motion, without damping \[rad/s\].
    pub frequency: f64,
    /// Its damping rate \[1/s\].
    pub damping: f64,
    /// Steps must be shorter than this \[s\].
    pub limit: f64,
}

/// Power iterations.
const ITERATIONS: usize = 300;
/// Rows of joints beyond which what they leave free is not computed.
const MOST_ROWS: usize = 1500;

/// `κ (g·q)²/2` and the damping `γ (g·u)²/2` of one direction.
struct Term {
    owner: Explicit,
    /// Degrees of freedom and coefficients, over the root of the masses.
    row: Vec<(usize, f64)>,
    stiffness: f64,
    damping: f64,
}

/// What makes steps of length `h` unstable at a state; none where explicit forces allow them.
pub fn unstable<const D: usize>(model: &RigidModel<D>, state: &State, h: f64) -> Result<Option<Unstable>, Error>
where
    Dim<D>: Kinematics<D>,
{
    if model.loads.is_empty() && model.springs.iter().all(|s| s.implicit) {
        return Ok(None);
    }
    let model = Arc::new(model.clone());
    match model.components() {
        2 => RigidSystem::<D, 2>::new(model)?.unstable(state, h),
        3 => RigidSystem::<D, 3>::new(model)?.unstable(state, h),
        4 => RigidSystem::<D, 4>::new(model)?.unstable(state, h),
        _ => RigidSystem::<D, 5>::new(model)?.unstable(state, h),
    }
}

impl<const D: usize, const C: usize> RigidSystem<D, C>
where
    Dim<D>: Kinematics<D>,
{
    fn unstable(&mut self, state: &State, h: f64) -> Result<Option<Unstable>, Error> {
        // Where things are, not half a step later.
        self.predict(state, 0.0)?;
        let mut terms = self.spring_terms();
        self.load_terms(state, &mut terms);
        terms.retain(|t| !t.row.is_empty() && (t.stiffness > 0.0 || t.damping > 0.0));
        if terms.is_empty() {
            return Ok(None);
        }
        let Some(held) = self.held() else { return Ok(None) };
        let mode = fastest(&terms, &held, self.inverse.len(), h);
        let share = |t: &Term| along(t, &mode).powi(2);
        let (mut stiffness, mut damping, mut worst) = (0.0, 0.0, (0.0, terms[0].owner));
        for t in &terms {
            let (k, c) = (t.stiffness * share(t), t.damping * share(t));
            (stiffness, damping) = (stiffness + k, damping + c);
            let both = h * h * k + 2.0 * h * c;
            if both > worst.0 {
                worst = (both, t.owner);
            }
        }
        if h * h * stiffness + 2.0 * h * damping < 4.0 {
            return Ok(None);
        }
        let limit = 4.0 / (damping + (damping * damping + 4.0 * stiffness).sqrt());
        Ok(Some(Unstable { owner: worst.1, frequency: stiffness.sqrt(), damping, limit }))
    }

    /// A row over the root of the masses, on what moves.
    fn scaled(&self, body: u32, row: &[f64], sign: f64, out: &mut Vec<(usize, f64)>) {
        let at = Self::dofs_of(body as usize).start;
        for (k, x) in row.iter().enumerate().take(Self::DOFS) {
            let weight = self.inverse[at + k].sqrt();
            if *x != 0.0 && weight > 0.0 {
                out.push((at + k, sign * x * weight));
            }
        }
    }

    fn spring_terms(&self) -> Vec<Term> {
        let mut terms = vec![];
        for (i, spring) in self.model.springs.iter().enumerate().filter(|(_, s)| !s.implicit) {
            let (e, length, points) = self.spring_geometry(i);
            // Under tension it is stiff across too; without length, in all directions.
            let across = if length > 0.0 { (1.0 - spring.rest_length / length).max(0.0) } else { 1.0 };
            for k in 0..D {
                let axis = Vector::<D>::from_fn(|i, _| f64::from(u8::from(i == k)));
                let (d, stiffness, damping) = match (length > 0.0, k) {
                    (true, 0) => (e, spring.stiffness, spring.damping),
                    (false, _) => (axis, spring.stiffness, spring.damping),
                    (true, _) => {
                        let flat = other_axis(&e, k);
                        (flat, across * spring.stiffness, 0.0)
                    }
                };
                let mut row = vec![];
                for (side, body) in spring.bodies.iter().enumerate() {
                    let Some(b) = *body else { continue };
                    let pose = &self.poses[b as usize];
                    let mut own = [0.0; 6];
                    Self::apply(pose, &d, &points[side], &mut own[..Self::DOFS]);
                    self.scaled(b, &own, [1.0, -1.0][side], &mut row);
                }
                terms.push(Term { owner: Explicit::Spring(i), row, stiffness, damping });
            }
        }
        terms
    }

    fn load_terms(&self, state: &State, terms: &mut Vec<Term>) {
        for (i, load) in self.model.loads.iter().enumerate() {
            let owner = Explicit::Load(i);
            let values = self.load_values(load.body as usize, state);
            for (first, is_rate) in [(1, false), (1 + D, true)] {
                for (value, axis) in principal(&load.slopes(first, &values)) {
                    let mut row = vec![];
                    self.scaled(load.body, &axis[..D], 1.0, &mut row);
                    let (stiffness, damping) = if is_rate { (0.0, value) } else { (value, 0.0) };
                    terms.push(Term { owner, row, stiffness, damping });
                }
            }
            if D == 2
                && let Some(torque) = load.torque.first()
            {
                let mut row = vec![];
                self.scaled(load.body, &[0.0, 0.0, 1.0], 1.0, &mut row);
                let slope = |k: usize| (-torque.partial(k, &values)).max(0.0);
                terms.push(Term { owner, row, stiffness: slope(5), damping: slope(6) });
            }
        }
    }

    /// Directions that joints hold, orthonormal over the root of the masses; none where there are too many.
    fn held(&self) -> Option<Vec<Vec<f64>>> {
        let (mut rows, mut links) = (Rows::<C>::default(), vec![]);
        self.links(0.0, &mut rows, &mut links);
        let mut held: Vec<Vec<f64>> = vec![];
        for (block, link) in links.iter().enumerate().filter(|(_, l)| l.kind == LinkKind::Joint) {
            for c in (0..C).filter(|c| link.compliance[*c] == 0.0) {
                let mut row = vec![0.0; self.inverse.len()];
                for side in rows.sides(block) {
                    for k in side.range() {
                        let dof = rows.dofs()[k] as usize;
                        row[dof] += rows.columns()[k][c] * self.inverse[dof].sqrt();
                    }
                }
                let size = norm(&row);
                remove(&mut row, &held);
                remove(&mut row, &held);
                let left = norm(&row);
                if left > 1e-9 * size {
                    row.iter_mut().for_each(|x| *x /= left);
                    held.push(row);
                }
                if held.len() > MOST_ROWS {
                    return None;
                }
            }
        }
        Some(held)
    }

    /// Whether a load on a body that no joint holds is too stiff for the step, at this place and velocity.
    pub(crate) fn check_load(&self, i: usize, values: &[f64]) -> Result<(), Error> {
        let (load, h) = (&self.model.loads[i], self.h);
        let body = load.body as usize;
        let mass = self.inverse[Self::dofs_of(body).start];
        let [stiff, drag] = [1, 1 + D].map(|first| load.slopes(first, values));
        let rough = mass * (h * h * stiff.norm() + 2.0 * h * drag.norm());
        if !(rough >= 4.0) || self.model.joints.iter().any(|j| j.joint.bodies.contains(&Some(load.body))) {
            return Ok(());
        }
        // Both are bounded from above by their largest values, which are reached together in one direction.
        let both = stiff * (h * h) + drag * (2.0 * h);
        let largest = principal(&both).iter().map(|p| p.0).fold(0.0, f64::max);
        if mass * largest < 4.0 {
            return Ok(());
        }
        let (k, c) = (principal(&stiff), principal(&drag));
        let [k, c] = [k, c].map(|p| mass * p.iter().map(|p| p.0).fold(0.0, f64::max));
        let limit = 4.0 / (c + (c * c + 4.0 * k).sqrt());
        let name = self.model.bodies[body].name.to_string();
        Err(Error::Unstable { body: name, time: self.t_m, h, limit })
    }
}

impl<const D: usize> crate::Load<D> {
    /// Minus the symmetric part of the slopes of the force by three variables from `first` on.
    fn slopes(&self, first: usize, values: &[f64]) -> Matrix3<f64> {
        let slope = |i: usize, k: usize| match self.force.get(i) {
            Some(e) if k < D => -e.partial(first + k, values),
            _ => 0.0,
        };
        let m = Matrix3::from_fn(slope);
        let m = (m + m.transpose()) * 0.5;
        if m.iter().all(|x| x.is_finite()) { m } else { Matrix3::zeros() }
    }
}

/// Positive eigenvalues and their directions.
fn principal(m: &Matrix3<f64>) -> Vec<(f64, [f64; 3])> {
    if m.amax() == 0.0 {
        return vec![];
    }
    let eigen = SymmetricEigen::new(*m);
    let all = (0..3).map(|k| (eigen.eigenvalues[k], eigen.eigenvectors.column(k).into_owned().into()));
    all.filter(|(value, _)| *value > 0.0).collect()
}

/// The `k`-th direction across a unit vector.
fn other_axis<const D: usize>(e: &Vector<D>, k: usize) -> Vector<D> {
    if D == 2 {
        return Vector::from_fn(|i, _| if i == 0 { -e[1] } else { e[0] });
    }
    // The axis least along e, made orthogonal; then the other one.
    let least = (0..D).min_by(|a, b| e[*a].abs().total_cmp(&e[*b].abs())).unwrap_or(0);
    let first = (Vector::<D>::from_fn(|i, _| f64::from(u8::from(i == least))) - e * e[least]).normalize();
    if k == 1 {
        return first;
    }
    Vector::from_fn(|i, _| {
        let (a, b) = ((i + 1) % D, (i + 2) % D);
        e[a] * first[b] - e[b] * first[a]
    })
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Takes away the parts of `x` along orthonormal directions.
fn remove(x: &mut [f64], directions: &[Vec<f64>]) {
    for d in directions {
        let part: f64 = x.iter().zip(d).map(|(x, d)| x * d).sum();
        x.iter_mut().zip(d).for_each(|(x, d)| *x -= part * d);
    }
}

fn along(t: &Term, x: &[f64]) -> f64 {
    t.row.iter().map(|(dof, c)| c * x[*dof]).sum()
}

/// The unit vector of the largest eigenvalue, of what is free.
fn fastest(terms: &[Term], held: &[Vec<f64>], n: usize, h: f64) -> Vec<f64> {
    let weight = |t: &Term| h * h * t.stiffness + 2.0 * h * t.damping;
    // From all of them, no two with the same share: none is left out by symmetry.
    let mut x = vec![0.0; n];
    for (i, t) in terms.iter().enumerate() {
        let share = weight(t) * (1.0 + (0.618 * (i + 1) as f64).fract());
        t.row.iter().for_each(|(dof, c)| x[*dof] += share * c);
    }
    for _ in 0..ITERATIONS {
        remove(&mut x, held);
        let size = norm(&x);
        if !(size > 0.0) {
            return vec![0.0; n];
        }
        x.iter_mut().for_each(|x| *x /= size);
        let mut next = vec![0.0; n];
        for t in terms {
            let pull = weight(t) * along(t, &x);
            t.row.iter().for_each(|(dof, c)| next[*dof] += pull * c);
        }
        x = next;
    }
    remove(&mut x, held);
    let size = norm(&x);
    if size > 0.0 {
        x.iter_mut().for_each(|x| *x /= size);
    }
    x
}
