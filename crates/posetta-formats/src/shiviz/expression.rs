//! The expressions that cut a log, as ShiViz users write them.
//!
//! They are written for JavaScript with the flags `g` and `m`. [`translate`] rewrites what Rust's engine reads otherwise:
//! bare braces, `\d` and `\w` (ASCII only), `\/` and other escapes that stand for themselves, `[` inside a class. What no
//! engine of linear time has, look-around and backreferences, is an error with a caret. The translation remembers where
//! each piece came from, so that the engine's own complaints point into the user's text.

use regex::Regex;

use posetta_base::{Diagnostic, Kind, Place, Span};

/// The groups that a record must have.
const NEEDED: [&str; 3] = ["host", "clock", "event"];

/// An expression for the records of a log.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(super) regex: Regex,
    /// As the user wrote it.
    pub(super) source: String,
    /// The numbers of the groups `host`, `clock` and `event`.
    pub(super) needed: [usize; 3],
    /// The other named groups and their numbers, in order.
    pub(super) others: Vec<(String, usize)>,
}

impl Expression {
    /// Reads an expression with the groups `host`, `clock` and `event`.
    ///
    /// # Errors
    /// With the place in `source`.
    pub fn new(source: &str) -> Result<Self, Box<Diagnostic>> {
        let regex = compile(source)?;
        let group = |name: &str| regex.capture_names().position(|n| n == Some(name));
        let lacking: Vec<String> =
            NEEDED.iter().filter(|name| group(name).is_none()).map(|n| format!("`{n}`")).collect();
        if !lacking.is_empty() {
            let message = format!(
                "the expression has no group {}",
                lacking.join(if lacking.len() == 2 { " and no group " } else { ", " })
            );
            return Err(mistake(source, 0..source.len(), message)
                .label("expected the groups `host`, `clock` and `event`")
                .help("a group is written (?<host>…); for GoVector's logs: (?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)")
                .into());
        }
        if may_be_empty(source)? {
            return Err(mistake(source, 0..source.len(), "this expression also matches nothing at all")
                .label("expected an expression for a record, which is not empty")
                .into());
        }
        let needed = NEEDED.map(|name| group(name).unwrap_or_default());
        let others = regex.capture_names().enumerate();
        let others =
            others.filter_map(|(i, name)| name.filter(|n| !NEEDED.contains(n)).map(|n| (n.to_owned(), i))).collect();
        Ok(Self { regex, source: source.to_owned(), needed, others })
    }

    /// The expression as it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names of the groups beside `host`, `clock` and `event`.
    pub(crate) fn other_groups(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(|(name, _)| name.as_str())
    }
}

/// An expression for what stands between two runs of a log. Its group `trace`, if it has one, is the label of the run
/// that follows.
#[derive(Clone, Debug)]
pub struct Delimiter {
    pub(super) regex: Regex,
    pub(super) trace: Option<usize>,
}

impl Delimiter {
    /// Reads an expression.
    ///
    /// # Errors
    /// With the place in `source`.
    pub fn new(source: &str) -> Result<Self, Box<Diagnostic>> {
        let regex = compile(source)?;
        if may_be_empty(source)? {
            return Err(mistake(source, 0..source.len(), "this delimiter also matches nothing at all")
                .label("expected an expression for the text between two runs, such as `^=== (?<trace>.*) ===$`")
                .into());
        }
        let trace = regex.capture_names().position(|n| n == Some("trace"));
        Ok(Self { regex, trace })
    }
}

fn mistake(source: &str, span: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Kind::Syntax, message).at(Place::in_text(source, Span::new(span.start, span.end)))
}

fn unsupported(source: &str, span: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
    let mut mistake = mistake(source, span, message);
    mistake.kind = Kind::Unsupported;
    mistake
}

/// A regular expression as users write it.
pub(crate) fn compile(source: &str) -> Result<Regex, Box<Diagnostic>> {
    let translated = translate(source)?;
    let text = &translated.text;
    let wrong = |start: usize, end: usize, what: String| {
        let (start, end) = (translated.original(start), translated.original(end));
        mistake(source, start..end.max(start + 1).min(source.len()), format!("not a regular expression: {what}"))
    };
    if let Err(error) = regex_syntax::ParserBuilder::new().multi_line(true).build().parse(text) {
        let diagnostic = match &error {
            regex_syntax::Error::Parse(e) => wrong(e.span().start.offset, e.span().end.offset, e.kind().to_string()),
            regex_syntax::Error::Translate(e) => {
                wrong(e.span().start.offset, e.span().end.offset, e.kind().to_string())
            }
            other => wrong(0, text.len(), other.to_string()),
        };
        return Err(diagnostic.into());
    }
    regex::RegexBuilder::new(text).multi_line(true).build().map_err(|error| {
        let what = match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            other => other.to_string(),
        };
        wrong(0, text.len(), what).into()
    })
}

