//! Global form: `A v = f + Gᵀ S`, `U = G v + w`, with sparse `A` and `G`   method (1), (5)
//!
//! Condensation `W = G A⁻¹ Gᵀ`, `b = G A⁻¹ f + w` leads to the local form (8); the
//! velocities come back by `v = A⁻¹ (f + Gᵀ S)`.

use super::inertia::Inertia;
use crate::algebra::{BlockMatrix, Csr, Matrix, Vector};
use crate::{Error, Law, Problem};
use faer::Mat;

/// The one-step problem in the velocities of the bodies.
pub struct GlobalProblem<const D: usize> {
    a: Csr,
    g: Csr,
    f: Vec<f64>,
    w: Vec<Vector<D>>,
    laws: Vec<Law>,
    inertia: Inertia,
}

impl<const D: usize> GlobalProblem<D> {
    /// `g` has `D` rows per contact, normal first. Factorises `a`.
    pub fn new(a: Csr, g: Csr, f: Vec<f64>, w: Vec<Vector<D>>, laws: Vec<Law>) -> Result<Self, Error> {
        let n = a.rows;
        let shape = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
        };
        shape("columns of A", n, a.columns)?;
        shape("columns of G", n, g.columns)?;
        shape("length of f", n, f.len())?;
        shape("rows of G", D * laws.len(), g.rows)?;
        shape("length of w", D * laws.len(), D * w.len())?;
        for (what, m) in [("A", &a), ("G", &g)] {
            if let Some((row, column)) = m.first_non_finite() {
                return Err(Error::NonFiniteEntry { what, row, column });
            }
        }
        if let Some(row) = f.iter().position(|x| !x.is_finite()) {
            return Err(Error::NonFiniteEntry { what: "f", row, column: 0 });
        }
        let inertia = Inertia::new(&a)?;
        Ok(Self { a, g, f, w, laws, inertia })
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.laws.len()
    }

    /// True when there is no contact.
    pub fn is_empty(&self) -> bool {
        self.laws.is_empty()
    }

    /// Number of degrees of freedom.
    pub fn dofs(&self) -> usize {
        self.a.rows
    }

    pub(crate) fn imposed(&self) -> &[Vector<D>] {
        &self.w
    }

    pub(crate) fn matrices(&self) -> (&Csr, &Csr, &[f64]) {
        (&self.a, &self.g, &self.f)
    }

    /// `v = A⁻¹ (f + Gᵀ S)`.
    pub fn velocities(&self, s: &[Vector<D>]) -> Vec<f64> {
        let flat: Vec<f64> = s.iter().flat_map(|x| x.iter().copied()).collect();
        let mut v = self.f.clone();
        self.g.add_transposed(&flat, &mut v);
        self.inertia.solve(&mut v);
        v
    }

    /// The local form (8).
    pub fn condense(&self) -> Result<Problem<D>, Error> {
        let mut b = self.w.clone();
        let v = self.velocities(&vec![Vector::zeros(); self.len()]);
        for (i, b) in b.iter_mut().enumerate() {
            for r in 0..D {
                b[r] += self.g.row(D * i + r).map(|(j, x)| x * v[j]).sum::<f64>();
            }
        }
        let mut triplets = vec![];
        for (c, contacts) in self.contacts_by_component().iter().enumerate() {
            match self.inertia.components[c].scalar() {
                Some(_) if contacts.is_empty() => {}
                Some(inertia) => self.condense_scalar(c, inertia, contacts, &mut triplets),
                None => self.condense_component(c, contacts, &mut triplets),
            }
        }
        let w = BlockMatrix::from_triplets(self.len(), &mut triplets);
        Problem::new(w, b, self.laws.clone())
    }

    fn contacts_by_component(&self) -> Vec<Vec<usize>> {
        let mut lists: Vec<Vec<usize>> = vec![vec![]; self.inertia.components.len()];
        for i in 0..self.len() {
            for r in 0..D {
                for (j, _) in self.g.row(D * i + r) {
                    let list = &mut lists[self.inertia.place[j].0 as usize];
                    if list.last() != Some(&i) {
                        list.push(i);
                    }
                }
            }
        }
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        lists
    }

    /// Adds `G_α A_c⁻¹ G_βᵀ` for all pairs of contacts on one component.
    fn condense_component(&self, c: usize, contacts: &[usize], out: &mut Vec<(u32, u32, Matrix<D>)>) {
        let component = &self.inertia.components[c];
        let rows: Vec<Vec<(usize, usize, f64)>> = contacts.iter().map(|&i| self.local_rows(i, c)).collect();
        let mut x = Mat::zeros(component.dofs.len(), D);
        for (b, &j) in contacts.iter().enumerate() {
            x.fill(0.0);
            for &(r, k, value) in &rows[b] {
                x[(k, r)] += value;
            }
            component.solve(x.as_mut());
            for (a, &i) in contacts.iter().enumerate() {
                let mut block = Matrix::zeros();
                for &(r, k, value) in &rows[a] {
                    for col in 0..D {
                        block[(r, col)] += value * x[(k, col)];
                    }
                }
                out.push((i as u32, j as u32, block));
            }
        }
    }

    /// As below for a component of one degree of freedom: an outer product.
    fn condense_scalar(&self, c: usize, inertia: f64, contacts: &[usize], out: &mut Vec<(u32, u32, Matrix<D>)>) {
        let dof = self.inertia.components[c].dofs[0];
        let columns: Vec<Vector<D>> = contacts
            .iter()
            .map(|&i| Vector::from_fn(|r, _| self.g.row(D * i + r).filter(|(j, _)| *j == dof).map(|(_, x)| x).sum()))
            .collect();
        for (a, &i) in columns.iter().zip(contacts) {
            for (b, &j) in columns.iter().zip(contacts) {
                out.push((i as u32, j as u32, a * b.transpose() / inertia));
            }
        }
    }

    /// Entries `(row, place in the component, value)` of contact `i` on component `c`.
    fn local_rows(&self, i: usize, c: usize) -> Vec<(usize, usize, f64)> {
        let mut out = vec![];
        for r in 0..D {
            for (j, x) in self.g.row(D * i + r) {
                let (component, place) = self.inertia.place[j];
                if component as usize == c && x != 0.0 {
                    out.push((r, place as usize, x));
                }
            }
        }
        out
    }
}
