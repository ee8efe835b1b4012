//! The file that a checkpoint is in.
//!
//! It is a draft that is brought to the disk and put in its place ([`Output`]), so that there is always a whole one.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use posetta_base::{Diagnostic, Kind};
use posetta_monitor::{Bookmark, Checkpoint, Refusal, Watcher};

use super::asked;
use crate::files::Output;
use crate::problem::system_error;

/// What to do with a checkpoint that does not fit.
pub const ANEW: &str = "remove it to start anew, or name another file";

/// The checkpoint in a file; `None` if there is no file.
pub fn open(path: &Path) -> Result<Option<Checkpoint<File>>, Diagnostic> {
    let cannot = |error: io::Error| refused(path, &Refusal::Unreadable(error));
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot(error)),
        // A pipe would have to be waited for.
        Ok(data) if !data.is_file() => return Err(refused(path, &Refusal::NotACheckpoint)),
        Ok(_) => {}
    }
    let file = File::open(path).map_err(cannot)?;
    Checkpoint::open(file).map(Some).map_err(|refusal| refused(path, &refusal))
}

/// Writes a checkpoint: all of it, or nothing.
pub fn write(path: &Path, watcher: &Watcher, bookmark: &Bookmark) -> io::Result<()> {
    let mut output = Output::create(path)?;
    watcher.save(bookmark, &mut output)?;
    output.finish_on_disk()
}

/// That a checkpoint cannot be kept there.
pub fn cannot_write(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::new(Kind::Input, format!("cannot write the checkpoint `{}`: {}", path.display(), system_error(error)))
}

/// That the stream is not the one that the checkpoint was made of, or shorter.
pub fn of_another_stream(refusal: &Refusal) -> Diagnostic {
    let help = match refusal {
        Refusal::EndsEarly => "a stream is given again from its start; what was read of it is passed over",
        _ => ANEW,
    };
    Diagnostic::new(Kind::Input, refusal.to_string()).help(help)
}

/// Why the checkpoint in a file cannot be gone on from, for a person.
pub fn refused(path: &Path, refusal: &Refusal) -> Diagnostic {
    let file = path.display();
    let message = match refusal {
        Refusal::Unreadable(error) => {
            let message = format!("cannot read the checkpoint `{file}`: {}", system_error(error));
            return Diagnostic::new(Kind::Input, message);
        }
        Refusal::NotACheckpoint => format!("`{file}` is not a checkpoint of this program"),
        Refusal::OtherVersion => format!("the checkpoint `{file}` was made by another version of this program"),
        Refusal::Damaged => format!("the checkpoint `{file}` is damaged: its checksum does not fit"),
        Refusal::Impossible => format!("the checkpoint `{file}` is broken: what it says cannot be"),
        Refusal::OtherQuestion(difference) => {
            format!("the checkpoint `{file}` does not fit: {}", asked::difference(difference))
        }
        // Of the stream it is told where the stream is.
        other => other.to_string(),
    };
    Diagnostic::new(Kind::Input, message).help(ANEW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Budget;
    use posetta_monitor::Options;

    #[test]
    fn what_is_none_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        assert!(open(&path).unwrap().is_none());
        let message = |text: &str| {
            fs::write(&path, text).unwrap();
            open(&path).unwrap_err().message.replace(&path.display().to_string(), "c")
        };
        for text in ["", "{}", "hello", "\u{0}\n", "{\"posetta_checkpoint\":-1}", "{\"posetta_checkpoint\":\"2\"}"] {
            assert_eq!(message(text), "`c` is not a checkpoint of this program", "{text}");
        }
        for text in
            ["{\"posetta_checkpoint\":1}", "{\"posetta_checkpoint\":2,\"asked\":{}}", "{\"posetta_checkpoint\":4}"]
        {
            assert_eq!(message(text), "the checkpoint `c` was made by another version of this program", "{text}");
        }
        for text in ["{\"posetta_checkpoint\":3}", "{\"posetta_checkpoint\":3,\"asked\":{}}\n{\"streams\":0}\n"] {
            assert_eq!(message(text), "the checkpoint `c` is damaged: its checksum does not fit", "{text}");
        }
        assert!(open(dir.path()).is_err());
        let watcher = Watcher::new(Vec::new(), Options::default(), &Budget::unlimited());
        assert!(write(&dir.path().join("none/c"), &watcher, &Bookmark::default()).is_err());
        for _ in 0..2 {
            write(&path, &watcher, &Bookmark::default()).unwrap();
        }
        assert_eq!(open(&path).unwrap().unwrap().bookmark(), &Bookmark::default());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
