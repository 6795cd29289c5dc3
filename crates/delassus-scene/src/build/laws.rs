//! Materials by index, and the table of laws between them.

use super::skin::Skin;
use crate::description::{FrameOf, Law, Material};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_dynamics::{Adhesion, Friction, Interaction, Interactions};
use std::collections::BTreeMap;

/// Materials in the order of the file.
pub(crate) struct Materials {
    /// Names.
    pub names: Vec<String>,
    /// What each says.
    pub items: Vec<Material>,
    /// Which ones a body has asked for.
    pub used: Vec<bool>,
    index: BTreeMap<String, u16>,
}

impl Materials {
    /// Those of the scene, or one of density 1000 when it declares none.
    pub fn new(scene: &Scene, diagnostics: &mut Diagnostics) -> Self {
        let mut materials = Self { names: vec![], items: vec![], used: vec![], index: BTreeMap::new() };
        for (i, (key, item)) in scene.description.material.items.iter().enumerate() {
            let path = Path::of(&["material"]).at(key.clone().unwrap_or_else(|| i.to_string()));
            let Some(name) = key.clone().or_else(|| item.name.clone()) else {
                let problem = Problem::MissingKey { parent: path.to_string(), key: "name".into() };
                scene.error(diagnostics, &path, problem);
                continue;
            };
            if materials.index.contains_key(&name) {
                scene.error(diagnostics, &path, Problem::DuplicateName { kind: "materials", name });
                continue;
            }
            materials.add(name, item.clone());
        }
        if materials.names.is_empty() {
            materials.add("default".to_owned(), Material::default());
            materials.used[0] = true;
        }
        if materials.names.len() > usize::from(u16::MAX) {
            let what = format!("{} materials are more than the {} accepted", materials.names.len(), u16::MAX);
            scene.error(diagnostics, &Path::of(&["material"]), Problem::Inconsistent { what });
        }
        materials
    }

    fn add(&mut self, name: String, item: Material) {
        self.index.insert(name.clone(), self.names.len() as u16);
        self.names.push(name);
        self.items.push(item);
        self.used.push(false);
    }

    /// The material a body names, or the only one.
    pub fn find(&mut self, name: Option<&str>, body: &str) -> Result<u16, Problem> {
        let found = match name {
            Some(name) => {
                *self.index.get(name).ok_or_else(|| Problem::UnknownName { kind: "material", name: name.to_owned() })?
            }
            None if self.names.len() == 1 => 0,
            None => return Err(Problem::MissingKey { parent: body.to_owned(), key: "material".into() }),
        };
        self.used[usize::from(found)] = true;
        Ok(found)
    }

    /// The material of a law.
    pub fn lookup(&self, name: &str) -> Option<u16> {
        self.index.get(name).copied()
    }
}

/// The table of laws; pairs without one stay empty and are reported when they can meet.
pub(crate) fn table(
    scene: &Scene,
    materials: &Materials,
    thickness: f64,
    diagnostics: &mut Diagnostics,
) -> Interactions {
    let laws = &scene.description.law.0;
    let count = materials.names.len() as u16;
    let mut table = Interactions::new(usize::from(count));
    let mut given: BTreeMap<[u16; 2], usize> = BTreeMap::new();
    let path_of = |i: usize| Path::of(&["law"]).at(i);
    for (i, law) in laws.iter().enumerate().filter(|(_, l)| l.between.is_none()) {
        if let Some(first) = laws[..i].iter().position(|l| l.between.is_none()) {
            let what = format!("laws {first} and {i} are both for every pair: give `between` to one of them");
            scene.error(diagnostics, &path_of(i), Problem::Inconsistent { what });
        }
        match interaction(law, scene) {
            Ok((law, _)) => {
                let law = Skin { law, thickness };
                let pairs = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
                pairs.for_each(|(a, b)| table.set(a, b, law.clone()));
            }
            Err(problem) => drop(scene.error(diagnostics, &path_of(i), problem)),
        }
    }
    for (i, law) in laws.iter().enumerate() {
        let Some(between) = &law.between else { continue };
        let pair: Vec<Option<u16>> = between.iter().map(|n| materials.lookup(n)).collect();
        let [Some(first), Some(second)] = pair[..] else {
            unknown(scene, materials, &path_of(i), between, diagnostics);
            continue;
        };
        if let Some(other) = given.insert([first.min(second), first.max(second)], i) {
            let what = format!("laws {other} and {i} are both between `{}` and `{}`", between[0], between[1]);
            scene.error(diagnostics, &path_of(i), Problem::Inconsistent { what });
        }
        match interaction(law, scene) {
            Ok((law, FrameOf::First)) => table.set(first, second, Skin { law, thickness }),
            Ok((law, FrameOf::Second)) => table.set(second, first, Skin { law, thickness }),
            Err(problem) => drop(scene.error(diagnostics, &path_of(i), problem)),
        }
    }
    let space = scene.description.dimension.number();
    if let Err(e) = table.validate(space, table.components(space)) {
        scene.error(diagnostics, &Path::of(&["law"]), Problem::Model { message: e.to_string() });
    }
    table
}

