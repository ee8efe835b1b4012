//! From a file to properties.

use std::path::Path;

use posetta_base::{Diagnostic, Kind, Located};
use posetta_formats as formats;
use posetta_logic::{Flavour, Property, View, is_hoa, is_unit_file, read_hoa, read_props_with, read_units};

use crate::root::{Root, RootArgs};
use crate::runs::extension;

/// Mistakes, each with the file it is in if that is not the one that was asked for.
pub type Found = Vec<(Option<String>, Diagnostic)>;

/// What a file says.
pub struct Spec {
    /// In the order in which they stand.
    pub properties: Vec<Property>,
    /// Directives of PSL that cannot be read, beside others that can.
    pub unread: Found,
}

impl From<Vec<Property>> for Spec {
    fn from(properties: Vec<Property>) -> Self {
        Self { properties, unread: Found::new() }
    }
}

/// An automaton is called as it says, else after its file.
fn automaton(path: &Path, text: &str, over: Option<View>) -> Result<Vec<Property>, Found> {
    let view = over.unwrap_or(View::Events);
    let mut property = read_hoa(text, view).map_err(|all| all.into_iter().map(|d| (None, d)).collect::<Found>())?;
    let stem = || path.file_stem().map_or_else(|| "-".to_owned(), |stem| stem.to_string_lossy().into_owned());
    property.name = Some(property.name.take().filter(|name| !name.trim().is_empty()).unwrap_or_else(stem));
    property.file = Some(path.display().to_string().into());
    Ok(vec![property])
}

/// The directives of a PSL file, or of the source of a design.
fn units(path: &Path, text: &str, flavour: Option<Flavour>) -> Result<Spec, Found> {
    let name = path.display().to_string();
    let read = read_units(&name, text, flavour).map_err(|all| found(all.into_vec()))?;
    if read.properties.is_empty() {
        let diagnostic = Diagnostic::of_input(Kind::Input, format!("`{name}` has no directive of PSL"))
            .help("write one as `assert always a -> next b;`, in a source of a design in a comment: `-- psl assert …;`, `// psl assert …;`");
        return Err(vec![(None, diagnostic)]);
    }
    Ok(Spec { properties: read.properties, unread: found(read.unread) })
}

fn found(all: Vec<Located>) -> Found {
    all.into_iter().map(|m| (Some(m.file.to_string()), m.diagnostic)).collect()
}

/// The properties of a file: of a property file with all that it imports, an automaton, or directives of PSL. `over` is what the positions
/// of an automaton are, and `flavour` how the operators of PSL are written where the name of the file does not say it.
///
/// # Errors
/// With every mistake.
pub fn spec(
    path: &Path,
    text: &str,
    over: Option<View>,
    flavour: Option<Flavour>,
    roots: &RootArgs,
) -> Result<Spec, Found> {
    if is_unit_file(&path.to_string_lossy()) {
        return units(path, text, flavour);
    }
    if is_hoa(text) {
        return automaton(path, text, over).map(Spec::from);
    }
    let mut root = Root::of(roots, path);
    let mut load = |from: &str, wanted: &str| root.load(from, wanted);
    let properties =
        read_props_with(&path.display().to_string(), text, &mut load).map_err(|all| match a_run(path, text) {
            Some(mistake) => vec![(None, mistake)],
            None => found(all.into_vec()),
        })?;
    if properties.is_empty() {
        let message = format!("`{}` has no property", path.display());
        let diagnostic = Diagnostic::of_input(Kind::Input, message).help("write one as `property NAME = ltl FORMULA`");
        return Err(vec![(None, diagnostic)]);
    }
    Ok(properties.into())
}

/// A file that cannot be read as properties may be a run.
fn a_run(path: &Path, text: &str) -> Option<Diagnostic> {
    let is_property = |line: &str| line.trim_start().starts_with("property ");
    if path.extension().is_some_and(|own| own == "props") || text.lines().any(is_property) {
        return None;
    }
    let format = formats::detect(text.as_bytes(), extension(path)).ok().flatten()?;
    let name = path.display();
    let message = format!("`{name}` is a run ({}), and properties are expected here", format.name());
    let help = format!(
        "`posetta info {name}` says what the run is like; `posetta check {name} --ltl FORMULA` checks a property on it"
    );
    Some(Diagnostic::of_input(Kind::Input, message).help(help))
}
