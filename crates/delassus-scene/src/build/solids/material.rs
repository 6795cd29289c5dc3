//! Materials of deformable solids.

use super::super::forces::Fault;
use super::inconsistent;
use crate::description::{self as says, Behaviour, Strains};
use crate::diagnostic::Problem;
use delassus_fem::material::{Hardening, J2, Kinematics, Material};

/// The law of a material; a key that does not belong to it is refused.
pub(crate) fn law(name: &str, says: &says::Material) -> Result<Material, Fault> {
    let missing = |key: &str| ("young", Problem::MissingKey { parent: format!("material.{name}"), key: key.into() });
    let young = says.young.ok_or_else(|| missing("young"))?;
    let poisson = says.poisson.unwrap_or(0.0);
    let behaviour = says.behaviour.unwrap_or(Behaviour::Elastic);
    if behaviour != Behaviour::Plastic {
        let plastic = [
            ("yield_stress", says.yield_stress.is_some()),
            ("hardening", says.hardening.is_some()),
            ("tangent", says.tangent.is_some()),
            ("hardening_table", says.hardening_table.is_some()),
            ("kinematic_hardening", says.kinematic_hardening.is_some()),
        ];
        if let Some((key, _)) = plastic.into_iter().find(|(_, given)| *given) {
            let what = format!("`{key}` is for plastic materials: give `behaviour = \"plastic\"` to `{name}`");
            return Err((key, inconsistent(what)));
        }
    }
    let material = match behaviour {
        Behaviour::Elastic => Material::Elastic { young, poisson },
        Behaviour::StVenantKirchhoff => Material::StVenantKirchhoff { young, poisson },
        Behaviour::NeoHookean => Material::NeoHookean { young, poisson },
        Behaviour::Plastic => Material::J2(J2 {
            young,
            poisson,
            yield_stress: says.yield_stress.ok_or_else(|| missing("yield_stress"))?,
            isotropic: hardening(says, young)?,
            kinematic: says.kinematic_hardening.unwrap_or(0.0),
        }),
    };
    material.validate().map_err(|e| ("young", inconsistent(format!("the material `{name}`: {e}"))))?;
    Ok(material)
}

fn hardening(says: &says::Material, young: f64) -> Result<Hardening, Fault> {
    match (says.hardening, says.tangent, &says.hardening_table) {
        (modulus, None, None) => Ok(Hardening::Linear { modulus: modulus.unwrap_or(0.0) }),
        (None, Some(tangent), None) => {
            Hardening::from_tangent(young, tangent).map_err(|e| ("tangent", inconsistent(e.to_string())))
        }
        (None, None, Some(table)) => Ok(Hardening::Table(table.iter().map(|p| (p[0], p[1])).collect())),
        _ => {
            let what = "a plastic material has one of `hardening`, `tangent` and `hardening_table`";
            Err(("behaviour", inconsistent(what)))
        }
    }
}

/// The kinematics asked for, or what the material is made for.
pub(crate) fn kinematics(material: &Material, asked: Option<Strains>) -> Kinematics {
    match (asked, material) {
        (Some(Strains::Small), _) => Kinematics::Small,
        (Some(Strains::Finite), _) => Kinematics::Finite,
        (None, Material::StVenantKirchhoff { .. } | Material::NeoHookean { .. }) => Kinematics::Finite,
        (None, _) => Kinematics::Small,
    }
}
