//! Superposed models from scenes: contact on the fine one, beams in solids, schemes and steps of their own.

use crate::common::run::{field, finish, read, refused};

/// A block of two models, pressed and pushed over a rigid floor.
const BLOCK: &str = r#"
dimension = 2
gravity = [0, 0]
time = { step = 0.1, end = 1.0 }
material.steel = { behaviour = "elastic", young = 2e9, poisson = 0.3, density = 7800 }
mesh.coarse = { kind = "block", size = [1.0, 0.75], cells = [16, 12] }
mesh.fine = { kind = "block", size = [1.0, 0.5], cells = [32, 16] }
solid.top = { mesh = "coarse", position = [0, 0.25] }
solid.foot = { mesh = "fine" }
arlequin.glue = { coarse = "top", fine = "foot" }
contact.floor = { slave = "foot/bottom", obstacle = { half_space = {} }, friction = 0.3 }
support.head = { on = "top/top", x = "1e-3*max(t-0.4,0)", y = "-1e-3*min(t/0.4,1)" }
analysis.scheme = "quasi_static"
"#;

const WHOLE: &str = r#"
dimension = 2
gravity = [0, 0]
time = { step = 0.1, end = 1.0 }
material.steel = { behaviour = "elastic", young = 2e9, poisson = 0.3, density = 7800 }
mesh.fine = { kind = "block", size = [1.0, 1.0], cells = [32, 32] }
solid.foot = { mesh = "fine" }
contact.floor = { slave = "foot/bottom", obstacle = { half_space = {} }, friction = 0.3 }
support.head = { on = "foot/top", x = "1e-3*max(t-0.4,0)", y = "-1e-3*min(t/0.4,1)" }
analysis.scheme = "quasi_static"
"#;

/// Reference: the block in one fine mesh, whose head differs by the error of the coarse cells there; and the other path.
#[test]
fn friction_on_the_fine_model_is_that_of_a_fine_block() {
    let forces = |text: &str, changes: &[&str]| {
        let mut run = finish(text, changes);
        let (n, t) = (field(&mut run, "contact/floor/normal_force"), field(&mut run, "contact/floor/tangential_force"));
        (n[0], t[0], field(&mut run, "step/sliding")[0])
    };
    let (whole, glued) = (forces(WHOLE, &[]), forces(BLOCK, &[]));
    assert!((glued.0 / whole.0 - 1.0).abs() < 0.005, "{glued:?} {whole:?}");
    assert!((glued.1 / whole.1 - 1.0).abs() < 0.02, "{glued:?} {whole:?}");
    assert_eq!(glued.2, whole.2);
    let other = forces(BLOCK, &["analysis.path=condensed"]);
    assert!((glued.0 / other.0 - 1.0).abs() < 1e-8 && (glued.1 / other.1 - 1.0).abs() < 1e-8, "{glued:?} {other:?}");
}

/// A cantilever: solid at the wall, beam to the tip.
const ARM: &str = r#"
dimension = 2
gravity = [0, 0]
time = { step = 1, end = 1 }
material.steel = { behaviour = "elastic", young = 2e11, poisson = 0.3, density = 7800 }
mesh.root = { kind = "block", size = [0.4, 0.1], cells = [32, 8], element = "quad8" }
solid.root = { mesh = "root", position = [0, -0.05], hypothesis = "plane_stress", thickness = 0.05 }
beam.arm = { from = [0.3, 0], to = [1.0, 0], cells = 14, section = { width = 0.05, height = 0.1 } }
arlequin.joint = { coarse = "arm", fine = "root" }
support.wall = { on = "root/left", x = 0, y = 0 }
load.tip = { on = "arm/end", force = [0, -1e3] }
analysis.scheme = "quasi_static"
observe.tip = { on = "arm/end" }
"#;

/// Reference: Timoshenko's cantilever, w = P L³/(3 E I) + P L/(κ G A), up to what the wall holds back of the section.
#[test]
fn a_beam_goes_on_from_a_solid() {
    let (young, b, h, l, p) = (2e11, 0.05, 0.1, 1.0f64, 1e3);
    let (inertia, shear) = (b * f64::powi(h, 3) / 12.0, young / 2.6 * 5.0 / 6.0 * b * h);
    let exact = -(p * l.powi(3) / (3.0 * young * inertia) + p * l / shear);
    // Constant weights with motions of sections as multipliers are not exact, method §8.6.
    for (weights, bound) in [("linear", 0.005), ("cubic", 0.005), ("constant", 0.01)] {
        let mut run = finish(ARM, &[&format!("arlequin.joint.weights={weights}")]);
        let tip = field(&mut run, "probes/tip/displacement")[1];
        assert!((tip / exact - 1.0).abs() < bound, "{weights}: {tip:e} of {exact:e}");
    }
}

/// A rigid disc that falls on a plate with a fine zone.
const DISC: &str = r#"
dimension = 2
time = { step = 1e-3, end = 0.1 }
material.steel = { behaviour = "elastic", young = 2e9, poisson = 0.3, density = 7800 }
law = { friction = 0.3 }
mesh.plate = { kind = "block", size = [1.0, 0.2], cells = [20, 4] }
mesh.patch = { kind = "block", size = [0.3, 0.1], cells = [30, 10] }
solid.plate = { mesh = "plate" }
solid.patch = { mesh = "patch", position = [0.35, 0.1] }
body.disc = { shape = { disc = { radius = 0.05 } }, material = "steel", position = [0.45, 0.2505], velocity = [0.5, 0] }
arlequin.zoom = { coarse = "plate", fine = "patch" }
support.floor = { on = "plate/bottom", x = 0, y = 0 }
analysis.scheme = "moreau_jean"
"#;

