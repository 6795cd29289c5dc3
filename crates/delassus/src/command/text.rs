//! Numbers and tables for people.

use delassus_friction::{Certificate, Status};

/// A table printed row by row as results arrive; a cell that is too wide shifts its row.
pub struct Table {
    columns: Vec<(usize, Side)>,
}

/// Where a cell's text stands.
#[derive(Clone, Copy)]
pub enum Side {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

impl Table {
    /// Columns by width and side.
    pub fn new(columns: Vec<(usize, Side)>) -> Self {
        Self { columns }
    }

    /// One row.
    pub fn row<S: AsRef<str>>(&self, cells: &[S]) -> String {
        let mut line = String::new();
        for ((width, side), cell) in self.columns.iter().zip(cells) {
            let cell = cell.as_ref();
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push_str(&match side {
                Side::Left => format!("{cell:<width$}"),
                Side::Right => format!("{cell:>width$}"),
            });
        }
        line.trim_end().to_string()
    }

    /// A line below the header.
    pub fn rule(&self) -> String {
        "-".repeat(self.columns.iter().map(|(width, _)| width + 2).sum::<usize>().saturating_sub(2))
    }
}

/// The widest of some texts, in characters.
pub fn widest<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    texts.into_iter().map(|t| t.chars().count()).max().unwrap_or(0)
}

/// Seconds with a unit and three digits.
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$} {unit}")
}

/// Two digits: residuals.
pub fn small(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        x if (0.1..10.0).contains(&x) => format!("{x:.1}"),
        x => format!("{x:.1e}"),
    }
}

/// `contacts × D`, and the degrees of freedom of a global problem.
pub fn size(contacts: usize, dimension: usize, dofs: Option<usize>) -> String {
    let dofs = dofs.map(|n| format!(", {n} dofs")).unwrap_or_default();
    format!("{contacts} × {dimension}{dofs}")
}

/// The status in words.
pub fn status(status: Status, timed_out: bool) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::IterationLimit => "iteration limit",
        Status::Stalled => "stalled",
        Status::Breakdown => "breakdown",
        Status::Interrupted if timed_out => "time limit",
        Status::Interrupted => "interrupted",
        Status::MayHaveNoSolution => "may have no solution",
    }
}

/// `12, 7, 3`: the worst contacts, by index from 0.
pub fn worst(certificate: &Certificate) -> String {
    let names: Vec<String> = certificate.worst.iter().map(|w| w.contact.to_string()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_three_digits() {
        assert_eq!(time(1.234e-6), "1.23 µs");
        assert_eq!(time(0.012_34), "12.3 ms");
        assert_eq!(time(0.999_99), "1000 ms");
        assert_eq!(time(123.4), "123 s");
    }

    #[test]
    fn columns_are_counted_in_characters() {
        let table = Table::new(vec![(6, Side::Left), (7, Side::Right), (3, Side::Left)]);
        assert_eq!(table.row(&["a×b", "1 µs", ""]), "a×b        1 µs");
    }
}
