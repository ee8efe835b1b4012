//! Why there is no result.
//!
//! A function that can only find mistakes in a text returns [`Mistakes`]; one that can run into a limit as well, or contradict itself,
//! returns [`Error`]. Both work with `?`, and the first converts into the second.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::{Diagnostic, Kind, OverBudget, Place};

/// Why an input gave no result: it is wrong, it is too much, or posetta is wrong.
///
/// Shown as text it is one line for each mistake. There is no source below it: the text says all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The input is wrong in these places; never empty.
    Invalid(Vec<Diagnostic>),
    /// A limit was reached first.
    OverBudget(OverBudget),
    /// Posetta found an answer that does not pass its own check. Never the input's fault, and never a verdict.
    Defect(Box<Diagnostic>),
}

impl Error {
    /// A defect of posetta, which is to be reported together with what is named `with`.
    #[must_use]
    pub fn defect(what: impl Into<String>, with: &str) -> Self {
        let help = format!("this is a defect of posetta, please report it with {with}");
        Self::Defect(Box::new(Diagnostic::new(Kind::Defect, format!("internal error: {}", what.into())).help(help)))
    }

    /// The same, at a place in the input. Only a defect takes it: mistakes have their own.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        if let Self::Defect(defect) = &mut self {
            defect.place = Some(Box::new(place));
        }
        self
    }

    /// What is wrong, for a person: the mistakes, or the defect. Empty if a limit was reached.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Invalid(mistakes) => mistakes,
            Self::OverBudget(_) => &[],
            Self::Defect(defect) => std::slice::from_ref(defect),
        }
    }

    /// The same to keep.
    ///
    /// # Errors
    /// If a limit was reached.
    pub fn into_diagnostics(self) -> Result<Vec<Diagnostic>, OverBudget> {
        match self {
            Self::Invalid(mistakes) => Ok(mistakes),
            Self::OverBudget(over) => Err(over),
            Self::Defect(defect) => Ok(vec![*defect]),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(mistakes) => lines(f, mistakes),
            Self::OverBudget(over) => over.fmt(f),
            Self::Defect(defect) => defect.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Invalid(vec![diagnostic])
    }
}

impl From<Box<Diagnostic>> for Error {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::from(*diagnostic)
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Invalid(diagnostics)
    }
}

impl From<Mistakes> for Error {
    fn from(mistakes: Mistakes) -> Self {
        Self::Invalid(mistakes.0)
    }
}

impl From<Mistakes<Located>> for Error {
    /// The name of the file becomes the part of the input that the place is in.
    fn from(mistakes: Mistakes<Located>) -> Self {
        Self::Invalid(mistakes.into_iter().map(Diagnostic::from).collect())
    }
}

impl From<OverBudget> for Error {
    fn from(over: OverBudget) -> Self {
        Self::OverBudget(over)
    }
}

/// A mistake and the file that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What the text is called that the diagnostic's place refers to.
    pub file: Arc<str>,
    /// The mistake.
    pub diagnostic: Diagnostic,
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.diagnostic.place.is_some() { "" } else { " " };
        write!(f, "{}:{space}{}", self.file, self.diagnostic)
    }
}

impl std::error::Error for Located {}

impl From<Located> for Diagnostic {
    fn from(located: Located) -> Self {
        let mut diagnostic = located.diagnostic;
        match &mut diagnostic.place {
            Some(place) => {
                place.part.get_or_insert(located.file);
            }
            None => diagnostic.message = format!("{}: {}", located.file, diagnostic.message),
        }
        diagnostic
    }
}

/// All that is wrong with a text; never empty. It is a slice of diagnostics, and an error that is shown line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes<D = Diagnostic>(Vec<D>);

impl<D> Mistakes<D> {
    /// As a vector.
    #[must_use]
    pub fn into_vec(self) -> Vec<D> {
        self.0
    }
}

impl<D: fmt::Display> fmt::Display for Mistakes<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        lines(f, &self.0)
    }
}

impl<D: fmt::Display + fmt::Debug> std::error::Error for Mistakes<D> {}

fn lines<D: fmt::Display>(f: &mut fmt::Formatter<'_>, all: &[D]) -> fmt::Result {
    for (i, one) in all.iter().enumerate() {
        if i > 0 {
            writeln!(f)?;
        }
        write!(f, "{one}")?;
    }
    Ok(())
}

impl<D> From<Vec<D>> for Mistakes<D> {
    fn from(all: Vec<D>) -> Self {
        Self(all)
    }
}

impl<D> From<D> for Mistakes<D> {
    fn from(one: D) -> Self {
        Self(vec![one])
    }
}

impl<D> From<Box<D>> for Mistakes<D> {
    fn from(one: Box<D>) -> Self {
        Self(vec![*one])
    }
}

impl<D> FromIterator<D> for Mistakes<D> {
    fn from_iter<I: IntoIterator<Item = D>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

impl<D> Deref for Mistakes<D> {
    type Target = [D];

    fn deref(&self) -> &[D] {
        &self.0
    }
}

impl<D> DerefMut for Mistakes<D> {
    fn deref_mut(&mut self) -> &mut [D] {
        &mut self.0
    }
}

impl<D> IntoIterator for Mistakes<D> {
    type Item = D;
    type IntoIter = std::vec::IntoIter<D>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, D> IntoIterator for &'a Mistakes<D> {
    type Item = &'a D;
    type IntoIter = std::slice::Iter<'a, D>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Limit;
    use super::*;

    fn mistakes() -> Vec<Diagnostic> {
        let at = Diagnostic::new(Kind::Syntax, "this is wrong").at(Place::line_only(3));
        vec![at, Diagnostic::new(Kind::Input, "so is this")]
    }

    #[test]
    fn every_error_goes_into_one_and_is_shown_line_by_line() {
        let parse = || -> Result<(), Mistakes> { Err(mistakes().into()) };
        let load = || -> Result<(), Mistakes<Located>> {
            Err(mistakes().into_iter().map(|diagnostic| Located { file: "a.props".into(), diagnostic }).collect())
        };
        let step = || Err(OverBudget::new("testing", Limit::Time));
        let shown = |f: &dyn Fn() -> Result<(), Error>| f().unwrap_err().to_string();
        assert_eq!(shown(&|| Ok(parse()?)), "3:1: this is wrong\nso is this");
        assert_eq!(shown(&|| Ok(load()?)), "a.props:3:1: this is wrong\na.props: so is this");
        assert_eq!(shown(&|| Ok(step()?)), "the time limit was reached while testing");
        let defect = Error::defect("a witness does not replay", "the run");
        assert_eq!(defect.to_string(), "internal error: a witness does not replay");
        assert_eq!(
            defect.diagnostics()[0].help.as_deref(),
            Some("this is a defect of posetta, please report it with the run")
        );
        let boxed = || -> Result<(), Box<dyn std::error::Error>> { Ok(load()?) };
        assert_eq!(boxed().unwrap_err().to_string(), "a.props:3:1: this is wrong\na.props: so is this");
    }
}
