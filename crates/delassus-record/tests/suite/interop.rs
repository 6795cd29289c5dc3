//! Other programs read what we write: h5py, VTK, a CSV reader.
#![allow(clippy::unwrap_used)]

use crate::common::{Place, contacts, frame, header, value};
use crate::python::python;
use delassus_record::{Options, Recorder, Run, Series, VtkOptions, export_vtk, write_csv};

fn write(path: &std::path::Path, d: usize, frames: usize) {
    let header = header(d, 5);
    let mut recorder = Recorder::create(path, &header, &Options::default()).unwrap();
    for k in 0..frames {
        recorder.write(&frame(&header, k)).unwrap();
    }
    recorder.finish().unwrap();
}

/// h5py (the C library) sees the layout of the book, and the same bits.
#[test]
fn h5py_reads_a_run() {
    let place = Place::new("h5py");
    let path = place.file("run.h5");
    write(&path, 3, 700);
    let script = r#"
import sys, json, h5py, numpy as np
with h5py.File(sys.argv[1]) as f:
    assert f.attrs["format"] == "delassus-run" and f.attrs["version"] == 4 and f.attrs["dimension"] == 3
    assert f.attrs["title"] == "synthetic é" and "friction = 0.5" in f.attrs["scene"]
    header = json.loads(f.attrs["header"])
    assert header["overrides"] == ["law.friction=0.5"] and len(header["geometry"]) == 5
    t = f["frames/time"][:]
    x = f["bodies/position"][:]
    assert x.shape == (len(t), 5, 3) and f["bodies/position"][650].shape == (5, 3), x.shape
    assert f["model/bodies/name"].asstr()[:].tolist() == [f"bodé {i}" for i in range(5)]
    assert f["model/bodies/inertia"].shape == (5, 3) and f["model/bodies/inertia"][4, 2] == 0.1 * 14
    assert f["model/joints/bodies"][:].tolist() == [[-1, 0]] and "none" not in f["model/joints"]
    assert f["bodies/position"].compression == "gzip" and f["bodies/position"].shuffle
    assert f["bodies/position"].attrs["unit"] == b"m", f["bodies/position"].attrs["unit"]
    first, count = f["frames/contacts"][650]
    gap = f["contacts/gap"][first:first + count]
    force = f["contacts/force"][first:first + count]
    assert force.shape == (count, 3) and f["contacts/status"].dtype == np.uint8
    # Three of the five shapes share an outline.
    assert f["geometry/points"].shape == (12,) and f["geometry/points"][:].shape == (12, 3)
    assert f["geometry/scales"][:].tolist() == [1.0] * 5
    assert [g.get("like") for g in header["geometry"]] == [None, None, 0, None, 0]
    print(len(t), count, t[650].hex(), x[650, 4, 2].hex(), gap[-1].hex(), f["seconds"].shape[0])
"#;
    let text = python(script, &[&path]);
    let words: Vec<&str> = text.split_whitespace().collect();
    let hex = |x: f64| {
        // The bits of Python's float.hex(), through its parts.
        let (bits, exponent) = (x.abs().to_bits(), ((x.to_bits() >> 52) & 0x7ff) as i64 - 1023);
        format!("{}0x1.{:013x}p{exponent:+}", if x < 0.0 { "-" } else { "" }, bits & ((1 << 52) - 1))
    };
    let rows = contacts(650);
    assert_eq!(words[0], "700");
    assert_eq!(words[1], rows.to_string());
    assert_eq!(words[2], hex(1e-2 * 650.0));
    assert_eq!(words[3], hex(value(650, 0, 4 * 3 + 2)));
    assert_eq!(words[4], hex(value(650, 9, rows - 1)));
    assert_eq!(words[5], "700");
}

/// The HDF5 file can be opened by h5py while it is being written, without its journal.
#[test]
fn h5py_reads_a_run_that_is_being_written() {
    let place = Place::new("h5py-live");
    let path = place.file("run.h5");
    let header = header(3, 5);
    let mut recorder = Recorder::create(&path, &header, &Options::default()).unwrap();
    for k in 0..30 {
        recorder.write(&frame(&header, k)).unwrap();
    }
    recorder.checkpoint().unwrap();
    recorder.write(&frame(&header, 30)).unwrap();
    let script =
        "import sys, h5py\nwith h5py.File(sys.argv[1]) as f: print(len(f['frames/time']), f['frames/time'][-1])";
    assert_eq!(python(script, &[&path]).trim(), "30 0.29");
    recorder.finish().unwrap();
}

