//! Scenes of deformable solids: what is built, and what a person reads when one is wrong.

use delassus_fem::{Formalism, Scheme};
use delassus_scene::{Built, Scene, Setup, SolidSetup, gallery};

const HEAD: &str = "dimension = 2\ngravity = [0, 0]\n[time]\nstep = 1e-6\nend = 1e-4\n";
const BLOCK: &str = "[mesh.block]\nkind = 'block'\nsize = [2, 1]\ncells = [4, 2]\n\
                     [material.steel]\nyoung = 2e11\npoisson = 0.3\ndensity = 7800\n[solid.a]\n";

fn whole(text: &str, overrides: &[&str]) -> Setup<2> {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    match Scene::parse(text, "scene.toml", &overrides).and_then(|s| s.build()) {
        Ok(Built::Plane(setup)) => *setup,
        Ok(_) => panic!("not of the plane"),
        Err(e) => panic!("{e}"),
    }
}

fn built(text: &str, overrides: &[&str]) -> SolidSetup {
    whole(text, overrides).solids.expect("solids")
}

fn message(rest: &str) -> String {
    let text = format!("{HEAD}{BLOCK}{rest}");
    match Scene::parse(&text, "scene.toml", &[]).and_then(|s| s.build()) {
        Ok(_) => panic!("accepted: {rest}"),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "missing: {part}\nin:\n{message}");
    }
}

#[test]
fn a_block_becomes_a_part() {
    let rest = "position = [1, 0]\nvelocity = [0, -3]\nthickness = 0.5\n[support.foot]\non = 'a/bottom'\ny = '1e-3*t'\n\
                [spring.s]\non = 'a/left'\naxis = 'x'\nstiffness = 300\n[mass.m]\non = 'a/top'\nmass = 10\n\
                [load.p]\non = 'a/top'\ntraction = [0, -2]\n[load.f]\non = 'a/right'\nforce = ['t', 0]\n\
                [observe.corner]\non = 'a'\npoint = [3, 1]\n[contact.c]\nslave = 'a/right'\n\
                obstacle.half_space = { point = [4, 0], normal = [-1, 0] }\nfriction = 0.2\n";
    let whole = whole(&format!("{HEAD}{BLOCK}{rest}"), &[]);
    assert_eq!(whole.clock.steps, 100);
    let setup = whole.solids.expect("solids");
    let model = &setup.model;
    assert_eq!((setup.size.cells, setup.size.nodes, setup.size.free), (8, 15, 30 - 5));
    assert_eq!(model.parts[0].velocity, [0.0, -3.0, 0.0]);
    assert_eq!(model.supports[0].value.at(2.0), 2e-3);
    // Three nodes share the spring; five the mass, in both directions.
    assert_eq!(model.discrete.len(), 3 + 10);
    assert_eq!(setup.probes[0].nodes.len(), 1);
    let node = setup.probes[0].nodes[0] as usize;
    assert_eq!(&model.positions()[2 * node..2 * node + 2], &[3.0, 1.0]);
    // A traction of 2 Pa on 2 m × 0.5 m is 2 N.
    let delassus_fem::model::LoadKind::Forces(forces) = &model.loads[1].kind else { panic!("nodal forces") };
    assert!((forces.iter().map(|f| f.1).sum::<f64>() - 1.0).abs() < 1e-12, "per unit of the factor, times 2 N/m²");
    assert_eq!(model.contacts[0].friction, 0.2);
}

#[test]
fn schemes_and_formalisms_by_one_word() {
    let text = format!("{HEAD}{BLOCK}[analysis]\nscheme = 'theta'\n");
    assert_eq!(built(&text, &[]).settings.scheme, Scheme::Theta { theta: 1.0 });
    let setup = built(&text, &["analysis.scheme=newmark", "analysis.beta=0.3025", "analysis.gamma=0.6"]);
    assert_eq!(setup.settings.scheme, Scheme::Newmark { beta: 0.3025, gamma: 0.6 });
    let setup = built(&text, &["analysis.formalism=augmented", "analysis.normal=1e9"]);
    assert_eq!(setup.settings.contact.formalism, Formalism::Augmented { normal: 1e9, tangential: 0.0 });
    // An explicit scheme has a step of its own: below the time a wave needs for the shortest edge.
    let automatic = text.replace("step = 1e-6\n", "");
    let clock = whole(&automatic, &["analysis.scheme=central_differences"]).clock;
    let (wave, edge) = ((2e11f64 / 7800.0 * 1.35).sqrt(), 0.5);
    assert!(clock.step > 0.1 * edge / wave && clock.step < edge / wave, "{}", clock.step);
}

