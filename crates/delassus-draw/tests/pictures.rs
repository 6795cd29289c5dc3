//! Whole pictures: what is written, its size, its determinism, against closed forms.

use delassus_draw::Role;
use delassus_draw::plane::{Body, Contact, Figure, Outline};
use delassus_draw::space::{self, Eye, Solid};
use delassus_draw::{
    Animation, Error, Forces, Head, Item, Layer, Overlay, Palette, Path, Picture, Piece, Point, Raster, Reactions,
    Rect, Status, Stroke, Text, colour, slices,
};

fn body(name: &str, role: Role, centre: Point, outline: Outline) -> Body {
    Body { name: name.into(), label: None, role, colour: None, centre, shapes: vec![outline] }
}

/// A disc of radius 1 on a floor beside a box of 2 × 2, one contact of 10 N under the disc.
fn scene() -> Figure {
    let mut figure = Figure::new(Head { subtitle: "t = 0 s".into(), ..Head::new("Disc & <box>") });
    let floor = Outline::HalfPlane { point: [0.0, 0.0], normal: [0.0, 1.0] };
    let square = Outline::Polygon(vec![[2.0, 0.0], [4.0, 0.0], [4.0, 2.0], [2.0, 2.0]]);
    figure.bodies = vec![
        body("floor", Role::Fixed, [0.0, 0.0], floor),
        body("disc", Role::Free, [0.0, 1.0], Outline::Disc { centre: [0.0, 1.0], radius: 1.0, angle: 0.0 }),
        body("box", Role::Free, [3.0, 1.0], square),
    ];
    figure.contacts = vec![Contact {
        point: [0.0, 0.0],
        normal: [0.0, 1.0],
        bodies: [1, 0],
        force: [0.0, 10.0],
        status: Status::Sticking,
    }];
    figure
}

/// Paths with a name, in order.
fn named<'a>(layer: &'a Layer, name: &str) -> Vec<&'a Path> {
    layer
        .items
        .iter()
        .flat_map(|item| match item {
            Item::Path { path, name: n, .. } if n == name => vec![path],
            Item::Group { layer, .. } => named(layer, name),
            _ => vec![],
        })
        .collect()
}

fn all_paths<'a>(layer: &'a Layer, group: &str, inside: bool, found: &mut Vec<(&'a Path, &'a Stroke)>) {
    for item in &layer.items {
        match item {
            Item::Path { path, stroke: Some(stroke), .. } if inside => found.push((path, stroke)),
            Item::Group { name, layer, .. } => all_paths(layer, group, inside || *name == group, found),
            _ => {}
        }
    }
}

