//! The periodic cell: bodies leave it for ever, pictures show it.

use super::snapshot::Snapshot;
use delassus_contact::{Dim, Vector};
use delassus_draw::plane::Body;
use delassus_draw::{Point, Rect, Role};
use delassus_rigid::{Kinematics, RigidModel};
use delassus_scene::Built;

/// Corner and periods along the axes.
pub struct Cell {
    corner: Vec<f64>,
    period: Vec<Option<f64>>,
    /// Flow, gradient, displacement of the next image.
    shear: Option<(usize, usize, f64)>,
    /// Velocities of the periods, and of that displacement.
    rate: Vec<f64>,
    slide: f64,
    free: Vec<bool>,
}

impl Cell {
    /// That of a scene in a frame.
    pub fn of(built: &Built, snapshot: &Snapshot) -> Self {
        match built {
            Built::Plane(setup) => Self::new(&setup.model, snapshot),
            Built::Space(setup) => Self::new(&setup.model, snapshot),
        }
    }

    /// That of a model in a frame.
    pub fn new<const D: usize>(model: &RigidModel<D>, snapshot: &Snapshot) -> Self
    where
        Dim<D>: Kinematics<D>,
    {
        let place = |b: u32| snapshot.position.get(D * b as usize..D * (b as usize + 1));
        let periodic = model.periodic_with(|b| place(b).map_or_else(Vector::zeros, Vector::from_column_slice));
        let speed = |b: Option<u32>, k: usize| b.and_then(|b| snapshot.velocity.get(D * b as usize + k)).copied();
        Self {
            rate: (0..D).map(|k| speed(periodic.lengths, k).unwrap_or(0.0)).collect(),
            slide: periodic.shear.and_then(|s| speed(s.body, s.flow)).unwrap_or(0.0),
            corner: periodic.origin.to_vec(),
            period: periodic.period.to_vec(),
            shear: periodic.shear.map(|s| (s.flow, s.gradient, s.offset)),
            free: model.bodies().iter().map(|b| b.is_dynamic()).collect(),
        }
    }

    /// The image of a point in the cell; how many cells away it was, along each axis.
    pub fn enter(&self, point: &mut [f64]) -> [i64; 3] {
        if let Some((flow, gradient, offset)) = self.shear
            && let Some(period) = self.period[gradient]
        {
            point[flow] -= ((point[gradient] - self.corner[gradient]) / period).floor() * offset;
        }
        let mut away = [0; 3];
        for (((x, corner), period), away) in point.iter_mut().zip(&self.corner).zip(&self.period).zip(&mut away) {
            if let Some(period) = period {
                let cells = ((*x - corner) / period).floor();
                *x -= cells * period;
                *away = cells as i64;
            }
        }
        away
    }

    /// The velocity of the image in the cell of a point.
    fn slow(&self, point: &[f64], velocity: &mut [f64]) {
        let count = |k: usize| self.period[k].map_or(0.0, |p| ((point[k] - self.corner[k]) / p).floor());
        velocity.iter_mut().enumerate().for_each(|(k, v)| *v -= count(k) * self.rate[k]);
        if let Some((flow, gradient, _)) = self.shear {
            velocity[flow] -= count(gradient) * self.slide;
        }
    }

    /// The images in the cell of all free bodies and contacts.
    pub fn gather(&self, snapshot: &mut Snapshot) {
        if self.period.iter().all(Option::is_none) {
            return;
        }
        let width = self.corner.len();
        snapshot.away = vec![[0; 3]; snapshot.position.len() / width];
        for (b, x) in snapshot.position.chunks_exact_mut(width).enumerate().filter(|(b, _)| self.free[*b]) {
            if let Some(v) = snapshot.velocity.get_mut(width * b..width * (b + 1)) {
                self.slow(x, v);
            }
            snapshot.away[b] = self.enter(x);
        }
        for contact in &mut snapshot.contacts {
            self.enter(&mut contact.point);
        }
    }

    /// The images of bodies of the plane that reach into the cell from outside, along the gradient of a shear first.
    pub fn images(&self, bodies: &[Body]) -> Vec<Body> {
        let mut all: Vec<Body> = vec![];
        let first = self.shear.map_or(0, |s| s.1);
        for k in [first, 1 - first] {
            let Some(period) = self.period[k] else { continue };
            let (low, high) = (self.corner[k], self.corner[k] + period);
            // Along the second axis the images along the first have images too: the corners.
            let before = all.clone();
            for body in bodies.iter().chain(&before).filter(|b| b.role == Role::Free) {
                let (x, r) = (body.centre[k], body.radius());
                for side in [1.0, -1.0].into_iter().filter(|s| if *s > 0.0 { x - r < low } else { x + r > high }) {
                    let mut shift = [0.0; 2];
                    shift[k] = side * period;
                    if let Some((flow, _, offset)) = self.shear.filter(|s| s.1 == k) {
                        shift[flow] = side * offset;
                        // In the cell along the flow: the next axis looks for those across its ends.
                        if let Some(length) = self.period[flow] {
                            let at = body.centre[flow] + shift[flow] - self.corner[flow];
                            shift[flow] -= (at / length).floor() * length;
                        }
                    }
                    all.push(body.moved(shift));
                }
            }
        }
        all
    }

    /// Edges of the cell, across what is seen.
    pub fn edges(&self, seen: &Rect) -> Vec<[Point; 2]> {
        let mut lines = vec![];
        for (k, period) in self.period.iter().enumerate().take(2).filter_map(|(k, p)| Some((k, (*p)?))) {
            for x in [self.corner[k], self.corner[k] + period] {
                let end = |y: f64| if k == 0 { [x, y] } else { [y, x] };
                lines.push([end(seen.min[1 - k]), end(seen.max[1 - k])]);
            }
        }
        lines
    }
}
