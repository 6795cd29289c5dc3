//! `delassus draw` as its users meet it: files, messages, exit codes.

#[allow(dead_code)] // What other tests use of it.
use crate::common;

use crate::common::{Folder, Outcome};
use hdf5_pure::{AttrValue, FileBuilder};

/// A short run of the gallery, into NAME.h5: 11 frames from 0 to 0.1 s.
fn recorded(folder: &Folder, name: &str) {
    let run = folder.run(&["run", name, "--quiet", "--set", "time.end=0.1", "--set", "time.record=0.01"]);
    run.fails(0, &[]);
}

fn says(run: &Outcome, parts: &[&str]) {
    run.fails(0, &[]);
    for part in parts {
        assert!(run.out.contains(part), "'{part}' is missing from:\n{}", run.out);
    }
}

fn svg(folder: &Folder, name: &str) -> String {
    let text = std::fs::read_to_string(folder.path(name)).expect("the picture is there");
    roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    text
}

/// Width and height in the header of a PNG file.
fn png_size(folder: &Folder, name: &str) -> (u32, u32) {
    let bytes = std::fs::read(folder.path(name)).expect("the picture is there");
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

#[test]
fn a_scene_is_drawn_at_its_start() {
    let folder = Folder::new("draw-scene");
    says(&folder.run(&["draw", "card_house"]), &["card_house.svg", "t = 0 s"]);
    let text = svg(&folder, "card_house.svg");
    assert!(text.contains("House of cards") && text.contains("t = 0 s"));
    // 26 cards, each a path with its name.
    assert_eq!(text.matches("</title></path>").count(), 26);
}

#[test]
fn the_same_picture_twice_has_the_same_bytes() {
    let folder = Folder::new("draw-twice");
    for name in ["arch_standing", "cube_on_three_contacts"] {
        for extension in ["svg", "png"] {
            let draw = |to: &str| {
                let file = format!("{to}.{extension}");
                says(&folder.run(&["draw", name, "--forces", "--size", "300", "-o", &file]), &[&file]);
                std::fs::read(folder.path(&file)).expect("written")
            };
            assert_eq!(draw("a"), draw("b"), "{name}.{extension}");
        }
    }
}

#[test]
fn png_has_the_size_asked_for() {
    let folder = Folder::new("draw-size");
    let arguments = ["draw", "box_stack", "-o", "a.png", "--size", "320x240", "--scale", "1.5", "--view", "60,-10"];
    says(&folder.run(&arguments), &["a.png: 320 × 240"]);
    assert_eq!(png_size(&folder, "a.png"), (480, 360));
}

/// Forces need a step: the arch weighs what its abutments carry, so there are contacts.
#[test]
fn forces_of_a_scene_are_those_of_its_first_step() {
    let folder = Folder::new("draw-forces");
    says(&folder.run(&["draw", "arch_standing", "--forces"]), &["arch_standing.svg", "56 contacts"]);
    let text = svg(&folder, "arch_standing.svg");
    assert!(text.contains("class=\"forces\"") && text.contains("contact force"));
    // Blocks are no discs: lines along the force, unless a network is asked for.
    says(&folder.run(&["draw", "arch_standing", "--forces", "network", "-o", "n.svg"]), &["n.svg"]);
    assert_ne!(text, svg(&folder, "n.svg"));
}

#[test]
fn frames_of_a_run_are_found_by_number_and_by_time() {
    let folder = Folder::new("draw-run");
    recorded(&folder, "incline");
    says(&folder.run(&["draw", "incline.h5"]), &["incline.svg", "t = 0.1 s"]);
    says(&folder.run(&["draw", "incline.h5", "--frame", "3", "-o", "3.svg"]), &["t = 0.03 s"]);
    says(&folder.run(&["draw", "incline.h5@0.0312", "-o", "at.svg"]), &["t = 0.03 s"]);
    says(&folder.run(&["draw", "incline.h5", "--time", "0.03", "-o", "time.svg"]), &["t = 0.03 s"]);
    assert_eq!(svg(&folder, "3.svg"), svg(&folder, "at.svg"));
    assert_eq!(svg(&folder, "3.svg"), svg(&folder, "time.svg"));
    // A scene run to a time is the frame of the run at that time.
    says(&folder.run(&["draw", "incline", "--until", "0.03", "-o", "until.svg"]), &["t = 0.03 s"]);
    assert_eq!(svg(&folder, "3.svg"), svg(&folder, "until.svg"));
    for (arguments, parts) in [
        (&["draw", "incline.h5", "--frame", "11"][..], &["frame 11", "0 to 10"][..]),
        (&["draw", "incline.h5@3"], &["time 3 s", "from 0 s to 0.1 s"]),
        (&["draw", "incline.h5@later"], &["'later'", "seconds"]),
        (&["draw", "incline.h5@0.05", "--frame", "1"], &["twice"]),
        (&["draw", "incline.h5", "--until", "0.05"], &["is a run", "--until"]),
        (&["draw", "incline.h5", "--frame", "1", "--time", "0.1"], &["cannot be used with"]),
    ] {
        folder.run(arguments).fails(2, parts);
    }
}

/// 0.1 s at 20 frames per second is 3 frames; GIF stores an image descriptor for each.
#[test]
fn an_animation_has_its_frames() {
    let folder = Folder::new("draw-gif");
    recorded(&folder, "incline");
    let arguments = ["draw", "incline.h5", "--animate", "--fps", "20", "--size", "240"];
    says(&folder.run(&arguments), &["incline.gif: 3 frames", "240 × "]);
    let bytes = std::fs::read(folder.path("incline.gif")).expect("written");
    assert_eq!(&bytes[..6], b"GIF89a");
    // A scene is run to its end; slower means more frames.
    let slow =
        ["draw", "incline", "-o", "s.gif", "--size", "240", "--fps", "20", "--speed", "0.5", "--set", "time.end=0.1"];
    says(&folder.run(&slow), &["s.gif: 5 frames"]);
    folder.run(&["draw", "incline.h5", "--animate", "-o", "a.png"]).fails(2, &["a.png", ".gif"]);
    folder.run(&["draw", "incline.h5", "--frame", "1", "-o", "a.gif"]).fails(2, &["a.gif", "--frame"]);
}

#[test]
fn profiles_are_of_flows_in_the_plane() {
    let folder = Folder::new("draw-profile");
    let set = ["--set", "time.end=0.02", "--set", "time.record=0.01"];
    let run = [&["run", "slope", "--quiet"][..], &set].concat();
    folder.run(&run).fails(0, &[]);
    says(&folder.run(&["draw", "slope.h5", "--profile", "--average-from", "0.01"]), &["slope.svg"]);
    let text = svg(&folder, "slope.svg");
    assert!(text.contains("velocity profile") && text.contains("gravity"));
    folder.run(&["draw", "box_stack", "--profile"]).fails(2, &["--profile", "plane"]);
    // Other slices than those observed: from the frames.
    says(&folder.run(&["draw", "slope.h5", "--profile", "7", "-o", "seven.svg"]), &["seven.svg"]);
    folder.run(&["draw", "slope.h5", "--profile", "0"]).fails(2, &["1 or more"]);
    folder.run(&["draw", "slope.h5", "--profile", "--average-from", "9"]).fails(2, &["--average-from 9"]);
}

/// An exploration of two contacts of the wedged bar, as `delassus explore` writes it.
fn exploration(placed: bool, spoil: impl Fn(&mut Vec<f64>)) -> Vec<u8> {
    let mut file = FileBuilder::new();
    file.set_attr("format", AttrValue::VarLenString("delassus-exploration".into()));
    file.set_attr("version", AttrValue::U64(1));
    file.set_attr("source", AttrValue::VarLenString("wedged_bar".into()));
    let mut forces = vec![10.0, 2.0, 10.0, -2.0];
    spoil(&mut forces);
    file.create_dataset("forces").with_f64_data(&forces).with_shape(&[2, 2]);
    let samples = [9.0, 1.0, 9.0, -1.0, 11.0, 3.0, 11.0, -3.0, 10.0, 0.0, 10.0, 0.0];
    file.create_dataset("samples").with_f64_data(&samples).with_shape(&[3, 2, 2]);
    let mut contacts = file.create_group("contacts");
    contacts.create_dataset("friction").with_f64_data(&[0.5, 0.5]);
    if placed {
        contacts.create_dataset("position").with_f64_data(&[-0.5, 0.0, 0.5, 0.0]).with_shape(&[2, 2]);
        let frames = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0];
        contacts.create_dataset("frame").with_f64_data(&frames).with_shape(&[2, 4]);
        contacts.create_dataset("bodies").with_i64_data(&[2, -1, 2, 0]).with_shape(&[2, 2]);
    }
    file.add_group(contacts.finish());
    let mut hull = file.create_group("hull");
    hull.create_dataset("start").with_i64_data(&[0, 4, 6]);
    let vertices = [8.0, 0.0, 12.0, 4.0, 12.0, -1.0, 9.0, -1.0, 8.0, -1.0, 12.0, 1.0];
    hull.create_dataset("vertices").with_f64_data(&vertices).with_shape(&[6, 2]);
    hull.create_dataset("unbounded").with_u8_data(&[0, 1]);
    file.add_group(hull.finish());
    file.finish().expect("a small file")
}

