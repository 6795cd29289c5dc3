//! Performance profiles [DolanMore02]
//!
//!     ρ_s(τ) = (number of files p with t_ps ≤ τ min_s' t_ps') / (number of files)
//!
//! t_ps  time of solver s on file p [s], infinite where it did not converge
//! ρ_s(1) is the fraction on which s is the fastest, ρ_s(∞) the fraction it solves.

use kuva::plot::LinePlot;
use kuva::plot::legend::LegendPosition;
use kuva::plot::line::LineStyle;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use std::sync::Arc;

/// Okabe and Ito's palette without its yellow, which paper swallows.
const COLOURS: [&str; 7] = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// Lengths of dashes and gaps, told apart without colours; short enough for the legend.
const DASHES: [&[f64]; 7] =
    [&[], &[6.0, 3.0], &[1.5, 2.5], &[8.0, 2.0, 2.0, 2.0], &[11.0, 3.0], &[3.0, 2.0], &[8.0, 2.0, 2.0, 2.0, 2.0, 2.0]];

/// Pixels of the PNG per unit of the SVG.
const PIXELS: f64 = 2.0;

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

/// The picture, as SVG text and as PNG bytes.
pub fn draw(curves: &[Curve], title: &str) -> Result<(String, Vec<u8>), String> {
    let farthest = curves.iter().flat_map(|c| &c.corners).map(|c| c.0).fold(2.0, f64::max);
    let end = farthest * 1.25;
    // The rasteriser takes dashes in pixels, SVG in units of the picture.
    let plots = |dash: f64| curves.iter().enumerate().map(|(k, c)| line(k, c, end, dash)).collect::<Vec<Plot>>();
    let layout = || layout(&plots(1.0), title, end);
    let svg = kuva::render_to_svg(plots(1.0), layout());
    let png = kuva::render_to_png(plots(PIXELS), layout(), PIXELS as f32)?;
    Ok((svg, png))
}

/// Corners become explicit steps, drawn to the right edge.
fn line(k: usize, curve: &Curve, end: f64, scale: f64) -> Plot {
    let mut points = Vec::new();
    let mut level = 0.0;
    for &(tau, rho) in &curve.corners {
        if tau > 1.0 {
            points.push((tau, level));
        }
        points.push((tau, rho));
        level = rho;
    }
    points.push((end, level));
    let dash = DASHES[(k + k / COLOURS.len()) % DASHES.len()];
    let lengths: Vec<String> = dash.iter().map(|d| (d * scale).to_string()).collect();
    let style = if dash.is_empty() { LineStyle::Solid } else { LineStyle::Custom(lengths.join(" ")) };
    LinePlot::new()
        .with_data(points)
        .with_color(COLOURS[k % COLOURS.len()])
        .with_stroke_width(2.2)
        .with_line_style(style)
        .with_legend(format!(" {}", curve.name))
        .into()
}

fn layout(plots: &[Plot], title: &str, end: f64) -> Layout {
    Layout::auto_from_plots(plots)
        .with_title(title)
        .with_x_label("time relative to the fastest solver on each file, τ")
        .with_y_label("fraction of files solved within τ")
        .with_width(820.0)
        .with_height(520.0)
        .with_log_x()
        .with_x_axis_min(1.0)
        .with_x_axis_max(end)
        .with_y_axis_min(0.0)
        .with_y_axis_max(1.02)
        .with_y_tick_step(0.2)
        .with_y_tick_format(TickFormat::Fixed(1))
        .with_x_tick_format(TickFormat::Custom(Arc::new(|x| format!("{x}"))))
        .with_legend_position(LegendPosition::OutsideRightTop)
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
        assert!(draw(&found, "empty").is_ok());
    }
}
