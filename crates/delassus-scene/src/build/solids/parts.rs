//! Solids and beams: a mesh in its place or a line, a material, elements.

use super::super::forces::{Fault, each};
use super::super::place::Turns;
use super::patch::{Patch, Superposed};
use super::{arlequin, beams, inconsistent, material, mesh, report, spatial};
use crate::description::{self as says, Axis, Hypothesis, Locking};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_contact::Dim;
use delassus_fem::Model;
use delassus_fem::material::Material;
use delassus_fem::mesh::Mesh;
use delassus_fem::model::PartSpec;
use delassus_fem::solid::{self, SolidSpec};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The model so far.
pub(crate) struct Made {
    /// The model.
    pub model: Model,
    /// Names of the materials of the parts.
    pub materials: Vec<String>,
    /// Whether the skins of the parts may touch themselves.
    pub itself: Vec<bool>,
    /// Superpositions, in the order in which they are made.
    pub superposed: Vec<Superposed>,
    /// Those whose fine model moves or appears.
    pub patches: Vec<Patch>,
}

/// Items of a table by name, with whether one was asked for.
struct Shelf<T> {
    kind: &'static str,
    items: BTreeMap<String, Option<T>>,
    used: BTreeMap<String, bool>,
}

impl<T> Shelf<T> {
    fn new(kind: &'static str) -> Self {
        Self { kind, items: BTreeMap::new(), used: BTreeMap::new() }
    }

    /// The item asked for, or the only one; `None` if it is faulty itself.
    fn take(&mut self, asked: Option<&String>, owner: &str) -> Result<(String, Option<&T>), Problem> {
        let name = match asked {
            Some(name) if self.items.contains_key(name) => name.clone(),
            Some(name) => return Err(Problem::UnknownName { kind: self.kind, name: name.clone() }),
            None if self.items.len() == 1 => self.items.keys().next().cloned().unwrap_or_default(),
            None => return Err(Problem::MissingKey { parent: owner.to_owned(), key: self.kind.into() }),
        };
        self.used.insert(name.clone(), true);
        let item = self.items.get(&name).and_then(Option::as_ref);
        Ok((name, item))
    }

    fn names(&self) -> Vec<String> {
        self.items.keys().cloned().collect()
    }

    fn warn_of_unused(&self, scene: &Scene, diagnostics: &mut Diagnostics) {
        for name in self.names().into_iter().filter(|n| !self.used.contains_key(n)) {
            let path = Path::of(&[self.kind]).at(&name);
            scene.warning(diagnostics, &path, Problem::Unused { kind: self.kind, name });
        }
    }
}

/// All parts; faulty ones are reported and left out.
pub(crate) fn parts<const D: usize>(scene: &Scene, diagnostics: &mut Diagnostics) -> Made {
    let description = &scene.description;
    let mut shelves = Shelves { meshes: Shelf::new("mesh"), materials: Shelf::new("material") };
    for (path, name, described) in each("mesh", &description.mesh) {
        let made = mesh::mesh(scene, &name, described).map_err(|f| report(scene, &path, f, diagnostics)).ok();
        shelves.meshes.items.insert(name, made);
    }
    let solids = description.solid.items.iter().filter_map(|(_, s)| s.material.as_deref());
    let asked: Vec<&str> =
        solids.chain(description.beam.items.iter().filter_map(|(_, b)| b.material.as_deref())).collect();
    for (path, name, described) in each("material", &description.material) {
        // Materials of rigid bodies alone need no elasticity.
        if scene.has_bodies() && !asked.contains(&name.as_str()) && description.material.items.len() > 1 {
            continue;
        }
        let law = material::law(&name, described).map_err(|f| report(scene, &path, f, diagnostics)).ok();
        shelves.materials.items.insert(name, law.map(|law| Substance { law, density: described.density }));
    }
    let dimension = description.dimension.number();
    let mut made =
        Made { model: Model::new(dimension), materials: vec![], itself: vec![], superposed: vec![], patches: vec![] };
    made.model.gravity = match &description.gravity {
        Some(g) => spatial("gravity", g, dimension).unwrap_or_else(|f| {
            report(scene, &Path::default(), f, diagnostics);
            [0.0; 3]
        }),
        None => std::array::from_fn(|k| if k + 1 == dimension { -9.81 } else { 0.0 }),
    };
    let mut names = vec![];
    let mut placed = BTreeMap::new();
    for (path, name, solid) in each("solid", &description.solid) {
        match placed_mesh(solid, &name, &mut shelves, dimension) {
            Ok(mesh) => drop(mesh.map(|mesh| placed.insert(name, mesh))),
            Err(fault) => refuse(scene, &path, fault, (&shelves, diagnostics)),
        }
    }
    arlequin::substitute::<D>(scene, &mut placed, diagnostics);
    for (path, name, solid) in each("solid", &description.solid) {
        // A faulty mesh has been reported already.
        let Some(mesh) = placed.remove(&name) else { continue };
        let added = named(&name, &mut names).and_then(|()| part(scene, (solid, mesh), &name, &mut shelves, &mut made));
        added.unwrap_or_else(|fault| refuse(scene, &path, fault, (&shelves, diagnostics)));
    }
    // After the solids: fields of cells end where beams begin.
    for (path, name, beam) in each("beam", &description.beam) {
        let added = named(&name, &mut names).and_then(|()| self::beam(scene, beam, &name, (&mut shelves, &mut made)));
        added.unwrap_or_else(|fault| refuse(scene, &path, fault, (&shelves, diagnostics)));
    }
    for (_, _, contact) in each("contact", &description.contact) {
        let mesh = contact.interface.as_deref().and_then(|text| text.split_once('/'));
        mesh.map(|(name, _)| shelves.meshes.used.insert(name.to_owned(), true));
    }
    shelves.meshes.warn_of_unused(scene, diagnostics);
    if !scene.has_bodies() {
        shelves.materials.warn_of_unused(scene, diagnostics);
    }
    made
}

