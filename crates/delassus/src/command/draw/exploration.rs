//! The file that `delassus explore` writes, read for pictures
//!
//! ```text
//! attributes              format = "delassus-exploration", version = 1, source, unit
//! contacts/position       [n, d]      contacts/frame   [n, d·d], rows normal, tangents
//! contacts/bodies         [n, 2]      contacts/friction [n]
//! forces                  [n, D]      one certified solution, normal first [N]
//! samples                 [m, n, D]   hull/start [n + 1], hull/vertices [k, D]
//! hull/outer_start, hull/outer        hull/unbounded [n]
//! networks/NAME           [n, D]      forces that balance, each extreme in its way
//! ```

use super::snapshot::Touch;
use delassus_draw::{Point, Reactions, Status};
use hdf5_pure::{AttrValue, File};
use std::collections::BTreeMap;
use std::path::Path;

const FORMAT: &str = "delassus-exploration";
const VERSION: u64 = 1;

/// What was explored.
pub struct Exploration {
    /// What it was made from.
    pub source: String,
    /// Places of the contacts; none when the problem had no bodies.
    pub places: Option<Vec<Place>>,
    friction: Vec<f64>,
    /// Components of a force, 2 or 3.
    components: usize,
    forces: Option<Vec<f64>>,
    samples: Vec<f64>,
    vertices: Ragged,
    outer: Ragged,
    unbounded: Vec<u8>,
    quantity: String,
    networks: BTreeMap<String, Vec<f64>>,
}

/// Where a contact is.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its point.
    pub point: [f64; 3],
    /// Normal and tangents.
    pub axes: [[f64; 3]; 3],
    /// Its bodies; none where the index is negative.
    pub bodies: [Option<usize>; 2],
}

#[derive(Default)]
struct Ragged {
    start: Vec<i64>,
    values: Vec<f64>,
}

/// Whether a file says that it is one.
pub fn is_one(path: &Path) -> bool {
    let attributes = File::open(path).and_then(|f| f.root().attrs());
    attributes.is_ok_and(|a| a.get("format").and_then(AttrValue::as_str) == Some(FORMAT))
}

impl Exploration {
    /// Reads and checks; the message names the file and the dataset.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let file = File::open(path).map_err(|e| format!("{name}: {e} (expected a file of 'delassus explore')"))?;
        let attributes = file.root().attrs().map_err(|e| format!("{name}: {e}"))?;
        match attributes.get("format").and_then(AttrValue::as_str) {
            Some(FORMAT) => {}
            other => {
                let found = other.map_or_else(|| "none".into(), |f| format!("'{f}'"));
                return Err(format!(
                    "{name}: attribute format is {found}, expected '{FORMAT}' (a file of 'delassus explore')"
                ));
            }
        }
        match attributes.get("version").and_then(AttrValue::as_u64) {
            Some(VERSION) => {}
            other => return Err(format!("{name}: version {other:?}, this program reads version {VERSION}")),
        }
        let source = attributes.get("source").and_then(AttrValue::as_str).unwrap_or("").to_string();
        let reader = Reader { file, name: name.to_string() };
        let n = match reader.shape("contacts/friction")?.as_deref() {
            Some([n]) => *n as usize,
            _ => return Err(format!("{name}: no list 'contacts/friction', one number for each contact")),
        };
        let d = reader.components()?;
        let samples = match reader.shape("samples")? {
            None => vec![],
            Some(s) if s.len() == 3 && s[1] as usize == n && s[2] as usize == d => reader.numbers("samples")?,
            Some(s) => return Err(format!("{name}: 'samples' has the shape {s:?}, expected samples × {n} × {d}")),
        };
        Ok(Self {
            places: reader.places(n, d)?,
            friction: reader.sized("contacts/friction", n)?.unwrap_or_else(|| vec![0.0; n]),
            components: d,
            forces: reader.sized("forces", n * d)?,
            samples,
            vertices: reader.ragged("hull/start", "hull/vertices", n, d)?,
            outer: reader.ragged("hull/outer_start", "hull/outer", n, d)?,
            unbounded: reader.flags("hull/unbounded", n)?,
            networks: reader.networks(n * d)?,
            quantity: match attributes.get("unit").and_then(AttrValue::as_str) {
                None | Some("N") => "force [N]".into(),
                Some(unit) => format!("percussion [{unit}]"),
            },
            source,
        })
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// Refuses contacts that do not exist.
    pub fn check(&self, path: &Path, wanted: &[usize]) -> Result<(), String> {
        let n = self.contacts();
        match wanted.iter().find(|k| **k >= n) {
            Some(k) if n == 0 => Err(format!("contact {k}: {} has no contact", path.display())),
            Some(k) => Err(format!("contact {k}: {} has the contacts 0 to {}", path.display(), n - 1)),
            None => Ok(()),
        }
    }

