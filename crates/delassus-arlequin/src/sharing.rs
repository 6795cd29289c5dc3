//! How the two models share the energy of the overlap: weights α, β, γ of method (17).

use crate::layer::determinant;
use crate::moments::Space;
use crate::overlap::Rules;
use crate::{Error, Layer, Overlap, Ramp, Simplex, Vector};
use delassus_fem::element::Rule;
use delassus_fem::mesh::CellKind;

/// Cells covered up to this share are covered.
const WHOLE: f64 = 1e-9;

/// How a weight goes from one model to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Profile {
    /// The coarse model keeps this share all over the overlap.
    Constant(f64),
    /// Straight, from 1 to `floor`.
    Linear {
        /// What is left to the weaker model: more than zero, method (17).
        floor: f64,
    },
    /// `1 − 3s² + 2s³`: smooth at both ends.
    Cubic {
        /// See [`Profile::Linear`].
        floor: f64,
    },
}

/// Weights of the coarse model; those of the fine one are what is left of 1.
pub struct Sharing<'r, const D: usize> {
    profile: Profile,
    ramp: Option<&'r Ramp<D>>,
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Profile::Constant(_) => "constant",
            Profile::Linear { .. } => "linear",
            Profile::Cubic { .. } => "cubic",
        }
    }

    /// The coarse model's weight, `s` from 0 where it is alone to 1.
    pub fn at(self, s: f64) -> f64 {
        match self {
            Profile::Constant(share) => share,
            Profile::Linear { floor } => 1.0 - (1.0 - 2.0 * floor) * s - floor,
            Profile::Cubic { floor } => 1.0 - (1.0 - 2.0 * floor) * s * s * (3.0 - 2.0 * s) - floor,
        }
    }

    pub(crate) fn degree(self) -> usize {
        match self {
            Profile::Constant(_) => 0,
            Profile::Linear { .. } => 1,
            Profile::Cubic { .. } => 3,
        }
    }

    /// Weights of both models must be above 0 all over the overlap.
    ///
    /// # Errors
    /// A share or a floor that would leave one of them nothing.
    pub fn validate(self) -> Result<(), Error> {
        match self {
            Profile::Constant(share) if !(share > 0.0 && share < 1.0) => Err(Error::Value {
                name: "weight",
                value: share,
                expected: "above 0 and below 1: at 0 the coarse model has no energy left where it is glued, at 1 the fine one",
            }),
            Profile::Linear { floor } | Profile::Cubic { floor } if !(floor > 0.0 && floor <= 0.5) => {
                Err(Error::Value { name: "floor", value: floor, expected: "above 0, at most 0.5" })
            }
            _ => Ok(()),
        }
    }
}

impl<'r, const D: usize> Sharing<'r, D> {
    /// A profile along a ramp; constant ones need none.
    ///
    /// # Errors
    /// A share out of range, a ramp without sides to rise from.
    pub fn new(profile: Profile, ramp: Option<&'r Ramp<D>>) -> Result<Self, Error> {
        profile.validate()?;
        let rises = ramp.is_some_and(|r| r.sides() != [0, 0]);
        if !matches!(profile, Profile::Constant(_)) && !rises {
            return Err(Error::NoRamp(profile.name()));
        }
        Ok(Self { profile, ramp })
    }

    /// The coarse model's weight at a point of the overlap; `wide` is the length of a ramp that has none.
    pub fn at(&self, x: &Vector<D>, wide: f64) -> f64 {
        self.profile.at(self.gone(x, wide))
    }

    /// How far the ramp is gone at a point.
    pub(crate) fn gone(&self, x: &Vector<D>, wide: f64) -> f64 {
        match (self.profile, self.ramp) {
            (Profile::Linear { .. } | Profile::Cubic { .. }, Some(ramp)) => ramp.at(x, wide),
            _ => 0.5,
        }
    }

    /// [`Sharing::factors_within`] in the plane or in space.
    pub fn factors(&self, overlap: &Overlap<'_, D>, rule: &dyn Fn(CellKind) -> Rule, wide: f64) -> [Vec<Vec<f64>>; 2] {
        self.factors_within(overlap, rule, wide, &|_| 1.0)
    }

    /// Factors of the points of a quadrature, cell after cell, of the coarse and of the fine model, such that
    /// moments of the weight are kept, cut cells included: `∫ β` always, and `∫ β p` for polynomials up to the
    /// degree that the rule allows. `extent` is what a unit of area stands for at a point: the thickness, `2πr`.
    pub fn factors_within(
        &self,
        overlap: &Overlap<'_, D>,
        rule: &dyn Fn(CellKind) -> Rule,
        wide: f64,
        extent: &dyn Fn(&Vector<D>) -> f64,
    ) -> [Vec<Vec<f64>>; 2] {
        [0, 1].map(|side| {
            let own = |s: f64| if side == 0 { self.profile.at(s) } else { 1.0 - self.profile.at(s) };
            let weighing = Weighing {
                layer: overlap.layers()[side],
                rule,
                extent,
                degree: self.profile.degree(),
                gone: &|x| self.gone(x, wide),
                own: &own,
            };
            let pieces = overlap.pieces.iter().map(|p| (if side == 0 { p.coarse } else { p.fine }, p.simplex));
            weighing.factors(pieces.collect())
        })
    }
}

