//! What looks like something else than it is read as: records without a process that are no states, and attributes of events that may
//! be clocks or causes of another tool.

use super::{Bare, Field, KnownField, Records};
use crate::json::{self, ValueKind};
use crate::jsonl::sink::Sink;
use crate::lines::{Line, Mistake};
use crate::quote::Quoted;
use crate::suspects::{self, Ends, Held, Suspect};
use posetta_base::{Diagnostic, Kind, Place, VarId};

/// So many attributes that look like something else are warned of.
const DOUBTS_SHOWN: usize = 8;

/// So many names of attributes are remembered: names may be made up by the input without end.
const HARMLESS: usize = 1000;

impl<S: Sink> Records<S> {
    /// Looks at a variable of a state that is new, or whose name leaves it to the value what it is. Answers whether it may be one.
    #[cold]
    pub(super) fn vet(&mut self, sink: &S, var: VarId, name: &str, value: &json::Value, line: &Line<'_>) -> bool {
        self.any_variable = true;
        if self.vetted.len() <= var.index() {
            self.vetted.resize(var.index() + 1, false);
        }
        let understood = self.only_states || sink.is_key(name);
        if !understood && suspect(name, value, line).is_some() {
            return false;
        }
        let wary = || {
            let clock = suspects::sounds_like_a_clock(name);
            clock || Ends::is_end(name) || suspects::by_name(name, Held::Other).is_some()
        };
        self.vetted[var.index()] = understood || !wary();
        true
    }

    /// An attribute may be something of another tool that orders events, and that order is then lost.
    #[inline]
    pub(super) fn look_at(&mut self, key: Quoted, value: &json::Value, top: bool, line: &Line<'_>) {
        if self.doubts.len() < DOUBTS_SHOWN && !self.harmless.contains(&*key.text(line.text)) {
            self.doubt(key, value, top, line);
        }
    }

    #[cold]
    fn doubt(&mut self, key: Quoted, value: &json::Value, top: bool, line: &Line<'_>) {
        let name = key.text(line.text);
        let small = name.to_lowercase();
        let variant = KnownField::from_key(&small).is_some() && *name != small;
        let is_clock = suspects::sounds_like_a_clock(&name);
        let is_causes = suspects::sounds_like_causes(&name);
        let slip = slip(&small);
        if !variant && !is_clock && !is_causes && slip.is_none() {
            if self.harmless.len() < HARMLESS {
                self.harmless.insert(name.into_owned());
            }
            return;
        }
        let raw = &line.text[value.span.clone()];
        let (looks, help) = if is_clock && suspects::is_named_clock(raw) {
            let help = match value.kind {
                ValueKind::Object => "call it `clock` to order events by it",
                _ => "write it as `clock`, an object of processes and counts, to order events by it",
            };
            ("a vector clock".to_owned(), help.to_owned())
        } else if is_causes && suspects::is_ids(raw) {
            ("causes".to_owned(), "call it `after` to order events by it".to_owned())
        } else if variant && top && value.kind != ValueKind::Null {
            (format!("`{small}`"), format!("call it `{small}` if it is meant so: the case of letters matters"))
        } else if let Some((meant, fits)) = slip
            && top
            && fits(value.kind, raw)
        {
            (format!("`{meant}`"), format!("did you mean `{meant}`?"))
        } else {
            return;
        };
        let label = match (slip, &*small) {
            (Some(("set", _)), _) | (None, "set") => "no variable is assigned by it",
            _ => "no order of events is made of it",
        };
        if !self.doubted.insert(name.clone().into_owned()) {
            return;
        }
        let message = format!("`{name}` looks like {looks}, and is kept as an attribute only");
        let mistake = Mistake::new(Kind::Ignored, key.quoted_span(), message);
        self.doubts.push(line.diagnose(*mistake.label(label).help(help)));
    }

    /// What was read with a definite meaning, but should be known.
    pub(in crate::jsonl) fn warnings(&mut self) -> Vec<Diagnostic> {
        self.doubts.drain(..).chain(self.ignored.warning()).collect()
    }

