//! Several deformable solids, their skins and the contacts between them.

use super::{Compliance, Deformable, DeformableError, Skin, Theta, Touch};
use crate::contact::{SkinSpec, Stencil};
use crate::model::Model;
use delassus_contact::{Contact, ContactKey, ContactSet, Dim, Space, Vector};
use delassus_dynamics::{BodyLaw, Interactions, Rows, State};

/// Gap that counts as closed, relative to the coordinates: as for rigid bodies.
const CLOSED: f64 = 1e-9;
/// How deep a node is looked for, in sizes of facets.
const REACH: f64 = 0.5;

/// A deformable solid as it is described.
#[derive(Clone, Debug)]
pub struct DeformableSpec {
    /// Its name.
    pub name: String,
    /// The model; its own contact pairs are not used, its skins meet everything.
    pub model: Model,
    /// Index of its material in the laws.
    pub material: u16,
    /// The time scheme.
    pub settings: Theta,
}

/// Where the numbers of the solids begin in a larger system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offsets {
    /// Of skins among colliders.
    pub colliders: u32,
    /// Of solids among bodies and groups.
    pub bodies: u32,
    /// Of degrees of freedom.
    pub dofs: u32,
}

/// Several deformable solids.
pub struct Deformables<const D: usize> {
    pub(super) solids: Vec<Deformable>,
    pub(super) skins: Vec<Skin<D>>,
    pub(super) compliance: Vec<Compliance>,
    pub(super) interactions: Interactions,
    pub(super) offsets: Offsets,
    /// First degree of freedom and first coordinate of each solid, and their ends.
    pub(super) dofs: Vec<usize>,
    pub(super) coordinates: Vec<usize>,
    /// Solid of each node.
    solid_of: Vec<u32>,
    /// Positions at `q_m`, of all solids.
    x: Vec<f64>,
    /// Velocities of imposed degrees of freedom at the beginning and the end of the step.
    imposed: [Vec<f64>; 2],
    pub(super) free: Vec<f64>,
    pub(super) touches: Vec<Touch>,
    margin: f64,
}

impl<const D: usize> Deformables<D> {
    /// Checks the solids and the laws between them.
    pub fn new(
        specs: Vec<DeformableSpec>,
        interactions: Interactions,
        offsets: Offsets,
    ) -> Result<Self, DeformableError> {
        let components = interactions.components(D);
        if components != D {
            return Err(DeformableError::Components { components, dim: D });
        }
        let (mut solids, mut skins, mut compliance) = (vec![], vec![], vec![]);
        let (mut dofs, mut coordinates, mut solid_of, mut reference) = (vec![0], vec![0], vec![], vec![]);
        for (k, spec) in specs.into_iter().enumerate() {
            if spec.model.dim != D {
                return Err(DeformableError::Dimension { solid: spec.name, expected: D, found: spec.model.dim });
            }
            let solid = Deformable::new(spec.name, spec.model, spec.settings)?;
            let first = solid_of.len() as u32;
            let mut touchable = vec![];
            for part in &solid.structure().model().parts {
                let failed = |e| DeformableError::Skin { solid: part.name.clone(), reason: Box::new(e) };
                let surface = part.mesh.skin(first + part.first as u32).map_err(failed)?;
                touchable.extend(
                    surface.nodes().iter().flat_map(|n| (0..D as u32).map(move |c| D as u32 * (n - first) + c)),
                );
                skins.push((part.name.clone(), SkinSpec::new(k as u32, surface).material(spec.material)));
            }
            touchable.sort_unstable();
            compliance.push(Compliance::new(solid.dofs(), touchable));
            dofs.push(dofs[k] + solid.dofs());
            coordinates.push(coordinates[k] + solid.coordinates());
            solid_of.resize(dofs[k + 1] / D, k as u32);
            reference.extend_from_slice(solid.reference());
            solids.push(solid);
        }
        let placed = |(solid, spec)| {
            Skin::new(spec, &reference).map_err(|e| DeformableError::Skin { solid, reason: Box::new(e) })
        };
        let skins = skins.into_iter().map(placed).collect::<Result<Vec<Skin<D>>, _>>()?;
        let n = reference.len();
        let mut all = Self {
            solids,
            skins,
            compliance,
            interactions,
            offsets,
            dofs,
            coordinates,
            solid_of,
            x: reference,
            imposed: [vec![0.0; n], vec![0.0; n]],
            free: vec![0.0; n],
            touches: vec![],
            margin: 1e-9,
        };
        all.margin = all.margin.max(all.interactions.range());
        all.check_laws()?;
        Ok(all)
    }

