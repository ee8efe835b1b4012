//! What the arguments mean: which format, which file for the lines.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Mutex;

use posetta_base::{Budget, Diagnostic, Error, Kind};
use posetta_formats::records::{self, RecordBuffer};
use posetta_formats::{Format, ReadOptions};
use posetta_monitor::{Bookmark, Checkpoint};

use super::asked::FORMAT;
use super::board::Board;
use super::checkpoint::ANEW;
use super::source::Source;
use crate::args::MonitorArgs;
use crate::files::{self, InPlace};
use crate::inputs::extension;
use crate::limited::locked;
use crate::problem::system_error;
use crate::read;

/// What was said, else what was found before, else what the first bytes show; JSON lines if nothing does.
pub fn format_of(
    args: &MonitorArgs,
    checkpoint: Option<&Checkpoint<File>>,
    source: &mut Source,
    input: &Path,
) -> Result<Format, Diagnostic> {
    if !args.map.is_empty() {
        return match args.from {
            None | Some(Format::JsonLines) => Ok(Format::JsonLines),
            Some(from) => {
                let message =
                    format!("a stream with --map is JSON, and --from says that the format is {}", from.name());
                Err(Diagnostic::new(Kind::Input, message))
            }
        };
    }
    let before = || Format::from_name(checkpoint?.asked(FORMAT)?);
    if let Some(known) = before() {
        // The start has been looked at before, and is passed over.
        return Ok(args.from.unwrap_or(known));
    }
    match source.start() {
        // Whoever reads on is told of an error, and that nothing has come.
        Err(_) | Ok(None | Some([])) => Ok(args.from.unwrap_or(Format::JsonLines)),
        Ok(Some(start)) => {
            let format = read::format_of(&input.display().to_string(), start, extension(input), args.from)?;
            if format == Format::JsonLines {
                look_ahead(start, args.key.as_deref())?;
            }
            Ok(format)
        }
    }
}

/// So many records are looked at before the first of them is believed.
const AHEAD: usize = 64;

/// A property may be determined by the first record, and the second may show that the stream is not what it is read as.
fn look_ahead(start: &[u8], key: Option<&str>) -> Result<(), Diagnostic> {
    let whole = start.iter().rposition(|&b| b == b'\n').map_or(&[][..], |end| &start[..=end]);
    let mut buffer = RecordBuffer::all(key);
    let budget = Budget::with_memory(1 << 26);
    let Ok(mut records) = records::open(Format::JsonLines, Box::new(whole), &ReadOptions::default(), &budget) else {
        return Ok(());
    };
    for _ in 0..AHEAD {
        match records.next(&mut buffer) {
            Ok(true) => {}
            Ok(false) | Err(Error::OverBudget(_)) => break,
            Err(error) => {
                // Other mistakes are those of a line, and are told when its turn comes.
                if let Some(mistake) = error.diagnostics().iter().find(|mistake| mistake.kind == Kind::Format) {
                    return Err(mistake.clone());
                }
            }
        }
    }
    Ok(())
}

/// The file for the lines, cut back to where it was.
pub fn open_out(path: &Path, bookmark: Option<&Bookmark>, board: &Mutex<Board>) -> Result<(), Diagnostic> {
    let name = path.display().to_string();
    let cannot =
        |error: io::Error| Diagnostic::new(Kind::Input, format!("cannot write `{name}`: {}", system_error(&error)));
    let bytes = bookmark.and_then(|bookmark| bookmark.bytes);
    let InPlace { mut file, is_regular } = files::open_in_place(path, bookmark.is_none()).map_err(cannot)?;
    // A line has at least two bytes.
    let fits = |bookmark: &Bookmark| bookmark.bytes.is_some_and(|bytes| bytes / 2 >= bookmark.lines);
    if is_regular && !bookmark.is_none_or(fits) {
        let message = format!("the checkpoint does not say how long `{name}` was");
        return Err(Diagnostic::new(Kind::Input, message).help(ANEW));
    }
    if let (true, Some(bytes)) = (is_regular, bytes) {
        let length = file.metadata().map_err(cannot)?.len();
        let mut last = [b'\n'];
        if (1..=length).contains(&bytes) {
            file.seek(SeekFrom::Start(bytes - 1)).and_then(|_| file.read_exact(&mut last)).map_err(cannot)?;
        }
        if last != [b'\n'] {
            let message = format!("`{name}` is not the file of the checkpoint: no line of it ends at byte {bytes}");
            return Err(Diagnostic::new(Kind::Input, message).help(ANEW));
        }
        if length < bytes {
            let message = format!("`{name}` has {length} bytes, and had {bytes} at the checkpoint");
            let help = "bring it back, or remove the checkpoint to start anew";
            return Err(Diagnostic::new(Kind::Input, message).help(help));
        }
        file.set_len(bytes).and_then(|()| file.seek(SeekFrom::End(0))).map_err(cannot)?;
    }
    // What goes to a device or a pipe is gone: nobody can come back to a length of it.
    let length = is_regular.then_some(bytes.unwrap_or(0));
    locked(board).write_to(file, name, length);
    Ok(())
}
