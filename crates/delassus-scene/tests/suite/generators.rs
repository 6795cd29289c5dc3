//! Generators: the same seed gives the same bodies, and none starts inside another.

use delassus_scene::{Built, Scene};

fn scene(dimension: u8, generator: &str) -> Scene {
    let text = format!(
        "dimension = {dimension}\n[time]\nstep = 1e-3\nend = 1\n[law]\nfriction = 0.3\n[[generate]]\n{generator}\n"
    );
    Scene::parse(&text, "generated.toml", &[]).unwrap_or_else(|e| panic!("{generator}\n{e}"))
}

/// Hash of every coordinate, and the number of bodies. Building refuses overlaps.
fn built(dimension: u8, generator: &str) -> (String, usize) {
    let (state, bodies) = match scene(dimension, generator).build().unwrap_or_else(|e| panic!("{generator}\n{e}")) {
        Built::Plane(s) => (s.state, s.size.bodies()),
        Built::Space(s) => (s.state, s.size.bodies()),
    };
    (state.hash_hex(), bodies)
}

const GRAINS: [(u8, &str, &str); 4] = [
    (2, "disc", "min = [0, 0], max = [1, 1]"),
    (2, "polygon", "min = [0, 0], max = [1, 1]"),
    (3, "sphere", "min = [0, 0, 0], max = [0.5, 0.5, 0.5]"),
    (3, "polyhedron", "min = [0, 0, 0], max = [0.5, 0.5, 0.5]"),
];

fn deposit(grain: &str, region: &str, arrangement: &str, seed: u32) -> String {
    format!(
        "kind = 'deposit'\ngrain = '{grain}'\ncount = 150\nseed = {seed}\narrangement = '{arrangement}'\n\
         radius.power = {{ min = 0.01, max = 0.03, exponent = -2, by = 'mass' }}\nregion = {{ {region} }}"
    )
}

#[test]
fn a_seed_names_its_grains() {
    for (dimension, grain, region) in GRAINS {
        for arrangement in ["lattice", "random"] {
            let (first, count) = built(dimension, &deposit(grain, region, arrangement, 1));
            let (again, _) = built(dimension, &deposit(grain, region, arrangement, 1));
            let (other, _) = built(dimension, &deposit(grain, region, arrangement, 2));
            assert_eq!((first.as_str(), count), (again.as_str(), 150), "{grain} {arrangement}");
            assert_ne!(first, other, "{grain} {arrangement}");
        }
    }
}

/// Drop and roll: no overlap, and dense. Random loose beds of discs fill 0.77 to 0.82 of the area.
#[test]
fn packed_discs_are_dense() {
    let generator = "kind = 'deposit'\ngrain = 'disc'\ncount = 1500\nseed = 4\narrangement = 'packed'\n\
                     radius.uniform = { min = 0.008, max = 0.012 }\nregion = { min = [0, 0], max = [1, 2] }";
    let Built::Plane(setup) = scene(2, generator).build().unwrap_or_else(|e| panic!("{e}")) else { panic!("plane") };
    assert_eq!(setup.size.free, 1500);
    let mut area = 0.0;
    for (i, body) in setup.model.bodies().iter().enumerate() {
        let y = setup.state.q[3 * i + 1];
        if y < 0.4 {
            // Density 1000 kg/m².
            area += body.mass / 1000.0;
        }
    }
    let fraction = area / 0.4;
    assert!((0.74..0.86).contains(&fraction), "{fraction}");
    // Each rests on two others, or on one and a wall: about two contacts a disc, within the margin of 1e-9.
    assert!(setup.size.contacts > 2000, "{}", setup.size.contacts);
}

#[test]
fn masonry_counts_and_touches() {
    let wall = |d, brick: &str| built(d, &format!("kind = 'brick_wall'\ncolumns = 5\nrows = 4\nbrick = {brick}")).1;
    // Two courses of 5, two of 4 whole and 2 half bricks.
    assert_eq!((wall(2, "[0.2, 0.1]"), wall(3, "[0.2, 0.1, 0.1]")), (22, 22));
    assert_eq!(built(3, "kind = 'tower'\nlevels = 6").1, 18);
    assert_eq!(built(2, "kind = 'arch'\nblocks = 15\nradius = 1\nthickness = 0.2").1, 17);
    assert_eq!(built(3, "kind = 'arch'\nblocks = 15\nradius = 1\nthickness = 0.2\ndepth = 0.4\nangle = 2").1, 17);
    assert_eq!(built(2, "kind = 'card_house'\nlevels = 3\ncard = [0.09, 0.002]\nlean = 0.3").1, 12 + 3);
    assert_eq!(built(3, "kind = 'dominoes'\ncount = 7\nsize = [0.01, 0.02, 0.05]\nspacing = 0.03").1, 7);
    assert_eq!(built(2, "kind = 'dominoes'\ncount = 7\nsize = [0.01, 0.05]\nspacing = 0.03").1, 7);
    assert_eq!(built(2, "kind = 'grid'\nshape.disc.radius = 0.1\ncount = [3, 4]\nspacing = [0.2, 0.2]").1, 12);
}

