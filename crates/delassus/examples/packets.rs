//! Packets of waves through the junctions of `bar_high_frequency`, over their wave numbers, against the exact matching of
//! waves averaged over each packet: `cargo run --release -p delassus --example packets FILE.png`
//!
//! Lines are exact, crosses are runs. Without a file the numbers alone.

#[path = "../tests/suite/common/packet.rs"]
#[allow(dead_code)] // What tests use of it.
mod packet;

use delassus::arlequin::{BarJunction, Mediator, Product, Profile};
use delassus_draw::{Chart, Curve, Head, Panel, Point, Quantity, Stroke, line_style};

/// Width of the packets \[m\], and wave numbers of their middles \[1/m\].
const WIDTH: f64 = 0.3;
const NUMBERS: [f64; 9] = [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 50.0];
/// Reflection less than this is not drawn.
const LEAST: f64 = 1e-6;

/// Name, variant of the scene and changes of it, exact reflection and transmission.
type Case<'a> = (&'a str, &'a str, Vec<&'a str>, Box<dyn Fn(f64) -> [f64; 2]>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cases: [Case<'_>; 3] = [
        ("node to node", "node_to_node", vec![], exact(None)),
        (
            "Arlequin, constant weights",
            "arlequin",
            vec!["arlequin.junction.weights=constant"],
            exact(Some(Profile::Constant(0.5))),
        ),
        ("Arlequin, linear weights", "arlequin", vec![], exact(Some(Profile::Linear { floor: 1e-3 }))),
    ];
    let panel = |title: &str, y: Quantity| Panel {
        title: title.into(),
        x: Quantity::new("wave number of the packet", "1/m"),
        y,
        curves: vec![],
    };
    let range = Quantity::new("share of the energy", "1").logarithmic().between(LEAST, 2.0);
    let mut panels = [panel("Sent back", range.clone()), panel("Let through", range)];
    println!("{:28} {:>5} {:>22} {:>22}", "", "k", "sent back: run, exact", "let through: run, exact");
    for (i, (name, variant, changes, exact)) in cases.iter().enumerate() {
        for (panel, k) in panels.iter_mut().zip(0..2) {
            let points = (8..=100).map(|n| 0.5 * f64::from(n)).map(|n| [n, exact(n)[k].max(LEAST)]).collect();
            panel.curves.push(Curve { name: (*name).into(), stroke: line_style(i), points });
        }
        let mut crosses = [vec![], vec![]];
        for n in NUMBERS {
            let (number, width) = (format!("k={n}"), format!("sigma={WIDTH}"));
            let set = [&changes[..], &[&number, &width, "h=5e-3", "time.end=4.2"]].concat();
            let run = packet::send(variant, &set);
            let [sent, through] = exact(n);
            println!("{name:28} {n:5} {:10.3e} {sent:10.3e} {:11.3e} {through:10.3e}", run.reflected, run.transmitted);
            for (all, y) in crosses.iter_mut().zip([run.reflected, run.transmitted]) {
                all.extend(cross([n, y.max(LEAST)]));
            }
        }
        let solid = Stroke { dash: vec![], ..line_style(i) };
        for (panel, points) in panels.iter_mut().zip(crosses) {
            panel.curves.push(Curve { name: format!("{name}, runs"), stroke: solid.clone(), points });
        }
    }
    if let Some(file) = std::env::args().nth(1) {
        let head = Head::new("Packets through a junction, cells of 0.01 and 0.1 m");
        let picture = Chart { head, panels: panels.to_vec() }.picture()?;
        let svg = file.ends_with(".svg");
        std::fs::write(&file, if svg { picture.to_svg()?.into_bytes() } else { picture.to_png(2.0)? })?;
    }
    Ok(())
}

/// Shares sent back and let through, of a packet around a wave number.
fn exact(weights: Option<Profile>) -> Box<dyn Fn(f64) -> [f64; 2]> {
    let junction = BarJunction {
        weights: [weights.unwrap_or(Profile::Constant(0.5)); 2],
        mediator: Mediator::Coarse,
        product: Product::H1 { length: 0.1 },
        step: 5e-3,
        ..BarJunction::default()
    };
    Box::new(move |k| {
        let s = match weights {
            Some(_) => junction.packet(k, WIDTH).expect("the fine bar carries it"),
            None => junction.packet_node_to_node(k, WIDTH),
        };
        [s.reflected, s.transmitted]
    })
}

/// Two strokes around a point of a logarithmic panel.
fn cross([x, y]: Point) -> [Point; 6] {
    let (d, f, apart) = (0.5, 1.25, [f64::NAN; 2]);
    [[x - d, y], [x + d, y], apart, [x, y / f], [x, y * f], apart]
}
