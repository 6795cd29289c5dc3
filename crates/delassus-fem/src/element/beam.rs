//! Beams of Timoshenko, linear, straight; without shear and rotary inertia, of Bernoulli
//!
//! ```text
//! bending about z   k = EI/((1 + Φ) L³) [ 12      6L        −12     6L      ]     Φ = 12 EI/(κ G A L²)
//!                                       [ 6L   (4 + Φ)L²    −6L  (2 − Φ)L²  ]     [Przemieniecki68]
//!                                       [ …                                 ]
//! ```
//!
//! The stiffness is exact at nodes for any load at nodes: cubic deflection, quadratic rotation,
//! tied by a constant shear. The mass uses the same fields, rotary inertia included, integrated
//! exactly. Unknowns: `(u_x, u_y, θ)` per node in the plane, `(u, θ)` with three components each
//! in space.

use nalgebra::{SMatrix, Vector3};

/// Section and material of a beam.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Section {
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Shear modulus \[Pa\].
    pub shear: f64,
    /// Density \[kg/m³\].
    pub density: f64,
    /// Area \[m²\].
    pub area: f64,
    /// Second moments about the local y and z axes \[m⁴\]; the plane uses the second.
    pub inertia: [f64; 2],
    /// Torsion constant \[m⁴\]; unused in the plane.
    pub torsion: f64,
    /// Shear corrections κ for forces along the local y and z axes (5/6 for a rectangle).
    pub correction: [f64; 2],
    /// What is left out.
    #[serde(default)]
    pub theory: Theory,
    /// Whether it stands for what moves with the beam across its axis alone: see [`Section::carrying`].
    #[serde(default)]
    across: bool,
}

/// What bends a beam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Theory {
    /// Bending and shear, with the inertia of rotations.
    #[default]
    Timoshenko,
    /// Bending alone: sections stay normal to the axis, rotations have no inertia of their own.
    Bernoulli,
}

/// Why a beam was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BeamError {
    /// A parameter that is not positive and finite.
    #[error("{name} = {value}: a positive finite number is needed")]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Ends too close to give a direction.
    #[error("the ends {0:?} and {1:?} do not define a direction")]
    Ends([f64; 3], [f64; 3]),
    /// An orientation along the beam.
    #[error("up = {0:?} is along the beam, or zero: a direction of the local y axis is needed")]
    Up([f64; 3]),
}

/// Stiffness and mass of a beam of the plane: `(u_x, u_y, θ)` of both ends.
pub type PlaneBeam = (SMatrix<f64, 6, 6>, SMatrix<f64, 6, 6>);
/// Stiffness and mass of a beam of space: `(u, θ)` of both ends.
pub type SpaceBeam = (SMatrix<f64, 12, 12>, SMatrix<f64, 12, 12>);

impl Section {
    /// The same beam, whose masses are those of a fluid that it carries with it across its axis \[kg/m\].
    pub fn carrying(&self, line: f64) -> Self {
        Self { density: line / self.area, across: true, ..*self }
    }

    /// A full rectangle: `height` along the local y axis, `width` along z.
    pub fn rectangle(young: f64, poisson: f64, density: f64, [height, width]: [f64; 2]) -> Self {
        let (long, short) = (height.max(width), height.min(width));
        let ratio = short / long;
        // Within 0.5 % of Saint-Venant's series [Young02].
        let torsion = long * short.powi(3) * (1.0 / 3.0 - 0.21 * ratio * (1.0 - ratio.powi(4) / 12.0));
        Self {
            young,
            shear: young / (2.0 * (1.0 + poisson)),
            density,
            area: height * width,
            inertia: [height * width.powi(3) / 12.0, width * height.powi(3) / 12.0],
            torsion,
            correction: [5.0 / 6.0; 2],
            theory: Theory::Timoshenko,
            across: false,
        }
    }

