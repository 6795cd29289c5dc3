//! Fine models that move over a coarse one, or take over from it when they are needed
//!
//! Before a step the state tells where each patch should stand and whether it should have appeared; where that is new,
//! the model is made again, the state carried to it ([`delassus_arlequin::carry`]) and brought to its ties. All of it
//! follows from the state and from where the patches stand, so that a run that goes on from a frame does the same.

use super::Error;
use super::fields::{Table, path};
use delassus_arlequin::{Fields, Layer, Superposition, carry};
use delassus_contact::{Dim, Vector};
use delassus_dynamics::{ContactState, Ledger, Momenta};
use delassus_fem::model::Part;
use delassus_fem::solid::CellFields;
use delassus_fem::subsystem::Columns;
use delassus_fem::{Model, Solids};
use delassus_record::{Extent, Field, Kind};
use delassus_rigid::{Kinematics, RigidModel, State};
use delassus_scene::{Appearance, Following, Patch, Superposed, Target};

/// Numbers of a recorded field by its name, so many of them.
type Numbers<'a> = dyn Fn(&str, usize) -> Result<Vec<f64>, Error> + 'a;

/// Recorded: where patches stand, and what that has brought.
const STANDS: &str = "restart/patch";
const BROUGHT: &str = "restart/patch_sums";

/// Where a patch stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stand {
    /// How far it has been moved, in multiples of its quantum.
    pub quanta: [i64; 3],
    /// Whether it has taken over.
    pub appeared: bool,
    /// Whether what it follows has gone where the coarse model ends.
    pub stopped: bool,
}

/// What moving and appearing has brought so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Brought {
    /// How often the model was made again.
    pub times: u64,
    /// Energy \[J\].
    pub energy: f64,
    /// Linear momentum \[kg m/s\].
    pub momentum: [f64; 3],
}

/// The patches of a scene.
pub struct Patches<const D: usize> {
    /// The model at the start.
    base: Model,
    superposed: Vec<Superposed>,
    list: Vec<Patch>,
    stands: Vec<Stand>,
    brought: Brought,
    /// Coarse cells under each patch, with their measures; found when they are asked for.
    under: Vec<Option<Vec<(usize, f64)>>>,
    /// Scratch.
    seen: CellFields,
}

/// The state of the solids among all, with where it begins.
pub struct Own<'a> {
    /// Where the arrays are.
    pub columns: &'a Columns,
    /// First coordinate and first velocity.
    pub first: [usize; 2],
}

impl<const D: usize> Patches<D> {
    /// Those of a scene at its start; none where nothing moves or appears.
    pub fn new(base: &Model, superposed: Vec<Superposed>, list: Vec<Patch>) -> Option<Self> {
        let stands: Vec<Stand> =
            list.iter().map(|p| Stand { appeared: p.appear.is_none(), ..Stand::default() }).collect();
        let made = Self {
            base: base.clone(),
            superposed,
            brought: Brought::default(),
            under: vec![None; stands.len()],
            seen: CellFields::default(),
            stands,
            list,
        };
        (!made.list.is_empty()).then_some(made)
    }

    /// Where they stand.
    pub fn stands(&self) -> &[Stand] {
        &self.stands
    }

    /// Adds to the displacements of all nodes how far patches have been moved.
    pub fn add_shifts(&self, model: &Model, x: &mut [f64]) {
        for patch in 0..self.list.len() {
            let (range, by) = (model.parts[self.part(patch)].range(), self.shift_of(patch, &self.stands[patch]));
            x[range].chunks_mut(D).for_each(|u| (0..D).for_each(|k| u[k] += by[k]));
        }
    }

    /// Adds what is recorded.
    pub fn fields(&self, table: &mut Table<D>) {
        let all = Field::new(STANDS, Kind::F64, 5, Extent::Fixed(self.list.len()));
        table.add(all.with("1", "of each patch: quanta moved along x, y, z; appeared; stopped at a border"), |l, x| {
            let stands = l.solids.and_then(|s| s.patches()).map_or(&[][..], |p| &p.stands);
            for s in stands {
                x.extend(s.quanta.map(|n| n as f64));
                x.extend([s.appeared, s.stopped].map(|b| f64::from(u8::from(b))));
            }
        });
        let sums = Field::new(BROUGHT, Kind::F64, 5, Extent::Scalar);
        let about = "times that patches moved or appeared, energy [J] and linear momentum [kg m/s] that it brought";
        table.add(sums.with("1", about), |l, x| {
            let Some(patches) = l.solids.and_then(|s| s.patches()) else { return };
            x.extend([patches.brought.times as f64, patches.brought.energy]);
            x.extend(patches.brought.momentum);
        });
        for (i, patch) in self.list.iter().enumerate() {
            let field = |what: &str, width| {
                Field::new(format!("patch/{}/{what}", path(&patch.name)), Kind::F64, width, Extent::Scalar)
            };
            table.add(field("shift", D).with("m", "how far the patch has been moved"), move |l, x| {
                let patches = l.solids.and_then(|s| s.patches());
                x.extend(patches.iter().flat_map(|p| p.shift_of(i, &p.stands[i]).into_iter().take(D)));
            });
            table.add(field("appeared", 1).with("1", "1 once the patch has taken over"), move |l, x| {
                let patches = l.solids.and_then(|s| s.patches());
                x.extend(patches.iter().map(|p| f64::from(u8::from(p.stands[i].appeared))));
            });
        }
    }

