//! Arrays with names in one piece of bytes, as the page reads them
//!
//! ```text
//! pack  =  length of the head u32 | 0 u32 | head: JSON, padded to 8 | arrays, each padded to 8
//! ```
//!
//! The head tells for each array its name, the type of its numbers, how many make an item, how many items there are, and
//! where it starts after the head; what else it tells is up to the sender. Everything is little-endian, so that a browser
//! takes the arrays as they are.

use delassus_record::Column;
use serde_json::{Map, Value, json};

/// A pack that is being filled.
#[derive(Debug, Default)]
pub struct Pack {
    head: Map<String, Value>,
    arrays: Vec<Value>,
    body: Vec<u8>,
}

impl Pack {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells something in the head.
    pub fn tell(&mut self, name: &str, value: impl Into<Value>) {
        self.head.insert(name.into(), value.into());
    }

    /// Adds a column as it is.
    pub fn exact(&mut self, name: &str, width: usize, column: &Column) {
        let (kind, count) = (column.kind(), column.len() / width.max(1));
        self.start(name, kind.name(), width, count);
        match column {
            Column::F64(v) => v.iter().for_each(|x| self.body.extend(x.to_le_bytes())),
            Column::F32(v) => v.iter().for_each(|x| self.body.extend(x.to_le_bytes())),
            Column::U64(v) => v.iter().for_each(|x| self.body.extend(x.to_le_bytes())),
            Column::U32(v) => v.iter().for_each(|x| self.body.extend(x.to_le_bytes())),
            Column::I32(v) => v.iter().for_each(|x| self.body.extend(x.to_le_bytes())),
            Column::U8(v) => self.body.extend(v),
        }
    }

    /// Adds a column, double precision rounded to single: what a picture needs.
    pub fn rounded(&mut self, name: &str, width: usize, column: &Column) {
        match column {
            Column::F64(v) => self.singles(name, width, v.iter().copied()),
            other => self.exact(name, width, other),
        }
    }

    /// Adds numbers, rounded to single precision.
    pub fn singles(&mut self, name: &str, width: usize, numbers: impl ExactSizeIterator<Item = f64>) {
        self.start(name, "float32", width, numbers.len() / width.max(1));
        numbers.for_each(|x| self.body.extend((x as f32).to_le_bytes()));
    }

    fn start(&mut self, name: &str, kind: &str, width: usize, count: usize) {
        self.body.resize(self.body.len().next_multiple_of(8), 0);
        self.arrays.push(json!({
            "name": name, "kind": kind, "width": width, "count": count, "start": self.body.len()
        }));
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.head.insert("arrays".into(), self.arrays.into());
        let mut head = Value::Object(self.head).to_string().into_bytes();
        // Blanks after JSON are JSON.
        head.resize(head.len().next_multiple_of(8), b' ');
        let mut out = Vec::with_capacity(8 + head.len() + self.body.len());
        out.extend((head.len() as u32).to_le_bytes());
        out.extend([0; 4]);
        out.extend(head);
        out.extend(self.body);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the layout of the module: an array is found where the head says, and its bytes are those of the numbers.
    #[test]
    fn arrays_lie_where_the_head_says() {
        let mut pack = Pack::new();
        pack.exact("status", 1, &Column::U8(vec![1, 2, 1]));
        pack.exact("exact", 2, &Column::F64(vec![0.1, 0.2]));
        pack.rounded("rounded", 2, &Column::F64(vec![0.1, 0.2]));
        pack.tell("frame", 7);
        let bytes = pack.finish();
        let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
        let head: Value = serde_json::from_slice(&bytes[8..8 + length]).expect("JSON");
        assert_eq!(head["frame"], 7);
        let array = |i: usize| {
            let start = 8 + length + head["arrays"][i]["start"].as_u64().expect("a number") as usize;
            assert_eq!(start % 8, 0);
            &bytes[start..]
        };
        assert_eq!(&array(0)[..3], [1, 2, 1]);
        assert_eq!(array(1)[..8], 0.1f64.to_le_bytes());
        assert_eq!(array(2)[4..8], 0.2f32.to_le_bytes());
        assert_eq!(head["arrays"][1]["width"], 2);
        assert_eq!(head["arrays"][1]["count"], 1);
    }
}
