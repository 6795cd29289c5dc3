//! One frame of a run, field by field.

use delassus_contact::Dim;
use delassus_draw::Status;
use delassus_record::{Column, Frame, Header};
use delassus_rigid::Kinematics;
use delassus_scene::Setup;

/// Bodies and contacts at one time.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Time [s].
    pub time: f64,
    /// Centres of mass, then orientations, as in the run.
    pub position: Vec<f64>,
    /// Angle, or unit quaternion.
    pub orientation: Vec<f64>,
    /// Velocities of the centres.
    pub velocity: Vec<f64>,
    /// Angular velocities, if recorded.
    pub spin: Vec<f64>,
    /// Displacements of the nodes of deformable solids, if there are any.
    pub displacement: Vec<f64>,
    /// The contacts.
    pub contacts: Vec<Touch>,
    /// Whether each body is there; empty where all are.
    pub present: Vec<bool>,
    /// How many periodic cells away from the drawn one each body was, along each axis; empty without periods.
    pub away: Vec<[i64; 3]>,
}

/// A contact; in the plane the third components are zero.
#[derive(Clone, Debug)]
pub struct Touch {
    /// The bodies.
    pub bodies: [usize; 2],
    /// Where.
    pub point: [f64; 3],
    /// Towards the first body.
    pub normal: [f64; 3],
    /// On the first body [N].
    pub force: [f64; 3],
    /// State.
    pub status: Status,
}

impl Snapshot {
    /// From a frame; the message names what is missing.
    pub fn new(header: &Header, frame: &Frame) -> Result<Self, String> {
        let column = |name: &str| -> Result<&Column, String> {
            let found = header.position(name).and_then(|i| frame.columns.get(i));
            found.ok_or_else(|| format!("the run has no field '{name}': it cannot be drawn"))
        };
        let numbers = |name: &str| -> Result<Vec<f64>, String> {
            let all = column(name)?.to_f64();
            match all.iter().position(|x| !x.is_finite()) {
                Some(i) => {
                    Err(format!("'{name}' is {} at index {i}, t = {} s: it cannot be drawn", all[i], frame.time))
                }
                None => Ok(all),
            }
        };
        let d = header.dimension;
        let (point, normal) = (numbers("contacts/point")?, numbers("contacts/normal")?);
        let (force, bodies) = (numbers("contacts/force")?, numbers("contacts/bodies")?);
        let status = numbers("contacts/status")?;
        let vector = |all: &[f64], i: usize| std::array::from_fn(|k| if k < d { all[d * i + k] } else { 0.0 });
        let touch = |i: usize| Touch {
            bodies: [bodies[2 * i] as usize, bodies[2 * i + 1] as usize],
            point: vector(&point, i),
            normal: vector(&normal, i),
            force: vector(&force, i),
            status: match status[i] as u8 {
                0 => Status::Open,
                1 => Status::Sticking,
                _ => Status::Slipping,
            },
        };
        Ok(Self {
            time: frame.time,
            position: numbers("bodies/position")?,
            orientation: numbers("bodies/orientation")?,
            velocity: numbers("bodies/velocity")?,
            spin: match header.position("bodies/spin") {
                Some(_) => numbers("bodies/spin")?,
                None => vec![],
            },
            displacement: match header.position("nodes/displacement") {
                Some(_) => numbers("nodes/displacement")?,
                None => vec![],
            },
            contacts: (0..status.len()).map(touch).collect(),
            present: match header.position("bodies/present") {
                Some(_) => numbers("bodies/present")?.iter().map(|x| *x != 0.0).collect(),
                None => vec![],
            },
            away: vec![],
        })
    }

    /// The start of a scene, without contacts.
    pub fn of<const D: usize>(setup: &Setup<D>) -> Self
    where
        Dim<D>: Kinematics<D>,
    {
        let width = Dim::<D>::COORDINATES;
        let bodies = setup.model.bodies().len();
        let of = |range: std::ops::Range<usize>| -> Vec<f64> {
            (0..bodies).flat_map(|b| setup.state.q[width * b + range.start..width * b + range.end].to_vec()).collect()
        };
        let velocity = vec![0.0; D * bodies];
        Self { position: of(0..D), orientation: of(D..width), velocity, ..Self::default() }
    }

    /// Whether a body is there.
    pub fn shows(&self, body: usize) -> bool {
        self.present.get(body).copied().unwrap_or(true)
    }

    /// Contacts that carry something.
    pub fn loaded(&self) -> usize {
        self.contacts.iter().filter(|c| c.status != Status::Open).count()
    }
}