/// A name that no other solid or beam has.
fn named(name: &str, names: &mut Vec<String>) -> Result<(), Fault> {
    if names.iter().any(|n| n == name) {
        return Err(("", Problem::DuplicateName { kind: "solids or beams", name: name.to_owned() }));
    }
    if name.contains('/') {
        let what = format!("the name `{name}` has a `/`, which parts a solid from its groups");
        return Err(("", inconsistent(what)));
    }
    names.push(name.to_owned());
    Ok(())
}

/// Reports a fault of a solid or a beam, with the meshes or materials there are.
fn refuse(scene: &Scene, path: &Path, (key, problem): Fault, (shelves, diagnostics): (&Shelves, &mut Diagnostics)) {
    let known = match key {
        "mesh" => shelves.meshes.names(),
        "material" => shelves.materials.names(),
        _ => vec![],
    };
    let found = match &problem {
        Problem::UnknownName { name, .. } => Some(name.clone()),
        Problem::MissingKey { .. } => Some(String::new()),
        _ => None,
    };
    let path = if key.is_empty() { path.clone() } else { path.at(key) };
    let diagnostic = scene.error(diagnostics, &path, problem);
    if let Some(found) = found {
        diagnostic.accepted(&found, known.iter().map(String::as_str));
    }
}

/// What a solid is made of.
pub(super) struct Substance {
    /// Its law.
    pub law: Material,
    /// \[kg/m³\]
    pub density: f64,
}

/// What solids are made from.
struct Shelves {
    meshes: Shelf<Mesh>,
    materials: Shelf<Substance>,
}

/// The mesh of a solid in its place; none if it is faulty itself.
fn placed_mesh(
    solid: &says::Solid,
    name: &str,
    shelves: &mut Shelves,
    dimension: usize,
) -> Result<Option<Mesh>, Fault> {
    let (_, mesh) = shelves.meshes.take(solid.mesh.as_ref(), &format!("solid.{name}")).map_err(|p| ("mesh", p))?;
    let Some(mut mesh) = mesh.cloned() else { return Ok(None) };
    place(&mut mesh, solid, dimension)?;
    Ok(Some(mesh))
}

fn part(
    scene: &Scene,
    (solid, mesh): (&says::Solid, Mesh),
    name: &str,
    shelves: &mut Shelves,
    made: &mut Made,
) -> Result<(), Fault> {
    let owner = format!("solid.{name}");
    let (name_of_material, substance) =
        shelves.materials.take(solid.material.as_ref(), &owner).map_err(|p| ("material", p))?;
    // A faulty material has been reported already.
    let Some(Substance { law, density }) = substance else { return Ok(()) };
    let dimension = made.model.dim;
    let kinematics = material::kinematics(law, solid.kinematics);
    let mut elements = SolidSpec::new(law.clone(), *density, kinematics, hypothesis(solid, dimension)?);
    elements.kelvin_voigt = solid.viscosity;
    if let Some(locking) = solid.locking {
        elements.locking = match locking {
            Locking::None => solid::Locking::None,
            Locking::BBar => solid::Locking::Bbar,
            Locking::FBar => solid::Locking::Fbar,
        };
    }
    let spec = PartSpec {
        name: name.to_owned(),
        mesh: Arc::new(mesh),
        solid: elements,
        velocity: solid.velocity.as_ref().map_or(Ok([0.0; 3]), |v| spatial("velocity", v, dimension))?,
        rayleigh: solid.rayleigh.as_ref().map_or([0.0; 2], |r| [r[0], r[1]]),
    };
    let spin = spin(solid, dimension)?;
    let part = made.model.add(spec).map_err(|e| ("mesh", Problem::Model { message: e.to_string() }))?;
    made.model.spin(part, spin).map_err(|e| ("spin", Problem::Model { message: e.to_string() }))?;
    let first = made.model.parts[part].first;
    arlequin::start(scene, &mut made.model, first, solid.start.as_ref())?;
    made.materials.push(name_of_material);
    made.itself.push(solid.self_contact);
    Ok(())
}

