//! How the two models share the energy of the overlap: weights α, β, γ of method (17).

use crate::layer::point;
use crate::{Error, Layer, Overlap, Vector};
use delassus_fem::element::Rule;
use delassus_fem::mesh::CellKind;

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

/// Where a ramp begins and ends.
pub struct Ramp<const D: usize> {
    /// Sides of the fine mesh inside the coarse one: there the coarse model is alone.
    coarse_alone: Vec<[Vector<D>; 3]>,
    /// Sides of the coarse mesh inside the fine one.
    fine_alone: Vec<[Vector<D>; 3]>,
    /// Length of the ramp where only one of the two is there \[m\].
    width: Option<f64>,
}

/// Weights of the coarse model; those of the fine one are what is left of 1.
pub struct Sharing<'r, const D: usize> {
    profile: Profile,
    ramp: Option<&'r Ramp<D>>,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Profile::Constant(_) => "constant",
            Profile::Linear { .. } => "linear",
            Profile::Cubic { .. } => "cubic",
        }
    }

    /// The coarse model's weight, `s` from 0 where it is alone to 1.
    fn at(self, s: f64) -> f64 {
        match self {
            Profile::Constant(share) => share,
            Profile::Linear { floor } => 1.0 - (1.0 - 2.0 * floor) * s - floor,
            Profile::Cubic { floor } => 1.0 - (1.0 - 2.0 * floor) * s * s * (3.0 - 2.0 * s) - floor,
        }
    }

    fn validate(self) -> Result<(), Error> {
        match self {
            Profile::Constant(share) if !(share > 0.0 && share < 1.0) => {
                Err(Error::Value { name: "weight", value: share, expected: "between 0 and 1" })
            }
            Profile::Linear { floor } | Profile::Cubic { floor } if !(floor > 0.0 && floor <= 0.5) => {
                Err(Error::Value { name: "floor", value: floor, expected: "above 0, at most 0.5" })
            }
            _ => Ok(()),
        }
    }
}

impl<const D: usize> Ramp<D> {
    /// Finds the sides of each mesh that lie inside the other.
    pub fn new(overlap: &Overlap<'_, D>, width: Option<f64>) -> Self {
        Self {
            coarse_alone: inner_sides(&overlap.fine, &overlap.coarse),
            fine_alone: inner_sides(&overlap.coarse, &overlap.fine),
            width,
        }
    }

    /// Distance to the sides of the fine mesh inside the coarse one; infinite where there are none.
    pub fn from_coarse(&self, x: &Vector<D>) -> f64 {
        self.coarse_alone.iter().map(|s| distance(s, x)).fold(f64::INFINITY, f64::min)
    }

    /// Largest distance of the overlap to a side where one model begins.
    pub fn depth(&self, overlap: &Overlap<'_, D>) -> f64 {
        let sides = if self.coarse_alone.is_empty() { &self.fine_alone } else { &self.coarse_alone };
        let nearest = |x: &Vector<D>| sides.iter().map(|s| distance(s, x)).fold(f64::INFINITY, f64::min);
        let corners = overlap.pieces.iter().flat_map(|p| p.simplex.corners().to_vec());
        corners.map(|x| nearest(&x)).filter(|d| d.is_finite()).fold(0.0, f64::max)
    }