    /// The contacts with the widest sets, at most `count`, widest first.
    pub fn widest(&self, count: usize) -> Vec<usize> {
        let width = |k: &usize| {
            let set = self.reactions(*k, [0.0; 2], [[0.0; 2]; 3], String::new());
            let all: Vec<[f64; 3]> = set.vertices.into_iter().chain(set.samples).collect();
            let range = |i: usize| {
                let (low, high) = all.iter().fold((f64::MAX, f64::MIN), |(l, h), r| (l.min(r[i]), h.max(r[i])));
                (high - low).max(0.0)
            };
            (0..3).map(range).fold(0.0, f64::max)
        };
        let mut order: Vec<(f64, usize)> = (0..self.contacts()).map(|k| (width(&k), k)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.into_iter().take(count).map(|(_, k)| k).collect()
    }

    /// The forces of a network at their contacts; `solution` is the certified one.
    pub fn network(&self, file: &Path, name: &str) -> Result<Vec<Touch>, String> {
        let found = match name {
            "solution" => self.forces.as_ref(),
            name => self.networks.get(name),
        };
        let file = file.display();
        let Some(found) = found else {
            let solution = self.forces.as_ref().map(|_| "solution".to_string());
            let known: Vec<String> = solution.into_iter().chain(self.networks.keys().cloned()).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            return Err(format!("no network '{name}' in {file}; it has: {known}"));
        };
        let Some(places) = &self.places else { return Err(bare(&file)) };
        let touch = |(place, r): (&Place, &[f64])| Touch {
            bodies: place.bodies.map(|b| b.unwrap_or(usize::MAX)),
            point: place.point,
            normal: place.axes[0],
            force: std::array::from_fn(|i| (0..r.len()).map(|k| r[k] * place.axes[k][i]).sum()),
            status: if r.iter().any(|x| *x != 0.0) { Status::Sticking } else { Status::Open },
        };
        Ok(places.iter().zip(found.chunks_exact(self.components)).map(touch).collect())
    }

    /// The set of one contact, placed.
    pub fn reactions(&self, k: usize, at: Point, directions: [Point; 3], label: String) -> Reactions {
        let (n, d) = (self.contacts(), self.components);
        let triple = |r: &[f64]| [r[0], r[1], r.get(2).copied().unwrap_or(0.0)];
        let samples = self.samples.chunks_exact((n * d).max(1)).map(|s| triple(&s[d * k..d * (k + 1)])).collect();
        Reactions {
            label,
            at,
            directions,
            friction: self.friction[k],
            samples,
            vertices: self.vertices.of(k, d).map(triple).collect(),
            outer: self.outer.of(k, d).map(triple).collect(),
            solution: self.forces.as_ref().map(|f| triple(&f[d * k..d * (k + 1)])),
            quantity: self.quantity.clone(),
            unbounded: self.unbounded.get(k).is_some_and(|u| *u != 0),
        }
    }
}

/// Why sets cannot be drawn over bodies.
pub fn bare(file: &impl std::fmt::Display) -> String {
    format!("{file} was made from a bare problem, its contacts have no place: draw it alone, 'delassus draw {file}'")
}

impl Ragged {
    fn of(&self, k: usize, d: usize) -> std::slice::ChunksExact<'_, f64> {
        let span = match self.start.get(k..k + 2) {
            Some(&[a, b]) => &self.values[d * a as usize..d * b as usize],
            _ => &[],
        };
        span.chunks_exact(d)
    }
}

struct Reader {
    file: File,
    name: String,
}

impl Reader {
    /// Sizes of a dataset; none if there is no such dataset.
    fn shape(&self, set: &str) -> Result<Option<Vec<u64>>, String> {
        match self.file.dataset(set) {
            Ok(found) => found.shape().map(Some).map_err(|e| format!("{}: '{set}': {e}", self.name)),
            Err(_) => Ok(None),
        }
    }

