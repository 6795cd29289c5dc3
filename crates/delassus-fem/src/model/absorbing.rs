//! Boundaries and layers that let waves out
//!
//! ```text
//! C = ∫ N (ρ c_p n⊗n + ρ c_s (1 − n⊗n)) N dA        dashpots on facets        [Lysmer69]
//! C_e = a(d) M_e + b(d) K_e                          cells of a layer
//! ```
//!
//! Dashpots end a medium without reflection for P and S waves that meet them squarely, at every frequency; others
//! are reflected in part. A layer grows its damping from nothing at its inner side, `a = a₀ (1 − d/depth)ⁿ`, d being the
//! distance to the facets behind it. With `b = a/ω₀²` its impedance `√(ρ (1 + a/iω) E (1 + iωb))` has no phase at ω₀, and a wave of that frequency loses
//! `exp(−2 ∫ a/c)` on its way to the facets and back.
//!
//! Of a beam the end has the impedances of its characteristics: ρA√(E/ρ) along, ρA√(κG/ρ) across, ρI√(E/ρ) in rotation
//! about the axes of bending, ρI_p√(G/ρ) about its own. Waves along it and of twist leave without reflection; those
//! of bending, which disperse, only where they are short beside the section.

use super::{Beam, Model, ModelError, Part};
use crate::algebra::{AlgebraError, SymmetricMatrix};
use crate::element::beam::Theory;
use crate::solid::{Facets, Hypothesis, Motion};

/// A constant damping matrix of some degrees of freedom, rows one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Dashpot {
    /// The degrees of freedom.
    pub dofs: Vec<u32>,
    /// The matrix \[N·s/m\], symmetric, not negative.
    pub matrix: Vec<f64>,
}

impl Dashpot {
    /// Adds it to a matrix.
    pub(crate) fn add(&self, matrix: &mut SymmetricMatrix) -> Result<(), AlgebraError> {
        let n = self.dofs.len();
        for (i, a) in self.dofs.iter().enumerate() {
            for (j, b) in self.dofs.iter().enumerate().filter(|(_, b)| *b <= a) {
                matrix.add(*a, *b, self.matrix[n * i + j])?;
            }
        }
        Ok(())
    }
}

/// A graded layer before a group of facets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Its depth \[m\].
    pub depth: f64,
    /// The frequency at which its impedance is that of the medium \[Hz\].
    pub frequency: f64,
    /// What it leaves of the amplitude of P waves of that frequency, on the way to the facets and back.
    pub reflection: f64,
    /// Power of the growth.
    pub power: f64,
}

/// Speeds of P and S waves in a part at rest \[m/s\].
pub fn speeds(part: &Part) -> [f64; 2] {
    let spec = part.solid.spec();
    let (young, poisson) = spec.material.elasticity();
    let (lambda, mu) = spec.material.lame();
    let along = match spec.hypothesis {
        Hypothesis::PlaneStress { .. } => young / (1.0 - poisson * poisson),
        _ => lambda + 2.0 * mu,
    };
    [(along / spec.density).sqrt(), (mu / spec.density).sqrt()]
}

impl Model {
    /// Dashpots on a group of facets of a part.
    pub fn absorb(&mut self, part: usize, group: &str) -> Result<(), ModelError> {
        let facets = self.facets(part, group)?;
        let part = &self.parts[part];
        let density = part.solid.spec().density;
        let impedances = speeds(part).map(|c| density * c);
        let (dim, first) = (self.dim as u32, part.first as u32);
        let mut made = vec![];
        facets
            .impedance(impedances, &mut |facet, _, matrix| {
                let nodes = facets.connectivity(facet).iter();
                let dofs = nodes.flat_map(|n| (0..dim).map(move |k| dim * (first + n) + k)).collect();
                made.push(Dashpot { dofs, matrix: matrix.to_vec() });
            })
            .map_err(|reason| ModelError::Solid { part: part.name.clone(), reason })?;
        self.dashpots.extend(made);
        Ok(())
    }