#[test]
fn options_that_do_not_go_together_are_told() {
    let analysis = |rest: &str| message(&format!("[analysis]\n{rest}"));
    says(&analysis("scheme = 'semi_explicit'\ntheta = 0.5\n"), &["at least 1", "scene.toml:17:9"]);
    says(
        &analysis("scheme = 'newmark'\ntheta = 0.5\n"),
        &["`theta` is for the schemes theta, moreau_jean and semi_explicit"],
    );
    says(&analysis("scheme = 'newmark'\ngamma = 0.4\n"), &["gamma = 0.4, expected at least 0.5"]);
    says(&analysis("scheme = 'thta'\n"), &["`thta` is not a value of `analysis.scheme`", "did you mean `theta`?"]);
    says(
        &analysis("formalism = 'penalty'\n"),
        &["`analysis` needs the key `normal`", "the formalism penalty needs it"],
    );
    says(&analysis("normal = 1e9\n"), &["`normal` is for the formalisms stabilised, augmented and penalty"]);
    says(
        &analysis("scheme = 'central_differences'\nformalism = 'augmented'\nnormal = 1e9\n"),
        &["the formalism augmented does not go with central differences", "take lagrange or penalty"],
    );
    says(&analysis("scheme = 'moreau_jean'\ntheta = 0.2\n"), &["a number from 0.5 to 1"]);
    let contact = "[contact.c]\nslave = 'a/bottom'\nobstacle.half_space = {}\n";
    let nominated = format!("{contact}nominated = true\n[analysis]\n");
    says(&message(&format!("{nominated}scheme = 'quasi_static'\n")), &["'c'", "no stabilisation; take stabilised"]);
    says(&message(&format!("{nominated}formalism = 'stabilised'\nnormal = 1e9\n")), &["'c'", "with inertia"]);
    let twice = "formalism = 'stabilised'\nnormal = 1e9\ntangential = 1\nprojected = false\n";
    says(&message(&format!("{contact}[analysis]\n{twice}")), &["acts on the normal alone", "projected = true"]);
    says(&message(&format!("{contact}interface = 'a'\n")), &["`a` must name a group of a mesh"]);
    says(&message(&format!("{contact}interface = 'nothing/top'\n")), &["nothing"]);
    let slow = HEAD.replace("step = 1e-6", "step = 1e-3") + BLOCK + "[analysis]\nscheme = 'central_differences'\n";
    let found = Scene::parse(&slow, "scene.toml", &[]).and_then(|s| s.build()).expect_err("unstable").to_string();
    says(&found, &["longer than the stability limit", "scene.toml:3"]);
    let none = HEAD.replace("step = 1e-6\n", "") + BLOCK;
    let found = Scene::parse(&none, "scene.toml", &[]).and_then(|s| s.build()).expect_err("no step").to_string();
    says(&found, &["has no automatic step", "time.step"]);
}

