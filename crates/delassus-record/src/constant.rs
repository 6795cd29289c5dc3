//! What is known of a run before its first frame and does not change: tables of numbers and of names.
//!
//! ```text
//! model/bodies/name     (bodies)      texts
//! model/bodies/inertia  (bodies, 3)   numbers
//! ```

use hdf5_pure::{AttrValue, Dataset, File, FileBuilder, GroupBuilder};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::field::Kind;
use crate::frame::Column;
use crate::layout::number_type;

/// The group that constants are in.
pub(crate) const GROUP: &str = "model";

/// The values of a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers, item after item.
    Numbers(Column),
    /// Texts, one for each item.
    Texts(Vec<Arc<str>>),
}

/// A table that does not change during a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Path below `model`, for example `bodies/mass`.
    pub name: String,
    /// Numbers per item.
    pub width: usize,
    /// Unit; `1` if there is none.
    pub unit: String,
    /// One line for the reader of the file.
    pub about: String,
    /// What it holds.
    pub values: Values,
}

impl Constant {
    /// A table of `f64`.
    pub fn numbers(name: &str, width: usize, (unit, about): (&str, &str), values: Vec<f64>) -> Self {
        Self::new(name, width, (unit, about), Values::Numbers(Column::F64(values)))
    }

    /// A table of integers.
    pub fn integers(name: &str, width: usize, about: &str, values: Vec<i32>) -> Self {
        Self::new(name, width, ("1", about), Values::Numbers(Column::I32(values)))
    }

    /// A table of texts.
    pub fn texts(name: &str, about: &str, values: Vec<Arc<str>>) -> Self {
        Self::new(name, 1, ("1", about), Values::Texts(values))
    }

    fn new(name: &str, width: usize, (unit, about): (&str, &str), values: Values) -> Self {
        Self { name: name.into(), width, unit: unit.into(), about: about.into(), values }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Numbers(column) => column.len() / self.width.max(1),
            Values::Texts(texts) => texts.len(),
        }
    }

    /// Whether it has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers, if they are `f64`.
    pub fn f64(&self) -> Option<&[f64]> {
        if let Values::Numbers(column) = &self.values { column.f64() } else { None }
    }

    /// The texts, if it holds some.
    pub fn strings(&self) -> Option<&[Arc<str>]> {
        if let Values::Texts(texts) = &self.values { Some(texts) } else { None }
    }

    /// Refuses what a file cannot hold.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |reason: String| Err(Error::Header { name: format!("{GROUP}/{}", self.name), reason });
        if !self.name.split('/').all(crate::field::is_word) || !self.name.contains('/') {
            return refuse("tables of the model are named 'group/name'".into());
        }
        match &self.values {
            Values::Numbers(column) if self.width == 0 || !column.len().is_multiple_of(self.width) => {
                refuse(format!("{} numbers are not items of {}", column.len(), self.width))
            }
            // What cannot be turned has an infinite inertia.
            Values::Numbers(Column::F64(v)) if v.iter().any(|x| x.is_nan()) => refuse("holds what is no number".into()),
            // Padded with zeros in the file.
            Values::Texts(texts) if texts.iter().any(|t| t.contains('\0')) => refuse("a text holds a zero byte".into()),
            _ => Ok(()),
        }
    }

    /// Everything in it, for a hash.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        match &self.values {
            Values::Numbers(column) => column.encode(&mut out),
            Values::Texts(texts) => texts.iter().for_each(|t| {
                out.extend((t.len() as u64).to_le_bytes());
                out.extend(t.as_bytes());
            }),
        }
        out
    }
}

/// A constant as the header describes it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Described {
    name: String,
    /// `None` for texts.
    kind: Option<Kind>,
    width: usize,
    items: usize,
    unit: String,
    about: String,
}

impl Described {
    pub fn new(constant: &Constant) -> Self {
        let kind = match &constant.values {
            Values::Numbers(column) => Some(column.kind()),
            Values::Texts(_) => None,
        };
        let (unit, about) = (constant.unit.clone(), constant.about.clone());
        Self { name: constant.name.clone(), kind, width: constant.width, items: constant.len(), unit, about }
    }