/// Whether an expression that compiles has empty matches somewhere, as `\b` has: what it cuts would never end.
fn may_be_empty(source: &str) -> Result<bool, Box<Diagnostic>> {
    let text = translate(source)?.text;
    let parsed = regex_syntax::ParserBuilder::new().multi_line(true).build().parse(&text);
    Ok(parsed.is_ok_and(|hir| hir.properties().minimum_len() == Some(0)))
}

/// An expression for Rust's engine.
struct Translated {
    text: String,
    /// Where pieces of `text` begin, and where in the source they came from; both rise.
    origins: Vec<(usize, usize)>,
}

impl Translated {
    /// The place in the source of a place in the translation.
    fn original(&self, at: usize) -> usize {
        let piece = self.origins.partition_point(|(text, _)| *text <= at);
        let Some(&(text, source)) = self.origins.get(piece.wrapping_sub(1)) else { return 0 };
        // Inside one piece only what was copied as it is goes on in step.
        let next = self.origins.get(piece).map_or(usize::MAX, |(_, source)| *source);
        (source + (at - text)).min(next)
    }
}

/// Rewrites an expression for JavaScript.
fn translate(source: &str) -> Result<Translated, Box<Diagnostic>> {
    let bytes = source.as_bytes();
    let mut out = Translated { text: String::with_capacity(source.len() + 8), origins: Vec::new() };
    let mut at = 0;
    let mut class = false;
    // Whether something stands before that `{2}` could repeat.
    let mut repeatable = false;
    while at < bytes.len() {
        out.origins.push((out.text.len(), at));
        let rest = &source[at..];
        let length = match bytes[at] {
            b'\\' => {
                let length = escape(source, at, class, &mut out.text)?;
                repeatable = true;
                length
            }
            b'[' if class => {
                out.text.push_str("\\[");
                1
            }
            b'[' if rest.starts_with("[^]") => {
                out.text.push_str("(?s:.)");
                repeatable = true;
                3
            }
            b'[' => {
                class = true;
                out.text.push('[');
                if rest[1..].starts_with('^') {
                    out.text.push('^');
                    2
                } else {
                    1
                }
            }
            b']' if class => {
                class = false;
                repeatable = true;
                out.text.push(']');
                1
            }
            // In a class two of these in a row are an operation on sets for Rust.
            c @ (b'&' | b'~') if class => {
                out.text.push('\\');
                out.text.push(char::from(c));
                1
            }
            b'-' if class && rest[1..].starts_with('-') => {
                out.text.push_str("\\-");
                1
            }
            _ if class => copy(rest, &mut out.text),
            b'(' => {
                repeatable = false;
                open_group(source, at, &mut out.text)?
            }
            b'{' => match quantifier(rest).filter(|_| repeatable) {
                Some(length) => {
                    out.text.push_str(&rest[..length]);
                    length
                }
                None => {
                    out.text.push_str("\\{");
                    repeatable = true;
                    1
                }
            },
            b'}' => {
                out.text.push_str("\\}");
                repeatable = true;
                1
            }
            c => {
                repeatable = !matches!(c, b'|' | b'^');
                copy(rest, &mut out.text)
            }
        };
        at += length;
    }
    out.origins.push((out.text.len(), source.len()));
    Ok(out)
}

fn copy(rest: &str, out: &mut String) -> usize {
    let c = rest.chars().next().unwrap_or_default();
    out.push(c);
    c.len_utf8()
}

/// The length of `{2}`, `{2,}` or `{2,3}` at the beginning.
fn quantifier(rest: &str) -> Option<usize> {
    let end = rest.find('}')?;
    let inside = &rest[1..end];
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let (low, high) = inside.split_once(',').unwrap_or((inside, ""));
    (!low.is_empty() && digits(low) && digits(high)).then_some(end + 1)
}

fn open_group(source: &str, at: usize, out: &mut String) -> Result<usize, Box<Diagnostic>> {
    let rest = &source[at..];
    for (open, what) in [("(?=", "ahead"), ("(?!", "ahead"), ("(?<=", "behind"), ("(?<!", "behind")] {
        if rest.starts_with(open) {
            let message = format!("the expression looks {what}: `{open}…)`");
            return Err(unsupported(source, at..at + open.len(), message)
                .label("look-around is not supported: logs are matched in linear time")
                .help("say with groups what stands before and after, such as `(?<host>\\S+) (?<clock>{.*})`")
                .into());
        }
    }
    let length = if rest.starts_with("(?<") || rest.starts_with("(?P<") {
        rest.find('>').map_or(rest.len(), |end| end + 1)
    } else if rest.starts_with("(?:") {
        3
    } else {
        1
    };
    out.push_str(&rest[..length]);
    Ok(length)
}

