//! A mistake must lie inside the input, and be worth reading.

use posetta_base::{Diagnostic, Place};

/// Characters of a line that a diagnostic shows at most.
const WINDOW: usize = 120;

/// The lines of an input, as diagnostics count them: without their ends and without a byte order mark.
pub struct Lines(Vec<String>);

impl Lines {
    /// The lines of a run, which its reader sees one by one.
    #[must_use]
    pub fn of_run(data: &[u8]) -> Self {
        let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
        Self(data.split(|&b| b == b'\n').map(|l| String::from_utf8_lossy(l).into_owned()).collect())
    }

    /// The lines of a formula or a property file.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self(text.split('\n').map(str::to_owned).collect())
    }

    /// Panics unless every diagnostic points into the input.
    ///
    /// # Panics
    /// When one does not.
    pub fn hold(&self, diagnostics: &[Diagnostic]) {
        assert!(!diagnostics.is_empty(), "a failure without a mistake");
        self.hold_all(diagnostics);
    }

    /// The same for warnings, of which there may be none.
    ///
    /// # Panics
    /// When one does not.
    pub fn hold_all(&self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let broken = diagnostic.place.as_deref().and_then(|place| self.outside(place));
            assert_eq!(broken, None, "{diagnostic:?}");
            let words = [Some(&diagnostic.message), diagnostic.label.as_ref(), diagnostic.help.as_ref()];
            for words in words.into_iter().flatten() {
                assert!(!words.trim().is_empty(), "nothing is said: {diagnostic:?}");
            }
        }
    }

    /// What is wrong with a place.
    fn outside(&self, place: &Place) -> Option<String> {
        let Some(line) = usize::try_from(place.line).ok().and_then(|n| n.checked_sub(1)).and_then(|i| self.0.get(i))
        else {
            return Some(format!("there is no line {} of {}", place.line, self.0.len()));
        };
        let line = line.trim_end_matches('\r');
        let length = line.chars().count() as u64;
        if place.column == 0 || place.column > length + 1 {
            return Some(format!("there is no column {} in a line of {length}", place.column));
        }
        if place.width == 0 || (place.width > 1 && place.column + place.width > length + 1) {
            return Some(format!(
                "{} characters from column {} are not in a line of {length}",
                place.width, place.column
            ));
        }
        let shown: String = line.chars().skip(place.skipped as usize).take(WINDOW).collect();
        match &place.text {
            Some(text) if text.trim_end() != shown.trim_end() => Some(format!("the line shows {shown:?}")),
            Some(_) if place.column <= place.skipped || place.column > place.skipped + WINDOW as u64 + 1 => {
                Some("the caret is not under what is shown".to_owned())
            }
            _ => None,
        }
    }
}