    /// From 0 where the coarse model is alone to 1.
    fn at(&self, x: &Vector<D>, wide: f64) -> f64 {
        let nearest = |sides: &[[Vector<D>; 3]]| sides.iter().map(|s| distance(s, x)).fold(f64::INFINITY, f64::min);
        let (coarse, fine) = (nearest(&self.coarse_alone), nearest(&self.fine_alone));
        let width = self.width.unwrap_or(wide);
        match (coarse.is_finite(), fine.is_finite()) {
            (true, true) => coarse / (coarse + fine).max(f64::MIN_POSITIVE),
            (true, false) => (coarse / width).min(1.0),
            (false, true) => 1.0 - (fine / width).min(1.0),
            (false, false) => 0.5,
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
        let rises = ramp.is_some_and(|r| !(r.coarse_alone.is_empty() && r.fine_alone.is_empty()));
        if !matches!(profile, Profile::Constant(_)) && !rises {
            return Err(Error::NoRamp(profile.name()));
        }
        Ok(Self { profile, ramp })
    }

    /// The coarse model's weight at a point of the overlap; `wide` is the length of a ramp that has none.
    pub fn at(&self, x: &Vector<D>, wide: f64) -> f64 {
        match (self.profile, self.ramp) {
            (Profile::Constant(share), _) => share,
            (profile, Some(ramp)) => profile.at(ramp.at(x, wide)),
            (profile, None) => profile.at(0.5),
        }
    }

    /// Factors of the points of a quadrature, cell after cell, of the coarse and of the fine model.
    ///
    /// The factor of a point is `∫ β L_q / ∫ L_q`, `L_q` being the polynomial that is 1 there and 0 at the other
    /// points: what the rule integrates exactly it still does with the weight, cut cells included. Where a cut
    /// would make a factor negative, all points of the cell take the mean.
    pub fn factors(&self, overlap: &Overlap<'_, D>, rule: &dyn Fn(CellKind) -> Rule, wide: f64) -> [Vec<Vec<f64>>; 2] {
        [&overlap.coarse, &overlap.fine].map(|layer| {
            let side = usize::from(std::ptr::eq(layer, &overlap.fine));
            let bases: Vec<Basis> = CellKind::ALL.iter().map(|k| Basis::new(*k, &rule(*k))).collect();
            let basis = |cell: u32| {
                let kind = layer.kind(cell);
                &bases[CellKind::ALL.iter().position(|k| *k == kind).unwrap_or(0)]
            };
            // Integrals of L_q over the cell, and what the weight takes from them.
            let mut whole: Vec<Vec<f64>> = (0..layer.len() as u32).map(|c| vec![0.0; basis(c).count()]).collect();
            let mut taken = whole.clone();
            let points = &overlap.rule;
            let total: f64 = points.weights.iter().sum();
            let mut values = vec![];
            for (cell, simplex) in &layer.simplices {
                for (xi, w) in points.points.iter().zip(&points.weights) {
                    let at = layer.locate(*cell, &simplex.at(xi));
                    basis(*cell).at(at.xi, &mut values);
                    let dv = w / total * simplex.measure();
                    whole[*cell as usize].iter_mut().zip(&values).for_each(|(a, l)| *a += dv * l);
                }
            }
            for piece in &overlap.pieces {
                let cell = if side == 0 { piece.coarse } else { piece.fine };
                for (xi, w) in points.points.iter().zip(&points.weights) {
                    let x = piece.simplex.at(xi);
                    let coarse = self.at(&x, wide);
                    let lost = if side == 0 { 1.0 - coarse } else { coarse };
                    basis(cell).at(layer.locate(cell, &x).xi, &mut values);
                    let dv = w / total * piece.simplex.measure();
                    taken[cell as usize].iter_mut().zip(&values).for_each(|(a, l)| *a += dv * lost * l);
                }
            }
            whole
                .iter()
                .zip(&taken)
                .map(|(whole, taken)| {
                    let factors: Vec<f64> = whole.iter().zip(taken).map(|(w, t)| 1.0 - t / w).collect();
                    if factors.iter().all(|f| *f > 0.0) {
                        return factors;
                    }
                    let mean = 1.0 - taken.iter().sum::<f64>() / whole.iter().sum::<f64>();
                    vec![mean; factors.len()]
                })
                .collect()
        })
    }
}

/// Polynomials whose integrals against a weight are its factors at the points of a rule: 1 at one point and 0 at
/// the others or, where simplices have more points than that, the kernels of the projection onto straight weights.
struct Basis {
    kind: CellKind,
    /// Coefficients of the polynomials on [`monomials`], one column for each point.
    columns: nalgebra::DMatrix<f64>,
}

impl Basis {
    fn new(kind: CellKind, rule: &Rule) -> Self {
        let n = rule.points.len();
        let terms = if kind.is_simplex() { n.min(kind.dim() + 1) } else { n };
        let mut values = vec![];
        let table: Vec<f64> = rule
            .points
            .iter()
            .flat_map(|p| {
                monomials(kind, terms, *p, &mut values);
                values.clone()
            })
            .collect();
        // One row for each point: Gᵀ W M = 1 where there are as many terms as points.
        let m = nalgebra::DMatrix::from_row_slice(n, terms, &table);
        let weighted = nalgebra::DMatrix::from_fn(terms, n, |i, q| m[(q, i)] * rule.weights[q]);
        let gram = &weighted * &m;
        let columns = gram.try_inverse().map_or_else(|| weighted.clone(), |g| g * &weighted);
        Self { kind, columns }
    }

