//! Fields that do not belong into a state.
//!
//! A record without a process is a state of the whole system: one sequence, with one order. A log of several processes that is read so
//! loses its order and its messages without a word, so a field that looks like a process, a span, a message or a vector clock is
//! asked about. Names are cut into words, whatever their case and however they are joined, and the last words decide.

use rustc_hash::FxHashSet;

use super::json::{Cursor, ValueKind};
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
    /// Where a message comes from or goes to.
    End,
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
            Self::End => "one end of a message",
            Self::Clock => "a vector clock",
        }
    }
}

/// What a field holds, as far as it tells whether its name is meant so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// A number without a fraction.
    Whole,
    /// A number with one, or a boolean: nobody is called so.
    Fraction,
    /// A string, or something nested.
    Other,
}

impl Held {
    /// What the text of a number holds.
    pub(super) fn number(text: &str) -> Self {
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
        let fraction = digits.split_once('.').map_or("", |(_, fraction)| fraction);
        // Some programs write every number with a dot.
        let is_whole = fraction.bytes().all(|b| b == b'0') && !exponent.starts_with('-');
        if is_whole { Self::Whole } else { Self::Fraction }
    }

    /// What a JSON value holds; `raw` is its text.
    pub(super) fn json(kind: ValueKind, raw: &str) -> Self {
        match kind {
            ValueKind::Number => Self::number(raw),
            ValueKind::Bool(_) => Self::Fraction,
            ValueKind::Text(_) | ValueKind::Null | ValueKind::Array | ValueKind::Object => Self::Other,
        }
    }
}

/// These are somebody who does something.
const PROCESSES: [&str; 20] = [
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
    "goid",
    "fiber",
    "pod",
    "container",
    "instance",
    "tracer",
    "hostname",
    "nodename",
    "threadname",
    "mpirank",
];

/// These are somebody only together with `id`, `name` or `identity`: alone they may as well be a state (`server: "up"`).
const ROLES: [&str; 21] = [
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
    "member",
    "goroutine",
    "fiber",
];

const SPANS: [&str; 9] = [
    "span",
    "spanid",
    "traceid",
    "parentid",
    "parentspanid",
    "parentspan",
    "traceparent",
    "segmentid",
    "transactionid",
];
const MESSAGES: [&str; 6] = ["messageid", "msgid", "correlationid", "packetid", "pktid", "mid"];
const CLOCKS: [&str; 6] = ["vc", "vclock", "vectorclock", "vectortime", "vectortimestamp", "versionvector"];

/// These are quantities if they are numbers.
const NEVER_NUMBERS: [&str; 3] = ["vc", "mid", "span"];
/// These are quantities if they are fractions: `pid: 0.5` is of a controller.
const NEVER_FRACTIONS: [&str; 8] = ["pod", "container", "instance", "thread", "tracer", "pid", "tid", "nid"];

