//! Typed access to an untrusted HDF5 file.
//!
//! Sizes are compared with the file before anything is allocated: contiguous data
//! must fit in it, and all that is read from one file stays below
//! max(64 MiB, 16 × length), which compressed FCLIB files do not approach and which
//! stops a few bytes from declaring terabytes of fill value.

use std::cell::Cell;

use hdf5_pure::{DType, Dataset, Error, Group, Layout, VlenStringReadOptions};

use super::{Fault, FclibError};

const FLOOR: u64 = 64 << 20;
const EXPANSION: u64 = 16;

/// An open file, with the number of bytes it may still yield.
pub(super) struct Source<'a> {
    name: &'a str,
    file: hdf5_pure::File,
    length: u64,
    left: Cell<u64>,
}

/// A group of a [`Source`], with the names in it.
pub(super) struct Node<'a> {
    source: &'a Source<'a>,
    path: String,
    group: Group,
    groups: Vec<String>,
    datasets: Vec<String>,
}

impl<'a> Source<'a> {
    pub fn open(name: &'a str, bytes: Vec<u8>) -> Result<Self, FclibError> {
        if !hdf5_pure::is_hdf5_bytes(&bytes) {
            return Err(Fault::NotHdf5 { length: bytes.len() }.at(name, ""));
        }
        let length = bytes.len() as u64;
        let file = hdf5_pure::File::from_bytes(bytes).map_err(|e| damaged(&e).at(name, ""))?;
        let left = Cell::new(FLOOR.max(length.saturating_mul(EXPANSION)));
        Ok(Self { name, file, length, left })
    }

    pub fn root(&'a self) -> Result<Node<'a>, FclibError> {
        Node::new(self, String::new(), self.file.root())
    }
}

impl<'a> Node<'a> {
    fn new(source: &'a Source<'a>, path: String, group: Group) -> Result<Self, FclibError> {
        let names = |names: Result<Vec<String>, Error>| names.map_err(|e| damaged(&e).at(source.name, path.clone()));
        let (groups, datasets) = (names(group.groups())?, names(group.datasets())?);
        Ok(Self { source, path, group, groups, datasets })
    }

    /// Groups in this one.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// Names the file and an item of this group, or the group itself.
    pub fn fault(&self, item: &str, fault: Fault) -> FclibError {
        fault.at(self.source.name, self.item(item))
    }

    /// A group that may be missing.
    pub fn find(&self, name: &str) -> Result<Option<Node<'a>>, FclibError> {
        if !self.groups.iter().any(|g| g == name) {
            return Ok(None);
        }
        let group = self.group.group(name).map_err(|e| self.fault(name, damaged(&e)))?;
        Node::new(self.source, self.item(name), group).map(Some)
    }

