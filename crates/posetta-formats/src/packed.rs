//! Packed inputs: gzip and zstd, told by their first bytes.
//!
//! [`Unpacked`] is what an input holds, packed or not, so that whoever opens one asks once and reads on. It unpacks piece by piece: what
//! comes out counts towards the budget of whoever holds it, however little went in. Files that were packed in pieces and put one after the
//! other (several members or frames) are one input.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// So much is unpacked at a time.
const BUFFER: usize = 1 << 16;

/// A program that has packed an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Packing {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

impl Packing {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Gzip, Self::Zstd];

    /// The extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Zstd => "zst",
        }
    }

    /// What the program is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    fn magic(self) -> &'static [u8] {
        match self {
            Self::Gzip => b"\x1f\x8b",
            Self::Zstd => b"\x28\xb5\x2f\xfd",
        }
    }
}

/// An input whose first bytes have been looked at. Whatever it is read from, it is one type, so that the decoders are compiled once.
type Begun<'a> = Chain<Cursor<Vec<u8>>, Box<dyn BufRead + 'a>>;

/// What an input holds, unpacked if it is packed.
pub struct Unpacked<'a>(Inside<'a>);

enum Inside<'a> {
    Plain(Begun<'a>),
    Gzip(BufReader<Gzip<'a>>),
    Zstd(BufReader<Frames<'a>>),
}

impl<'a> Unpacked<'a> {
    /// Looks at the first bytes, and at no more of them than it needs: a writer may begin with a single one.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn new(reader: impl BufRead + 'a) -> io::Result<Self> {
        Self::begun(Box::new(reader))
    }

    fn begun(mut reader: Box<dyn BufRead + 'a>) -> io::Result<Self> {
        let mut start = Vec::new();
        let packing = loop {
            let fits = |packing: &Packing| packing.magic().starts_with(&start);
            match Packing::ALL.into_iter().find(fits) {
                Some(packing) if packing.magic().len() == start.len() => break Some(packing),
                Some(_) => {}
                None => break None,
            }
            match reader.fill_buf() {
                Ok([]) => break None,
                Ok(&[first, ..]) => start.push(first),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            reader.consume(1);
        };
        let begun = Cursor::new(start).chain(reader);
        Ok(Self(match packing {
            None => Inside::Plain(begun),
            Some(Packing::Gzip) => {
                Inside::Gzip(BufReader::with_capacity(BUFFER, Gzip(Box::new(MultiGzDecoder::new(begun)))))
            }
            Some(Packing::Zstd) => Inside::Zstd(BufReader::with_capacity(BUFFER, Frames::new(begun))),
        }))
    }

    /// What the input is packed with.
    #[must_use]
    pub fn packing(&self) -> Option<Packing> {
        match &self.0 {
            Inside::Plain(_) => None,
            Inside::Gzip(_) => Some(Packing::Gzip),
            Inside::Zstd(_) => Some(Packing::Zstd),
        }
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inside::Plain(reader) => reader.read(into),
            Inside::Gzip(reader) => reader.read(into),
            Inside::Zstd(reader) => reader.read(into),
        }
    }
}

impl BufRead for Unpacked<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.0 {
            Inside::Plain(reader) => reader.fill_buf(),
            Inside::Gzip(reader) => reader.fill_buf(),
            Inside::Zstd(reader) => reader.fill_buf(),
        }
    }

    fn consume(&mut self, n: usize) {
        match &mut self.0 {
            Inside::Plain(reader) => reader.consume(n),
            Inside::Gzip(reader) => reader.consume(n),
            Inside::Zstd(reader) => reader.consume(n),
        }
    }
}

fn cut_off(packing: Packing) -> io::Error {
    let message = format!("the {} data ends too early; was the file cut off?", packing.name());
    io::Error::new(ErrorKind::UnexpectedEof, message)
}

fn damaged(packing: Packing, why: impl std::fmt::Display) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("the {} data is damaged: {why}", packing.name()))
}

struct Gzip<'a>(Box<MultiGzDecoder<Begun<'a>>>);

impl Read for Gzip<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => cut_off(Packing::Gzip),
            ErrorKind::InvalidData | ErrorKind::InvalidInput => damaged(Packing::Gzip, error),
            _ => error,
        })
    }
}

/// The frames of a zstd file: the decoder of the crate stops behind each.
struct Frames<'a> {
    source: Begun<'a>,
    decoder: Box<FrameDecoder>,
    /// A frame has begun and was not handed on whole.
    inside: bool,
}

