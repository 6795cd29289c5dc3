//! Materials by index, and the table of laws between them.

use super::skin::Skin;
use crate::description::{self as says, FrameOf, Law, Material};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_dynamics::{Adhesion, Asperities, Friction, Interaction, Interactions, Polygon, Release};
use delassus_friction::laws::Section;
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
    // Of two bodies of one material, nothing says which carries the axis.
    for (i, law) in laws.iter().enumerate().filter(|(_, l)| l.polygon.is_some() || l.directional.is_some()) {
        if law.between.as_ref().is_none_or(|b| b.first() == b.last()) {
            let what =
                "a law with `polygon` or `directional` is `between` two materials: its axis is in the bodies of one";
            scene.error(diagnostics, &path_of(i), Problem::Inconsistent { what: what.into() });
        }
    }
    for (i, law) in laws.iter().enumerate().filter(|(_, l)| l.between.is_none()) {
        if let Some(first) = laws[..i].iter().position(|l| l.between.is_none()) {
            let what = format!("laws {first} and {i} are both for every pair: give `between` to one of them");
            scene.error(diagnostics, &path_of(i), Problem::Inconsistent { what });
        }
        match interaction(law, scene.description.dimension.number()) {
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
        match interaction(law, scene.description.dimension.number()) {
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
pub(crate) fn interaction(law: &Law, dimension: usize) -> Result<(Interaction, FrameOf), Problem> {
    consistent(law, dimension)?;
    let mu = law.friction;
    let resisting = |mu: f64| match (law.rolling > 0.0, law.torsional > 0.0) {
        (true, true) => Friction::RollingTorsional { mu, mu_r: law.rolling, mu_s: law.torsional },
        (true, false) => Friction::Rolling { mu, mu_r: law.rolling },
        (false, true) => Friction::Torsional { mu, mu_s: law.torsional },
        (false, false) => Friction::Coulomb { mu },
    };
    let mut frame = FrameOf::First;
    let (friction, rest) = if law.bilateral {
        (Friction::Bilateral, None)
    } else if let Some(threshold) = law.tresca {
        (Friction::Tresca { threshold }, None)
    } else if let Some(a) = &law.anisotropic {
        frame = a.frame;
        let axis = direction(&a.axis, dimension)?;
        let of = |along, across| Friction::Elliptic { mu: [along, across], axis };
        let at_rest = a.static_along.is_some() || a.static_across.is_some();
        let rest = of(a.static_along.unwrap_or(a.along), a.static_across.unwrap_or(a.across));
        (of(a.along, a.across), at_rest.then_some(rest))
    } else if let Some(d) = &law.directional {
        frame = d.frame;
        let axis = direction(&d.axis, dimension)?;
        let of = |forwards, backwards| Friction::Directional { mu: [forwards, backwards], axis };
        let at_rest = d.static_forwards.is_some() || d.static_backwards.is_some();
        let rest = of(d.static_forwards.unwrap_or(d.forwards), d.static_backwards.unwrap_or(d.backwards));
        (of(d.forwards, d.backwards), at_rest.then_some(rest))
    } else if let Some(p) = &law.polygon {
        frame = p.frame;
        let axis = direction(&p.axis, dimension)?;
        let of = |vertices: &[Vec<f64>]| Ok(Friction::Polyhedral { section: section(vertices)?, axis });
        (of(&p.vertices)?, p.static_vertices.as_deref().map(of).transpose()?)
    } else {
        (resisting(mu), law.static_friction.map(resisting))
    };
    let mut made = Interaction::new(friction).with_restitution(law.restitution, law.tangential_restitution);
    if let Some(rest) = rest {
        made = made.with_friction_at_rest(rest, law.rest_speed.unwrap_or(1e-6));
    }
    made.cohesion = law.cohesion;
    made.adhesion = law.adhesion.as_ref().map(|a| Adhesion {
        normal_stiffness: a.normal_stiffness,
        tangential_stiffness: a.tangential_stiffness,
        energy: a.energy,
        viscosity: a.viscosity,
        intensity: a.intensity,
        rebond: a.rebond,
    });
    made.asperities = law.asperities.as_ref().map(asperities);
    Ok((made, frame))
}

/// A layer of asperities.
pub(crate) fn asperities(says: &says::Asperities) -> Asperities {
    Asperities {
        size: says.size,
        stiffness: says.stiffness,
        exponent: says.exponent,
        damping: says.damping,
        damping_exponent: says.damping_exponent,
        release: match says.release {
            says::Release::Elastic => Release::Elastic,
            says::Release::Plastic => Release::Plastic,
        },
    }
}

/// That the keys of a law go together.
fn consistent(law: &Law, dimension: usize) -> Result<(), Problem> {
    let refuse = |what: String| Err(Problem::Inconsistent { what });
    let cones = [
        ("tresca", law.tresca.is_some()),
        ("anisotropic", law.anisotropic.is_some()),
        ("polygon", law.polygon.is_some()),
        ("directional", law.directional.is_some()),
        ("bilateral", law.bilateral),
    ];
    let beside = [
        ("static_friction", law.static_friction.is_some()),
        ("rolling", law.rolling > 0.0),
        ("torsional", law.torsional > 0.0),
        ("friction", law.friction > 0.0),
    ];
    let given = |list: &[(&'static str, bool)]| -> Vec<&'static str> {
        list.iter().filter(|s| s.1).map(|s| s.0).collect::<Vec<_>>()
    };
    let (cones, beside) = (given(&cones), given(&beside));
    if cones.len() > 1 || (cones.len() == 1 && !beside.is_empty()) {
        let all: Vec<&str> = cones.iter().chain(&beside).copied().collect();
        let cure = match cones[0] {
            "tresca" | "bilateral" => "",
            _ => "; coefficients at rest are keys of its table",
        };
        return refuse(format!("a law can have only one of {}{cure}", all.join(", ")));
    }
    let spatial = [
        ("torsional", law.torsional > 0.0),
        ("anisotropic", law.anisotropic.is_some()),
        ("polygon", law.polygon.is_some()),
    ];
    if let (2, Some((key, _))) = (dimension, spatial.iter().find(|s| s.1)) {
        let instead = if *key == "torsional" { "" } else { ": `directional` gives a coefficient each way" };
        return refuse(format!("`{key}` has no meaning in the plane{instead}"));
    }
    if dimension == 3 && law.directional.is_some() {
        return refuse("`directional` is for the plane: in space give a `polygon`".into());
    }
    Ok(())
}

/// A direction, as many numbers as space has axes.
fn direction(axis: &[f64], dimension: usize) -> Result<[f64; 3], Problem> {
    if axis.len() != dimension {
        let expected = format!("{dimension} items");
        return Err(Problem::WrongLength { key: "axis".into(), expected, found: axis.len() });
    }
    Ok(std::array::from_fn(|k| axis.get(k).copied().unwrap_or(0.0)))
}

/// A polygon of friction.
fn section(vertices: &[Vec<f64>]) -> Result<Polygon, Problem> {
    let mut corners = vec![];
    for corner in vertices {
        let pair: [f64; 2] = corner.as_slice().try_into().map_err(|_| Problem::WrongLength {
            key: "vertices".into(),
            expected: "2 items in each".into(),
            found: corner.len(),
        })?;
        corners.push(pair);
    }
    Ok(Section::new(corners).map_err(|e| Problem::Model { message: e.to_string() })?.into())
}
