//! A synthetic run whose every number is a known function of the frame.
// Shared by tests and an example, none of which uses all of it.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::PathBuf;

use delassus_record::{BodyGeometry, Constant, Extent, Field, Frame, Header, Kind, Outline};
use std::sync::Arc;

/// Fields of a rigid run in dimension `d` with `n` bodies.
pub fn header(d: usize, n: usize) -> Header {
    let (a, s) = if d == 2 { (1, 1) } else { (4, 3) };
    let contact = || Extent::Ragged("contacts".into());
    let f = Field::new;
    let outline = || {
        let points = vec![[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]];
        Arc::new(Outline { points, polygons: vec![vec![0, 1, 2, 3], vec![0, 2]] })
    };
    // Some have an outline in common.
    let shared = outline();
    let square = |i: usize| BodyGeometry {
        name: format!("body {i}").into(),
        body: i as u32,
        material: if i.is_multiple_of(2) { "steel".into() } else { "wood".into() },
        outline: if i.is_multiple_of(2) { shared.clone() } else { outline() },
        scale: 1.0,
    };
    let mut header = Header::new("synthetic é", d);
    header.scene = "title = \"synthetic\"\n[law]\nfriction = 0.5\n".into();
    header.overrides = vec!["law.friction=0.5".into()];
    header.attributes.insert("seed".into(), "7".into());
    header.geometry = (0..n).map(square).collect();
    header.constants = vec![
        Constant::texts("bodies/name", "names", (0..n).map(|i| format!("bodé {i}").into()).collect()),
        Constant::numbers("bodies/inertia", 3, ("kg m2", ""), (0..3 * n).map(|i| 0.1 * i as f64).collect()),
        Constant::integers("joints/bodies", 2, "-1 is the world", vec![-1, 0]),
        Constant::texts("joints/none", "without items", vec![]),
    ];
    header.fields = vec![
        f("bodies/position", Kind::F64, d, Extent::Fixed(n)).with("m", "centre of mass"),
        f("bodies/orientation", Kind::F64, a, Extent::Fixed(n)).with("1", "angle or quaternion w, x, y, z"),
        f("bodies/velocity", Kind::F64, d, Extent::Fixed(n)).with("m/s", "velocity of the centre"),
        f("bodies/spin", Kind::F64, s, Extent::Fixed(n)).with("rad/s", "angular velocity"),
        f("contacts/key", Kind::U32, 4, contact()),
        f("contacts/image", Kind::I32, 3, contact()),
        f("contacts/bodies", Kind::U32, 2, contact()),
        f("contacts/point", Kind::F64, d, contact()).with("m", ""),
        f("contacts/normal", Kind::F64, d, contact()),
        f("contacts/gap", Kind::F64, 1, contact()).with("m", "positive apart"),
        f("contacts/percussion", Kind::F64, d, contact()).with("N·s", "normal first"),
        f("contacts/status", Kind::U8, 1, contact()).with("1", "0 open, 1 stick, 2 slip"),
        f("contacts/force", Kind::F64, d, contact()).with("N", "in the world"),
        f("step/residual", Kind::F64, 1, Extent::Scalar),
        f("step/iterations", Kind::U64, 1, Extent::Scalar),
        f("energy/kinetic", Kind::F64, 1, Extent::Scalar).with("J", "kinetic energy"),
        f("seconds", Kind::F32, 1, Extent::Scalar).with("s", "at the root of the file"),
    ];
    header
}

/// Number of contacts of frame `k`: from none to many.
pub fn contacts(k: usize) -> usize {
    (k * 7) % 23
}

/// A number that looks like one of a simulation: smooth in time, full mantissa.
pub fn value(k: usize, column: usize, i: usize) -> f64 {
    ((i * 31 + column) as f64).sqrt().sin() + 1e-4 * k as f64 * ((i * 17 + column) as f64).cos()
}

/// Fills frame `k` with `rows` contacts.
pub fn fill_with(header: &Header, k: usize, rows: usize, frame: &mut Frame) {
    frame.clear();
    (frame.step, frame.time) = (10 * k as u64, 1e-2 * k as f64);
    for (c, (field, column)) in header.fields.iter().zip(&mut frame.columns).enumerate() {
        let items = match field.extent {
            Extent::Fixed(n) => n,
            Extent::Scalar => 1,
            Extent::Ragged(_) => rows,
        };
        let values = (0..items * field.width).map(|i| value(k, c, i));
        match field.kind {
            Kind::F64 => column.f64_mut().unwrap().extend(values),
            Kind::F32 => column.f32_mut().unwrap().extend(values.map(|x| x as f32)),
            Kind::U64 => column.u64_mut().unwrap().extend(values.map(|x| (x.abs() * 1e6) as u64)),
            Kind::U32 => column.u32_mut().unwrap().extend(values.map(|x| (x.abs() * 1e3) as u32)),
            Kind::I32 => column.i32_mut().unwrap().extend(values.map(|x| (x * 3.0) as i32)),
            Kind::U8 => column.u8_mut().unwrap().extend(values.map(|x| (x.abs() * 3.0) as u8)),
        }
    }
}

/// Frame `k` of the synthetic run.
pub fn frame(header: &Header, k: usize) -> Frame {
    let mut frame = header.frame();
    fill_with(header, k, contacts(k), &mut frame);
    frame
}

/// A directory of its own, removed at the end.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("delassus-record-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
