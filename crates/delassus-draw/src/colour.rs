//! Colours: the palette of Okabe and Ito, a ramp told apart by everyone, greys.

/// An opaque colour, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Text and outlines of what matters.
pub const INK: Colour = Colour::hex(0x1F_2933);
/// Secondary text, axes.
pub const SOFT: Colour = Colour::hex(0x5A_6672);
/// Grid lines and frames.
pub const FAINT: Colour = Colour::hex(0xC9_D0D6);
/// Paper.
pub const WHITE: Colour = Colour::hex(0xFF_FFFF);
/// Okabe and Ito's blue: sticking contacts.
pub const BLUE: Colour = Colour::hex(0x00_72B2);
/// Okabe and Ito's vermillion: slipping contacts, exact sets.
pub const VERMILLION: Colour = Colour::hex(0xD5_5E00);

/// Fills of bodies by material: Okabe and Ito's hues, light enough for lines over them,
/// of different lightness so that they differ when printed in grey.
pub const FILLS: [Colour; 7] = [
    Colour::hex(0xD6_E4F0),
    Colour::hex(0xF3_C98B),
    Colour::hex(0x9F_CFC0),
    Colour::hex(0xE3_B7CF),
    Colour::hex(0xF7_EDA8),
    Colour::hex(0x8F_B8DE),
    Colour::hex(0xE8_A07C),
];

/// The same hues, stronger: shades and light need room.
pub const SOLIDS: [Colour; 7] = [
    Colour::hex(0xA9_C8E3),
    Colour::hex(0xF2_BE74),
    Colour::hex(0x86_C4B1),
    Colour::hex(0xDC_A3C2),
    Colour::hex(0xF2_E489),
    Colour::hex(0x78_A6D3),
    Colour::hex(0xE4_8F64),
];

/// Bodies that do not move by themselves.
pub const FIXED: Colour = Colour::hex(0xD8_DADC);

/// Stops of the ramp cividis, from dark blue to yellow; lightness is linear.
const RAMP: [Colour; 6] = [
    Colour::hex(0x00_204C),
    Colour::hex(0x31_446B),
    Colour::hex(0x66_6970),
    Colour::hex(0x95_8F78),
    Colour::hex(0xCA_B969),
    Colour::hex(0xFF_E945),
];

impl Colour {
    /// From `0xRRGGBB`.
    pub const fn hex(rgb: u32) -> Self {
        Self((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8)
    }

    /// From `#rrggbb` or `#rgb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if !digits.is_ascii() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let long: String = match digits.len() {
            3 => digits.chars().flat_map(|c| [c, c]).collect(),
            6 => digits.into(),
            _ => return None,
        };
        u32::from_str_radix(&long, 16).ok().map(Self::hex)
    }

    /// Between this one (`t` = 0) and another (1).
    #[must_use]
    pub fn mix(self, other: Self, t: f64) -> Self {
        let t = t.clamp(0.0, 1.0);
        let between = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * t).round() as u8;
        Self(between(self.0, other.0), between(self.1, other.1), between(self.2, other.2))
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The ramp at `t` in 0..1, dark to light.
pub fn ramp(t: f64) -> Colour {
    let x = t.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let i = (x as usize).min(RAMP.len() - 2);
    RAMP[i].mix(RAMP[i + 1], x - i as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lightness in 0..1, as a grey printer sees it (Rec. 709 weights on sRGB values).
    fn lightness(colour: Colour) -> f64 {
        (0.2126 * f64::from(colour.0) + 0.7152 * f64::from(colour.1) + 0.0722 * f64::from(colour.2)) / 255.0
    }

    #[test]
    fn hexadecimal_both_ways() {
        assert_eq!(Colour::parse("#0072b2"), Some(BLUE));
        assert_eq!(Colour::parse("#fff"), Some(WHITE));
        assert_eq!(BLUE.to_string(), "#0072b2");
        for bad in ["", "0072b2", "#12", "#12345g", "#é12"] {
            assert_eq!(Colour::parse(bad), None, "{bad}");
        }
    }

    /// What is told apart by colour is told apart in grey: the ramp by construction, the
    /// fills by steps of lightness, bodies against ink.
    #[test]
    fn readable_in_grey() {
        let along: Vec<f64> = (0..=20).map(|i| lightness(ramp(f64::from(i) / 20.0))).collect();
        assert!(along.windows(2).all(|w| w[1] > w[0]));
        for fill in FILLS.iter().chain(&SOLIDS).chain([&FIXED]) {
            assert!(lightness(*fill) - lightness(INK) > 0.45);
        }
    }
}
