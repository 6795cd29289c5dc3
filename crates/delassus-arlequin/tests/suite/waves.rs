//! Waves through junctions of bars against closed forms and reference A4 (widths 0.01 and 0.1, overlap of length 1).

use delassus_arlequin::{BarJunction, Error, Mediator, Product, Profile};

const CONSTANT: Profile = Profile::Constant(0.5);
const LINEAR: Profile = Profile::Linear { floor: 1e-3 };
/// That of the reference, whose product is not told: the width of the coarse cells.
const H1: Product = Product::H1 { length: 0.1 };

fn junction(weight: Profile, mediator: Mediator, product: Product) -> BarJunction {
    BarJunction { weights: [weight; 2], mediator, product, ..BarJunction::default() }
}

/// Reference A4, `R2_closed_form_at_k` and `R2_packet_node_to_node`: packets are means over their waves, up to the error
/// of the reference in time.
#[test]
fn bars_joined_at_a_node() {
    let j = BarJunction::default();
    for (k, sigma, at, packet) in [
        (5.0, 0.25, 2.715677601305478e-05, 0.00023197034159640564),
        (12.0, 0.2, 0.0010015699920737323, 0.0028560311484026233),
        (60.0, 0.1, 1.0, 0.9999703680105158),
    ] {
        let got = j.node_to_node(k).reflected;
        assert!((got / at - 1.0).abs() < 1e-10, "{k}: {got} {at}");
        let got = j.packet_node_to_node(k, sigma).reflected;
        assert!((got / packet - 1.0).abs() < 2e-3, "{k}: {got} {packet}");
    }
}

/// Without damping nothing is lost, whatever the weights, the mediator, the product and the step.
#[test]
fn a_conservative_junction_scatters_all_of_the_energy() {
    for weight in [CONSTANT, LINEAR, Profile::Cubic { floor: 1e-3 }] {
        for mediator in [Mediator::Coarse, Mediator::Fine] {
            for (product, step) in [(Product::L2, 0.0), (H1, 0.01)] {
                let j = BarJunction { step, ..junction(weight, mediator, product) };
                for k in [0.5, 5.0, 20.0, 28.0, 33.0, 60.0, 150.0] {
                    let s = j.scatter(j.frequency(k)).expect("carried");
                    let sum = s.reflected + s.transmitted;
                    assert!((sum - 1.0).abs() < 1e-9, "{weight:?} {mediator:?} {product:?} {k}: {s:?}");
                }
            }
        }
    }
}

/// With the mediator of a fine mesh that makes up the coarse one, the fine bar follows the coarse one in the overlap,
/// and shares of both add up to one bar: the closed form of a node-to-node junction, at every frequency.
#[test]
fn the_fine_mediator_moves_the_junction_to_the_beginning_of_the_overlap() {
    for weight in [CONSTANT, Profile::Constant(0.1), LINEAR, Profile::Cubic { floor: 1e-3 }] {
        let j = junction(weight, Mediator::Fine, Product::L2);
        for (_, omega, arlequin, node) in j.curve(&[1.0, 5.0, 12.0, 25.0, 31.0, 40.0, 100.0]).expect("carried") {
            assert!((arlequin.reflected - node.reflected).abs() < 1e-8, "{weight:?} {omega}: {arlequin:?} {node:?}");
        }
    }
}

/// Reference A4, packets through Arlequin junctions. Its weights are those of the middles of elements.
#[test]
fn packets_through_a_junction() {
    let packet = |weight, mediator, k, sigma| {
        let j = BarJunction { by_element: true, ..junction(weight, mediator, H1) };
        j.packet(k, sigma).expect("carried").reflected
    };
    for (weight, mediator, k, sigma, reference) in [
        (CONSTANT, Mediator::Coarse, 5.0, 0.25, 0.0006916431867231511),
        (CONSTANT, Mediator::Coarse, 12.0, 0.2, 0.004352703046046265),
        (CONSTANT, Mediator::Fine, 5.0, 0.25, 0.00023199479399575742),
        (CONSTANT, Mediator::Fine, 12.0, 0.2, 0.0028558047206872403),
        (CONSTANT, Mediator::Fine, 60.0, 0.1, 0.9999708451145924),
        (LINEAR, Mediator::Coarse, 12.0, 0.2, 0.0004722421926449134),
        (LINEAR, Mediator::Fine, 5.0, 0.25, 0.0002554229202241556),
        (LINEAR, Mediator::Fine, 12.0, 0.2, 0.002938671179757984),
        (LINEAR, Mediator::Fine, 60.0, 0.1, 0.999970886728018),
    ] {
        let got = packet(weight, mediator, k, sigma);
        assert!((got / reference - 1.0).abs() < 0.01, "{weight:?} {mediator:?} {k}: {got} {reference}");
    }
    // Beyond π/h_c the coarse bar carries nothing: in the end all comes back. The reference looks while a part is still
    // between the ends of the overlap, and sees less.
    for (weight, seen) in [(CONSTANT, 0.7383650618179192), (LINEAR, 0.7099277426275182)] {
        let got = packet(weight, Mediator::Coarse, 60.0, 0.1);
        assert!(got > seen && got > 0.999, "{weight:?}: {got}");
    }
}

/// Reference A4, HHT in the overlap: energy of the end over that of the start, all of it in waves that are sent back
/// beyond the cut-off; some of it may still be in the overlap there, where it goes on losing a little.
#[test]
fn hht_in_the_overlap_damps_what_the_coarse_bar_cannot_carry() {
    for (alpha, step, reference) in [
        (-0.05, 0.005, 0.9538890560923211),
        (-0.05, 0.01, 0.7257433882801031),
        (-0.3, 0.005, 0.8588316231897729),
        (-0.3, 0.01, 0.37531313844812),
    ] {
        let j = BarJunction { step, damping: alpha, ..junction(LINEAR, Mediator::Coarse, Product::L2) };
        let s = j.packet(60.0, 0.1).expect("carried");
        let left = s.reflected + s.transmitted;
        assert!((left - reference).abs() < 0.03, "{alpha} {step}: {left} {reference}");
        // Long waves pass.
        let s = j.scatter(j.frequency(1.0)).expect("carried");
        assert!(s.transmitted > 0.999, "{s:?}");
    }
}

#[test]
fn bars_that_do_not_fit_are_told() {
    let j = BarJunction { overlap: 1.05, ..BarJunction::default() };
    assert!(matches!(j.scatter(1.0), Err(Error::Value { name: "coarse width", .. })));
    let j = BarJunction::default();
    assert!(matches!(j.scatter(1e4), Err(Error::Value { name: "frequency", .. })));
}