    /// A round tube of an outer radius and a wall; a full circle where the wall is the radius.
    ///
    /// κ is Cowper's, with m the ratio of the radii \[Cowper66\]:
    /// `6 (1 + ν)(1 + m²)² / ((7 + 6ν)(1 + m²)² + (20 + 12ν) m²)`.
    pub fn tube(young: f64, poisson: f64, density: f64, [radius, wall]: [f64; 2]) -> Self {
        use std::f64::consts::PI;
        let inner = radius - wall;
        let m2 = (inner / radius).powi(2);
        let ring = (1.0 + m2).powi(2);
        let correction = 6.0 * (1.0 + poisson) * ring / ((7.0 + 6.0 * poisson) * ring + (20.0 + 12.0 * poisson) * m2);
        let inertia = PI * (radius.powi(4) - inner.powi(4)) / 4.0;
        Self {
            young,
            shear: young / (2.0 * (1.0 + poisson)),
            density,
            area: PI * (radius * radius - inner * inner),
            inertia: [inertia; 2],
            torsion: 2.0 * inertia,
            correction: [correction; 2],
            theory: Theory::Timoshenko,
            across: false,
        }
    }

    fn validate(&self, space: bool) -> Result<(), BeamError> {
        let mut list = vec![
            ("young", self.young),
            ("shear", self.shear),
            ("density", self.density),
            ("area", self.area),
            ("inertia[1]", self.inertia[1]),
            ("correction[0]", self.correction[0]),
        ];
        if space {
            list.extend([
                ("inertia[0]", self.inertia[0]),
                ("torsion", self.torsion),
                ("correction[1]", self.correction[1]),
            ]);
        }
        match list.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            Some((name, value)) => Err(BeamError::NotPositive { name, value }),
            None => Ok(()),
        }
    }

    /// Stiffness and consistent mass between two points of the plane, in global axes.
    ///
    /// # Errors
    /// A parameter that is not positive, ends that coincide.
    pub fn plane(&self, a: [f64; 2], b: [f64; 2]) -> Result<PlaneBeam, BeamError> {
        self.validate(false)?;
        let (a, b) = ([a[0], a[1], 0.0], [b[0], b[1], 0.0]);
        let (axis, length) = direction(a, b)?;
        let (mut k, mut m) = (SMatrix::<f64, 6, 6>::zeros(), SMatrix::<f64, 6, 6>::zeros());
        if !self.across {
            let bar = self.bar(length, self.young * self.area, self.density * self.area);
            put(&mut k, &mut m, [0, 3], &bar);
        }
        put(&mut k, &mut m, [1, 2, 4, 5], &self.bending(length, self.inertia[1], self.correction[0]));
        let mut turn = SMatrix::<f64, 6, 6>::identity();
        for n in [0, 3] {
            turn[(n, n)] = axis[0];
            turn[(n, n + 1)] = axis[1];
            turn[(n + 1, n)] = -axis[1];
            turn[(n + 1, n + 1)] = axis[0];
        }
        Ok((turn.transpose() * k * turn, turn.transpose() * m * turn))
    }

    /// Stiffness and consistent mass between two points of space, in global axes; `up` is near
    /// the local y axis.
    ///
    /// # Errors
    /// A parameter that is not positive, ends that coincide, `up` along the beam.
    pub fn space(&self, a: [f64; 3], b: [f64; 3], up: [f64; 3]) -> Result<SpaceBeam, BeamError> {
        self.validate(true)?;
        let (axis, length) = direction(a, b)?;
        let side = axis.cross(&Vector3::from(up));
        if !(side.norm() > 1e-8 * Vector3::from(up).norm()) {
            return Err(BeamError::Up(up));
        }
        let z = side.normalize();
        let y = z.cross(&axis);
        let (mut k, mut m) = (SMatrix::<f64, 12, 12>::zeros(), SMatrix::<f64, 12, 12>::zeros());
        let polar = self.inertia[0] + self.inertia[1];
        if !self.across {
            put(&mut k, &mut m, [0, 6], &self.bar(length, self.young * self.area, self.density * self.area));
            put(&mut k, &mut m, [3, 9], &self.bar(length, self.shear * self.torsion, self.density * polar));
        }
        put(&mut k, &mut m, [1, 5, 7, 11], &self.bending(length, self.inertia[1], self.correction[0]));
        // About y, a positive rotation lowers z: the sign of θ changes.
        let mut other = self.bending(length, self.inertia[0], self.correction[1]);
        for matrix in [&mut other.0, &mut other.1] {
            for i in 0..4 {
                for j in 0..4 {
                    if (i + j) % 2 == 1 {
                        matrix[(i, j)] = -matrix[(i, j)];
                    }
                }
            }
        }
        put(&mut k, &mut m, [2, 4, 8, 10], &other);
        let mut turn = SMatrix::<f64, 12, 12>::zeros();
        for n in [0, 3, 6, 9] {
            for (row, axis) in [axis, y, z].iter().enumerate() {
                for c in 0..3 {
                    turn[(n + row, n + c)] = axis[c];
                }
            }
        }
        Ok((turn.transpose() * k * turn, turn.transpose() * m * turn))
    }

    /// Traction or torsion: linear fields.
    #[allow(clippy::unused_self)]
    fn bar(&self, length: f64, stiffness: f64, mass: f64) -> (SMatrix<f64, 2, 2>, SMatrix<f64, 2, 2>) {
        let k = stiffness / length;
        let m = mass * length / 6.0;
        (SMatrix::<f64, 2, 2>::new(k, -k, -k, k), SMatrix::<f64, 2, 2>::new(2.0 * m, m, m, 2.0 * m))
    }

    /// Φ of an element that bends with a second moment and shears with a correction.
    pub fn shear_ratio(&self, length: f64, inertia: f64, correction: f64) -> f64 {
        match self.theory {
            Theory::Timoshenko => 12.0 * self.young * inertia / (correction * self.shear * self.area * length * length),
            Theory::Bernoulli => 0.0,
        }
    }

    /// Bending and shear in one plane: `(w, θ)` of both ends, θ = w′ without shear.
    fn bending(&self, length: f64, inertia: f64, correction: f64) -> (SMatrix<f64, 4, 4>, SMatrix<f64, 4, 4>) {
        let (l, ei) = (length, self.young * inertia);
        let phi = self.shear_ratio(l, inertia, correction);
        // Rotations have inertia of their own in Timoshenko's beam alone.
        let rotary = if self.theory == Theory::Bernoulli || self.across { 0.0 } else { inertia };
        let c = ei / ((1.0 + phi) * l.powi(3));
        let (p, q, r) = (6.0 * l, (4.0 + phi) * l * l, (2.0 - phi) * l * l);
        #[rustfmt::skip]
        let k = SMatrix::<f64, 4, 4>::new(
            12.0,  p, -12.0,  p,
               p,  q,    -p,  r,
           -12.0, -p,  12.0, -p,
               p,  r,    -p,  q,
        ) * c;
        let mut m = SMatrix::zeros();
        // Cubics squared: four points of Gauss are exact.
        let rule = super::mass_rule(crate::mesh::CellKind::Seg3);
        for (xi, w) in rule.points.iter().zip(&rule.weights) {
            let (deflection, rotation) = fields(0.5 * (1.0 + xi[0]), l, phi);
            let w = 0.5 * l * w * self.density;
            m += deflection * deflection.transpose() * (w * self.area) + rotation * rotation.transpose() * (w * rotary);
        }
        (k, m)
    }
}