#[test]
fn names_nobody_has_are_refused() {
    says(&message("mesh = 'blok'\n"), &["there is no mesh named `blok`", "did you mean `block`?"]);
    says(&message("material = 'steal'\n"), &["there is no material named `steal`", "did you mean `steel`?"]);
    says(&message("[support.s]\non = 'a/botom'\nx = 0\n"), &["no group named `a/botom`", "did you mean `a/bottom`?"]);
    says(&message("[support.s]\non = 'b/bottom'\nx = 0\n"), &["no solid named `b`", "accepted here: a"]);
    says(&message("[support.s]\non = 'bottom'\nx = 0\n"), &["as \"solid/group\""]);
    says(&message("[contact.c]\nslave = 'a/bottom'\nmaster = 'a/tip'\n"), &["no group named `a/tip`", "a/top"]);
    says(&message("[observe.o]\non = 'a/tip'\n"), &["no group named `a/tip`"]);
    let overridden = format!("{HEAD}{BLOCK}");
    let found = Scene::parse(&overridden, "scene.toml", &["solid.b.thickness=1".into()]).expect_err("no such solid");
    says(&found.to_string(), &["there is no solid named `b`"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    says(&message("hypothesis = 'axisymmetric'\nthickness = 2\n"), &["a body of revolution has no thickness"]);
    says(&message("rotation = { axis = [0, 0, 1], angle = 1 }\n"), &["here it is `angle = …`"]);
    says(&message("position = [0, 0, 0]\n"), &["must have 2 items", "dimension 2"]);
    says(&message("[support.s]\non = 'a/left'\n"), &["holds nothing"]);
    says(&message("[support.s]\non = 'a/left'\nz = 0\n"), &["there is no axis z in the plane"]);
    says(&message("[support.s]\non = 'a/left'\nx = '1/t'\n"), &["the expression `1/t` is inf at t = 0"]);
    let twice = "[support.s]\non = 'a/left'\nx = 0\n[support.t]\non = 'a/boundary'\nx = 1e-3\n";
    says(&message(twice), &["another support holds too"]);
    says(&message("[load.l]\non = 'a/top'\n"), &["needs `force`, `traction` or `pressure`"]);
    says(&message("[load.l]\nbody = 'a'\nforce = [0, 1]\n"), &["`body` is for rigid bodies"]);
    says(&message("[spring.s]\non = 'a/top'\nstiffness = 1\n"), &["needs the key `axis`"]);
    says(&message("[contact.c]\nslave = 'a/top'\n"), &["`contact.c` needs the key `master`"]);
    says(&message("[detection]\nmargin = 1\n"), &["`detection` is for rigid bodies, and the scene has none"]);
    let body = "[body.b]\nshape.disc.radius = 1\nposition = [0, 9]\n";
    says(&message(body), &["no law between `steel` and `steel`", "give [law]"]);
    says(&message(&format!("{body}[law]\n[periodic]\nx = 30\n")), &["leave out `periodic`"]);
    let turning = format!("{body}[law]\nrolling = 0.1\n");
    says(&message(&turning), &["nodes of solids have no rotation", "scene.toml:18"]);
    says(&message("self_contact = true\n"), &["no law between `steel` and `steel`", "scene.toml:14"]);
    says(&message(&format!("{body}[law]\n[analysis]\nnormal = 1\n")), &["`normal` is for the formalisms"]);
    says(&message("[solid.b]\nkinematics = 'finite'\n"), &["solid", "StVenantKirchhoff"]);
    let plastic = format!("{HEAD}{BLOCK}").replace("poisson = 0.3\n", "poisson = 0.3\nyield_stress = 1e8\n");
    let found = Scene::parse(&plastic, "s.toml", &[]).and_then(|s| s.build()).expect_err("not plastic").to_string();
    says(&found, &["`yield_stress` is for plastic materials", "s.toml:13"]);
    let rigid = format!("{HEAD}[analysis]\n[body.b]\nshape.disc.radius = 1\n");
    let found = Scene::parse(&rigid, "s.toml", &[]).and_then(|s| s.build()).expect_err("rigid").to_string();
    says(&found, &["`analysis` is for deformable solids, and the scene has none"]);
}

#[test]
fn meshes_are_judged() {
    let with = |mesh: &str| {
        let text = format!("{HEAD}[mesh.m]\n{mesh}\n[material.x]\nyoung = 1e9\n[solid.a]\n");
        Scene::parse(&text, "s.toml", &[]).and_then(|s| s.build()).expect_err("refused").to_string()
    };
    says(&with("kind = 'ball'\nradius = 1\ncells = 2"), &["the mesh `ball` exists in space (dimension = 3) only"]);
    says(&with("kind = 'block'\nsize = [1, 1]\ncells = [1, 1]\nelement = 'hex8'"), &["tri3, tri6, quad4 or quad8"]);
    says(&with("kind = 'block'\nsize = [1, 1]\ncells = [1]"), &["`mesh.m.cells` must have"]);
    says(&with("kind = 'blck'\nsize = [1, 1]"), &["did you mean `block`?"]);
    says(&with("kind = 'tube'\ninner = 2\nouter = 1\ncells = [1, 8]"), &["the mesh `m` cannot be used"]);
    says(&with("kind = 'file'\nfile = 'none.msh'"), &["the mesh `none.msh` cannot be used"]);
    says(&with("kind = 'disc'\nradius = 1\ncells = 2\ngroup.g = { min = [5, 5], max = [6, 6] }"), &["the group `g`"]);
    says(&with("kind = 'disc'\nradius = 1\ncells = 2\ngroup.g = { min = [5, 5] }"), &["both `min` and `max`"]);
}

/// Every variant of every scene of the gallery can be run.
#[test]
fn variants_of_the_gallery_are_accepted() {
    let mut count = 0;
    for example in gallery() {
        let scene = Scene::parse(example.text, example.name, &[]).expect("read");
        for (name, _, _) in scene.variants() {
            count += 1;
            let varied = scene.with_variant(&name).unwrap_or_else(|e| panic!("{} {name}\n{e}", example.name));
            let check = varied.check().unwrap_or_else(|e| panic!("{} {name}\n{e}", example.name));
            // Figure 5.5 and the static patch test show what their warnings speak of.
            let warned = [("patch_test", "disturbed"), ("bar_tension", "constant_coarse")];
            let warned = warned.contains(&(example.name, name.as_str()));
            assert_eq!(check.warnings.items.len(), usize::from(warned), "{} {name}", example.name);
        }
    }
    assert!(count >= 15, "{count}");
    let scene = Scene::parse(gallery()[0].text, "a", &[]).expect("read");
    says(&scene.with_variant("x").expect_err("none").to_string(), &["there is no variant named `x`"]);
}