    /// Every pair of skins that may meet has a law.
    fn check_laws(&self) -> Result<(), DeformableError> {
        for (i, a) in self.skins.iter().enumerate() {
            for b in &self.skins[i + 1..] {
                let materials = [a.material(), b.material()];
                if !self.interactions.has(materials[0], materials[1]) {
                    let names = [a, b].map(|s| self.solids[s.body() as usize].name().to_owned());
                    return Err(DeformableError::NoLaw { names, materials });
                }
            }
        }
        Ok(())
    }

    /// The solids.
    pub fn solids(&self) -> &[Deformable] {
        &self.solids
    }

    /// The skins, at `q_m` of the last step.
    pub fn skins(&self) -> &[Skin<D>] {
        &self.skins
    }

    /// Positions of all nodes at `q_m` of the last step.
    pub fn positions(&self) -> &[f64] {
        &self.x
    }

    /// Position of a node at `q_m` of the last step.
    pub fn position(&self, node: u32) -> Vector<D> {
        Vector::from_column_slice(&self.x[D * node as usize..][..D])
    }

    /// Degrees of freedom of a solid.
    pub fn dofs_of(&self, solid: usize) -> std::ops::Range<usize> {
        self.dofs[solid]..self.dofs[solid + 1]
    }

    /// Coordinates of a solid: displacements, then internal variables.
    pub fn coordinates_of(&self, solid: usize) -> std::ops::Range<usize> {
        self.coordinates[solid]..self.coordinates[solid + 1]
    }

    /// The state at the start.
    pub fn initial_state(&self) -> State {
        let mut state = State::default();
        for solid in &self.solids {
            let (q, v) = solid.start();
            state.q.extend(q);
            state.u.extend(v);
        }
        state
    }

    /// Contacts are listed up to this gap \[m\].
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Lists contacts up to this gap at least \[m\].
    pub fn widen_margin(&mut self, margin: f64) {
        self.margin = self.margin.max(margin);
    }

    /// Positions at the middle of a step of length `h` from time `t`, from coordinates and velocities.
    pub fn move_to(&mut self, q: &[f64], u: &[f64], (t, h): (f64, f64)) {
        for k in 0..self.solids.len() {
            let (dofs, coordinates) = (self.dofs_of(k), self.coordinates_of(k));
            self.solids[k].predict((&q[coordinates], &u[dofs.clone()]), (t, h), &mut self.x[dofs.clone()]);
            self.imposed[0][dofs.clone()].copy_from_slice(&u[dofs.clone()]);
            self.solids[k].imposed_velocities(&mut self.imposed[1][dofs]);
        }
        self.skins.iter_mut().for_each(|s| s.update(&self.x));
        self.touches.clear();
    }

    /// Appends the contacts between the skins, unsorted; frames continue those of `previous`.
    pub fn find_own(&mut self, previous: &ContactSet<D>, found: &mut Vec<Contact<D>>)
    where
        Dim<D>: Space<D>,
    {
        for i in 0..self.skins.len() {
            for j in i + 1..self.skins.len() {
                let (a, b) = (&self.skins[i], &self.skins[j]);
                if !a.bounds().grown(self.margin).meets(b.bounds()) {
                    continue;
                }
                // The nodes of the finer skin, and the corners of the other: nodes of both on
                // flat interfaces would make them stiff.
                let fine = usize::from(b.size() < a.size());
                for slave in 0..2 {
                    self.find_between([i, j], slave, slave != fine, (previous, &mut *found));
                }
            }
        }
    }

    /// Nodes of one skin of a pair (its sharp corners alone if asked) against the facets of the other.
    fn find_between(
        &mut self,
        pair: [usize; 2],
        slave: usize,
        corners: bool,
        (previous, found): (&ContactSet<D>, &mut Vec<Contact<D>>),
    ) where
        Dim<D>: Space<D>,
    {
        let Self { skins, touches, x, margin, offsets, .. } = self;
        let (mine, other) = (&skins[pair[slave]], &skins[pair[1 - slave]]);
        let near = other.bounds().grown(*margin);
        let reach = REACH * mine.size().max(other.size()) + *margin;
        for (rank, &node) in mine.nodes().iter().enumerate() {
            let p = Vector::<D>::from_column_slice(&x[D * node as usize..][..D]);
            let inside = (0..D).all(|k| near.min[k] <= p[k] && p[k] <= near.max[k]);
            if !inside || (corners && !mine.is_sharp(rank)) {
                continue;
            }
            let Some(foot) = other.met_by((mine, rank), &p, reach, *margin) else { continue };
            let mut features = [u32::MAX; 2];
            features[slave] = node;
            let colliders = pair.map(|s| offsets.colliders + s as u32);
            let key = ContactKey { colliders, image: [0; 3], features };
            let n = if slave == 0 { foot.normal } else { -foot.normal };
            let mut sides = [Stencil::default(); 2];
            let mut points = [p; 2];
            (sides[slave], sides[1 - slave]) = (mine.node(rank), foot.stencil);
            points[1 - slave] = foot.place;
            touches.push(Touch { key, sides });
            found.push(Contact {
                key,
                bodies: pair.map(|s| offsets.bodies + skins[s].body()),
                points,
                shift: Vector::zeros(),
                frame: Dim::<D>::frame(&n, previous.get(&key).map(|c| &c.frame)),
                gap: foot.gap,
                wall_velocity: Vector::zeros(),
            });
        }
    }