/// The disc and the box have the same size on the page, in the proportions of the plane:
/// a diameter of 2 m is the side of 2 m, and their centres are 3 m apart.
#[test]
fn bodies_keep_their_proportions() {
    let picture = scene().picture().unwrap();
    let disc = named(&picture.layer, "disc")[0].bounds();
    let square = named(&picture.layer, "box")[0].bounds();
    let scale = square.width() / 2.0;
    for (found, expected) in [
        (disc.width(), 2.0 * scale),
        (disc.height(), 2.0 * scale),
        (square.height(), 2.0 * scale),
        (square.centre()[0] - disc.centre()[0], 3.0 * scale),
        (square.max[1] - disc.max[1], 0.0),
    ] {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    assert!(matches!(named(&picture.layer, "disc")[0].pieces[0], Piece::Circle(..)));
    // On the page, y down: the disc is above the line of the floor, inside the page.
    let page = Rect::new(0.0, 0.0, picture.width, picture.height);
    assert!(page.contains(disc.min) && page.contains(square.max));
}

/// Ten times the force is ten times the width; the line goes from the centre of the disc
/// through the contact into the floor.
#[test]
fn forces_are_lines_through_the_contact() {
    let mut figure = scene();
    figure.style.forces = Some(Forces::Network);
    figure.style.reference = Some(10.0);
    let picture = figure.picture().unwrap();
    let mut lines = vec![];
    all_paths(&picture.layer, "forces", false, &mut lines);
    assert_eq!(lines.len(), 1);
    let (path, stroke) = lines[0];
    let disc = named(&picture.layer, "disc")[0].bounds();
    let [Piece::Move(a), Piece::Line(b), Piece::Line(c)] = path.pieces[..] else { panic!("{path:?}") };
    assert!((a[0] - disc.centre()[0]).abs() < 1e-9 && (a[1] - disc.centre()[1]).abs() < 1e-9);
    assert!((b[1] - disc.max[1]).abs() < 1e-9 && c[1] > b[1]);
    let wide = stroke.width;
    figure.contacts[0].force = [0.0, 1.0];
    let picture = figure.picture().unwrap();
    let mut lines = vec![];
    all_paths(&picture.layer, "forces", false, &mut lines);
    assert!((wide / lines[0].1.width - 10.0).abs() < 1e-9);
}

#[test]
fn svg_is_well_formed_and_tells_names() {
    let svg = scene().picture().unwrap().to_svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    let texts: Vec<&str> = document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    assert!(texts.contains(&"Disc & <box>"), "{texts:?}");
    let titles: Vec<&str> =
        document.descendants().filter(|n| n.has_tag_name("title")).filter_map(|n| n.text()).collect();
    assert!(titles.contains(&"disc") && titles.contains(&"box"), "{titles:?}");
    let width: f64 = root.attribute("width").unwrap().parse().unwrap();
    assert_eq!(width, 960.0);
}

/// Texts that no XML can hold do not spoil the file.
#[test]
fn any_title_is_survived() {
    for title in ["\u{0}\u{1b}[31m", "]]>&&\"'", "\u{FFFF}\u{FFFE}", "Ωμέγα 漢字 🙂", ""] {
        let mut figure = scene();
        figure.head.title = title.into();
        let picture = figure.picture().unwrap();
        roxmltree::Document::parse(&picture.to_svg().unwrap()).unwrap_or_else(|e| panic!("{title:?}: {e}"));
        picture.to_png(0.5).unwrap();
    }
}

/// Of the size asked for, to the pixel, and not blank: the colours of bodies and text are there.
#[test]
fn png_has_its_size_and_its_colours() {
    let mut figure = scene();
    (figure.head.width, figure.head.height) = (400.0, Some(300.0));
    let bytes = figure.picture().unwrap().to_png(1.5).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (600, 450));
    let count = |c: colour::Colour| pixels.chunks_exact(3).filter(|p| **p == [c.0, c.1, c.2]).count();
    assert!(count(colour::FILLS[0]) > 5_000, "{}", count(colour::FILLS[0]));
    assert!(count(colour::WHITE) > 50_000 && count(colour::INK) > 50);
}

/// The area of a disc in pixels: π r².
#[test]
fn raster_covers_the_area() {
    let mut picture = Picture::new(100.0, 100.0);
    picture.layer.fill(Path::circle([50.0, 50.0], 30.0), colour::Colour(0, 0, 0));
    let raster = picture.to_raster(4.0).unwrap();
    let ink: f64 = raster.pixels.chunks_exact(4).map(|p| 1.0 - f64::from(p[0]) / 255.0).sum();
    let expected = std::f64::consts::PI * (30.0f64 * 4.0).powi(2);
    assert!((ink / expected - 1.0).abs() < 2e-3, "{ink} {expected}");
}

#[test]
fn the_same_picture_has_the_same_bytes() {
    let make = || {
        let mut figure = scene();
        figure.style.forces = Some(Forces::Lines);
        let picture = figure.picture().unwrap();
        (picture.to_svg().unwrap(), picture.to_png(2.0).unwrap())
    };
    assert_eq!(make(), make());
}

#[test]
fn what_is_not_a_number_is_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut figure = scene();
        figure.bodies[1].shapes = vec![Outline::Disc { centre: [bad, 1.0], radius: 1.0, angle: 0.0 }];
        let result = figure.picture().and_then(|p| p.to_svg());
        assert!(matches!(result, Err(Error::NotFinite { .. })), "{bad}");
        let mut picture = Picture::new(10.0, 10.0);
        picture.layer.text(Text::new("here", [bad, 0.0], 10.0));
        assert!(matches!(picture.to_png(1.0), Err(Error::NotFinite { what }) if what == "here"));
    }
    for size in [0.0, -3.0, f64::NAN, 1e9] {
        assert!(matches!(Picture::new(size, 10.0).to_svg(), Err(Error::PageSize { .. })), "{size}");
    }
    assert!(matches!(Picture::new(9000.0, 9000.0).to_raster(10.0), Err(Error::TooManyPixels { .. })));
}