impl<'a> Frames<'a> {
    fn new(source: Begun<'a>) -> Self {
        Self { source, decoder: Box::new(FrameDecoder::new()), inside: false }
    }

    /// Begins the next frame that holds data. `false` at the end of the input.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                        return Err(cut_off(Packing::Zstd));
                    }
                }
                Err(error) => return Err(told(&error)),
            }
        }
        Ok(false)
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.inside && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let blocks = BlockDecodingStrategy::UptoBytes(into.len().max(1));
                self.decoder.decode_blocks(&mut self.source, blocks).map_err(|error| told(&error))?;
            }
            let read = self.decoder.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            self.inside = false;
            let (said, is) = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
            if said.is_some() && said != is {
                return Err(damaged(Packing::Zstd, "its checksum is that of other data"));
            }
        }
    }
}

/// An error of the decoder, whose innermost cause may be that the input ends or cannot be read.
fn told(error: &FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(at) = cause {
        if let Some(of_input) = at.downcast_ref::<io::Error>() {
            return match of_input.kind() {
                ErrorKind::UnexpectedEof => cut_off(Packing::Zstd),
                kind => io::Error::new(kind, of_input.to_string()),
            };
        }
        cause = at.source();
    }
    damaged(Packing::Zstd, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn packed(packing: Packing, text: &[u8]) -> Vec<u8> {
        match packing {
            Packing::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            Packing::Zstd => ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest),
        }
    }

    /// What an input that comes in pieces of `capacity` holds.
    fn unpacked(bytes: &[u8], capacity: usize) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        Unpacked::new(BufReader::with_capacity(capacity, bytes))?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn what_was_packed_comes_out() {
        let long = "0123456789 and so on\n".repeat(20_000);
        for text in ["", "a", "P: x=1\n", &long] {
            for packing in Packing::ALL {
                let one = packed(packing, text.as_bytes());
                assert_eq!(Unpacked::new(&one[..]).unwrap().packing(), Some(packing));
                let two = [&one[..], &one].concat();
                for capacity in [1, 7, 1 << 16] {
                    assert!(unpacked(&one, capacity).unwrap() == text.as_bytes(), "{packing:?}");
                    assert!(unpacked(&two, capacity).unwrap() == text.repeat(2).as_bytes(), "{packing:?}");
                }
            }
            assert!(unpacked(text.as_bytes(), 1).unwrap() == text.as_bytes());
        }
        // A frame that holds no data is passed over.
        let skipped =
            [&packed(Packing::Zstd, b"a")[..], b"\x50\x2a\x4d\x18\x02\0\0\0xx", &packed(Packing::Zstd, b"b")].concat();
        assert_eq!(unpacked(&skipped, 5).unwrap(), b"ab");
    }

    #[test]
    fn the_beginning_of_a_mark_is_none() {
        for text in [&b"\x1f"[..], b"\x28", b"\x28\xb5\x2f", b"(a)", b"\x1f\x8a"] {
            assert_eq!(unpacked(text, 2).unwrap(), text);
        }
    }

    #[test]
    fn what_is_cut_off_or_damaged_is_told() {
        let text = "some text that is not all the same: 0 1 2 3 4 5 6 7 8 9\n".repeat(9);
        for packing in Packing::ALL {
            let whole = packed(packing, text.as_bytes());
            for end in packing.magic().len()..whole.len() {
                let error = unpacked(&whole[..end], 64).unwrap_err().to_string();
                assert_eq!(error, cut_off(packing).to_string(), "{end} of {}", whole.len());
            }
            let (mut told, mut same) = (0, 0);
            for at in packing.magic().len()..whole.len() {
                let mut bytes = whole.clone();
                bytes[at] ^= 0x55;
                match unpacked(&bytes, 64) {
                    Err(_) => told += 1,
                    Ok(out) => same += usize::from(out == text.as_bytes()),
                }
            }
            // Some bytes say nothing, such as the time in the head of a gzip file; no other text ever comes out.
            assert_eq!(told + same, whole.len() - packing.magic().len(), "{packing:?}");
        }
        let trailing = [&packed(Packing::Gzip, b"a")[..], b"tail"].concat();
        assert!(unpacked(&trailing, 64).unwrap_err().to_string().starts_with("the gzip data "));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(zstd: bool, rest: Vec<u8>) {
            let packing = if zstd { Packing::Zstd } else { Packing::Gzip };
            let mut out = Vec::new();
            let bytes = [packing.magic(), &rest].concat();
            let _ = Unpacked::new(&bytes[..]).unwrap().take(1 << 20).read_to_end(&mut out);
        }
    }
}