/// Vessels hold what is inside: a body in their middle touches nothing, in the plane and in space.
#[test]
fn vessels_are_hollow() {
    let hollow = |dimension: u8, vessel: &str, ball: &str| {
        let text = format!("{vessel}\n[body.inside]\n{ball}");
        let (_, bodies) = built(dimension, &text);
        assert_eq!(bodies, 2);
    };
    let disc = "shape.disc.radius = 0.2\nposition = [0, 0.5]";
    let sphere = "shape.sphere.radius = 0.2\nposition = [0, 0, 0.5]";
    hollow(2, "kind = 'container'\nsize = [1, 1]\nclosed = true", disc);
    hollow(3, "kind = 'container'\nsize = [1, 1, 1]\nclosed = true", sphere);
    hollow(2, "kind = 'hopper'\noutlet = 0.3\nwidth = 1\nheight = 1\nslope = 0.5", disc);
    hollow(3, "kind = 'hopper'\noutlet = 0.3\nwidth = 1\nheight = 1\nslope = 0.5\ndepth = 1", sphere);
    hollow(2, "kind = 'drum'\nradius = 0.5\nspeed = 1\nblades = 4", "shape.disc.radius = 0.39");
    hollow(3, "kind = 'drum'\nradius = 0.5\nspeed = 1\nlength = 1", "shape.sphere.radius = 0.49");
    hollow(2, "kind = 'glued_floor'\nlength = 2\nradius = 0.1", "shape.disc.radius = 0.2\nposition = [1, 0.3]");
    hollow(3, "kind = 'glued_floor'\nlength = 1\nwidth = 1\nradius = 0.1", sphere);
    let polygons = "kind = 'glued_floor'\nlength = 2\nradius = 0.1\ngrain = 'polygon'\nvertices = [5, 7]";
    hollow(2, polygons, "shape.disc.radius = 0.2\nposition = [1, 0.3]");
}

#[test]
fn a_region_that_is_full_says_so() {
    let text = "kind = 'deposit'\ngrain = 'disc'\ncount = 500\nradius = 0.1\nregion = { min = [0, 0], max = [1, 1] }";
    let error = scene(2, text).build().expect_err("no room").to_string();
    assert!(error.contains("placed 16 of 500 bodies: the region is full"), "{error}");
}

/// Volume of the free bodies; the density is 1000 by default.
fn volume(dimension: u8, generator: &str) -> (f64, usize) {
    let masses: Vec<f64> = match scene(dimension, generator).build().unwrap_or_else(|e| panic!("{generator}\n{e}")) {
        Built::Plane(s) => s.model.bodies().iter().map(|b| b.mass).collect(),
        Built::Space(s) => s.model.bodies().iter().map(|b| b.mass).collect(),
    };
    (masses.iter().sum::<f64>() / 1000.0, masses.iter().filter(|m| **m > 0.0).count())
}

/// The cells of a box are the box: their volumes sum to its own, whatever cuts it.
#[test]
fn blocks_fill_their_box() {
    let plane = "kind = 'blocks'\nregion = { min = [-1, 0], max = [2, 1.5] }\nseed = 5\n";
    let space = "kind = 'blocks'\nregion = { min = [-1, 0, 0], max = [1, 1.5, 0.5] }\nseed = 5\n";
    let sets = "joints = [{ normal = [1, 0.2], spacing = 0.4, scatter = 0.3 }, { normal = [0, 1], spacing = 0.5 }]";
    let solid =
        "joints = [{ normal = [1, 0.2, 0.1], spacing = 0.4, scatter = 0.3 }, { normal = [0, 0.3, 1], spacing = 0.2 }]";
    for (dimension, text, whole, least) in [
        (2, format!("{plane}cells = 60"), 4.5, 60),
        (2, format!("{plane}{sets}"), 4.5, 20),
        (2, format!("{plane}cells = 12\n{sets}"), 4.5, 40),
        (3, format!("{space}cells = 40"), 1.5, 40),
        (3, format!("{space}{solid}"), 1.5, 15),
        (3, format!("{space}cells = 8\n{solid}"), 1.5, 30),
    ] {
        let (sum, count) = volume(dimension, &text);
        assert!((sum / whole - 1.0).abs() < 1e-9, "{text}: {sum}");
        assert!(count >= least, "{text}: {count}");
    }
    // Planes at the middle and 0.5 from it cut 3 × 1.5 into 3 × … : 6 columns of 0.5, 4 rows, half ones at the ends.
    let grid = "joints = [{ normal = [1, 0], spacing = 0.5 }, { normal = [0, 1], spacing = 0.5 }]";
    assert_eq!(volume(2, &format!("{plane}{grid}")).1, 24);
    let told = scene(2, plane).build().expect_err("nothing cuts").to_string();
    assert!(told.contains("`cells`") && told.contains("`joints`"), "{told}");
}

