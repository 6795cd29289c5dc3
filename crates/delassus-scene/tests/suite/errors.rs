//! Golden messages: what a person reads when a scene is wrong.

use delassus_scene::{Diagnostics, Scene};

const HEAD: &str = "dimension = 2\n[time]\nstep = 1e-3\nend = 1.0\n";

fn diagnostics(text: &str, overrides: &[&str]) -> Diagnostics {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    match Scene::parse(text, "scene.toml", &overrides).and_then(|scene| scene.build().map(drop)) {
        Ok(()) => panic!("accepted: {text}"),
        Err(diagnostics) => diagnostics,
    }
}

/// The message for a scene made of the usual head and `rest`, which begins at line 5.
fn message(rest: &str) -> String {
    diagnostics(&format!("{HEAD}{rest}"), &[]).to_string()
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "missing: {part}\nin:\n{message}");
    }
}

#[test]
fn an_unknown_key_is_underlined_and_the_nearest_one_is_given() {
    let expected = "\
error: unknown key `frction`
 --> scene.toml:6:1
  |
6 | frction = 0.5
  | ^^^^^^^
  = help: did you mean `friction`?
  = help: accepted here: adhesion, anisotropic, asperities, between, bilateral, cohesion, directional, friction, name, polygon, \
rest_speed, restitution, rolling, static_friction, tangential_restitution, torsional, tresca";
    assert_eq!(message("[law]\nfrction = 0.5\n"), expected);
}

/// A line may be longer than a terminal, and than what a format takes for a width.
#[test]
fn of_a_long_line_the_place_is_shown() {
    let found = message(&format!("title = \"{}\"{}!\n", "x".repeat(70_000), " ".repeat(10)));
    let lines: Vec<&str> = found.lines().collect();
    assert!(lines.iter().all(|l| l.chars().count() < 500), "{found}");
    let (text, under) = (lines[3], lines[4]);
    let at = under.find('^').expect("a place is underlined");
    assert_eq!(text.chars().nth(at), Some('!'), "{found}");
}

#[test]
fn a_number_out_of_bounds_is_underlined() {
    let expected = "\
error: `body.a.mass` = -2 must be greater than 0
 --> scene.toml:6:39
  |
6 | a = { shape.disc.radius = 0.1, mass = -2 }
  |                                       ^^";
    assert_eq!(message("[body]\na = { shape.disc.radius = 0.1, mass = -2 }"), expected);
}

#[test]
fn all_errors_are_reported_at_once() {
    let found = diagnostics(
        &format!(
            "{HEAD}[law]\nfriction = 'x'\nrestitution = 2\n[body.a]\nshape.disc.radius = 0\nfixd = true\nmass = inf\n"
        ),
        &["h=-1", "body.b.mass=1"],
    );
    let text = found.to_string();
    assert_eq!(found.items.len(), 7, "{text}");
    says(
        &text,
        &[
            "there is no body named `b`",
            "--> --set body.b.mass=1:1:1",
            "`time.step` = -1 must be greater than 0",
            "`law.friction` must be a number, found the string \"x\"",
            "`law.restitution` = 2 must be at least 0 and at most 1",
            "`body.a.shape.disc.radius` = 0 must be greater than 0",
            "did you mean `fixed`?",
            "`body.a.mass` is inf, which is not a finite number",
        ],
    );
}

#[test]
fn missing_keys_say_what_they_are() {
    says(&diagnostics("dimension = 2\n", &[]).to_string(), &["`the scene` needs the key `time`"]);
    says(
        &message("[[generate]]\nkind = 'arch'\nblocks = 3\n"),
        &["`generate.0` needs the key `radius`", "Radius of the middle line [m]."],
    );
    says(
        &message("[[generate]]\nkind = 'arc'\n"),
        &["`arc` is not a value of `generate.0.kind`", "did you mean `arch`?"],
    );
}

#[test]
fn names_nobody_has_are_refused() {
    let two = "[material.wood]\n[material.steel]\n[law]\nfriction = 0.1\n";
    let body = "[body.a]\nshape.disc.radius = 0.1\nmaterial = 'steal'\n";
    says(&message(&format!("{two}{body}")), &["there is no material named `steal`", "did you mean `steel`?", ":11:12"]);
    let body = "[body.a]\nshape.disc.radius = 0.1\n";
    says(&message(&format!("{two}{body}")), &["`body.a` needs the key `material`", "accepted here: wood, steel"]);
    let load = "[load.push]\nbody = 'aa'\nforce = [1, 0]\n";
    says(&message(&format!("{body}[law]\n{load}")), &["there is no body named `aa`", "accepted here: a"]);
    let law = "[[law]]\nbetween = ['wood', 'iron']\n";
    says(&message(&format!("[material.wood]\n{law}{body}")), &["there is no material named `iron`"]);
}