#[test]
fn sets_of_reactions_are_drawn_at_their_contacts() {
    let folder = Folder::new("draw-explore");
    folder.file("set.h5", &exploration(true, |_| {}));
    let arguments = ["draw", "wedged_bar", "--explore", "set.h5", "--contact", "0,1"];
    says(&folder.run(&arguments), &["wedged_bar.svg"]);
    let text = svg(&folder, "wedged_bar.svg");
    for part in
        ["contact 0, ", "contact 1, ", "unbounded", "possible reactions", "cone of friction", "normal force [N]"]
    {
        assert!(text.contains(part), "{part}");
    }
    says(&folder.run(&["draw", "wedged_bar", "--explore", "set.h5", "--fan", "-o", "fan.png"]), &["fan.png"]);
    // The certified solution as a network: the forces of the file, not those of the scene.
    let network = ["draw", "wedged_bar", "--explore", "set.h5", "--network", "solution", "-o", "net.svg"];
    says(&folder.run(&network), &["net.svg", "2 contacts"]);
    assert!(svg(&folder, "net.svg").contains("forces: solution"));
    // Alone: no bodies, both contacts.
    says(&folder.run(&["draw", "set.h5", "-o", "alone.svg"]), &["alone.svg"]);
    assert!(svg(&folder, "alone.svg").contains("2 of 2 contacts of wedged_bar"));
}

