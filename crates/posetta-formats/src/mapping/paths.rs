//! Paths into records, and what they lead to.

use std::borrow::Cow;
use std::fmt::Write;

use crate::json::ValueKind;
use crate::states::{is_number, scalar};
use crate::tree::{Tree, push_quoted};
use posetta_base::{Number, Value};

/// A path such as `event.msg.key` or `args[0]`. Every path of a mapping has a number of its own, by which the reader notes that some
/// record has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) text: String,
    steps: Vec<Step>,
    pub(super) number: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Name(String),
    Index(usize),
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// With what is wrong.
    pub(super) fn new(text: &str, number: usize) -> Result<Self, &'static str> {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let (name, mut indices) = part.split_at(part.find('[').unwrap_or(part.len()));
            if name.is_empty() && (steps.is_empty() && indices.is_empty() || !steps.is_empty()) {
                return Err("a path has a name between its dots");
            }
            if !name.is_empty() {
                steps.push(Step::Name(name.to_owned()));
            }
            while !indices.is_empty() {
                let inside = indices.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                let (index, rest) = inside.ok_or("an index is a number in brackets, such as [0]")?;
                steps.push(Step::Index(index.parse().map_err(|_| "an index is a number in brackets, such as [0]")?));
                indices = rest;
            }
        }
        Ok(Self { text: text.to_owned(), steps, number })
    }

    /// What stands behind the last dot.
    pub(super) fn last(&self) -> &str {
        self.text.rsplit('.').next().unwrap_or(&self.text)
    }
}

/// One record of an input.
pub(super) enum Record<'a> {
    Object {
        text: &'a str,
        tree: &'a Tree,
    },
    /// A row of a table: the cells of named columns, those that are empty left out.
    Row {
        names: &'a [String],
        cells: &'a [Option<Cow<'a, str>>],
    },
}

/// What a path leads to.
pub(super) enum Field<'a> {
    Node { text: &'a str, tree: &'a Tree, at: usize },
    Cell(&'a str),
}

impl<'a> Record<'a> {
    /// What a path leads to, if the record has it and it is not null.
    pub(super) fn find(&self, path: &Path) -> Option<Field<'a>> {
        match *self {
            Self::Object { text, tree } => {
                let at = descend(text, tree, 0, &path.steps)?;
                (tree.kind(at) != Some(ValueKind::Null)).then_some(Field::Node { text, tree, at })
            }
            Self::Row { names, cells } => {
                let column = names.iter().position(|name| *name == path.text)?;
                cells[column].as_deref().map(Field::Cell)
            }
        }
    }

    /// Calls `each` with the paths that the record has, as far as `levels` below each other.
    pub(super) fn paths(&self, levels: usize, each: &mut impl FnMut(&str)) {
        match *self {
            Self::Object { text, tree } => paths_below(text, tree, 0, levels, &mut String::new(), each),
            Self::Row { names, .. } => names.iter().for_each(|name| each(name)),
        }
    }
}

/// The node that some steps from a node lead to. The name of a field may have dots itself, so that several steps may be one name; the
/// fewest that lead on are taken.
fn descend(text: &str, tree: &Tree, at: usize, steps: &[Step]) -> Option<usize> {
    match steps {
        [] => Some(at),
        [Step::Index(index), rest @ ..] => descend(text, tree, tree.item(at, *index)?, rest),
        [Step::Name(first), ..] => {
            let mut name = Cow::Borrowed(first.as_str());
            let mut taken = 1;
            loop {
                let found = tree.is_object(at).then(|| tree.member(text, at, &name)).flatten();
                if let Some(end) = found.and_then(|member| descend(text, tree, member, &steps[taken..])) {
                    return Some(end);
                }
                let Some(Step::Name(next)) = steps.get(taken) else { return None };
                name.to_mut().push('.');
                name.to_mut().push_str(next);
                taken += 1;
            }
        }
    }
}

fn paths_below(text: &str, tree: &Tree, at: usize, levels: usize, path: &mut String, each: &mut impl FnMut(&str)) {
    if levels == 0 {
        return;
    }
    let before = path.len();
    let is_object = tree.is_object(at);
    for (i, inside) in tree.inside(at).enumerate() {
        if is_object {
            if before > 0 {
                path.push('.');
            }
            path.push_str(&tree.name(text, inside));
        } else {
            let _ = write!(path, "[{i}]");
        }
        each(path);
        paths_below(text, tree, inside, levels - 1, path, each);
        path.truncate(before);
    }
}

impl<'a> Field<'a> {
    /// A number, a string or a boolean as text; `None` for others.
    pub(super) fn text(&self) -> Option<Cow<'a, str>> {
        match *self {
            Self::Cell(cell) => Some(Cow::Borrowed(cell)),
            Self::Node { text, tree, at } => match tree.kind(at)? {
                ValueKind::Text(quoted) => Some(quoted.text(text)),
                ValueKind::Number | ValueKind::Bool(_) => Some(Cow::Borrowed(&text[tree.span(at)])),
                ValueKind::Null | ValueKind::Array | ValueKind::Object => None,
            },
        }
    }

    /// The value of a variable; `None` for arrays, objects and numbers with too many digits.
    pub(super) fn value(&self) -> Option<Value> {
        match *self {
            Self::Cell(cell) => scalar(cell).ok(),
            Self::Node { text, tree, at } => tree.value(text, at),
        }
    }

    /// A number that is written as one, or as a string.
    pub(super) fn number(&self) -> Option<Number> {
        self.text().filter(|text| is_number(text)).and_then(|text| text.parse().ok())
    }

    /// What it is, for a person.
    pub(super) fn noun(&self) -> &'static str {
        match *self {
            Self::Cell(_) => "string",
            Self::Node { tree, at, .. } => tree.kind(at).map_or("null", ValueKind::noun),
        }
    }

    /// Appends it so that two fields are written alike exactly if they are the same value.
    pub(super) fn write_key(&self, out: &mut String) {
        match *self {
            Self::Cell(cell) => push_quoted(out, cell),
            Self::Node { text, tree, at } => tree.write_canonical(text, at, out),
        }
    }

    /// As JSON, for an attribute.
    pub(super) fn json(&self) -> Cow<'a, str> {
        match *self {
            Self::Node { text, tree, at } if !text[tree.span(at)].contains('\n') => Cow::Borrowed(&text[tree.span(at)]),
            Self::Cell(cell) if is_number(cell) => Cow::Borrowed(cell),
            Self::Cell("true" | "false") | Self::Node { .. } | Self::Cell(_) => {
                let mut out = String::new();
                match *self {
                    Self::Cell(cell @ ("true" | "false")) => out.push_str(cell),
                    _ => self.write_key(&mut out),
                }
                Cow::Owned(out)
            }
        }
    }
}