#[test]
fn a_pair_without_a_law_is_refused() {
    let text = "[material.wood]\n[material.ice]\n[[law]]\nbetween = ['wood', 'wood']\n\
                [body.rink]\nshape.half_plane = {}\nmaterial = 'ice'\n\
                [body.box]\nshape.box.size = [1, 1]\nmaterial = 'wood'\nposition = [0, 5]\n";
    says(
        &message(text),
        &[
            "bodies of materials `wood` and `ice` can meet, and no law is given between them",
            "for example `rink` and `box`",
            "between = [\"wood\", \"ice\"]",
        ],
    );
}

#[test]
fn an_overlap_names_the_pair_and_the_depth() {
    let text =
        "[law]\n[body.floor]\nshape.half_plane = {}\n[body.ball]\nshape.disc.radius = 1.0\nposition = [0, 0.75]\n";
    let found = message(text);
    says(
        &found,
        &["`floor` and `ball` overlap at the start by 2.500e-1 m", "scene.toml:10:12", "overlaps = \"accept\""],
    );
    let accepted = format!("{HEAD}{text}[initial]\noverlaps = 'accept'\n");
    let check = Scene::parse(&accepted, "scene.toml", &[]).and_then(|s| s.check()).expect("accepted");
    assert_eq!(check.warnings.items.len(), 1);
}

#[test]
fn expressions_are_judged_at_the_start() {
    let body = "[law]\n[body.a]\nshape.disc.radius = 0.1\n";
    let load = |force: &str| message(&format!("{body}[load.l]\nbody = 'a'\nforce = [0, '{force}']\n"));
    says(&load("1/t"), &["the expression `1/t` is inf at t = 0"]);
    says(&load("2*sin(q)"), &["cannot be read", "unknown name 'q'"]);
    says(&load("2*(t"), &["cannot be read"]);
    says(&message("[parameters]\na = '=b+1'\nb = '=a'\n"), &["the parameters `a`, `b` are defined by each other"]);
    says(&message("[law]\nfriction = '=0/0'\n"), &["the expression `0/0` is NaN"]);
}

#[test]
fn shapes_belong_to_a_dimension_and_make_sense() {
    let body = |shape: &str| message(&format!("[law]\n[body.a]\nshape = {shape}\n"));
    says(&body("{ sphere = { radius = 1 } }"), &["the shape `sphere` of `a` exists in space (dimension = 3) only"]);
    says(&body("{ polygon = { points = [[0,0],[1,0],[2,0]] } }"), &["the shape of `a` is not valid"]);
    says(&body("{ disc = { radius = 1 }, box = { size = [1, 1] } }"), &["exactly one", "`disc` and `box`"]);
    says(&body("{ disk = { radius = 1 } }"), &["unknown key `disk`", "did you mean `disc`?"]);
    says(&body("{ box = { size = [1, 1, 1] } }"), &["must have 2 items, found 3"]);
    says(&message("[law]\n[body.a]\nshape.point = {}\n"), &["the point `a`", "needs the key `mass`"]);
}

#[test]
fn a_missing_mesh_is_named() {
    let text = "dimension = 3\n[time]\nstep = 1e-3\nend = 1\n[law]\n[body.a]\nshape.mesh.file = 'none.stl'\n";
    says(&diagnostics(text, &[]).to_string(), &["the mesh `none.stl` cannot be used", "scene.toml:7"]);
    let text = text.replace("none.stl", "none.off");
    says(&diagnostics(&text, &[]).to_string(), &["the extension `off` is unknown; stl, obj and ply are accepted"]);
}

#[test]
fn text_that_is_not_toml_is_located() {
    let found = diagnostics("dimension = 2\n[time\nstep = 1", &[]).to_string();
    says(&found, &["not valid TOML", "scene.toml:2:"]);
    says(&diagnostics("", &[]).to_string(), &["needs the key `dimension`", "needs the key `time`"]);
    let missing = Scene::load("no/such/file.toml", &[]).expect_err("absent").to_string();
    says(&missing, &["cannot read the scene `no/such/file.toml`"]);
}

