//! Equilibrium: cones and balance
//!
//! ```text
//!     S_α ∈ C_α  for every contact,        Gᵀ S + f = 0                        method §4
//! ```
//!
//! `f` are the given percussions on the degrees of freedom (momentum before the step and
//! loads), so that the balance says: at rest at the end of the step. Of a problem known by
//! `W` and `b` alone the balance is `W S + b = 0`, no velocity at any contact; both say the
//! same where the contacts can hold the bodies at all.

use crate::Error;
use delassus_friction::algebra::Vector;
use delassus_friction::{Law, Problem};
use std::sync::Arc;

/// Laws of the blocks and the equations of balance. Blocks are the contacts, then the links.
#[derive(Clone, Debug)]
pub struct Statics<const D: usize> {
    laws: Vec<Law>,
    contacts: usize,
    load: Vec<f64>,
    start: Vec<usize>,
    entry: Vec<(u32, Vector<D>)>,
}

impl<const D: usize> Statics<D> {
    /// From `(block, equation, coefficients)` in any order, the given percussions, and one law
    /// per block; the first `contacts` blocks are the contacts.
    pub fn new(
        laws: Vec<Law>,
        contacts: usize,
        load: Vec<f64>,
        mut entries: Vec<(usize, usize, Vector<D>)>,
    ) -> Result<Self, Error> {
        let size = |what, expected, found| {
            if found <= expected { Ok(()) } else { Err(Error::Size { what, expected, found }) }
        };
        size("contacts among the blocks", laws.len(), contacts)?;
        if let Some(index) = load.iter().position(|f| !f.is_finite()) {
            return Err(Error::NonFinite { what: "load", index });
        }
        for (contact, law) in laws.iter().enumerate() {
            law.validate::<D>().map_err(|source| delassus_friction::Error::Law { contact, source })?;
        }
        entries.sort_by_key(|e| (e.0, e.1));
        let (mut start, mut entry) = (vec![0], Vec::<(u32, Vector<D>)>::with_capacity(entries.len()));
        for (block, row, g) in entries {
            size("number of blocks, from the balance", laws.len(), block + 1)?;
            size("number of equations, from the balance", load.len(), row + 1)?;
            if !g.iter().all(|x| x.is_finite()) {
                return Err(Error::NonFinite { what: "balance of block", index: block });
            }
            while start.len() <= block {
                start.push(entry.len());
            }
            let known = entry.len() > start[block];
            match entry.last_mut() {
                Some(last) if known && last.0 == row as u32 => last.1 += g,
                _ => entry.push((row as u32, g)),
            }
        }
        start.resize(laws.len() + 1, entry.len());
        Ok(Self { laws, contacts, load, start, entry })
    }

    /// `W S + b = 0`: what a problem in local form says of equilibrium.
    pub fn from_problem(problem: &Problem<D>) -> Result<Self, Error> {
        let n = problem.len();
        let mut entries = vec![];
        for i in 0..n {
            for (j, w) in problem.w().row(i).chain([(i, problem.w().diagonal(i))]) {
                entries.extend((0..D).map(|r| (j, D * i + r, w.row(r).transpose())));
            }
        }
        let load = problem.b().iter().flat_map(|b| b.iter().copied()).collect();
        Self::new(problem.laws().to_vec(), n, load, entries)
    }

    /// Blocks: contacts and links.
    pub fn blocks(&self) -> usize {
        self.laws.len()
    }

    /// Contacts.
    pub fn contacts(&self) -> usize {
        self.contacts
    }

    /// Equations of balance.
    pub fn equations(&self) -> usize {
        self.load.len()
    }

    /// The laws, one per block.
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// The given percussions.
    pub fn load(&self) -> &[f64] {
        &self.load
    }

    /// The equations a block enters, with its coefficients.
    pub fn column(&self, block: usize) -> &[(u32, Vector<D>)] {
        &self.entry[self.start[block]..self.start[block + 1]]
    }

    /// The same with every coefficient of friction multiplied.
    pub fn with_friction(&self, factor: f64) -> Self {
        let mut out = self.clone();
        for law in &mut out.laws {
            *law = scaled(law, factor);
        }
        out
    }

    /// The same with one more block, last among the contacts, that acts on the equations `rows`: its law, and how
    /// each of its first components enters.
    pub(crate) fn with_block(&self, law: Law, parts: &[Vec<(usize, f64)>]) -> Result<Self, Error> {
        let mut entries: Vec<(usize, usize, Vector<D>)> = vec![];
        let links = self.contacts..self.blocks();
        for block in (0..self.contacts).chain(links.clone()) {
            let place = if block < self.contacts { block } else { block + 1 };
            entries.extend(self.column(block).iter().map(|(row, g)| (place, *row as usize, *g)));
        }
        for (k, part) in parts.iter().enumerate().take(D) {
            for (row, value) in part {
                entries.push((self.contacts, *row, Vector::from_fn(|i, _| if i == k { *value } else { 0.0 })));
            }
        }
        let mut laws = self.laws[..self.contacts].to_vec();
        laws.push(law);
        laws.extend_from_slice(&self.laws[links]);
        Self::new(laws, self.contacts + 1, self.load.clone(), entries)
    }

