//! Waves through a junction of two bars, a fine one that ends and a coarse one that begins
//!
//! ```text
//! 1 ──▶          a            b
//! ○─○─○─○─○─○─○─○─○─○─○─○─○─○─○            fine, width h_f, from −∞ to b
//! ◀── R          ○───○───○───○───○───○     coarse, width h_c, from a to ∞     ──▶ T
//! ```
//!
//! At one frequency both bars are at rest or carry waves `zʲ`, `p z² + q z + p = 0`, beyond the overlap: what is left
//! is a small system in its nodes and multipliers, solved exactly. Elements are straight, masses consistent, density
//! and celerity 1. HHT in some elements only is no passive system: what it takes by γ and gives by α balances in uniform
//! bars, and long waves may leave with more than they came with, by (ωΔt)² or less. Shares of energy are those of the fluxes, `|A|² p sin κh`.

use crate::line::segments;
use crate::overlap::Rules;
use crate::{Error, Gluing, Layer, Mediator, Overlap, Product, Profile, Ramp, Sharing, Vector};
use nalgebra::Complex;

type C = Complex<f64>;

/// Cells of each bar beyond the overlap: waves that die away do so there.
const BEYOND: usize = 3;

/// Two bars that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarJunction {
    /// Widths of the cells of the fine and of the coarse bar.
    pub widths: [f64; 2],
    /// Length of the overlap; whole cells of both.
    pub overlap: f64,
    /// Weights of inertia and strain.
    pub weights: [Profile; 2],
    /// One weight for each element, that of its middle, as beams have; weights are integrated exactly otherwise.
    pub by_element: bool,
    /// Whose functions the multipliers are.
    pub mediator: Mediator,
    /// The product that glues.
    pub product: Product,
    /// Step of time; zero for exact time.
    pub step: f64,
    /// α of HHT in the overlap, from −1/3 to 0; 0 is the trapezoidal rule of the rest.
    pub damping: f64,
}

/// Shares of the energy of a wave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scattered {
    /// Sent back.
    pub reflected: f64,
    /// Let through.
    pub transmitted: f64,
}

/// How inertia and strain answer to a displacement that oscillates.
#[derive(Clone, Copy)]
struct Answer {
    /// Acceleration over displacement.
    inertia: C,
    /// Strain over displacement: HHT weighs that of the step before.
    strain: C,
}

impl Answer {
    /// Of HHT with α, Newmark's β = (1 − α)²/4, γ = ½ − α.
    fn new(omega: f64, step: f64, alpha: f64) -> Self {
        if step == 0.0 {
            return Self { inertia: C::from(-omega * omega), strain: C::from(1.0) };
        }
        let (beta, gamma) = (0.25 * (1.0 - alpha).powi(2), 0.5 - alpha);
        let z = C::new(0.0, -omega * step).exp();
        let less = z - 1.0;
        let u = (z * gamma + (1.0 - gamma)) / (less * less) + (z * beta + (0.5 - beta)) / less;
        Self { inertia: (u * step * step).inv(), strain: C::from(1.0 + alpha) - z.inv() * alpha }
    }

    /// Diagonal (twice that of an element) and coupling of a uniform bar.
    fn bar(self, h: f64) -> (C, C) {
        let (k, m) = (self.strain / h, self.inertia * h / 6.0);
        (k * 2.0 + m * 4.0, m - k)
    }
}

/// The wave that goes or dies away in one direction: `z` from a node to the next.
fn outgoing(q: C, p: C) -> C {
    let half = -q / (p * 2.0);
    let root = (half * half - 1.0).sqrt();
    let (a, b) = (half + root, half - root);
    // Of two on the circle, with e^{−iωt}, the one that turns forwards leaves.
    if (a.norm() - b.norm()).abs() > 1e-9 {
        if a.norm() < b.norm() { a } else { b }
    } else if a.im > 0.0 {
        a
    } else {
        b
    }
}

impl Default for BarJunction {
    /// That of reference A4: \[Zammali05\] §5.4.3.
    fn default() -> Self {
        Self {
            widths: [0.01, 0.1],
            overlap: 1.0,
            weights: [Profile::Constant(0.5); 2],
            by_element: false,
            mediator: Mediator::Fine,
            product: Product::L2,
            step: 0.0,
            damping: 0.0,
        }
    }
}

