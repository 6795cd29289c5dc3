//! How far the samples of a contact lie apart, and what that contact does \[Moreau03 §5\]

use crate::{Reaction, Samples, area, diameter, hull};
use delassus_friction::Problem;
use delassus_friction::algebra::Vector;

/// What a contact does at the end of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// No percussion.
    Open,
    /// Percussion without slip.
    Stick,
    /// Percussion with slip.
    Slip,
}

/// Statuses under percussions `s`; slip below `level` [m/s] is none.
pub fn statuses<const D: usize>(problem: &Problem<D>, s: &[Vector<D>], level: f64) -> Vec<Status> {
    let mut u = problem.zero();
    problem.velocities(s, &mut u);
    let largest = s.iter().map(|s| s.norm()).fold(0.0, f64::max);
    s.iter()
        .zip(&u)
        .map(|(s, u)| match (s.norm(), u.rows(1, D - 1).norm()) {
            (force, _) if force <= 1e-9 * largest => Status::Open,
            (_, slip) if slip <= level => Status::Stick,
            _ => Status::Slip,
        })
        .collect()
}

/// The spread of the samples, contact by contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// What each contact does, in the first sample.
    pub status: Vec<Status>,
    /// Largest distance between two sampled percussions.
    pub width: Vec<f64>,
    /// Mean percussion of the contacts that carry one.
    pub mean: f64,
    /// Largest difference between two samples in a relative velocity, relative to the free one:
    /// whether the motion is determined.
    pub motion: f64,
}

/// Samples whose velocities are compared.
const COMPARED: usize = 100;

impl Spread {
    /// Measures; `tolerance` is that of the samples.
    pub fn new<const D: usize>(problem: &Problem<D>, samples: &Samples<D>, tolerance: f64) -> Self {
        if samples.is_empty() {
            return Self::default();
        }
        let scale = if problem.b_norm() > 0.0 { problem.b_norm() } else { 1.0 };
        let status = statuses(problem, samples.get(0), 100.0 * tolerance * scale);
        let n = problem.len();
        let width = (0..n).map(|c| extent(&samples.cloud(c))).collect();
        let bearing = samples.percussions.iter().map(|s| s.norm()).filter(|s| *s > 0.0);
        let (sum, count) = bearing.fold((0.0, 0.0), |(a, c), x| (a + x, c + 1.0));
        let (mut first, mut u, mut motion) = (problem.zero(), problem.zero(), 0.0f64);
        problem.velocities(samples.get(0), &mut first);
        for k in 1..samples.len().min(COMPARED) {
            problem.velocities(samples.get(k), &mut u);
            motion = u.iter().zip(&first).map(|(a, b)| (a - b).norm()).fold(motion, f64::max);
        }
        Self { status, width, mean: if count > 0.0 { sum / count } else { 0.0 }, motion: motion / scale }
    }

    /// Number of contacts of a status, mean and largest width relative to the mean percussion.
    pub fn of(&self, status: Status) -> (usize, f64, f64) {
        let widths = self.status.iter().zip(&self.width).filter(|x| *x.0 == status).map(|x| x.1 / self.mean);
        let (count, sum, most) = widths.fold((0, 0.0, 0.0f64), |(c, s, m), w| (c + 1, s + w, m.max(w)));
        (count, if count > 0 { sum / count as f64 } else { 0.0 }, most)
    }
}

/// Largest distance between two points: exact in the plane; in space among the points
/// farthest in a hundred directions, at most 2 % short of it.
pub fn extent<const D: usize>(cloud: &[Vector<D>]) -> f64 {
    if D == 2 {
        let flat: Vec<Vector<2>> = cloud.iter().map(|p| Vector::<2>::new(p[0], p[1])).collect();
        return diameter(&hull(&flat));
    }
    const DIRECTIONS: usize = 100;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut far: Vec<Vector<D>> = vec![];
    for k in 0..DIRECTIONS {
        let z = 1.0 - (2 * k + 1) as f64 / DIRECTIONS as f64;
        let (s, c) = (golden * k as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        let d = Vector::<D>::from_fn(|i, _| [z, r * c, r * s].get(i).copied().unwrap_or(0.0));
        far.extend(cloud.iter().max_by(|a, b| a.dot(&d).total_cmp(&b.dot(&d))));
    }
    diameter(&far)
}

/// How much of the exact sets the first samples fill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// Samples counted.
    pub samples: usize,
    /// Area of the sampled hull over the exact area, mean over the contacts; lengths for segments.
    pub mean: f64,
    /// The least of them.
    pub least: f64,
}

/// The coverage by 10, 30, 100, … samples and by all, among the samples at rest.
pub fn coverage(samples: &Samples<2>, reactions: &[Reaction<2>]) -> Vec<Coverage> {
    let samples = &samples.only_at_rest();
    let mut counts: Vec<usize> =
        (1..12).flat_map(|k| [10usize.pow(k), 3 * 10usize.pow(k)]).take_while(|m| *m < samples.len()).collect();
    counts.push(samples.len());
    let clouds: Vec<Vec<Vector<2>>> = reactions.iter().map(|r| samples.cloud(r.contact)).collect();
    let at = |m: usize| {
        let mut ratios = vec![];
        for (reaction, cloud) in reactions.iter().zip(&clouds) {
            let width = reaction.width();
            let exact = area(&reaction.vertices);
            let sampled = hull(&cloud[..m]);
            if !(width > 0.0 && width.is_finite()) {
                continue;
            }
            // A polygon thinner than a millionth is measured by its length.
            ratios.push(if exact > 1e-6 * width * width { area(&sampled) / exact } else { diameter(&sampled) / width });
        }
        let count = ratios.len().max(1) as f64;
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        Coverage {
            samples: m,
            mean: ratios.iter().sum::<f64>() / count,
            least: if least.is_finite() { least } else { 0.0 },
        }
    };
    if samples.is_empty() { vec![] } else { counts.into_iter().map(at).collect() }
}
