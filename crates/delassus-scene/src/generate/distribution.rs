//! Radii drawn from a distribution
//!
//! ```text
//! number density p(r) ∝ f(r)            by number
//!                p(r) ∝ f(r) / r^D      by mass (f is the density of mass; of a grading curve its slope)
//! ```
//!
//! The cumulated density is tabulated and inverted, which serves every f alike.

use crate::description::{By, Dimension, Distribution, Size};
use crate::diagnostic::Problem;
use rand::Rng;

/// Intervals of the table: the step in r is 1/4096 of the range.
const TABLE: usize = 4096;

/// Draws radii.
pub struct Sampler {
    min: f64,
    max: f64,
    /// Cumulated density at `TABLE + 1` radii, from 0 to 1; empty when all are equal.
    cumulated: Vec<f64>,
}

impl Sampler {
    /// Checks the distribution and tabulates it.
    pub fn new(size: &Size, dimension: Dimension) -> Result<Self, Problem> {
        let distribution = match size {
            Size::Equal(radius) => return Ok(Self { min: *radius, max: *radius, cumulated: Vec::new() }),
            Size::Random(distribution) => distribution,
        };
        let by = match distribution {
            Distribution::Uniform { by, .. } | Distribution::Power { by, .. } | Distribution::Gaussian { by, .. } => {
                *by
            }
            Distribution::Curve { points } => {
                check_curve(points)?;
                By::Mass
            }
        };
        let [min, max] = distribution.range();
        if !(min <= max) {
            return Err(Problem::Inconsistent { what: format!("`min` = {min} must be at most `max` = {max}") });
        }
        let per_mass = if by == By::Mass { dimension.number() as f64 } else { 0.0 };
        let density = |r: f64| shape(distribution, r) * libm::pow(min / r, per_mass);
        let step = (max - min) / TABLE as f64;
        let mut cumulated = vec![0.0];
        let mut sum = 0.0;
        for i in 0..TABLE {
            sum += density(min + (i as f64 + 0.5) * step);
            cumulated.push(sum);
        }
        if !(sum > 0.0 && sum.is_finite()) {
            let what = format!("the distribution has no weight between `min` = {min} and `max` = {max}");
            return Err(Problem::Inconsistent { what });
        }
        cumulated.iter_mut().for_each(|c| *c /= sum);
        Ok(Self { min, max, cumulated })
    }

    /// The largest radius that can be drawn.
    pub fn max(&self) -> f64 {
        self.max
    }

    /// One radius.
    pub fn sample(&self, random: &mut impl Rng) -> f64 {
        if self.cumulated.is_empty() {
            return self.min;
        }
        let u: f64 = random.random();
        let i = self.cumulated.partition_point(|c| *c <= u).clamp(1, TABLE);
        let (low, high) = (self.cumulated[i - 1], self.cumulated[i]);
        let inside = if high > low { (u - low) / (high - low) } else { 0.5 };
        let at = (i as f64 - 1.0 + inside) / TABLE as f64;
        (self.min + at * (self.max - self.min)).clamp(self.min, self.max)
    }
}

/// Sieves and what passes them, both increasing.
fn check_curve(points: &[Vec<f64>]) -> Result<(), Problem> {
    let refuse = |what: String| Err(Problem::Inconsistent { what });
    if let Some(p) = points.iter().find(|p| p.len() != 2) {
        return refuse(format!("a point of the curve is [radius, share of the mass below it], found {p:?}"));
    }
    if points.len() < 2 || points[0][1] != 0.0 || points[points.len() - 1][1] != 1.0 || !(points[0][0] > 0.0) {
        return refuse("a grading curve goes from [radius, 0] to [radius, 1], radii positive".into());
    }
    match points.windows(2).find(|w| !(w[0][0] < w[1][0] && w[0][1] <= w[1][1])) {
        Some(w) => refuse(format!("the curve does not rise from {:?} to {:?}", w[0], w[1])),
        None => Ok(()),
    }
}

