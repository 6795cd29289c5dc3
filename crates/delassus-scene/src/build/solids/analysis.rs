//! Scheme, formalism and loops; what does not go together is said at its key.

use super::super::forces::each;
use super::inconsistent;
use crate::description::{self as says, FormalismName, LinearName, PathName, PredictedName, SchemeName};
use crate::diagnostic::{Diagnostics, Problem};
use crate::scene::Scene;
use crate::tree::Path;
use delassus_fem::subsystem::SettingsError;
use delassus_fem::{self as fem, ContactSettings, Formalism, Loops, Predicted, Scheme, SolidSettings as Settings};

/// The settings; every key that means nothing here is reported.
pub(crate) fn settings(scene: &Scene, diagnostics: &mut Diagnostics) -> Settings {
    let says = scene.description.analysis.clone().unwrap_or_default();
    let at = |key: &str| Path::of(&["analysis"]).at(key);
    for (key, owners) in strangers(&says) {
        let what = format!("`{key}` is for {owners}");
        scene.error(diagnostics, &at(key), inconsistent(what));
    }
    let scheme = scheme(&says);
    if let Err(error) = scheme.validate() {
        scene.error(diagnostics, &at(parameter(says.scheme)), inconsistent(error.to_string()));
    }
    for key in missing(&says) {
        let problem = Problem::MissingKey { parent: "analysis".into(), key: key.into() };
        let formalism = word(&says.formalism);
        scene.error(diagnostics, &at("formalism"), problem).help(format!("the formalism {formalism} needs it"));
    }
    let contact = contact(&says);
    if let Some(why) = contact.disturbs() {
        scene.warning(diagnostics, &at("projected"), inconsistent(why));
    }
    let usual = Settings::default();
    let loops = Loops::default();
    let count = |given: Option<u32>, usual: usize| given.map_or(usual, |n| n as usize);
    Settings {
        step: scene.description.time.step,
        safety: says.safety.unwrap_or(usual.safety),
        scheme,
        contact,
        path: says.path.map(|path| match path {
            PathName::Nested => fem::Path::Nested,
            PathName::Condensed => fem::Path::Condensed,
        }),
        predicted: match says.predicted {
            PredictedName::Free => Predicted::Free,
            PredictedName::Midpoint => Predicted::Midpoint,
        },
        linear: match says.linear {
            LinearName::Direct => fem::Linear::Direct,
            LinearName::Iterative => fem::Linear::Iterative,
        },
        tolerance: says.tolerance.unwrap_or(usual.tolerance),
        loops: Loops {
            pairings: count(says.pairings, loops.pairings),
            thresholds: count(says.thresholds, loops.thresholds),
            statuses: count(says.statuses, loops.statuses),
            newton: count(says.newton, loops.newton),
        },
        cutbacks: count(says.cutbacks, usual.cutbacks),
        ..usual
    }
}

/// The schemes that solids and beams have of their own.
pub(crate) fn own(scene: &Scene, model: &fem::Model, settings: &mut Settings, diagnostics: &mut Diagnostics) {
    let description = &scene.description;
    let solids = each("solid", &description.solid).map(|(path, name, s)| (path, name, s.scheme, s.every));
    let beams = each("beam", &description.beam).map(|(path, name, b)| (path, name, b.scheme, b.every));
    for (path, name, own, every) in solids.chain(beams) {
        let owners = model.parts.iter().map(|p| &p.name).chain(model.beams.iter().map(|b| &b.name));
        // A faulty one has been reported already.
        let Some(owner) = owners.into_iter().position(|n| *n == name) else { continue };
        if let Some(every) = every {
            settings.every.insert(owner, every as usize);
        }
        let Some(own) = own else { continue };
        let says = own.analysis();
        let path = path.at("scheme");
        for (key, owners) in strangers(&says) {
            scene.error(diagnostics, &path.at(key), inconsistent(format!("`{key}` is for {owners}")));
        }
        let scheme = scheme(&says);
        if let Err(error) = scheme.validate() {
            scene.error(diagnostics, &path, inconsistent(error.to_string()));
        }
        settings.schemes.insert(owner, scheme);
    }
    // The same as all is none of its own.
    let main = settings.scheme;
    settings.schemes.retain(|_, s| *s != main);
}

fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_owned()
}