impl BarJunction {
    /// Frequency of a wave number of the fine bar, by its own dispersion in space and time.
    pub fn frequency(&self, k: f64) -> f64 {
        let c = (k * self.widths[0]).cos();
        let omega = (6.0 * (1.0 - c) / (2.0 + c)).sqrt() / self.widths[0];
        if self.step > 0.0 { 2.0 / self.step * (0.5 * self.step * omega).atan() } else { omega }
    }

    /// Both bars joined at a node instead: `R = (Z_f − Z_c)/(Z_f + Z_c)`, `Z = √(1 − ω²h²/12)`; all is sent back where
    /// the coarse bar carries no wave.
    pub fn node_to_node(&self, omega: f64) -> Scattered {
        let [f, c] = self.widths.map(|h| {
            let square = -Answer::new(omega, self.step, 0.0).inertia.re;
            C::from(1.0 - square * h * h / 12.0).sqrt()
        });
        let reflected = ((f - c) / (f + c)).norm_sqr();
        Scattered { reflected, transmitted: 1.0 - reflected }
    }

    /// A wave of the fine bar that comes to the junction.
    ///
    /// # Errors
    /// See [`Gluing::new`] and [`Sharing::new`]; a frequency that the fine bar does not carry.
    pub fn scatter(&self, omega: f64) -> Result<Scattered, Error> {
        Bars::new(self)?.scatter(omega)
    }

    /// Wave numbers of the fine bar, frequencies, shares of the energy, and those of a node-to-node junction.
    ///
    /// # Errors
    /// See [`BarJunction::scatter`].
    pub fn curve(&self, numbers: &[f64]) -> Result<Vec<(f64, f64, Scattered, Scattered)>, Error> {
        let bars = Bars::new(self)?;
        let at = |k: &f64| {
            let omega = self.frequency(*k);
            Ok((*k, omega, bars.scatter(omega)?, self.node_to_node(omega)))
        };
        numbers.iter().map(at).collect()
    }

    /// A packet `e^{−x²/2σ²} cos kx`: shares of its energy, from those of its waves.
    ///
    /// # Errors
    /// See [`BarJunction::scatter`].
    pub fn packet(&self, k: f64, sigma: f64) -> Result<Scattered, Error> {
        let bars = Bars::new(self)?;
        self.mean(k, sigma, |omega| bars.scatter(omega))
    }

    /// The same where bars are joined at a node.
    pub fn packet_node_to_node(&self, k: f64, sigma: f64) -> Scattered {
        self.mean(k, sigma, |omega| Ok(self.node_to_node(omega))).unwrap_or_default()
    }

    fn mean(&self, k: f64, sigma: f64, scatter: impl Fn(f64) -> Result<Scattered, Error>) -> Result<Scattered, Error> {
        let top = 0.999 * std::f64::consts::PI / self.widths[0];
        // Beyond six deviations nothing is left; waves in between vary over the length of the overlap.
        let (from, to) = ((k - 6.0 / sigma).max(0.0), (k + 6.0 / sigma).min(top));
        let n = 600;
        let mut sum = [0.0; 3];
        for i in 0..n {
            let q = from + (to - from) * (i as f64 + 0.5) / n as f64;
            let bell = |x: f64| (-0.5 * (sigma * x).powi(2)).exp();
            let energy = (q * (bell(q - k) + bell(q + k))).powi(2);
            let s = scatter(self.frequency(q))?;
            [energy, energy * s.reflected, energy * s.transmitted].iter().zip(&mut sum).for_each(|(x, sum)| *sum += x);
        }
        Ok(Scattered { reflected: sum[1] / sum[0], transmitted: sum[2] / sum[0] })
    }
}

/// The nodes about the overlap.
struct Bars<'j> {
    junction: &'j BarJunction,
    /// Nodes of the fine and of the coarse bar.
    count: [usize; 2],
    /// Elements: nodes, masses, stiffness, and whether they lie in the overlap.
    elements: Vec<(usize, [f64; 3], f64, bool)>,
    rows: Vec<Vec<(usize, f64)>>,
    /// Place of each unknown in the order along the bars, and how far apart two that meet are.
    order: Vec<usize>,
    band: usize,
}

