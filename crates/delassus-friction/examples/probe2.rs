// long nlgs
#[path = "probe.rs"] #[allow(dead_code)] mod probe;
use delassus_friction::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let raw = std::fs::read(format!("/tmp/w/probs/{}.bin", a[1])).unwrap();
    let p = probe::read::<3>(&raw);
    println!("mu {:?} asym {:e}", p.laws()[0], p.asymmetry());
    let mut s = p.zero();
    let order = match a[3].as_str() { "sym" => solver::Order::Symmetric, "shuf" => solver::Order::Shuffled { seed: 1 }, _ => solver::Order::Sequential };
    let set = solver::NlgsSettings { acceleration: a[2].parse().unwrap(), order, max_iterations: 1000000, check_every: 500, ..Default::default() };
    let mut nlgs = solver::Nlgs::new(&p, set).unwrap();
    let t = std::time::Instant::now();
    let mut next = 1.0;
    let o = nlgs.run(&p, &mut s, &mut |q: &solver::Progress| { if t.elapsed().as_secs_f64() > next { next *= 1.6; println!("{} {:.1}s it {} res {:.2e}", a[1], next, q.iteration, q.residual); } if next > 150.0 { solver::Control::Stop } else { solver::Control::Continue } });
    println!("{o:?}");
}