#[test]
fn sets_that_make_no_sense_are_refused() {
    let folder = Folder::new("draw-sets");
    folder.file("set.h5", &exploration(true, |_| {}));
    folder.file("bare.h5", &exploration(false, |_| {}));
    folder.file("nan.h5", &exploration(true, |f| f[3] = f64::NAN));
    folder.file("other.h5", &common::Stack::default().bytes());
    let explore = |file: &str, more: &[&str]| {
        let arguments = [&["draw", "wedged_bar", "-o", "x.svg", "--explore", file][..], more].concat();
        folder.run(&arguments)
    };
    explore("set.h5", &["--network", "weakest"]).fails(2, &["weakest", "it has: solution"]);
    explore("set.h5", &["--contact", "2"]).fails(2, &["contact 2", "0 to 1"]);
    explore("bare.h5", &[]).fails(2, &["bare.h5", "no place", "delassus draw bare.h5"]);
    explore("nan.h5", &[]).fails(2, &["nan.h5", "'forces'", "index 3"]);
    explore("other.h5", &[]).fails(2, &["other.h5", "delassus-exploration"]);
    explore("missing.h5", &[]).fails(2, &["missing.h5"]);
    folder.run(&["draw", "wedged_bar", "--contact", "0"]).fails(2, &["--contact", "--explore"]);
    folder.run(&["draw", "set.h5", "--contact", "7"]).fails(2, &["contact 7", "0 to 1"]);
    folder.run(&["draw", "set.h5", "--forces"]).fails(2, &["set.h5", "--explore"]);
    folder.run(&["draw", "set.h5", "-o", "a.gif"]).fails(2, &["animate"]);
    assert!(!folder.path("x.svg").exists());
}

/// Every truncation and many damages of an exploration: a message, never a panic.
#[test]
fn damaged_explorations_are_survived() {
    let folder = Folder::new("draw-damaged");
    let bytes = exploration(true, |_| {});
    for i in 0..24 {
        let mut bad = bytes.clone();
        match i % 2 {
            0 => bad.truncate(bytes.len() * i / 24),
            _ => (0..8).for_each(|k| bad[(i * 997 + k * 131) % bytes.len()] ^= 0x5a),
        }
        folder.file("bad.h5", &bad);
        let run = folder.run(&["draw", "wedged_bar", "--explore", "bad.h5", "-o", "x.svg", "--size", "200"]);
        assert!(run.code == 0 || run.code == 2, "{i}: {}", run.err);
        assert!(run.code == 0 || run.err.contains("bad.h5"), "{i}: {}", run.err);
    }
}

