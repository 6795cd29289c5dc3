//! Vertices of a solid: one of a ball, without memory of its own, as scenes have many balls.

use crate::Vector;
use std::ops::{Deref, DerefMut};

/// One point, or several.
#[derive(Clone, Debug)]
pub(crate) enum Points<const D: usize> {
    One([Vector<D>; 1]),
    Many(Box<[Vector<D>]>),
}

impl<const D: usize> FromIterator<Vector<D>> for Points<D> {
    fn from_iter<I: IntoIterator<Item = Vector<D>>>(points: I) -> Self {
        let mut points = points.into_iter();
        let two = (points.next(), points.next());
        match two {
            (Some(one), None) => Self::One([one]),
            (first, second) => Self::Many(first.into_iter().chain(second).chain(points).collect()),
        }
    }
}

impl<const D: usize> Deref for Points<D> {
    type Target = [Vector<D>];

    #[inline]
    fn deref(&self) -> &[Vector<D>] {
        match self {
            Self::One(one) => one,
            Self::Many(all) => all,
        }
    }
}

impl<const D: usize> DerefMut for Points<D> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Vector<D>] {
        match self {
            Self::One(one) => one,
            Self::Many(all) => all,
        }
    }
}
