//! Performance profiles [DolanMore02]
//!
//! ```text
//!     ρ_s(τ) = (number of files p with t_ps ≤ τ min_s' t_ps') / (number of files)
//! ```
//!
//! t_ps  time of solver s on file p [s], infinite where it did not converge
//! ρ_s(1) is the fraction on which s is the fastest, ρ_s(∞) the fraction it solves.

use delassus_draw::{Chart, Curve as Line, Error, Head, Panel, Picture, Point, Quantity, line_style};

/// The profile of one solver: a step function by its corners `(τ, ρ)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the solver.
    pub name: String,
    /// Corners, τ increasing from 1.
    pub corners: Vec<(f64, f64)>,
}

/// Profiles of the solvers `names` from `times[file][solver]`.
pub fn curves(names: &[String], times: &[Vec<Option<f64>>]) -> Vec<Curve> {
    let ratios: Vec<Vec<Option<f64>>> = times
        .iter()
        .map(|row| {
            let best = row.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            row.iter().map(|t| t.map(|t| if t > best { t / best } else { 1.0 })).collect()
        })
        .collect();
    let total = times.len().max(1) as f64;
    let curve = |(k, name): (usize, &String)| {
        let mut own: Vec<f64> = ratios.iter().filter_map(|row| row[k]).filter(|r| r.is_finite()).collect();
        own.sort_by(f64::total_cmp);
        let mut corners = vec![(1.0, 0.0)];
        corners.extend(own.iter().enumerate().map(|(i, r)| (*r, (i + 1) as f64 / total)));
        // Several files at one τ make one corner, the highest; so does the start.
        corners.dedup_by(|next, kept| {
            next.0 == kept.0 && {
                kept.1 = next.1;
                true
            }
        });
        Curve { name: name.clone(), corners }
    };
    names.iter().enumerate().map(curve).collect()
}

/// The picture.
pub fn picture(curves: &[Curve], title: &str) -> Result<Picture, Error> {
    let farthest = curves.iter().flat_map(|c| &c.corners).map(|c| c.0).fold(2.0, f64::max);
    let end = farthest * 1.25;
    let line = |(k, curve): (usize, &Curve)| Line {
        name: curve.name.clone(),
        stroke: line_style(k),
        points: steps(&curve.corners, end),
    };
    let panel = Panel {
        title: String::new(),
        x: Quantity::new("time relative to the fastest solver on each file, τ", "1").logarithmic().between(1.0, end),
        y: Quantity::new("fraction of files solved within τ", "1").between(0.0, 1.02),
        curves: curves.iter().enumerate().map(line).collect(),
    };
    let head = Head { width: 820.0, height: Some(520.0), ..Head::new(title) };
    Chart { head, panels: vec![panel] }.picture()
}

/// Corners become explicit steps, drawn to the right edge.
fn steps(corners: &[(f64, f64)], end: f64) -> Vec<Point> {
    let mut points = vec![];
    let mut level = 0.0;
    for &(tau, rho) in corners {
        if tau > 1.0 {
            points.push([tau, level]);
        }
        points.push([tau, rho]);
        level = rho;
    }
    points.push([end, level]);
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two solvers, three files, by hand: a wins two, b one; only a solves the third.
    #[test]
    fn profile_of_two_solvers() {
        let names = ["a".to_string(), "b".to_string()];
        let times = [vec![Some(1.0), Some(2.0)], vec![Some(3.0), Some(1.0)], vec![Some(5.0), None]];
        let found = curves(&names, &times);
        let third = 1.0 / 3.0;
        assert_eq!(found[0].corners, [(1.0, 2.0 * third), (3.0, 1.0)]);
        assert_eq!(found[1].corners, [(1.0, third), (2.0, 2.0 * third)]);
    }

    #[test]
    fn nothing_solved_is_a_flat_line() {
        let found = curves(&["a".to_string()], &[vec![None]]);
        assert_eq!(found[0].corners, [(1.0, 0.0)]);
        assert!(picture(&found, "empty").is_ok());
    }
}
