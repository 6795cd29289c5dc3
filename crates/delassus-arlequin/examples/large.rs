//! How long large overlaps take: `cargo run --release -p delassus-arlequin --example large`

use delassus_arlequin::{Gluing, Layer, Mediator, Overlap, Product, Profile, Ramp, Sharing};
use delassus_fem::element::{mass_rule, stiffness_rule};
use delassus_fem::mesh::generate::{Cuboid, Rectangle};
use delassus_fem::mesh::{CellKind, Mesh};
use std::time::Instant;

fn time<const D: usize>(name: &str, coarse: &Mesh, fine: &Mesh) {
    let start = Instant::now();
    let mut last = start;
    let mut lap = || {
        let now = Instant::now();
        let s = (now - last).as_secs_f64();
        last = now;
        s
    };
    let layers = [coarse, fine].map(|m| Layer::<D>::new(m, None).expect("straight cells"));
    let cells = layers.each_ref().map(Layer::len);
    let layers_s = lap();
    let [a, b] = layers;
    let o = Overlap::new(a, b).expect("overlap");
    let cut = lap();
    let g = Gluing::new(&o, Mediator::Fine, Product::H1 { length: 0.1 }, &|_| true, &|_| 1.0).expect("rows");
    let rows = lap();
    let ramp = Ramp::new(&o, Some(0.1));
    let sharing = Sharing::new(Profile::Linear { floor: 1e-3 }, Some(&ramp)).expect("ramp");
    sharing.factors(&o, &|k| stiffness_rule(k, false), 0.1);
    sharing.factors(&o, &mass_rule, 0.1);
    let weights = lap();
    println!(
        "{name}: {} × {} cells, {} pieces, {} rows; meshes {layers_s:.2} s, cut {cut:.2} s, rows {rows:.2} s, weights {weights:.2} s",
        cells[0],
        cells[1],
        o.pieces.len(),
        g.rows.len(),
    );
}

fn main() {
    let plane = |kind, n| Rectangle::new([0.0; 2], [1.0; 2], [n, n], kind).mesh().expect("mesh");
    let turned = |mut mesh: Mesh| {
        mesh.rotate([0.5, 0.5, 0.0], [0.0, 0.0, 1.0], 0.3).expect("axis");
        mesh.scale([0.7; 3]).expect("scale");
        mesh.translate([0.15, 0.15, 0.15]);
        mesh
    };
    time::<2>("quadrangles", &plane(CellKind::Quad4, 141), &turned(plane(CellKind::Quad4, 141)));
    time::<2>("triangles", &plane(CellKind::Tri3, 100), &turned(plane(CellKind::Tri3, 100)));
    let space = |kind, n| Cuboid::new([0.0; 3], [1.0; 3], [n; 3], kind).mesh().expect("mesh");
    time::<3>("hexahedra", &space(CellKind::Hex8, 17), &turned(space(CellKind::Hex8, 17)));
    time::<3>("tetrahedra", &space(CellKind::Tet4, 9), &turned(space(CellKind::Tet4, 9)));
}
