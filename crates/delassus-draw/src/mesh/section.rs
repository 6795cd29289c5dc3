//! A mesh opened by a plane, and its image in a mirror.

use super::{Figure, Obstacle};
use crate::mirror::Mirror;
use crate::path::Rect;
use crate::space::{Camera, Point3, Section};
use crate::vector::{add, cross, dot, scaled, sub};
use std::collections::BTreeMap;

/// Edges of cells by their corners: tetrahedra, hexahedra.
const TET: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
const HEX: [[usize; 2]; 12] =
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Points of edges that the plane meets, each made once.
struct Knife<'a> {
    figure: &'a mut Figure,
    cut: Section,
    met: BTreeMap<(u32, u32), u32>,
}

impl Knife<'_> {
    fn before(&self, n: u32) -> f64 {
        self.cut.before(self.figure.points[n as usize])
    }

    /// Where the plane meets the edge between nodes on both sides; the field is interpolated.
    fn between(&mut self, a: u32, b: u32) -> u32 {
        let key = (a.min(b), a.max(b));
        let [p, q] = [key.0, key.1].map(|n| self.before(n));
        let t = p / (p - q);
        let (points, values) = (&mut self.figure.points, &mut self.figure.values);
        *self.met.entry(key).or_insert_with(|| {
            let [x, y] = [key.0, key.1].map(|n| points[n as usize]);
            let [v, w] = [key.0, key.1].map(|n| values[n as usize]);
            points.push(add(scaled(x, 1.0 - t), scaled(y, t)));
            values.push((1.0 - t) * v + t * w);
            points.len() as u32 - 1
        })
    }

    /// What is left of a face.
    fn clipped(&mut self, face: &[u32]) -> Vec<u32> {
        let mut kept = vec![];
        for (i, &a) in face.iter().enumerate() {
            let b = face[(i + 1) % face.len()];
            let [p, q] = [a, b].map(|n| self.before(n) > 0.0);
            if !p {
                kept.push(a);
            }
            if p != q {
                kept.push(self.between(a, b));
            }
        }
        kept
    }

    /// The polygon in which the plane cuts a cell.
    fn polygon(&mut self, cell: &[u32]) -> Vec<u32> {
        let edges: &[[usize; 2]] = if cell.len() == 4 || cell.len() == 10 { &TET } else { &HEX };
        let mut found: Vec<u32> = vec![];
        for [i, j] in edges {
            let (Some(&a), Some(&b)) = (cell.get(*i), cell.get(*j)) else { continue };
            if (self.before(a) > 0.0) != (self.before(b) > 0.0) {
                let n = self.between(a, b);
                if !found.contains(&n) {
                    found.push(n);
                }
            }
        }
        if found.len() < 3 {
            return vec![];
        }
        let at = |n: &u32| self.figure.points[*n as usize];
        let middle = scaled(found.iter().fold([0.0; 3], |s, n| add(s, at(n))), 1.0 / found.len() as f64);
        let u = sub(at(&found[0]), middle);
        let v = cross(self.cut.normal, u);
        let angle = |n: &u32| {
            let d = sub(at(n), middle);
            dot(d, v).atan2(dot(d, u))
        };
        let mut sorted: Vec<(f64, u32)> = found.iter().map(|n| (angle(n), *n)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        sorted.into_iter().map(|e| e.1).collect()
    }
}

impl Figure {
    /// Takes away what lies before a plane across an axis, on the side of the eye, and shows the field on it. `cells`
    /// are those of all solids, by their nodes. In the plane nothing is done.
    pub fn open(&mut self, (axis, at): (usize, f64), cells: &[Vec<u32>]) {
        let Some(eye) = self.eye else { return };
        let towards = Camera::fit(&eye, &[([0.0; 3], 1.0)], &Rect::new(0.0, 0.0, 1.0, 1.0)).axes[2];
        let cut = Section::across(axis, at, towards);
        let faces = [std::mem::take(&mut self.faces), std::mem::take(&mut self.outlined)];
        let mut knife = Knife { figure: self, cut, met: BTreeMap::new() };
        let mut left = faces
            .map(|faces| -> Vec<Vec<u32>> { faces.iter().map(|f| knife.clipped(f)).filter(|f| f.len() > 1).collect() });
        let inside: Vec<Vec<u32>> = cells.iter().filter(|c| c.len() > 3).map(|c| knife.polygon(c)).collect();
        left[0].extend(inside.into_iter().filter(|f| f.len() > 2));
        let [faces, outlined] = left;
        (self.faces, self.outlined) = (faces, outlined);
        // What is away does not make room on the page.
        let used: std::collections::BTreeSet<u32> = self.faces.iter().flatten().copied().collect();
        if let Some(kept) = used.first().map(|n| self.points[*n as usize]) {
            for (n, p) in self.points.iter_mut().enumerate() {
                if !used.contains(&(n as u32)) {
                    *p = kept;
                }
            }
        }
    }

