//! Two parts of a model made one: weights on their points, rows that tie them.

use crate::{Error, Gluing, Layer, Mediator, Overlap, Product, Profile, Ramp, Sharing, Vector};
use delassus_fem::Model;
use delassus_fem::element::{Rule, mass_rule, stiffness_rule};
use delassus_fem::model::{Glued, Tie, TieRow};
use delassus_fem::solid::{Factors, Hypothesis};

/// Weights of the coarse model in the overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// α.
    pub inertia: Profile,
    /// β.
    pub strain: Profile,
    /// γ.
    pub load: Profile,
}

/// Where the models are glued.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Zone {
    /// All over the overlap.
    #[default]
    Overlap,
    /// Within this distance of the sides of the fine model that lie inside the coarse one \[m\].
    Border(f64),
    /// In a box.
    Box {
        /// Lower corner \[m\].
        lower: [f64; 3],
        /// Upper corner \[m\].
        upper: [f64; 3],
    },
}

/// How a fine model lies over a coarse one; numbers are those of parts and, after all parts, of beams.
#[derive(Clone, Debug, PartialEq)]
pub struct Superposition {
    /// Its name.
    pub name: String,
    /// The coarse model.
    pub coarse: usize,
    /// The fine one.
    pub fine: usize,
    /// Weights.
    pub weights: Weights,
    /// Length of the weights' ramp where it has one end only; all the way by default \[m\].
    pub width: Option<f64>,
    /// Where they are glued.
    pub zone: Zone,
    /// Whose functions the multipliers are.
    pub mediator: Mediator,
    /// The product that glues.
    pub product: Product,
    /// What is glued.
    pub glued: Glued,
}

/// What a superposition is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// Measure of the overlap.
    pub overlap: f64,
    /// Measure of the gluing zone, thickness or turn included.
    pub zone: f64,
    /// Multipliers, all components counted.
    pub multipliers: usize,
    /// Multipliers left out, whose support in the zone is faint.
    pub faint: usize,
    /// Share of the fine mesh that the coarse one covers.
    pub covered: f64,
    /// Mean size of the coarse and of the fine cells in the overlap \[m\].
    pub sizes: [f64; 2],
    /// Share of the fine cells in the overlap that lie in more than one coarse cell.
    pub crossing: f64,
}

impl Superposition {
    /// Weighs both parts and ties them.
    ///
    /// # Errors
    /// Parts that do not overlap, a gluing zone without measure, weights out of range: nothing has changed then.
    pub fn apply<const D: usize>(&self, model: &mut Model) -> Result<Made, Error> {
        if self.coarse.max(self.fine) >= model.parts.len() {
            return self.apply_to_beam::<D>(model);
        }
        let [coarse, fine] = [self.coarse, self.fine].map(|p| &model.parts[p]);
        let hypothesis = coarse.solid.spec().hypothesis;
        if std::mem::discriminant(&hypothesis) != std::mem::discriminant(&fine.solid.spec().hypothesis) {
            return Err(Error::Hypotheses);
        }
        let overlap = Overlap::<D>::new(Layer::new(&coarse.mesh, None)?, Layer::new(&fine.mesh, None)?)?;
        let ramp = Ramp::new(&overlap, self.width);
        let wide = ramp.depth(&overlap);
        let mut factors = self.factors(&overlap, &ramp, wide, hypothesis)?;
        if let Some(before) = coarse.solid.factors() {
            take_share_of(&overlap, before, &mut factors[1]);
        }
        let zone = |x: &Vector<D>| self.glues(&ramp, x);
        let extent = |x: &Vector<D>| hypothesis.extent(x[0]);
        let gluing = Gluing::new(&overlap, self.mediator, self.product, &zone, &extent)?;
        let firsts = [coarse.first, fine.first];
        let owner = firsts[usize::from(self.mediator == Mediator::Fine)];
        let mut rows = vec![];
        for row in &gluing.rows {
            for k in 0..D {
                let dof = |first: usize, node: u32| (D * (first + node as usize) + k) as u32;
                let side = |first: usize| move |(node, c): &(u32, f64)| (dof(first, *node), *c);
                let terms = row.coarse.iter().map(side(firsts[0])).chain(row.fine.iter().map(side(firsts[1])));
                rows.push(TieRow { terms: terms.collect(), place: Some(dof(owner, row.node)) });
            }
        }
        let whole: f64 = overlap.fine.measures().iter().sum();
        let made = Made {
            overlap: overlap.measure(),
            zone: gluing.measure,
            multipliers: rows.len(),
            faint: gluing.faint * D,
            covered: overlap.measure() / whole,
            sizes: overlap.sizes(),
            crossing: overlap.crossing(),
        };
        let hidden = hidden_facets(&overlap);
        drop(overlap);
        for (part, mut hidden) in [self.coarse, self.fine].into_iter().zip(hidden) {
            let all = &mut model.parts[part].hidden;
            all.append(&mut hidden);
            all.sort_unstable();
            all.dedup();
        }
        let [coarse, fine] = factors;
        for (part, factors) in [(self.coarse, coarse), (self.fine, fine)] {
            model.parts[part].solid.weigh(&factors).map_err(|reason| Error::Solid(reason.to_string()))?;
        }
        model.ties.push(Tie { name: self.name.clone(), rows, glued: self.glued });
        Ok(made)
    }