fn unknown(scene: &Scene, materials: &Materials, path: &Path, between: &[String], diagnostics: &mut Diagnostics) {
    for (k, name) in between.iter().enumerate().filter(|(_, n)| materials.lookup(n).is_none()) {
        let problem = Problem::UnknownName { kind: "material", name: name.clone() };
        scene
            .error(diagnostics, &path.at("between").at(k), problem)
            .accepted(name, materials.names.iter().map(String::as_str));
    }
}

/// One law, and the body whose axes it speaks of.
fn interaction(law: &Law, scene: &Scene) -> Result<(Interaction, FrameOf), Problem> {
    let mu = law.friction;
    let special = [
        ("static_friction", law.static_friction.is_some()),
        ("rolling", law.rolling > 0.0),
        ("torsional", law.torsional > 0.0),
        ("tresca", law.tresca.is_some()),
        ("anisotropic", law.anisotropic.is_some()),
        ("bilateral", law.bilateral),
    ];
    let chosen: Vec<&str> = special.iter().filter(|s| s.1).map(|s| s.0).collect();
    if chosen.len() > 1 {
        let what = format!("a law can have only one of {}", chosen.join(", "));
        return Err(Problem::Inconsistent { what });
    }
    if scene.description.dimension.number() == 2 && (law.torsional > 0.0 || law.anisotropic.is_some()) {
        let what = format!("`{}` has no meaning in the plane", chosen[0]);
        return Err(Problem::Inconsistent { what });
    }
    let mut frame = FrameOf::First;
    let friction = match (&law.anisotropic, law.static_friction, law.tresca) {
        _ if law.bilateral => Friction::Bilateral,
        (Some(a), _, _) => {
            frame = a.frame;
            let axis = a.axis.as_slice().try_into().map_err(|_| Problem::WrongLength {
                key: "axis".into(),
                expected: "3 items".into(),
                found: a.axis.len(),
            })?;
            Friction::Elliptic { mu: [a.along, a.across], axis }
        }
        (_, Some(mu_s), _) => Friction::StaticKinetic { mu_s, mu_k: mu, rest_speed: law.rest_speed.unwrap_or(1e-6) },
        (_, _, Some(threshold)) => Friction::Tresca { threshold },
        _ if law.rolling > 0.0 => Friction::Rolling { mu, mu_r: law.rolling },
        _ if law.torsional > 0.0 => Friction::Torsional { mu, mu_s: law.torsional },
        _ => Friction::Coulomb { mu },
    };
    let mut made = Interaction::new(friction).with_restitution(law.restitution, law.tangential_restitution);
    made.cohesion = law.cohesion;
    made.adhesion = law.adhesion.as_ref().map(|a| Adhesion {
        normal_stiffness: a.normal_stiffness,
        tangential_stiffness: a.tangential_stiffness,
        energy: a.energy,
        viscosity: a.viscosity,
        intensity: a.intensity,
        rebond: a.rebond,
    });
    Ok((made, frame))
}
