//! The library of properties: files that `import "std/NAME"` reads, and that are part of the program; docs/std.md.
//!
//! They have definitions only, so that importing one adds no property. No file on disk is looked at for a name that begins with `std/`, and
//! so none can pass for one of these; a directory of this name is reached as `./std/…`.

use super::props::NoFile;
use super::suggest::nearest;

/// What the path of an import of the library begins with.
const PREFIX: &str = "std/";

/// What files of properties end with, but for those of the library.
const SUFFIX: &str = ".props";

/// A file of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryFile {
    /// What stands behind `std/`.
    pub name: &'static str,
    /// What is in it.
    pub text: &'static str,
}

/// A definition of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryDefinition {
    /// Its name and its parameters, as in `one_leader(elected, term)`.
    pub usage: &'static str,
    /// What it says: the lines of the comment before it, without those about parameters.
    pub says: Vec<&'static str>,
    /// The lines of the comment about parameters.
    pub parameters: Vec<&'static str>,
    /// Whether it is a whole property, as in `property p = one_leader(…)`; the others are parts of these.
    pub is_whole: bool,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// All files of the library, sorted by name.
        pub const LIBRARY: &[LibraryFile] =
            &[$(LibraryFile { name: $name, text: include_str!(concat!($name, ".props")) }),*];
    };
}

files!(
    "causal",
    "exactly-once",
    "fifo",
    "leader",
    "monotone",
    "mutex",
    "queue",
    "read-your-writes",
    "register",
    "request-response",
    "retry",
    "saga",
    "timeout",
    "two-phase-commit",
);

impl LibraryFile {
    /// The file that a path means; `None` if it is not one of the library.
    pub(crate) fn wanted(path: &str) -> Option<Result<&'static Self, NoFile>> {
        Some(Self::named(path.strip_prefix(PREFIX)?))
    }

    /// The file of a name, as it stands behind `std/`.
    ///
    /// # Errors
    /// With what the library has instead.
    pub fn named(name: &str) -> Result<&'static Self, NoFile> {
        if let Some(file) = LIBRARY.iter().find(|file| file.name == name) {
            return Ok(file);
        }
        let bare = name.strip_suffix(SUFFIX).unwrap_or(name);
        let is_file = LIBRARY.iter().any(|file| file.name == bare);
        let why = match (is_file, nearest(bare, LIBRARY.iter().map(|file| file.name))) {
            (true, _) => format!("files of the library are named without `{SUFFIX}`: `{PREFIX}{bare}`"),
            (false, Some(near)) => format!("the library has no such file; did you mean `{PREFIX}{near}`?"),
            (false, None) => "the library has no such file".to_owned(),
        };
        let own = format!("a file of your own is `./{PREFIX}{name}`");
        let help = match is_file {
            true => own,
            false => {
                let names: Vec<&str> = LIBRARY.iter().map(|file| file.name).collect();
                format!("it has {}; {own}", names.join(", "))
            }
        };
        Err(NoFile { why, help: Some(help) })
    }

    /// What messages call it.
    #[must_use]
    pub fn called(&self) -> String {
        format!("{PREFIX}{}{SUFFIX}", self.name)
    }

    /// How it is imported.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }

    /// What it is about: the first paragraph of its first comment.
    #[must_use]
    pub fn subject(&self) -> String {
        let lines: Vec<&str> = self.text.lines().map(comment).take_while(|line| !line.is_empty()).collect();
        lines.join(" ")
    }

    /// Its definitions, in their order.
    #[must_use]
    pub fn definitions(&self) -> Vec<LibraryDefinition> {
        let mut found = Vec::new();
        let mut before: Vec<&'static str> = Vec::new();
        let mut lines = self.text.lines().peekable();
        while let Some(line) = lines.next() {
            if line.starts_with("//") {
                before.push(comment(line));
                continue;
            }
            let comments = std::mem::take(&mut before);
            let Some((usage, rest)) = line.strip_prefix("let ").and_then(|line| line.split_once(" =")) else {
                continue;
            };
            let (parameters, says) = comments.into_iter().partition(|line: &&str| line.starts_with(' '));
            let rest = if rest.trim().is_empty() { lines.peek().copied().unwrap_or_default() } else { rest };
            let is_whole = ["some ", "ltl ", "psl ", "foreach "].iter().any(|word| rest.trim_start().starts_with(word));
            found.push(LibraryDefinition { usage, says, parameters, is_whole });
        }
        found
    }
}

/// What a line says as a comment.
fn comment(line: &'static str) -> &'static str {
    line.trim_start_matches('/').strip_prefix(' ').unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_props;

    /// Every file can be imported, also after all others, has definitions only, and says what each is for.
    #[test]
    fn every_file_reads_and_tells_what_it_has() {
        let imports: Vec<String> = LIBRARY.iter().map(|file| format!("import \"{}\"\n", file.path())).collect();
        assert!(read_props(&imports.concat()).unwrap().is_empty());
        for (file, import) in LIBRARY.iter().zip(&imports) {
            assert!(read_props(import).unwrap().is_empty(), "{}", file.name);
            assert!(file.text.lines().all(|line| line.chars().count() <= 80), "{}", file.name);
            let definitions = file.definitions();
            assert_eq!(definitions.len(), file.text.matches("\nlet ").count(), "{}", file.name);
            assert!(definitions.iter().any(|d| d.is_whole), "{}", file.name);
            assert!(file.subject().ends_with('.'), "{}", file.subject());
            for definition in definitions {
                assert!(definition.says.concat().ends_with('.'), "{}", definition.usage);
            }
        }
        assert!(LIBRARY.is_sorted_by_key(|file| file.name));
    }

    #[test]
    fn names_are_found_without_their_ending_and_nothing_else_is() {
        let why = |path| LibraryFile::wanted(path).map(|found| found.map(|file| file.name).map_err(|no| no.why));
        for path in ["mutex", "./std/mutex", "my/std/mutex", "std", "STD/mutex"] {
            assert_eq!(why(path), None, "{path}");
        }
        assert_eq!(why("std/mutex"), Some(Ok("mutex")));
        for (path, message) in [
            ("std/mutex.props", "files of the library are named without `.props`: `std/mutex`"),
            ("std/mutx", "the library has no such file; did you mean `std/mutex`?"),
            ("std/mutx.props", "the library has no such file; did you mean `std/mutex`?"),
            ("std/../mutex.props", "the library has no such file"),
            ("std/", "the library has no such file"),
        ] {
            assert_eq!(why(path), Some(Err(message.to_owned())), "{path}");
        }
    }
}
