//! Where the nodes of a line are
//!
//! Geometric grading: x(s) = (ρ^s − 1) / (ρ − 1), s ∈ [0, 1]. ρ is the size of cells at the
//! end over that at the start in the limit of many cells. Twice as many cells keep the
//! nodes of the coarser line: meshes are nested, as studies of convergence want them.

use super::MeshError;
use serde::{Deserialize, Serialize};

/// How cells grow along a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grading {
    /// Equal cells.
    #[default]
    Uniform,
    /// Cells that grow by this ratio from the first to the last.
    Geometric(f64),
    /// Cells at both ends this many times smaller than in the middle.
    BothEnds(f64),
    /// Cells in the middle this many times smaller than at the ends.
    Middle(f64),
    /// Positions in rising order, the first 0 and the last 1.
    Stations(Vec<f64>),
}

fn geometric(ratio: f64, s: f64) -> f64 {
    let growth = ratio.ln();
    // Both forms lose digits as the ratio tends to 1.
    if growth.abs() < 1e-8 { s } else { (growth * s).exp_m1() / growth.exp_m1() }
}

impl Grading {
    /// Positions of the `cells + 1` nodes, from 0 to 1.
    pub fn stations(&self, cells: usize) -> Result<Vec<f64>, MeshError> {
        self.check(cells)?;
        if let Grading::Stations(x) = self {
            return Ok(x.clone());
        }
        let at = |i: usize| if i == cells { 1.0 } else { self.at(i as f64 / cells as f64) };
        Ok((0..=cells).map(at).collect())
    }

    /// Position for a parameter in [0, 1].
    fn at(&self, s: f64) -> f64 {
        let mirrored = |ratio: f64| match s {
            s if s <= 0.5 => 0.5 * geometric(ratio, 2.0 * s),
            s => 1.0 - 0.5 * geometric(ratio, 2.0 * (1.0 - s)),
        };
        match *self {
            Grading::Geometric(ratio) => geometric(ratio, s),
            Grading::BothEnds(ratio) => mirrored(ratio),
            Grading::Middle(ratio) => mirrored(1.0 / ratio),
            _ => s,
        }
    }

    fn check(&self, cells: usize) -> Result<(), MeshError> {
        match self {
            Grading::Uniform => Ok(()),
            Grading::Geometric(r) | Grading::BothEnds(r) | Grading::Middle(r) => {
                if (1e-6..=1e6).contains(r) {
                    return Ok(());
                }
                Err(MeshError::Setting {
                    item: "ratio of a grading",
                    found: r.to_string(),
                    accepted: "a number from 1e-6 to 1e6",
                })
            }
            Grading::Stations(x) => {
                let ends = x.first() == Some(&0.0) && x.last() == Some(&1.0);
                if x.len() == cells + 1 && ends && x.windows(2).all(|w| w[0] < w[1]) {
                    return Ok(());
                }
                Err(MeshError::Setting {
                    item: "stations of a grading",
                    found: format!("{} numbers for {cells} cells", x.len()),
                    accepted: "one more than cells, in rising order, the first 0 and the last 1",
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of a geometric line: constant growth, ρ^((n−1)/n) from first to last.
    #[test]
    fn geometric_cells_grow_by_a_constant_factor() {
        let (n, ratio) = (12, 7.0f64);
        let x = Grading::Geometric(ratio).stations(n).unwrap();
        let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
        for w in h.windows(2) {
            assert!((w[1] / w[0] - ratio.powf(1.0 / n as f64)).abs() < 1e-12);
        }
        assert_eq!((x[0], x[n]), (0.0, 1.0));
    }

    /// Twice the cells keep the nodes; both ends are alike; ratio 1 is uniform.
    #[test]
    fn gradings_are_nested_and_symmetric() {
        for g in [Grading::Geometric(5.0), Grading::BothEnds(5.0), Grading::Middle(3.0), Grading::Uniform] {
            let (coarse, fine) = (g.stations(8).unwrap(), g.stations(16).unwrap());
            (0..=8).for_each(|i| assert!((coarse[i] - fine[2 * i]).abs() < 1e-15));
        }
        let x = Grading::BothEnds(9.0).stations(10).unwrap();
        (0..=10).for_each(|i| assert!((x[i] + x[10 - i] - 1.0).abs() < 1e-15));
        assert!(x[1] < 0.1 && Grading::Middle(9.0).stations(10).unwrap()[1] > 0.1);
        let u = Grading::Geometric(1.0 + 1e-12).stations(4).unwrap();
        (0..=4).for_each(|i| assert!((u[i] - i as f64 / 4.0).abs() < 1e-12));
    }

    #[test]
    fn bad_gradings_are_refused() {
        for g in [Grading::Geometric(0.0), Grading::Geometric(f64::NAN), Grading::Stations(vec![0.0, 0.6, 0.5, 1.0])] {
            assert!(g.stations(3).is_err(), "{g:?}");
        }
    }
}
