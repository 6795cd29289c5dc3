//! What is looked at of deformable solids
//!
//! `nodes/displacement`, `nodes/velocity`, `nodes/acceleration`, the contact forces at nodes and
//! `restart/history` are their part of the state. Nodes are those of all solids, one solid after the
//! other; rotations of beams follow in `restart/rotation`.

use super::Error;
use super::fields::{Look, Table, path};
use super::patches::Patches;
use delassus_dynamics::PointView;
use delassus_fem::solid::CellFields;
use delassus_fem::subsystem::{Columns, Ties};
use delassus_fem::{Model, Solids};
use delassus_record::{BodyGeometry, Extent, Field, Kind, Outline, Run};
use delassus_rigid::State;
use delassus_scene::{SolidProbe, SolidSetup};
use std::sync::Arc;

/// The solids of a scene and where they are in the state.
pub struct SolidLook<const D: usize> {
    model: Arc<Model>,
    columns: Columns,
    /// First coordinate and first velocity.
    first: [usize; 2],
    /// First body.
    body: u32,
    materials: Vec<String>,
    probes: Vec<SolidProbe>,
    scheme: &'static str,
    formalism: &'static str,
    /// Bodies of the slave and of the master of each pair of surfaces.
    pairs: Vec<[u32; 2]>,
    stress: Vec<CellFields>,
    /// What glues models, and its multipliers at the nodes.
    ties: Option<Arc<Ties>>,
    multipliers: Vec<f64>,
    /// Shares of the strain energy at the nodes; empty where nothing is shared.
    weights: Vec<f64>,
    patches: Option<Patches<D>>,
}

/// Where an array of numbers of the nodes is.
#[derive(Clone, Copy)]
enum Array {
    Displacement,
    Velocity,
    Acceleration,
    Normal,
    Tangential,
    Tied,
}

/// Displacements as the state has them, where patches move.
const EXACT: &str = "restart/displacement";

/// The last one where models are tied to each other.
const ARRAYS: [(&str, &str, &str, Array); 6] = [
    ("displacement", "m", "displacement", Array::Displacement),
    ("velocity", "m/s", "velocity", Array::Velocity),
    ("acceleration", "m/s2", "acceleration that the next step begins with", Array::Acceleration),
    ("contact_normal", "N", "normal contact force", Array::Normal),
    ("contact_tangential", "N", "friction force", Array::Tangential),
    ("tie_force", "N", "force of the rows that glue models", Array::Tied),
];

impl<const D: usize> SolidLook<D> {
    /// Solids that begin at these coordinates and velocities, their bodies after `bodies` others.
    pub fn new(
        setup: SolidSetup,
        solids: &Solids<D>,
        patches: Option<Patches<D>>,
        first: [usize; 2],
        bodies: usize,
    ) -> Self {
        let model = solids.model().clone();
        let part_of = |node: u32| {
            let parts = model.parts.iter().map(|p| p.range().start / D..p.range().end / D);
            let beams = model.beams.iter().map(|b| b.first..b.first + b.count);
            let found = parts.chain(beams).position(|nodes| nodes.contains(&(node as usize)));
            (bodies + found.unwrap_or(0)) as u32
        };
        let pairs = model
            .contacts
            .iter()
            .map(|c| {
                let slave = part_of(c.slave.nodes()[0]);
                [slave, c.master_nodes().and_then(|n| n.first()).map_or(slave, |n| part_of(*n))]
            })
            .collect();
        Self {
            columns: solids.columns().clone(),
            first,
            body: bodies as u32,
            materials: setup.materials,
            probes: setup.probes,
            scheme: setup.settings.scheme.name(),
            formalism: setup.settings.contact.formalism.name(),
            pairs,
            stress: vec![CellFields::default(); model.parts.len()],
            ties: solids.ties(),
            multipliers: vec![],
            weights: weights(&model),
            patches,
            model,
        }
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What is known of the model that patches have made.
    pub fn remake(&mut self, solids: &Solids<D>) {
        self.model = solids.model().clone();
        self.ties = solids.ties();
        self.weights = weights(&self.model);
    }

    /// Model, columns, first coordinate and velocity.
    pub fn own(&self) -> (Arc<Model>, Columns, [usize; 2]) {
        (self.model.clone(), self.columns.clone(), self.first)
    }

    /// The patches that move or appear.
    pub fn patches(&self) -> Option<&Patches<D>> {
        self.patches.as_ref()
    }

    /// The same, to move them.
    pub fn patches_mut(&mut self) -> Option<&mut Patches<D>> {
        self.patches.as_mut()
    }

    /// The scheme, in words.
    pub fn scheme(&self) -> &'static str {
        self.scheme
    }