/// Three contacts enlarged: three insets with their names, each in its own frame of axes,
/// beside the drawing and not over it.
#[test]
fn insets_stand_beside_the_drawing() {
    let mut figure = scene();
    let set = |k: usize| Reactions {
        label: format!("contact {k}"),
        at: [k as f64, 0.5],
        directions: [[0.0, 1.0], [-1.0, 0.0], [0.0; 2]],
        friction: 0.3,
        vertices: vec![[1.0, -0.2, 0.0], [3.0, -0.2, 0.0], [2.0, 0.4, 0.0]],
        samples: vec![[2.0, 0.0, 0.0]; 10],
        solution: Some([2.0, 0.0, 0.0]),
        ..Reactions::default()
    };
    figure.overlay = Overlay { sets: (0..4).map(set).collect(), insets: vec![2, 0, 3], ..Overlay::default() };
    let picture = figure.picture().unwrap();
    let insets: Vec<Rect> = picture
        .layer
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Group { name: "inset", clip: Some(clip), .. } => Some(*clip),
            _ => None,
        })
        .collect();
    assert_eq!(insets.len(), 3);
    let scene = picture.layer.items.iter().find_map(|i| match i {
        Item::Group { name: "scene", clip, .. } => *clip,
        _ => None,
    });
    for (i, inset) in insets.iter().enumerate() {
        assert!(inset.min[0] > scene.unwrap().max[0] && inset.max[0] < picture.width);
        assert!(insets[..i].iter().all(|other| inset.min[1] > other.max[1] || inset.max[1] < other.min[1]));
    }
    let svg = picture.to_svg().unwrap();
    for k in [0, 2, 3] {
        assert!(svg.contains(&format!(">contact {k}</text>")));
    }
    assert!(!svg.contains(">contact 1</text>"));
}

/// A quarter of the width shown again: the disc is larger there, beside the drawing.
#[test]
fn a_part_is_shown_again_larger() {
    let mut figure = scene();
    let small = named(&figure.picture().unwrap().layer, "disc")[0].bounds();
    figure.style.zoom = Some(Rect { min: [-0.5, 0.0], max: [0.5, 1.0] });
    let picture = figure.picture().unwrap();
    let mut discs = named(&picture.layer, "disc");
    discs.retain(|path| matches!(path.pieces[0], Piece::Circle(..)));
    let (first, again) = (discs[0].bounds(), discs[1].bounds());
    assert!(again.width() > 2.0 * first.width() && first.width() <= small.width());
    let clip = picture.layer.items.iter().find_map(|i| match i {
        Item::Group { name: "zoom", clip, .. } => *clip,
        _ => None,
    });
    // One metre wide: half the diameter of the disc, to the right of the first.
    assert!((clip.unwrap().width() - 0.5 * again.width()).abs() < 1e-9);
    assert!(clip.unwrap().min[0] > first.max[0]);
    // The box is not in it, and not drawn again.
    assert_eq!(named(&picture.layer, "box").len(), 1);
}

/// The profile stands at the heights of the flow: its frame ends where the slices end.
#[test]
fn the_profile_has_the_heights_of_the_flow() {
    let mut figure = scene();
    figure.profile = slices(&[(0.0, 0.0), (0.5, 1.0), (2.0, 2.0)], 4);
    let picture = figure.picture().unwrap();
    let disc = named(&picture.layer, "disc")[0].bounds();
    // The disc reaches from height 0 to 2, as the slices do.
    let framed = picture.layer.items.iter().any(|i| match i {
        Item::Path { path, stroke: Some(_), .. } => {
            let b = path.bounds();
            (b.min[1] - disc.min[1]).abs() < 1e-9 && (b.max[1] - disc.max[1]).abs() < 1e-9 && b.max[0] < disc.min[0]
        }
        _ => false,
    });
    assert!(framed);
}

