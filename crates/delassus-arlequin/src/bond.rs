//! Rows that glue beams: to beams on the same line, to solids around them.
//!
//! The mediator is a space of motions of sections (translations and rotations, straight between the nodes of a
//! line), or of displacements of the solid. With sections as mediator a solid is held in the mean of each section and
//! may change its shape there; with its own displacements it may not.

use crate::line::{Line, Local, Mode, segments};
use crate::overlap::Rules;
use crate::sharing::Weighing;
use crate::{Error, Layer, Mediator, Overlap, Product, Profile, Ramp, Sharing, Simplex, Vector};
use delassus_fem::element::Rule;
use delassus_fem::mesh::CellKind;
use nalgebra::{Matrix3, Vector3};
use std::collections::{BTreeMap, BTreeSet};

/// Rows this small beside the largest are left out.
const FAINT: f64 = 1e-10;

/// A node, a component (displacements first, then rotations) and a coefficient.
pub type Term = (u32, usize, f64);

/// One multiplier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BondRow {
    /// The node of the mediator whose function it is, and its component.
    pub place: (u32, usize),
    /// Terms of the coarse model.
    pub coarse: Vec<Term>,
    /// Terms of the fine model, with the sign that makes the row `u_g − u_l`.
    pub fine: Vec<Term>,
}

/// Rows of a gluing zone with a beam in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bond {
    /// In the order of the places.
    pub rows: Vec<BondRow>,
    /// Measure of the zone.
    pub measure: f64,
    /// Multipliers left out, whose support in the zone is faint.
    pub faint: usize,
}

/// Shares of a beam: one factor for each element.
pub type Shares = Vec<f64>;

/// Two lines of beams, one over the other.
pub struct BeamOverlap {
    coarse: Line,
    fine: Line,
    meshes: [delassus_fem::mesh::Mesh; 2],
}

/// A solid around a line of beams, which is the coarse model.
pub struct Junction<'a, const D: usize> {
    /// The solid.
    pub solid: Layer<'a, D>,
    /// The beams.
    pub line: Line,
    /// Cell, element, and where.
    pub pieces: Vec<(u32, u32, Simplex<D>)>,
    /// Of the beams and of the solid along the axis.
    meshes: [delassus_fem::mesh::Mesh; 2],
}

/// One point takes the mean.
fn mean(_: CellKind) -> Rule {
    Rule { points: vec![[0.0; 3]], weights: vec![2.0] }
}

impl BeamOverlap {
    /// Of two lines.
    ///
    /// # Errors
    /// Another axis, lines apart.
    pub fn new(coarse: &Line, fine: &Line) -> Result<Self, Error> {
        if coarse.dim != fine.dim {
            return Err(Error::Dimension(coarse.dim, fine.dim));
        }
        let (coarse, fine) = (coarse.clone(), fine.on(coarse)?);
        let this = Self { meshes: [coarse.mesh(), fine.mesh()], coarse, fine };
        this.overlap()?;
        Ok(this)
    }

