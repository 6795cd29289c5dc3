//! The sets of the laws as rows of a conic program: `M S + c ∈ Q`.

use crate::Error;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use delassus_friction::Law;
use delassus_friction::algebra::Vector;

/// Coefficients below this are zero.
const FLAT: f64 = 1e-12;

/// One factor of `Q`: its cone and the rows `(coefficients, share of the margin, constant)`.
pub(super) struct Part<const D: usize> {
    pub cone: SupportedConeT<f64>,
    pub rows: Vec<(Vector<D>, f64, f64)>,
}

fn axis<const D: usize>(k: usize, value: f64) -> Vector<D> {
    Vector::from_fn(|i, _| if i == k { value } else { 0.0 })
}

fn plain<const D: usize>(rows: impl IntoIterator<Item = Vector<D>>) -> Vec<(Vector<D>, f64, f64)> {
    rows.into_iter().map(|r| (r, 0.0, 0.0)).collect()
}

/// `|S_k| ≤ coefficient · S_N` for the components of a group, less a margin from its edge.
fn ball<const D: usize>(group: std::ops::Range<usize>, mu: f64) -> Option<Part<D>> {
    if group.is_empty() {
        return None;
    }
    if mu < FLAT {
        return Some(Part { cone: ZeroConeT(group.len()), rows: plain(group.map(|k| axis(k, 1.0))) });
    }
    // Divided by the larger of 1 and μ: rows stay of size one.
    let size = mu.max(1.0);
    let mut rows = vec![(axis(0, mu / size), -mu.hypot(1.0) / size, 0.0)];
    rows.extend(plain(group.map(|k| axis(k, 1.0 / size))));
    Some(Part { cone: SecondOrderConeT(rows.len()), rows })
}

/// The parts of a law's set.
pub(super) fn parts<const D: usize>(law: &Law, _contact: usize) -> Result<Vec<Part<D>>, Error> {
    let push = || Part { cone: NonnegativeConeT(1), rows: vec![(axis(0, 1.0), -1.0, 0.0)] };
    let split = if D == 3 { 2 } else { 3.min(D) };
    Ok(match law {
        Law::Bilateral => vec![],
        Law::Frictionless => [ball(1..D, 0.0)].into_iter().flatten().chain([push()]).collect(),
        Law::Coulomb { mu } => ball(1..D, *mu).into_iter().chain((*mu < FLAT).then(push)).collect(),
        Law::Rolling { mu, mu_r: second } | Law::Torsional { mu, mu_s: second } => {
            [ball(1..split, *mu), ball(split..D, *second)].into_iter().flatten().chain([push()]).collect()
        }
        Law::RollingTorsional { mu, mu_r, mu_s } => {
            let groups = [ball(1..3, *mu), ball(3..5, *mu_r), ball(5..D, *mu_s)];
            groups.into_iter().flatten().chain([push()]).collect()
        }
        Law::Directional { mu } => {
            let side = |mu: f64, sign: f64| ((axis(0, mu) + axis(1, sign)) / mu.hypot(1.0), -1.0, 0.0);
            let rows = vec![side(mu[0], 1.0), side(mu[1], -1.0)];
            vec![Part { cone: NonnegativeConeT(rows.len()), rows }, push()]
        }
        Law::Elliptic { mu, angle } => {
            let (s, c) = angle.sin_cos();
            let axes: [Vector<D>; 2] = [axis(1, c) + axis(2, s), axis(1, -s) + axis(2, c)];
            let mut rows = vec![(axis(0, 1.0), -1.0, 0.0)];
            let mut out = vec![];
            for (e, mu) in axes.into_iter().zip(mu) {
                if *mu >= FLAT {
                    rows.push((e / *mu, 0.0, 0.0));
                } else {
                    out.push(Part { cone: ZeroConeT(1), rows: plain([e]) });
                }
            }
            out.push(Part { cone: SecondOrderConeT(rows.len()), rows });
            out
        }
        Law::Polyhedral(section) => {
            let v = section.vertices();
            let face = |i: usize| {
                let (a, b) = (v[i], v[(i + 1) % v.len()]);
                let m = [b[1] - a[1], a[0] - b[0]];
                let l = m[0].hypot(m[1]);
                axis(0, (m[0] * a[0] + m[1] * a[1]) / l) - axis(1, m[0] / l) - axis(2, m[1] / l)
            };
            let rows: Vec<_> = (0..v.len()).map(|i| (face(i), -1.0, 0.0)).collect();
            vec![Part { cone: NonnegativeConeT(rows.len()), rows }, push()]
        }
        Law::Tresca { threshold } => {
            let mut rows = vec![(Vector::zeros(), 0.0, *threshold)];
            rows.extend(plain((1..D).map(|k| axis(k, 1.0))));
            vec![push(), Part { cone: SecondOrderConeT(rows.len()), rows }]
        }
        Law::Limited { limit } => {
            let bounded = (0..D).filter(|k| limit[*k].is_finite());
            let rows: Vec<_> = bounded.flat_map(|k| [1.0, -1.0].map(|s| (axis(k, s), 0.0, limit[k]))).collect();
            if rows.is_empty() { vec![] } else { vec![Part { cone: NonnegativeConeT(rows.len()), rows }] }
        }
    })
}