    /// Reads where they stand.
    pub fn read(&mut self, numbers: &Numbers<'_>) -> Result<(), Error> {
        let stands = numbers(STANDS, 5 * self.list.len())?;
        self.stands = stands
            .chunks(5)
            .map(|x| Stand {
                quanta: [x[0] as i64, x[1] as i64, x[2] as i64],
                appeared: x[3] != 0.0,
                stopped: x[4] != 0.0,
            })
            .collect();
        let sums = numbers(BROUGHT, 5)?;
        self.brought = Brought { times: sums[0] as u64, energy: sums[1], momentum: [sums[2], sums[3], sums[4]] };
        self.under.fill(None);
        Ok(())
    }

    fn shift_of(&self, patch: usize, stand: &Stand) -> [f64; 3] {
        let by = self.list[patch].follow.as_ref().map_or(0.0, |f| f.by);
        stand.quanta.map(|n| n as f64 * by)
    }

    /// The solid that a patch moves.
    fn part(&self, patch: usize) -> usize {
        self.superposed[self.list[patch].superposed].superposition.fine
    }

    /// The superposition of a patch where it stands.
    fn superposition(&self, patch: usize, stand: &Stand) -> &Superposition {
        let of = &self.superposed[self.list[patch].superposed];
        if stand.appeared { &of.superposition } else { &of.hanging }
    }

    /// The model with the patches at some stands.
    pub fn model_at(&self, stands: &[Stand]) -> Result<Model, Error> {
        let mut model = self.base.clone();
        let mut parts: Vec<usize> =
            self.superposed.iter().flat_map(|s| [s.superposition.coarse, s.superposition.fine]).collect();
        parts.sort_unstable();
        parts.dedup();
        for part in parts {
            let moved = (0..self.list.len()).find(|p| self.part(*p) == part);
            let by = moved.map_or([0.0; 3], |p| self.shift_of(p, &stands[p]));
            model.remake(part, by).map_err(delassus_fem::Error::from)?;
        }
        for (i, superposed) in self.superposed.iter().enumerate() {
            let patch = self.list.iter().position(|p| p.superposed == i);
            let made = patch.map_or(&superposed.superposition, |p| self.superposition(p, &stands[p]));
            let refused = |reason| Error::Patch { name: made.name.clone(), reason };
            made.apply::<D>(&mut model).map_err(refused)?;
            // In the place of the one that was there.
            if let Some(tie) = model.ties.pop() {
                model.ties[superposed.tie] = tie;
            }
        }
        Ok(model)
    }

    /// Where the patches should stand in a state, if that is new.
    pub fn wanted(
        &mut self,
        bodies: &RigidModel<D>,
        model: &Model,
        state: &State,
        own: &Own<'_>,
    ) -> Result<Option<Vec<Stand>>, Error>
    where
        Dim<D>: Kinematics<D>,
    {
        let mut seen = std::mem::take(&mut self.seen);
        let mut next = self.stands.clone();
        for p in 0..self.list.len() {
            if self.list[p].appear.is_some() && !self.stands[p].appeared && self.under[p].is_none() {
                self.under[p] = Some(self.look_under(p, model)?);
            }
        }
        for (p, patch) in self.list.iter().enumerate() {
            if let Some(follow) = &patch.follow {
                self.follow(p, follow, (bodies, model), (state, own), &mut next[p]);
            }
            if let Some(appear) = patch.appear.filter(|_| !self.stands[p].appeared) {
                next[p].appeared = self.asked(p, appear, model, (state, own), &mut seen)?;
            }
        }
        self.seen = seen;
        let moves = |(a, b): (&Stand, &Stand)| (a.quanta, a.appeared) != (b.quanta, b.appeared);
        if self.stands.iter().zip(&next).any(moves) {
            return Ok(Some(next));
        }
        self.stands = next;
        Ok(None)
    }