/// The angular velocity at the start.
fn spin(solid: &says::Solid, dimension: usize) -> Result<[f64; 3], Fault> {
    if solid.spin.is_some() && matches!(solid.hypothesis, Some(says::Hypothesis::Axisymmetric)) {
        return Err(("spin", inconsistent("a body of revolution of the plane does not turn".to_owned())));
    }
    let spin = solid.spin.as_ref();
    let made = match dimension {
        2 => <Dim<2> as Turns<2>>::spin(spin),
        _ => <Dim<3> as Turns<3>>::spin(spin),
    };
    made.map(Into::into).map_err(|p| ("spin", p))
}

fn beam(scene: &Scene, beam: &says::Beam, name: &str, (shelves, made): (&mut Shelves, &mut Made)) -> Result<(), Fault> {
    let owner = format!("beam.{name}");
    let (_, substance) = shelves.materials.take(beam.material.as_ref(), &owner).map_err(|p| ("material", p))?;
    // A faulty material has been reported already.
    let Some(substance) = substance else { return Ok(()) };
    let spec = beams::spec(beam, name, substance, made.model.dim)?;
    let refused = |e: delassus_fem::model::ModelError| ("section", Problem::Model { message: e.to_string() });
    let first = made.model.nodes();
    made.model.add_beam(&spec).map_err(refused)?;
    arlequin::start(scene, &mut made.model, first, beam.start.as_ref())
}

/// Mirrors, turns and moves the mesh.
pub(super) fn place(mesh: &mut Mesh, solid: &says::Solid, dimension: usize) -> Result<(), Fault> {
    let fault = |key: &'static str| move |e: delassus_fem::mesh::MeshError| (key, inconsistent(e.to_string()));
    if let Some(axis) = solid.mirror {
        if axis as usize >= dimension {
            return Err(("mirror", inconsistent("there is no axis z in the plane")));
        }
        let mut normal = [0.0; 3];
        normal[axis as usize] = 1.0;
        mesh.mirror([0.0; 3], normal).map_err(fault("mirror"))?;
    }
    match (dimension, solid.angle, solid.rotation.0.is_empty()) {
        (2, _, false) => return Err(("rotation", inconsistent("`rotation` is for space; here it is `angle = …`"))),
        (3, Some(_), _) => {
            let what = "`angle` is for the plane; here it is `rotation = { axis = […], angle = … }`";
            return Err(("angle", inconsistent(what)));
        }
        (2, Some(angle), _) => mesh.rotate([0.0; 3], [0.0, 0.0, 1.0], angle).map_err(fault("angle"))?,
        _ => {}
    }
    for turn in &solid.rotation.0 {
        let axis = spatial("rotation", &turn.axis, dimension)?;
        mesh.rotate([0.0; 3], axis, turn.angle).map_err(fault("rotation"))?;
    }
    if let Some(position) = &solid.position {
        mesh.translate(spatial("position", position, dimension)?);
    }
    Ok(())
}

fn hypothesis(solid: &says::Solid, dimension: usize) -> Result<solid::Hypothesis, Fault> {
    let thickness = solid.thickness;
    if dimension == 3 {
        if solid.hypothesis.is_some() {
            return Err(("hypothesis", inconsistent("a solid in space needs no hypothesis")));
        }
        return Ok(solid::Hypothesis::Space);
    }
    match solid.hypothesis.unwrap_or(Hypothesis::PlaneStrain) {
        Hypothesis::PlaneStrain => Ok(solid::Hypothesis::PlaneStrain { thickness }),
        Hypothesis::PlaneStress => Ok(solid::Hypothesis::PlaneStress { thickness }),
        Hypothesis::Axisymmetric if thickness != 1.0 => {
            Err(("thickness", inconsistent("a body of revolution has no thickness")))
        }
        Hypothesis::Axisymmetric => Ok(solid::Hypothesis::Axisymmetric),
    }
}

/// The axis as an index, if space has it.
pub(super) fn index(axis: Axis, dimension: usize) -> Result<usize, Problem> {
    match (axis as usize) < dimension {
        true => Ok(axis as usize),
        false => Err(inconsistent("there is no axis z in the plane")),
    }
}
