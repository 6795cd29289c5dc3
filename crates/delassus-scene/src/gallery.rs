//! The scenes that come with the program
//!
//! They are compiled in, so that `delassus run NAME` works wherever it is installed. The
//! files are in `scenes/` at the root of the workspace: one for every example of the
//! sources, and what people of the field try first.

/// A scene of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its name, that of its file without the extension.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Example {
    /// The comment at its head: what it shows and what to expect.
    pub fn about(&self) -> String {
        let lines = self.text.lines().take_while(|l| l.starts_with('#'));
        lines.map(|l| l.trim_start_matches('#').trim_start()).collect::<Vec<_>>().join("\n")
    }

    /// The first sentence of its head, on one line.
    pub fn summary(&self) -> String {
        let about = self.about();
        let first = about.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        first.split_inclusive(". ").next().unwrap_or_default().trim().to_owned()
    }
}

macro_rules! examples {
    ($($name:literal),* $(,)?) => {
        &[$(Example { name: $name, text: include_str!(concat!("../scenes/", $name, ".toml")) }),*]
    };
}

/// All scenes, in the order of a tour.
pub fn gallery() -> &'static [Example] {
    examples![
        "card_house",
        "kapla_tower",
        "box_stack",
        "brick_wall",
        "dominoes",
        "arch_standing",
        "arch_collapsing",
        "arch_spreading",
        "hopper",
        "settle_open_flow",
        "gripper",
        "arm_pushes_box",
        "biaxial",
        "shear_cell",
        "drum",
        "heap",
        "slope",
        "spheres_in_box",
        "rubble",
        "spinning_top",
        "slider_crank",
        "skate",
        "peeling",
        "pinched_capsule",
        "sliding_cube",
        "bullet",
        "bowl",
        "no_floating_gap",
        "cube_on_three_contacts",
        "point_in_circle",
        "point_in_moving_container",
        "sphere_slide",
        "vibrating_table",
        "shaken_table",
        "belt_chatter",
        "wall_chatter",
        "static_kinetic",
        "polygonal_cone",
        "ratchet",
        "incline",
        "bouncing_ball",
        "mass_on_asperities",
        "superball",
        "rocking_block",
        "cradle",
        "ladder",
        "wedged_bar",
        "disc_pyramid_3",
        "disc_pyramid_6",
        "discs_28",
        "two_bars",
        "two_bars_space",
        "hertz",
        "cattaneo",
        "spence",
        "two_blocks",
        "patch_test",
        "interface_mesh",
        "skate_spring",
        "strip_drawing",
        "cohesive_peeling",
        "block_on_asperities",
        "bar_on_asperities",
        "cylinder_impact",
        "ball_on_asperities",
        "taylor_bar",
        "rolling_ball",
        "control_rod_drop",
        "control_rod_flexible",
        "fuel_rod",
        "fuel_rod_solid",
        "absorbing_bar",
        "taylor_arlequin",
        "bar_arlequin",
        "bar_tension",
        "bar_high_frequency",
        "deformable_grain",
        "masonry_deformable",
    ]
}

/// A scene by name; the error holds the nearest name, if one is near.
pub fn example(name: &str) -> Result<&'static Example, Option<&'static str>> {
    let all = gallery();
    let names: Vec<&'static str> = all.iter().map(|e| e.name).collect();
    all.iter().find(|e| e.name == name).ok_or_else(|| crate::diagnostic::nearest(name, &names))
}
