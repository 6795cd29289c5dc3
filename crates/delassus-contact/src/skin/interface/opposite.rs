//! The opposite of a slave point, and the contact point they make

use super::{Interface, Now, Side};
use crate::skin::facet::{FACET_NODES, Patch, Xi, shape};
use crate::skin::master::{Hit, Itself, Query};
use crate::skin::surface::NONE;
use crate::skin::{ContactError, Multipliers, Pairing};
use crate::skin::{ContactPoint, PointKey, Stencil};
use crate::{Dim, Rotation, Space, Vector};

/// A slave point before it is paired.
pub(super) struct Slave {
    pub key: PointKey,
    pub facet: usize,
    pub xi: Xi,
    pub stencil: Stencil,
    pub weight: f64,
}

impl<const D: usize> Interface<D>
where
    Dim<D>: Space<D>,
{
    /// Stencil and outward normal of a place of a slave facet.
    pub(super) fn slave_at(&self, f: usize, patch: &Patch<D>, xi: Xi) -> (Stencil, Vector<D>) {
        let s = shape(patch.kind, xi);
        (Stencil::new(self.slave.facet(f), &s.n), patch.normal(xi).unwrap_or_else(Vector::zeros))
    }

    pub(super) fn query<'a>(&'a self, now: &Now<'a, D>, slave: &Stencil, normal: &Vector<D>) -> Query<'a, D> {
        let x = slave.apply::<D>(now.x);
        let direction = match self.settings.pairing {
            Pairing::Proximity => None,
            Pairing::Direction(d) => Some(Vector::<D>::from_column_slice(&d[..D]).normalize()),
            Pairing::Velocity => self.along_velocity(now, slave, &x, normal),
        };
        let itself = (!self.shared.is_empty()).then(|| Itself {
            own: &self.scratch.own,
            rest: now.reference,
            x: slave.apply::<D>(now.reference),
        });
        Query { x, normal: *normal, direction, reach: self.settings.search, border: self.settings.border, itself }
    }

    /// Unit relative velocity turned outwards; none at rest and where it grazes the surface
    /// (less than 6° off), along which nothing would be met.
    fn along_velocity(&self, now: &Now<D>, slave: &Stencil, x: &Vector<D>, normal: &Vector<D>) -> Option<Vector<D>> {
        let other = match &self.master {
            Side::Surface(_) => now.mean,
            Side::Obstacle(o) => o.velocity_at(x),
        };
        let v = slave.apply::<D>(now.v) - other;
        let d = v / v.norm();
        let out = d.dot(normal);
        (out.abs() > 0.1).then(|| d * out.signum())
    }

    pub(super) fn opposite(
        &self,
        now: &Now<D>,
        slave: &Stencil,
        normal: &Vector<D>,
        hint: Option<u32>,
    ) -> Result<Option<Hit<D>>, ContactError> {
        let q = self.query(now, slave, normal);
        match &self.master {
            Side::Surface(m) => Ok(m.find(&q, hint)),
            Side::Obstacle(o) => {
                let sight = match &q.direction {
                    Some(d) => o.along(&q.x, d, now.t, q.reach)?,
                    None => o.sight(&q.x, now.t, q.reach)?,
                };
                // However deep, a point in an obstacle stays paired.
                let sight = sight.filter(|s| s.gap <= q.reach);
                Ok(sight.map(|s| Hit {
                    facet: NONE,
                    xi: [0.0; 2],
                    normal: s.normal,
                    gap: s.gap,
                    foot: s.foot,
                    velocity: s.velocity,
                }))
            }
        }
    }

    pub(super) fn push(&mut self, now: &Now<D>, slave: Slave, hit: &Hit<D>) {
        let master = match &self.master {
            Side::Surface(m) => {
                let f = hit.facet as usize;
                Stencil::new(m.surface.facet(f), &shape(m.surface.kind(f), hit.xi).n)
            }
            Side::Obstacle(_) => Stencil::default(),
        };
        let mut frame = Rotation::<D>::zeros();
        frame.set_column(0, &hit.normal);
        self.points.push(ContactPoint {
            key: slave.key,
            slave_facet: slave.facet as u32,
            slave_place: slave.xi,
            master_facet: hit.facet,
            master_place: hit.xi,
            slave: slave.stencil,
            master,
            multiplier: self.multiplier_at(now, &slave),
            weight: slave.weight,
            frame,
            gap: hit.gap - self.settings.offset,
            foot: hit.foot,
            obstacle_velocity: hit.velocity,
        });
    }

    /// Multipliers at a slave point, those that vanish there left out.
    fn multiplier_at(&self, now: &Now<D>, slave: &Slave) -> Stencil {
        let (f, xi) = (slave.facet, slave.xi);
        if let Some(carrier) = &self.carrier {
            return carrier.multiplier_at(&slave.stencil.apply::<D>(now.reference), self.settings.multipliers);
        }
        if self.settings.multipliers == Multipliers::P0 {
            return Stencil::new(&[f as u32], &[1.0]);
        }
        let kind = self.slave.kind(f);
        let psi = shape(kind.linear(), xi).n;
        let (mut count, mut index, mut value) = (0, [0; FACET_NODES], [0.0; FACET_NODES]);
        for (k, &r) in self.slave.ranks(f)[..kind.corners()].iter().enumerate() {
            if psi[k] != 0.0 {
                (index[count], value[count]) = (self.multiplier_of[r as usize], psi[k]);
                count += 1;
            }
        }
        Stencil::new(&index[..count], &value)
    }
}
