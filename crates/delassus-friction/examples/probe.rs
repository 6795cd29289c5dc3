use delassus_friction::{algebra::*, *};
use std::time::Instant;
pub fn read<const D: usize>(raw: &[u8]) -> Problem<D> {
    let mut at = 24;
    let i64s = |k: usize| i64::from_le_bytes(raw[k..k + 8].try_into().unwrap()) as usize;
    let (n, nnz) = (i64s(8), i64s(16));
    let f = |at: &mut usize, k: usize| { let v: Vec<f64> = (0..k).map(|i| f64::from_le_bytes(raw[*at + 8 * i..*at + 8 * i + 8].try_into().unwrap())).collect(); *at += 8 * k; v };
    let mu = f(&mut at, n); let mur = f(&mut at, n); let q = f(&mut at, D * n);
    let ints = |at: &mut usize, k: usize| { let v: Vec<usize> = (0..k).map(|i| i64s(*at + 8 * i)).collect(); *at += 8 * k; v };
    let p = ints(&mut at, D * n + 1); let c = ints(&mut at, nnz); let x = f(&mut at, nnz);
    let w = BlockMatrix::<D>::from_csr(n, &p, &c, &x);
    let b = (0..n).map(|i| Vector::<D>::from_column_slice(&q[D * i..D * i + D])).collect();
    let laws = (0..n).map(|i| if D == 5 { Law::Rolling { mu: mu[i], mu_r: mur[i] } } else { Law::coulomb(mu[i]) }).collect();
    Problem::new(w, b, laws).unwrap()
}
fn go<const D: usize>(name: &str, raw: &[u8]) {
    let p = read::<D>(raw);
    let env = |k: &str, d: f64| std::env::var(k).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
    let mut s = p.zero();
    let t = Instant::now();
    let mut log = String::new();
    if env("SWEEPS", 0.0) > 0.0 {
        let set = solver::NlgsSettings { acceleration: env("AA", 5.0) as usize, max_iterations: env("SWEEPS", 0.0) as usize, ..Default::default() };
        let mut nlgs = solver::Nlgs::new(&p, set).unwrap();
        let o = nlgs.run(&p, &mut s, &mut solver::Silent);
        log += &format!(" {}:{:.0e}", o.iterations, Certificate::new(&p, &s).relative);
    }
    let mut ipm = solver::Ipm::new(&p);
    let it = ipm.solve(&p, &solver::IpmSettings { tolerance: 1e-8, max_iterations: env("IPM", 60.0) as usize, coupled: env("COUPLED", 1.0) > 0.0, verbose: std::env::var("V").is_ok() }, &mut s);
    let c = Certificate::new(&p, &s);
    println!("{name:40} D{D} n {:5} {log} ipm it {it} res {:.2e} fclib {:.2e} {:.1}ms", p.len(), c.relative, c.fclib_error, 1e3 * t.elapsed().as_secs_f64());
}
fn main() {
    let pat = std::env::args().nth(1).unwrap_or_default();
    let mut files: Vec<_> = std::fs::read_dir("/tmp/w/probs").unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for f in files {
        let name = f.file_stem().unwrap().to_str().unwrap().to_string();
        if !name.contains(&pat) { continue; }
        let raw = std::fs::read(&f).unwrap();
        match raw[0] { 2 => go::<2>(&name, &raw), 3 => go::<3>(&name, &raw), _ => go::<5>(&name, &raw) }
    }
}