    /// Reads it back; sizes are compared with the file before anything is read.
    pub fn read(self, path: &Path, file: &File, bytes: u64) -> Result<Constant, Error> {
        let Self { name, kind, width, items, unit, about } = self;
        let full = format!("{GROUP}/{name}");
        let mut values = match kind {
            Some(kind) => Values::Numbers(Column::new(kind)),
            None => Values::Texts(vec![]),
        };
        if items > 0 {
            let set = file.dataset(&full).map_err(Error::hdf5("open", path))?;
            values = read(path, &set, (&full, kind, bytes))?;
        }
        let constant = Constant { name, width, unit, about, values };
        match constant.len() == items {
            true => Ok(constant),
            false => Err(Error::damaged(path, &full, format!("{} items, {items} expected", constant.len()))),
        }
    }
}

fn read(path: &Path, set: &Dataset, (name, kind, bytes): (&str, Option<Kind>, u64)) -> Result<Values, Error> {
    let shape = set.shape().map_err(Error::hdf5("open", path))?;
    let size = set.element_size().map_err(Error::hdf5("open", path))?;
    let total = shape.iter().fold(size, |a, b| a.saturating_mul(*b));
    if total > bytes || kind.is_some_and(|k| k.bytes() as u64 != size) {
        return Err(Error::damaged(path, name, format!("{shape:?} items of {size} bytes")));
    }
    match kind {
        Some(kind) => {
            let raw = set.read_raw().map_err(Error::hdf5("read", path))?;
            Ok(Values::Numbers(Column::decode(kind, &raw)))
        }
        None => {
            let texts = set.read_string().map_err(Error::hdf5("read", path))?;
            Ok(Values::Texts(texts.into_iter().map(Arc::from).collect()))
        }
    }
}

/// The group of the constants; those without items are in the header alone.
pub(crate) fn group(
    builder: &mut FileBuilder,
    constants: &[Constant],
) -> Result<Option<GroupBuilder>, hdf5_pure::Error> {
    if constants.iter().all(Constant::is_empty) {
        return Ok(None);
    }
    let mut top = builder.create_group(GROUP);
    fill(&mut top, constants, "")?;
    Ok(Some(top))
}

fn fill(group: &mut GroupBuilder, constants: &[Constant], path: &str) -> Result<(), hdf5_pure::Error> {
    let mut inner: Vec<&str> = vec![];
    for constant in constants.iter().filter(|c| !c.is_empty()) {
        let Some(rest) = constant.name.strip_prefix(path) else { continue };
        match rest.split_once('/') {
            None => put(group, rest, constant)?,
            Some((name, _)) if !inner.contains(&name) => inner.push(name),
            Some(_) => {}
        }
    }
    for name in inner {
        let mut child = group.create_group(name);
        fill(&mut child, constants, &format!("{path}{name}/"))?;
        group.add_group(child.finish());
    }
    Ok(())
}

fn put(group: &mut GroupBuilder, name: &str, constant: &Constant) -> Result<(), hdf5_pure::Error> {
    let items = constant.len() as u64;
    let set = group.create_dataset(name);
    match &constant.values {
        Values::Numbers(column) => {
            let mut bytes = vec![];
            column.encode(&mut bytes);
            set.with_raw_data(number_type(column.kind()), bytes, column.len() as u64);
            match constant.width {
                1 => set.with_shape(&[items]),
                width => set.with_shape(&[items, width as u64]),
            };
        }
        Values::Texts(texts) => {
            let texts: Vec<&str> = texts.iter().map(|t| &**t).collect();
            set.with_strings(&texts)?;
        }
    }
    for (key, value) in [("unit", &constant.unit), ("about", &constant.about)] {
        if !value.is_empty() {
            set.set_attr(key, AttrValue::String(value.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_a_file_cannot_hold_are_refused() {
        let good = Constant::numbers("bodies/mass", 1, ("kg", ""), vec![1.0]);
        assert!(good.check().is_ok());
        assert!(Constant { name: "mass".into(), ..good.clone() }.check().is_err());
        assert!(Constant { width: 2, ..good.clone() }.check().is_err());
        assert!(Constant::numbers("a/b", 1, ("1", ""), vec![f64::NAN]).check().is_err());
        assert!(Constant::texts("a/b", "", vec!["a\0".into()]).check().is_err());
    }
}
