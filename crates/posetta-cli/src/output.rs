//! Writing to standard output and error when the reader may be gone.

use std::io::{ErrorKind, Write};

/// Writes to standard output. A reader that left (`posetta check … | head`) is not a mistake: it has what it wanted.
/// Anything else that goes wrong (a full disk) is reported and answered with `false`.
pub fn print(text: &str) -> bool {
    print_to_somebody(text) != Written::Failed
}

/// What became of something that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Somebody may read it.
    Yes,
    /// The reader has left.
    ToNobody,
    /// It could not be written, which was reported.
    Failed,
}

/// The same, for what goes on for ever unless somebody reads it.
pub fn print_to_somebody(text: &str) -> Written {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Written::Yes,
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Written::ToNobody,
        Err(e) => {
            note(&format!("error: cannot write the report: {e}\n"));
            Written::Failed
        }
    }
}

/// Writes to standard error, as far as anybody reads it.
pub fn note(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
