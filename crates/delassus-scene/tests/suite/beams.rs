//! Beams of scenes: what is built, and what a person reads when one is wrong.

use delassus_scene::{Built, Scene, SolidSetup};

const HEAD: &str = "dimension = 2\n[time]\nstep = 1e-3\nend = 1\n[material.steel]\nyoung = 2e11\ndensity = 7800\n";
const BEAM: &str = "[beam.a]\nfrom = [0, 0]\nto = [2, 0]\ncells = 4\nsection = { width = 0.1, height = 0.2 }\n";

fn build(text: &str) -> Result<SolidSetup, String> {
    match Scene::parse(text, "scene.toml", &[]).and_then(|s| s.build()).map_err(|e| e.to_string())? {
        Built::Plane(setup) => Ok(setup.solids.expect("beams")),
        Built::Space(setup) => Ok(setup.solids.expect("beams")),
    }
}

/// The message for a beam followed by `rest`, which begins at line 13.
fn message(rest: &str) -> String {
    build(&format!("{HEAD}{BEAM}{rest}")).map(drop).expect_err(rest)
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "missing: {part}\nin:\n{message}");
    }
}

#[test]
fn a_line_becomes_a_beam_and_its_groups_are_named_like_those_of_solids() {
    let rest = "velocity = [0, -3]\n[support.s]\non = ['a/start', 'a/end']\ny = 0\n[support.t]\non = 'a/end'\nrotation = 't'\n\
                [load.f]\non = 'a/all'\nforce = [0, 10]\n[load.m]\non = 'a/end'\ntorque = [3]\n\
                [spring.k]\non = 'a/end'\naxis = 'x'\nstiffness = 300\n[mass.m]\non = 'a/end'\nmass = 10\n\
                [observe.middle]\non = 'a'\npoint = [0.9, 0]\n";
    let setup = build(&format!("{HEAD}{BEAM}{rest}")).unwrap_or_else(|e| panic!("{e}"));
    let model = &setup.model;
    assert_eq!((setup.size.beams, setup.size.cells, setup.size.nodes, setup.size.free), (1, 4, 5, 15 - 3));
    assert_eq!(model.supports[0].dofs, [1, 9]);
    // Rotations follow the displacements of all nodes.
    assert_eq!(model.supports[1].dofs, [14]);
    assert_eq!(model.supports[1].value.at(0.5), 0.5);
    assert_eq!(&model.velocities()[..2], &[0.0, -3.0]);
    assert_eq!(model.discrete.len(), 1 + 2);
    assert_eq!(setup.probes[0].nodes, [2]);
    let sums: Vec<f64> = model
        .loads
        .iter()
        .map(|l| match &l.kind {
            delassus_fem::model::LoadKind::Forces(forces) => forces.iter().map(|f| f.1).sum::<f64>() * l.factor.at(0.0),
            delassus_fem::model::LoadKind::Pressure { .. } => panic!("a pressure"),
        })
        .collect();
    assert!(sums.iter().zip([0.0, 10.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{sums:?}");
    // Fields of cells end where beams begin: solids are first, whatever the order of the file.
    let solid = "[mesh.m]\nkind = 'block'\nsize = [1, 1]\ncells = [1, 1]\n[solid.b]\nposition = [5, 5]\n";
    let setup = build(&format!("{HEAD}{BEAM}{solid}")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((setup.model.parts[0].first, setup.model.beams[0].first), (0, 4));
}

#[test]
fn beams_that_make_no_sense_are_refused() {
    says(&message("points = [[0, 0], [1, 0]]\n"), &["`points`, or `from`, `to` and `cells`", "scene.toml:13:"]);
    says(&message("up = [0, 1, 0]\n"), &["`up` is for space"]);
    says(&message("materal = 'steel'\n"), &["unknown key `materal`", "did you mean `material`?"]);
    says(&message("material = 'steal'\n"), &["there is no material named `steal`", "did you mean `steel`?"]);
    says(&message("velocity = [0, 0, 0]\n"), &["must have 2 items", "dimension 2"]);
    says(
        &message("[solid.a]\n[mesh.m]\nkind = 'disc'\nradius = 1\ncells = 2\n"),
        &["two solids or beams have the name `a`"],
    );
    let changed = |from: &str, to: &str| {
        let text = format!("{HEAD}{BEAM}");
        assert!(text.contains(from));
        build(&text.replace(from, to)).map(drop).expect_err(to)
    };
    says(&changed("height = 0.2", "radius = 0.2"), &["`width` and `height`, or `radius` alone", "scene.toml:12"]);
    says(&changed("height = 0.2", "heigth = 0.2"), &["unknown key `heigth`", "did you mean `height`?"]);
    says(&changed("height = 0.2", "height = 0"), &["`beam.a.section.height` = 0 must be greater than 0"]);
    says(&changed("section = { width = 0.1, height = 0.2 }\n", ""), &["`beam.a` needs the key `section`", "`radius`"]);
    says(&changed("to = [2, 0]\n", ""), &["`beam.a` needs the key `to`"]);
    says(&changed("to = [2, 0]", "to = [0, 0]"), &["do not define a direction"]);
    says(&changed("cells = 4", "cells = 0"), &["`beam.a.cells` = 0 must be at least 1"]);
    says(&changed("young = 2e11", "behaviour = 'neo_hookean'\nyoung = 2e11"), &["beams are elastic"]);
    says(&changed("young = 2e11\n", ""), &["needs the key `young`"]);
    let upright = format!("{HEAD}{BEAM}").replace("dimension = 2", "dimension = 3").replace("[0, 0]", "[0, 0, 0]");
    let found = build(&upright.replace("[2, 0]", "[0, 0, 2]")).map(drop).expect_err("upright");
    says(&found, &["up = [0.0, 0.0, 1.0] is along the beam"]);
    let found = Scene::parse(&format!("{HEAD}{BEAM}"), "scene.toml", &["beam.b.cells=2".into()]).expect_err("no beam");
    says(&found.to_string(), &["there is no beam named `b`"]);
}

#[test]
fn what_acts_on_beams_is_judged() {
    let end = "[support.s]\non = 'a/end'\n";
    says(&message(end), &["holds nothing", "`rotation`"]);
    says(&message(&format!("{end}rotation_z = 0\n")), &["`rotation_z` is for space; in the plane it is `rotation`"]);
    says(&message(&format!("{end}rotation = 0\n[support.t]\non = 'a/all'\nrotation = 0.1\n")), &["holds too"]);
    says(&message("[support.s]\non = 'a/tip'\nx = 0\n"), &["no group named `a/tip`", "a/start, a/end, a/all"]);
    says(&message("[support.s]\non = 'b/end'\nx = 0\n"), &["no solid named `b`", "accepted here: a"]);
    says(&message("[load.p]\non = 'a/all'\npressure = 1\n"), &["`a/all` is of a beam, which has no facets"]);
    says(&message("[contact.c]\nslave = 'a/all'\nmaster = 'a/all'\n"), &["nodes of a beam meet an `obstacle`"]);
    let met = "[contact.c]\nslave = 'a/all'\nobstacle.half_space = {}\n";
    says(&message(&format!("{met}gauss_points = 2\n")), &["`gauss_points` is for facets of solids"]);
    says(&message(&format!("{met}offset = -1\n")), &["`contact.c.offset` = -1 must be at least 0"]);
    says(&message("[load.p]\non = 'a/all'\ntorque = [1, 2]\n"), &["must have 1 items", "found 2"]);
    let solid = "[mesh.m]\nkind = 'block'\nsize = [1, 1]\ncells = [1, 1]\n[solid.b]\n";
    let held = format!("{solid}[support.s]\non = 'b/left'\nrotation = 0\n");
    says(&message(&held), &["`rotation` is for beams: nodes of solids have no rotation"]);
    says(&message(&format!("{solid}[load.l]\non = 'b/left'\ntorque = [1]\n")), &["`torque` is for beams"]);
}

#[test]
fn groups_tubes_and_what_meets_obstacles() {
    let tube = BEAM.replace("{ width = 0.1, height = 0.2 }", "{ diameter = 0.2, wall = 0.01 }");
    let rest = "theory = 'bernoulli'\nrayleigh = [1, 2e-5]\n[beam.a.group.low]\nmin = [0.4, -1]\nmax = [1.1, 1]\n\
                [contact.c]\nslave = 'a/low'\nobstacle.half_space = { point = [0, -1] }\n[fluid.w]\non = 'a/all'\nadded_mass = 3\n\
                [absorbing.e]\non = 'a/end'\n";
    let setup = build(&format!("{HEAD}{tube}{rest}")).unwrap_or_else(|e| panic!("{e}"));
    let model = &setup.model;
    assert_eq!(model.beams[0].groups["low"], [1, 2]);
    assert_eq!(model.contacts[0].slave.nodes(), [1, 2]);
    assert_eq!(model.contacts[0].settings.offset, 0.1);
    assert_eq!((model.dashpots.len(), model.beams[0].rayleigh), (2, [1.0, 2e-5]));
    let refused = |rest: &str| build(&format!("{HEAD}{tube}{rest}")).map(drop).expect_err(rest);
    says(&refused("[beam.a.group.all]\nnear = [0, 0]\n"), &["`all` is one that every beam has"]);
    says(&refused("[beam.a.group.low]\nmin = [5, 5]\nmax = [6, 6]\n"), &["`low` has no nodes"]);
    says(&refused("[absorbing.e]\non = 'a/all'\n"), &["inside a beam", "`start` and `end`"]);
    says(&refused("[absorbing.e]\non = 'a/end'\nlayer = 1\nfrequency = 10\n"), &["a layer is one of cells"]);
    says(&refused("[absorbing.e]\non = 'a/end'\npower = 1\n"), &["`power` is for a `layer`"]);
    says(&refused("[fluid.w]\non = 'a/end'\nadded_mass = 1\n"), &["`added_mass` is for whole beams"]);
    says(&refused("[fluid.w]\non = 'a/all'\n"), &["does nothing", "`drag`, `buoyancy`, `density` or `added_mass`"]);
    says(&refused("[fluid.w]\non = 'a/all'\ndensity = 1\n"), &["`density` is for rigid bodies"]);
    says(&refused("[fluid.w]\nbody = 'a'\ndrag = 1\n"), &["`body` is for rigid bodies"]);
    says(&refused("[observe.w]\nkind = 'wear'\ncontact = 'b'\n"), &["there is no contact named `b`"]);
    says(&refused("[observe.w]\nkind = 'wear'\n"), &["`between` bodies, or of one `contact`"]);
    let thick = tube.replace("wall = 0.01", "wall = 0.2");
    says(&build(&format!("{HEAD}{thick}")).map(drop).expect_err("thick"), &["thicker than the radius"]);
    let both = tube.replace("wall = 0.01", "radius = 0.1");
    says(&build(&format!("{HEAD}{both}")).map(drop).expect_err("both"), &["`radius` or `diameter`, not both"]);
}