    /// The same with its image in a mirror across an axis.
    pub fn mirrored(mut self, axis: usize, at: f64) -> Self {
        let mirror = Mirror { axis, at };
        let first = self.points.len() as u32;
        let images: Vec<Point3> = self.points.iter().map(|p| mirror.point(*p)).collect();
        self.points.extend(images);
        self.values.extend(self.values.clone());
        for faces in [&mut self.faces, &mut self.outlined] {
            let images: Vec<Vec<u32>> = faces.iter().map(|f| f.iter().rev().map(|n| n + first).collect()).collect();
            faces.extend(images);
        }
        let obstacles: Vec<Obstacle> = self.obstacles.iter().filter_map(|o| o.mirrored(&mirror)).collect();
        self.obstacles.extend(obstacles);
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for p in &self.points {
            (0..3).for_each(|k| (low[k], high[k]) = (low[k].min(p[k]), high[k].max(p[k])));
        }
        let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        self.symbols.retain(|s| !mirror.is_own(s, size));
        self.symbols.extend(mirror.symbols(&self.symbols));
        self
    }
}

impl Obstacle {
    fn mirrored(&self, mirror: &Mirror) -> Option<Self> {
        Some(match self {
            Self::HalfPlane { normal, .. } if normal[mirror.axis].abs() < 1e-9 => return None,
            Self::HalfPlane { point, normal } => {
                Self::HalfPlane { point: mirror.point(*point), normal: mirror.vector(*normal) }
            }
            Self::Disc { centre, radius } => Self::Disc { centre: mirror.point(*centre), radius: *radius },
            Self::Polygon(points) => Self::Polygon(points.iter().map(|p| mirror.point(*p)).collect()),
            Self::Capsule { ends, radius } => Self::Capsule { ends: ends.map(|e| mirror.point(e)), radius: *radius },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Quantity;
    use crate::page::Head;
    use crate::space::Eye;

    /// A unit cube as one cell, the field is x: opened at x = 1/4 seen from +x, the plane shows a unit square on which
    /// the field is 1/4.
    #[test]
    fn a_cube_is_opened() {
        let mut figure = Figure::new(Head::new(""), Quantity::new("x", "m"));
        figure.points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
            .map(|p: [i32; 3]| p.map(f64::from))
            .to_vec();
        figure.values = figure.points.iter().map(|p| p[0]).collect();
        figure.faces = vec![vec![1, 2, 6, 5], vec![0, 1, 2, 3]];
        figure.eye = Some(Eye { around: 90.0, above: 0.0, ..Eye::default() });
        figure.open((0, 0.25), &[(0..8).collect()]);
        // The face x = 1 is gone, z = 0 is cut, the section is new.
        assert_eq!(figure.faces.len(), 2);
        let section: Vec<Point3> = figure.faces[1].iter().map(|n| figure.points[*n as usize]).collect();
        assert_eq!(section.len(), 4);
        assert!(section.iter().all(|p| (p[0] - 0.25).abs() < 1e-15));
        let area: f64 =
            (0..4).map(|i| section[i][1] * section[(i + 1) % 4][2] - section[(i + 1) % 4][1] * section[i][2]).sum();
        assert!((area.abs() - 2.0).abs() < 1e-12, "twice a unit square: {area}");
        assert!(figure.faces[1].iter().all(|n| (figure.values[*n as usize] - 0.25).abs() < 1e-15));
    }
}
