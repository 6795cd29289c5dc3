//! Where surfaces may meet.

use super::ModelError;
use crate::Function;
use crate::contact::{ContactError, Interface, Master, Obstacle, PairSettings, Surface};
use delassus_contact::{Dim, Space};

/// What a slave surface meets.
// A model has few of them: no need to box the surface too.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Against {
    /// Another surface.
    Surface(Surface),
    /// Itself.
    Itself,
    /// A rigid obstacle of the plane.
    Plane(Box<Obstacle<2>>),
    /// A rigid obstacle of space.
    Space(Box<Obstacle<3>>),
}

/// A place where two surfaces, or a surface and an obstacle, may meet.
#[derive(Clone, Debug)]
pub struct ContactPair {
    /// Its name.
    pub name: String,
    /// The surface that carries collocation points and multipliers.
    pub slave: Surface,
    /// What it meets.
    pub against: Against,
    /// Pairing and integration.
    pub settings: PairSettings,
    /// Coefficient of friction.
    pub friction: f64,
    /// Displacement of the obstacle in time, by component; empty: it rests.
    pub motion: Vec<Function>,
}

/// An interface whatever its dimension, with the motion of its obstacle.
#[derive(Clone, Debug)]
pub struct AnyInterface {
    kind: Kind,
    motion: Vec<Function>,
    /// Place of the obstacle without its motion.
    home: [f64; 3],
}

#[derive(Clone, Debug)]
enum Kind {
    Plane(Box<Interface<2>>),
    Space(Box<Interface<3>>),
}

impl AnyInterface {
    pub(super) fn new(pair: &ContactPair, dim: usize) -> Result<Self, ModelError> {
        let contact = |reason: ContactError| ModelError::Contact { part: pair.name.clone(), reason };
        let refuse = || ModelError::Obstacle { name: pair.name.clone(), dim };
        let (slave, settings) = (pair.slave.clone(), pair.settings);
        let mut home = [0.0; 3];
        let kind = if dim == 2 {
            let master = match &pair.against {
                Against::Surface(s) => Master::Surface(s.clone()),
                Against::Itself => Master::Itself,
                Against::Plane(o) => {
                    home[..2].copy_from_slice(o.motion().pose.position.as_slice());
                    Master::Obstacle((**o).clone())
                }
                Against::Space(_) => return Err(refuse()),
            };
            Kind::Plane(Box::new(Interface::new(slave, master, settings).map_err(contact)?))
        } else {
            let master = match &pair.against {
                Against::Surface(s) => Master::Surface(s.clone()),
                Against::Itself => Master::Itself,
                Against::Space(o) => {
                    home.copy_from_slice(o.motion().pose.position.as_slice());
                    Master::Obstacle((**o).clone())
                }
                Against::Plane(_) => return Err(refuse()),
            };
            Kind::Space(Box::new(Interface::new(slave, master, settings).map_err(contact)?))
        };
        Ok(Self { kind, motion: pair.motion.clone(), home })
    }

    /// Pairs at positions `x` and velocities `v`; obstacles are where they are at time `t`.
    pub fn pair(&mut self, x: &[f64], reference: &[f64], v: &[f64], t: f64) -> Result<(), ContactError> {
        let moved: Vec<(f64, f64)> = self.motion.iter().map(|f| (f.at(t), f.rate(t))).collect();
        match &mut self.kind {
            Kind::Plane(i) => {
                move_obstacle(i, &moved, &self.home)?;
                i.pair(x, reference, v, t)
            }
            Kind::Space(i) => {
                move_obstacle(i, &moved, &self.home)?;
                i.pair(x, reference, v, t)
            }
        }
    }

    /// Number of multipliers of one component.
    pub fn multipliers(&self) -> usize {
        match &self.kind {
            Kind::Plane(i) => i.multipliers(),
            Kind::Space(i) => i.multipliers(),
        }
    }

    /// Nodes and facets that carry the multipliers.
    pub fn slave(&self) -> &Surface {
        match &self.kind {
            Kind::Plane(i) => i.slave(),
            Kind::Space(i) => i.slave(),
        }
    }

    /// The interface of the plane.
    pub fn plane(&self) -> Option<&Interface<2>> {
        if let Kind::Plane(i) = &self.kind { Some(i) } else { None }
    }

    /// The interface of space.
    pub fn space(&self) -> Option<&Interface<3>> {
        if let Kind::Space(i) = &self.kind { Some(i) } else { None }
    }
}

/// Puts the obstacle of an interface where its motion has it: displacement and rate by component.
fn move_obstacle<const D: usize>(
    interface: &mut Interface<D>,
    moved: &[(f64, f64)],
    home: &[f64; 3],
) -> Result<(), ContactError>
where
    Dim<D>: Space<D>,
{
    let (Some(o), false) = (interface.obstacle_mut(), moved.is_empty()) else { return Ok(()) };
    let mut motion = *o.motion();
    for (k, (value, rate)) in moved.iter().take(D).enumerate() {
        motion.pose.position[k] = home[k] + value;
        motion.velocity[k] = *rate;
    }
    o.move_to(motion)
}