#[test]
fn observed_flows_say_what_they_need() {
    let rest = |flow: &str, more: &str| {
        let bodies = "[law]\nfriction = 0.3\n[body.floor]\nshape.half_plane = {}\n\
                      [body.a]\nshape.disc.radius = 0.1\nposition = [0, 1]\n";
        message(&format!("{bodies}{more}[observe.f]\n{flow}"))
    };
    let cell = "[periodic]\nx = 1\n";
    says(&rest("kind = 'flow'\nslice = 4\ntop = 1\n", cell), &["unknown key `slice`", "did you mean `slices`?"]);
    says(&rest("kind = 'flow'\n", cell), &["`observe.f` needs the key `top`", "the highest slice ends"]);
    says(&rest("kind = 'flwo'\ntop = 1\n", cell), &["`flwo` is not a value of `observe.f.kind`", "point, flow"]);
    says(&rest("kind = 'flow'\ntop = 1\nslices = 0\n", cell), &["`observe.f.slices` = 0 must be at least 1"]);
    says(&rest("kind = 'flow'\ntop = -1\n", cell), &["`top` = -1 must be above `bottom` = 0"]);
    says(&rest("kind = 'flow'\ntop = 1\n", ""), &["periodic along x", "[periodic]"]);
    says(&rest("kind = 'flow'\ntop = 1\nfloor = 'flor'\n", cell), &["there is no body named `flor`", "`floor`"]);
    says(&rest("kind = 'flow'\ntop = 1\nfloor = 'a'\n", cell), &["the floor `a` is a free body"]);
    // Without a kind it is a point of a body.
    says(&rest("point = [0, 0]\n", cell), &["`observe.f` needs the key `body`"]);
    says(&rest("kind = 'point'\nbody = 'a'\ntop = 1\n", cell), &["unknown key `top`"]);
}

/// Contacts of one run have one number of components: laws with a rolling and with a pivoting moment are
/// refused together, before the run, at the first law, saying why.
#[test]
fn laws_with_moments_mix_among_themselves_alone() {
    let scene = |second: &str| {
        format!(
            "dimension = 3\n[time]\nstep = 1e-3\nend = 1.0\n[material.a]\ndensity = 1\n[material.b]\ndensity = 1\n\
             [body.one]\nshape.sphere.radius = 1\nmaterial = 'a'\n[body.two]\nshape.sphere.radius = 1\n\
             material = 'b'\nposition = [3, 0, 0]\n[[law]]\nbetween = ['a', 'a']\nfriction = 0.3\nrolling = 0.1\n\
             [[law]]\nbetween = ['a', 'b']\nfriction = 0.3\n{second}\n[[law]]\nbetween = ['b', 'b']\nfriction = 0.3\n"
        )
    };
    let text = diagnostics(&scene("tresca = 0.1").replace("friction = 0.3\ntresca", "tresca"), &[]).to_string();
    says(&text, &["Tresca law needs contacts of 3 components", "make them 5", "cannot be mixed", "scene.toml:16"]);
    for second in ["rolling = 0.2", "", "torsional = 0.1", "rolling = 0.1\ntorsional = 0.1"] {
        let mixed = Scene::parse(&scene(second), "scene.toml", &[]).and_then(|scene| scene.build().map(drop));
        assert!(mixed.is_ok(), "{second}");
    }
}