    fn count(&self) -> usize {
        self.columns.ncols()
    }

    fn at(&self, xi: [f64; 3], values: &mut Vec<f64>) {
        let mut m = vec![];
        monomials(self.kind, self.columns.nrows(), xi, &mut m);
        values.clear();
        values.extend(self.columns.column_iter().map(|c| c.iter().zip(&m).map(|(c, m)| c * m).sum::<f64>()));
    }
}

/// The first `n` monomials: products of powers on quadrangles and hexahedra, 1, x, y, z on simplices.
fn monomials(kind: CellKind, n: usize, xi: [f64; 3], out: &mut Vec<f64>) {
    out.clear();
    let dim = kind.dim();
    if kind.is_simplex() || dim == 0 {
        out.push(1.0);
        out.extend(xi[..dim].iter().take(n.saturating_sub(1)));
        out.resize(n, 0.0);
        return;
    }
    let line = (n as f64).powf(1.0 / dim as f64).round() as u32;
    for k in 0..n as u32 {
        let powers = [k % line, k / line % line, k / (line * line)];
        out.push((0..dim).map(|d| xi[d].powi(powers[d] as i32)).product());
    }
}

/// Sides of a mesh that have the other on both of their faces, as segments or triangles.
fn inner_sides<const D: usize>(of: &Layer<'_, D>, other: &Layer<'_, D>) -> Vec<[Vector<D>; 3]> {
    let mut sides = vec![];
    for facet in of.mesh.boundary() {
        let corners: Vec<Vector<D>> =
            facet.nodes()[..facet.kind.corners()].iter().map(|n| point::<D>(of.mesh, *n)).collect();
        let triangles: Vec<[Vector<D>; 3]> = match corners[..] {
            [a, b] => vec![[a, b, b]],
            [a, b, c] => vec![[a, b, c]],
            [a, b, c, d] => vec![[a, b, c], [a, c, d]],
            _ => vec![],
        };
        for t in triangles {
            let centre = if D == 2 { (t[0] + t[1]) * 0.5 } else { (t[0] + t[1] + t[2]) / 3.0 };
            let size = (t[1] - t[0]).norm();
            let mut normal = normal(&t);
            normal *= 1e-6 * size / normal.norm();
            if [centre + normal, centre - normal].iter().all(|x| other.cell_at(x).is_some()) {
                sides.push(t);
            }
        }
    }
    sides
}

fn normal<const D: usize>(t: &[Vector<D>; 3]) -> Vector<D> {
    let (a, b) = (t[1] - t[0], t[2] - t[0]);
    match D {
        2 => Vector::from_fn(|k, _| if k == 0 { a[1] } else { -a[0] }),
        _ => Vector::from_fn(|k, _| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]),
    }
}

/// Distance of a point to a segment or a triangle.
fn distance<const D: usize>(t: &[Vector<D>; 3], x: &Vector<D>) -> f64 {
    let segment = |a: &Vector<D>, b: &Vector<D>| {
        let e = b - a;
        let s = ((x - a).dot(&e) / e.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (a + e * s - x).norm()
    };
    if D == 2 {
        return segment(&t[0], &t[1]);
    }
    let (a, b, p) = (t[1] - t[0], t[2] - t[0], x - t[0]);
    let (aa, ab, bb, pa, pb) = (a.norm_squared(), a.dot(&b), b.norm_squared(), p.dot(&a), p.dot(&b));
    let det = aa * bb - ab * ab;
    let (s, r) = ((bb * pa - ab * pb) / det, (aa * pb - ab * pa) / det);
    if s >= 0.0 && r >= 0.0 && s + r <= 1.0 {
        return (p - a * s - b * r).norm();
    }
    segment(&t[0], &t[1]).min(segment(&t[1], &t[2])).min(segment(&t[2], &t[0]))
}
