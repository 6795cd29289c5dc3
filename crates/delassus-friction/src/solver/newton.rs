//! newton experiment
use crate::algebra::{BlockMatrix, Frontal, Matrix, Vector};
use crate::laws::coulomb::{project, tangent_norm};
use crate::{Law, Problem};
pub struct Newton<const D: usize> { e: Vec<Vector<D>>, w: BlockMatrix<D>, b: Vec<Vector<D>>, lu: Frontal<D>, left: Vec<Matrix<D>>, add: Vec<Matrix<D>>, u: Vec<Vector<D>>, f: Vec<Vector<D>>, trial: Vec<Vector<D>> }
fn jac<const D: usize>(x: &Vector<D>) -> Matrix<D> {
    let t = tangent_norm(x);
    if t <= x[0] { return Matrix::identity(); }
    if t <= -x[0] { return Matrix::zeros(); }
    let mut th = x / t; th[0] = 0.0;
    let k = x[0] / t;
    let mut j = -th * th.transpose() * (0.5 * k);
    for i in 1..D { j[(i, i)] += 0.5 * (1.0 + k); j[(0, i)] = 0.5 * th[i]; j[(i, 0)] = 0.5 * th[i]; }
    j[(0, 0)] = 0.5;
    j
}
impl<const D: usize> Newton<D> {
    pub fn new(p: &Problem<D>) -> Self {
        let e: Vec<Vector<D>> = (0..p.len()).map(|i| {
            let mu = match p.laws()[i] { Law::Coulomb { mu } => mu, _ => 0.0 };
            let c = p.rho(i).sqrt();
            let mut v = Vector::from_element(mu * c); v[0] = c; v
        }).collect();
        let w = p.w().map(|i, j, b| { let mut m = *b; for r in 0..D { for c in 0..D { m[(r, c)] *= e[i][r] * e[j][c]; } } m });
        let b: Vec<_> = p.b().iter().zip(&e).map(|(b, e)| b.component_mul(e)).collect();
        let n = p.len();
        Self { lu: Frontal::new(&w), e, w, b, left: vec![Matrix::zeros(); n], add: vec![Matrix::zeros(); n], u: vec![Vector::zeros(); n], f: vec![Vector::zeros(); n], trial: vec![Vector::zeros(); n] }
    }
    fn eval(&mut self, y: &[Vector<D>]) -> f64 {
        self.w.apply(y, &self.b, &mut self.u);
        let mut m = 0.0;
        for i in 0..y.len() {
            let mut x = y[i] - self.u[i]; x[0] -= tangent_norm(&self.u[i]);
            self.f[i] = y[i] - project(1.0, &x);
            m += self.f[i].norm_squared();
        }
        m.sqrt()
    }
    /// Newton steps while the residual falls by enough; returns (iterations)
    pub fn polish(&mut self, s: &mut [Vector<D>], tol: f64, max: usize, eps: f64, verbose: bool) -> usize {
        let n = s.len();
        let bn = self.b.iter().map(|b| b.norm_squared()).sum::<f64>().sqrt();
        let mut y: Vec<Vector<D>> = (0..n).map(|i| { let mut y = s[i]; for k in 0..D { y[k] = if self.e[i][k] > 0.0 { y[k] / self.e[i][k] } else { 0.0 }; } y }).collect();
        let mut m = self.eval(&y);
        let m0 = m;
        let mut it = 0;
        let mut fails = 0;
        while it < max && m > tol * bn {
            it += 1;
            for i in 0..n {
                let u = &self.u[i];
                let t = tangent_norm(u);
                let mut x = y[i] - u; x[0] -= t;
                let j = jac(&x);
                let mut du = Matrix::<D>::identity();
                if t > 0.0 { for k in 1..D { du[(0, k)] = u[k] / t; } }
                self.left[i] = j * du;
                self.add[i] = Matrix::identity() - j + self.left[i] * eps;
            }
            if let Err(e) = self.lu.factorise(&self.w, Some(&self.left), &self.add) { if verbose { println!("  {e}"); } break; }
            let mut d = self.f.clone();
            self.lu.solve(&mut d);
            let mut a = 1.0;
            let mut best = f64::INFINITY;
            for _ in 0..6 {
                let mut tr = std::mem::take(&mut self.trial);
                for i in 0..n { tr[i] = y[i] - d[i] * a; }
                best = self.eval(&tr);
                self.trial = tr;
                if best < (1.0 - 0.1 * a) * m { break; }
                a *= 0.5;
            }
            if verbose { println!("   newton {it} a {a} {m:.2e} -> {best:.2e}"); }
            if !(best < (1.0 - 0.1 * a) * m) { fails += 1; self.eval(&y); break; }
            m = best;
            y.copy_from_slice(&self.trial);
        }
        let _ = fails;
        if m < m0 { for i in 0..n { s[i] = y[i].component_mul(&self.e[i]); } }
        it
    }
}