/// Translates the escape at `at` and answers its length.
fn escape(source: &str, at: usize, class: bool, out: &mut String) -> Result<usize, Box<Diagnostic>> {
    let rest = &source[at + 1..];
    let Some(c) = rest.chars().next() else {
        return Err(mistake(source, at..at + 1, "the expression ends with a backslash")
            .label("expected what it escapes")
            .into());
    };
    let back = |length: usize| {
        unsupported(source, at..at + length, "the expression refers back to a group")
            .label("backreferences are not supported: logs are matched in linear time")
    };
    let set = |inside: &str, outside: &str| if class { inside.to_owned() } else { outside.to_owned() };
    let text = match c {
        'd' => set("0-9", "[0-9]"),
        'D' => "[^0-9]".to_owned(),
        'w' => set("0-9A-Za-z_", "[0-9A-Za-z_]"),
        'W' => "[^0-9A-Za-z_]".to_owned(),
        'b' => set("\\x08", "(?-u:\\b)"),
        's' | 'S' | 'B' | 'n' | 'r' | 't' | 'f' | 'v' | 'p' | 'P' => format!("\\{c}"),
        'k' if rest[1..].starts_with('<') && !class => {
            return Err(back(2 + rest.find('>').unwrap_or(1)).into());
        }
        '1'..='9' if !class => return Err(back(2).into()),
        '0' => "\\x00".to_owned(),
        'x' if hex(rest, 2).is_some() => {
            out.push_str(&source[at..at + 4]);
            return Ok(4);
        }
        'u' => {
            let (digits, length) = match (hex(rest, 4), rest.find('}')) {
                (Some(digits), _) => (digits, 6),
                (None, Some(end)) if rest[1..].starts_with('{') => (&rest[2..end], end + 2),
                _ => ("75", 2),
            };
            out.push_str(&format!("\\x{{{digits}}}"));
            return Ok(length);
        }
        // Every other escape stands for the character itself.
        c => regex_syntax::escape(c.encode_utf8(&mut [0; 4])),
    };
    out.push_str(&text);
    Ok(1 + c.len_utf8())
}

/// So many hexadecimal digits after the first character.
fn hex(rest: &str, count: usize) -> Option<&str> {
    rest.get(1..1 + count).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_for_javascript_mean_the_same() {
        for (source, yes, no) in [
            ("{.*}", &["{}", "{\"a\":1}"][..], &["a"][..]),
            ("^a{2}$", &["aa"], &["a{2}", "a"]),
            ("(?<x>{2})", &["{2}"], &["2"]),
            ("a|{2}", &["a", "{2}"], &["2"]),
            ("^\\d+\\/\\w$", &["12/a"], &["١/a", "1/é"]),
            ("^[\\w-]+$", &["a-b"], &["é"]),
            ("^[[a]+$", &["[a["], &["]"]),
            ("^[a&&b]+$", &["&ab"], &["c"]),
            ("^[^]$", &["\n", "x"], &[""]),
            ("\\bis\\b", &["it is so"], &["this"]),
            ("^\\u00e9\\x41$", &["éA"], &["eA"]),
            ("^\\u{1F600}$", &["😀"], &["u"]),
            ("^\\\"\\'\\:\\=\\@\\<\\ \\-$", &["\"':=@< -"], &["a"]),
            ("^\\a\\z$", &["az"], &["a"]),
            ("x{,2}", &["x{,2}"], &["xx"]),
            ("^b$", &["a\nb\nc"], &["ab"]),
        ] {
            let regex = compile(source).unwrap_or_else(|e| panic!("{source}: {e}"));
            for text in yes {
                assert!(regex.is_match(text), "{source} should match {text:?}");
            }
            for text in no {
                assert!(!regex.is_match(text), "{source} should not match {text:?}");
            }
        }
    }

    #[test]
    fn mistakes_have_their_place() {
        for (source, column, message) in [
            ("(?<host>a", 1, "not a regular expression: unclosed group"),
            ("{a}\\d(", 6, "not a regular expression: unclosed group"),
            ("{}{}[z-a]", 6, "not a regular expression: invalid character class range, the start must be <= the end"),
            ("a(?=b)", 2, "the expression looks ahead: `(?=…)`"),
            ("(?<!b)", 1, "the expression looks behind: `(?<!…)`"),
            ("(a)\\1", 4, "the expression refers back to a group"),
            ("(?<a>b)\\k<a>", 8, "the expression refers back to a group"),
            ("a\\", 2, "the expression ends with a backslash"),
            ("(?<event>.*)", 1, "the expression has no group `host` and no group `clock`"),
            ("a", 1, "the expression has no group `host`, `clock`, `event`"),
        ] {
            let error = Expression::new(source).unwrap_err();
            assert_eq!((error.place.unwrap().column, error.message.as_str()), (column, message), "{source}");
        }
        assert!(Delimiter::new("x*").is_err());
        assert!(Delimiter::new("^=== (?<trace>.*) ===$").unwrap().trace.is_some());
    }

    proptest::proptest! {
        #[test]
        fn no_expression_panics(source in "[a-d(){}\\[\\]<>?*+|^$\\\\,0-9=!kuxw&~é-]{0,16}") {
            let _ = Expression::new(&source);
            let _ = Delimiter::new(&source);
        }
    }
}