/// The words of a name, in small letters: cut at `. _ - @` and blanks, and where a capital begins a word.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut chars = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(c) = chars.next() {
        let is_border = matches!(c, '.' | '_' | '-' | '@' | ' ');
        let begins = c.is_uppercase()
            && before.is_some_and(|b| {
                !b.is_uppercase() || chars.peek().is_some_and(|next| next.is_lowercase() && *next != 's')
            });
        if (is_border || begins) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| !is_border) {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a field of this name that holds such a value looks like. The last words of a name say what it is: `src_node` is a node.
pub(super) fn by_name(name: &str, held: Held) -> Option<Suspect> {
    // Serilog's names.
    match name {
        "@tr" | "@sp" => return Some(Suspect::Span),
        _ => {}
    }
    let words = words(name);
    if words.last().is_some_and(|last| last == "rank") && words.iter().any(|word| word == "mpi") {
        return Some(Suspect::Process);
    }
    (1..=words.len().min(3)).rev().find_map(|count| by_words(&words[words.len() - count..].concat(), held))
}

fn by_words(plain: &str, held: Held) -> Option<Suspect> {
    let is_quantity = match held {
        Held::Other => false,
        Held::Whole => NEVER_NUMBERS.contains(&plain),
        Held::Fraction => NEVER_NUMBERS.contains(&plain) || NEVER_FRACTIONS.contains(&plain),
    };
    if is_quantity {
        return None;
    }
    let with_suffix = |suffix: &str| plain.strip_suffix(suffix).is_some_and(|role| ROLES.contains(&role));
    if PROCESSES.contains(&plain) || ["id", "name", "identity", "identifier"].into_iter().any(with_suffix) {
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

/// Whether a name is that of a clock, if its value is one.
pub(super) fn sounds_like_a_clock(name: &str) -> bool {
    name.to_lowercase().contains("clock")
        || by_name(name, Held::Other) == Some(Suspect::Clock)
        || words(name).last().is_some_and(|last| last == "vector")
}

/// Whether a name is that of the causes of an event, if its value is ids.
pub(super) fn sounds_like_causes(name: &str) -> bool {
    const CAUSES: [&str; 14] = [
        "after",
        "parent",
        "parents",
        "parentid",
        "parentids",
        "cause",
        "causes",
        "causedby",
        "deps",
        "dependson",
        "dependencies",
        "happensafter",
        "predecessor",
        "predecessors",
    ];
    CAUSES.contains(&words(name).concat().as_str())
}

/// Whether a JSON value is a string or an array of strings, and not empty.
pub(super) fn is_ids(value: &str) -> bool {
    let mut cursor = Cursor::new(value);
    let is_id = |cursor: &mut Cursor<'_>| cursor.string("an array", "an id").is_ok_and(|id| !id.is_empty());
    if !cursor.take(b'[') {
        return is_id(&mut cursor);
    }
    loop {
        if !is_id(&mut cursor) {
            return false;
        }
        match cursor.more(b']') {
            Ok(true) => {}
            Ok(false) => return true,
            Err(_) => return false,
        }
    }
}

/// Fields of one record that say where a message comes from and goes to. Each alone may be a state.
#[derive(Debug, Default)]
pub(super) struct Ends {
    seen: FxHashSet<(usize, bool, String)>,
}

impl Ends {
    const PAIRS: [[&str; 2]; 5] =
        [["src", "dst"], ["src", "dest"], ["source", "destination"], ["sender", "receiver"], ["from", "to"]];

    /// Whether the name is that of an end.
    pub(super) fn is_end(name: &str) -> bool {
        words(name).iter().any(|word| Self::PAIRS.as_flattened().contains(&word.as_str()))
    }

    /// Whether the other end was seen before.
    pub(super) fn completes(&mut self, name: &str) -> bool {
        let words = words(name);
        let mut completes = false;
        for (pair, ends) in Self::PAIRS.iter().enumerate() {
            // These two words are too usual to be looked for inside a name: a lift goes `from_floor`.
            if ends[0] == "from" && words.len() > 1 {
                continue;
            }
            let Some(at) = words.iter().position(|word| ends.contains(&word.as_str())) else { continue };
            let is_first = words[at] == ends[0];
            let rest = [&words[..at], &words[at + 1..]].concat().join(" ");
            completes |= self.seen.contains(&(pair, !is_first, rest.clone()));
            self.seen.insert((pair, is_first, rest));
        }
        completes
    }
}

/// Whether a JSON value is a clock, for a field whose name [sounds like](sounds_like_a_clock) one: also an array of counts, and the ways in
/// which programs print them.
pub(super) fn is_named_clock(value: &str) -> bool {
    if is_clock(value) || is_counts(value) {
        return true;
    }
    match Cursor::new(value).value("an object", "a value").map(|json| json.kind) {
        Ok(ValueKind::Text(text)) => is_printed_clock(&text.text(value)),
        _ => false,
    }
}

/// `[1,0,2]`.
fn is_counts(text: &str) -> bool {
    let inside = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| inside.split(',').map(str::trim).all(is_count))
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `[1,0,2]`, `n1:1,n2:3`, `P1:1;P2:0`, `map[n1:1 n2:3]`, `{n1=1, n2=3}`. A time of day is none.
pub(super) fn is_printed_clock(text: &str) -> bool {
    let text = text.trim();
    if is_counts(text) {
        return true;
    }
    let around = [("map[", "]"), ("{", "}"), ("[", "]"), ("<", ">"), ("(", ")")];
    let inside = around.iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close)).unwrap_or(text);
    let mut entries = inside.split([',', ';', ' ']).filter(|entry| !entry.is_empty()).peekable();
    let is_entry = |entry: &str| {
        let entry = entry.rsplit_once([':', '=']);
        entry.is_some_and(|(process, count)| {
            process.trim_matches(['"', '\'']).starts_with(char::is_alphabetic) && is_count(count)
        })
    };
    entries.peek().is_some() && entries.all(is_entry)
}

/// Whether a JSON value is a clock: an object of names and counts, or a string with one in it.
pub(super) fn is_clock(value: &str) -> bool {
    if let Some(counts) = members(value) {
        let is_count = |(_, count): &(Quoted, &str)| count.bytes().all(|b| b.is_ascii_digit());
        return !counts.is_empty() && counts.iter().all(is_count);
    }
    let mut cursor = Cursor::new(value);
    match cursor.value("an object", "a value") {
        Ok(json) => match json.kind {
            ValueKind::Text(text) => {
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
        for (key, member) in &members {
            let Ok(json) = Cursor::new(member).value("an object", "a value") else { continue };
            if let Some(suspect) = by_name(&key.text(value), Held::json(json.kind, member)) {
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
            ("process.thread.name", Some(Suspect::Process)),
            ("service.node.name", Some(Suspect::Process)),
            ("src_node", Some(Suspect::Process)),
            ("local-member-id", Some(Suspect::Process)),
            ("memberId", Some(Suspect::Process)),
            ("hostIdentifier", Some(Suspect::Process)),
            ("Process ID", Some(Suspect::Process)),
            ("PROCESS_ID", Some(Suspect::Process)),
            ("HTTPServerName", Some(Suspect::Process)),
            ("goid", Some(Suspect::Process)),
            ("goroutine id", Some(Suspect::Process)),
            ("fiber", Some(Suspect::Process)),
            ("mpi_rank", Some(Suspect::Process)),
            ("mpi.world.rank", Some(Suspect::Process)),
            ("trace_id", Some(Suspect::Span)),
            ("trace.trace_id", Some(Suspect::Span)),
            ("trace.span_id", Some(Suspect::Span)),
            ("segmentId", Some(Suspect::Span)),
            ("transaction.id", Some(Suspect::Span)),
            ("@tr", Some(Suspect::Span)),
            ("@sp", Some(Suspect::Span)),
            ("msg-id", Some(Suspect::Message)),
            ("VectorClock", Some(Suspect::Clock)),
            ("VClock", Some(Suspect::Clock)),
            ("vclock", Some(Suspect::Clock)),
            // What a state may have.
            ("server", None),
            ("client", None),
            ("id", None),
            ("name", None),
            ("time", None),
            ("nodes", None),
            ("node_count", None),
            ("nodeIDs", None),
            ("hosted", None),
            ("temperature", None),
            ("clock", None),
            ("rank", None),
            ("", None),
            ("._-@", None),
        ] {
            assert_eq!(by_name(name, Held::Other), suspect, "{name}");
        }
        assert_eq!(by_name(&"node".repeat(1000), Held::Other), None);
    }

    #[test]
    fn quantities_are_nobody() {
        for (name, value, suspect) in [
            ("vc", "3", None),
            ("mid", "3", None),
            ("wing_span", "3", None),
            ("span", "3.5", None),
            ("instance", "3", Some(Suspect::Process)),
            ("instance", "3.0", Some(Suspect::Process)),
            ("instance", "3.5", None),
            ("pid", "17", Some(Suspect::Process)),
            ("pid", "0.25", None),
            ("pod", "5e-1", None),
            ("node", "1.5", Some(Suspect::Process)),
            ("span_id", "3", Some(Suspect::Span)),
        ] {
            assert_eq!(by_name(name, Held::number(value)), suspect, "{name} {value}");
        }
    }

    #[test]
    fn two_ends_are_a_message() {
        for (names, found) in [
            (&["src", "x", "dst"][..], true),
            (&["dst", "src"], true),
            (&["ip.src", "ip.dst"], true),
            (&["sourceAddress", "destinationAddress"], true),
            (&["Sender", "Receiver"], true),
            (&["from", "to"], true),
            (&["from_floor", "to_floor"], false),
            (&["src_ip", "dst_port"], false),
            (&["src", "src"], false),
            (&["source"], false),
            (&["store", "top"], false),
        ] {
            let mut ends = Ends::default();
            let completed = names.iter().filter(|name| Ends::is_end(name) && ends.completes(name)).count();
            assert_eq!(completed > 0, found, "{names:?}");
        }
    }

    #[test]
    fn causes() {
        for ids in ["\"a\"", "[\"a\"]", "[ \"a\", \"b\" ]"] {
            assert!(is_ids(ids), "{ids}");
        }
        for other in ["\"\"", "[]", "[1]", "[\"a\",1]", "1", "null", "{\"a\":1}", "[\"\"]"] {
            assert!(!is_ids(other), "{other}");
        }
        assert!(sounds_like_causes("parent") && sounds_like_causes("causedBy") && !sounds_like_causes("apparent"));
    }

    #[test]
    fn printed_clocks() {
        for clock in ["[1,0,2]", "n1:1,n2:3", "P1:1;P2:0", "map[n1:1 n2:3]", "{a=1, b=2}", "n1:1"] {
            assert!(is_printed_clock(clock) && is_named_clock(&format!("\"{clock}\"")), "{clock}");
        }
        for other in ["", "12:30", "2024-01-01 12:30:00", "on", "[]", "[1.5]", "map[]", "a:b", "rising", "17"] {
            assert!(!is_printed_clock(other), "{other}");
        }
        assert!(is_named_clock("[1, 0]") && is_named_clock("{\"a\":1}"));
        assert!(!is_named_clock("[]") && !is_named_clock("[\"a\"]") && !is_named_clock("{}") && !is_named_clock("3"));
        for (name, sounds) in [("vc", true), ("myClock", true), ("state_vector", true), ("block", false)] {
            assert_eq!(sounds_like_a_clock(name), sounds, "{name}");
        }
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
