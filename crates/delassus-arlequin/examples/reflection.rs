//! Reflection and transmission of a junction of two bars over wave numbers, as CSV:
//! `cargo run --release -p delassus-arlequin --example reflection > reflection.csv`
//!
//! Columns: wave number of the fine bar, frequency, reflection at a node-to-node junction (closed form), then reflected
//! and transmitted shares of every junction of weights and mediator, and of linear weights with HHT in the overlap.

use delassus_arlequin::{BarJunction, Mediator, Profile};

fn main() -> Result<(), delassus_arlequin::Error> {
    let linear = Profile::Linear { floor: 1e-3 };
    let cubic = Profile::Cubic { floor: 1e-3 };
    let constant = Profile::Constant(0.5);
    let mut variants = vec![];
    for (name, mediator) in [("coarse", Mediator::Coarse), ("fine", Mediator::Fine)] {
        for (weight, profile) in [("constant", constant), ("linear", linear), ("cubic", cubic)] {
            let junction = BarJunction { weights: [profile; 2], mediator, ..BarJunction::default() };
            variants.push((format!("{weight}_{name}"), junction));
        }
    }
    let hht = BarJunction {
        weights: [linear; 2],
        mediator: Mediator::Coarse,
        step: 0.01,
        damping: -0.3,
        ..BarJunction::default()
    };
    variants.push(("linear_coarse_hht".to_owned(), hht));
    let numbers: Vec<f64> = (1..=400).map(|i| 0.25 * f64::from(i)).collect();
    let curves = variants.iter().map(|(_, j)| j.curve(&numbers)).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = variants.iter().map(|(n, _)| format!("R2_{n},T2_{n}")).collect();
    println!("k,omega,R2_node_to_node,{}", names.join(","));
    for (i, k) in numbers.iter().enumerate() {
        let (_, omega, _, node) = curves[0][i];
        let shares: Vec<String> =
            curves.iter().map(|c| format!("{:.6e},{:.6e}", c[i].2.reflected, c[i].2.transmitted)).collect();
        println!("{k},{omega:.8},{:.6e},{}", node.reflected, shares.join(","));
    }
    Ok(())
}
