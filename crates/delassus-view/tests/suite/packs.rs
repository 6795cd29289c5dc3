//! What the page is told equals what was recorded.

use delassus_record::{BodyGeometry, Column, Extent, Field, Frame, Header, Kind, Options, Outline, Recorder, Run};
use delassus_view::film::{self, Film, Memory};
use delassus_view::{Cast, Page, forces, html};
use serde_json::Value;
use std::sync::Arc;

/// Two bodies on a line, one contact in every second frame; body 1 moves by a third of a metre a frame.
fn memory() -> Memory {
    let mut header = Header::new("two bodies <in> a row", 2);
    let fixed = |name: &str, width| Field::new(name, Kind::F64, width, Extent::Fixed(2));
    let ragged = |name: &str, kind, width| Field::new(name, kind, width, Extent::Ragged("contacts".into()));
    header.fields = vec![
        fixed("bodies/position", 2),
        fixed("bodies/orientation", 1),
        ragged("contacts/bodies", Kind::U32, 2),
        ragged("contacts/normal", Kind::F64, 2),
        ragged("contacts/force", Kind::F64, 2),
        Field::new("energy/kinetic", Kind::F64, 1, Extent::Scalar),
    ];
    let outline = Arc::new(Outline {
        points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        polygons: vec![vec![0, 1, 2]],
    });
    for body in 0..2 {
        let (name, material) = (format!("body {body}"), "stone".into());
        header.geometry.push(BodyGeometry {
            name: name.into(),
            body,
            material,
            outline: outline.clone(),
            scale: 1.0 + f64::from(body),
        });
    }
    let frame = |k: usize| {
        let there = k % 2 == 1;
        let when = |x: Vec<f64>| if there { x } else { vec![] };
        Frame {
            step: k as u64,
            time: 0.1 * k as f64,
            columns: vec![
                Column::F64(vec![0.0, 0.0, k as f64 / 3.0, 0.0]),
                Column::F64(vec![0.0, 0.1]),
                Column::U32(if there { vec![1, 0] } else { vec![] }),
                Column::F64(when(vec![0.0, 1.0])),
                Column::F64(when(vec![3.0, 4.0])),
                Column::F64(vec![k as f64 / 7.0]),
            ],
        }
    };
    Memory { frames: (0..6).map(frame).collect(), header }
}

/// The head of a pack, and an array of double precision in it.
fn unpacked(bytes: &[u8], name: &str) -> (Value, Vec<f64>) {
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four")) as usize;
    let head: Value = serde_json::from_slice(&bytes[8..8 + length]).expect("JSON");
    let all = head["arrays"].as_array().expect("arrays");
    let array = all.iter().find(|a| a["name"] == name).unwrap_or_else(|| panic!("{name}"));
    let (start, count) = (array["start"].as_u64().expect("start") as usize, array["count"].as_u64().expect("count"));
    let numbers = count as usize * array["width"].as_u64().expect("width") as usize;
    let body = &bytes[8 + length + start..];
    let read = match array["kind"].as_str() {
        Some("float64") => body.chunks(8).take(numbers).map(|b| f64::from_le_bytes(b.try_into().expect("8"))).collect(),
        Some("float32") => {
            body.chunks(4).take(numbers).map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("4")))).collect()
        }
        Some("uint32") => {
            body.chunks(4).take(numbers).map(|b| f64::from(u32::from_le_bytes(b.try_into().expect("4")))).collect()
        }
        other => panic!("{other:?}"),
    };
    (head, read)
}

/// The same answers from a file as from memory, and those that were put in.
#[test]
fn a_run_on_disk_and_one_in_memory_tell_the_same() {
    let memory = memory();
    let folder = std::env::temp_dir().join(format!("delassus-view-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let path = folder.join("packs.h5");
    let options = Options { overwrite: true, ..Options::default() };
    let mut recorder = Recorder::create(&path, &memory.header, &options).expect("created");
    memory.frames.iter().for_each(|f| recorder.write(f).expect("written"));
    recorder.finish().expect("finished");
    let run = Run::open(&path).expect("opened");
    for film in [&run as &dyn Film, &memory] {
        let (_, x) = unpacked(&film::history(film, "bodies/position", 1, 100).expect("history"), "values");
        let expected: Vec<f64> = (0..6).flat_map(|k| [f64::from(k) / 3.0, 0.0]).collect();
        assert_eq!(x, expected, "to the last bit");
        let (_, e) = unpacked(&film::series(film, "energy/kinetic").expect("series"), "values");
        assert_eq!(e, (0..6).map(|k| f64::from(k) / 7.0).collect::<Vec<_>>());
        // Normal 4, tangential 3, one contact, in every second frame, whatever the order of the bodies.
        let (_, f) = unpacked(&forces::pair(film, [0, 1], 100).expect("pair"), "values");
        assert_eq!(f[..6], [0.0, 0.0, 0.0, 4.0, 3.0, 1.0]);
        // The force is on the first of the two, body 1, and its opposite on body 0.
        for (body, sign) in [(0, -1.0), (1, 1.0)] {
            let (_, f) = unpacked(&forces::resultant(film, body, 100).expect("resultant"), "values");
            assert_eq!(f[..4], [0.0, 0.0, sign * 3.0, sign * 4.0]);
        }
        let values = film::values(film, 3, "bodies", 1).expect("values");
        assert_eq!(values["position"]["values"][0].as_f64(), Some(1.0));
        let (_, x) = unpacked(&film::frame(film, 5, &["bodies/position"]).expect("frame"), "bodies/position");
        assert_eq!(x[2], f64::from((5.0f64 / 3.0) as f32), "pictures are in single precision");
        assert!(film::frame(film, 6, &["bodies/position"]).is_err());
        assert!(film::values(film, 0, "contacts", 0).is_err(), "no contact in the first frame");
        assert!(film::series(film, "bodies/position").is_err(), "no series");
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// Outlines that two bodies share are sent once.
#[test]
fn shapes_share_their_outline() {
    let (head, shapes) = unpacked(&film::geometry(&memory().header), "shapes");
    assert_eq!(shapes, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], "body, outline, material");
    assert_eq!(head["materials"][0], "stone");
    let (_, points) = unpacked(&film::geometry(&memory().header), "points");
    assert_eq!(points.len(), 9);
    let (_, scales) = unpacked(&film::geometry(&memory().header), "scales");
    assert_eq!(scales, [1.0, 2.0]);
}

/// A page holds first and last frame, tells how many there were, and no text of the run is taken for HTML.
#[test]
fn a_page_holds_fewer_frames_and_quotes_its_texts() {
    let (page, frames) = html(&memory(), &Cast::default(), &Page { frames: 3, ..Page::default() }).expect("page");
    assert_eq!(frames, 3);
    assert!(page.contains("\"times\":[0.0,0.2,0.5]") && page.contains("\"whole\":6"));
    assert!(page.contains("two bodies &lt;in&gt; a row") || page.contains("two bodies &lt;in> a row"));
    assert!(!page.contains("<in>"), "texts are quoted");
    assert!(page.contains("Content-Security-Policy") && !page.contains("src=\"view.js\""));
    assert!(page.contains("script-src 'sha256-") && !page.contains("unsafe-inline"), "by hashes alone");
    assert_eq!(page.matches("</script").count(), 2, "program and run end where they should");
}
