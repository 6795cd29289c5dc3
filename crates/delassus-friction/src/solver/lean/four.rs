//! Four contacts at once
//!
//! Four contacts that share no body are visited side by side with the vectors of the processor: all cases of a solve are
//! computed, and the one that holds is taken; only how a contact slides in space is found one by one. Whether vectors
//! hold one, two or four numbers, the operations on each contact are the same, and so are the bits.

use super::Row;
use crate::algebra::Vector;
use pulp::Simd;
use std::ops::{Add, Mul, Sub};

/// Contacts that are visited together.
pub(super) const FOUR: usize = 4;

/// A number of each.
pub(super) type Numbers = [f64; FOUR];

/// Four contacts that share no body.
pub(super) trait Four<const D: usize>: Sized + Send {
    /// One of them.
    type One: Row<D>;

    /// Side by side.
    fn of(rows: [&Self::One; FOUR]) -> Self;

    /// Visits as many as a vector holds from the contact `first` on.
    fn visit<S: Simd>(&mut self, simd: S, first: usize, y: &mut [f64], s: &mut [Vector<D>], by: &mut Tally);

    /// `y ← y + Rᵀ S` of as many.
    fn push<S: Simd>(&self, simd: S, first: usize, y: &mut [f64], s: &[Vector<D>]);
}

/// What visits ask for and find.
pub(super) struct Tally {
    /// Relative accuracy of the one-contact solves.
    pub accuracy: f64,
    /// Squares of the changes in velocity units, for each contact of all fours.
    pub sum: Numbers,
}

/// Numbers of some contacts, in a vector of the processor.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S: Simd> {
    simd: S,
    x: S::f64s,
}

impl<S: Simd> Lanes<S> {
    /// How many.
    pub const COUNT: usize = if S::F64_LANES < FOUR { S::F64_LANES } else { FOUR };

    /// From the contact `first` on.
    #[inline(always)]
    pub fn of(simd: S, numbers: &Numbers, first: usize) -> Self {
        let mut x = [0.0; FOUR];
        x[..Self::COUNT].copy_from_slice(&numbers[first..first + Self::COUNT]);
        Self::new(simd, x)
    }

    /// The first numbers.
    #[inline(always)]
    pub fn new(simd: S, numbers: Numbers) -> Self {
        let mut x = simd.splat_f64s(0.0);
        let parts: &mut [f64] = pulp::bytemuck::cast_slice_mut(std::slice::from_mut(&mut x));
        parts[..Self::COUNT].copy_from_slice(&numbers[..Self::COUNT]);
        Self { simd, x }
    }

    /// Back into numbers.
    #[inline(always)]
    pub fn numbers(&self) -> &[f64] {
        &pulp::bytemuck::cast_slice(std::slice::from_ref(&self.x))[..Self::COUNT]
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { x: self.simd.sqrt_f64s(self.x), ..self }
    }

    #[inline(always)]
    pub fn over(self, other: Self) -> Self {
        Self { x: self.simd.div_f64s(self.x, other.x), ..self }
    }

    /// Its negative.
    #[inline(always)]
    pub fn minus(self) -> Self {
        Self { x: self.simd.neg_f64s(self.x), ..self }
    }

    /// `yes` where it is at most `bound`, `no` elsewhere and where it is not a number.
    #[inline(always)]
    pub fn where_at_most(self, bound: Self, yes: Self, no: Self) -> Self {
        let mask = self.simd.less_than_or_equal_f64s(self.x, bound.x);
        Self { x: self.simd.select_f64s(mask, yes.x, no.x), ..self }
    }

    /// `yes` where it is less than `bound`, `no` elsewhere and where it is not a number.
    #[inline(always)]
    pub fn where_below(self, bound: Self, yes: Self, no: Self) -> Self {
        let mask = self.simd.less_than_f64s(self.x, bound.x);
        Self { x: self.simd.select_f64s(mask, yes.x, no.x), ..self }
    }
}

impl<S: Simd> Add for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.simd.add_f64s(self.x, other.x), ..self }
    }
}

impl<S: Simd> Sub for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.simd.sub_f64s(self.x, other.x), ..self }
    }
}

impl<S: Simd> Mul for Lanes<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { x: self.simd.mul_f64s(self.x, other.x), ..self }
    }
}

/// The unknowns of one body of each contact.
#[inline(always)]
pub(super) fn take<S: Simd, const W: usize>(simd: S, y: &[f64], at: &[u32; FOUR], first: usize) -> [Lanes<S>; W] {
    let mut of = [[0.0; FOUR]; W];
    for k in 0..Lanes::<S>::COUNT {
        let from = &y[at[first + k] as usize..][..W];
        for j in 0..W {
            of[j][k] = from[j];
        }
    }
    let mut x = [Lanes::new(simd, [0.0; FOUR]); W];
    for j in 0..W {
        x[j] = Lanes::new(simd, of[j]);
    }
    x
}

/// Puts them back.
#[inline(always)]
pub(super) fn put<S: Simd, const W: usize>(x: &[Lanes<S>; W], y: &mut [f64], at: &[u32; FOUR], first: usize) {
    for k in 0..Lanes::<S>::COUNT {
        let to = &mut y[at[first + k] as usize..][..W];
        for j in 0..W {
            to[j] = x[j].numbers()[k];
        }
    }
}

/// Component `c` of the percussions.
#[inline(always)]
pub(super) fn component<S: Simd, const D: usize>(simd: S, s: &[Vector<D>], first: usize, c: usize) -> Lanes<S> {
    let mut x = [0.0; FOUR];
    for k in 0..Lanes::<S>::COUNT {
        x[k] = s[first + k][c];
    }
    Lanes::new(simd, x)
}

/// Adds to what was summed up for each contact.
#[inline(always)]
pub(super) fn tally<S: Simd>(simd: S, x: Lanes<S>, first: usize, by: &mut Tally) {
    let new = Lanes::of(simd, &by.sum, first) + x;
    by.sum[first..first + Lanes::<S>::COUNT].copy_from_slice(new.numbers());
}

/// The same for both bodies, or all axes. Written out: closures handed to the functions of arrays are not inlined, and then not
/// compiled for the vectors of the processor.
macro_rules! two {
    ($k:ident => $e:expr) => {
        [
            {
                let $k = 0usize;
                $e
            },
            {
                let $k = 1usize;
                $e
            },
        ]
    };
}

macro_rules! three {
    ($k:ident => $e:expr) => {
        [
            {
                let $k = 0usize;
                $e
            },
            {
                let $k = 1usize;
                $e
            },
            {
                let $k = 2usize;
                $e
            },
        ]
    };
}

pub(super) use {three, two};
