//! The bytes of a file: held whole, or fetched piece by piece where a file can be read anywhere.

use std::cell::RefCell;
use std::io::{BufRead, ErrorKind, Read, Seek, SeekFrom};
use std::ops::{Deref, Range};

use super::bytes::Damage;
use crate::source::READING;
use posetta_base::{Budget, Claim, Diagnostic, Error, Kind};

/// An input that can be read anywhere.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// The bytes of a file.
pub(super) enum Store<'a> {
    /// All of them.
    Held { data: Vec<u8>, _claim: Claim },
    /// Those that are asked for, of so many.
    File(RefCell<Box<dyn ReadSeek + 'a>>, usize),
}

/// Some bytes of a file.
pub(super) enum Piece<'a> {
    Held(&'a [u8]),
    Fetched { bytes: Vec<u8>, _claim: Claim },
}

impl Deref for Piece<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Held(bytes) => bytes,
            Self::Fetched { bytes, .. } => bytes,
        }
    }
}

fn cannot_read(error: &std::io::Error) -> Diagnostic {
    Diagnostic::new(Kind::Input, format!("the input could not be read: {error}"))
}

impl<'a> Store<'a> {
    /// Reads the whole input.
    pub(super) fn hold(mut reader: Box<dyn BufRead + 'a>, budget: &Budget) -> Result<Self, Error> {
        /// Bytes between two looks at the budget.
        const PIECE: usize = 1 << 18;
        let mut data = Vec::new();
        let mut claim = budget.claim(0, READING)?;
        loop {
            budget.step(1, READING)?;
            // A vector that grows is there twice for a moment.
            claim.grow_to(2 * (data.len() + PIECE) as u64, READING)?;
            match reader.by_ref().take(PIECE as u64).read_to_end(&mut data) {
                Ok(0) => {
                    claim.shrink_to(data.capacity() as u64);
                    return Ok(Self::Held { data, _claim: claim });
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(&error).into()),
            }
        }
    }

    /// Reads nothing yet.
    pub(super) fn open(mut file: Box<dyn ReadSeek + 'a>) -> Result<Self, Error> {
        let length = file.seek(SeekFrom::End(0)).map_err(|error| cannot_read(&error))?;
        let length = usize::try_from(length).map_err(|_| Diagnostic::new(Kind::Input, "the file is too large"))?;
        Ok(Self::File(RefCell::new(file), length))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Held { data, .. } => data.len(),
            Self::File(_, length) => *length,
        }
    }

    /// The bytes of a range, as far as the file has them.
    pub(super) fn piece(&self, range: Range<usize>, budget: &Budget) -> Result<Piece<'_>, Damage> {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        match self {
            Self::Held { data, .. } => Ok(Piece::Held(&data[start..end])),
            Self::File(file, _) => {
                let claim = budget.claim((end - start) as u64, READING)?;
                let mut bytes = vec![0; end - start];
                let mut file = file.borrow_mut();
                let read = file.seek(SeekFrom::Start(start as u64)).and_then(|_| file.read_exact(&mut bytes));
                match read {
                    Ok(()) => Ok(Piece::Fetched { bytes, _claim: claim }),
                    Err(error) => Err(Damage::cut(start, format!("the input could not be read: {error}"))),
                }
            }
        }
    }
}
