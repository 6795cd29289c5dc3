//! Generators: a few numbers become bodies
//!
//! Each generator writes the same [`Body`] a file would, so that everything after it is
//! shared. Random ones draw from ChaCha8, whose values are stable between versions and
//! machines: a seed names the same bodies for ever.

mod arch;
mod blocks;
mod cards;
mod deposit;
mod distribution;
mod grain;
mod grid;
mod masonry;
mod packed;
mod relaxed;
mod shell;
mod vessel;

use crate::description::{Body, Dimension, Generator, Kind, Part};
use crate::diagnostic::Problem;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// A body with its name, without the prefix of the generator.
pub(crate) struct Made {
    /// Name.
    pub name: String,
    /// The body.
    pub body: Body,
}

impl Made {
    fn new(name: impl Into<String>, body: Body) -> Self {
        Self { name: name.into(), body }
    }
}

/// The bodies of a generator, at its position, with its name and material.
pub(crate) fn expand(generator: &Generator, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    let origin = origin(generator, dimension)?;
    let prefix = generator.name.clone().unwrap_or_else(|| generator.kind.word().to_owned());
    let mut bodies = make(&generator.kind, dimension)?;
    let single = bodies.len() == 1;
    for made in &mut bodies {
        made.name = if single { prefix.clone() } else { format!("{prefix}.{}", made.name) };
        made.body.material = made.body.material.take().or_else(|| generator.material.clone());
        let position = made.body.position.get_or_insert_with(|| vec![0.0; dimension.number()]);
        position.iter_mut().zip(&origin).for_each(|(x, o)| *x += o);
    }
    Ok(bodies)
}

fn origin(generator: &Generator, dimension: Dimension) -> Result<Vec<f64>, Problem> {
    match &generator.position {
        Some(position) => of_length("position", position, dimension).cloned(),
        None => Ok(vec![0.0; dimension.number()]),
    }
}

fn make(kind: &Kind, dimension: Dimension) -> Result<Vec<Made>, Problem> {
    match kind {
        Kind::Grid(grid) => grid::make(grid, dimension),
        Kind::Deposit(deposit) => deposit::make(deposit, dimension),
        Kind::BrickWall(wall) => masonry::wall(wall, dimension),
        Kind::Arch(arch) => arch::make(arch, dimension),
        Kind::Vault(vault) => shell::vault(vault, dimension),
        Kind::Dome(dome) => shell::dome(dome, dimension),
        Kind::Blocks(blocks) => blocks::make(blocks, dimension),
        Kind::Tower(tower) => masonry::tower(tower, dimension),
        Kind::Dominoes(dominoes) => masonry::dominoes(dominoes, dimension),
        Kind::CardHouse(house) => cards::make(house, dimension),
        Kind::GluedFloor(floor) => vessel::glued_floor(floor, dimension),
        Kind::Container(container) => vessel::container(container, dimension),
        Kind::Hopper(hopper) => vessel::hopper(hopper, dimension),
        Kind::Drum(drum) => vessel::drum(drum, dimension),
    }
}

/// An array that must have as many items as space has axes.
fn of_length<'a, T>(key: &str, values: &'a Vec<T>, dimension: Dimension) -> Result<&'a Vec<T>, Problem> {
    let expected = dimension.number();
    if values.len() == expected {
        return Ok(values);
    }
    let expected = format!("{expected} items in a scene of dimension {expected}");
    Err(Problem::WrongLength { key: key.to_owned(), expected, found: values.len() })
}

/// Refuses what exists in the other dimension only.
fn only(dimension: Dimension, wanted: Dimension, what: &str) -> Result<(), Problem> {
    if dimension == wanted {
        return Ok(());
    }
    let place = if wanted == Dimension::Plane { "the plane (dimension = 2)" } else { "space (dimension = 3)" };
    Err(Problem::Inconsistent { what: format!("{what} exists in {place} only") })
}

/// A number that is needed in space only.
fn in_space(key: &str, parent: &str, value: Option<f64>, dimension: Dimension) -> Result<f64, Problem> {
    match (dimension, value) {
        (Dimension::Plane, _) => Ok(1.0),
        (Dimension::Space, Some(value)) => Ok(value),
        (Dimension::Space, None) => Err(Problem::MissingKey { parent: parent.to_owned(), key: key.to_owned() }),
    }
}

/// A fixed body of several parts.
fn fixed(parts: Vec<Part>) -> Body {
    Body { parts, fixed: true, ..Body::default() }
}

fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}