impl<'j> Bars<'j> {
    fn new(junction: &'j BarJunction) -> Result<Self, Error> {
        let [hf, hc] = junction.widths;
        let whole = |name: &'static str, h: f64| {
            let n = junction.overlap / h;
            if n.is_finite() && n > 0.5 && (n - n.round()).abs() < 1e-6 * n {
                return Ok(n.round() as usize);
            }
            Err(Error::Value { name, value: h, expected: "a whole number of cells in the overlap" })
        };
        let cells = [whole("fine width", hf)?, whole("coarse width", hc)?];
        let fine: Vec<f64> = (0..=cells[0] + BEYOND).map(|j| (j as f64 - BEYOND as f64) * hf).collect();
        let coarse: Vec<f64> = (0..=cells[1] + BEYOND).map(|j| j as f64 * hc).collect();
        let meshes = [segments(&coarse), segments(&fine)];
        let o = Overlap::<1>::new(Layer::new(&meshes[0], None)?, Layer::new(&meshes[1], None)?)?;
        let ramp = Ramp::new(&o, None);
        let gluing = Gluing::new(&o, junction.mediator, junction.product, &|_| true, &|_| 1.0)?;
        let count = [fine.len(), coarse.len()];
        let [inertia, strain] = junction.weights.map(|w| Sharing::new(w, Some(&ramp)));
        let sharings = [inertia?, strain?];
        let mut rules = Rules::default();
        let rule = rules.of::<1>(5);
        let mut elements = vec![];
        for (bar, stations) in [&fine, &coarse].into_iter().enumerate() {
            for (e, x) in stations.windows(2).enumerate() {
                let (h, middle) = (x[1] - x[0], 0.5 * (x[0] + x[1]));
                let shared = middle > 0.0 && middle < junction.overlap;
                let (mut mass, mut stiffness) = ([0.0; 3], 0.0);
                for (xi, w) in rule.points.iter().zip(&rule.weights) {
                    let s = xi[0];
                    let at = Vector::<1>::new(if junction.by_element { middle } else { x[0] + s * h });
                    let [a, b] = sharings.each_ref().map(|sharing| match (shared, bar) {
                        (false, _) => 1.0,
                        (_, 0) => 1.0 - sharing.at(&at, 1.0),
                        _ => sharing.at(&at, 1.0),
                    });
                    let products = [(1.0 - s) * (1.0 - s), s * (1.0 - s), s * s];
                    mass.iter_mut().zip(products).for_each(|(m, p)| *m += w * h * a * p);
                    stiffness += w * b / h;
                }
                elements.push((e + bar * count[0], mass, stiffness, shared));
            }
        }
        let row = |r: &crate::Row| {
            let of = |list: &[(u32, f64)], first: usize| {
                list.iter().map(|(n, c)| (first + *n as usize, *c)).collect::<Vec<(usize, f64)>>()
            };
            [of(&r.fine, 0), of(&r.coarse, count[0])].concat()
        };
        let rows: Vec<Vec<(usize, f64)>> = gluing.rows.iter().map(row).collect();
        let mut places: Vec<f64> = [fine.as_slice(), &coarse].concat();
        let own = if junction.mediator == Mediator::Fine { &fine } else { &coarse };
        places.extend(gluing.rows.iter().map(|r| own[r.node as usize]));
        let mut along: Vec<usize> = (0..places.len()).collect();
        along.sort_by(|a, b| places[*a].total_cmp(&places[*b]));
        let mut order = vec![0; places.len()];
        along.iter().enumerate().for_each(|(at, unknown)| order[*unknown] = at);
        let n = count[0] + count[1];
        let meet = elements.iter().map(|e| (e.0, e.0 + 1));
        let glued = rows.iter().enumerate().flat_map(|(r, row)| row.iter().map(move |(d, _)| (n + r, *d)));
        let band = meet.chain(glued).map(|(a, b)| order[a].abs_diff(order[b])).max().unwrap_or(0);
        Ok(Self { junction, count, elements, rows, order, band })
    }

    fn scatter(&self, omega: f64) -> Result<Scattered, Error> {
        let [outside, inside] = [0.0, self.junction.damping].map(|alpha| Answer::new(omega, self.junction.step, alpha));
        let n = self.count[0] + self.count[1];
        let size = n + self.rows.len();
        let mut a = Band::new(size, self.band);
        let at = |i: usize| self.order[i];
        for (first, m, k, shared) in &self.elements {
            let answer = if *shared { inside } else { outside };
            let strain = answer.strain * *k;
            let (i, j) = (at(*first), at(first + 1));
            a.add(i, i, answer.inertia * m[0] + strain);
            a.add(j, j, answer.inertia * m[2] + strain);
            a.add(i, j, answer.inertia * m[1] - strain);
            a.add(j, i, answer.inertia * m[1] - strain);
        }
        // Multipliers of the size of displacements.
        let scale = outside.bar(self.junction.widths[0]).0.norm() / self.junction.widths[0];
        for (r, row) in self.rows.iter().enumerate() {
            for (d, c) in row {
                a.add(at(n + r), at(*d), C::from(scale * c));
                a.add(at(*d), at(n + r), C::from(scale * c));
            }
        }
        // What lies beyond the ends, and the wave that comes.
        let ends = [(0, self.junction.widths[0]), (n - 1, self.junction.widths[1])];
        let [(pf, zf), (pc, zc)] = ends.map(|(_, h)| {
            let (q, p) = outside.bar(h);
            (p, outgoing(q, p))
        });
        for ((node, h), (p, z)) in ends.iter().zip([(pf, zf), (pc, zc)]) {
            a.add(at(*node), at(*node), outside.bar(*h).0 * 0.5 + p * z);
        }
        let flux = |p: C, z: C| (-p).re * z.im.max(0.0);
        let carried = flux(pf, zf);
        if !((zf.norm() - 1.0).abs() < 1e-9 && carried > 0.0) {
            let expected = "a frequency that the fine bar carries";
            return Err(Error::Value { name: "frequency", value: omega, expected });
        }
        let mut x = vec![C::default(); size];
        x[at(0)] = -pf * (zf.inv() - zf);
        if !a.solve(&mut x) {
            return Err(Error::Value { name: "frequency", value: omega, expected: "one without a resonance" });
        }
        let through = if (zc.norm() - 1.0).abs() < 1e-9 { flux(pc, zc) } else { 0.0 };
        Ok(Scattered {
            reflected: (x[at(0)] - 1.0).norm_sqr(),
            transmitted: x[at(n - 1)].norm_sqr() * through / carried,
        })
    }
}

