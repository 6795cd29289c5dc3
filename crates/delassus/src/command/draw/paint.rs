//! Bodies in colours by what they do, arrows of their velocities, trails of where they were.

use super::args::DrawArgs;
use super::snapshot::Snapshot;
use super::source::Stage;
use delassus_draw::colour::{INK, SOFT, ramp};
use delassus_draw::{Body, Fill, Key, Quantity, Role, Shape, Stroke, Trace};
use delassus_record::Extent;

/// Colours named in the legend.
const SWATCHES: usize = 5;
/// Longest arrow, in typical radii.
const ARROW: f64 = 3.0;

/// What bodies are coloured by.
pub struct Values {
    /// One for each body of the model.
    pub each: Vec<f64>,
    name: String,
    unit: String,
}

/// Numbers of the bodies in a frame: speed, size, force, or a recorded field of them.
pub fn values<const D: usize, S: Shape<D>>(
    by: &str,
    stage: &Stage,
    frame: usize,
    snapshot: &Snapshot,
    bodies: &[Body<D, S>],
) -> Result<Values, String> {
    let count = snapshot.position.len() / D;
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (each, unit): (Vec<f64>, &str) = match by {
        "speed" => ((0..count).map(|b| norm(&snapshot.velocity[D * b..D * (b + 1)])).collect(), "m/s"),
        "size" => (bodies.iter().take(count).map(Body::radius).collect(), "m"),
        "force" => {
            let mut sum = vec![0.0; count];
            for touch in &snapshot.contacts {
                let size = norm(&touch.force);
                touch.bodies.iter().for_each(|b| sum.get_mut(*b).into_iter().for_each(|s| *s += size));
            }
            (sum, "N")
        }
        field => return recorded(field, stage, frame, count),
    };
    Ok(Values { each, name: by.into(), unit: unit.into() })
}

/// A recorded field of the bodies, its norm where it has several components.
fn recorded(field: &str, stage: &Stage, frame: usize, count: usize) -> Result<Values, String> {
    let full = if field.contains('/') { field.to_owned() } else { format!("bodies/{field}") };
    let (name, component) = match full.rsplit_once('.') {
        Some((name, "x")) => (name.to_owned(), Some(0)),
        Some((name, "y")) => (name.to_owned(), Some(1)),
        Some((name, "z")) => (name.to_owned(), Some(2)),
        _ => (full.clone(), None),
    };
    let header = &stage.header;
    let of_bodies = |f: &&delassus_record::Field| f.extent == Extent::Fixed(count) && f.name.starts_with("bodies/");
    let Some(found) = header.fields.iter().filter(of_bodies).find(|f| f.name == name) else {
        let names: Vec<&str> =
            header.fields.iter().filter(of_bodies).map(|f| f.name.trim_start_matches("bodies/")).collect();
        return Err(format!("--colour-by {field}: there are speed, size, force, {}", names.join(", ")));
    };
    if component.is_some_and(|k| k >= found.width) {
        return Err(format!("--colour-by {field}: '{name}' has {} components", found.width));
    }
    let values = stage.frame(frame)?;
    let place = header.position(&name).unwrap_or_default();
    let numbers = values.columns[place].to_f64();
    let of = |v: &[f64]| match component {
        Some(k) => v[k],
        None if v.len() == 1 => v[0],
        None => v.iter().map(|x| x * x).sum::<f64>().sqrt(),
    };
    let each = numbers.chunks(found.width).map(of).collect();
    Ok(Values { each, name: full.trim_start_matches("bodies/").replace('_', " "), unit: found.unit.clone() })
}

/// Least and largest value of the free bodies.
pub fn extremes<const D: usize, S>(values: &Values, bodies: &[Body<D, S>]) -> [f64; 2] {
    let free = values.each.iter().zip(bodies).filter(|(x, b)| b.role == Role::Free && x.is_finite());
    free.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], (x, _)| [l.min(*x), h.max(*x)])
}

/// The range of the colours; one value where the legend could not tell its ends apart, as of one mesh that was read from
/// files of more and of fewer digits.
pub fn spread([low, high]: [f64; 2]) -> [f64; 2] {
    let same = high - low <= 1e-5 * low.abs().max(high.abs());
    if same { [high; 2] } else { [low, high] }
}

/// Colours the free bodies; the entries of the legend.
pub fn paint<const D: usize, S>(values: &Values, [low, high]: [f64; 2], bodies: &mut [Body<D, S>]) -> Vec<Key> {
    let span = if high > low { high - low } else { 1.0 };
    let count = values.each.len();
    let by_name: std::collections::HashMap<String, f64> =
        bodies.iter().zip(&values.each).map(|(b, x)| (b.name.clone(), *x)).collect();
    for (i, body) in bodies.iter_mut().enumerate().filter(|(_, b)| b.role == Role::Free) {
        // Periodic images come after the bodies, and have their names.
        let value = if i < count { Some(values.each[i]) } else { by_name.get(&body.name).copied() };
        if let Some(x) = value.filter(|x| x.is_finite()) {
            body.colour = Some(ramp((x - low) / span));
        }
    }
    let quantity = Quantity::new(values.name.clone(), values.unit.clone());
    let (factor, title) = quantity.shown(low.abs().max(high.abs()));
    let mut keys = vec![Key::Words(title)];
    // One value for all bodies is one colour.
    let shown = if high > low { SWATCHES } else { 1 };
    for k in 0..shown {
        let t = if shown > 1 { k as f64 / (shown - 1) as f64 } else { 0.0 };
        // Three digits of the range: a speed of 1e-5 among metres per second is none.
        let unit = 10f64.powf(((high - low).max(1e-3 * high.abs()) * factor).log10().floor() - 2.0);
        let value = (low + t * (high - low)) * factor;
        let text = super::short(if unit.is_finite() && unit > 0.0 { (value / unit).round() * unit } else { value });
        keys.push(Key::Area(Fill::from(ramp(t)), Stroke::new(SOFT, 0.8), text));
    }
    keys
}

