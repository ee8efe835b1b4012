//! What happens to a body: it is gathered within limits, unpacked, understood, and written.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use hyper::body::Incoming;
use posetta_base::Budget;
use posetta_door::body::{self, Bodies, Body};
use posetta_formats::{Format, count_spans};

use crate::{BODIES, Counts, Limits, Refusal, json};

/// Why a body was not taken, and what is wrong with it.
pub(crate) type Refused = (Refusal, String);

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Gzip,
    Deflate,
}

impl Packing {
    /// As headers call it.
    pub(crate) fn called(name: Option<&[u8]>) -> Result<Self, Refused> {
        match name.map(<[u8]>::to_ascii_lowercase).as_deref() {
            None | Some(b"" | b"identity") => Ok(Self::None),
            Some(b"gzip") => Ok(Self::Gzip),
            Some(b"deflate") => Ok(Self::Deflate),
            Some(_) => Err((Refusal::Unsupported, "a packing that is neither gzip nor deflate".to_owned())),
        }
    }
}

/// How an export is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Proto,
    Json,
}

/// What all connections share.
pub(crate) struct Desk<W> {
    pub(crate) limits: Limits,
    counts: Mutex<Counts>,
    bodies: Arc<Bodies>,
    /// Where exports go; nothing after a failure, because a message may be there in part.
    out: Mutex<Option<W>>,
}

impl<W> Desk<W> {
    pub(crate) fn new(limits: Limits, out: W) -> Self {
        let bodies = Bodies::new(limits.body.saturating_mul(BODIES), limits.patience);
        Self { limits, counts: Mutex::default(), bodies, out: Mutex::new(Some(out)) }
    }

    pub(crate) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The output, if nothing went wrong with it. Nothing is written after that.
    pub(crate) fn close(&self) -> Option<W> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// All bytes of a request, if they fit and come in time.
    pub(crate) async fn gather(&self, incoming: Incoming) -> Result<Body, Refused> {
        let most = self.limits.body;
        self.bodies.gather(incoming, most).await.map_err(|refused| match refused {
            body::Refused::TooLarge => (Refusal::TooLarge, format!("a body of more than {most} bytes")),
            body::Refused::CutOff(error) => (Refusal::CutOff, format!("the sender left: {error}")),
            body::Refused::Busy => (Refusal::Busy, "too much at the same time".to_owned()),
            body::Refused::Slow => (Refusal::Slow, format!("not complete after {:?}", self.limits.patience)),
        })
    }

    /// Unpacked bytes, if they fit.
    fn unpack(&self, packed: &[u8], packing: Packing) -> Result<Option<Vec<u8>>, Refused> {
        let most = self.limits.body;
        let mut bytes = Vec::new();
        let read = match packing {
            Packing::None => return Ok(None),
            Packing::Gzip => MultiGzDecoder::new(packed).take(most as u64 + 1).read_to_end(&mut bytes),
            Packing::Deflate => ZlibDecoder::new(packed).take(most as u64 + 1).read_to_end(&mut bytes),
        };
        match read {
            Err(error) => Err((Refusal::Malformed, format!("cannot be unpacked: {error}"))),
            Ok(_) if bytes.len() > most => {
                Err((Refusal::TooLarge, format!("a body of more than {most} bytes when unpacked")))
            }
            Ok(_) => Ok(Some(bytes)),
        }
    }
}

impl<W: Write> Desk<W> {
    /// Takes an export of traces: afterwards it is written, and counted.
    pub(crate) fn take(&self, body: &[u8], packing: Packing, encoding: Encoding) -> Result<(), Refused> {
        let unpacked = self.unpack(body, packing)?;
        let body = unpacked.as_deref().unwrap_or(body);
        let (message, spans) = match encoding {
            Encoding::Proto => (None, self.spans_in(Format::OtlpProto, body)?),
            Encoding::Json => {
                let said = if body.trim_ascii().is_empty() { 0 } else { self.spans_in(Format::Otlp, body)? };
                let message = json::to_message(body).map_err(|error| (Refusal::Malformed, error.to_string()))?;
                let kept = self.spans_in(Format::OtlpProto, &message)?;
                if said != kept {
                    // Spans under names that only files have.
                    let what = format!("{said} spans, of which {kept} are where the protocol has them");
                    return Err((Refusal::Malformed, what));
                }
                (Some(message), kept)
            }
        };
        if spans > 0 {
            self.write(message.as_deref().unwrap_or(body))?;
        }
        let mut counts = self.counts();
        counts.exports += 1;
        counts.spans += spans as u64;
        Ok(())
    }

    /// How many spans a message has, if the reader of files can read it.
    fn spans_in(&self, format: Format, message: &[u8]) -> Result<usize, Refused> {
        if format == Format::OtlpProto && message.is_empty() {
            return Ok(0);
        }
        // The reader takes what is here for a part of a file, where a message may have its length before it.
        if format == Format::OtlpProto && message[0] != FIRST {
            return Err((Refusal::Malformed, "it does not begin like an export of traces".to_owned()));
        }
        let budget = Budget::with_memory((self.limits.body as u64).saturating_mul(BODIES as u64).max(LEAST_MEMORY));
        count_spans(format, message, &budget).map_err(|error| match error.into_diagnostics() {
            Err(_) => (Refusal::TooLarge, "reading it takes too much memory".to_owned()),
            Ok(mistakes) => {
                let first = mistakes.first().map_or_else(String::new, |mistake| mistake.message.clone());
                (Refusal::Malformed, first)
            }
        })
    }

    fn write(&self, message: &[u8]) -> Result<(), Refused> {
        let length = u32::try_from(message.len()).map_err(|_| (Refusal::TooLarge, "too long".to_owned()))?;
        let new = message.len() as u64 + 4;
        if self.counts().written + new > self.limits.total {
            return Err((Refusal::Full, format!("more than {} bytes in all", self.limits.total)));
        }
        let mut place = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(out) = place.as_mut() else {
            return Err((Refusal::Unwritten, "nothing can be written any more".to_owned()));
        };
        let written: io::Result<()> =
            out.write_all(&length.to_be_bytes()).and_then(|()| out.write_all(message)).and_then(|()| out.flush());
        if let Err(error) = written {
            *place = None;
            return Err((Refusal::Unwritten, error.to_string()));
        }
        self.counts().written += new;
        Ok(())
    }
}

/// The first byte of an export: its field 1, which is a message.
const FIRST: u8 = 0x0a;

/// What the reader needs for the smallest body.
const LEAST_MEMORY: u64 = 16 << 20;