#[test]
fn what_cannot_be_drawn_is_said_plainly() {
    let folder = Folder::new("draw-bad");
    folder.file("other.hdf5", &common::Stack::default().bytes());
    folder.file("text.toml", b"dimension = 2\nbody = 3\n");
    for (arguments, parts) in [
        (&["draw", "card_hous"][..], &["card_hous", "did you mean 'card_house'"][..]),
        (&["draw", "other.hdf5"], &["other.hdf5", "expected a scene, a run"]),
        (&["draw", "text.toml"], &["text.toml"]),
        (&["draw", "card_house", "-o", "a.pdf"], &["a.pdf", ".svg or .png, animations .gif, .mp4 or .y4m"]),
        (&["draw", "card_house", "-o", "no/such/folder.svg"], &["no/such/folder.svg"]),
        (&["draw", "card_house", "--frame", "2"], &["no frames", "--until"]),
        (&["draw", "card_house@-1"], &["starts at 0 s"]),
        (&["draw", "card_house", "--size", "10"], &["960x720"]),
        (&["draw", "card_house", "--window", "1,0,0,1"], &["left,bottom,right,top"]),
        (&["draw", "box_stack", "--view", "10"], &["two angles"]),
        (&["draw", "box_stack", "--window", "0,0,1,1"], &["--window", "plane"]),
        (&["draw", "card_house", "--forces", "rainbow"], &["network", "lines"]),
        (&["draw", "card_house", "-o", "a.png", "--scale", "1e6"], &["pixels"]),
        (&["draw", "box_stack", "-o", "a.png", "--scale", "1e4"], &["pixels"]),
        (&["draw", "card_house", "--set", "law.frction=0.3"], &["friction"]),
    ] {
        folder.run(arguments).fails(2, parts);
    }
}

#[test]
fn help_teaches_by_examples() {
    let folder = Folder::new("draw-help");
    let run = folder.run(&["draw", "--help"]);
    says(&run, &["Examples:", "delassus draw card_house", "--explore", "--animate", "Exit codes"]);
}

/// Bodies in colours by what they do: a legend with the unit, arrows and trails; a field nobody records is told.
#[test]
fn bodies_are_coloured_by_what_they_do() {
    let folder = Folder::new("draw-colours");
    assert_eq!(folder.run(&["run", "cradle", "--set", "time.end=0.05", "-q"]).code, 0);
    let drawn = ["draw", "cradle.h5", "--colour-by", "speed", "--arrows", "--trails", "5"];
    says(&folder.run(&drawn), &["cradle.svg"]);
    let text = svg(&folder, "cradle.svg");
    assert!(text.contains("speed [m/s]") && text.contains("longest arrow 0.6 m/s"), "the striker goes back at 0.6");
    // Ends of the ramp: the fastest is yellow, the slowest dark blue.
    assert!(text.contains("#ffe945") && text.contains("#00204c"));
    says(&folder.run(&["draw", "cradle.h5", "--color-by", "velocity.x", "-o", "v.png"]), &["v.png"]);
    folder.run(&["draw", "cradle.h5", "--colour-by", "sped"]).fails(2, &["there are speed, size, force"]);
    folder.run(&["draw", "cradle.h5", "--colour-by", "velocity.z"]).fails(2, &["2 components"]);
}

