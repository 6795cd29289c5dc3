//! Time series as CSV: one line per frame, columns named as `delassus plot` names them, with their units.

use std::io::Write;

use crate::error::Error;
use crate::field::Extent;
use crate::run::Run;

/// A column of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The field.
    pub field: String,
    /// The item of a fixed field, for example the body; 0 for a scalar.
    pub item: usize,
}

impl Series {
    /// All fields with one item per frame.
    pub fn scalars(run: &Run) -> Vec<Self> {
        let fields = run.header().fields.iter().filter(|f| f.extent == Extent::Scalar);
        fields.map(|f| Self { field: f.name.clone(), item: 0 }).collect()
    }
}

/// Writes step, time and the given series. Numbers are written so that they read back to
/// the same bits.
///
/// # Errors
/// A field or item does not exist, or the output cannot be written.
pub fn write_csv(run: &Run, series: &[Series], out: &mut impl Write) -> Result<(), Error> {
    let mut head = vec!["step".to_owned(), "time [s]".to_owned()];
    let mut columns = Vec::new();
    for s in series {
        let column = run.item_series(&s.field, s.item)?;
        let Some(field) = run.header().fields.iter().find(|f| f.name == s.field) else { continue };
        let named = run.header().item_names(&field.name).get(s.item).copied().filter(|n| !n.is_empty());
        let item = match field.extent {
            Extent::Fixed(_) => format!("[{}]", named.map_or_else(|| s.item.to_string(), str::to_owned)),
            _ => String::new(),
        };
        for c in 0..field.width {
            head.push(format!("{}{item}{} [{}]", field.name, field.component(c), field.unit));
        }
        columns.push((column, field.width));
    }
    let mut text = String::new();
    let row = |text: &mut String, cells: &mut dyn Iterator<Item = String>| {
        text.push_str(&cells.collect::<Vec<_>>().join(","));
        text.push('\n');
    };
    row(&mut text, &mut head.iter().map(|name| quoted(name)));
    for k in 0..run.frames() {
        let numbers = columns.iter().flat_map(|(column, width)| (0..*width).map(move |c| column.text(k * width + c)));
        let start = [run.steps()[k].to_string(), format!("{:?}", run.times()[k])];
        row(&mut text, &mut start.into_iter().chain(numbers));
    }
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::io("write the CSV of", run.path()))
}

/// Names with commas or quotes are quoted, as RFC 4180 asks.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}