/// Deflection and rotation at `x = s L` for unit values of `(w₁, θ₁, w₂, θ₂)`.
pub fn fields(s: f64, l: f64, phi: f64) -> (SMatrix<f64, 4, 1>, SMatrix<f64, 4, 1>) {
    let c = 1.0 / (1.0 + phi);
    let (s2, s3) = (s * s, s * s * s);
    let deflection = [
        c * (1.0 - 3.0 * s2 + 2.0 * s3 + phi * (1.0 - s)),
        c * l * (s - 2.0 * s2 + s3 + 0.5 * phi * (s - s2)),
        c * (3.0 * s2 - 2.0 * s3 + phi * s),
        c * l * (s3 - s2 - 0.5 * phi * (s - s2)),
    ];
    let rotation = [
        6.0 * c / l * (s2 - s),
        c * (1.0 - 4.0 * s + 3.0 * s2 + phi * (1.0 - s)),
        6.0 * c / l * (s - s2),
        c * (3.0 * s2 - 2.0 * s + phi * s),
    ];
    (deflection.into(), rotation.into())
}

/// Derivatives of [`fields`] by `x`.
pub fn slopes(s: f64, l: f64, phi: f64) -> (SMatrix<f64, 4, 1>, SMatrix<f64, 4, 1>) {
    let c = 1.0 / (1.0 + phi);
    let s2 = s * s;
    let deflection = [
        c / l * (6.0 * s2 - 6.0 * s - phi),
        c * (1.0 - 4.0 * s + 3.0 * s2 + phi * (0.5 - s)),
        c / l * (6.0 * s - 6.0 * s2 + phi),
        c * (3.0 * s2 - 2.0 * s - phi * (0.5 - s)),
    ];
    let rotation = [
        6.0 * c / (l * l) * (2.0 * s - 1.0),
        c / l * (6.0 * s - 4.0 - phi),
        6.0 * c / (l * l) * (1.0 - 2.0 * s),
        c / l * (6.0 * s - 2.0 + phi),
    ];
    (deflection.into(), rotation.into())
}