/// A matrix with a band, solved with pivots of rows: twice the band above the diagonal then.
struct Band {
    size: usize,
    band: usize,
    values: Vec<C>,
}

impl Band {
    fn new(size: usize, band: usize) -> Self {
        Self { size, band, values: vec![C::default(); size * (3 * band + 1)] }
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * (3 * self.band + 1) + j + self.band - i
    }

    fn add(&mut self, i: usize, j: usize, c: C) {
        let at = self.at(i, j);
        self.values[at] += c;
    }

    /// False where a pivot is zero.
    fn solve(mut self, b: &mut [C]) -> bool {
        let (n, w) = (self.size, self.band);
        for k in 0..n {
            let (last, end) = ((k + w).min(n - 1), (k + 2 * w).min(n - 1));
            let size = |i: usize| self.values[self.at(i, k)].norm_sqr();
            let Some(best) = (k..=last).max_by(|i, j| size(*i).total_cmp(&size(*j))) else { return false };
            if !(size(best) > 0.0) {
                return false;
            }
            if best != k {
                for j in k..=end {
                    let (x, y) = (self.at(k, j), self.at(best, j));
                    self.values.swap(x, y);
                }
                b.swap(k, best);
            }
            let pivot = self.values[self.at(k, k)].inv();
            for i in k + 1..=last {
                let c = self.values[self.at(i, k)] * pivot;
                if c == C::default() {
                    continue;
                }
                let (from, to) = (self.at(k, k), self.at(i, k));
                for j in 1..=end - k {
                    let x = self.values[from + j];
                    self.values[to + j] -= c * x;
                }
                let x = b[k];
                b[i] -= c * x;
            }
        }
        for k in (0..n).rev() {
            let end = (k + 2 * w).min(n - 1);
            let sum: C = (k + 1..=end).map(|j| self.values[self.at(k, j)] * b[j]).sum();
            b[k] = (b[k] - sum) / self.values[self.at(k, k)];
        }
        true
    }
}
