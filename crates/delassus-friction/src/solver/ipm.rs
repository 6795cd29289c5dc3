//! ipm experiment
use crate::algebra::{BlockMatrix, Frontal, Matrix, Vector};
use crate::{Law, Problem};

pub struct IpmSettings { pub tolerance: f64, pub max_iterations: usize, pub coupled: bool, pub verbose: bool }
pub struct Ipm<const D: usize> {
    e: Vec<Vector<D>>, // scaling diag
    w: BlockMatrix<D>,
    b: Vec<Vector<D>>,
    lu: Frontal<D>,
}

fn det<const D: usize>(z: &Vector<D>) -> f64 {
    let t = crate::laws::coulomb::tangent_norm(z);
    ((z[0] - t) * (z[0] + t)).max(1e-300)
}
/// jordan product
fn jordan<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<D> { let mut r = a * b[0] + b * a[0]; r[0] = a.dot(b); r }
/// L(a)^{-1} b
fn arrow_solve<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> Vector<D> {
    let d = det(a);
    let at_bt = a.dot(b) - a[0] * b[0];
    let x0 = (a[0] * b[0] - at_bt) / d;
    let mut x = (b - a * x0) / a[0];
    x[0] = x0;
    x
}
fn reflect<const D: usize>(z: &Vector<D>) -> Vector<D> { let mut r = -*z; r[0] = z[0]; r }

/// largest α ≤ 1 with z + α d in the cone
fn step<const D: usize>(z: &Vector<D>, d: &Vector<D>) -> f64 {
    // solve (z0+αd0)² − |z1+αd1|² = 0
    let jd = reflect(d);
    let a = d.dot(&jd); let b = z.dot(&jd); let c = det(z);
    let mut alpha = f64::INFINITY;
    let disc = b * b - a * c;
    if disc >= 0.0 {
        let q = if b < 0.0 { -b + disc.sqrt() } else { -b - disc.sqrt() };
        for r in [q / a, c / q] { if r > 0.0 && r < alpha { alpha = r; } }
    }
    if d[0] < 0.0 { alpha = alpha.min(-z[0] / d[0]); }
    alpha
}

