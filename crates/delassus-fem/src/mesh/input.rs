//! Words and numbers of a file that nobody vouches for
//!
//! Every count a file states is compared with the bytes that are left before memory is
//! reserved, so that reading takes memory in proportion to the file.

use super::error::{MeshError, Place, ReadError};

/// A file in memory and a place in it.
pub(crate) struct Input<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Places are told as bytes, and numbers are read as such.
    pub binary: bool,
    /// Binary numbers begin with their highest byte.
    pub big_endian: bool,
    /// Bytes of a binary size: 4 or 8.
    pub size_bytes: usize,
}

impl<'a> Input<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Input { file, bytes, at: 0, binary: false, big_endian: false, size_bytes: 8 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The error for what is at a place.
    pub fn fail(&self, at: usize, found: impl Into<String>, expected: impl Into<String>) -> MeshError {
        let place = if self.binary {
            Place::Byte(at)
        } else {
            Place::Line(1 + self.bytes[..at.min(self.bytes.len())].iter().filter(|&&b| b == b'\n').count())
        };
        let (file, found, expected) = (self.file.into(), found.into(), expected.into());
        MeshError::Read(Box::new(ReadError { file, place, found, expected }))
    }

    /// The error for what is on a line, from 1.
    pub fn fail_on_line(&self, line: usize, found: impl Into<String>, expected: impl Into<String>) -> MeshError {
        let (file, found, expected) = (self.file.into(), found.into(), expected.into());
        MeshError::Read(Box::new(ReadError { file, place: Place::Line(line), found, expected }))
    }

    fn end(&self, expected: &str) -> MeshError {
        self.fail(self.bytes.len(), "the end of the file", expected)
    }

    pub fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Nothing but space is left.
    pub fn is_done(&mut self) -> bool {
        self.skip_space();
        self.at == self.bytes.len()
    }

    /// The next word.
    pub fn word(&mut self, expected: &str) -> Result<&'a str, MeshError> {
        if self.is_done() {
            return Err(self.end(expected));
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        std::str::from_utf8(&rest[..length]).map_err(|_| self.fail(start, shown(&rest[..length]), expected))
    }

    /// The next word without taking it.
    pub fn peek_word(&mut self) -> Option<&'a str> {
        let at = self.at;
        let word = self.word("").ok();
        self.at = at;
        word
    }

    /// A given word.
    pub fn literal(&mut self, word: &str) -> Result<(), MeshError> {
        self.skip_space();
        let start = self.at;
        match self.word(word)? {
            found if found == word => Ok(()),
            found => Err(self.fail(start, shown(found.as_bytes()), format!("`{word}`"))),
        }
    }

    /// A number written in letters.
    pub fn parsed<T: std::str::FromStr>(&mut self, expected: &str) -> Result<T, MeshError> {
        self.skip_space();
        let start = self.at;
        let word = self.word(expected)?;
        word.parse().map_err(|_| self.fail(start, shown(word.as_bytes()), expected))
    }

    /// What is left of the line; its end is taken too.
    pub fn line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length])
    }

    /// A number of bytes.
    pub fn take(&mut self, count: usize, expected: &str) -> Result<&'a [u8], MeshError> {
        if count > self.remaining() {
            return Err(self.end(expected));
        }
        self.at += count;
        Ok(&self.bytes[self.at - count..self.at])
    }

    fn array<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], MeshError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N, expected)?);
        if self.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// An integer: a word, or four bytes.
    pub fn int(&mut self, expected: &str) -> Result<i64, MeshError> {
        if self.binary { Ok(i32::from_le_bytes(self.array(expected)?).into()) } else { self.parsed(expected) }
    }

    /// A number that counts or names: a word, or [`Input::size_bytes`].
    pub fn size(&mut self, expected: &str) -> Result<u64, MeshError> {
        match (self.binary, self.size_bytes) {
            (false, _) => self.parsed(expected),
            (true, 4) => Ok(u32::from_le_bytes(self.array(expected)?).into()),
            (true, _) => Ok(u64::from_le_bytes(self.array(expected)?)),
        }
    }

    /// A finite number: a word, or eight bytes.
    pub fn real(&mut self, expected: &str) -> Result<f64, MeshError> {
        if !self.binary {
            self.skip_space();
        }
        let start = self.at;
        let x: f64 = if self.binary { f64::from_le_bytes(self.array(expected)?) } else { self.parsed(expected)? };
        if x.is_finite() { Ok(x) } else { Err(self.fail(start, x.to_string(), "a finite number")) }
    }

    /// Refuses a count of things that the rest of the file cannot hold.
    pub fn bounded(&self, at: usize, count: u64, bytes_each: usize, what: &str) -> Result<usize, MeshError> {
        let room = self.remaining() / bytes_each.max(1) + 1;
        if count <= room as u64 && count <= u64::from(u32::MAX) {
            return Ok(count as usize);
        }
        Err(self.fail(
            at,
            format!("{count} {what}"),
            format!("at most {room}, which is what the rest of the file can hold"),
        ))
    }

    /// A count with its bound.
    pub fn count(&mut self, what: &str, bytes_each: usize) -> Result<usize, MeshError> {
        if !self.binary {
            self.skip_space();
        }
        let at = self.at;
        let count = self.size(what)?;
        self.bounded(at, count, bytes_each, what)
    }

    /// Goes behind the next occurrence of a text.
    pub fn skip_past(&mut self, text: &str) -> Result<(), MeshError> {
        let found = find(&self.bytes[self.at..], text.as_bytes());
        let place = found.ok_or_else(|| self.end(&format!("`{text}`")))?;
        self.at += place + text.len();
        Ok(())
    }
}

/// First occurrence of a text.
pub(crate) fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    let mut from = 0;
    while let Some(i) = bytes[from..].iter().position(|&b| b == first) {
        if bytes[from + i..].starts_with(text) {
            return Some(from + i);
        }
        from += i + 1;
    }
    None
}

/// Bytes as a message shows them: short, and in quotes.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(&bytes[..bytes.len().min(120)]).chars().take(40).collect();
    let more = if text.len() < bytes.len() && bytes.len() > 40 { "…" } else { "" };
    format!("`{}{more}`", text.escape_debug())
}