    /// The same without the contacts that `kept` refuses.
    pub fn only(&self, kept: impl Fn(usize) -> bool) -> Result<Self, Error> {
        let stays: Vec<usize> = (0..self.blocks()).filter(|b| *b >= self.contacts || kept(*b)).collect();
        let contacts = stays.iter().filter(|b| **b < self.contacts).count();
        let laws = stays.iter().map(|b| self.laws[*b].clone()).collect();
        let entry = |(place, block): (usize, &usize)| -> Vec<(usize, usize, Vector<D>)> {
            self.column(*block).iter().map(|(row, g)| (place, *row as usize, *g)).collect()
        };
        let entries = stays.iter().enumerate().flat_map(entry).collect();
        Self::new(laws, contacts, self.load.clone(), entries)
    }

    /// The same under other given percussions.
    pub fn under(&self, load: Vec<f64>) -> Result<Self, Error> {
        let (expected, found) = (self.load.len(), load.len());
        if expected != found {
            return Err(Error::Size { what: "number of equations of the load", expected, found });
        }
        if let Some(index) = load.iter().position(|f| !f.is_finite()) {
            return Err(Error::NonFinite { what: "load", index });
        }
        Ok(Self { load, ..self.clone() })
    }

    /// `max |Gᵀ S + f| / max |f|`: how far from balance.
    pub fn imbalance(&self, s: &[Vector<D>]) -> f64 {
        let mut sum = self.load.clone();
        for (block, s) in s.iter().enumerate() {
            for (row, g) in self.column(block) {
                sum[*row as usize] += g.dot(s);
            }
        }
        let size = |x: &[f64]| x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let scale = size(&self.load);
        size(&sum) / if scale > 0.0 { scale } else { 1.0 }
    }

    /// Largest distance of a percussion to the set of its law, relative to the largest percussion.
    pub fn outside(&self, s: &[Vector<D>]) -> f64 {
        let scale = s.iter().map(|s| s.norm()).fold(f64::MIN_POSITIVE, f64::max);
        self.laws.iter().zip(s).map(|(law, s)| (law.project(s) - s).norm()).fold(0.0, f64::max) / scale
    }

    pub(crate) fn check_contact(&self, contact: usize) -> Result<(), Error> {
        if contact < self.contacts {
            return Ok(());
        }
        Err(Error::NoSuchContact { contact, count: self.contacts })
    }

    /// Factor of each equation that makes its largest coefficient 1; zero for one without any.
    pub(crate) fn row_scales(&self) -> Vec<f64> {
        let mut size = vec![0.0f64; self.load.len()];
        for (row, g) in &self.entry {
            size[*row as usize] = size[*row as usize].max(g.amax());
        }
        size.iter().map(|s| if *s > 0.0 { 1.0 / s } else { 0.0 }).collect()
    }

    /// An equation that no contact enters and that does not hold by itself.
    pub fn unsupported(&self) -> Option<usize> {
        let largest = self.load.iter().fold(0.0f64, |m, f| m.max(f.abs()));
        let scales = self.row_scales();
        (0..self.load.len()).find(|i| scales[*i] == 0.0 && self.load[*i].abs() > 1e-12 * largest)
    }
}

fn scaled(law: &Law, factor: f64) -> Law {
    match law {
        Law::Coulomb { mu } => Law::coulomb(mu * factor),
        Law::Elliptic { mu, angle } => Law::Elliptic { mu: mu.map(|m| m * factor), angle: *angle },
        Law::Directional { mu } => Law::Directional { mu: mu.map(|m| m * factor) },
        Law::Polyhedral(section) if factor > 0.0 => Law::Polyhedral(Arc::new(section.scaled(factor))),
        Law::Polyhedral(_) => Law::Frictionless,
        Law::RollingTorsional { mu, mu_r, mu_s } => Law::RollingTorsional { mu: mu * factor, mu_r: *mu_r, mu_s: *mu_s },
        Law::Rolling { mu, mu_r } => Law::Rolling { mu: mu * factor, mu_r: *mu_r },
        Law::Torsional { mu, mu_s } => Law::Torsional { mu: mu * factor, mu_s: *mu_s },
        other => other.clone(),
    }
}

/// The law's name in messages.
pub(crate) fn name(law: &Law) -> &'static str {
    match law {
        Law::Frictionless => "frictionless",
        Law::Coulomb { .. } => "Coulomb",
        Law::Elliptic { .. } => "elliptic",
        Law::Polyhedral(_) => "polyhedral",
        Law::Tresca { .. } => "Tresca",
        Law::Bilateral => "bilateral",
        Law::Limited { .. } => "limited",
        Law::Rolling { .. } => "rolling",
        Law::Torsional { .. } => "torsional",
        Law::RollingTorsional { .. } => "rolling and torsional",
        Law::Directional { .. } => "directional",
    }
}
