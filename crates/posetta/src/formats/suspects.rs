//! Fields that do not belong into a state.
//!
//! A record without a process is a state of the whole system: one sequence, with one order. A log of several processes that is read so
//! loses its order and its messages without a word, so a field that looks like a process, a span, a message or a vector clock is
//! asked about. Names are compared without case and without `_`, `-`, `.`, ` ` and `@`.

use super::json::{Cursor, Sort};
use super::quote::Quoted;

/// What a field looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspect {
    /// A process, node, host or thread.
    Process,
    /// A span, or a trace of them.
    Span,
    /// A message.
    Message,
    /// A vector clock.
    Clock,
}

impl Suspect {
    /// As "this looks like …" goes on.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Process => "the process of an event",
            Self::Span => "the id of a span",
            Self::Message => "the id of a message",
            Self::Clock => "a vector clock",
        }
    }
}

/// These are somebody who does something, whatever their value is.
const PROCESSES: [&str; 17] = [
    "process",
    "proc",
    "pid",
    "host",
    "node",
    "nid",
    "thread",
    "tid",
    "replica",
    "goroutine",
    "pod",
    "container",
    "instance",
    "tracer",
    "hostname",
    "nodename",
    "threadname",
];

/// These are somebody only together with `id`, `name` or `identity`: alone they may as well be a state (`server: "up"`).
const ROLES: [&str; 18] = [
    "process",
    "proc",
    "host",
    "node",
    "thread",
    "replica",
    "pod",
    "container",
    "instance",
    "tracer",
    "server",
    "client",
    "worker",
    "peer",
    "actor",
    "service",
    "broker",
    "machine",
];

const SPANS: [&str; 7] = ["span", "spanid", "traceid", "parentid", "parentspanid", "parentspan", "traceparent"];
const MESSAGES: [&str; 6] = ["messageid", "msgid", "correlationid", "packetid", "pktid", "mid"];
const CLOCKS: [&str; 6] = ["vc", "vclock", "vectorclock", "vectortime", "vectortimestamp", "versionvector"];

/// What a field of this name looks like.
pub(super) fn by_name(name: &str) -> Option<Suspect> {
    let plain: String = name
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' ' | '@'))
        .flat_map(char::to_lowercase)
        .take(LONGEST)
        .collect();
    let plain = plain.as_str();
    let with_suffix = |suffix: &str| plain.strip_suffix(suffix).is_some_and(|role| ROLES.contains(&role));
    if PROCESSES.contains(&plain) || ["id", "name", "identity"].into_iter().any(with_suffix) {
        Some(Suspect::Process)
    } else if SPANS.contains(&plain) {
        Some(Suspect::Span)
    } else if MESSAGES.contains(&plain) {
        Some(Suspect::Message)
    } else if CLOCKS.contains(&plain) {
        Some(Suspect::Clock)
    } else {
        None
    }
}

/// No name of the lists is longer.
const LONGEST: usize = 24;

/// Whether a JSON value is a clock: an object of names and counts, or a string with one in it.
pub(super) fn is_clock(value: &str) -> bool {
    if let Some(counts) = members(value) {
        let is_count = |(_, count): &(Quoted, &str)| count.bytes().all(|b| b.is_ascii_digit());
        return !counts.is_empty() && counts.iter().all(is_count);
    }
    let mut cursor = Cursor::new(value);
    match cursor.value("an object", "a value") {
        Ok(json) => match json.sort {
            Sort::Text(text) => {
                let text = text.text(value);
                text.trim_start().starts_with('{') && is_clock(&text)
            }
            _ => false,
        },
        Err(_) => false,
    }
}

/// A field below an object that looks like something that a state has not: its path, and what it looks like.
pub(super) fn inside(value: &str, path: &str) -> Option<(String, Suspect)> {
    fn search(value: &str, path: &str, levels: usize) -> Option<(String, Suspect)> {
        let members = members(value)?;
        for (key, _) in &members {
            if let Some(suspect) = by_name(&key.text(value)) {
                return Some((format!("{path}.{}", key.text(value)), suspect));
            }
        }
        let levels = levels.checked_sub(1)?;
        members.iter().find_map(|(key, member)| search(member, &format!("{path}.{}", key.text(value)), levels))
    }
    search(value, path, 2)
}

/// The members of an object, if the text is one.
fn members(value: &str) -> Option<Vec<(Quoted, &str)>> {
    let mut cursor = Cursor::new(value);
    if cursor.peek() != Some(b'{') {
        return None;
    }
    cursor.at += 1;
    let mut members = Vec::new();
    if cursor.take(b'}') {
        return Some(members);
    }
    loop {
        let key = cursor.key().ok()?;
        let member = cursor.value("an object", "a value").ok()?;
        members.push((key, &value[member.span]));
        if !cursor.more(b'}').ok()? {
            return Some(members);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, suspect) in [
            ("node", Some(Suspect::Process)),
            ("Node_ID", Some(Suspect::Process)),
            ("TracerIdentity", Some(Suspect::Process)),
            ("host.name", Some(Suspect::Process)),
            ("@thread-name", Some(Suspect::Process)),
            ("server_id", Some(Suspect::Process)),
            ("service.name", Some(Suspect::Process)),
            ("pid", Some(Suspect::Process)),
            ("trace_id", Some(Suspect::Span)),
            ("msg-id", Some(Suspect::Message)),
            ("VectorClock", Some(Suspect::Clock)),
            // What a state may have.
            ("server", None),
            ("client", None),
            ("id", None),
            ("name", None),
            ("time", None),
            ("nodes", None),
            ("hosted", None),
            ("temperature", None),
            ("clock", None),
            ("", None),
        ] {
            assert_eq!(by_name(name), suspect, "{name}");
        }
        assert_eq!(by_name(&"node".repeat(1000)), None);
    }

    #[test]
    fn clocks() {
        for clock in ["{\"a\":1}", "{ \"a\" : 3, \"b\":0}", "\"{\\\"a\\\":1}\""] {
            assert!(is_clock(clock), "{clock}");
        }
        for other in ["{}", "{\"a\":1.5}", "{\"a\":-1}", "{\"a\":\"1\"}", "1", "\"a\"", "[1]", "{\"a\":{}}", "\"{}\""] {
            assert!(!is_clock(other), "{other}");
        }
    }

    #[test]
    fn suspects_hide_inside() {
        let found = |value: &str| inside(value, "event").map(|(path, _)| path);
        assert_eq!(found("{\"name\":\"x\",\"nid\":1}").as_deref(), Some("event.nid"));
        assert_eq!(found("{\"a\":{\"b\":{\"vc\":{}}}}").as_deref(), Some("event.a.b.vc"));
        assert_eq!(found("{\"a\":{\"b\":{\"c\":{\"vc\":1}}}}"), None);
        assert_eq!(found("[1]"), None);
    }
}
