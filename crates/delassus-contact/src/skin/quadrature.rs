//! Collocation points of segments, triangles and squares
//!
//! Gauss–Legendre with m points is exact to the degree 2m − 1 on segments and, in each
//! coordinate, on squares. Triangles: 1, 3, 6, 12 points, exact to the degrees 1, 2, 4, 6
//! \[Dunavant85\]. Simpson: 3 points on segments, 3 × 3 on squares, corners, middles of
//! edges and centre on triangles, all exact to the degree 3.

use super::facet::Xi;
use super::kind::Domain;
use super::{Collocation, ContactError};

/// Places and weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rule {
    pub points: Vec<(Xi, f64)>,
}

/// One rule per domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules {
    pub point: Rule,
    pub segment: Rule,
    pub triangle: Rule,
    pub square: Rule,
}

impl Rules {
    pub fn new(collocation: Collocation) -> Result<Self, ContactError> {
        let line: &[(f64, f64)] = match collocation {
            Collocation::Gauss { points } => legendre(points)?,
            Collocation::Simpson => &SIMPSON,
            // Integrates the weights of nodes: r times a quadratic Jacobian times a hat.
            Collocation::Nodes => legendre(3)?,
        };
        let triangle = match collocation {
            Collocation::Gauss { points } => dunavant(points),
            Collocation::Simpson => simpson_triangle(),
            Collocation::Nodes => dunavant(3),
        };
        let segment = line.iter().map(|&(x, w)| ([x, 0.0], w)).collect();
        let square = line.iter().flat_map(|&(y, v)| line.iter().map(move |&(x, w)| ([x, y], v * w))).collect();
        let rule = |points| Rule { points };
        Ok(Self {
            point: rule(vec![([0.0; 2], 1.0)]),
            segment: rule(segment),
            triangle: rule(triangle),
            square: rule(square),
        })
    }

    pub fn of(&self, domain: Domain) -> &Rule {
        match domain {
            Domain::Point => &self.point,
            Domain::Segment => &self.segment,
            Domain::Triangle => &self.triangle,
            Domain::Square => &self.square,
        }
    }
}

const SIMPSON: [(f64, f64); 3] = [(-1.0, 1.0 / 3.0), (0.0, 4.0 / 3.0), (1.0, 1.0 / 3.0)];

fn legendre(points: usize) -> Result<&'static [(f64, f64)], ContactError> {
    const A: f64 = 0.577_350_269_189_625_8;
    const B: f64 = 0.774_596_669_241_483_4;
    const C: [f64; 2] = [0.339_981_043_584_856_26, 0.861_136_311_594_052_6];
    const W: [f64; 2] = [0.652_145_154_862_546_1, 0.347_854_845_137_453_85];
    const TWO: [(f64, f64); 2] = [(-A, 1.0), (A, 1.0)];
    const THREE: [(f64, f64); 3] = [(-B, 5.0 / 9.0), (0.0, 8.0 / 9.0), (B, 5.0 / 9.0)];
    const FOUR: [(f64, f64); 4] = [(-C[1], W[1]), (-C[0], W[0]), (C[0], W[0]), (C[1], W[1])];
    match points {
        1 => Ok(&[(0.0, 2.0)]),
        2 => Ok(&TWO),
        3 => Ok(&THREE),
        4 => Ok(&FOUR),
        _ => {
            Err(ContactError::Setting { what: "the number of Gauss points", value: points as f64, expected: "1 to 4" })
        }
    }
}

/// The three places of barycentric coordinates (b, a, a), b = 1 − 2a.
fn orbit3(a: f64, w: f64) -> [(Xi, f64); 3] {
    let b = 1.0 - 2.0 * a;
    [([a, a], w / 2.0), ([b, a], w / 2.0), ([a, b], w / 2.0)]
}

fn dunavant(points: usize) -> Vec<(Xi, f64)> {
    match points {
        1 => vec![([1.0 / 3.0; 2], 0.5)],
        2 => orbit3(1.0 / 6.0, 1.0 / 3.0).to_vec(),
        3 => [
            orbit3(0.445_948_490_915_964_9, 0.223_381_589_678_011_47),
            orbit3(0.091_576_213_509_770_74, 0.109_951_743_655_321_87),
        ]
        .concat(),
        _ => {
            let mut p = orbit3(0.249_286_745_170_910_42, 0.116_786_275_726_379_37).to_vec();
            p.extend(orbit3(0.063_089_014_491_502_23, 0.050_844_906_370_206_82));
            let (a, b, w) = (0.053_145_049_844_816_95, 0.310_352_451_033_784_4, 0.082_851_075_618_373_57);
            let c = 1.0 - a - b;
            p.extend([[a, b], [b, a], [a, c], [c, a], [b, c], [c, b]].map(|x| (x, w / 2.0)));
            p
        }
    }
}

fn simpson_triangle() -> Vec<(Xi, f64)> {
    let (corner, edge, centre) = (1.0 / 40.0, 1.0 / 15.0, 9.0 / 40.0);
    let mut p: Vec<(Xi, f64)> = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|x| (x, corner)).to_vec();
    p.extend([[0.5, 0.0], [0.5, 0.5], [0.0, 0.5]].map(|x| (x, edge)));
    p.push(([1.0 / 3.0; 2], centre));
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: i32) -> f64 {
        (1..=n).map(f64::from).product()
    }

    /// ∫ ξ^a η^b over the triangle = a! b! / (a + b + 2)!; over the segment 2/(a + 1) or 0.
    #[test]
    fn degrees_of_exactness() {
        let rules: Vec<(Rules, [i32; 2])> = (1..=4)
            .map(|m| (Collocation::Gauss { points: m }, [2 * m as i32 - 1, [1, 2, 4, 6][m - 1]]))
            .chain([(Collocation::Simpson, [3, 3])])
            .map(|(c, d)| (Rules::new(c).expect("valid"), d))
            .collect();
        for (rule, [line, area]) in rules {
            for a in 0..=line {
                let sum: f64 = rule.segment.points.iter().map(|(x, w)| w * x[0].powi(a)).sum();
                assert!((sum - if a % 2 == 0 { 2.0 / f64::from(a + 1) } else { 0.0 }).abs() < 4e-15);
            }
            for a in 0..=area {
                for b in 0..=area - a {
                    let sum: f64 = rule.triangle.points.iter().map(|(x, w)| w * x[0].powi(a) * x[1].powi(b)).sum();
                    let exact = factorial(a) * factorial(b) / factorial(a + b + 2);
                    assert!((sum - exact).abs() < 4e-15, "degree {area}: {a} {b}: {sum} {exact}");
                }
            }
            assert!(rule.triangle.points.iter().chain(&rule.square.points).all(|p| p.1 > 0.0));
            assert!((rule.square.points.iter().map(|p| p.1).sum::<f64>() - 4.0).abs() < 1e-14);
        }
        assert!(Rules::new(Collocation::Gauss { points: 9 }).is_err());
    }
}
