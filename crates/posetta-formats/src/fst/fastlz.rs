//! FastLZ, levels 1 and 2: literals, and matches that repeat earlier output.
//!
//! The first byte of an instruction says which: below 32 it is a run of so many literals and one more; else its three highest bits are
//! the length of a match less two, 7 meaning that more follows, and its five lowest the distance in pages of 256. The level is in the
//! three highest bits of the very first byte, which is always a run.

/// Unpacks to at most `length` bytes; `None` if the data is damaged.
pub(super) fn decompress(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let (&first, mut rest) = packed.split_first()?;
    let level_two = match first >> 5 {
        0 => false,
        1 => true,
        _ => return None,
    };
    let mut out: Vec<u8> = Vec::new();
    let next = |rest: &mut &[u8]| -> Option<u8> {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        Some(byte)
    };
    let mut instruction = first & 31;
    loop {
        if instruction < 32 {
            let run = usize::from(instruction) + 1;
            out.extend_from_slice(rest.get(..run)?);
            rest = &rest[run..];
        } else {
            let mut count = usize::from(instruction >> 5) + 2;
            if count == 9 {
                loop {
                    let more = next(&mut rest)?;
                    count += usize::from(more);
                    if !level_two || more != 255 {
                        break;
                    }
                }
            }
            let low = next(&mut rest)?;
            let mut distance = 256 * usize::from(instruction & 31) + usize::from(low) + 1;
            if level_two && low == 255 && instruction & 31 == 31 {
                // Further back than thirteen bits can say.
                let far = 256 * usize::from(next(&mut rest)?) + usize::from(next(&mut rest)?);
                distance = far + 8192;
            }
            let start = out.len().checked_sub(distance)?;
            if out.len() + count > length {
                return None;
            }
            // A match may repeat what it has just written.
            for at in start..start + count {
                out.push(out[at]);
            }
        }
        if out.len() > length {
            return None;
        }
        match next(&mut rest) {
            Some(byte) => instruction = byte,
            None => return Some(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_matches() {
        // "abc", then six bytes from three back.
        assert_eq!(decompress(&[2, b'a', b'b', b'c', 4 << 5, 2], 9).unwrap(), b"abcabcabc");
        // A long match: 9 + 10 bytes from one back.
        assert_eq!(decompress(&[0, b'x', 7 << 5, 10, 0], 20).unwrap(), [b'x'; 20]);
        // Level 2: 255 says that more follows.
        assert_eq!(decompress(&[1 << 5, b'x', 7 << 5, 255, 0, 0], 300).unwrap(), [b'x'; 265]);
        for damaged in [&b""[..], &[5, b'a'], &[0, b'x', 32], &[0, b'x', 32, 1], &[2 << 5, b'x'], &[0, b'x', 7 << 5]] {
            assert_eq!(decompress(damaged, 100), None, "{damaged:?}");
        }
        assert_eq!(decompress(&[0, b'x', 7 << 5, 255, 0], 10), None);
    }
}
