//! Base64, as XML arrays hold it
//!
//! Groups of four letters are decoded one by one, so that a stream which ends in `=` may
//! be followed by another: some writers encode the length apart from the data.

/// The bytes, or the place of the first letter that is none of base64's.
pub(super) fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut letters, mut pads) = (0u32, 0, 0);
    for (at, &c) in text.iter().enumerate().filter(|(_, c)| !c.is_ascii_whitespace()) {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if letters >= 2 => {
                pads += 1;
                0
            }
            _ => return Err(at),
        };
        if pads > 0 && c != b'=' {
            return Err(at);
        }
        word = word << 6 | u32::from(six);
        letters += 1;
        if letters == 4 {
            bytes.extend_from_slice(&word.to_be_bytes()[1..4 - pads]);
            (word, letters, pads) = (0, 0, 0);
        }
    }
    if letters == 0 { Ok(bytes) } else { Err(text.len()) }
}

#[cfg(test)]
mod tests {
    use super::decode;

    /// Test vectors of RFC 4648, section 10.
    #[test]
    fn vectors_of_the_standard() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmE=", "fooba")] {
            assert_eq!(decode(text.as_bytes()).unwrap(), bytes.as_bytes());
        }
        assert_eq!(decode(b"Zg==Zm9v").unwrap(), b"ffoo");
        assert_eq!(decode(b"Zm9*"), Err(3));
        assert_eq!(decode(b"Zm9"), Err(3));
        assert_eq!(decode(b"Z==="), Err(1));
    }
}