    /// Moves a stand to what it follows.
    fn follow(
        &self,
        patch: usize,
        follow: &Following,
        (bodies, model): (&RigidModel<D>, &Model),
        (state, own): (&State, &Own<'_>),
        stand: &mut Stand,
    ) where
        Dim<D>: Kinematics<D>,
    {
        let part = &model.parts[self.part(patch)];
        let (u, normal) = (own.at(state, &own.columns.displacement), own.at(state, &own.columns.normal));
        let nodes = part.first..part.first + part.mesh.points.len();
        let target: Vector<D> = match &follow.target {
            Target::Body(name) => {
                let Some(body) = bodies.bodies().iter().position(|b| *b.name == **name) else { return };
                // The solid may have moved as a whole: places are those of reference.
                let mean = |k: usize| nodes.clone().map(|n| u[D * n + k]).sum::<f64>() / nodes.len() as f64;
                bodies.centre_pose(state, body).position - Vector::from_fn(|k, _| mean(k))
            }
            Target::Contact => {
                let (mut sum, mut whole) = (Vector::<D>::zeros(), 0.0);
                for (n, x) in nodes.zip(&part.mesh.points) {
                    let force = normal[D * n..D * (n + 1)].iter().map(|f| f * f).sum::<f64>().sqrt();
                    sum += Vector::from_fn(|k, _| x[k]) * force;
                    whole += force;
                }
                if whole == 0.0 {
                    return;
                }
                sum / whole
            }
        };
        let base = &self.base;
        let superposition = &self.superposed[self.list[patch].superposed].superposition;
        let [over, under] = [superposition.coarse, superposition.fine].map(|p| bounds(&base.parts[p].mesh.points));
        stand.stopped = false;
        for &k in &follow.along {
            let want = (target[k] - 0.5 * (under[0][k] + under[1][k])) / follow.by;
            if (want - stand.quanta[k] as f64).abs() <= 1.0 {
                continue;
            }
            // As far as the coarse model goes.
            let slack = 1e-9 * follow.by;
            let least = ((over[0][k] - under[0][k] - slack) / follow.by).ceil();
            let most = ((over[1][k] - under[1][k] + slack) / follow.by).floor();
            let to = want.round().clamp(least, most.max(least));
            stand.stopped |= to != want.round();
            stand.quanta[k] = to as i64;
        }
    }

    /// Cells of the coarse model whose middle lies under a patch, with their measures.
    fn look_under(&self, patch: usize, model: &Model) -> Result<Vec<(usize, f64)>, Error> {
        let superposition = &self.superposed[self.list[patch].superposed].superposition;
        let refused = |reason| Error::Patch { name: superposition.name.clone(), reason };
        let [coarse, fine] = [superposition.coarse, superposition.fine].map(|p| &model.parts[p].mesh);
        let (coarse, fine) = (Layer::<D>::new(coarse, None), Layer::<D>::new(fine, None));
        let (coarse, fine) = (coarse.map_err(refused)?, fine.map_err(refused)?);
        let measures = coarse.measures().into_iter().enumerate();
        Ok(measures.filter(|(cell, _)| fine.cell_at(&coarse.centre(*cell as u32)).is_some()).collect())
    }

    /// Whether a patch should appear.
    fn asked(
        &self,
        patch: usize,
        appear: Appearance,
        model: &Model,
        (state, own): (&State, &Own<'_>),
        seen: &mut CellFields,
    ) -> Result<bool, Error> {
        let superposition = &self.superposed[self.list[patch].superposed].superposition;
        let u = own.at(state, &own.columns.displacement);
        let all = own.at(state, &own.columns.history);
        let under = self.under[patch].as_deref().unwrap_or_default();
        for index in [superposition.fine, superposition.coarse] {
            let is_fine = index == superposition.fine;
            if is_fine && matches!(appear, Appearance::Error(_)) {
                continue;
            }
            let part = &model.parts[index];
            let first: usize = model.parts[..index].iter().map(|p| p.solid.history_len()).sum();
            let history = &all[first..first + part.solid.history_len()];
            part.solid
                .fields(&u[part.range()], history, seen)
                .map_err(|e| Error::Stress { solid: part.name.clone(), reason: e.to_string() })?;
            let largest = |of: &[f64]| match is_fine {
                true => of.iter().copied().fold(0.0, f64::max),
                false => under.iter().map(|c| of[c.0]).fold(0.0, f64::max),
            };
            let reached = match appear {
                Appearance::PlasticStrain(limit) => largest(&seen.plastic_strain) >= limit,
                Appearance::VonMises(limit) => largest(&seen.von_mises) >= limit,
                Appearance::Error(limit) => error(part, under, seen) >= limit,
            };
            if reached {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The state on solids with the patches at `next`, which they stand at from then on.
    pub fn carry(
        &mut self,
        old: &Model,
        next: Vec<Stand>,
        solids: &mut Solids<D>,
        (state, own): (&State, &Own<'_>),
        colliders: usize,
    ) -> Result<State, Error> {
        let mut fields = Fields {
            displacement: own.at(state, &own.columns.displacement).to_vec(),
            velocity: state.u[own.first[1]..].to_vec(),
            history: own.at(state, &own.columns.history).to_vec(),
            contact: [own.at(state, &own.columns.normal).to_vec(), own.at(state, &own.columns.tangential).to_vec()],
        };
        let mut contacts = state.contacts.clone();
        for (p, (was, to)) in self.stands.iter().zip(&next).enumerate() {
            if (was.quanta, was.appeared) == (to.quanta, to.appeared) {
                continue;
            }
            let before = self.superposition(p, was);
            let refused = |reason| Error::Patch { name: before.name.clone(), reason };
            let done = carry::<D>([old, solids.model()], before, &mut fields).map_err(refused)?;
            if was.quanta != to.quanta {
                let before = old.parts[..self.part(p)].iter().filter(|p| !p.is_hidden()).count();
                rename(&mut contacts, (colliders + before) as u32, &done.nodes);
            }
        }
        let Fields { displacement, velocity, history, contact } = fields;
        let (q, u) = solids.resume(state.time, [displacement, velocity], history, [&contact[0], &contact[1]])?;
        self.stands = next;
        self.under.fill(None);
        let mut made = State { contacts, ..state.clone() };
        made.q.truncate(own.first[0]);
        made.u.truncate(own.first[1]);
        made.q.extend(q);
        made.u.extend(u);
        Ok(made)
    }

    /// Counts a move.
    pub fn count(&mut self, energy: [&Ledger; 2], momenta: [&Momenta; 2]) -> f64 {
        let brought = energy[1].total() - energy[0].total();
        self.brought.times += 1;
        self.brought.energy += brought;
        for (sum, (a, b)) in self.brought.momentum.iter_mut().zip(momenta[0].linear.iter().zip(momenta[1].linear)) {
            *sum += b - a;
        }
        brought
    }
}

impl Own<'_> {
    fn at<'a>(&self, state: &'a State, range: &std::ops::Range<usize>) -> &'a [f64] {
        &state.q[self.first[0] + range.start..self.first[0] + range.end]
    }
}

/// Lower and upper corner.
fn bounds(points: &[[f64; 3]]) -> [[f64; 3]; 2] {
    let mut corners = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for p in points {
        for k in 0..3 {
            (corners[0][k], corners[1][k]) = (corners[0][k].min(p[k]), corners[1][k].max(p[k]));
        }
    }
    corners
}

/// Zienkiewicz and Zhu's estimate of the relative error in energy: stresses smoothed at the nodes against the mean of
/// each cell \[Zienkiewicz87\].
fn error(part: &Part, cells: &[(usize, f64)], seen: &CellFields) -> f64 {
    let (lambda, mu) = part.solid.spec().material.lame();
    let energy = |s: &[f64; 6]| {
        let trace = s[0] + s[1] + s[2];
        let square = s[..3].iter().map(|x| x * x).sum::<f64>() + 2.0 * s[3..].iter().map(|x| x * x).sum::<f64>();
        (square - lambda / (3.0 * lambda + 2.0 * mu) * trace * trace) / (4.0 * mu)
    };
    let (mut off, mut whole) = (0.0, 0.0);
    for &(cell, volume) in cells {
        let nodes = part.solid.connectivity(cell);
        let mean = &seen.stress[cell];
        let apart = |n: &u32| -> [f64; 6] { std::array::from_fn(|k| seen.nodal_stress[*n as usize][k] - mean[k]) };
        off += volume * nodes.iter().map(|n| energy(&apart(n))).sum::<f64>() / nodes.len() as f64;
        whole += volume * energy(mean);
    }
    if off > 0.0 { (off / (off + whole)).sqrt() } else { 0.0 }
}

/// Contacts of nodes that others have taken the places of; the rest of that skin is forgotten.
fn rename(contacts: &mut Vec<ContactState>, skin: u32, nodes: &[(u32, u32)]) {
    contacts.retain_mut(|c| {
        (0..2).filter(|k| c.key.colliders[*k] == skin).collect::<Vec<_>>().into_iter().all(|k| {
            let found = nodes.iter().find(|n| n.0 == c.key.features[k]);
            found.map(|n| c.key.features[k] = n.1).is_some()
        })
    });
    contacts.sort_by_key(|c| c.key);
}