/// Every kind of tie of a scene has its sign and its entry of the legend; they can be left out.
#[test]
fn joints_springs_and_loads_have_signs() {
    let folder = Folder::new("draw-signs");
    says(&folder.run(&["draw", "slider_crank", "-o", "crank.svg"]), &["crank.svg"]);
    let text = svg(&folder, "crank.svg");
    assert!(text.contains("class=\"symbols\"") && text.contains(">hinge<"));
    says(&folder.run(&["draw", "gripper", "-o", "gripper.svg"]), &["gripper.svg"]);
    let text = svg(&folder, "gripper.svg");
    // The force of the scene, 8.26 N.
    assert!(text.contains(">slider<") && text.contains("load, longest 8.26 N"));
    says(&folder.run(&["draw", "gripper", "--no-symbols", "-o", "bare.svg"]), &["bare.svg"]);
    assert!(!svg(&folder, "bare.svg").contains("class=\"symbols\""));
    // Solids: what holds them, what pushes them (1 MPa on 1 m at t = 1 s), and a uniform stress has one number.
    says(&folder.run(&["draw", "two_blocks", "--until", "1", "-o", "blocks.svg"]), &["blocks.svg"]);
    let text = svg(&folder, "blocks.svg");
    assert!(text.contains(">held<") && text.contains(">held across<") && text.contains("load, longest 1 MN"));
    let numbers = text.matches(">888.8<").count();
    assert_eq!(numbers, 1, "one tick of a uniform field");
}

/// A mirrored half is as wide as two; a section, glass and a target change what is seen of space.
#[test]
fn halves_sections_and_glass() {
    let folder = Folder::new("draw-opened");
    says(&folder.run(&["draw", "gripper", "--mirror", "x=0.2", "--no-symbols", "-o", "two.svg"]), &["two.svg"]);
    let alone = folder.run(&["draw", "gripper", "--no-symbols", "-o", "one.svg"]);
    says(&alone, &["one.svg"]);
    let boxes = |name: &str| svg(&folder, name).matches("<title>box</title>").count();
    assert_eq!([boxes("one.svg"), boxes("two.svg")], [1, 2]);
    let plain = ["draw", "box_stack", "--size", "240x240", "--scale", "1"];
    let drawn = |more: &[&str], name: &str| {
        let arguments: Vec<&str> = plain.iter().chain(more).chain(&["-o", name]).copied().collect();
        says(&folder.run(&arguments), &[name]);
        std::fs::read(folder.path(name)).expect("written")
    };
    let whole = drawn(&[], "whole.png");
    let others = [
        drawn(&["--section", "y=0"], "section.png"),
        drawn(&["--target", "0,0,0.1", "--zoom", "4"], "target.png"),
        drawn(&["--follow", "box.0-0-0"], "follow.png"),
        drawn(&["--transparent", "box.0-0-0,box.0-0-3"], "glass.png"),
    ];
    for (i, other) in others.iter().enumerate() {
        assert_ne!(&whole, other, "{i}");
        assert!(others[..i].iter().all(|o| o != other), "{i}");
    }
    folder.run(&["draw", "box_stack", "--follow", "bax.0-0-0"]).fails(2, &["no such body", "did you mean 'box.0-0-0'"]);
    folder.run(&["draw", "gripper", "--section", "y=0"]).fails(2, &["--section is for scenes of space"]);
    folder.run(&["draw", "box_stack", "--section", "w=0"]).fails(2, &["expected an axis"]);
    folder.run(&["draw", "box_stack", "--target", "0,1"]).fails(2, &["three coordinates"]);
    folder.run(&["draw", "gripper", "--mirror", "z"]).fails(2, &["the plane has the axes x and y"]);
}

/// The eye goes around one state in six seconds, on a page of one size.
#[test]
fn a_turntable_has_its_frames() {
    let folder = Folder::new("draw-turntable");
    let arguments = ["draw", "cube_on_three_contacts", "--turntable", "--fps", "4", "--size", "200", "-o", "turn.gif"];
    says(&folder.run(&arguments), &["24 frames", "6.0 s"]);
}

/// Uncompressed video for encoders: a header, and as many frames as its time has intervals.
#[test]
fn a_film_is_as_long_as_its_run() {
    let folder = Folder::new("draw-film");
    recorded(&folder, "bouncing_ball");
    let arguments = ["draw", "bouncing_ball.h5", "--fps", "50", "--size", "200", "-o", "ball.y4m"];
    says(&folder.run(&arguments), &["ball.y4m"]);
    let bytes = std::fs::read(folder.path("ball.y4m")).expect("written");
    let end = bytes.iter().position(|b| *b == b'\n').expect("a header");
    let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
    assert!(header.starts_with("YUV4MPEG2 W200 H") && header.contains(" F50:1 ") && header.ends_with(" C444"));
    let height: usize = header.split(" H").nth(1).and_then(|h| h.split(' ').next()?.parse().ok()).expect("a height");
    let frame = 6 + 3 * 200 * height;
    assert_eq!((bytes.len() - end - 1) % frame, 0);
    // 0.1 s and the frame at its end, and a pause of 0.8 s: 50 times a second.
    assert_eq!((bytes.len() - end - 1) / frame, 6 + 40);
}

