//! Curves as a table: one line for each time or place, empty where a curve has none.

use delassus_draw::Panel;

/// CSV, numbers in the shortest form that reads back to the same bits.
pub fn text(panels: &[Panel]) -> String {
    let curves: Vec<_> = panels.iter().flat_map(|p| p.curves.iter().map(move |c| (p, c))).collect();
    let several = panels.len() > 1;
    let x = panels.first().map_or_else(String::new, |p| format!("{} [{}]", p.x.name, p.x.unit));
    let mut head = vec![x];
    for (panel, curve) in &curves {
        // Panels of a comparison share the names of their curves.
        let what = match several && !curve.name.contains('/') {
            true => format!("{}: {}", curve.name, panel.y.name),
            false => curve.name.clone(),
        };
        head.push(format!("{what} [{}]", panel.y.unit));
    }
    let mut times: Vec<f64> = curves.iter().flat_map(|(_, c)| c.points.iter().map(|p| p[0])).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut text = head.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
    text.push('\n');
    let mut next = vec![0; curves.len()];
    for t in times {
        // A jump has two values at one time: two lines.
        loop {
            let mut more = false;
            let mut row = vec![format!("{t:?}")];
            for ((_, curve), i) in curves.iter().zip(&mut next) {
                let here = curve.points.get(*i).filter(|p| p[0] == t);
                row.push(here.map_or(String::new(), |p| format!("{:?}", p[1])));
                *i += usize::from(here.is_some());
                more |= curve.points.get(*i).is_some_and(|p| p[0] == t);
            }
            text.push_str(&row.join(","));
            text.push('\n');
            if !more {
                break;
            }
        }
    }
    text
}

/// Names with commas or quotes are quoted, as RFC 4180 asks.
pub fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_draw::{Curve, Quantity, line_style};

    #[test]
    fn times_are_merged_and_jumps_kept() {
        let curve = |name: &str, points: &[[f64; 2]]| Curve {
            name: name.into(),
            stroke: line_style(0),
            points: points.to_vec(),
        };
        let panel = Panel {
            title: String::new(),
            x: Quantity::new("time", "s"),
            y: Quantity::new("force", "N"),
            curves: vec![curve("a", &[[0.0, 1.0], [2.0, 3.0]]), curve("b, c", &[[1.0, 0.0], [1.0, 5.0]])],
        };
        assert_eq!(text(&[panel]), "time [s],a [N],\"b, c [N]\"\n0.0,1.0,\n1.0,,0.0\n1.0,,5.0\n2.0,3.0,\n");
    }
}