    fn overlap(&self) -> Result<Overlap<'_, 1>, Error> {
        let [a, b] = &self.meshes;
        Overlap::new(Layer::new(a, None)?, Layer::new(b, None)?)
    }

    /// Length of the overlap.
    ///
    /// # Errors
    /// None once made.
    pub fn measure(&self) -> Result<f64, Error> {
        Ok(self.overlap()?.measure())
    }

    /// Length of the fine line.
    pub fn fine_length(&self) -> f64 {
        let s = &self.fine.stations;
        s[s.len() - 1] - s[0]
    }

    /// Where a place along the axis is.
    pub fn place(&self, s: f64) -> [f64; 3] {
        (self.coarse.origin + self.coarse.axes[0] * s).into()
    }

    /// Distance of a place along the axis to the ends of the fine line inside the coarse one.
    pub fn from_border(&self, s: f64) -> f64 {
        from_ends(&self.fine.stations, &self.coarse.stations, s)
    }

    /// Factors of the elements of both.
    ///
    /// # Errors
    /// See [`Sharing::new`].
    pub fn factors(&self, profile: Profile, width: Option<f64>) -> Result<[Shares; 2], Error> {
        let overlap = self.overlap()?;
        let ramp = Ramp::new(&overlap, width);
        let wide = ramp.depth(&overlap);
        let factors = Sharing::new(profile, Some(&ramp))?.factors(&overlap, &mean, wide);
        Ok(factors.map(|side| side.into_iter().flatten().collect()))
    }

    /// Rows `∫ Υ · (u_g − u_l) + Υ_θ · (θ_g − θ_l)` and, in H¹, their derivatives along the axis. `zone` is asked
    /// at the middle of elements of the mediator.
    ///
    /// # Errors
    /// A zone without measure, a negative length.
    pub fn glue(&self, mediator: Mediator, product: Product, zone: &dyn Fn(f64) -> bool) -> Result<Bond, Error> {
        let squared = product.squared()?;
        let overlap = self.overlap()?;
        let lines = [&self.coarse, &self.fine];
        let own = usize::from(mediator == Mediator::Fine);
        // Straight times cubic.
        let mut rules = Rules::default();
        let rule = rules.of::<1>(5);
        let mut sum = Sum::default();
        // A motion of the section as six numbers of one unit.
        let radius = lines[own].gyration;
        let flat = |m: &Mode, squared: f64, n: &Mode| {
            let product = |a: &crate::line::Motion, b: &crate::line::Motion| {
                a.shift.dot(&b.shift) + radius * radius * a.turn.dot(&b.turn)
            };
            product(&m.motion, &n.motion) + squared * product(&m.slope, &n.slope)
        };
        for piece in &overlap.pieces {
            let elements = [piece.coarse, piece.fine];
            let e = elements[own] as usize;
            if !zone(0.5 * (lines[own].stations[e] + lines[own].stations[e + 1])) {
                continue;
            }
            for (xi, w) in rule.points.iter().zip(&rule.weights) {
                let s = piece.simplex.at(xi)[0];
                let dv = w * piece.simplex.measure();
                sum.measure += dv;
                let modes = [0, 1].map(|side| lines[side].modes(elements[side], s));
                for hat in lines[own].hats(elements[own], s) {
                    for side in 0..2 {
                        for mode in &modes[side] {
                            let term = ((mode.node, mode.component), dv * flat(&hat, squared, mode));
                            sum.add((hat.node, hat.component), side, term);
                        }
                    }
                }
            }
        }
        let cells = overlap.shares()[own].iter().filter(|s| **s > 0.0).count();
        sum.bond(own).ok_or_else(|| Error::NoZone { overlap: overlap.measure(), cells })
    }
}

