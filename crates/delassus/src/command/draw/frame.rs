//! What of a scene is seen: the point looked at, how large, what one sees through.

use super::args::{DrawArgs, Place, Zoom};
use super::snapshot::Snapshot;
use delassus_contact::Dim;
use delassus_draw::space::{Lens, Point3};
use delassus_draw::{Body, Rect, Role, Shape};
use delassus_rigid::Kinematics;
use delassus_scene::Setup;
use delassus_scene::diagnostic::nearest;

/// Refuses what only space has.
pub fn only_in_space(args: &DrawArgs) -> Result<(), String> {
    let given = [("--section", args.section.is_some()), ("--turntable", args.turntable.is_some())];
    match given.iter().find(|g| g.1) {
        Some((name, _)) => Err(format!("{name} is for scenes of space")),
        None => Ok(()),
    }
}

/// Refuses what only the plane has.
pub fn only_in_the_plane(args: &DrawArgs) -> Result<(), String> {
    if args.profile.is_some() || args.window.is_some() {
        return Err("--profile and --window are for scenes of the plane".into());
    }
    match args.zoom {
        Some(Zoom::Part(_)) => Err("--zoom of a part is for scenes of the plane: in space give a factor".into()),
        _ => Ok(()),
    }
}

/// How much larger than everything.
pub fn factor(args: &DrawArgs) -> f64 {
    match args.zoom {
        Some(Zoom::Factor(f)) => f,
        _ => 1.0,
    }
}

/// The body that is followed, by index.
pub fn followed<const D: usize>(setup: &Setup<D>, args: &DrawArgs) -> Result<Option<usize>, String>
where
    Dim<D>: Kinematics<D>,
{
    let Some(name) = &args.follow else { return Ok(None) };
    let names: Vec<&str> = setup.model.bodies().iter().map(|b| &*b.name).collect();
    let found = names.iter().position(|n| n == name);
    found.map(Some).ok_or_else(|| missing("--follow", name, &names))
}

/// Says which bodies there are.
fn missing(option: &str, name: &str, names: &[&str]) -> String {
    if let Some(near) = nearest(name, names) {
        return format!("{option} {name}: no such body; did you mean '{near}'?");
    }
    let few = names.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > 12 { ", …" } else { "" };
    format!("{option} {name}: no such body; there are: {few}{more}")
}

/// The point in the middle of a frame, if one is asked for.
pub fn target<const D: usize>(
    setup: &Setup<D>,
    snapshot: &Snapshot,
    args: &DrawArgs,
) -> Result<Option<[f64; D]>, String>
where
    Dim<D>: Kinematics<D>,
{
    if let Some(body) = followed(setup, args)? {
        return Ok(Some(std::array::from_fn(|k| snapshot.position[D * body + k])));
    }
    args.target.map(at::<D>).transpose()
}

/// A point of the plane or of space.
pub fn at<const D: usize>(Place(plane, height): Place) -> Result<[f64; D], String> {
    match (D, height) {
        (2, None) => Ok(std::array::from_fn(|k| plane[k])),
        (3, Some(z)) => Ok(std::array::from_fn(|k| if k < 2 { plane[k] } else { z })),
        (2, _) => Err("--target: a point of the plane has two coordinates".into()),
        _ => Err("--target: a point of space has three coordinates".into()),
    }
}

/// A window around a point, smaller by the factor.
pub fn window(all: Rect, target: Option<[f64; 2]>, args: &DrawArgs) -> Rect {
    let (c, f) = (target.unwrap_or(all.centre()), factor(args));
    let (w, h) = (all.width() / f, all.height() / f);
    Rect::new(c[0] - 0.5 * w, c[1] - 0.5 * h, w, h)
}

/// Where the eye looks, if not at everything.
pub fn lens(target: Option<Point3>, args: &DrawArgs) -> Option<Lens> {
    let zoom = factor(args);
    (target.is_some() || zoom != 1.0).then_some(Lens { target, zoom })
}

/// Bodies that one sees through, by index.
pub fn glass<const D: usize, S: Shape<D>>(bodies: &[Body<D, S>], args: &DrawArgs) -> Result<Vec<usize>, String> {
    let mut found = vec![];
    for name in &args.transparent {
        let fits = |b: &Body<D, S>| b.name == *name || (name == "fixed" && b.role == Role::Fixed);
        let before = found.len();
        found.extend(bodies.iter().enumerate().filter(|(_, b)| fits(b)).map(|(i, _)| i));
        if found.len() == before {
            let names: Vec<&str> = bodies.iter().map(|b| b.name.as_str()).collect();
            return Err(missing("--transparent", name, &names));
        }
    }
    Ok(found)
}

/// Whether a body is too far off to be counted: beyond twice what the others keep to.
pub struct Crowd<const D: usize> {
    low: [f64; D],
    high: [f64; D],
}

/// Share of the places at each end that a frame may leave out.
const ENDS: f64 = 0.05;

impl<const D: usize> Crowd<D> {
    /// From all places of free bodies over the frames; none where they are few.
    pub fn new(places: &[[f64; D]]) -> Option<Self> {
        if places.len() < 20 {
            return None;
        }
        let (mut low, mut high) = ([0.0; D], [0.0; D]);
        for k in 0..D {
            let mut along: Vec<f64> = places.iter().map(|p| p[k]).filter(|x| x.is_finite()).collect();
            along.sort_by(f64::total_cmp);
            let n = along.len();
            if n == 0 {
                return None;
            }
            let cut = (ENDS * n as f64) as usize;
            let (a, b) = (along[cut], along[n - 1 - cut]);
            (low[k], high[k]) = (a - 0.5 * (b - a), b + 0.5 * (b - a));
        }
        // A crowd that is flat along one axis has room along it as along the others.
        let widest = (0..D).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        for k in 0..D {
            let lack = 0.5 * (0.5 * widest - (high[k] - low[k])).max(0.0);
            (low[k], high[k]) = (low[k] - lack, high[k] + lack);
        }
        Some(Self { low, high })
    }

    /// Whether a place is among the others.
    pub fn holds(&self, p: [f64; D]) -> bool {
        (0..D).all(|k| (self.low[k]..=self.high[k]).contains(&p[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred grains in a unit square and two that flew off, one of them slowly: the frame is that of the others.
    #[test]
    fn grains_that_fly_off_do_not_count() {
        let mut places: Vec<[f64; 2]> = (0..100).map(|k| [f64::from(k % 10) / 9.0, f64::from(k / 10) / 9.0]).collect();
        places.push([50.0, 0.0]);
        places.push([3.0, 0.5]);
        let crowd = Crowd::new(&places).expect("many");
        assert!(places[..100].iter().all(|p| crowd.holds(*p)));
        assert!(!crowd.holds(places[100]) && !crowd.holds(places[101]));
        assert!(Crowd::new(&places[..10]).is_none());
    }

    /// One body that travels is no outlier: its places are all there are.
    #[test]
    fn a_traveller_stays_in_the_frame() {
        let places: Vec<[f64; 2]> = (0..100).map(|k| [f64::from(k), 0.0]).collect();
        let crowd = Crowd::new(&places).expect("many");
        assert!(places.iter().all(|p| crowd.holds(*p)));
    }
}
