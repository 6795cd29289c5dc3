//! How two surfaces are compared.

use super::ContactError;

/// How the place facing a slave point is found (thesis §2.5.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pairing {
    /// The closest place of the master.
    Proximity,
    /// The place met along a direction (slave towards master, of any length).
    Direction([f64; 3]),
    /// The place met along the velocity of the slave point relative to the mean velocity of
    /// the master (of the obstacle); by proximity where that is zero.
    Velocity,
}

/// Where contact is enforced and integrated (thesis §3.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collocation {
    /// The nodes of the slave surface.
    Nodes,
    /// Gauss points: `points` along an edge, 1 to 4.
    Gauss {
        /// How many.
        points: usize,
    },
    /// Ends and middle of edges, and centres.
    Simpson,
}

/// The space of the multipliers, on the slave surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multipliers {
    /// Continuous, linear between the corners of facets: one per corner node.
    P1,
    /// One constant per facet.
    P0,
}

/// How an [`Interface`](super::Interface) pairs and integrates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSettings {
    /// How the opposite place is found.
    pub pairing: Pairing,
    /// Where contact is enforced.
    pub collocation: Collocation,
    /// Space of the multipliers.
    pub multipliers: Multipliers,
    /// Whether slave facets are cut where the master facet changes, so that integrals over
    /// incompatible meshes are exact. No effect for [`Collocation::Nodes`] and obstacles.
    pub partition: bool,
    /// Whether normals of the master are averaged at its nodes and interpolated. Edges
    /// sharper than 60° stay sharp.
    pub smooth_normals: bool,
    /// Points farther than this are not paired \[m\]; in surfaces also those deeper than this,
    /// in obstacles none is too deep.
    pub search: f64,
    /// How far beyond the border of an open master surface a point is still paired, as a
    /// share of the facet's size.
    pub border: f64,
    /// Whether areas are those of revolution around the second axis (x the radius).
    pub axisymmetric: bool,
    /// Thickness of plane problems \[m\].
    pub thickness: f64,
    /// How far the side of the slave that touches is from its nodes \[m\]: half the section of a beam.
    pub offset: f64,
    /// Whether its multipliers count as touching while none of them carries a force: a stabilisation then holds
    /// a part that contact alone will hold, before it touches (thesis remark 5.1).
    pub nominated: bool,
    /// Self-contact: whether each side is slave of the other. Otherwise, of two facets that
    /// meet, the later one is the slave. Nodes are always slaves on both sides.
    pub both_sides: bool,
}

impl PairSettings {
    /// Proximity, two Gauss points, linear multipliers, partition, within `search` \[m\].
    pub fn new(search: f64) -> Self {
        Self {
            pairing: Pairing::Proximity,
            collocation: Collocation::Gauss { points: 2 },
            multipliers: Multipliers::P1,
            partition: true,
            smooth_normals: false,
            search,
            border: 1e-2,
            axisymmetric: false,
            thickness: 1.0,
            offset: 0.0,
            nominated: false,
            both_sides: false,
        }
    }

    /// Refuses settings out of range, for a space of dimension `dim`.
    pub fn validate(&self, dim: usize) -> Result<(), ContactError> {
        let positive = |what, value: f64| {
            let expected = "a finite number above zero";
            if value > 0.0 && value.is_finite() { Ok(()) } else { Err(ContactError::Setting { what, value, expected }) }
        };
        positive("the search distance", self.search)?;
        positive("the thickness", self.thickness)?;
        if !(self.offset >= 0.0 && self.offset.is_finite()) {
            let expected = "a finite number, zero or more";
            return Err(ContactError::Setting { what: "the offset", value: self.offset, expected });
        }
        if !(0.0..=1.0).contains(&self.border) {
            let expected = "a share from 0 to 1";
            return Err(ContactError::Setting { what: "the border", value: self.border, expected });
        }
        if self.axisymmetric && dim != 2 {
            return Err(ContactError::Dimension { what: "an axisymmetric interface", got: dim, expected: "2" });
        }
        if let Pairing::Direction(d) = self.pairing {
            positive("the length of the search direction", d[..dim].iter().map(|c| c * c).sum::<f64>().sqrt())?;
        }
        Ok(())
    }
}