impl<'a, const D: usize> Junction<'a, D> {
    /// Cuts a solid by the sections at the nodes of a line.
    ///
    /// # Errors
    /// Meshes of another dimension, a solid and a line apart.
    pub fn new(solid: Layer<'a, D>, line: Line) -> Result<Self, Error> {
        if line.dim != D {
            return Err(Error::Dimension(line.dim, D));
        }
        let direction = Vector::<D>::from_fn(|k, _| line.axes[0][k]);
        let along = |x: &Vector<D>| line.station(&lift(x));
        let (lo, hi) = solid
            .parts
            .iter()
            .flat_map(|p| p.body.corners())
            .map(along)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), s| (lo.min(s), hi.max(s)));
        let meshes = [line.mesh(), segments(&[lo, hi])];
        let mut pieces = vec![];
        let origin = Vector::<D>::from_fn(|k, _| line.origin[k]).dot(&direction);
        for part in &solid.parts {
            let range = part
                .body
                .corners()
                .map(along)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), s| (lo.min(s), hi.max(s)));
            for (e, s) in line.stations.windows(2).enumerate() {
                if range.1 <= s[0] || range.0 >= s[1] {
                    continue;
                }
                let mut body = part.body.clone();
                let sides = [
                    crate::polytope::HalfSpace::new(direction, origin + s[1]),
                    crate::polytope::HalfSpace::new(-direction, -origin - s[0]),
                ];
                let thin = 1e-13 * (range.1 - range.0);
                if sides.iter().all(|side| body.clip(side, thin)) {
                    body.simplices(1e-14 * part.measure, |simplex| pieces.push((part.cell, e as u32, simplex)));
                }
            }
        }
        if pieces.is_empty() {
            let ends = [line.stations[0], line.stations[line.stations.len() - 1]];
            return Err(Error::Apart {
                coarse: format!("[{}, {}] along the beams", ends[0], ends[1]),
                fine: format!("[{lo}, {hi}]"),
            });
        }
        pieces.sort_by_key(|p| (p.0, p.1));
        Ok(Self { solid, line, pieces, meshes })
    }

    /// Distance along the axis to the ends of the solid inside the line.
    pub fn from_border(&self, x: &Vector<D>) -> f64 {
        let ends: Vec<f64> = self.meshes[1].points.iter().map(|p| p[0]).collect();
        from_ends(&ends, &self.line.stations, self.line.station(&lift(x)))
    }

    /// Measure of the solid in the overlap.
    pub fn measure(&self) -> f64 {
        self.pieces.iter().map(|p| p.2.measure()).sum()
    }

    /// Length of the overlap along the axis.
    pub fn length(&self) -> f64 {
        let ends = |mesh: &delassus_fem::mesh::Mesh| [mesh.points[0][0], mesh.points[mesh.points.len() - 1][0]];
        let [a, b] = self.meshes.each_ref().map(ends);
        a[1].min(b[1]) - a[0].max(b[0])
    }

    /// Factors of the elements of the beams and of the points of the solid: the weight changes along the axis.
    ///
    /// # Errors
    /// See [`Sharing::new`].
    pub fn factors(
        &self,
        profile: Profile,
        rule: &dyn Fn(CellKind) -> Rule,
        width: Option<f64>,
        extent: &dyn Fn(&Vector<D>) -> f64,
    ) -> Result<(Shares, Vec<Vec<f64>>), Error> {
        let [beams, solid] = &self.meshes;
        let overlap = Overlap::<1>::new(Layer::new(beams, None)?, Layer::new(solid, None)?)?;
        let ramp = Ramp::new(&overlap, width);
        let wide = ramp.depth(&overlap);
        let sharing = Sharing::new(profile, Some(&ramp))?;
        let [beams, _] = sharing.factors(&overlap, &mean, wide);
        let weighing = Weighing {
            layer: &self.solid,
            rule,
            extent,
            degree: profile.degree(),
            gone: &|x| sharing.gone(&Vector::<1>::new(self.line.station(&lift(x))), wide),
            own: &|s| 1.0 - profile.at(s),
        };
        let solid = weighing.factors(self.pieces.iter().map(|p| (p.0, p.2)).collect());
        Ok((beams.into_iter().flatten().collect(), solid))
    }

    /// Rows `(Υ*, U − u)` over the solid: `U` the motion of the sections, `u` that of the solid. `zone` is asked at
    /// the middle of elements or cells of the mediator.
    ///
    /// # Errors
    /// A zone without measure, a negative length.
    pub fn glue(
        &self,
        mediator: Mediator,
        product: Product,
        zone: &dyn Fn(&Vector<D>) -> bool,
        extent: &dyn Fn(&Vector<D>) -> f64,
    ) -> Result<Bond, Error> {
        let squared = product.squared()?;
        let own = usize::from(mediator == Mediator::Fine);
        let mut rules = Rules::default();
        let mut sum = Sum::default();
        let s = &self.line.stations;
        let middle = |e: u32| {
            let at = self.line.origin + self.line.axes[0] * (0.5 * (s[e as usize] + s[e as usize + 1]));
            Vector::<D>::from_fn(|k, _| at[k])
        };
        for pieces in self.pieces.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (cell, element, _) = pieces[0];
            if !zone(&if own == 0 { middle(element) } else { self.solid.centre(cell) }) {
                continue;
            }
            // Hats turn by a straight function of the distance; sections bend by cubics.
            let (mine, nodes) = (self.solid.degree(cell), self.solid.nodes(cell));
            let degree = if own == 0 { 2 + mine.max(3) } else { mine + mine.max(3) };
            let rule = rules.of::<D>(degree + 1);
            // Products of the functions of the mediator with those of the beams and of the solid, cell by cell.
            let (mut keys, mut table) = ([vec![], vec![], vec![]], vec![]);
            for (_, _, simplex) in pieces {
                for (xi, w) in rule.points.iter().zip(&rule.weights) {
                    let x = simplex.at(xi);
                    let dv = w * simplex.measure() * extent(&x);
                    sum.measure += dv;
                    let at = self.solid.locate(cell, &x);
                    let displacements =
                        nodes.iter().enumerate().flat_map(|(a, node)| (0..D).map(move |k| (a, *node, k)));
                    let solid: Functions = displacements
                        .map(|(a, node, k)| ((node, k), component(k, at.n[a], &at.gradients[a])))
                        .collect();
                    let y = lift(&x);
                    let here = self.line.station(&y);
                    let place = |m: Mode| ((m.node, m.component), self.line.local(&m, &y));
                    let beam: Functions = self.line.modes(element, here).into_iter().map(place).collect();
                    let hats: Functions = match own {
                        0 => self.line.hats(element, here).into_iter().map(place).collect(),
                        _ => solid.clone(),
                    };
                    if table.is_empty() {
                        table.resize(hats.len() * (beam.len() + solid.len()), 0.0);
                        keys = [&hats, &beam, &solid].map(|f| f.iter().map(|f| f.0).collect());
                    }
                    for (row, (_, hat)) in table.chunks_mut(beam.len() + solid.len()).zip(&hats) {
                        let terms = beam.iter().chain(&solid);
                        row.iter_mut().zip(terms).for_each(|(c, (_, f))| *c += dv * hat.product(f, squared));
                    }
                }
            }
            let [hats, beam, solid] = &keys;
            for (row, hat) in table.chunks(beam.len() + solid.len()).zip(hats) {
                let (first, second) = row.split_at(beam.len());
                beam.iter().zip(first).for_each(|(at, c)| sum.add(*hat, 0, (*at, *c)));
                solid.iter().zip(second).for_each(|(at, c)| sum.add(*hat, 1, (*at, *c)));
            }
        }
        let owner = |p: &(u32, u32, Simplex<D>)| if own == 0 { p.1 } else { p.0 };
        let cells: BTreeSet<u32> = self.pieces.iter().map(owner).collect();
        sum.bond(own).ok_or_else(|| Error::NoZone { overlap: self.measure(), cells: cells.len() })
    }

    /// Section of the solid in the overlap, in the mean: area, and second moment about the local z axis.
    pub fn section(&self, extent: &dyn Fn(&Vector<D>) -> f64) -> [f64; 2] {
        let mut rules = Rules::default();
        let rule = rules.of::<D>(3);
        let mut sums = [0.0; 2];
        for (_, _, simplex) in &self.pieces {
            for (xi, w) in rule.points.iter().zip(&rule.weights) {
                let x = simplex.at(xi);
                let dv = w * simplex.measure() * extent(&x) / self.length();
                let out = self.line.axes[1].dot(&(lift(&x) - self.line.origin));
                sums[0] += dv;
                sums[1] += dv * out * out;
            }
        }
        sums
    }
}