/// The density up to a factor, scaled so that it does not overflow.
fn shape(distribution: &Distribution, r: f64) -> f64 {
    match *distribution {
        Distribution::Uniform { .. } => 1.0,
        Distribution::Curve { ref points } => {
            let k = points.partition_point(|p| p[0] <= r).clamp(1, points.len() - 1);
            (points[k][1] - points[k - 1][1]) / (points[k][0] - points[k - 1][0])
        }
        Distribution::Power { min, max, exponent, .. } => {
            let scale = if exponent < 0.0 { min } else { max };
            libm::pow(r / scale, exponent)
        }
        Distribution::Gaussian { mean, deviation, .. } => libm::exp(-0.5 * ((r - mean) / deviation).powi(2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random;

    fn moments(size: &Size, dimension: Dimension, power: f64) -> f64 {
        let sampler = Sampler::new(size, dimension).expect("valid");
        let mut rng = random(1);
        (0..40_000).map(|_| sampler.sample(&mut rng).powf(power)).sum::<f64>() / 40_000.0
    }

    /// Means of the laws in closed form; 4 standard errors of 40,000 draws.
    #[test]
    fn means_are_those_of_the_law() {
        let uniform = Size::Random(Distribution::Uniform { min: 1.0, max: 3.0, by: By::Number });
        assert!((moments(&uniform, Dimension::Plane, 1.0) - 2.0).abs() < 4.0 * 0.577 / 200.0);
        // p ∝ r⁻²: mean = ln(3) / (1 − 1/3), second moment = 3, deviation = √(3 − mean²)
        let power = Size::Random(Distribution::Power { min: 1.0, max: 3.0, exponent: -2.0, by: By::Number });
        let mean = 3f64.ln() / (2.0 / 3.0);
        assert!((moments(&power, Dimension::Plane, 1.0) - mean).abs() < 4.0 * (3.0 - mean * mean).sqrt() / 200.0);
        // Uniform by mass in the plane is r⁻² by number.
        let mass = Size::Random(Distribution::Uniform { min: 1.0, max: 3.0, by: By::Mass });
        assert!((moments(&mass, Dimension::Plane, 1.0) - mean).abs() < 4.0 * (3.0 - mean * mean).sqrt() / 200.0);
        let bell = Distribution::Gaussian { mean: 2.0, deviation: 0.2, min: 1.0, max: 3.0, by: By::Number };
        assert!((moments(&Size::Random(bell), Dimension::Plane, 1.0) - 2.0).abs() < 4.0 * 0.2 / 200.0);
    }

    /// A grading curve is met at its sieves: share of the mass below them, to 4 standard errors of 40,000 draws.
    #[test]
    fn a_grading_curve_is_met() {
        let points = vec![vec![1.0, 0.0], vec![1.5, 0.3], vec![2.0, 0.8], vec![3.0, 1.0]];
        let curve = Size::Random(Distribution::Curve { points: points.clone() });
        for dimension in [Dimension::Plane, Dimension::Space] {
            let sampler = Sampler::new(&curve, dimension).expect("valid");
            let mut rng = random(3);
            let power = dimension.number() as i32;
            let radii: Vec<f64> = (0..40_000).map(|_| sampler.sample(&mut rng)).collect();
            let mass = |limit: f64| radii.iter().filter(|r| **r <= limit).map(|r| r.powi(power)).sum::<f64>();
            let squares: f64 = radii.iter().map(|r| r.powi(2 * power)).sum();
            let (all, error) = (mass(3.0), squares.sqrt() / mass(3.0));
            for p in &points {
                assert!((mass(p[0]) / all - p[1]).abs() < 4.0 * error, "{p:?}: {}", mass(p[0]) / all);
            }
        }
        for bad in [vec![vec![1.0, 0.0]], vec![vec![1.0, 0.1], vec![2.0, 1.0]], vec![vec![2.0, 0.0], vec![1.0, 1.0]]] {
            assert!(Sampler::new(&Size::Random(Distribution::Curve { points: bad }), Dimension::Plane).is_err());
        }
    }

    #[test]
    fn a_range_upside_down_is_refused() {
        let size = Size::Random(Distribution::Uniform { min: 2.0, max: 1.0, by: By::Number });
        assert!(Sampler::new(&size, Dimension::Plane).is_err());
    }
}
