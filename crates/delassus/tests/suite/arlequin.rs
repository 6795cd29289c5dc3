//! Superposed models as scenes: bars and the Taylor bar against references A1, A2, A4 and against one fine model.

use crate::common::packet::{chains, field, go, send};
use delassus::arlequin::{BarJunction, Mediator, Product, Profile};
use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};

fn scene(name: &str, variant: &str, changes: &[&str]) -> Simulation {
    let changes: Vec<String> = changes.iter().map(|s| (*s).to_owned()).collect();
    let scene = Scene::parse(example(name).expect("in the gallery").text, name, &changes);
    let scene = scene.and_then(|s| s.with_variant(variant)).unwrap_or_else(|e| panic!("{name}: {e}"));
    Simulation::new(&scene, &Options::default()).unwrap_or_else(|e| panic!("{name} {variant}: {e}"))
}

/// Reference A1, u = F x/(E S): exact with the mediator of the fine mesh, with that of the coarse one off by as much
/// as there.
#[test]
fn a_bar_in_tension() {
    for (variant, reference) in [
        ("linear_fine", 0.0),
        ("constant_fine", 0.0),
        ("linear_coarse", 0.00025853783192753),
        ("constant_coarse", 0.02445368470253184),
    ] {
        let mut bar = scene("bar_tension", variant, &[]);
        bar.step().expect("a step");
        let off = chains(&mut bar).concat().iter().map(|[x, u, _]| (u - x).abs()).fold(0.0, f64::max);
        assert!((off - reference).abs() < 1e-11, "{variant}: {off} for {reference}");
    }
}

/// Reference A2: the energy that the bar of \[Zammali05\] section 4.2.7 is let go with, and keeps.
#[test]
fn a_bar_of_two_models_keeps_its_energy() {
    for variant in ["linear", "constant", "coarse"] {
        let (start, drift) = go(&mut scene("bar_arlequin", variant, &["time.end=6"]));
        assert!((start / 3.6894086510286797 - 1.0).abs() < 1e-9, "{variant}: {start} J");
        assert!(drift < 1e-12, "{variant}: {drift:.1e}");
    }
}

/// Reference A4, packets through a node-to-node junction and through Arlequin with constant weights, seen at 3.3 s in the
/// rows of the nodes before the overlap.
#[test]
fn packets_are_sent_back_as_the_reference_says() {
    let constant = "arlequin.junction.weights=constant";
    let (fine, coarse) = ("arlequin.junction.mediator=fine", "arlequin.junction.mediator=coarse");
    for (variant, changes, k, sigma, reference) in [
        ("node_to_node", vec![], 5, 0.25, 0.00023197034159640564),
        ("node_to_node", vec![], 12, 0.2, 0.0028560311484026233),
        ("node_to_node", vec![], 60, 0.1, 0.9999703680105158),
        ("arlequin", vec![constant, coarse], 5, 0.25, 0.0006916431867231511),
        ("arlequin", vec![constant, fine], 5, 0.25, 0.00023199479399575742),
        ("arlequin", vec![constant, coarse], 12, 0.2, 0.004352703046046265),
        ("arlequin", vec![constant, fine], 12, 0.2, 0.0028558047206872403),
        ("arlequin", vec![constant, coarse], 60, 0.1, 0.7383650618179192),
        // Linear weights of the reference are those of the middles of cells; short waves do not feel it.
        ("arlequin", vec![coarse], 60, 0.1, 0.7099277426275182),
    ] {
        let (k, sigma) = (format!("k={k}"), format!("sigma={sigma}"));
        let changes = [&[k.as_str(), sigma.as_str(), "h=5e-3"], &changes[..]].concat();
        let got = send(variant, &changes);
        assert!((got.of_nodes / reference - 1.0).abs() < 0.02, "{variant} {changes:?}: {got:?}, not {reference}");
        // The first step takes what the two meshes do not have alike at the start.
        assert!(got.drift < 1e-9, "{variant} {changes:?}: {got:?}");
    }
}

/// Reference: exact matching of waves at the junction, averaged over the packet; weights integrated exactly, as solids
/// have them, and the step of the run.
#[test]
fn packets_are_sent_back_as_matched_waves_say() {
    for (weights, profile) in [("linear", Profile::Linear { floor: 1e-3 }), ("cubic", Profile::Cubic { floor: 1e-3 })] {
        for (mediator, whose) in [("coarse", Mediator::Coarse), ("fine", Mediator::Fine)] {
            let junction = BarJunction {
                weights: [profile; 2],
                mediator: whose,
                product: Product::H1 { length: 0.1 },
                step: 0.01,
                ..BarJunction::default()
            };
            let exact = junction.packet(12.0, 0.2).expect("carried").reflected;
            let set =
                [format!("arlequin.junction.weights={weights}"), format!("arlequin.junction.mediator={mediator}")];
            let got = send("arlequin", &["k=12", "sigma=0.2", &set[0], &set[1], "time.end=3.6"]);
            // What is still in the overlap may yet come back.
            let rest = (1.0 - got.reflected - got.transmitted).max(0.0);
            let told = format!("{weights} {mediator}: {got:?}, not {exact}");
            assert!(got.reflected < 1.02 * exact && got.reflected + rest > 0.98 * exact && rest < exact, "{told}");
        }
    }
}

/// Reference A4: nothing of a short packet gets through; conservative, all of it stays, with HHT in the zone 0.375 of it.
#[test]
fn high_frequencies_go_with_hht_in_the_zone_alone() {
    for (variant, left, slack) in
        [("node_to_node", 1.0, 1e-10), ("arlequin", 1.0, 1e-10), ("arlequin_hht", 0.3753, 0.05)]
    {
        let got = send(variant, &[]);
        assert!((got.left - left).abs() < slack, "{variant}: {got:?}");
        assert!(got.transmitted < 1e-4, "{variant}: {got:?}");
    }
    // Long waves pass, up to (ω Δt)² of them, which parts with two schemes may give or take.
    let long = send("arlequin_hht", &["k=5", "sigma=0.25"]);
    assert!((long.transmitted - 1.0).abs() < 2.5e-3 && long.reflected < 1e-3, "{long:?}");
}

/// Length, half width of the foot, plastic work, unknowns.
fn taylor(variant: &str, changes: &[&str]) -> [f64; 4] {
    let mut bar = scene("taylor_arlequin", variant, changes);
    while !bar.is_over() {
        bar.step().expect("a step");
    }
    assert_eq!(bar.totals().flagged, 0, "{variant}");
    let (head, edge) = (field(&mut bar, "probes/head/displacement"), field(&mut bar, "probes/edge/displacement"));
    let unknowns = field(&mut bar, "nodes/displacement").len() as f64;
    [20e-3 + head[1], 1e-3 + edge[0], bar.totals().energy.plastic.abs(), unknowns]
}

/// Reference: one fine model. With less than half of its unknowns, the same length, foot and plastic work within one
/// per cent. The meshes of the scene, twice as fine, are those of benches/solids/arlequin.py.
#[test]
fn a_fine_foot_on_a_coarse_bar_flattens_as_a_fine_bar() {
    let coarser = ["n=5", "cell=0.5e-3", "h=2e-7"];
    let (fine, two) = (taylor("fine", &coarser), taylor("plastic", &coarser));
    for k in 0..3 {
        assert!((two[k] / fine[k] - 1.0).abs() < 0.01, "{two:?} for {fine:?}");
    }
    assert!(two[3] < 0.5 * fine[3], "{two:?} for {fine:?}");
}