/// A vault is the polygon of its arch times its length; a dome is its outer polyhedron less the inner one, which is
/// the same made smaller: V (1 − (r/R)³), V the pyramids from the centre to the outer faces.
#[test]
fn vaults_and_domes_have_the_volumes_of_their_polyhedra() {
    let (courses, r, t, length): (u32, f64, f64, f64) = (9, 2.0, 0.3, 3.0);
    let vault = format!("kind = 'vault'\ncourses = 9\nblocks = 4\nradius = {r}\nthickness = {t}\nlength = {length}");
    let half = 0.5 * std::f64::consts::PI / f64::from(courses);
    let sector = |r: f64| r * r * half.sin() * half.cos() * f64::from(courses);
    let (sum, count) = volume(3, &vault);
    assert!((sum / (length * (sector(r + 0.5 * t) - sector(r - 0.5 * t))) - 1.0).abs() < 1e-9, "{sum}");
    // Five courses of 4, four of 3 whole and 2 half blocks.
    assert_eq!(count, 5 * 4 + 4 * 5);
    for (oculus, stones) in [(0.0, 1 + 4 * 10), (0.3, 5 * 10)] {
        let text = format!("kind = 'dome'\nrings = 5\nblocks = 10\nradius = {r}\nthickness = {t}\noculus = {oculus}");
        let (inner, outer) = (r - 0.5 * t, r + 0.5 * t);
        let step = (std::f64::consts::FRAC_PI_2 - oculus) / 5.0;
        // Pyramid over the trapezoid of a stone: both chords, their distance, and the plane's from the centre.
        let half = std::f64::consts::PI / 10.0;
        let pyramids: f64 = (0..5)
            .map(|k| {
                let [a, b] = [oculus + f64::from(k) * step, oculus + f64::from(k + 1) * step];
                // Middles of the chords, in the plane of the axis.
                let middle = |x: f64| [outer * x.sin() * half.cos(), outer * x.cos()];
                let (p, q) = (middle(a), middle(b));
                let slant = (p[0] - q[0]).hypot(p[1] - q[1]);
                let far = (p[0] * q[1] - p[1] * q[0]).abs() / slant;
                let chords = 2.0 * outer * half.sin() * (a.sin() + b.sin());
                10.0 * 0.5 * chords * slant * far / 3.0
            })
            .sum();
        // The key has a flat top, which closes the pyramids as the polygon of its ring.
        let flat = if oculus == 0.0 {
            let ring = outer * step.sin();
            let cone = {
                let (p, q) = ([0.0, outer], [ring * half.cos(), outer * step.cos()]);
                let slant = (p[0] - q[0]).hypot(p[1] - q[1]);
                10.0 * 0.5 * 2.0 * ring * half.sin() * slant * ((p[0] * q[1] - p[1] * q[0]).abs() / slant) / 3.0
            };
            10.0 * ring * ring * half.sin() * half.cos() * outer * step.cos() / 3.0 - cone
        } else {
            0.0
        };
        let (sum, count) = volume(3, &text);
        let wanted = (pyramids + flat) * (1.0 - (inner / outer).powi(3));
        assert!((sum / wanted - 1.0).abs() < 1e-9, "{oculus}: {sum} {wanted}");
        assert_eq!(count, stones);
    }
}

/// A packing of a given density has it, to half a grain, and none overlaps: building refuses it.
#[test]
fn a_packing_has_the_density_asked_for() {
    let region = |d: u8| if d == 2 { "min = [0, 0], max = [1, 0.8]" } else { "min = [0, 0, 0], max = [0.5, 0.4, 0.3]" };
    for (dimension, grain, fraction, whole) in [(2, "disc", 0.78, 0.8), (3, "sphere", 0.55, 0.06)] {
        let text = format!(
            "kind = 'deposit'\ngrain = '{grain}'\nfraction = {fraction}\narrangement = 'relaxed'\nseed = 3\n\
             radius.curve.points = [[0.015, 0], [0.02, 0.6], [0.03, 1]]\nregion = {{ {} }}",
            region(dimension)
        );
        let (sum, _) = volume(dimension, &text);
        let largest = std::f64::consts::PI * if dimension == 2 { 0.03f64.powi(2) } else { 4.0 / 3.0 * 0.03f64.powi(3) };
        assert!((sum - fraction * whole).abs() <= 0.5 * largest, "{grain}: {}", sum / whole);
    }
    let text = "kind = 'deposit'\ngrain = 'disc'\nfraction = 0.9\narrangement = 'relaxed'\nradius = 0.1\n\
                region = { min = [0, 0], max = [1, 1] }";
    let told = scene(2, text).build().expect_err("too dense").to_string();
    assert!(told.contains("jam before they are apart"), "{told}");
}
