//! A vector clock as it is written: a JSON object of hosts and counts, perhaps with its quotes escaped.

use std::borrow::Cow;

use crate::json::{Cursor, ValueKind};
use crate::lines::{Mistake, Parsed};

const COUNT: &str = "how many events of the host: 0, 1, 2 …";

/// Calls `each` with every host and count of a clock. Spans of mistakes are bytes of `clock`.
pub(crate) fn parse(clock: &str, mut each: impl FnMut(&str, u32) -> Parsed<()>) -> Parsed<()> {
    let text = unescaped(clock);
    let escaped = matches!(text, Cow::Owned(_));
    entries(&text, &mut each).map_err(|mut mistake| {
        if escaped {
            mistake.span = 0..clock.len();
        }
        mistake
    })
}

/// Some programs write the clock as a string of JSON, with `\"` for each quote.
fn unescaped(clock: &str) -> Cow<'_, str> {
    if !clock.trim_start_matches(['{', ' ']).starts_with("\\\"") {
        return Cow::Borrowed(clock);
    }
    let mut text = String::with_capacity(clock.len());
    let mut chars = clock.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('"' | '\\')) => text.extend(chars.next()),
            _ => text.push(c),
        }
    }
    Cow::Owned(text)
}

fn entries(text: &str, each: &mut impl FnMut(&str, u32) -> Parsed<()>) -> Parsed<()> {
    let mut cursor = Cursor::new(text);
    if !cursor.take(b'{') {
        return Err(cursor.unexpected("a log", "a clock such as `{\"host\": 1}`"));
    }
    if !cursor.take(b'}') {
        loop {
            let host = cursor.key()?;
            entry(text, &mut cursor, &host.text(text), each)?;
            if !cursor.more(b'}')? {
                break;
            }
        }
    }
    match cursor.peek() {
        None => Ok(()),
        Some(_) => {
            let rest = &text[cursor.at..];
            let glued = rest.contains('{');
            let message = if glued { "two records are glued together" } else { "text after the clock" };
            let help = if glued {
                "each record has its own lines: put the line break back, or cut the log with another --regex"
            } else {
                "the group `clock` should end with its `}`"
            };
            Err(Mistake::syntax(cursor.at..text.len(), message)
                .label("expected the clock to end before this")
                .help(help))
        }
    }
}

#[inline]
fn entry(
    text: &str,
    cursor: &mut Cursor<'_>,
    host: &str,
    each: &mut impl FnMut(&str, u32) -> Parsed<()>,
) -> Parsed<()> {
    let value = cursor.value("a clock", COUNT)?;
    let wrong = |message: String| Mistake::syntax(value.span.clone(), message).label(format!("expected {COUNT}"));
    if value.kind != ValueKind::Number {
        return Err(wrong(format!("unexpected {} in a clock", value.kind.noun())));
    }
    let digits = &text[value.span.clone()];
    match digits.parse::<u32>().ok().filter(|&n| n < u32::MAX) {
        Some(count) => each(host, count).map_err(|mut mistake| {
            mistake.span = value.span.clone();
            mistake
        }),
        None => Err(wrong(format!("`{digits}` is not a number of events"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(clock: &str) -> Result<Vec<(String, u32)>, String> {
        let mut found = Vec::new();
        parse(clock, |host, count| {
            found.push((host.to_owned(), count));
            Ok(())
        })
        .map_err(|m| m.inside.map_or(m.message, |inside| format!("ends inside {inside}")))?;
        Ok(found)
    }

    #[test]
    fn clocks_as_programs_write_them() {
        let two = Ok(vec![("a".to_owned(), 1), ("b c".to_owned(), 20)]);
        for clock in [
            r#"{"a":1,"b c":20}"#,
            r#"{ "a" : 1, "b c" : 20 }"#,
            r#"{\"a\":1, \"b c\":20}"#,
            "{\"a\":\t1,\"b\\u0020c\":20}  ",
        ] {
            assert_eq!(read(clock), two, "{clock}");
        }
        assert_eq!(read("{}"), Ok(vec![]));
    }

    #[test]
    fn mistakes_in_clocks() {
        for (clock, message) in [
            (r#"{"a":1} b {"b":1}"#, "two records are glued together"),
            (r#"{"a":1} done}"#, "text after the clock"),
            (r#"{"a":1.5}"#, "`1.5` is not a number of events"),
            (r#"{"a":-1}"#, "`-1` is not a number of events"),
            (r#"{"a":4294967295}"#, "`4294967295` is not a number of events"),
            (r#"{"a":"1"}"#, "unexpected string in a clock"),
            (r#"{"a":1,}"#, "unexpected `}` in an object"),
            (r#"{a:1}"#, "unexpected `a` in an object"),
            (r#"{"a":1"#, "ends inside an object"),
            (r#"[1]"#, "unexpected `[` in a log"),
        ] {
            assert_eq!(read(clock), Err(message.to_owned()), "{clock}");
        }
    }
}
