//! Rubbing pairs in the record: their sums since the start are series, and what a restart goes on with.

use super::Error;
use super::fields::{Look, Table, path};
use delassus_dynamics::Wear;
use delassus_record::Run;
use delassus_scene::Worn;

/// Fields of a pair: name, unit, meaning.
const FIELDS: [(&str, &str, &str); 4] = [
    ("friction", "J", "taken by friction since the start"),
    ("sliding", "J", "normal force over the way slid since the start (Archard)"),
    ("impulse", "N s", "normal percussions since the start"),
    ("shock", "J", "lost in shocks since the start: what jumps of velocity take, less what they give back"),
];

fn name(worn: &Worn, what: &str) -> String {
    format!("wear/{}/{what}", path(&worn.name))
}

/// Adds the fields of pair number `i`.
pub fn table<const D: usize>(table: &mut Table<D>, i: usize, worn: &Worn) {
    for (k, (what, unit, about)) in FIELDS.iter().enumerate() {
        table.number((name(worn, what), unit, about), move |l: &Look<'_, D>| l.wear[i].numbers()[k]);
    }
    if let Some(coefficient) = worn.coefficient {
        let field =
            (name(worn, "volume"), "m3", "volume worn since the start: Archard's coefficient times the sliding");
        table.number(field, move |l: &Look<'_, D>| coefficient * l.wear[i].sliding);
    }
}

/// Nothing rubbed yet.
pub fn start(worn: &[Worn]) -> Vec<Wear> {
    worn.iter().map(|w| Wear::new(w.of.clone())).collect()
}

/// The sums of a frame.
pub fn read(worn: &[Worn], run: &Run, frame: usize) -> Result<Vec<Wear>, Error> {
    let mut all = start(worn);
    for (wear, worn) in all.iter_mut().zip(worn) {
        let mut numbers = [0.0; 4];
        for (x, (what, ..)) in numbers.iter_mut().zip(&FIELDS) {
            let name = name(worn, what);
            let column = run.read(frame, &name)?;
            *x = column
                .f64()
                .and_then(|x| x.first().copied())
                .ok_or_else(|| Error::Frame { frame, reason: format!("'{name}' is not a number") })?;
        }
        wear.set(numbers);
    }
    Ok(all)
}
