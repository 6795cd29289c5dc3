//! One instant of a run: a column of numbers per field, and its record in bytes.
//!
//! ```text
//! record  =  step u64 | time f64 | items of each ragged group u64 … | columns in order
//! ```
//!
//! All numbers little-endian. The BLAKE3 hash of the record is the hash of the frame.

use crate::error::Error;
use crate::field::{Extent, Header, Kind};

macro_rules! columns {
    ($($variant:ident $ty:ty, $get:ident, $get_mut:ident;)*) => {
        /// The numbers of one field in one frame, item after item.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Column {
            $(#[doc = concat!("Numbers of type `", stringify!($ty), "`.")] $variant(Vec<$ty>),)*
        }

        impl Column {
            /// An empty column.
            pub fn new(kind: Kind) -> Self {
                match kind { $(Kind::$variant => Self::$variant(Vec::new()),)* }
            }

            /// Type of the numbers.
            pub fn kind(&self) -> Kind {
                match self { $(Self::$variant(_) => Kind::$variant,)* }
            }

            /// Count of numbers (items × width).
            pub fn len(&self) -> usize {
                match self { $(Self::$variant(v) => v.len(),)* }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Removes the numbers, keeps the memory.
            pub fn clear(&mut self) {
                match self { $(Self::$variant(v) => v.clear(),)* }
            }

            /// The numbers as `f64`, whatever they are.
            pub fn to_f64(&self) -> Vec<f64> {
                match self { $(Self::$variant(v) => v.iter().map(|&x| x as f64).collect(),)* }
            }

            /// Number `i`, in the shortest form that reads back to the same bits.
            pub(crate) fn text(&self, i: usize) -> String {
                match self { $(Self::$variant(v) => v.get(i).map_or(String::new(), |x| format!("{x:?}")),)* }
            }

            $(
                #[doc = concat!("The numbers, if they are `", stringify!($ty), "`.")]
                pub fn $get(&self) -> Option<&[$ty]> {
                    match self { Self::$variant(v) => Some(v), _ => None }
                }

                #[doc = concat!("The buffer, if it holds `", stringify!($ty), "`.")]
                pub fn $get_mut(&mut self) -> Option<&mut Vec<$ty>> {
                    match self { Self::$variant(v) => Some(v), _ => None }
                }
            )*

            /// Appends the little-endian bytes to `out`.
            pub(crate) fn encode(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant(v) => {
                        const N: usize = size_of::<$ty>();
                        let start = out.len();
                        out.resize(start + N * v.len(), 0);
                        for (bytes, x) in out[start..].chunks_exact_mut(N).zip(v) {
                            bytes.copy_from_slice(&x.to_le_bytes());
                        }
                    })*
                }
            }

            /// From little-endian bytes; a remainder is ignored.
            pub(crate) fn decode(kind: Kind, bytes: &[u8]) -> Self {
                match kind {
                    $(Kind::$variant => {
                        const N: usize = size_of::<$ty>();
                        let number = |b: &[u8]| {
                            let mut array = [0; N];
                            array.copy_from_slice(b);
                            <$ty>::from_le_bytes(array)
                        };
                        Self::$variant(bytes.chunks_exact(N).map(number).collect())
                    })*
                }
            }
        }
    };
}

columns! {
    F64 f64, f64, f64_mut;
    F32 f32, f32, f32_mut;
    U64 u64, u64, u64_mut;
    U32 u32, u32, u32_mut;
    I32 i32, i32, i32_mut;
    U8 u8, u8, u8_mut;
}

impl Column {
    fn non_finite(&self) -> Option<(usize, f64)> {
        match self {
            Self::F64(v) => v.iter().position(|x| !x.is_finite()).map(|i| (i, v[i])),
            Self::F32(v) => v.iter().position(|x| !x.is_finite()).map(|i| (i, f64::from(v[i]))),
            _ => None,
        }
    }
}

/// One instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Number of the step.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// One column per field of the header, in that order.
    pub columns: Vec<Column>,
}

impl Frame {
    /// Removes the numbers, keeps the memory.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Column::clear);
    }

    /// BLAKE3 hash of the whole frame, the one stored in `frames/hash`.
    ///
    /// # Errors
    /// If the frame does not fit the header.
    pub fn hash(&self, header: &Header) -> Result<[u8; 32], Error> {
        let mut bytes = Vec::new();
        Plan::new(header).encode(header, self, &mut bytes)?;
        Ok(blake3::hash(&bytes).into())
    }
}

/// The error that lists the fields there are.
pub(crate) fn no_field(header: &Header, name: &str) -> Error {
    let known = header.fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join(", ");
    Error::NoField { name: name.into(), known }
}

/// Where the items of a field come from in a record.
#[derive(Clone, Copy, Debug)]
enum Items {
    Fixed(usize),
    Group(usize),
}

