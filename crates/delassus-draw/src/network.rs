//! Forces at the contacts of bodies: the lines that carry them, in the plane and in space.

use crate::body::{Body, Role, Shape};
use crate::force::{self, Forces, Line, Status, Widths};
use crate::key::Key;
use crate::path::Point;
use crate::picture::Layer;
use crate::vector::{add, norm, scaled, sub, unit};

/// A contact between two bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact<const D: usize> {
    /// Where they touch.
    pub point: [f64; D],
    /// Unit vector towards the first.
    pub normal: [f64; D],
    /// The bodies, by index.
    pub bodies: [usize; 2],
    /// Force on the first \[N\].
    pub force: [f64; D],
    /// Its state.
    pub status: Status,
}

/// Sizes in typical radii of bodies, and their limits on the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportions {
    /// Width of the reference force in a network.
    pub width: f64,
    /// Widest line of the reference force, on the page.
    pub widest: f64,
    /// From the contact into a body whose centre is not meant.
    pub stub: f64,
    /// Radius of a dot.
    pub dot: f64,
    /// Largest dot, on the page.
    pub largest_dot: f64,
}

/// Width of the reference force where lengths are magnitudes, in typical radii.
const LINE: f64 = 0.16;
/// Half length of its line there.
const LENGTH: f64 = 0.9;
/// Thinnest line of the reference force, and smallest dot, on the page.
const LEAST: [f64; 2] = [1.6, 0.5];

/// Forces between bodies.
pub struct Network<'a, const D: usize, S> {
    pub bodies: &'a [Body<D, S>],
    pub contacts: &'a [Contact<D>],
    pub forces: Forces,
    /// Typical radius of a body \[m\].
    pub typical: f64,
    /// Magnitude of the full width \[N\].
    pub reference: f64,
    pub proportions: Proportions,
}

/// The reference of some contacts.
pub fn reference<const D: usize>(contacts: &[Contact<D>]) -> f64 {
    Widths::reference(contacts.iter().map(|c| norm(c.force)))
}

impl<const D: usize, S: Shape<D>> Network<'_, D, S> {
    fn widths(&self, scale: f64) -> Widths {
        let part = if self.forces == Forces::Lines { LINE } else { self.proportions.width };
        let full = (part * self.typical * scale).clamp(LEAST[0], self.proportions.widest);
        Widths { reference: self.reference, full }
    }

    /// The line that carries the force of a contact, on the page.
    pub fn line(&self, contact: &Contact<D>, opacity: f64, page: impl Fn([f64; D]) -> Point) -> Line {
        let points = self.carrier(contact).into_iter().map(&page).collect();
        Line { contact: page(contact.point), points, magnitude: norm(contact.force), status: contact.status, opacity }
    }

    fn carrier(&self, contact: &Contact<D>) -> Vec<[f64; D]> {
        let p = contact.point;
        match self.forces {
            Forces::Network => vec![self.end(contact, 0), p, self.end(contact, 1)],
            Forces::Lines => {
                let length = LENGTH * self.typical * (norm(contact.force) / self.reference).min(2.0);
                let along = scaled(unit(contact.force), length);
                vec![add(p, along), sub(p, along)]
            }
        }
    }

    /// Centre of a free body, or of its periodic image, when it reaches the contact; else a short piece into the body.
    fn end(&self, contact: &Contact<D>, side: usize) -> [f64; D] {
        let p = contact.point;
        let reaches = |b: &&Body<D, S>| norm(sub(b.centre, p)) <= 1.05 * b.radius();
        let body = self.bodies.get(contact.bodies[side]).filter(|b| b.role == Role::Free);
        // Periodic images come after the bodies, and have their names.
        let image = |b| self.bodies.iter().skip(contact.bodies[side] + 1).filter(|i| same(b, i)).find(reaches);
        match body.and_then(|b| Some(b).filter(reaches).or_else(|| image(b))) {
            Some(found) => found.centre,
            None => {
                let stub = self.proportions.stub * self.typical;
                add(p, scaled(contact.normal, if side == 0 { stub } else { -stub }))
            }
        }
    }

    /// Draws lines at a scale \[1/m\].
    pub fn draw(&self, lines: &[Line], scale: f64) -> Layer {
        let Proportions { dot, largest_dot, .. } = self.proportions;
        force::draw(lines, &self.widths(scale), (dot * self.typical * scale).clamp(LEAST[1], largest_dot))
    }

    /// Entries of the legend.
    pub fn keys(&self, scale: f64) -> Vec<Key> {
        let states: Vec<Status> = self.contacts.iter().map(|c| c.status).collect();
        let length = (self.forces == Forces::Lines).then_some(2.0 * LENGTH * self.typical * scale);
        force::keys(&states, &self.widths(scale), length)
    }
}

/// Whether one is an image of the other.
fn same<const D: usize, S>(a: &Body<D, S>, b: &Body<D, S>) -> bool {
    !a.name.is_empty() && a.name == b.name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::Outline;

    fn disc(x: f64, role: Role) -> Body<2, Outline> {
        let centre = [x, 0.0];
        let shapes = vec![Outline::Disc { centre, radius: 1.0, angle: 0.0 }];
        Body { name: String::new(), label: None, role, colour: None, centre, shapes }
    }

    /// Between a free disc and a fixed one: from the centre of the first through the contact a short
    /// piece into the second; as a line, along the force on both sides.
    #[test]
    fn lines_go_from_centre_to_centre_or_along_the_force() {
        let bodies = [disc(1.0, Role::Free), disc(-1.0, Role::Fixed)];
        let contact = Contact {
            point: [0.0; 2],
            normal: [1.0, 0.0],
            bodies: [0, 1],
            force: [0.0, 3.0],
            status: Status::Sticking,
        };
        let contacts = [contact];
        let proportions = Proportions { width: 0.5, widest: 14.0, stub: 0.25, dot: 0.1, largest_dot: 2.0 };
        let of = |forces| Network {
            bodies: &bodies,
            contacts: &contacts,
            forces,
            typical: 1.0,
            reference: 6.0,
            proportions,
        };
        assert_eq!(of(Forces::Network).carrier(&contacts[0]), [[1.0, 0.0], [0.0, 0.0], [-0.25, 0.0]]);
        assert_eq!(of(Forces::Lines).carrier(&contacts[0]), [[0.0, 0.45], [0.0, -0.45]]);
        assert_eq!(reference(&contacts), 3.0);
    }

    /// Two discs at opposite edges of a periodic cell touch through an image: the line goes to the centre of the image.
    #[test]
    fn lines_to_periodic_images_end_in_their_centres() {
        let named = |x, name: &str| Body { name: name.into(), ..disc(x, Role::Free) };
        let bodies = [named(0.5, "a"), named(8.5, "b"), named(-1.5, "b")];
        let contact = Contact {
            point: [-0.5, 0.0],
            normal: [1.0, 0.0],
            bodies: [0, 1],
            force: [1.0, 0.0],
            status: Status::Sticking,
        };
        let contacts = [contact];
        let proportions = Proportions { width: 0.5, widest: 14.0, stub: 0.25, dot: 0.1, largest_dot: 2.0 };
        let network = Network {
            bodies: &bodies,
            contacts: &contacts,
            forces: Forces::Network,
            typical: 1.0,
            reference: 1.0,
            proportions,
        };
        assert_eq!(network.carrier(&contacts[0]), [[0.5, 0.0], [-0.5, 0.0], [-1.5, 0.0]]);
    }
}
