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
