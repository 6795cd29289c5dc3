//! Convergence curves: residual against iterations, one panel for each file.

use delassus_draw::{Chart, Curve, Error, Head, Panel, Picture, Quantity, line_style};

/// Most panels on a page.
pub const PANELS: usize = 12;

/// Residuals below are drawn here: a logarithmic axis has no zero.
const FLOOR: f64 = 1e-17;

/// One file: its name and, for each solver, (iteration, residual) as they came.
pub struct Histories {
    pub file: String,
    pub runs: Vec<Vec<(usize, f64)>>,
}

/// The picture; files beyond [`PANELS`] are left out.
pub fn picture(solvers: &[String], files: &[Histories], tolerance: f64) -> Result<Picture, Error> {
    let panels = files.iter().take(PANELS).map(|f| {
        let line = |(k, run): (usize, &Vec<(usize, f64)>)| Curve {
            name: solvers[k].clone(),
            stroke: line_style(k),
            points: run.iter().filter(|p| p.1.is_finite()).map(|p| [p.0 as f64, p.1.max(FLOOR)]).collect(),
        };
        let last = f.runs.iter().flatten().map(|p| p.0).max().unwrap_or(1).max(2);
        Panel {
            title: f.file.clone(),
            x: Quantity::new("iterations", "1").between(0.0, last as f64),
            y: Quantity::new("residual", "1").logarithmic(),
            curves: f.runs.iter().enumerate().map(line).collect(),
        }
    });
    let title = format!("Convergence: {} files, residual asked for {tolerance:e}", files.len().min(PANELS));
    Chart { head: Head { width: 1000.0, ..Head::new(&title) }, panels: panels.collect() }.picture()
}