/// 2/ω = 2 √(m/k) = 6.32e-5 s for 1 kg on 1e9 N/m; two bodies of 1 kg halve the mass; implicit springs have no limit.
#[test]
fn stiff_explicit_springs_are_refused_by_their_stable_step() {
    let body = "[law]\n[body.a]\nshape.disc.radius = 0.1\nmass = 1\n[spring.s]\nbodies = ['a']\nto = [1, 0]\n";
    let text = message(&format!("{body}stiffness = 1e9\n"));
    says(&text, &["the explicit spring `s` is too stiff", "6.32e-5 s", "`implicit = true`", "scene.toml:9"]);
    let text = message(&format!("{body}damping = 1e4\n"));
    says(&text, &["the explicit spring `s`", "2.00e-4 s"]);
    let accepted = |rest: &str| Scene::parse(&format!("{HEAD}{rest}"), "scene.toml", &[]).and_then(|s| s.check());
    assert!(accepted(&format!("{body}stiffness = 1e9\nimplicit = true\n")).is_ok());
    // 3.9e6 < 4 m/h².
    assert!(accepted(&format!("{body}stiffness = 3.9e6\n")).is_ok());
    says(&message(&format!("{body}stiffness = 4.1e6\n")), &["too stiff"]);
    let two = "[law]\n[body.a]\nshape.disc.radius = 0.1\nmass = 1\n[body.b]\nshape.disc.radius = 0.1\nmass = 1\n\
               position = [1, 0]\n[spring.s]\nbodies = ['a', 'b']\nstiffness = 2.1e6\n";
    says(&message(two), &["too stiff"]);
    assert!(accepted(&two.replace("2.1e6", "1.9e6")).is_ok());
    // Several on one body add up; a lever makes an inertia light: m = 1, J = 1e-3, arm 0.1 gives 1/m + r²/J = 11.
    let several = format!("{body}stiffness = 2.1e6\n[spring.t]\nbodies = ['a']\nto = [-1, 0]\nstiffness = 2.1e6\n");
    says(&message(&several), &["too stiff"]);
    let lever = "[law]\n[body.a]\nshape.disc.radius = 0.1\nmass = 1\ninertia = 1e-3\n[spring.s]\nbodies = ['a']\n\
                 from = [0, 0.1]\nto = [1, 0.1]\nstiffness = 4e5\n";
    says(&message(lever), &["too stiff"]);
    assert!(accepted(&lever.replace("4e5", "3.5e5")).is_ok());
    // Forces by formula: 1e7 N/m, and a drag of 3 m/h.
    let force = "[law]\n[body.a]\nshape.disc.radius = 0.1\nmass = 1\n[load.f]\nbody = 'a'\n";
    says(&message(&format!("{force}force = ['-1e7*x', '0']\n")), &["the explicit force `f`", "6.32e-4 s"]);
    says(&message(&format!("{force}force = ['-3000*vx', '0']\n")), &["the explicit force `f`"]);
    assert!(accepted(&format!("{force}force = ['-1900*vx', '1e9*y']\n")).is_ok());
    // What a joint holds does not vibrate.
    let held =
        format!("{body}stiffness = 1e9\n[joint.j]\nkind = 'slider'\nbodies = ['a']\nat = [0, 0]\naxis = [0, 1]\n");
    assert!(accepted(&held).is_ok(), "{:?}", accepted(&held).err().map(|e| e.to_string()));
}

#[test]
fn values_that_mean_nothing_are_told() {
    let body = "[law]\n[body.a]\nshape.disc.radius = 0.1\n";
    says(&message(&format!("{body}[solver]\ntolerance = 1e9\n")), &["solver.tolerance", "at most 0.1"]);
    says(&message(&format!("{body}position = [1e300, 0]\n")), &["body.a.position", "1e100", "scene.toml:8"]);
    says(&message(&format!("{body}position = [1e12, 0]\n")), &["`a` is 1.0e12 m from the origin", "scene.toml:8"]);
    says(&message("[law]\n[body.a]\nshape.disc.radius = -1\n"), &["greater than 0"]);
    says(&message(&format!("{body}mass = 0\n")), &["greater than 0"]);
    let load =
        format!("{body}[body.f]\nfixed = true\nposition = [9, 9]\nshape.disc.radius = 0.1\n[load.l]\nbody = 'f'\n");
    says(&message(&format!("{load}force = [1, 0]\n")), &["`f` does not move freely", "scene.toml:13"]);
    let late = "dimension = 2\n[time]\nstep = 2\nend = 1\n[law]\n[body.a]\nshape.disc.radius = 0.1\n";
    says(&diagnostics(late, &[]).to_string(), &["longer than the run", "scene.toml:3"]);
    let grid =
        "[law]\n[[generate]]\nkind = 'grid'\ncount = [1000000, 1000000]\nspacing = [1, 1]\nshape.disc.radius = 0.1\n";
    says(&message(grid), &["bodies need about", "scene.toml:6"]);
    let record =
        "dimension = 2\n[time]\nstep = 1e-3\nend = 1\nrecord = 2.5e-3\n[law]\n[body.a]\nshape.disc.radius = 0.1\n";
    let check = Scene::parse(record, "scene.toml", &[]).and_then(|s| s.check()).expect("a warning only");
    says(&check.warnings.to_string(), &["`time.record` = 0.0025 s is no whole number of steps", "scene.toml:5"]);
}