/// A weight on pieces of one mesh.
pub(crate) struct Weighing<'w, const D: usize> {
    pub(crate) layer: &'w Layer<'w, D>,
    /// The points that take factors.
    pub(crate) rule: &'w dyn Fn(CellKind) -> Rule,
    /// What a unit of area stands for.
    pub(crate) extent: &'w dyn Fn(&Vector<D>) -> f64,
    /// Degree of the weight along the ramp.
    pub(crate) degree: usize,
    /// How far the ramp is gone at a corner of a piece: inside, it is taken as straight, which it is between plane
    /// sides.
    pub(crate) gone: &'w dyn Fn(&Vector<D>) -> f64,
    /// The weight.
    pub(crate) own: &'w dyn Fn(f64) -> f64,
}

impl<const D: usize> Weighing<'_, D> {
    /// Factors of the points, cell after cell; 1 where no piece is.
    pub(crate) fn factors(&self, mut pieces: Vec<(u32, Simplex<D>)>) -> Vec<Vec<f64>> {
        let layer = self.layer;
        let rules: Vec<Rule> = CellKind::ALL.iter().map(|k| (self.rule)(*k)).collect();
        let spaces: Vec<Space> = CellKind::ALL.iter().zip(&rules).map(|(k, r)| Space::new(*k, r)).collect();
        let rank = |cell: u32| CellKind::ALL.iter().position(|k| *k == layer.kind(cell)).unwrap_or(0);
        let mut factors: Vec<Vec<f64>> =
            (0..layer.len() as u32).map(|c| vec![1.0; rules[rank(c)].points.len()]).collect();
        pieces.sort_by_key(|p| p.0);
        let measures = layer.measures();
        let mut quadratures = Rules::default();
        for pieces in pieces.chunk_by(|a, b| a.0 == b.0) {
            let cell = pieces[0].0;
            let space = &spaces[rank(cell)];
            // Another degree for a radius.
            let rule = quadratures.of::<D>(space.degree + self.degree + 1 + layer.excess(cell));
            let mut moments = Moments::new(space.len());
            for (_, simplex) in pieces {
                let mut gone = [0.0; 4];
                gone.iter_mut().zip(simplex.corners()).for_each(|(g, x)| *g = (self.gone)(x));
                moments.least = gone[..=D].iter().map(|s| (self.own)(*s)).fold(moments.least, f64::min);
                for (xi, w) in rule.points.iter().zip(&rule.weights) {
                    let x = simplex.at(xi);
                    let s = (1..=D).fold(gone[0], |s, k| s + (gone[k] - gone[0]) * xi[k - 1]);
                    space.at(layer.reference(cell, &x), &mut moments.values);
                    moments.add(w * simplex.measure() * (self.extent)(&x), (self.own)(s));
                }
            }
            let points = points_of(layer, cell, &rules[rank(cell)], self.extent);
            let covered: f64 = pieces.iter().map(|p| p.1.measure()).sum();
            if covered > (1.0 - WHOLE) * measures[cell as usize] {
                moments.complete(space, &points);
            } else {
                moments.least = moments.least.min(1.0);
            }
            factors[cell as usize] = space.values(&points, &moments.lost, moments.least);
        }
        factors
    }
}

/// The points of a rule in a cell, and what each stands for.
fn points_of<const D: usize>(
    layer: &Layer<'_, D>,
    cell: u32,
    rule: &Rule,
    extent: &dyn Fn(&Vector<D>) -> f64,
) -> Vec<([f64; 3], f64)> {
    let points = rule.points.iter().zip(&rule.weights);
    points
        .map(|(xi, w)| {
            let (x, jacobian) = layer.place(cell, *xi);
            (*xi, w * determinant(&jacobian).abs() * extent(&x))
        })
        .collect()
}

/// Integrals over the covered part of a cell.
struct Moments {
    /// Of the functions, and of these times what the weight takes.
    whole: Vec<f64>,
    lost: Vec<f64>,
    least: f64,
    values: Vec<f64>,
}

impl Moments {
    fn new(n: usize) -> Self {
        Self { whole: vec![0.0; n], lost: vec![0.0; n], least: f64::INFINITY, values: vec![0.0; n] }
    }

    fn add(&mut self, dv: f64, own: f64) {
        for ((whole, lost), v) in self.whole.iter_mut().zip(&mut self.lost).zip(&self.values) {
            *whole += dv * v;
            *lost += dv * v * (1.0 - own);
        }
    }

    /// Of a covered cell whose functions are no polynomials in space: what the pieces miss of them is lost in the
    /// mean, so that constants stay constant.
    fn complete(&mut self, space: &Space, points: &[([f64; 3], f64)]) {
        let mean = self.lost[0] / self.whole[0];
        for (xi, w) in points {
            space.at(*xi, &mut self.values);
            self.lost.iter_mut().zip(&self.values).for_each(|(l, v)| *l += mean * w * v);
        }
        self.lost.iter_mut().zip(&self.whole).for_each(|(l, m)| *l -= mean * m);
    }
}