/// Arrows along the velocities of the free bodies, and what the longest means.
pub fn arrows<const D: usize, S: Shape<D>>(snapshot: &Snapshot, bodies: &[Body<D, S>]) -> (Vec<Trace<D>>, Vec<Key>) {
    let free: Vec<(usize, &Body<D, S>)> = bodies
        .iter()
        .enumerate()
        .filter(|(i, b)| b.role == Role::Free && D * (i + 1) <= snapshot.velocity.len())
        .collect();
    let velocity = |i: usize| &snapshot.velocity[D * i..D * (i + 1)];
    let speed = |i: usize| velocity(i).iter().map(|x| x * x).sum::<f64>().sqrt();
    let fastest = free.iter().map(|(i, _)| speed(*i)).fold(0.0, f64::max);
    if !(fastest > 0.0) {
        return (vec![], vec![Key::Words("nothing moves".into())]);
    }
    let mut radii: Vec<f64> = free.iter().map(|(_, b)| b.radius()).filter(|r| *r > 0.0).collect();
    radii.sort_by(f64::total_cmp);
    let length = ARROW * radii.get(radii.len() / 2).copied().unwrap_or(1.0);
    let arrow = |(i, b): &(usize, &Body<D, S>)| {
        let end = std::array::from_fn(|k| b.centre[k] + length * velocity(*i)[k] / fastest);
        Trace { points: vec![b.centre, end], stroke: Stroke::new(INK, 1.1), arrow: true }
    };
    // Shorter than a fiftieth of the longest they are dots.
    let seen = free.iter().filter(|(i, _)| speed(*i) > 0.02 * fastest);
    (seen.map(arrow).collect(), vec![Key::Words(format!("longest arrow {} m/s", super::short(fastest)))])
}

/// Ways of the free bodies over the last frames. They are interrupted where a body is not there, as between a sink and
/// a feeder, and where it leaves the periodic cell at one side and enters at the other.
pub fn trails<const D: usize, S>(
    stage: &Stage,
    frame: usize,
    bodies: &[Body<D, S>],
    args: &DrawArgs,
) -> Result<Vec<Trace<D>>, String> {
    let Some(count) = args.trails else { return Ok(vec![]) };
    let mut ways: Vec<Way<D>> = vec![];
    ways.resize_with(bodies.len(), Way::default);
    for k in frame.saturating_sub(count)..=frame {
        let snapshot = stage.snapshot(k)?;
        for (b, x) in snapshot.position.chunks(D).enumerate() {
            if bodies.get(b).is_some_and(|b| b.role == Role::Free) {
                let away = snapshot.away.get(b).copied().unwrap_or_default();
                let point = std::array::from_fn(|i| x[i]);
                ways[b].add(snapshot.shows(b).then_some((point, away)));
            }
        }
    }
    let stroke = Stroke::new(SOFT, 0.9).faded(0.7);
    let pieces = ways.into_iter().flat_map(|w| w.pieces).filter(|p| p.len() > 1);
    Ok(pieces.map(|points| Trace { points, stroke: stroke.clone(), arrow: false }).collect())
}

/// Where a body was, in pieces.
#[derive(Default)]
struct Way<const D: usize> {
    pieces: Vec<Vec<[f64; D]>>,
    /// The cell it was in last; `None` when it was not there.
    last: Option<[i64; 3]>,
}

impl<const D: usize> Way<D> {
    fn add(&mut self, place: Option<([f64; D], [i64; 3])>) {
        if let Some((point, away)) = place {
            match self.pieces.last_mut().filter(|_| self.last == Some(away)) {
                Some(piece) => piece.push(point),
                None => self.pieces.push(vec![point]),
            }
        }
        self.last = place.map(|p| p.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body that goes through an edge of the cell, then through a sink, leaves three ways and no line between them.
    #[test]
    fn ways_are_interrupted_at_edges_of_the_cell_and_at_sinks() {
        let mut way = Way::<2>::default();
        let at = |x: f64, cell: i64| Some(([x, 0.0], [cell, 0, 0]));
        [at(0.8, 0), at(0.9, 0), at(0.1, 1), at(0.2, 1), None, at(0.5, 1)].into_iter().for_each(|p| way.add(p));
        assert_eq!(way.pieces, [vec![[0.8, 0.0], [0.9, 0.0]], vec![[0.1, 0.0], [0.2, 0.0]], vec![[0.5, 0.0]]]);
    }

    /// Radii of one stone read from files of single numbers, and of six digits, are one size.
    #[test]
    fn what_files_round_off_is_one_colour() {
        let whole = 0.112_734_567_89_f64;
        for other in [f64::from(whole as f32), 0.112_735] {
            let ends = spread([whole.min(other), whole.max(other)]);
            assert_eq!(ends[0], ends[1]);
        }
        assert_eq!(spread([1.0, 1.0001]), [1.0, 1.0001]);
    }
}