#[test]
fn gif_has_its_frames_and_delays() {
    let frame = |x: f64| {
        let mut picture = Picture::new(60.0, 40.0);
        picture.layer.fill(Path::circle([x, 20.0], 8.0), colour::BLUE);
        picture.to_raster(1.0).unwrap()
    };
    let frames: Vec<Raster> = (0..5).map(|i| frame(10.0 + 10.0 * f64::from(i))).collect();
    let mut bytes = vec![];
    let mut animation = Animation::new(&mut bytes, (60, 40), Palette::new(&frames[..2])).unwrap();
    for raster in &frames {
        animation.push(raster, 4).unwrap();
    }
    assert_eq!(animation.frames(), 5);
    let other = Picture::new(61.0, 40.0).to_raster(1.0).unwrap();
    assert!(matches!(animation.push(&other, 4), Err(Error::FrameSize { frame: 5, .. })));
    drop(animation);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(&bytes[..]).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (60, 40));
    // Frames hold what changed: put together they are the rasters, but for the colours
    // between two of the palette.
    let mut shown = vec![0u8; 60 * 40 * 4];
    let mut count = 0;
    while let Some(found) = decoder.read_next_frame().unwrap() {
        assert_eq!(found.delay, 4);
        for y in 0..found.height as usize {
            for x in 0..found.width as usize {
                let from = 4 * (y * found.width as usize + x);
                let to = 4 * ((y + found.top as usize) * 60 + x + found.left as usize);
                shown[to..to + 4].copy_from_slice(&found.buffer[from..from + 4]);
            }
        }
        let worst = shown.iter().zip(&frames[count].pixels).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst.unwrap() <= 24, "frame {count}: {worst:?}");
        count += 1;
    }
    assert_eq!(count, 5);
}

fn ball(parallel: bool) -> space::Figure {
    let mut figure = space::Figure::new(Head { width: 400.0, height: Some(300.0), ..Head::new("Ball") });
    let part = |role, solid| space::Body {
        name: "b".into(),
        label: None,
        role,
        colour: None,
        centre: [0.0, 0.0, 1.0],
        shapes: vec![solid],
    };
    figure.bodies.push(part(Role::Free, Solid::Sphere { centre: [0.0, 0.0, 1.0], radius: 1.0 }));
    figure.bodies.push(part(Role::Fixed, Solid::HalfSpace { point: [0.0; 3], normal: [0.0, 0.0, 1.0] }));
    figure.eye = Eye { parallel, ..Eye::default() };
    figure.pixels = 1.0;
    figure
}

/// A shaded ball on a floor: darker below than above, a shadow beside it, and the same
/// bytes twice.
#[test]
fn a_ball_in_space_has_light_and_shadow() {
    for parallel in [true, false] {
        let picture = ball(parallel).picture().unwrap();
        let raster = picture.to_raster(1.0).unwrap();
        let blue = |p: &[u8; 4]| i32::from(p[2]) - i32::from(p[0]) > 25;
        let column: Vec<[u8; 4]> = (0..raster.height).map(|y| raster.pixel(200, y)).collect();
        let body: Vec<&[u8; 4]> = column.iter().filter(|p| blue(p)).collect();
        assert!(body.len() > 80, "{}", body.len());
        assert!(body[10][1] > body[body.len() - 10][1] + 10);
        assert_eq!(picture.to_svg().unwrap(), ball(parallel).picture().unwrap().to_svg().unwrap());
        let svg = picture.to_svg().unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        assert!(svg.contains("data:image/png;base64,"));
    }
}

/// A force in space is drawn over the bodies, as a line that stays one in SVG.
#[test]
fn forces_in_space_are_lines() {
    let mut figure = ball(true);
    figure.forces = Some(Forces::Network);
    figure.contacts.push(space::Contact {
        point: [0.0; 3],
        normal: [0.0, 0.0, 1.0],
        bodies: [0, 1],
        force: [0.0, 0.0, 5.0],
        status: Status::Slipping,
    });
    let picture = figure.picture().unwrap();
    let mut lines = vec![];
    all_paths(&picture.layer, "forces", false, &mut lines);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].1.colour, colour::VERMILLION);
    let bounds = lines[0].0.bounds();
    // Vertical in space, and the eye is upright: vertical on the page.
    assert!(bounds.width() < 1e-9 && bounds.height() > 10.0);
}
