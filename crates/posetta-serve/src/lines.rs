//! Answers that come piece by piece, and the lines of a child.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes, Frame};
use posetta_door::Answer;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::mpsc::Receiver;

/// A line of a child that is longer is cut into pieces, none of which is a line of JSON.
const LONGEST: usize = 4 << 20;

/// The body of an answer whose pieces somebody else makes. `held` is dropped when the answer is complete or nobody waits for it any more.
pub struct Pieces<T> {
    pieces: Receiver<Bytes>,
    _held: T,
}

impl<T: Send + Unpin + 'static> Pieces<T> {
    pub fn answer(pieces: Receiver<Bytes>, held: T) -> Answer {
        Self { pieces, _held: held }.boxed_unsync()
    }
}

impl<T: Unpin> Body for Pieces<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.pieces.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// The lines of what a child writes.
pub struct Lines<R> {
    reader: R,
    held: Vec<u8>,
    /// Where in it lines have been looked for.
    seen: usize,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, held: Vec::new(), seen: 0, ended: false }
    }

    /// The next line without its end; nothing when there are no more.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let end = self.held[self.seen..].iter().position(|&byte| byte == b'\n').map(|at| self.seen + at);
            if let Some(end) = end {
                let mut line: Vec<u8> = self.held.drain(..=end).collect();
                line.pop();
                self.seen = 0;
                return Some(line);
            }
            self.seen = self.held.len();
            if self.ended || self.held.len() >= LONGEST {
                self.seen = 0;
                return Some(std::mem::take(&mut self.held)).filter(|rest| !rest.is_empty());
            }
            let mut buffer = [0; 1 << 13];
            match self.reader.read(&mut buffer).await {
                Ok(0) | Err(_) => self.ended = true,
                Ok(read) => self.held.extend_from_slice(&buffer[..read]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(bytes: &[u8]) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let mut lines = Lines::new(bytes);
            let mut all = Vec::new();
            while let Some(line) = lines.next().await {
                all.push(String::from_utf8(line).expect("UTF-8"));
            }
            all
        })
    }

    #[test]
    fn lines_are_cut_at_their_ends() {
        assert_eq!(lines_of(b""), Vec::<String>::new());
        assert_eq!(lines_of(b"a\nb\n"), ["a", "b"]);
        assert_eq!(lines_of(b"a\n\nb"), ["a", "", "b"]);
        let long = "x".repeat(LONGEST + 10);
        let pieces = lines_of(format!("{long}\ny\n").as_bytes());
        assert_eq!(pieces.concat(), format!("{long}y"), "nothing is lost");
        assert!(pieces.len() >= 3, "and nothing grows without end");
    }
}