    /// Components of a force, from whichever dataset has them.
    fn components(&self) -> Result<usize, String> {
        for set in ["forces", "samples", "hull/vertices", "contacts/position"] {
            let Some(shape) = self.shape(set)? else { continue };
            return match shape.last() {
                Some(d @ (2 | 3)) if shape.len() > 1 => Ok(*d as usize),
                _ => Err(format!("{}: '{set}' has the shape {shape:?}, expected 2 or 3 components", self.name)),
            };
        }
        Err(format!(
            "{}: nothing to draw, neither 'forces' nor 'samples' nor 'hull/vertices': no equilibrium was found",
            self.name
        ))
    }

    fn networks(&self, size: usize) -> Result<BTreeMap<String, Vec<f64>>, String> {
        let Ok(names) = self.file.group("networks").and_then(|g| g.datasets()) else { return Ok(BTreeMap::new()) };
        let read = |name: String| {
            let numbers = self.sized(&format!("networks/{name}"), size)?.unwrap_or_default();
            Ok((name, numbers))
        };
        names.into_iter().map(read).collect()
    }

    fn numbers(&self, set: &str) -> Result<Vec<f64>, String> {
        let read = self.file.dataset(set).and_then(|d| d.read_f64());
        let all = read.map_err(|e| format!("{}: '{set}': {e}", self.name))?;
        match all.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(format!("{}: '{set}' is {} at index {i}, expected finite numbers", self.name, all[i])),
            None => Ok(all),
        }
    }

    fn sized(&self, set: &str, size: usize) -> Result<Option<Vec<f64>>, String> {
        if self.shape(set)?.is_none() {
            return Ok(None);
        }
        let all = self.numbers(set)?;
        match all.len() == size {
            true => Ok(Some(all)),
            false => Err(format!("{}: '{set}' has {} numbers, expected {size}", self.name, all.len())),
        }
    }

    fn integers(&self, set: &str, size: usize) -> Result<Vec<i64>, String> {
        let read = self.file.dataset(set).and_then(|d| d.read_i64());
        let all = read.map_err(|e| format!("{}: '{set}': {e}", self.name))?;
        match all.len() == size {
            true => Ok(all),
            false => Err(format!("{}: '{set}' has {} numbers, expected {size}", self.name, all.len())),
        }
    }

    fn flags(&self, set: &str, n: usize) -> Result<Vec<u8>, String> {
        if self.shape(set)?.is_none() {
            return Ok(vec![]);
        }
        let all =
            self.file.dataset(set).and_then(|d| d.read_u8()).map_err(|e| format!("{}: '{set}': {e}", self.name))?;
        match all.len() == n {
            true => Ok(all),
            false => Err(format!("{}: '{set}' has {} numbers, expected {n}", self.name, all.len())),
        }
    }

    fn ragged(&self, start: &str, values: &str, n: usize, d: usize) -> Result<Ragged, String> {
        if self.shape(start)?.is_none() {
            return Ok(Ragged::default());
        }
        let (start_at, values_of) = (self.integers(start, n + 1)?, self.numbers(values)?);
        let rows = (values_of.len() / d) as i64;
        let ordered = start_at.windows(2).all(|w| w[0] <= w[1]);
        if !ordered || start_at.first() != Some(&0) || start_at.last() != Some(&rows) {
            return Err(format!("{}: '{start}' does not run from 0 to the {rows} rows of '{values}'", self.name));
        }
        Ok(Ragged { start: start_at, values: values_of })
    }

    fn places(&self, n: usize, d: usize) -> Result<Option<Vec<Place>>, String> {
        let Some(position) = self.sized("contacts/position", n * d)? else { return Ok(None) };
        let missing = |set: &str| format!("{}: 'contacts/position' needs '{set}' beside it", self.name);
        let frame = self.sized("contacts/frame", n * d * d)?.ok_or_else(|| missing("contacts/frame"))?;
        let bodies = match self.shape("contacts/bodies")? {
            Some(_) => self.integers("contacts/bodies", 2 * n)?,
            None => vec![-1; 2 * n],
        };
        let component = |all: &[f64], at: usize, k: usize| if k < d { all[at + k] } else { 0.0 };
        let place = |i: usize| Place {
            point: std::array::from_fn(|k| component(&position, d * i, k)),
            axes: std::array::from_fn(|r| {
                std::array::from_fn(|k| if r < d { component(&frame, d * (d * i + r), k) } else { 0.0 })
            }),
            bodies: std::array::from_fn(|s| usize::try_from(bodies[2 * i + s]).ok()),
        };
        Ok(Some((0..n).map(place).collect()))
    }
}
