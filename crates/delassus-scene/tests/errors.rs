//! Golden messages: what a person reads when a scene is wrong.

use delassus_scene::Scene;

fn message(text: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    match Scene::parse(text, "scene.toml", &overrides) {
        Ok(_) => "no error".to_owned(),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

#[test]
fn see() {
    println!("{}", message(r#"
dimension = 2
[time]
step = 1e-3
ned = 2.0
[law]
frction = 0.5
restitution = 1.5
[body.floor]
shape = { half_plan = {} }
fixed = 1
[body.a]
shape = { disc = { radius = -1 } }
mass = inf
[body.b]
shape = { disc = { radus = 1 } }
[[generate]]
kind = "brik_wall"
[[generate]]
kind = "brick_wall"
columns = 3
rws = 2
[[generate]]
rows = 1
[solver]
on_failure = "stp"
name = 3
[parameters]
a = "=b+1"
"#, &["law.friction=abc", "body.c.mass=1", "h=-1"]));
    println!("{}", message("dimension = 4\n[time\nstep = = 2", &[]));
    println!("{}", message("dimension = 2\n[time]\nstep=1e-3\nend=1\n[[generate]]\nkind='grid'\ncount=[1,2]\nspacing=[1,1]\nshape.disc.radius='=2*pi'\nname='x'\n[body.f]\nshape={disc={radius=1},box={}}", &[]));
}