    /// Damping of the cells of a part before a group of facets; how many cells it holds.
    pub fn absorb_layer(&mut self, part: usize, group: &str, layer: Layer) -> Result<usize, ModelError> {
        let facets = self.facets(part, group)?;
        let Part { solid, name, first, .. } = &self.parts[part];
        let refused = |reason| ModelError::Solid { part: name.clone(), reason };
        let [c, _] = speeds(&self.parts[part]);
        let most = (layer.power + 1.0) * c * (1.0 / layer.reflection).ln() / (2.0 * layer.depth);
        let omega = std::f64::consts::TAU * layer.frequency;
        let (dim, first) = (self.dim as u32, *first as u32);
        let zero = vec![0.0; self.dim * solid.node_count()];
        let (motion, history) = (Motion { u: &zero, v: &zero }, solid.initial_history());
        let mut scratch = history.clone();
        let mut made = vec![];
        for (cell, a) in
            graded(&self.parts[part], &facets, &layer).into_iter().map(|(cell, share)| (cell, share * most))
        {
            let nodes = solid.connectivity(cell).iter();
            let dofs = nodes.flat_map(|n| (0..dim).map(move |k| dim * (first + n) + k)).collect();
            let mut matrix = vec![];
            solid
                .mass(cell..cell + 1, false, &mut |_, _, m| matrix.extend(m.iter().map(|x| a * x)))
                .map_err(refused)?;
            let at = solid.history_range(cell..cell + 1);
            let add = &mut |_: usize, _: &[f64], k: &[f64]| {
                matrix.iter_mut().zip(k).for_each(|(x, k)| *x += a / (omega * omega) * k);
            };
            solid
                .evaluate(cell..cell + 1, motion, &history, &mut scratch[at], Some([1.0, 0.0]), add)
                .map_err(refused)?;
            made.push(Dashpot { dofs, matrix });
        }
        let count = made.len();
        self.dashpots.extend(made);
        Ok(count)
    }

    /// Dashpots at a node of a beam.
    pub fn absorb_node(&mut self, beam: usize, node: usize) {
        let (dim, all) = (self.dim, self.nodes());
        let axis = self.axis(beam, node);
        let Beam { section: s, first, rotation, .. } = &self.beams[beam];
        let line = s.density * s.area;
        let (long, twist) = ((s.young / s.density).sqrt(), (s.shear / s.density).sqrt());
        // Without shear there is no wave front of it: what is left is an estimate of the same size.
        let across = match s.theory {
            Theory::Timoshenko => (s.correction[0] * s.shear / s.density).sqrt(),
            Theory::Bernoulli => twist,
        };
        let at = dim * (first + node);
        let dofs: Vec<u32> = (at..at + dim).map(|d| d as u32).collect();
        self.dashpots.push(Dashpot { dofs, matrix: split(dim, axis, line * long, line * across) });
        let turns = Beam::turns(dim);
        let at = dim * all + rotation + turns * node;
        let dofs: Vec<u32> = (at..at + turns).map(|d| d as u32).collect();
        let bending = match s.theory {
            Theory::Timoshenko => s.density * s.inertia[1] * long,
            Theory::Bernoulli => 0.0,
        };
        let matrix = match dim {
            2 => vec![bending],
            _ => split(3, axis, s.density * (s.inertia[0] + s.inertia[1]) * twist, bending),
        };
        self.dashpots.push(Dashpot { dofs, matrix });
    }
}

/// `along a⊗a + across (1 − a⊗a)`.
fn split(dim: usize, a: [f64; 3], along: f64, across: f64) -> Vec<f64> {
    let entry = |i: usize, j: usize| (along - across) * a[i] * a[j] + if i == j { across } else { 0.0 };
    (0..dim * dim).map(|k| entry(k / dim, k % dim)).collect()
}

/// Cells of the layer and the share of the largest damping they have, by the distance of their middles to the plane
/// of the nearest facet.
fn graded(part: &Part, facets: &Facets, layer: &Layer) -> Vec<(usize, f64)> {
    let planes: Vec<[[f64; 3]; 2]> = (0..facets.len()).map(|f| facets.plane(f)).collect();
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let apart = |a: [f64; 3], b: [f64; 3]| std::array::from_fn::<f64, 3, _>(|k| a[k] - b[k]);
    let mut all = vec![];
    for cell in 0..part.solid.cells() {
        let nodes = part.solid.connectivity(cell);
        let sum = |k: usize| nodes.iter().map(|n| part.mesh.points[*n as usize][k]).sum::<f64>();
        let middle: [f64; 3] = std::array::from_fn(|k| sum(k) / nodes.len() as f64);
        let far = |p: &&[[f64; 3]; 2]| dot(apart(middle, p[0]), apart(middle, p[0]));
        let Some([at, normal]) = planes.iter().min_by(|a, b| f64::total_cmp(&far(a), &far(b))) else { continue };
        let distance = dot(apart(*at, middle), *normal);
        if distance >= 0.0 && distance < layer.depth {
            all.push((cell, (1.0 - distance / layer.depth).powf(layer.power)));
        }
    }
    all
}