/// Distance of a place to the ends of one range of places that lie inside another.
fn from_ends(of: &[f64], inside: &[f64], s: f64) -> f64 {
    let (first, last) = (inside[0], inside[inside.len() - 1]);
    let ends = [of[0], of[of.len() - 1]].into_iter().filter(|e| first < *e && *e < last);
    ends.map(|e| (s - e).abs()).fold(f64::INFINITY, f64::min)
}

/// A component of a displacement by one function.
fn component<const D: usize>(k: usize, n: f64, gradient: &Vector<D>) -> Local {
    let mut all = Matrix3::zeros();
    (0..D).for_each(|j| all[(k, j)] = gradient[j]);
    Local { value: Vector3::ith(k, n), gradient: all }
}

/// A point of the plane or of space, in space.
fn lift<const D: usize>(x: &Vector<D>) -> Vector3<f64> {
    Vector3::from_fn(|k, _| if k < D { x[k] } else { 0.0 })
}

/// Functions at a point, with their node and component.
type Functions = Vec<((u32, usize), Local)>;

/// Terms of the two sides of a row.
type Sides = [BTreeMap<(u32, usize), f64>; 2];

/// Rows in the making.
#[derive(Default)]
struct Sum {
    measure: f64,
    rows: BTreeMap<(u32, usize), Sides>,
}

impl Sum {
    fn add(&mut self, row: (u32, usize), side: usize, (at, c): ((u32, usize), f64)) {
        let sign = if side == 0 { c } else { -c };
        *self.rows.entry(row).or_default()[side].entry(at).or_default() += sign;
    }

    /// None without a row.
    fn bond(mut self, own: usize) -> Option<Bond> {
        let size = |row: &Sides| row[own].values().map(|c| c.abs()).sum::<f64>();
        let largest = self.rows.values().map(size).fold(0.0, f64::max);
        if !(largest > 0.0) {
            return None;
        }
        let all = self.rows.len();
        self.rows.retain(|_, row| size(row) > FAINT * largest);
        let terms = |side: BTreeMap<(u32, usize), f64>| {
            let kept = side.into_iter().filter(|(_, c)| *c != 0.0);
            kept.map(|((node, component), c)| (node, component, c)).collect()
        };
        let faint = all - self.rows.len();
        let rows = self
            .rows
            .into_iter()
            .map(|(place, [coarse, fine])| BondRow { place, coarse: terms(coarse), fine: terms(fine) })
            .collect();
        Some(Bond { rows, measure: self.measure, faint })
    }
}