    /// A group that must be there.
    pub fn child(&self, name: &str) -> Result<Node<'a>, FclibError> {
        self.find(name)?.ok_or_else(|| self.fault(name, Fault::Missing { what: "group", found: self.groups.clone() }))
    }

    /// Whether there is a dataset of that name.
    pub fn has(&self, name: &str) -> bool {
        self.datasets.iter().any(|d| d == name)
    }

    /// One integer.
    pub fn integer(&self, name: &str) -> Result<i64, FclibError> {
        let set = self.dataset(name)?;
        self.expect_integer(name, &set)?;
        let found = self.on(name, set.shape())?;
        let values = match found.as_slice() {
            [] | [1] => self.read(name, &set, Dataset::read_i64)?,
            _ => Vec::new(),
        };
        match values.as_slice() {
            [value] => Ok(*value),
            _ => Err(self.fault(name, Fault::Shape { expected: "one integer", found })),
        }
    }

    /// A list of integers.
    pub fn integers(&self, name: &str) -> Result<Vec<i64>, FclibError> {
        let set = self.dataset(name)?;
        self.expect_integer(name, &set)?;
        self.expect_list(name, &set)?;
        self.read(name, &set, Dataset::read_i64)
    }

    /// A list of numbers.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, FclibError> {
        let set = self.dataset(name)?;
        match self.on(name, set.dtype())? {
            DType::F32 | DType::F64 => {}
            other => return Err(self.wrong_type(name, "floating point", &other)),
        }
        self.expect_list(name, &set)?;
        self.read(name, &set, Dataset::read_f64)
    }

    /// Text of fixed or variable length, or nothing if there is none. Bytes that are no
    /// UTF-8 are replaced: remarks in Latin-1 are no reason to refuse a problem.
    pub fn text(&self, name: &str) -> Result<String, FclibError> {
        if !self.has(name) {
            return Ok(String::new());
        }
        let set = self.dataset(name)?;
        let texts = match self.on(name, set.dtype())? {
            DType::String => self.read(name, &set, Dataset::read_string)?,
            DType::VariableLengthString => {
                let limit = usize::try_from(self.source.length).unwrap_or(usize::MAX);
                let options = VlenStringReadOptions::new().with_max_elements(1);
                let options = options.with_max_payload_bytes(limit);
                self.read(name, &set, |set| set.read_vlen_strings(options))?
            }
            other => return Err(self.wrong_type(name, "text", &other)),
        };
        match <[String; 1]>::try_from(texts) {
            Ok([text]) => Ok(text.split('\0').next().unwrap_or_default().to_owned()),
            Err(_) => {
                let found = self.on(name, set.shape())?;
                Err(self.fault(name, Fault::Shape { expected: "one text", found }))
            }
        }
    }

    fn item(&self, name: &str) -> String {
        match (self.path.is_empty(), name.is_empty()) {
            (true, _) => name.to_owned(),
            (_, true) => self.path.clone(),
            _ => format!("{}/{name}", self.path),
        }
    }

    fn dataset(&self, name: &str) -> Result<Dataset, FclibError> {
        if !self.has(name) {
            let found = self.datasets.clone();
            return Err(self.fault(name, Fault::Missing { what: "dataset", found }));
        }
        self.on(name, self.group.dataset(name))
    }

    fn on<T>(&self, name: &str, result: Result<T, Error>) -> Result<T, FclibError> {
        result.map_err(|e| self.fault(name, damaged(&e)))
    }

    fn expect_integer(&self, name: &str, set: &Dataset) -> Result<(), FclibError> {
        match self.on(name, set.dtype())? {
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => Ok(()),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Ok(()),
            other => Err(self.wrong_type(name, "integer", &other)),
        }
    }

    fn expect_list(&self, name: &str, set: &Dataset) -> Result<(), FclibError> {
        let found = self.on(name, set.shape())?;
        let expected = "one dimension";
        if found.len() == 1 { Ok(()) } else { Err(self.fault(name, Fault::Shape { expected, found })) }
    }

    fn wrong_type(&self, name: &str, expected: &'static str, found: &DType) -> FclibError {
        self.fault(name, Fault::Type { expected, found: found.to_string() })
    }

    /// Reads after the declared size has been accepted.
    fn read<T>(
        &self,
        name: &str,
        set: &Dataset,
        get: impl Fn(&Dataset) -> Result<Vec<T>, Error>,
    ) -> Result<Vec<T>, FclibError> {
        let element = self.on(name, set.element_size())?;
        let bytes = |shape: &[u64]| shape.iter().fold(element, |n, &d| n.saturating_mul(d));
        let declared = bytes(&self.on(name, set.shape())?);
        let left = self.source.left.get();
        let (claimed, limit) = match self.on(name, set.layout())? {
            Layout::Chunked { chunk_shape, .. } => (declared.max(bytes(&chunk_shape)), left),
            _ => (declared, left.min(self.source.length)),
        };
        if claimed > limit {
            return Err(self.fault(name, Fault::Oversized { declared: claimed, limit }));
        }
        self.source.left.set(left - claimed);
        self.on(name, get(set))
    }
}

fn damaged(error: &Error) -> Fault {
    Fault::Damaged { detail: error.to_string() }
}