    /// Whether records that are taken for states say anything as such. A run of states without variables is written as a header and
    /// empty records, and that is read.
    pub(in crate::jsonl) fn are_states(&self) -> Result<(), Diagnostic> {
        match (self.mode, self.bare()) {
            (Some((_, line)), Some(bare)) if !self.any_header || bare == Bare::Ignored => {
                let message = "no record has a number, a string or a boolean, so there is nothing to check";
                Err(Diagnostic::new(Kind::Format, message).at(Place::line_only(line)))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a value is one that a field has.
type Fits = fn(ValueKind, &str) -> bool;

/// The field that a name is a slip of, and what that holds: a letter behind the first is left out, doubled, or changes places with the
/// next, or there is an `s` at the end. Other names of one more or another letter are words of their own: `sent`, `lock`.
fn slip(name: &str) -> Option<(&'static str, Fits)> {
    let fields: [(&str, Fits); 3] = [
        ("set", |sort, _| sort == ValueKind::Object),
        ("after", |_, raw| suspects::is_ids(raw)),
        ("clock", |sort, raw| sort == ValueKind::Object && suspects::is_named_clock(raw)),
    ];
    let is_slip = |known: &str| {
        let at = |i: usize| {
            let (before, letter, behind) = (&known[..i], &known[i..=i], &known[i + 1..]);
            let swapped = behind.get(..1).map(|next| format!("{before}{next}{letter}{}", &behind[1..]));
            name == format!("{before}{behind}")
                || name == format!("{before}{letter}{letter}{behind}")
                || swapped.is_some_and(|swapped| name == swapped)
        };
        (1..known.len()).any(at) || name.strip_suffix('s') == Some(known)
    };
    fields.into_iter().find(|(known, _)| is_slip(known))
}

/// What a field of a line without `process` looks like, if not like a variable.
fn suspect(name: &str, value: &json::Value, line: &Line<'_>) -> Option<Suspect> {
    let raw = &line.text[value.span.clone()];
    let is_clock = || suspects::is_clock(raw) || (suspects::sounds_like_a_clock(name) && suspects::is_named_clock(raw));
    suspects::by_name(name, Held::json(value.kind, raw)).or_else(|| is_clock().then_some(Suspect::Clock))
}

/// The second of two fields that say where a message comes from and goes to.
#[cold]
pub(super) fn ends_of_a_message<'a>(sink: &impl Sink, fields: &'a [Field], line: &Line<'_>) -> Option<&'a Field> {
    let mut ends = Ends::default();
    fields.iter().find(|field| {
        let name = field.key.text(line.text);
        !sink.is_key(&name) && Ends::is_end(&name) && ends.completes(&name)
    })
}

/// A line without `process` that is not a state either. Of its fields the one is shown that tells most: a process, an id, a clock, and
/// else whatever is nested.
#[cold]
pub(super) fn not_a_state(sink: &impl Sink, fields: &[Field], line: &Line<'_>) -> Box<Mistake> {
    const OR_STATES: &str = "if each line is a state of one sequence, say --from states";
    let text = |field: &Field| field.key.text(line.text).into_owned();
    let raw = |field: &Field| &line.text[field.value.span.clone()];
    let others = || fields.iter().filter(|field| !sink.is_key(&field.key.text(line.text)));
    let is_nested = |field: &&Field| matches!(field.value.kind, ValueKind::Object | ValueKind::Array);
    let named = others().find_map(|field| Some((field, text(field), suspect(&text(field), &field.value, line)?)));
    let end = || ends_of_a_message(sink, fields, line).map(|field| (field, text(field), Suspect::End));
    let hidden = || {
        let inside = |field| suspects::inside(raw(field), &text(field)).map(|(path, suspect)| (field, path, suspect));
        others().find_map(inside)
    };
    if let Some((field, path, suspect)) = named.or_else(end).or_else(hidden) {
        let event = match suspect {
            Suspect::Process => format!("if each line is an event, say --map process={path}"),
            Suspect::Clock => format!("if each line is an event, say --map process=FIELD --map clock={path}"),
            Suspect::Span | Suspect::Message | Suspect::End => {
                "if each line is an event, say what its fields mean with --map process=FIELD".into()
            }
        };
        let message = format!("a record without `process`, but `{path}` looks like {}", suspect.noun());
        return Mistake::new(Kind::Format, field.key.quoted_span(), message)
            .label("expected a state: values of variables, and nothing of who did it")
            .help(format!("{event}; {OR_STATES}"));
    }
    let field = others().find(is_nested).or(fields.first());
    let (span, noun) = field.map_or((0..1, "object"), |f| (f.key.quoted_span(), f.value.kind.noun()));
    let name = field.map(text).unwrap_or_default();
    Mistake::new(Kind::Format, span, format!("a record without `process`, whose field `{name}` is an {noun}"))
        .label("expected a state: numbers, strings and booleans")
        .help(format!("if each line is an event, say --map process=FIELD; {OR_STATES}: nested fields are ignored then"))
}