fn direction(a: [f64; 3], b: [f64; 3]) -> Result<(Vector3<f64>, f64), BeamError> {
    let d = Vector3::from(b) - Vector3::from(a);
    let length = d.norm();
    if !(length > 0.0 && length.is_finite()) {
        return Err(BeamError::Ends(a, b));
    }
    Ok((d / length, length))
}

/// Adds small matrices at the given places of larger ones.
fn put<const N: usize, const B: usize>(
    k: &mut SMatrix<f64, B, B>,
    m: &mut SMatrix<f64, B, B>,
    places: [usize; N],
    (ks, ms): &(SMatrix<f64, N, N>, SMatrix<f64, N, N>),
) {
    for (r, &i) in places.iter().enumerate() {
        for (c, &j) in places.iter().enumerate() {
            k[(i, j)] += ks[(r, c)];
            m[(i, j)] += ms[(r, c)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn section() -> Section {
        Section::rectangle(210e9, 0.3, 7800.0, [0.2, 0.1])
    }

    /// Chain of `n` plane beams along `axis`, clamped at its start.
    fn chain(n: usize, length: f64, angle: f64) -> (DMatrix<f64>, DMatrix<f64>) {
        let size = 3 * (n + 1);
        let (mut k, mut m) = (DMatrix::zeros(size, size), DMatrix::zeros(size, size));
        let at = |i: usize| [angle.cos() * length * i as f64 / n as f64, angle.sin() * length * i as f64 / n as f64];
        for e in 0..n {
            let (ke, me) = section().plane(at(e), at(e + 1)).expect("valid");
            let mut part = k.view_mut((3 * e, 3 * e), (6, 6));
            part += ke;
            let mut part = m.view_mut((3 * e, 3 * e), (6, 6));
            part += me;
        }
        (k.view((3, 3), (size - 3, size - 3)).into_owned(), m.view((3, 3), (size - 3, size - 3)).into_owned())
    }

    /// Cantilever under a force at its end: `PL³/3EI + PL/κGA`, for any number of elements and
    /// any direction. Timoshenko's closed form.
    #[test]
    fn cantilever_with_shear() {
        let (s, length, force) = (section(), 0.5_f64, 1e3);
        let ei = s.young * s.inertia[1];
        let exact = force * length.powi(3) / (3.0 * ei) + force * length / (5.0 / 6.0 * s.shear * s.area);
        for (n, angle) in [(1, 0.0), (3, 0.0), (2, 0.7)] {
            let (k, _) = chain(n, length, angle);
            let mut load = DVector::zeros(3 * n);
            load[3 * n - 3] = -angle.sin() * force;
            load[3 * n - 2] = angle.cos() * force;
            let u = k.lu().solve(&load).expect("clamped");
            let tip = -angle.sin() * u[3 * n - 3] + angle.cos() * u[3 * n - 2];
            assert!((tip - exact).abs() < 1e-10 * exact, "{n}: {tip} {exact}");
        }
    }

    /// The same in space, in both planes of bending, with traction and torsion.
    #[test]
    fn cantilever_in_space() {
        let s = section();
        let length = 0.7_f64;
        let a = [0.1, 0.2, 0.3];
        let axis = Vector3::new(2.0, -1.0, 2.0) / 3.0;
        let b = [0, 1, 2].map(|k| a[k] + length * axis[k]);
        let up = Vector3::new(0.3, 1.0, 0.1);
        let z = axis.cross(&up).normalize();
        let y = z.cross(&axis);
        let (k, _) = s.space(a, b, up.into()).expect("valid");
        let free = k.fixed_view::<6, 6>(6, 6).into_owned().lu();
        let response = |direction: Vector3<f64>, moment: bool| {
            let mut load = SMatrix::<f64, 6, 1>::zeros();
            load.fixed_view_mut::<3, 1>(if moment { 3 } else { 0 }, 0).copy_from(&direction);
            let u = free.solve(&load).expect("clamped");
            u.fixed_view::<3, 1>(if moment { 3 } else { 0 }, 0).dot(&direction)
        };
        let bent = |i: f64| length.powi(3) / (3.0 * s.young * i) + length / (5.0 / 6.0 * s.shear * s.area);
        for (got, exact) in [
            (response(axis, false), length / (s.young * s.area)),
            (response(y, false), bent(s.inertia[1])),
            (response(z, false), bent(s.inertia[0])),
            (response(axis, true), length / (s.shear * s.torsion)),
            (response(z, true), length / (s.young * s.inertia[1])),
            (response(y, true), length / (s.young * s.inertia[0])),
        ] {
            assert!((got - exact).abs() < 1e-10 * exact, "{got} {exact}");
        }
    }

    /// Slopes against differences of the fields.
    #[test]
    fn slopes_are_derivatives() {
        let (l, phi, d) = (0.7, 0.4, 1e-5);
        for s in [0.1, 0.5, 0.8] {
            let (a, b) = (fields(s - d, l, phi), fields(s + d, l, phi));
            let exact = slopes(s, l, phi);
            for (difference, exact) in [(b.0 - a.0, exact.0), (b.1 - a.1, exact.1)] {
                assert!((difference / (2.0 * d * l) - exact).amax() < 1e-8);
            }
        }
    }

    /// Rigid motions: no force, and the mass of the beam with its moment of inertia.
    #[test]
    fn rigid_motions_of_a_beam() {
        let s = section();
        let (k, m) = s.space([0.0; 3], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]).expect("valid");
        let mass = s.density * s.area * 2.0;
        for axis in 0..3 {
            let mut d = SMatrix::<f64, 12, 1>::zeros();
            (d[axis], d[6 + axis]) = (1.0, 1.0);
            assert!((k * d).amax() < 1e-6 * k.amax() * 1e-6);
            assert!(((d.transpose() * m * d)[0] - mass).abs() < 1e-12 * mass);
        }
        // Turning about z at the origin: ∫ρA x² + ρI = mass L²/3 + ρ I L.
        let mut d = SMatrix::<f64, 12, 1>::zeros();
        (d[5], d[11], d[7]) = (1.0, 1.0, 2.0);
        let exact = mass * 4.0 / 3.0 + s.density * s.inertia[1] * 2.0;
        assert!((k * d).amax() < 1e-12 * k.amax());
        assert!(((d.transpose() * m * d)[0] - exact).abs() < 1e-12 * exact);
    }

    /// First frequency of a simply supported Timoshenko beam: the smaller root ω² of
    /// `ρI/(κG) ω⁴ − (A + A r² k²(1 + E/κG)) ω² + E I k⁴/ρ = 0` (times constants), k = π/L.
    /// The shear is constant in an element, hence order 2 in ω² for a thick beam, and order 4, that
    /// of cubics, for a slender one.
    #[test]
    fn frequency_of_a_simply_supported_beam() {
        let thick = frequency_errors(section(), [8, 16]);
        assert!(thick[1] < 5e-4 && thick[0] / thick[1] > 3.7, "order 2: {thick:?}");
        let slender = frequency_errors(Section::rectangle(210e9, 0.3, 7800.0, [1e-3, 1e-3]), [4, 8]);
        assert!(slender[1] < 5e-5 && slender[0] / slender[1] > 15.0, "order 4: {slender:?}");
    }

    fn frequency_errors(s: Section, sizes: [usize; 2]) -> [f64; 2] {
        let length = 1.0_f64;
        let k = std::f64::consts::PI / length;
        let (c, i) = (5.0 / 6.0 * s.shear, s.inertia[1]);
        let (p, q) = (s.density * i / c, s.area + i * k * k * (1.0 + s.young / c));
        let (a2, a1, a0) = (p, -q, s.young * i * k.powi(4) / s.density);
        // The smaller root, without cancellation.
        let exact = 2.0 * a0 / (-a1 + (a1 * a1 - 4.0 * a2 * a0).sqrt());
        sizes.map(|n| {
            let size = 3 * (n + 1);
            let (mut kk, mut mm) = (DMatrix::zeros(size, size), DMatrix::zeros(size, size));
            for e in 0..n {
                let at = |i: usize| [length * i as f64 / n as f64, 0.0];
                let (ke, me) = s.plane(at(e), at(e + 1)).expect("valid");
                let mut part = kk.view_mut((3 * e, 3 * e), (6, 6));
                part += ke;
                let mut part = mm.view_mut((3 * e, 3 * e), (6, 6));
                part += me;
            }
            // Supports: deflections at both ends and the axial motion of the first.
            let keep: Vec<usize> = (0..size).filter(|&d| d != 0 && d != 1 && d != size - 2).collect();
            let pick = |x: &DMatrix<f64>| DMatrix::from_fn(keep.len(), keep.len(), |r, c| x[(keep[r], keep[c])]);
            let chol = pick(&mm).cholesky().expect("positive mass").l();
            let inverse = chol.try_inverse().expect("positive");
            let lowest = (&inverse * pick(&kk) * inverse.transpose()).symmetric_eigenvalues().min();
            (lowest / exact - 1.0).abs()
        })
    }

    /// What makes no sense is refused by name.
    #[test]
    fn bad_beams_are_refused() {
        let bad = Section { area: -1.0, ..section() };
        assert!(bad.plane([0.0; 2], [1.0, 0.0]).expect_err("refused").to_string().contains("area = -1"));
        assert!(matches!(section().plane([0.0; 2], [0.0; 2]), Err(BeamError::Ends(..))));
        let along = section().space([0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]);
        assert!(matches!(along, Err(BeamError::Up(_))));
    }

    /// Cowper's correction: (6 + 6ν)/(7 + 6ν) for a full circle, 2 (1 + ν)/(4 + 3ν) for a thin tube; area and inertia of a
    /// ring.
    #[test]
    fn tubes_between_a_full_circle_and_a_thin_ring() {
        let nu = 0.3;
        let full = Section::tube(2e11, nu, 7800.0, [0.01, 0.01]);
        assert!((full.correction[0] - 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu)).abs() < 1e-14);
        assert!((full.area - std::f64::consts::PI * 1e-4).abs() < 1e-18);
        let thin = Section::tube(2e11, nu, 7800.0, [0.01, 1e-7]);
        // κ is even in the ratio of the radii about one: second order in the wall.
        assert!((thin.correction[0] - 2.0 * (1.0 + nu) / (4.0 + 3.0 * nu)).abs() < 1e-9);
        let ring = std::f64::consts::TAU * 0.01 * 1e-7;
        assert!((thin.area / ring - 1.0).abs() < 1e-4 && (thin.inertia[0] / (0.5 * ring * 1e-4) - 1.0).abs() < 1e-4);
    }

    /// Frequencies of Bernoulli's pinned beam, (nπ/L)² √(EI/ρA), of order four in the length of the elements; without
    /// shear the cantilever bends by PL³/3EI.
    #[test]
    fn bernoulli_without_shear() {
        let s = Section { theory: Theory::Bernoulli, ..section() };
        let (k, _) = s.plane([0.0, 0.0], [0.5, 0.0]).expect("valid");
        let tip = k.view((3, 3), (3, 3)).into_owned().lu().solve(&nalgebra::Vector3::new(0.0, 1e3, 0.0)).expect("held");
        let exact = 1e3 * 0.125 / (3.0 * s.young * s.inertia[1]);
        assert!((tip[1] - exact).abs() < 1e-10 * exact);
        let (_, m) = s.plane([0.0, 0.0], [0.5, 0.0]).expect("valid");
        let turning = SMatrix::<f64, 6, 1>::from([0.0, -0.25, 1.0, 0.0, 0.25, 1.0]);
        let about = (turning.transpose() * m * turning)[0];
        let exact = s.density * s.area * 0.5f64.powi(3) / 12.0;
        assert!((about - exact).abs() < 1e-12 * exact, "a rod that turns about its middle: {about} {exact}");
    }
}
