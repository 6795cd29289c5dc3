//! Small multiples: one panel for each run, the others pale behind it, on one scale.

use delassus_draw::colour::FAINT;
use delassus_draw::{Curve, Panel, Stroke, line_style};

/// Runs that one panel still shows readably.
pub const MANY: usize = 8;

/// Each panel again for every run, in the order of the runs.
pub fn apart(panels: Vec<Panel>, labels: &[String]) -> Vec<Panel> {
    let mut all = vec![];
    for panel in &panels {
        let is_of = |curve: &Curve, label: &str| curve.name == *label || curve.name.starts_with(&format!("{label}: "));
        let mut placed = vec![false; panel.curves.len()];
        for label in labels {
            let own: Vec<usize> = (0..panel.curves.len()).filter(|i| is_of(&panel.curves[*i], label)).collect();
            if own.is_empty() {
                continue;
            }
            own.iter().for_each(|i| placed[*i] = true);
            all.push(one(panel, label, &own));
        }
        // What belongs to no run, such as a closed form, stays in a panel of its own.
        let others: Vec<usize> = (0..placed.len()).filter(|i| !placed[*i]).collect();
        if !others.is_empty() {
            all.push(one(panel, &panel.curves[others[0]].name, &others));
        }
    }
    all
}

/// The curves of one run before those of the others.
fn one(panel: &Panel, label: &str, own: &[usize]) -> Panel {
    let behind = panel.curves.iter().enumerate().filter(|(i, _)| !own.contains(i));
    let pale = |(_, c): (usize, &Curve)| Curve {
        name: String::new(),
        stroke: Stroke::new(FAINT, 0.8),
        points: c.points.clone(),
    };
    let mut curves: Vec<Curve> = behind.map(pale).collect();
    for (k, i) in own.iter().enumerate() {
        let curve = &panel.curves[*i];
        let name = curve.name.strip_prefix(&format!("{label}: ")).filter(|_| own.len() > 1).unwrap_or("");
        curves.push(Curve { name: name.into(), stroke: line_style(k), points: curve.points.clone() });
    }
    let title = if panel.title.is_empty() { label.to_owned() } else { format!("{label}: {}", panel.title) };
    Panel { title, x: panel.x.clone(), y: panel.y.clone(), curves }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_draw::Quantity;

    /// Three runs of one series: three panels with all curves, one of them not pale.
    #[test]
    fn every_run_has_its_panel() {
        let curve =
            |name: &str, y: f64| Curve { name: name.into(), stroke: line_style(0), points: vec![[0.0, 0.0], [1.0, y]] };
        let panel = Panel {
            title: String::new(),
            x: Quantity::new("time", "s"),
            y: Quantity::new("energy", "J"),
            curves: vec![curve("a", 1.0), curve("b", 2.0), curve("c", 3.0)],
        };
        let labels: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let found = apart(vec![panel], &labels);
        assert_eq!(found.iter().map(|p| p.title.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        for (k, p) in found.iter().enumerate() {
            assert_eq!(p.curves.len(), 3);
            assert_eq!(p.curves.iter().filter(|c| c.stroke.colour == FAINT).count(), 2);
            assert_eq!(p.curves[2].points[1][1], (k + 1) as f64);
        }
    }
}