/// Compressed video: MP4 as a browser wants it, table of contents first, of AV1; as long as the run and the pause, in
/// hundredths of a second; the same bytes again.
#[test]
fn a_video_is_as_long_as_its_run() {
    let folder = Folder::new("draw-video");
    recorded(&folder, "bouncing_ball");
    let draw = |name: &str| {
        let arguments = ["draw", "bouncing_ball.h5", "--fps", "50", "--size", "200", "-o", name];
        says(&folder.run(&arguments), &[name, "0.9 s"]);
        std::fs::read(folder.path(name)).expect("written")
    };
    let bytes = draw("ball.mp4");
    assert_eq!(bytes, draw("again.mp4"));
    let mut kinds = vec![];
    let mut at = 0;
    while at < bytes.len() {
        let size = u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        kinds.push(String::from_utf8_lossy(&bytes[at + 4..at + 8]).into_owned());
        at += size;
    }
    assert_eq!((kinds.join(" ").as_str(), at), ("ftyp moov mdat", bytes.len()));
    let head = bytes.windows(4).position(|w| w == b"mvhd").expect("a header");
    let word = |k: usize| u32::from_be_bytes(bytes[head + k..head + k + 4].try_into().expect("four bytes"));
    // Version 1 (ISO 14496-12, 8.2.2): times of eight bytes, then the scale and the duration, here 0.1 s and the frame at its
    // end, and a pause of 0.8 s.
    assert_eq!([word(4), word(24), word(28), word(32)], [1 << 24, 100, 0, 92]);
    assert!(bytes.windows(4).any(|w| w == b"av01"));
    folder.run(&["draw", "bouncing_ball.h5", "-o", "ball.webm"]).fails(2, &["ball.webm", ".mp4"]);
}

/// Three panels have one scale, one legend and their names; names and numbers must agree.
#[test]
fn panels_have_one_legend() {
    let folder = Folder::new("draw-panels");
    let three = ["draw", "gripper", "gripper@0.01", "gripper@0.02"];
    let with = |more: &[&'static str]| three.iter().chain(more).copied().collect::<Vec<&str>>();
    says(&folder.run(&with(&["--labels", "a,b,c", "-o", "p.svg"])), &["p.svg", "3 panels"]);
    let text = svg(&folder, "p.svg");
    assert_eq!(text.matches("<title>box</title>").count(), 3);
    assert_eq!(text.matches(">slider<").count(), 1, "one legend");
    assert!([">a<", ">b<", ">c<"].iter().all(|n| text.contains(n)));
    folder.run(&with(&["--labels", "a,b"])).fails(2, &["2 names for 3 panels"]);
    folder.run(&["draw", "gripper", "box_stack"]).fails(2, &["all of the plane or all of space"]);
}

/// Bodies that a feeder brings have colours of free bodies, and those that are there are counted: after 0.25 s three of four
/// that enter every tenth of a second from 0 on.
#[test]
fn bodies_of_feeders_are_drawn_as_free() {
    let folder = Folder::new("draw-fed");
    let scene = "dimension = 2\n[time]\nstep = 1e-3\nend = 0.25\nrecord = 0.05\n[law]\nfriction = 0.5\n[body.floor]\n\
                 shape.half_plane = {}\n[[generate]]\nkind = \"grid\"\nname = \"g\"\nshape.disc = { radius = 0.05 }\n\
                 count = [1, 4]\nspacing = [0.2, 0.2]\nposition = [0, 1]\n[feeder.in]\nevery = 0.1\nbodies = \"g.*\"\n";
    folder.file("fed.toml", scene.as_bytes());
    assert_eq!(folder.run(&["run", "fed.toml", "-q"]).code, 0);
    says(&folder.run(&["draw", "fed.h5", "--colour-by", "speed"]), &["fed.svg"]);
    let text = svg(&folder, "fed.svg");
    assert!(text.contains("3 bodies") && text.contains("#ffe945") && !text.contains("NaN"), "{text}");
    let checked = folder.run(&["check", "fed.toml"]);
    assert!(checked.out.contains("5 (0 free, 1 fixed, 0 moved, 4 to come)"), "{}", checked.out);
}
