//! The types of numbers in VTK's arrays

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Int(u8),
    Unsigned(u8),
    Float,
    Double,
}

impl Scalar {
    /// By its name in XML or in the old format.
    pub fn named(name: &str) -> Option<Scalar> {
        Some(match name {
            "Int8" | "char" | "signed_char" => Scalar::Int(1),
            "Int16" | "short" => Scalar::Int(2),
            "Int32" | "int" => Scalar::Int(4),
            "Int64" | "long" | "vtktypeint64" | "vtkIdType" | "vtkidtype" => Scalar::Int(8),
            "UInt8" | "unsigned_char" => Scalar::Unsigned(1),
            "UInt16" | "unsigned_short" => Scalar::Unsigned(2),
            "UInt32" | "unsigned_int" => Scalar::Unsigned(4),
            "UInt64" | "unsigned_long" => Scalar::Unsigned(8),
            "Float32" | "float" => Scalar::Float,
            "Float64" | "double" => Scalar::Double,
            _ => return None,
        })
    }

    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Scalar::Int(n) | Scalar::Unsigned(n) => n.into(),
            Scalar::Float => 4,
            Scalar::Double => 8,
        }
    }

    /// Whether numbers are whole.
    pub fn is_whole(self) -> bool {
        matches!(self, Scalar::Int(_) | Scalar::Unsigned(_))
    }

    /// A whole number from its bytes; `None` beyond i64, or when the type is not whole.
    pub fn whole(self, bytes: &[u8], big_endian: bool) -> Option<i64> {
        let (word, size) = (word(bytes, big_endian), self.size());
        match self {
            // Sign from the highest bit that was stored.
            Scalar::Int(_) => Some((word << (64 - 8 * size)) as i64 >> (64 - 8 * size)),
            Scalar::Unsigned(_) => i64::try_from(word).ok(),
            Scalar::Float | Scalar::Double => None,
        }
    }

    /// Any number from its bytes.
    pub fn real(self, bytes: &[u8], big_endian: bool) -> f64 {
        match self {
            Scalar::Float => f32::from_bits(word(bytes, big_endian) as u32).into(),
            Scalar::Double => f64::from_bits(word(bytes, big_endian)),
            Scalar::Int(_) => self.whole(bytes, big_endian).map_or(f64::NAN, |i| i as f64),
            Scalar::Unsigned(_) => word(bytes, big_endian) as f64,
        }
    }
}

/// Up to eight bytes as one number.
fn word(bytes: &[u8], big_endian: bool) -> u64 {
    let push = |w: u64, b: &u8| w << 8 | u64::from(*b);
    if big_endian { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_and_order() {
        assert_eq!(Scalar::Int(2).whole(&(-2i16).to_be_bytes(), true), Some(-2));
        assert_eq!(Scalar::Int(4).whole(&(-70_000i32).to_le_bytes(), false), Some(-70_000));
        assert_eq!(Scalar::Int(8).whole(&i64::MIN.to_le_bytes(), false), Some(i64::MIN));
        assert_eq!(Scalar::Unsigned(8).whole(&u64::MAX.to_le_bytes(), false), None);
        assert_eq!(Scalar::Unsigned(1).whole(&[200], false), Some(200));
        assert_eq!(Scalar::Float.real(&1.5f32.to_be_bytes(), true), 1.5);
        assert_eq!(Scalar::Double.real(&(-2.25f64).to_le_bytes(), false), -2.25);
    }
}