/// Contact lives on the fine model alone, and glued models do not touch each other.
#[test]
fn a_body_touches_the_fine_model_only() {
    let mut run = finish(DISC, &[]);
    let weight = 7800.0 * std::f64::consts::PI * 0.05f64.powi(2) * 9.81;
    let disc = field(&mut run, "bodies/velocity");
    assert!(disc[1].abs() < 0.2, "{disc:?}");
    let pairs = field(&mut run, "nodes/contact_normal");
    // Nodes of the plate come first: none of them carries anything.
    let plate = 21 * 5;
    assert!(pairs[..2 * plate].iter().all(|f| *f == 0.0));
    let lift: f64 = pairs[2 * plate..].iter().skip(1).step_by(2).sum();
    assert!(lift < 0.0 && lift > -50.0 * weight, "{lift} of {weight}");
}

/// A bar in two models.
const BAR: &str = r#"
dimension = 2
gravity = [0, 0]
time = { step = 0.005, end = 2.0 }
material.m = { behaviour = "elastic", young = 1, poisson = 0, density = 1 }
mesh.coarse = { kind = "block", size = [3, 0.2], cells = [12, 1] }
mesh.fine = { kind = "block", size = [3, 0.2], cells = [60, 1] }
analysis.scheme = "newmark"
arlequin.glue = { coarse = "coarse", fine = "fine" }
[solid.coarse]
mesh = "coarse"
position = [2, 0]
[solid.fine]
mesh = "fine"
start = { displacement = ["0.1*exp(-((x-1)/0.3)^2)", 0] }
"#;

/// Reference: the same bar with one scheme and one step; energy by the ledger.
#[test]
fn schemes_and_steps_of_their_own_are_read_from_scenes() {
    let at = |changes: &[&str]| {
        let mut run = finish(BAR, changes);
        let closing = run.totals().energy.closing.abs();
        assert!(closing < 1e-13, "{changes:?}: {closing:e}");
        field(&mut run, "nodes/displacement")
    };
    let whole = at(&[]);
    let size = whole.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    // Explicit schemes have lumped masses: another error of the second order in the cells, k² h² t/12 for the shortest
    // waves of the packet, k = 2·2^½/0.3.
    let lumped = (2.0 * 2f64.sqrt() / 0.3 * 0.05).powi(2) / 12.0 * 2.0 * 2.0;
    for (change, bound) in [
        ("solid.coarse.scheme={ name = \"hht\", alpha = -0.1 }", 0.03),
        ("solid.fine.scheme={ name = \"central_differences\" }", lumped),
        ("solid.fine.scheme={ name = \"semi_explicit\" }", lumped),
        ("solid.coarse.every=4", 0.03),
    ] {
        let other = at(&[change]);
        let off = whole.iter().zip(&other).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size;
        assert!(off > 0.0 && off < bound, "{change}: {off} of {bound}");
    }
}

#[test]
fn what_cannot_be_superposed_is_told_at_its_line() {
    for (changes, says) in [
        (&["solid.fine.position=[20, 0]"][..], "do not overlap"),
        (&["arlequin.glue.zone=[[3.5, 0], [4, 1]]"], "gluing zone"),
        (&["arlequin.glue.coarse_share=0"], "coarse_share"),
        (&["arlequin.glue.coarse_share=0.7"], "at most 0.5"),
        (&["arlequin.glue.operation=zoom"], "must lie inside"),
        (&["arlequin.glue.operation=substitution"], "must lie inside"),
        (&["arlequin.glue.length=0.1"], "h1"),
        (&["arlequin.glue.fine=nothing"], "nothing"),
        (&["arlequin.glue.fine=coarse"], "itself"),
        (&["analysis.scheme=moreau_jean", "solid.coarse.every=4"], "newmark or theta"),
        (&["analysis.scheme=central_differences"], "semi_explicit"),
        (&["analysis.linear=iterative"], "direct"),
    ] {
        let message = refused(BAR, changes);
        assert!(message.to_lowercase().contains(says), "{changes:?}: {message}");
    }
}

/// Two patches side by side on one model must not meet: their shares would not add up to one.
#[test]
fn patches_that_lie_over_each_other_are_refused() {
    let two = |at: f64| {
        let patch = "mesh.patch = { kind = \"block\", size = [0.2, 0.1], cells = [10, 5] }";
        let solid = format!("solid.second = {{ mesh = \"patch\", position = [{at}, 0.1] }}");
        DISC.replace("mesh.patch = { kind = \"block\", size = [0.3, 0.1], cells = [30, 10] }", patch)
            + &format!("{solid}\narlequin.other = {{ coarse = \"plate\", fine = \"second\" }}\n")
    };
    assert_eq!(refused(&two(0.7), &[]), "");
    let message = refused(&two(0.5), &[]);
    assert!(message.contains("lie over each other"), "{message}");
}

/// `check` tells the condition of the rows and warns of what does not pass.
#[test]
fn check_tells_the_choice_of_the_mediator() {
    let check = |changes: &[&str]| read(BAR, changes).check().unwrap_or_else(|e| panic!("{e}"));
    let text = check(&[]).to_string();
    assert!(text.contains("fine mediator") && text.contains("condition"), "{text}");
    let bad = check(&["arlequin.glue.mediator=coarse", "arlequin.glue.weights=constant"]).to_string();
    assert!(bad.contains("warning") && bad.contains("constant stress"), "{bad}");
}
