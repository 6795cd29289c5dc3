//! Forces of contacts against time
//!
//! Contacts come and go from frame to frame, so that they are found by their bodies.

use crate::Error;
use crate::film::{Film, numbers, sampled};
use crate::pack::Pack;
use delassus_record::Column;

/// The contacts of one frame, as far as forces are concerned.
struct Touching {
    bodies: Vec<[u32; 2]>,
    force: Vec<f64>,
    normal: Vec<f64>,
}

/// Reads a frame; forces and normals only where a contact is wanted.
fn touching(film: &dyn Film, frame: usize, is_wanted: impl Fn(&[u32; 2]) -> bool) -> Result<Touching, Error> {
    let bodies: Vec<u32> = numbers(&film.column(frame, "contacts/bodies")?).map(|b| b as u32).collect();
    let bodies: Vec<[u32; 2]> = bodies.chunks_exact(2).map(|b| [b[0], b[1]]).collect();
    if !bodies.iter().any(is_wanted) {
        return Ok(Touching { bodies: vec![], force: vec![], normal: vec![] });
    }
    let all = |name| Ok::<_, Error>(numbers(&film.column(frame, name)?).collect());
    Ok(Touching { bodies, force: all("contacts/force")?, normal: all("contacts/normal")? })
}

fn packed(frames: &[usize], width: usize, values: Vec<f64>) -> Vec<u8> {
    let mut pack = Pack::new();
    pack.exact("frames", 1, &Column::U32(frames.iter().map(|f| *f as u32).collect()));
    pack.exact("values", width, &Column::F64(values));
    pack.finish()
}

/// The sum of the forces of one body on another against time: normal, tangential, number of contacts.
///
/// # Errors
/// The run has no contacts, or a frame cannot be read.
pub fn pair(film: &dyn Film, bodies: [u32; 2], most: usize) -> Result<Vec<u8>, Error> {
    let (frames, d) = (sampled(film.times().len(), most), film.header().dimension);
    let is_mine = |b: &[u32; 2]| *b == bodies || *b == [bodies[1], bodies[0]];
    let mut all = vec![];
    for frame in &frames {
        let at = touching(film, *frame, is_mine)?;
        let (mut sums, mut count) = ([0.0; 2], 0.0);
        for (i, _) in at.bodies.iter().enumerate().filter(|(_, b)| is_mine(b)) {
            let (f, n) = (&at.force[d * i..d * (i + 1)], &at.normal[d * i..d * (i + 1)]);
            let along: f64 = f.iter().zip(n).map(|(f, n)| f * n).sum();
            let across: f64 = f.iter().zip(n).map(|(f, n)| (f - along * n).powi(2)).sum();
            sums[0] += along;
            sums[1] += across.sqrt();
            count += 1.0;
        }
        all.extend([sums[0], sums[1], count]);
    }
    Ok(packed(&frames, 3, all))
}

/// The resultant of all contact forces on one body against time, in the axes of the world.
///
/// # Errors
/// The run has no contacts, or a frame cannot be read.
pub fn resultant(film: &dyn Film, body: u32, most: usize) -> Result<Vec<u8>, Error> {
    let (frames, d) = (sampled(film.times().len(), most), film.header().dimension);
    let mut all = vec![];
    for frame in &frames {
        let at = touching(film, *frame, |b| b.contains(&body))?;
        let mut sum = vec![0.0; d];
        for (i, [a, b]) in at.bodies.iter().enumerate() {
            // Recorded is the force on the first body; where both are the same, the other side is an obstacle.
            let sign = if *a == body { 1.0 } else { -1.0 };
            if *a == body || *b == body {
                sum.iter_mut().zip(&at.force[d * i..d * (i + 1)]).for_each(|(s, f)| *s += sign * f);
            }
        }
        all.extend(sum);
    }
    Ok(packed(&frames, d, all))
}