fn scheme(says: &says::Analysis) -> Scheme {
    match says.scheme {
        SchemeName::Theta => Scheme::Theta { theta: says.theta.unwrap_or(1.0) },
        SchemeName::MoreauJean => Scheme::MoreauJean { theta: says.theta.unwrap_or(0.5) },
        SchemeName::EnergyMomentum => Scheme::EnergyMomentum,
        SchemeName::SemiExplicit => Scheme::SemiExplicit { theta: says.theta.unwrap_or(1.0) },
        SchemeName::Newmark => Scheme::Newmark { beta: says.beta.unwrap_or(0.25), gamma: says.gamma.unwrap_or(0.5) },
        SchemeName::Hht => Scheme::Hht { alpha: says.alpha.unwrap_or(-0.1) },
        SchemeName::CentralDifferences => Scheme::CentralDifferences,
        SchemeName::QuasiStatic => Scheme::QuasiStatic,
    }
}

/// The key at which a refusal of the scheme is shown.
fn parameter(scheme: SchemeName) -> &'static str {
    match scheme {
        SchemeName::Theta | SchemeName::MoreauJean | SchemeName::SemiExplicit => "theta",
        SchemeName::Newmark => "beta",
        SchemeName::Hht => "alpha",
        _ => "scheme",
    }
}

fn contact(says: &says::Analysis) -> ContactSettings {
    let (normal, tangential) = (says.normal.unwrap_or(1.0), says.tangential.unwrap_or(0.0));
    let formalism = match says.formalism {
        FormalismName::Lagrange => Formalism::Lagrange,
        FormalismName::Stabilised => Formalism::Stabilised { normal, tangential },
        FormalismName::Augmented => Formalism::Augmented { normal, tangential },
        FormalismName::Perturbed => Formalism::Perturbed { compliance: says.compliance.unwrap_or(1.0) },
        FormalismName::Penalty => Formalism::Penalty { normal, tangential },
    };
    ContactSettings { formalism, rho_n: says.rho_n, rho_t: says.rho_t, projected: says.projected.unwrap_or(true) }
}

/// Keys that the scheme or the formalism does not have, and whose they are.
fn strangers(says: &says::Analysis) -> Vec<(&'static str, &'static str)> {
    use FormalismName::{Augmented, Penalty, Perturbed, Stabilised};
    use SchemeName::{CentralDifferences, Hht, MoreauJean, Newmark, SemiExplicit, Theta};
    let (s, f) = (says.scheme, says.formalism);
    let stiff = matches!(f, Stabilised | Augmented | Penalty);
    let explicit = matches!(s, SemiExplicit | CentralDifferences);
    let all = [
        (
            "theta",
            says.theta.is_some(),
            matches!(s, Theta | MoreauJean | SemiExplicit),
            "the schemes theta, moreau_jean and semi_explicit",
        ),
        ("beta", says.beta.is_some(), s == Newmark, "the scheme newmark"),
        ("gamma", says.gamma.is_some(), s == Newmark, "the scheme newmark"),
        ("alpha", says.alpha.is_some(), s == Hht, "the scheme hht"),
        ("safety", says.safety.is_some(), explicit, "the explicit schemes central_differences and semi_explicit"),
        ("normal", says.normal.is_some(), stiff, "the formalisms stabilised, augmented and penalty"),
        ("tangential", says.tangential.is_some(), stiff, "the formalisms stabilised, augmented and penalty"),
        ("compliance", says.compliance.is_some(), f == Perturbed, "the formalism perturbed"),
        (
            "projected",
            says.projected.is_some(),
            matches!(f, Stabilised | Augmented),
            "the formalisms stabilised and augmented",
        ),
    ];
    all.into_iter().filter(|(_, given, known, _)| *given && !known).map(|(key, _, _, owners)| (key, owners)).collect()
}

/// Keys that the formalism needs.
fn missing(says: &says::Analysis) -> Vec<&'static str> {
    use FormalismName::{Augmented, Lagrange, Penalty, Perturbed, Stabilised};
    match says.formalism {
        Stabilised | Augmented | Penalty if says.normal.is_none() => vec!["normal"],
        Perturbed if says.compliance.is_none() => vec!["compliance"],
        Lagrange | Stabilised | Augmented | Penalty | Perturbed => vec![],
    }
}

/// What the analysis refuses, at the table it belongs to.
pub(crate) fn refused(scene: &Scene, error: &fem::Error, diagnostics: &mut Diagnostics) {
    let text = error.to_string();
    let key = match error {
        fem::Error::Settings(SettingsError::NoStep { .. }) | fem::Error::Scheme(_) => "time",
        fem::Error::Settings(_) => "analysis",
        fem::Error::Model(_) => "solid",
        _ => "analysis",
    };
    scene.error(diagnostics, &Path::of(&[key]), Problem::Model { message: text });
}