    /// The formalism of contact, in words.
    pub fn formalism(&self) -> &'static str {
        self.formalism
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        let beams = self.model.beams.iter().map(|b| b.name.clone());
        self.model.parts.iter().map(|p| p.name.clone()).chain(beams)
    }

    /// Bodies of a point of a surface.
    pub fn bodies_of(&self, point: &PointView<D>) -> [u32; 2] {
        self.pairs[point.pair as usize]
    }

    /// Arrays of the nodes that this scene has.
    fn arrays(&self) -> &'static [(&'static str, &'static str, &'static str, Array)] {
        &ARRAYS[..ARRAYS.len() - usize::from(self.columns.tied.is_empty())]
    }

    fn array<'a>(&self, state: &'a State, array: Array) -> &'a [f64] {
        let [q, u] = self.first;
        let range = match array {
            Array::Velocity => return &state.u[u..u + self.model.dofs()],
            Array::Displacement => &self.columns.displacement,
            Array::Acceleration => &self.columns.acceleration,
            Array::Normal => &self.columns.normal,
            Array::Tangential => &self.columns.tangential,
            Array::Tied => &self.columns.tied,
        };
        &state.q[q + range.start..q + range.end]
    }

    fn history<'a>(&self, state: &'a State) -> &'a [f64] {
        &state.q[self.first[0] + self.columns.history.start..self.first[0] + self.columns.history.end]
    }

    /// Stresses of the present state.
    pub fn look(&mut self, state: &State) -> Result<(), Error> {
        let [q, _] = self.first;
        let u = &state.q[q..q + self.model.dofs()];
        let all = &state.q[q + self.columns.history.start..q + self.columns.history.end];
        let mut first = 0;
        for (part, out) in self.model.parts.iter().zip(&mut self.stress) {
            let history = &all[first..first + part.solid.history_len()];
            first += history.len();
            part.solid
                .fields(&u[part.range()], history, out)
                .map_err(|e| Error::Stress { solid: part.name.clone(), reason: e.to_string() })?;
        }
        if let Some(ties) = &self.ties {
            let forces = &state.q[q + self.columns.tied.start..q + self.columns.tied.end];
            self.multipliers.clear();
            self.multipliers.resize(self.model.dofs(), 0.0);
            ties.densities(&self.model, forces, &mut self.multipliers);
        }
        Ok(())
    }

    /// Adds what is recorded.
    pub fn fields(&self, table: &mut Table<D>) {
        let nodes = self.model.nodes();
        let node = |name: &str, width| Field::new(format!("nodes/{name}"), Kind::F64, width, Extent::Fixed(nodes));
        for &(name, unit, about, array) in self.arrays() {
            let about = match (array, &self.patches) {
                (Array::Displacement, Some(_)) => "displacement; of a patch from where it stood at the start",
                _ => about,
            };
            table.add(node(name, D).with(unit, about), move |l, x| {
                let Some(s) = l.solids else { return };
                x.extend(&s.array(l.state, array)[..D * s.model.nodes()]);
                if let (Array::Displacement, Some(patches)) = (array, &s.patches) {
                    patches.add_shifts(&s.model, x);
                }
            });
        }
        if let Some(patches) = &self.patches {
            let exact = Field::new(EXACT, Kind::F64, D, Extent::Fixed(nodes));
            table.add(exact.with("m", "displacement of the material"), |l, x| {
                x.extend(l.solids.map_or(&[][..], |s| &s.array(l.state, Array::Displacement)[..D * s.model.nodes()]));
            });
            patches.fields(table);
        }
        let beams = self.model.dofs() - D * nodes;
        let rotation = Field::new("restart/rotation", Kind::F64, self.arrays().len(), Extent::Fixed(beams));
        table.add(rotation.with("rad", "rotations of beams: the arrays of the nodes, one number of each"), |l, x| {
            let Some(s) = l.solids else { return };
            for dof in D * s.model.nodes()..s.model.dofs() {
                x.extend(s.arrays().iter().map(|a| s.array(l.state, a.3)[dof]));
            }
        });
        let history = Field::new("restart/history", Kind::F64, 1, Extent::Fixed(self.columns.history.len()));
        table.add(history.with("1", "internal variables"), |l, x| {
            x.extend(l.solids.map_or(&[][..], |s| s.history(l.state)));
        });
        if !self.columns.cycle.is_empty() {
            let cycle = Field::new("restart/cycle", Kind::F64, 1, Extent::Fixed(self.columns.cycle.len()));
            table.add(cycle.with("1", "where long steps began"), |l, x| {
                let Some(s) = l.solids else { return };
                x.extend(&l.state.q[s.first[0] + s.columns.cycle.start..s.first[0] + s.columns.cycle.end]);
            });
        }
        self.stresses(table);
        self.shares(table);
        self.loops(table);
        self.observed(table);
    }

    fn stresses(&self, table: &mut Table<D>) {
        let nodes = self.model.nodes();
        let node = |name: &str, width| Field::new(format!("nodes/{name}"), Kind::F64, width, Extent::Fixed(nodes));
        let tensor = "xx, yy, zz, xy, yz, zx";
        // Beams have no stresses of their own: their nodes follow with zeros.
        let mut stress = |field: Field, of: fn(&CellFields, &mut Vec<f64>)| {
            let width = field.width;
            table.add(field, move |l, x| {
                let Some(s) = l.solids else { return };
                s.stress.iter().for_each(|c| of(c, x));
                x.resize(width * s.model.nodes(), 0.0);
            });
        };
        stress(node("stress", 6).with("Pa", format!("Cauchy stress: {tensor}")), |c, x| {
            x.extend(c.nodal_stress.iter().flatten());
        });
        stress(node("strain", 6).with("1", format!("strain, Green's in finite strain: {tensor}")), |c, x| {
            x.extend(c.nodal_strain.iter().flatten());
        });
        stress(node("von_mises", 1).with("Pa", "von Mises stress"), |c, x| x.extend(&c.nodal_von_mises));
        stress(node("plastic_strain", 1).with("1", "accumulated plastic strain"), |c, x| {
            x.extend(&c.nodal_plastic_strain);
        });
    }

    /// Of superposed models: what each keeps of its energy, and what glues them.
    fn shares(&self, table: &mut Table<D>) {
        let nodes = self.model.nodes();
        let node = |name: &str, width| Field::new(format!("nodes/{name}"), Kind::F64, width, Extent::Fixed(nodes));
        if !self.weights.is_empty() {
            let about = "share of the strain energy that the model keeps, mean of the cells";
            table.add(node("weight", 1).with("1", about), |l, x| x.extend(l.solids.map_or(&[][..], |s| &s.weights)));
        }
        if self.ties.is_some() {
            let about = "multipliers of superpositions at the nodes of their mediators, per volume";
            table.add(node("multiplier", D).with("N/m3", about), |l, x| {
                x.extend(l.solids.map_or(&[][..], |s| &s.multipliers[..D * s.model.nodes()]));
            });
        }
    }

    fn loops(&self, table: &mut Table<D>) {
        table.number(("energy/strain", "J", "elastic energy of solids"), |l| l.totals.energy.strain);
        table.number(("step/balance", "1", "relative residual of the balance in the last step"), |l| l.report.balance);
        table.number(("step/newton", "1", "Newton iterations of the last step"), |l| {
            (l.report.newton + l.report.loops.newton) as f64
        });
        table.number(("step/statuses", "1", "sets of statuses tried in the last step"), |l| {
            l.report.loops.statuses as f64
        });
        table.number(("step/thresholds", "1", "friction thresholds tried in the last step"), |l| {
            l.report.loops.thresholds as f64
        });
        table.number(("step/pairings", "1", "pairings of surfaces in the last step"), |l| {
            l.report.loops.pairings as f64
        });
        table.number(("step/closed", "1", "points of surfaces in contact"), |l| {
            l.points.iter().filter(|p| p.status as u8 > 0).count() as f64
        });
        table.number(("step/sliding", "1", "points of surfaces that slide under friction"), |l| {
            let slides = |p: &&PointView<D>| p.status as u8 == 2 && p.stress.iter().skip(1).any(|s| *s != 0.0);
            l.points.iter().filter(slides).count() as f64
        });
        table.number(("step/approach", "m/s", "largest relative normal velocity at surfaces in contact"), |l| {
            l.report.approach
        });
    }

    fn observed(&self, table: &mut Table<D>) {
        let scalar = |name: String, width| Field::new(name, Kind::F64, width, Extent::Scalar);
        for (i, pair) in self.model.contacts.iter().enumerate() {
            let i = i as u32;
            let field = |what: &str, width| scalar(format!("contact/{}/{what}", path(&pair.name)), width);
            table.add(field("normal_force", 1).with("N", "sum of pressure times area"), move |l, x| {
                x.push(l.points.iter().filter(|p| p.pair == i).map(|p| p.stress[0] * p.area).fold(0.0, |a, b| a + b));
            });
            table.add(
                field("tangential_force", D).with("N", "sum of the friction forces on the slave"),
                move |l, x| {
                    let mut sum = delassus_contact::Vector::<D>::zeros();
                    for p in l.points.iter().filter(|p| p.pair == i) {
                        let mut stress = p.stress;
                        stress[0] = 0.0;
                        sum += p.frame * stress * p.area;
                    }
                    x.extend(sum.iter());
                },
            );
            table.add(field("highest_pressure", 1).with("Pa", "highest contact pressure"), move |l, x| {
                x.push(l.points.iter().filter(|p| p.pair == i).map(|p| p.stress[0]).fold(0.0, f64::max));
            });
            if self.model.laws.get(&pair.name).is_some_and(|law| law.stores()) {
                let force = move |l: &Look<'_, D>, of: fn(&PointView<D>) -> f64| {
                    l.points.iter().filter(|p| p.pair == i).map(|p| of(p) * p.area).fold(0.0, |a, b| a + b)
                };
                let asperities = field("asperity_force", 1).with("N", "share of the asperities in the normal force");
                table.add(asperities, move |l, x| x.push(force(l, |p| p.asperities)));
                let substrate = field("substrate_force", 1).with("N", "share of the substrate in the normal force");
                table.add(substrate, move |l, x| x.push(force(l, |p| p.stress[0] - p.asperities)));
            }
            table.add(field("closed", 1).with("1", "contact points that are closed"), move |l, x| {
                x.push(l.points.iter().filter(|p| p.pair == i && p.status as u8 > 0).count() as f64);
            });
        }
        for (i, probe) in self.probes.iter().enumerate() {
            let field = |what: &str, width| scalar(format!("probes/{}/{what}", path(&probe.name)), width);
            let means = [
                (field("displacement", D).with("m", "mean displacement of the observed nodes"), Array::Displacement),
                (field("velocity", D).with("m/s", "their mean velocity"), Array::Velocity),
            ];
            for (field, array) in means {
                table.add(field, move |l, x| {
                    let Some(s) = l.solids else { return };
                    let share = 1.0 / s.probes[i].nodes.len().max(1) as f64;
                    let sum = |k: usize| s.sum(i, s.array(l.state, array), k);
                    x.extend((0..D).map(|k| share * sum(k)));
                });
            }
            table.add(field("contact_force", D).with("N", "sum of the contact forces on them"), move |l, x| {
                let Some(s) = l.solids else { return };
                let of = |array, k| s.sum(i, s.array(l.state, array), k);
                x.extend((0..D).map(|k| of(Array::Normal, k) + of(Array::Tangential, k)));
            });
            table.add(field("von_mises", 1).with("Pa", "their mean von Mises stress"), move |l, x| {
                x.extend(l.solids.map(|s| s.mean(i, |c| &c.nodal_von_mises)));
            });
            table.add(field("plastic_strain", 1).with("1", "their mean plastic strain"), move |l, x| {
                x.extend(l.solids.map(|s| s.mean(i, |c| &c.nodal_plastic_strain)));
            });
        }
    }

    fn sum(&self, probe: usize, array: &[f64], k: usize) -> f64 {
        self.probes[probe].nodes.iter().map(|n| array[D * *n as usize + k]).sum()
    }

    /// Mean over the nodes of a probe of a nodal field of the parts.
    fn mean(&self, probe: usize, of: impl Fn(&CellFields) -> &Vec<f64>) -> f64 {
        let nodes = &self.probes[probe].nodes;
        let value = |n: usize| {
            let part = self.model.parts.iter().position(|p| p.range().contains(&(D * n)));
            part.map_or(0.0, |p| of(&self.stress[p])[n - self.model.parts[p].range().start / D])
        };
        nodes.iter().map(|n| value(*n as usize)).sum::<f64>() / nodes.len().max(1) as f64
    }

    /// Meshes at rest, then beams as lines of two nodes.
    pub fn geometry(&self) -> impl Iterator<Item = BodyGeometry> + '_ {
        let places = self.model.positions();
        let wide = move |n: usize| std::array::from_fn(|k| if k < D { places[D * n + k] } else { 0.0 });
        let parts = self.model.parts.len();
        let beams = self.model.beams.iter().enumerate().map(move |(i, beam)| BodyGeometry {
            name: beam.name.as_str().into(),
            body: self.body + (parts + i) as u32,
            material: self.materials.get(parts + i).map_or("", String::as_str).into(),
            outline: Arc::new(Outline {
                points: (beam.first..beam.first + beam.count).map(&wide).collect(),
                polygons: (1..beam.count as u32).map(|n| vec![n - 1, n]).collect(),
            }),
            scale: 1.0,
        });
        let meshes = self.model.parts.iter().enumerate().map(move |(i, part)| BodyGeometry {
            name: part.name.as_str().into(),
            body: self.body + i as u32,
            material: self.materials.get(i).map_or("", String::as_str).into(),
            outline: Arc::new(Outline {
                points: part.mesh.points.clone(),
                polygons: (0..part.solid.cells()).map(|c| part.solid.connectivity(c).to_vec()).collect(),
            }),
            scale: 1.0,
        });
        meshes.chain(beams)
    }

    /// Appends the solids of a frame to the state of the bodies.
    pub fn read(&mut self, run: &Run, frame: usize, state: &mut State) -> Result<(), Error> {
        let numbers = |name: &str, count: usize| -> Result<Vec<f64>, Error> {
            let column = run.read(frame, name)?;
            let found = column.f64().filter(|x| x.len() == count).map(<[f64]>::to_vec);
            found.ok_or_else(|| Error::Frame { frame, reason: format!("'{name}' does not hold {count} numbers") })
        };
        let (moving, dofs) = (D * self.model.nodes(), self.model.dofs());
        let all = self.arrays();
        let rotation = numbers("restart/rotation", all.len() * (dofs - moving))?;
        let mut arrays = vec![];
        for (k, (name, ..)) in all.iter().enumerate() {
            let exact = k == 0 && self.patches.is_some();
            let mut array = numbers(&if exact { EXACT.to_owned() } else { format!("nodes/{name}") }, moving)?;
            array.extend(rotation.iter().skip(k).step_by(all.len()));
            arrays.push(array);
        }
        let history = numbers("restart/history", self.columns.history.len())?;
        // As the columns of the state stand: displacement, history, acceleration, forces.
        state.q.extend(&arrays[0]);
        state.q.extend(history);
        arrays[2..].iter().for_each(|a| state.q.extend(a));
        if !self.columns.cycle.is_empty() {
            state.q.extend(numbers("restart/cycle", self.columns.cycle.len())?);
        }
        state.u.extend(&arrays[1]);
        match &mut self.patches {
            Some(patches) => patches.read(&numbers),
            None => Ok(()),
        }
    }
}

/// Mean share of the strain energy of the cells at each node; none where nothing is shared.
fn weights(model: &Model) -> Vec<f64> {
    if model.parts.iter().all(|p| p.solid.factors().is_none()) {
        return vec![];
    }
    let mut weights = vec![1.0; model.nodes()];
    for part in &model.parts {
        let own = &mut weights[part.first..][..part.mesh.points.len()];
        let mut count = vec![0.0; own.len()];
        own.fill(0.0);
        for cell in 0..part.solid.cells() {
            for n in part.solid.connectivity(cell) {
                own[*n as usize] += part.solid.share(cell);
                count[*n as usize] += 1.0;
            }
        }
        own.iter_mut().zip(count).for_each(|(w, c)| *w = if c > 0.0 { *w / c } else { 1.0 });
    }
    weights
}
