//! The rows of `G`, block by block
//!
//! ```text
//!     U_α = w_α + Σ_k c_αk u_{d(k)},        r = Σ_α Σ_k (c_αk · S_α) e_{d(k)}         method (1)
//! ```
//!
//! `w` is taken at `t_i` for the velocity before the step and at `t_f` for the one after: a
//! body that stays on a moving obstacle then follows it by the trapezoidal rule, without the
//! small flights a velocity at `t_m` would cause.
//!
//! A block has one column `c` of the contact space for each degree of freedom it sees.
//! Columns are grouped by *sides*: the independent pieces of the system (rigid bodies, a
//! whole solid) that the contact joins: two, and a third where the contact is with an image of a cell that gives way.

use delassus_friction::Root;
use delassus_friction::algebra::Vector;

/// Most groups of a block.
pub(crate) const SIDES: usize = 3;

/// A piece of the system seen by a block, and where its columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Independent piece of `A`, as the subsystem numbers them.
    pub group: u32,
    /// First column.
    pub first: u32,
    /// Number of columns.
    pub count: u32,
}

impl Side {
    const NONE: Side = Side { group: u32::MAX, first: 0, count: 0 };

    /// Storage of the side's columns.
    #[inline]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// Blocks of rows for contacts of `C` components.
#[derive(Clone, Debug, Default)]
pub struct Rows<const C: usize> {
    sides: Vec<[Side; SIDES]>,
    dof: Vec<u32>,
    column: Vec<Vector<C>>,
    /// Imposed relative velocity of each block at the beginning and the end of the step \[m/s\].
    w: Vec<[Vector<C>; 2]>,
}

impl<const C: usize> Rows<C> {
    /// Empties, keeping the memory.
    pub fn clear(&mut self) {
        self.sides.clear();
        self.dof.clear();
        self.column.clear();
        self.w.clear();
    }

    /// Begins a block with its imposed velocity at the beginning and at the end of the step.
    pub fn begin(&mut self, w: [Vector<C>; 2]) {
        self.sides.push([Side::NONE; SIDES]);
        self.w.push(w);
    }

    /// Adds a column of the block begun last. Columns of a group must follow each other,
    /// and at most three groups may appear.
    #[inline]
    pub fn push(&mut self, group: u32, dof: u32, column: Vector<C>) {
        let at = self.column.len() as u32;
        self.dof.push(dof);
        self.column.push(column);
        let sides = self.sides.last_mut().expect("a block was begun");
        let k = sides.iter().position(|s| s.group == group || s.count == 0).unwrap_or(SIDES - 1);
        if sides[k].count == 0 {
            sides[k] = Side { group, first: at, count: 0 };
        }
        debug_assert_eq!(sides[k].group, group, "at most three groups per block");
        sides[k].count += 1;
    }

    /// Adds a column of the block begun last whose motion is imposed: its velocities at the beginning and
    /// the end of the step.
    #[inline]
    pub fn impose(&mut self, column: Vector<C>, velocity: [f64; 2]) {
        let w = self.w.last_mut().expect("a block was begun");
        w[0] += column * velocity[0];
        w[1] += column * velocity[1];
    }

    /// Begins a block with the columns and the imposed velocity of another one.
    pub fn repeat(&mut self, block: usize) {
        let sides = self.sides[block];
        self.begin(self.w[block]);
        for side in sides {
            for k in side.range() {
                self.push(side.group, self.dof[k], self.column[k]);
            }
        }
    }

    /// Begins a block with the columns and the imposed velocity of one of other rows, whose groups and degrees of freedom
    /// have other names here.
    pub fn take(&mut self, from: &Self, block: usize, named: impl Fn(u32, u32) -> (u32, u32)) {
        self.begin(from.w[block]);
        for side in from.sides(block) {
            for k in side.range() {
                let (group, dof) = named(side.group, from.dof[k]);
                self.push(group, dof, from.column[k]);
            }
        }
    }