    /// The same before the fine model takes over: it hangs on the coarse one, glued all over the overlap, and keeps
    /// `share` of the energies there.
    #[must_use]
    pub fn hanging(&self, share: f64) -> Self {
        let all = Profile::Constant(1.0 - share);
        let weights = Weights { inertia: all, strain: all, load: all };
        Self { weights, width: None, zone: Zone::Overlap, mediator: Mediator::Fine, ..self.clone() }
    }

    /// Whether a place of the overlap is in the gluing zone.
    pub(crate) fn glues<const D: usize>(&self, ramp: &Ramp<D>, x: &Vector<D>) -> bool {
        match self.zone {
            Zone::Overlap => true,
            Zone::Border(depth) => ramp.from_coarse(x) <= depth,
            Zone::Box { lower, upper } => (0..D).all(|k| lower[k] <= x[k] && x[k] <= upper[k]),
        }
    }

    /// Factors of the points of both parts.
    fn factors<const D: usize>(
        &self,
        overlap: &Overlap<'_, D>,
        ramp: &Ramp<D>,
        wide: f64,
        hypothesis: Hypothesis,
    ) -> Result<[Factors; 2], Error> {
        let round = hypothesis == Hypothesis::Axisymmetric;
        let share = |profile: Profile, rule: &dyn Fn(delassus_fem::mesh::CellKind) -> Rule| {
            let extent = |x: &Vector<D>| hypothesis.extent(x[0]);
            Ok::<_, Error>(Sharing::new(profile, Some(ramp))?.factors_within(overlap, rule, wide, &extent))
        };
        let Weights { inertia, strain, load } = self.weights;
        let [a, b] = share(inertia, &mass_rule)?;
        let [c, d] = share(strain, &|kind| stiffness_rule(kind, round))?;
        let [e, f] = if load == inertia { [a.clone(), b.clone()] } else { share(load, &mass_rule)? };
        Ok([Factors { inertia: a, strain: c, load: e }, Factors { inertia: b, strain: d, load: f }])
    }
}

/// A patch on a patch takes its share of what that one has: of each fine cell, the mean of its pieces.
fn take_share_of<const D: usize>(overlap: &Overlap<'_, D>, host: &Factors, patch: &mut Factors) {
    let mean = |list: &Vec<f64>| if list.is_empty() { 1.0 } else { list.iter().sum::<f64>() / list.len() as f64 };
    let measures = overlap.fine.measures();
    let lists = [(&host.inertia, &mut patch.inertia), (&host.strain, &mut patch.strain), (&host.load, &mut patch.load)];
    for (host, patch) in lists {
        let mut share = vec![1.0; measures.len()];
        for piece in &overlap.pieces {
            let part = piece.simplex.measure() / measures[piece.fine as usize];
            share[piece.fine as usize] -= part * (1.0 - mean(&host[piece.coarse as usize]));
        }
        patch.iter_mut().zip(share).for_each(|(list, share)| list.iter_mut().for_each(|f| *f *= share));
    }
}

/// Contact lives on the fine model: facets of the coarse mesh that it covers are hidden, and those of its own that lie
/// inside the coarse one.
fn hidden_facets<const D: usize>(overlap: &Overlap<'_, D>) -> [Vec<usize>; 2] {
    let lies = |of: &Layer<'_, D>, other: &Layer<'_, D>, side: f64| -> Vec<usize> {
        let boundary = of.mesh.boundary();
        let inside = |f: &delassus_fem::mesh::Facet| {
            let corners = &f.nodes()[..f.kind.corners()];
            let at = |n: &u32| Vector::<D>::from_column_slice(&of.mesh.points[*n as usize][..D]);
            let centre = corners.iter().map(at).sum::<Vector<D>>() / corners.len() as f64;
            let behind: [f64; 3] = of.mesh.cell_centre(f.cell);
            // A little way out of the cell, or into it.
            let x = centre + (centre - Vector::<D>::from_column_slice(&behind[..D])) * (side * BESIDE);
            other.cell_at(&x).is_some()
        };
        boundary.iter().enumerate().filter(|(_, f)| inside(f)).map(|(i, _)| i).collect()
    };
    [lies(&overlap.coarse, &overlap.fine, -1.0), lies(&overlap.fine, &overlap.coarse, 1.0)]
}

/// Share of the way from a facet to the middle of its cell that tells what lies there.
const BESIDE: f64 = 1e-3;
