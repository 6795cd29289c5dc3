//! Loop e: Newton on the unknowns and percussions with frozen statuses and thresholds.

use super::{Assembled, Blocks, Nested};
use crate::{ContactStatus, Error};
use delassus_algebra::AlgebraError;
use delassus_friction::algebra::{Matrix, Vector};
use delassus_friction::laws::COMPONENTS;

/// As a part's own balance: this many times its round-off, no longer lessened, is closed.
const STALLED: f64 = 100.0;

/// A row of this length, relative to its free columns and those held, moves nothing.
const EMPTY: f64 = 1e-12;

/// A basis of the contact space whose first tangent is `e`.
fn basis<const C: usize>(e: &Vector<C>) -> Matrix<C> {
    let mut out = Matrix::<C>::identity();
    if C == 3 {
        let at = |k: usize| e[k.min(C - 1)];
        for (column, t) in [[at(1), at(2)], [-at(2), at(1)]].into_iter().enumerate() {
            for k in 0..2 {
                out[((1 + k).min(C - 1), (1 + column).min(C - 1))] = t[k];
            }
        }
    }
    out
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl<const C: usize> Nested<C> {
    /// Loop e: Newton with frozen statuses and thresholds; false when it does not converge.
    pub(super) fn newton(
        &mut self,
        part: &mut dyn Assembled,
        blocks: &Blocks<'_, C>,
        s: &mut [Vector<C>],
    ) -> Result<bool, Error> {
        let (limit, tolerance) = (blocks.method.loops.newton, blocks.tolerance);
        // Rows that repeat others do so for one set of statuses.
        self.left_out.fill(false);
        let mut before = f64::INFINITY;
        for round in 0..=limit {
            match round {
                0 => part.evaluate(&self.x)?,
                _ => {
                    self.gather(blocks, s);
                    part.approach(&mut self.x, &self.force)?;
                }
            }
            self.measure(blocks);
            let laws = self.linearise(part, blocks, s);
            self.gather(blocks, s);
            self.f.clear();
            self.f.extend_from_slice(part.residual());
            for i in 0..self.f.len() {
                self.f[i] = if part.is_held(i) { 0.0 } else { self.force[i] - self.f[i] };
            }
            let laws = self.tie(part).max(laws);
            let [size, round_off] = part.size();
            let size = size.max(norm(&self.force));
            self.balance = if size > 0.0 { norm(&self.f) / size } else { 0.0 };
            let balance = self.balance;
            self.tell(blocks, || format!("      e newton {round}: balance {balance:.2e}, contact {laws:.2e}"));
            if !self.balance.is_finite() {
                return Ok(false);
            }
            let least = if size > 0.0 { round_off / size } else { 0.0 };
            let stalled = balance > 0.9 * before && balance <= STALLED * least;
            before = balance;
            if (self.balance <= tolerance.max(least) || stalled) && laws <= (0.1 * tolerance).max(1e-13) {
                // Where all forces vanish, round-off is no imbalance.
                self.balance *= if round_off > tolerance * size { tolerance * size / round_off } else { 1.0 };
                return Ok(true);
            }
            if round == limit {
                break;
            }
            self.counts.newton += 1;
            self.step(part, s)?;
        }
        Ok(false)
    }

    /// Generalised percussions on the part.
    fn gather(&mut self, blocks: &Blocks<'_, C>, s: &[Vector<C>]) {
        let (rows, first) = (blocks.rows, blocks.range.start);
        self.force.clear();
        self.force.resize(self.x.len(), 0.0);
        for (i, s) in s.iter().enumerate() {
            for k in rows.sides(i).flat_map(|s| s.range()) {
                self.force[rows.dofs()[k] as usize - first] += rows.columns()[k].dot(&(s - blocks.offset[i]));
            }
        }
    }

    /// Velocities that the laws speak of, without the compliance.
    fn measure(&mut self, blocks: &Blocks<'_, C>) {
        let (rows, first) = (blocks.rows, blocks.range.start);
        self.u.clear();
        for i in 0..rows.len() {
            let mut u = blocks.fixed[i];
            for k in rows.sides(i).flat_map(|s| s.range()) {
                u += rows.columns()[k] * self.x[rows.dofs()[k] as usize - first];
            }
            self.u.push(u);
        }
    }

    /// Fills the rows of the matrix and their right sides; components that are given take their values at
    /// once. The residual of the equations, relative to the velocities they are made of.
    fn linearise(&mut self, part: &dyn Assembled, blocks: &Blocks<'_, C>, s: &mut [Vector<C>]) -> f64 {
        let (width, starts, dofs) = &self.layout;
        let (width, rows) = (*width, blocks.rows);
        let c = self.c.as_mut().expect("prepared");
        self.b.fill(0.0);
        self.turns.clear();
        c.set_zero();
        self.g.clear();
        self.g.resize(width * rows.len(), 0.0);
        let (mut errors, mut sizes) = (0.0f64, 0.0f64);
        for i in 0..rows.len() {
            let given = blocks.compliance[i];
            let (mut turn, mut active, mut extra, mut rhs) =
                (Matrix::<C>::identity(), [false; COMPONENTS], Vector::<C>::zeros(), Vector::<C>::zeros());
            let threshold = self.threshold[i];
            match self.status[i] {
                ContactStatus::Open => s[i] = Vector::zeros(),
                status => {
                    active[0] = true;
                    rhs[0] = -(self.u[i][0] + given[0] * s[i][0]);
                    if width == 1 || threshold <= 0.0 {
                        (1..C).for_each(|k| s[i][k] = 0.0);
                    } else if status == ContactStatus::Stick {
                        for k in 1..C {
                            active[k] = true;
                            rhs[k] = -(self.u[i][k] + given[k] * s[i][k]);
                        }
                    } else if C == 2 {
                        s[i][1] = threshold * self.sense[i][1];
                    } else {
                        let rho = self.rho[i];
                        let mut z = s[i] - (self.u[i] + given.component_mul(&s[i])) * rho;
                        z[0] = 0.0;
                        let size = z.norm();
                        let e = if size > 0.0 { z / size } else { self.sense[i] };
                        turn = basis(&e);
                        // Inside the disc the slope of its border is taken.
                        let alpha = (threshold / size.max(threshold)).min(1.0 - 1e-9);
                        let across = (1..C).map(|k| turn[(k, C - 1)] * s[i][k]).sum::<f64>();
                        let n = s[i][0];
                        s[i] = e * threshold + turn.column(C - 1) * across;
                        s[i][0] = n;
                        active[C - 1] = true;
                        extra[C - 1] = (1.0 - alpha) / (alpha * rho);
                        rhs[C - 1] = -across / (alpha * rho);
                    }
                }
            }
            self.turns.push(turn);
            let list = &dofs[starts[i] as usize..starts[i + 1] as usize];
            let columns = rows.sides(i).flat_map(|s| s.range());
            let base = width * starts[i] as usize;
            for (place, k) in columns.enumerate() {
                if part.is_held(list[place] as usize) {
                    continue;
                }
                let column = turn.tr_mul(&rows.columns()[k]);
                for r in (0..width).filter(|r| active[*r]) {
                    self.b[base + r * list.len() + place] = column[r];
                }
            }
            for r in 0..width {
                let at = width * i + r;
                let row = &mut self.b[base + r * list.len()..base + (r + 1) * list.len()];
                // Rows are means: their entries are shares of one.
                let empty = norm(row) <= EMPTY || self.left_out[at];
                if active[r] && !empty {
                    self.g[at] = rhs[r];
                    c.values_mut()[at] = given[r] + extra[r];
                    errors += rhs[r] * rhs[r];
                } else {
                    row.fill(0.0);
                    c.values_mut()[at] = 1.0;
                }
                sizes += self.u[i][r].powi(2) + blocks.fixed[i][r].powi(2);
            }
        }
        let speed = self.x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let size = sizes.sqrt().max(speed).max(f64::MIN_POSITIVE);
        errors.sqrt() / size
    }

    /// Fills the rows that hold whatever touches and takes from the balance what they carry; what is missing of them.
    fn tie(&mut self, part: &dyn Assembled) -> f64 {
        let Some(ties) = part.ties() else { return 0.0 };
        let first = self.b.len() - ties.values.len();
        self.b[first..].copy_from_slice(ties.values);
        self.g.extend_from_slice(ties.missing);
        let (contacts, c) = (self.g.len() - ties.missing.len(), self.c.as_mut().expect("prepared"));
        self.tied_out.resize(ties.missing.len(), false);
        for (r, w) in ties.starts.windows(2).enumerate().filter(|(r, _)| self.tied_out[*r]) {
            self.b[first + w[0]..first + w[1]].fill(0.0);
            self.g[contacts + r] = 0.0;
            c.values_mut()[contacts + r] = 1.0;
        }
        for (y, w) in self.tied.iter().zip(ties.starts.windows(2)) {
            let terms = ties.dofs[w[0]..w[1]].iter().zip(&ties.values[w[0]..w[1]]);
            terms.for_each(|(dof, c)| self.f[*dof as usize] -= c * y);
        }
        ties.parted
    }

    /// Leaves out a row that holds whatever touches because others say the same; whether there was one.
    fn repeats(&mut self, part: &dyn Assembled, constraint: usize) -> bool {
        let contacts = self.g.len() - self.tied_out.len();
        let (Some(ties), Some(row)) = (part.ties(), constraint.checked_sub(contacts)) else { return false };
        if std::mem::replace(&mut self.tied_out[row], true) {
            return false;
        }
        let first = self.b.len() - ties.values.len();
        self.b[first + ties.starts[row]..first + ties.starts[row + 1]].fill(0.0);
        self.g[constraint] = 0.0;
        self.c.as_mut().expect("prepared").values_mut()[constraint] = 1.0;
        true
    }

    /// Solves the linear system and moves; rows that repeat others are left out.
    fn step(&mut self, part: &dyn Assembled, s: &mut [Vector<C>]) -> Result<(), Error> {
        let width = self.layout.0;
        loop {
            let (kkt, c) = (self.kkt.as_mut().expect("prepared"), self.c.as_mut().expect("prepared"));
            match kkt.refactor(part.matrix(), &self.b, c) {
                Ok(()) => break,
                Err(AlgebraError::Redundant { constraint }) if self.left_out.get(constraint) == Some(&false) => {
                    self.left_out[constraint] = true;
                    let (i, r) = (constraint / width, constraint % width);
                    let (_, starts, _) = &self.layout;
                    let len = (starts[i + 1] - starts[i]) as usize;
                    let base = width * starts[i] as usize + r * len;
                    self.b[base..base + len].fill(0.0);
                    self.g[constraint] = 0.0;
                    c.values_mut()[constraint] = 1.0;
                }
                Err(AlgebraError::Redundant { constraint }) if self.repeats(part, constraint) => {}
                Err(e) => return Err(e.into()),
            }
        }
        let kkt = self.kkt.as_mut().expect("prepared");
        kkt.solve(&mut self.f, &mut self.g)?;
        self.x.iter_mut().zip(&self.f).for_each(|(x, d)| *x += d);
        for i in 0..s.len() {
            let mut change = Vector::<C>::zeros();
            (0..width).for_each(|r| change[r] = -self.g[width * i + r]);
            s[i] += self.turns[i] * change;
        }
        let first = width * s.len();
        self.tied.iter_mut().zip(&self.g[first..]).for_each(|(y, d)| *y += d);
        Ok(())
    }
}