/// VTK's own readers find the shapes at their places and the contacts with their forces.
#[test]
fn vtk_reads_the_export() {
    let place = Place::new("vtk");
    for d in [2, 3] {
        let path = place.file(&format!("{d}.h5"));
        write(&path, d, 9);
        let run = Run::open(&path).unwrap();
        let out = place.file(&format!("vtk{d}"));
        let done = export_vtk(&run, &out, &VtkOptions { every: 2 }).unwrap();
        assert_eq!((done.frames, done.files), (5, 12));
        let pvd = std::fs::read_to_string(out.join("bodies.pvd")).unwrap();
        assert_eq!(pvd.matches("<DataSet timestep=").count(), 5);
        assert!(pvd.contains(r#"timestep="0.08" part="0" file="bodies_000008.vtp""#), "{pvd}");
        let script = r#"
import sys
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
def read(name):
    r = vtkXMLPolyDataReader(); r.SetFileName(sys.argv[1] + "/" + name); r.Update(); return r.GetOutput()
b = read("bodies_000004.vtp")
assert (b.GetNumberOfPoints(), b.GetNumberOfPolys(), b.GetNumberOfLines()) == (20, 5, 5)
c = b.GetCellData()
assert [c.GetArray("id").GetValue(i) for i in range(10)] == [0, 1, 2, 3, 4] * 2
assert [c.GetArray("material").GetValue(i) for i in range(5)] == [0, 1, 0, 1, 0]
v = c.GetArray("velocity"); assert v.GetNumberOfComponents() == 3 and v.GetNumberOfTuples() == 10
k = read("contacts_000004.vtp")
p = k.GetPointData(); n = k.GetNumberOfPoints()
f = p.GetArray("force"); assert f.GetNumberOfComponents() == 3 and f.GetNumberOfTuples() == n == k.GetNumberOfVerts()
assert p.GetArray("status").GetDataTypeAsString() == "unsigned char" and p.GetArray("gap").GetNumberOfTuples() == n
assert k.GetFieldData().GetArray("TimeValue").GetValue(0) == 0.04
print(n, *[b.GetPoint(4 * 3 + 2)[i] for i in range(3)], *v.GetTuple(8), *f.GetTuple(n - 1), *k.GetPoint(n - 1))
"#;
        let text = python(script, &[&out]);
        let found: Vec<f64> = text.split_whitespace().map(|w| w.parse().unwrap()).collect();
        let rows = contacts(4);
        assert_eq!(found[0] as usize, rows);
        let corner = corner(d);
        for i in 0..3 {
            let component = |column, row| if i < d { value(4, column, row * d + i) } else { 0.0 };
            assert!((found[1 + i] - corner[i]).abs() < 1e-14, "{d}: {found:?}, expected {corner:?}");
            assert_eq!(found[4 + i], component(2, 3));
            assert_eq!(found[7 + i], component(12, rows - 1));
            assert_eq!(found[10 + i], component(7, rows - 1));
        }
    }
}

/// Where corner (½, ½, 0) of body 3 is in frame 4, by rotation matrices.
fn corner(d: usize) -> [f64; 3] {
    let x = |i: usize| value(4, 0, 3 * d + i);
    if d == 2 {
        let (s, c) = value(4, 1, 3).sin_cos();
        return [x(0) + 0.5 * (c - s), x(1) + 0.5 * (s + c), 0.0];
    }
    let q = |i: usize| value(4, 1, 12 + i);
    let (w, a, b, c) = (q(0), q(1), q(2), q(3));
    // The synthetic quaternion is no unit one: the formula of the export, as a matrix.
    let m = [
        [1.0 - 2.0 * (b * b + c * c), 2.0 * (a * b - w * c)],
        [2.0 * (a * b + w * c), 1.0 - 2.0 * (a * a + c * c)],
        [2.0 * (a * c - w * b), 2.0 * (b * c + w * a)],
    ];
    [0, 1, 2].map(|i| x(i) + 0.5 * (m[i][0] + m[i][1]))
}

/// Every number of the CSV reads back to the same bits.
#[test]
fn csv_reads_back_exactly() {
    let place = Place::new("csv");
    let path = place.file("run.h5");
    write(&path, 2, 20);
    let run = Run::open(&path).unwrap();
    let mut series = Series::scalars(&run);
    assert_eq!(series.len(), 4);
    series.push(Series { field: "bodies/position".into(), item: 4 });
    let mut text = Vec::new();
    write_csv(&run, &series, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    let head = "step,time [s],step/residual [1],step/iterations [1],energy/kinetic [J],seconds [s],\
                bodies/position[bodé 4].x [m],bodies/position[bodé 4].y [m]";
    assert_eq!(lines.next(), Some(head));
    for (k, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], (10 * k).to_string());
        let exact = |i: usize| cells[i].parse::<f64>().unwrap();
        assert_eq!(exact(1), 1e-2 * k as f64);
        assert_eq!(exact(4), value(k, 15, 0));
        assert_eq!(exact(7), value(k, 0, 9));
    }
    assert_eq!(text.lines().count(), 21);
}