    /// Takes away the blocks from `len` on.
    pub fn truncate(&mut self, len: usize) {
        let end = self.sides[len..].iter().flatten().filter(|s| s.count > 0).map(|s| s.first).min();
        if let Some(end) = end {
            self.dof.truncate(end as usize);
            self.column.truncate(end as usize);
        }
        self.sides.truncate(len);
        self.w.truncate(len);
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.w.len()
    }

    /// True without blocks.
    pub fn is_empty(&self) -> bool {
        self.w.is_empty()
    }

    /// The sides of a block.
    #[inline]
    pub fn sides(&self, block: usize) -> impl Iterator<Item = Side> + '_ {
        self.sides[block].iter().copied().filter(|s| s.count > 0)
    }

    /// Degrees of freedom, in storage order.
    pub fn dofs(&self) -> &[u32] {
        &self.dof
    }

    /// Columns, in storage order.
    pub fn columns(&self) -> &[Vector<C>] {
        &self.column
    }

    /// Imposed velocities, at the beginning and at the end of the step.
    pub fn w(&self) -> &[[Vector<C>; 2]] {
        &self.w
    }

    /// The root `R = G A^{-1/2}` of `W − C` for a diagonal `A`, where every group has `width`
    /// degrees of freedom; nothing where one differs. `inverse` holds `1/A_kk`.
    pub fn root(&self, inverse: &[f64], width: usize, groups: usize, compliance: &[Vector<C>]) -> Option<Root<C>> {
        let mut root = Root::default();
        self.fill_root(inverse, (width, groups), compliance, &mut root).then_some(root)
    }

    /// The same in memory that was used before; false where a group has another width.
    pub fn fill_root(
        &self,
        inverse: &[f64],
        (width, groups): (usize, usize),
        compliance: &[Vector<C>],
        root: &mut Root<C>,
    ) -> bool {
        root.clear(width, groups);
        for block in 0..self.len() {
            root.begin(compliance[block]);
            for side in self.sides(block) {
                let columns = side.range().map(|k| self.column[k] * inverse[self.dof[k] as usize].sqrt());
                if !root.push(side.group, columns) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether every block has at most two sides, of `width` columns each.
    pub fn have_width(&self, width: usize) -> bool {
        let fits = |s: &Side| s.count == 0 || s.count as usize == width;
        self.sides.iter().all(|sides| sides[2].count == 0 && sides.iter().all(fits))
    }

    /// `G_α u`, without the imposed velocity.
    #[inline]
    pub fn times(&self, block: usize, u: &[f64]) -> Vector<C> {
        let mut out = Vector::zeros();
        for side in &self.sides[block] {
            for k in side.range() {
                out += self.column[k] * u[self.dof[k] as usize];
            }
        }
        out
    }

    /// `G_α u` without the degrees of freedom of a range.
    pub fn times_outside(&self, block: usize, u: &[f64], range: &std::ops::Range<usize>) -> Vector<C> {
        if range.is_empty() {
            return self.times(block, u);
        }
        let columns = self.sides[block].iter().flat_map(|s| s.range());
        columns
            .filter(|k| !range.contains(&(self.dof[*k] as usize)))
            .map(|k| self.column[k] * u[self.dof[k] as usize])
            .sum()
    }

    /// Whether a block sees a degree of freedom of a range.
    pub fn meets(&self, block: usize, range: &std::ops::Range<usize>) -> bool {
        self.sides[block].iter().flat_map(|s| s.range()).any(|k| range.contains(&(self.dof[k] as usize)))
    }

    /// `r ← r + G_αᵀ s`.
    #[inline]
    pub fn add_transposed(&self, block: usize, s: &Vector<C>, r: &mut [f64]) {
        for side in &self.sides[block] {
            for k in side.range() {
                r[self.dof[k] as usize] += self.column[k].dot(s);
            }
        }
    }
}