    /// Adds a touch of a contact found elsewhere.
    pub fn add_touch(&mut self, touch: Touch) {
        self.touches.push(touch);
    }

    /// Sorts the touches by key; to be called before rows are asked for.
    pub fn settle_touches(&mut self) {
        self.touches.sort_unstable_by_key(|t| t.key);
    }

    /// The nodes of a contact.
    pub fn touch(&self, key: &ContactKey) -> Option<&Touch> {
        self.touches.binary_search_by(|t| t.key.cmp(key)).ok().map(|i| &self.touches[i])
    }

    /// Whether a gap counts as closed at a contact, whose second side is a skin.
    pub fn is_closed(&self, contact: &Contact<D>) -> bool {
        let bounds = self.skins[(contact.key.colliders[1] - self.offsets.colliders) as usize].bounds();
        contact.gap <= CLOSED * bounds.min.amax().max(bounds.max.amax())
    }

    /// The law between two materials.
    pub fn law_between(&self, materials: [u16; 2]) -> Option<&dyn BodyLaw> {
        self.interactions.get(materials[0], materials[1]).map(|l| l.0)
    }

    /// What imposed nodes of one side bring to the velocity at a contact, at the beginning and the
    /// end of the step.
    pub fn add_imposed(&self, contact: &Contact<D>, side: usize, w: &mut [Vector<D>; 2]) {
        self.for_columns(contact, side, |_, dof, held, column| {
            if held {
                w[0] += column * self.imposed[0][dof];
                w[1] += column * self.imposed[1][dof];
            }
        });
    }

    /// Appends the columns of one side to the block begun last.
    pub fn push_columns(&self, contact: &Contact<D>, side: usize, rows: &mut Rows<D>) {
        self.for_columns(contact, side, |solid, dof, held, column| {
            if !held {
                rows.push(self.offsets.bodies + solid, self.offsets.dofs + dof as u32, column);
            }
        });
    }

    /// Calls `visit(solid, degree of freedom, whether imposed, column)`.
    fn for_columns(&self, contact: &Contact<D>, side: usize, mut visit: impl FnMut(u32, usize, bool, Vector<D>)) {
        let Some(touch) = self.touch(&contact.key) else { return };
        let sign = [1.0, -1.0][side];
        for (node, share) in touch.sides[side].iter().filter(|(_, c)| *c != 0.0) {
            let solid = self.solid_of[node as usize];
            for k in 0..D {
                let dof = D * node as usize + k;
                let held = self.solids[solid as usize].is_held(dof - self.dofs[solid as usize]);
                let column = Vector::<D>::from_fn(|c, _| sign * share * contact.frame[(k, c)]);
                visit(solid, dof, held, column);
            }
        }
    }

    /// Columns of `A⁻¹` for all that is touched.
    pub(super) fn prepare(&mut self) {
        let Self { touches, solids, compliance, solid_of, dofs, .. } = self;
        for (k, (solid, compliance)) in solids.iter().zip(compliance).enumerate() {
            let touched = touches
                .iter()
                .flat_map(|t| t.sides.iter().flat_map(|s| s.iter()))
                .filter(|(node, c)| *c != 0.0 && solid_of[*node as usize] as usize == k)
                .flat_map(|(node, _)| (0..D).map(move |c| D * node as usize + c));
            compliance.prepare(solid, touched.map(|d| (d - dofs[k]) as u32));
        }
    }

    /// An entry of `A⁻¹` of a solid, by degrees of freedom of all solids that contacts touch.
    #[inline]
    pub fn mobility(&self, solid: usize, a: u32, b: u32) -> f64 {
        let first = self.dofs[solid] as u32;
        self.compliance[solid].entry(a - first, b - first)
    }
}
