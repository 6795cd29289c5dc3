//! Beams of a model superposed on beams, or on the solid around them.

use crate::superpose::{Made, Superposition, Weights, Zone};
use crate::{BeamOverlap, Bond, Error, Junction, Layer, Line, Mediator, Profile, Term, Vector};
use delassus_fem::Model;
use delassus_fem::element::{mass_rule, stiffness_rule};
use delassus_fem::model::{Beam, Tie, TieRow};
use delassus_fem::solid::{Factors, Hypothesis};

/// The line of a beam of a model.
fn line(model: &Model, beam: &Beam) -> Result<Line, Error> {
    let places = model.positions();
    let at = |n: usize| std::array::from_fn(|k| if k < model.dim { places[model.dim * n + k] } else { 0.0 });
    let points: Vec<[f64; 3]> = (beam.first..beam.first + beam.count).map(at).collect();
    Line::new(model.dim, &points, &beam.section, beam.up)
}

/// Mean length of the elements of a beam, in the numbering of [`Superposition`]; zero for a solid.
pub fn mean_length(model: &Model, owner: usize) -> f64 {
    let beam = owner.checked_sub(model.parts.len()).and_then(|b| model.beams.get(b));
    let stations = beam.and_then(|beam| line(model, beam).ok()).map(|line| line.stations);
    stations.map_or(0.0, |s| (s[s.len() - 1] - s[0]) / (s.len() - 1) as f64)
}

/// Rows of a model; `owners` are the numbers of the coarse and of the fine one.
fn rows(model: &Model, owners: [usize; 2], bond: &Bond, mediator: Mediator) -> Vec<TieRow> {
    let dim = model.dim;
    let dof = |owner: usize, node: u32, component: usize| -> u32 {
        let parts = model.parts.len();
        match (owner < parts, component < dim) {
            (true, _) => (dim * (model.parts[owner].first + node as usize) + component) as u32,
            (_, true) => (dim * (model.beams[owner - parts].first + node as usize) + component) as u32,
            _ => model.rotation(owner - parts, node as usize, component - dim),
        }
    };
    let own = owners[usize::from(mediator == Mediator::Fine)];
    let of = |owner: usize| move |(node, component, c): &Term| (dof(owner, *node, *component), *c);
    let row = |row: &crate::BondRow| TieRow {
        terms: row.coarse.iter().map(of(owners[0])).chain(row.fine.iter().map(of(owners[1]))).collect(),
        place: Some(dof(own, row.place.0, row.place.1)),
    };
    bond.rows.iter().map(row).collect()
}

impl Superposition {
    /// As [`Superposition::apply`] where the coarse model is a beam.
    pub(crate) fn apply_to_beam<const D: usize>(&self, model: &mut Model) -> Result<Made, Error> {
        let parts = model.parts.len();
        if self.coarse < parts {
            return Err(Error::BeamFine);
        }
        let coarse = line(model, &model.beams[self.coarse - parts])?;
        if self.fine >= parts {
            let fine = line(model, &model.beams[self.fine - parts])?;
            return self.beams(model, &BeamOverlap::new(&coarse, &fine)?);
        }
        self.junction::<D>(model, coarse)
    }

    fn beams(&self, model: &mut Model, overlap: &BeamOverlap) -> Result<Made, Error> {
        let parts = model.parts.len();
        let Weights { inertia, strain, .. } = self.weights;
        let [inertia, strain] = [inertia, strain].map(|p| overlap.factors(p, self.width));
        let ([a, b], [c, d]) = (inertia?, strain?);
        let zone = |s: f64| match self.zone {
            Zone::Overlap => true,
            Zone::Border(depth) => overlap.from_border(s) <= depth,
            Zone::Box { lower, upper } => {
                let x = overlap.place(s);
                (0..model.dim).all(|k| lower[k] <= x[k] && x[k] <= upper[k])
            }
        };
        let bond = overlap.glue(self.mediator, self.product, &zone)?;
        let rows = rows(model, [self.coarse, self.fine], &bond, self.mediator);
        let measure = overlap.measure()?;
        let made = Made {
            overlap: measure,
            zone: bond.measure,
            multipliers: rows.len(),
            faint: bond.faint,
            covered: measure / overlap.fine_length(),
            sizes: [mean_length(model, self.coarse), mean_length(model, self.fine)],
            crossing: 0.0,
        };
        model.beams[self.coarse - parts].weigh(&a, &c);
        model.beams[self.fine - parts].weigh(&b, &d);
        model.ties.push(Tie { name: self.name.clone(), rows, glued: self.glued });
        Ok(made)
    }

    fn junction<const D: usize>(&self, model: &mut Model, line: Line) -> Result<Made, Error> {
        let parts = model.parts.len();
        let part = &model.parts[self.fine];
        let hypothesis = part.solid.spec().hypothesis;
        if hypothesis == Hypothesis::Axisymmetric {
            return Err(Error::Revolution);
        }
        let junction = Junction::<D>::new(Layer::new(&part.mesh, None)?, line)?;
        let extent = |x: &Vector<D>| hypothesis.extent(x[0]);
        let Weights { inertia, strain, load } = self.weights;
        let mass = |p: Profile| junction.factors(p, &mass_rule, self.width, &extent);
        let (a, b) = mass(inertia)?;
        let (c, d) = junction.factors(strain, &|kind| stiffness_rule(kind, false), self.width, &extent)?;
        let f = if load == inertia { b.clone() } else { mass(load)?.1 };
        let zone = |x: &Vector<D>| match self.zone {
            Zone::Overlap => true,
            Zone::Border(depth) => junction.from_border(x) <= depth,
            Zone::Box { lower, upper } => (0..D).all(|k| lower[k] <= x[k] && x[k] <= upper[k]),
        };
        let bond = junction.glue(self.mediator, self.product, &zone, &extent)?;
        let rows = rows(model, [self.coarse, self.fine], &bond, self.mediator);
        let measures = junction.solid.measures();
        let whole: f64 = measures.iter().sum();
        let size = measures.iter().map(|m| m.powf(1.0 / D as f64)).sum::<f64>() / measures.len() as f64;
        let made = Made {
            overlap: junction.measure(),
            zone: bond.measure,
            multipliers: rows.len(),
            faint: bond.faint,
            covered: junction.measure() / whole,
            sizes: [mean_length(model, self.coarse), size],
            crossing: 0.0,
        };
        drop(junction);
        let factors = Factors { inertia: b, strain: d, load: f };
        model.parts[self.fine].solid.weigh(&factors).map_err(|reason| Error::Solid(reason.to_string()))?;
        model.beams[self.coarse - parts].weigh(&a, &c);
        model.ties.push(Tie { name: self.name.clone(), rows, glued: self.glued });
        Ok(made)
    }
}
