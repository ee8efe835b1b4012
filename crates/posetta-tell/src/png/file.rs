//! The bytes of a PNG file: true colour, rows as they are. Differences between rows, which help photographs, make a drawing larger: text
//! and lines repeat themselves along a row.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::style::Sheet;
use crate::svg::Drawing;

const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";
/// Pixels of a drawing in a metre: 96 in an inch.
const METRE: f64 = 96.0 / 0.0254;
/// How the rows are filtered: not at all.
const PLAIN: u8 = 0;

/// The whole file.
pub(super) fn write(sheet: &Sheet, drawing: &Drawing, scale: usize) -> Vec<u8> {
    let height = sheet.pixels.len() / sheet.width.max(1);
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_be_bytes();
    let mut bytes = SIGNATURE.to_vec();
    // Eight bits for each of three colours; deflated, filtered, not interlaced.
    chunk(&mut bytes, b"IHDR", &[&number(sheet.width)[..], &number(height), &[8, 2, 0, 0, 0]].concat());
    // Readers show it as large as the drawing is.
    let dense = number((METRE * scale as f64).round() as usize);
    chunk(&mut bytes, b"pHYs", &[&dense[..], &dense, &[1]].concat());
    for (key, text) in [("Title", &drawing.title), ("Description", &drawing.description)] {
        chunk(&mut bytes, b"iTXt", &[key.as_bytes(), b"\0\0\0\0\0", text.replace('\0', " ").as_bytes()].concat());
    }
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in sheet.pixels.chunks_exact(sheet.width.max(1)) {
        let written = packed.write_all(&[PLAIN]).and_then(|()| packed.write_all(row.as_flattened()));
        written.expect("memory takes what is written");
    }
    chunk(&mut bytes, b"IDAT", &packed.finish().expect("memory takes what is written"));
    chunk(&mut bytes, b"IEND", &[]);
    bytes
}

fn chunk(bytes: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let mut sum = flate2::Crc::new();
    sum.update(kind);
    sum.update(data);
    bytes.extend((data.len() as u32).to_be_bytes());
    bytes.extend(kind);
    bytes.extend(data);
    bytes.extend(sum.sum().to_be_bytes());
}

/// Takes a file apart again: its size and its pixels.
#[cfg(test)]
pub(super) fn read(bytes: &[u8]) -> (usize, usize, Vec<[u8; 3]>) {
    use std::io::Read as _;
    let mut rest = bytes.strip_prefix(SIGNATURE).expect("a signature");
    let (mut size, mut packed) = ((0, 0), Vec::new());
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let (kind, data, sum) = (&behind[..4], &behind[4..4 + length], &behind[4 + length..8 + length]);
        let mut crc = flate2::Crc::new();
        crc.update(&behind[..4 + length]);
        assert_eq!(crc.sum().to_be_bytes(), sum, "the sum of a chunk");
        let number = |at: usize| u32::from_be_bytes(data[at..at + 4].try_into().expect("four bytes")) as usize;
        match kind {
            b"IHDR" => size = (number(0), number(4)),
            b"IDAT" => packed.extend_from_slice(data),
            _ => {}
        }
        rest = &behind[8 + length..];
    }
    let mut rows = Vec::new();
    flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut rows).expect("zlib");
    let (width, height) = size;
    assert_eq!(rows.len(), (1 + 3 * width) * height);
    let mut pixels: Vec<[u8; 3]> = Vec::new();
    for row in rows.chunks_exact(1 + 3 * width) {
        assert_eq!(row[0], PLAIN);
        pixels.extend(row[1..].chunks_exact(3).map(|p| [p[0], p[1], p[2]]));
    }
    (width, height, pixels)
}