/// The layout of a record, computed once from the header.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    items: Vec<Items>,
    item_bytes: Vec<usize>,
    pub groups: usize,
}

/// A record cut into its parts.
pub(crate) struct Parts<'a> {
    pub step: u64,
    pub time: f64,
    counts: &'a [u8],
    columns: &'a [u8],
}

impl Plan {
    pub fn new(header: &Header) -> Self {
        let groups = header.groups();
        let items = |extent: &Extent| match extent {
            Extent::Fixed(n) => Items::Fixed(*n),
            Extent::Scalar => Items::Fixed(1),
            Extent::Ragged(name) => Items::Group(groups.iter().position(|g| g == name).unwrap_or(0)),
        };
        Self {
            items: header.fields.iter().map(|f| items(&f.extent)).collect(),
            item_bytes: header.fields.iter().map(|f| f.item_bytes()).collect(),
            groups: groups.len(),
        }
    }

    /// Writes the record of a frame into `out`, after checking it.
    pub fn encode(&self, header: &Header, frame: &Frame, out: &mut Vec<u8>) -> Result<(), Error> {
        out.clear();
        self.check(header, frame)?;
        out.extend_from_slice(&frame.step.to_le_bytes());
        out.extend_from_slice(&frame.time.to_le_bytes());
        for group in 0..self.groups {
            out.extend_from_slice(&(self.rows_of_group(header, frame, group) as u64).to_le_bytes());
        }
        frame.columns.iter().for_each(|c| c.encode(out));
        Ok(())
    }

    fn rows_of_group(&self, header: &Header, frame: &Frame, group: usize) -> usize {
        let first = self.items.iter().position(|i| matches!(i, Items::Group(g) if *g == group));
        first.map_or(0, |i| frame.columns[i].len() / header.fields[i].width)
    }

    fn check(&self, header: &Header, frame: &Frame) -> Result<(), Error> {
        if frame.columns.len() != header.fields.len() {
            return Err(Error::Columns { expected: header.fields.len(), found: frame.columns.len() });
        }
        let non_finite =
            |field: &str, index, value| Error::NonFinite { field: field.into(), index, step: frame.step, value };
        if !frame.time.is_finite() {
            return Err(non_finite("time", 0, frame.time));
        }
        for ((field, column), items) in header.fields.iter().zip(&frame.columns).zip(&self.items) {
            if column.kind() != field.kind {
                let (expected, found) = (field.kind.name(), column.kind().name());
                return Err(Error::Kind { field: field.name.clone(), expected, found });
            }
            let expected = field.width
                * match *items {
                    Items::Fixed(n) => n,
                    Items::Group(g) => self.rows_of_group(header, frame, g),
                };
            if column.len() != expected {
                return Err(Error::Length { field: field.name.clone(), expected, found: column.len() });
            }
            if let Some((index, value)) = column.non_finite() {
                return Err(non_finite(&field.name, index, value));
            }
        }
        Ok(())
    }

    /// Cuts a record; `None` if its length contradicts its counts.
    pub fn parts<'a>(&self, record: &'a [u8]) -> Option<Parts<'a>> {
        let (head, rest) = record.split_at_checked(16)?;
        let (counts, columns) = rest.split_at_checked(8 * self.groups)?;
        let (step, time) = (word(head, 0)?, f64::from_bits(word(head, 1)?));
        let parts = Parts { step, time, counts, columns };
        let mut total = 0usize;
        for i in 0..self.items.len() {
            total = total.checked_add(self.rows(&parts, i)?.checked_mul(self.item_bytes[i])?)?;
        }
        (total == columns.len()).then_some(parts)
    }

    /// Items of field `i` in a record.
    pub fn rows(&self, parts: &Parts, i: usize) -> Option<usize> {
        match *self.items.get(i)? {
            Items::Fixed(n) => Some(n),
            Items::Group(g) => usize::try_from(parts.rows_of_group(g)?).ok(),
        }
    }

    /// The bytes of each column of a record that [`Plan::parts`] accepted.
    pub fn columns<'a>(&'a self, parts: &'a Parts<'a>) -> impl Iterator<Item = &'a [u8]> + 'a {
        let mut rest = parts.columns;
        (0..self.items.len()).map(move |i| {
            let bytes = self.rows(parts, i).unwrap_or(0) * self.item_bytes[i];
            let (column, tail) = rest.split_at(bytes.min(rest.len()));
            rest = tail;
            column
        })
    }
}

impl Parts<'_> {
    /// Items of a ragged group.
    pub fn rows_of_group(&self, group: usize) -> Option<u64> {
        word(self.counts, group)
    }
}

fn word(bytes: &[u8], i: usize) -> Option<u64> {
    let bytes = bytes.get(8 * i..8 * i + 8)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
