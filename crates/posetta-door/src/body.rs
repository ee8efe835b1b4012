//! Bodies: those of answers, and those of requests, which come piece by piece and are not trusted.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::HeaderMap;

/// The body of an answer.
pub type Answer = UnsyncBoxBody<Bytes, Infallible>;

/// An answer of these bytes.
#[must_use]
pub fn whole(bytes: impl Into<Bytes>) -> Answer {
    Full::new(bytes.into()).boxed_unsync()
}

/// The same with headers after them.
#[must_use]
pub fn with_trailers(bytes: impl Into<Bytes>, trailers: HeaderMap) -> Answer {
    let trailers = std::future::ready(Some(Ok(trailers)));
    Full::new(bytes.into()).with_trailers(trailers).boxed_unsync()
}

/// Why a body was not taken.
#[derive(Debug)]
pub enum Refused {
    /// It is larger than it may be.
    TooLarge,
    /// Its sender left, with what the connection said about it.
    CutOff(String),
    /// Too much was held at the same time.
    Busy,
    /// It took too long to come.
    Slow,
}

/// What bodies may take.
#[derive(Debug)]
pub struct Bodies {
    /// All of them together, in bytes.
    most: usize,
    /// How long one may take to come.
    patience: Duration,
    /// Bytes that are held.
    held: AtomicUsize,
}

/// A body, and its share of what may be held.
#[derive(Debug)]
pub struct Body {
    /// All of it.
    pub bytes: Vec<u8>,
    of: Arc<Bodies>,
}

impl Drop for Body {
    fn drop(&mut self) {
        self.of.held.fetch_sub(self.bytes.len(), SeqCst);
    }
}

impl Bodies {
    /// Nothing is held yet; so many bytes may be, and a body may take so long to come.
    #[must_use]
    pub fn new(most: usize, patience: Duration) -> Arc<Self> {
        Arc::new(Self { most, patience, held: AtomicUsize::new(0) })
    }

    /// How long a body may take to come.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// All bytes of a request, if they are no more than `most` and come in time.
    ///
    /// # Errors
    /// When they are not.
    pub async fn gather(self: &Arc<Self>, mut incoming: Incoming, most: usize) -> Result<Body, Refused> {
        if incoming.size_hint().lower() > most as u64 {
            return Err(Refused::TooLarge);
        }
        let mut body = Body { bytes: Vec::new(), of: Arc::clone(self) };
        let all = async {
            while let Some(frame) = incoming.frame().await {
                let frame = frame.map_err(|error| Refused::CutOff(error.to_string()))?;
                let Some(piece) = frame.data_ref() else { continue };
                if body.bytes.len() + piece.len() > most {
                    return Err(Refused::TooLarge);
                }
                if self.held.fetch_add(piece.len(), SeqCst) + piece.len() > self.most {
                    self.held.fetch_sub(piece.len(), SeqCst);
                    return Err(Refused::Busy);
                }
                body.bytes.extend_from_slice(piece);
            }
            Ok(())
        };
        match tokio::time::timeout(self.patience, all).await {
            Ok(done) => done.map(|()| body),
            Err(_) => Err(Refused::Slow),
        }
    }
}