impl<const D: usize> Ipm<D> {
    pub fn new(p: &Problem<D>) -> Self {
        let e: Vec<Vector<D>> = (0..p.len()).map(|i| {
            let mu = match p.laws()[i] { Law::Coulomb { mu } => mu, _ => 0.0 };
            let c = p.rho(i).sqrt();
            let mut v = Vector::from_element(mu * c);
            v[0] = c;
            v
        }).collect();
        let w = p.w().map(|i, j, b| { let mut m = *b; for r in 0..D { for c in 0..D { m[(r, c)] *= e[i][r] * e[j][c]; } } m });
        let b = p.b().iter().zip(&e).map(|(b, e)| b.component_mul(e)).collect();
        let lu = Frontal::new(&w);
        Self { e, w, b, lu }
    }
    pub fn work(&self) -> f64 { self.lu.work() }
    pub fn solve(&mut self, p: &Problem<D>, set: &IpmSettings, s: &mut [Vector<D>]) -> usize {
        let n = p.len();
        let getenv = |k: &str, d: f64| std::env::var(k).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
        let (start, order2, frac, nb, reg) = (getenv("START", 1.0), getenv("ORDER2", 1.0), getenv("FRAC", 0.99), getenv("NB", 0.0), getenv("REG", 1e-13));
        let bscale = self.b.iter().map(|b| b.norm_squared()).sum::<f64>().sqrt() / (n as f64).sqrt();
        let zero = vec![Vector::<D>::zeros(); n];
        let (mut y, mut v, mut dy, mut dv, mut rd, mut u, mut real_u) = (zero.clone(), zero.clone(), zero.clone(), zero.clone(), zero.clone(), zero.clone(), zero.clone());
        let mut nu = vec![start * bscale; n];
        let mut dnu = vec![0.0; n];
        for i in 0..n { y[i][0] = start * bscale; v[i][0] = start * bscale; }
        if s.iter().any(|x| x[0] > 0.0) {
            let eta = getenv("ETA", 0.1);
            for i in 0..n { for k in 0..D { y[i][k] = if self.e[i][k] > 0.0 { s[i][k] / self.e[i][k] } else { 0.0 }; } }
            self.w.apply(&y, &self.b, &mut v);
            let rms = |v: &[Vector<D>]| (v.iter().map(|b| b.norm_squared()).sum::<f64>() / n as f64).sqrt();
            let (ry, rv) = (rms(&y), rms(&v).max(bscale * getenv("BMIN", 1e-2)));
            for i in 0..n {
                let ty = crate::laws::coulomb::tangent_norm(&y[i]);
                y[i][0] = y[i][0].max(ty) + eta * ry;
                nu[i] = crate::laws::coulomb::tangent_norm(&v[i]) + eta * rv;
                v[i][0] = v[i][0].max(0.0) + eta * rv;
            }
        }
        let dual = |v: &Vector<D>, nu: f64| { let mut q = *v; q[0] = nu; q };
        let mut corr = zero.clone();
        let mut corr_n = vec![0.0; n];
        let mut root = vec![Matrix::<D>::zeros(); n];
        let mut h = root.clone();
        let mut add = root.clone();
        for it in 0..set.max_iterations {
            self.w.apply(&y, &self.b, &mut u);
            let mut gap = 0.0;
            for i in 0..n { rd[i] = u[i] - v[i]; gap += y[i].dot(&dual(&v[i], nu[i])) + y[i][0] * v[i][0]; }
            gap /= 2.0 * n as f64;
            for i in 0..n { s[i] = y[i].component_mul(&self.e[i]); }
            p.velocities(s, &mut real_u);
            let res = crate::certificate::relative(p, s, &real_u);
            if set.verbose { println!("   it {it} res {res:.3e} gap {gap:.3e} rd {:.3e}", rd.iter().map(|r| r.norm_squared()).sum::<f64>().sqrt()); }
            if res < set.tolerance { return it; }
            if !res.is_finite() { return set.max_iterations; }
            for i in 0..n {
                let q = dual(&v[i], nu[i]);
                let (dz, dlm) = (det(&y[i]).sqrt(), det(&q).sqrt());
                let (zb, lb) = (y[i] / dz, q / dlm);
                let g = ((1.0 + zb.dot(&lb)) * 0.5).sqrt();
                let a = (lb + reflect(&zb)) / (2.0 * g);
                let mut m = a * a.transpose() * 2.0;
                for k in 0..D { m[(k, k)] += if k == 0 { -1.0 } else { 1.0 }; }
                h[i] = m * (dlm / dz);
                let mut w = a; w[0] += 1.0; w /= (2.0 * (a[0] + 1.0)).sqrt();
                let mut m = w * w.transpose() * 2.0;
                for k in 0..D { m[(k, k)] += if k == 0 { -1.0 } else { 1.0 }; }
                root[i] = m * (dlm / dz).sqrt();
                let mut b = h[i];
                for c in 0..D { b[(0, c)] = 0.0; }
                b[(0, 0)] = v[i][0] / y[i][0];
                for k in 0..D { b[(k, k)] += reg; }
                add[i] = b;
            }
            if self.lu.factorise(&self.w, None, &add).is_err() { return set.max_iterations; }
            let mut tau = 0.0;
            let mut alpha = 1.0;
            for pass in 0..2 {
                for i in 0..n {
                    let q = dual(&v[i], nu[i]);
                    let mut rc = -q + reflect(&y[i]) * (tau / det(&y[i]));
                    let mut rn = tau / y[i][0] - v[i][0];
                    if pass == 1 && order2 > 0.0 { rc -= corr[i] * order2; rn -= corr_n[i] * order2; }
                    dnu[i] = rc[0];
                    dv[i] = rc; dv[i][0] = rn;
                    dy[i] = dv[i] - rd[i];
                }
                self.lu.solve(&mut dy);
                alpha = 1.0f64;
                for i in 0..n {
                    let hd = h[i] * dy[i];
                    dnu[i] -= hd[0];
                    let n0 = dv[i][0] - v[i][0] / y[i][0] * dy[i][0];
                    dv[i] -= hd; dv[i][0] = n0;
                    alpha = alpha.min(step(&y[i], &dy[i])).min(step(&dual(&v[i], nu[i]), &dual(&dv[i], dnu[i])));
                    if dv[i][0] < 0.0 { alpha = alpha.min(-v[i][0] / dv[i][0]); }
                }
                if pass == 0 {
                    for i in 0..n {
                        let dz = root[i] * dy[i];
                        let ell = root[i] * y[i];
                        corr[i] = root[i] * arrow_solve(&ell, &jordan(&dz, &(-ell - dz)));
                        corr_n[i] = dy[i][0] * dv[i][0] / y[i][0];
                    }
                    tau = gap * (1.0 - alpha).powi(3).max(1e-4);
                }
            }
            let mut a = (frac * alpha).min(1.0);
            if nb > 0.0 { for _ in 0..30 {
                let mut g = 0.0; let mut mn = f64::INFINITY;
                for i in 0..n { let (yy, ll) = (y[i] + a * dy[i], dual(&(v[i] + a * dv[i]), nu[i] + a * dnu[i])); let vn = yy[0] * (v[i][0] + a * dv[i][0]); g += yy.dot(&ll) + vn; mn = mn.min((det(&yy) * det(&ll)).sqrt()).min(vn); }
                if mn >= nb * g / (2 * n) as f64 { break; }
                a *= 0.8;
            } }
            if set.verbose { println!("      alpha {a:.3e} sigma {:.1e}", tau / gap); }
            for i in 0..n { y[i] += a * dy[i]; v[i] += a * dv[i]; nu[i] += a * dnu[i]; }
        }
        set.max_iterations
    }
}
