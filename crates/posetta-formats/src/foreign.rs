//! Formats of others: told by their content, whether they are read or not.
//!
//! What is not understood must not be taken for something else, so an input of another tool is told by its content, and refused
//! by its own name. JSON is looked at through an [`Outline`]: which fields stand where in the first value of the input. The start
//! of an input may be cut anywhere, so the outline takes what there is of it and asks for no end.

use std::collections::BTreeMap;
use std::fmt;

use super::Format;
use super::lines::without_mark;
use posetta_base::{Diagnostic, Error, Kind};

/// A format of others that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Foreign {
    /// OpenTelemetry logs in JSON.
    OtlpLogs,
    /// OpenTelemetry metrics in JSON.
    OtlpMetrics,
    /// Other data in EDN.
    Edn,
    /// Chrome's and Perfetto's trace events.
    Chrome,
    /// Waveforms in GHDL's own format.
    Ghw,
    /// Anything that is compressed, by the name of the program.
    Compressed(&'static str),
    /// An array of anything in JSON.
    JsonArray,
    /// One object of anything in JSON, over several lines.
    JsonDocument,
}

impl Foreign {
    /// What it is, as "this is …" goes on.
    #[must_use]
    pub fn what(self) -> String {
        match self {
            Self::OtlpLogs => "an export of OpenTelemetry logs (OTLP in JSON)".to_owned(),
            Self::OtlpMetrics => "an export of OpenTelemetry metrics (OTLP in JSON)".to_owned(),
            Self::Edn => "data in EDN".to_owned(),
            Self::Chrome => "a list of Chrome trace events (JSON)".to_owned(),
            Self::Ghw => "a waveform in GHDL's own format (GHW)".to_owned(),
            Self::Compressed(with) => format!("compressed with {with}"),
            Self::JsonArray => "a JSON array".to_owned(),
            Self::JsonDocument => "a JSON document over several lines".to_owned(),
        }
    }

    /// What to do.
    #[must_use]
    pub fn advice(self) -> String {
        const EVENTS: &str = "to check it, write JSON lines: one object for each event, with its `process`, its `name`, and its \
                              causes in `after` or its vector `clock`";
        match self {
            Self::Chrome => format!(
                "there is no reader for it yet; {EVENTS}; a span is two events, its start and its end"
            ),
            Self::OtlpLogs | Self::Edn => format!("there is no reader for it yet; {EVENTS}"),
            Self::Ghw => {
                "there is no reader for it; let the simulator write `--fst=FILE`, which has enumerations as well, or `--vcd=FILE`"
                    .to_owned()
            }
            Self::OtlpMetrics => "metrics have no order of events, so there is nothing to check".to_owned(),
            Self::Compressed(with) => match with {
                "zip" => "unpack it, and name the files inside".to_owned(),
                _ => format!("unpack it: {with} -dc FILE | posetta … -"),
            },
            Self::JsonArray => {
                "say what the fields of its objects mean with --map process=FIELD, as docs/formats/mapping.md has it; or write one \
                 object on each line, for example with `jq -c '.[]'`, as docs/formats/jsonl.md has it"
                    .to_owned()
            }
            Self::JsonDocument => {
                "JSON lines have one whole object on each line, as docs/formats/jsonl.md has it; `jq -c .` writes objects so. \
                 If objects are events, --map process=FIELD reads them as they are"
                    .to_owned()
            }
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is {}", self.what())
    }
}

impl std::error::Error for Foreign {}

impl From<Foreign> for Error {
    fn from(foreign: Foreign) -> Self {
        Diagnostic::new(Kind::Format, foreign.to_string()).help(foreign.advice()).into()
    }
}

/// The format of others that a file begins like: one that is read, or one that is not.
pub(super) fn recognise(start: &[u8]) -> Option<Result<Format, Foreign>> {
    const MAGIC: [(&[u8], &str); 6] = [
        (b"\x1f\x8b", "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\xfd7zXZ\0", "xz"),
        (b"BZh", "bzip2"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"PK\x03\x04", "zip"),
    ];
    if start.starts_with(b"GHDLwave\n") {
        return Some(Err(Foreign::Ghw));
    }
    if let Some((_, with)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(Err(Foreign::Compressed(with)));
    }
    let start = without_mark(start).trim_ascii_start();
    match start.first()? {
        b'{' | b'[' | b'(' | b'#' | b';' if is_edn(start) => {
            let is_history = [&b":process"[..], b":invoke", b"jepsen"].iter().any(|word| contains(start, word));
            Some(if is_history { Ok(Format::Jepsen) } else { Err(Foreign::Edn) })
        }
        b'{' | b'[' => json(start),
        _ => is_prove(start).then_some(Ok(Format::Prove)),
    }
}

fn contains(start: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(start, word).is_some()
}

/// EDN begins a map with a keyword, which no JSON does; a comment may come first.
fn is_edn(mut start: &[u8]) -> bool {
    while start.first() == Some(&b';') {
        let end = memchr::memchr(b'\n', start).unwrap_or(start.len());
        start = start[end..].trim_ascii_start();
    }
    if is_tagged(start) {
        return true;
    }
    while let Some(rest) = start.strip_prefix(b"[").or_else(|| start.strip_prefix(b"(")) {
        start = rest.trim_ascii_start();
        if is_tagged(start) {
            return true;
        }
    }
    start.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"))
}

/// EDN's sets, dates, maps with a namespace, and what Jepsen calls its own.
fn is_tagged(start: &[u8]) -> bool {
    let is_namespaced = |rest: &[u8]| {
        let end = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || b".-_*/".contains(b)));
        end.is_some_and(|end| end > 0 && rest[end..].trim_ascii_start().starts_with(b"{"))
    };
    start.starts_with(b"#jepsen")
        || start.starts_with(b"#{")
        || start.strip_prefix(b"#inst").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""))
        || start.strip_prefix(b"#:").is_some_and(is_namespaced)
}

/// The line of names of a table, behind comments.
fn is_prove(start: &[u8]) -> bool {
    let mut lines = start.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let names = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    names.is_some_and(|names| {
        let columns: Vec<&[u8]> = names.split(|b| b",;\t".contains(b)).map(<[u8]>::trim_ascii).collect();
        [&b"eid"[..], b"processes", b"vc"].iter().all(|name| columns.contains(name))
    })
}

fn json(start: &[u8]) -> Option<Result<Format, Foreign>> {
    let outline = Outline::new(start);
    if let Some(found) = outline.tool() {
        return Some(found);
    }
    if start[0] == b'[' {
        // Behind the end of an array nothing follows; a log goes on with its text.
        let rest = outline.end.map_or(&[][..], |end| &start[end..]);
        let rest = rest.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii();
        return ((rest.is_empty() || rest.starts_with(b",")) && is_array(start)).then_some(Err(Foreign::JsonArray));
    }
    is_document(start).then_some(Err(Foreign::JsonDocument))
}

/// Whether a text that begins with `[` is an array: many logs begin with a level or a time in brackets.
fn is_array(start: &[u8]) -> bool {
    let inside = start.iter().position(|&b| b != b'[' && !b.is_ascii_whitespace()).map_or(&[][..], |at| &start[at..]);
    match inside.first() {
        None | Some(b'{' | b'"' | b']') => true,
        Some(b'-' | b'0'..=b'9') => {
            let end = inside.iter().position(|b| !matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
            let number = str::from_utf8(&inside[..end.unwrap_or(inside.len())]).unwrap_or_default();
            let after = inside[number.len()..].trim_ascii_start().first();
            super::states::is_number(number) && matches!(after, None | Some(b',' | b']'))
        }
        Some(_) => [&b"true"[..], b"false", b"null"].iter().any(|word| inside.starts_with(word)),
    }
}

/// Whether an object goes on behind its first line, and what is there is no record of its own.
fn is_document(start: &[u8]) -> bool {
    let mut lines = start.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let goes_on = matches!(first.last(), Some(b'{' | b'[' | b',' | b':'));
    goes_on || (!first.ends_with(b"}") && second.starts_with(b"\""))
}

/// The value of a field, as far as it tells a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Object,
    Array,
    /// A string, if it is short.
    Text(Option<String>),
    Number,
    /// true, false, null, or no JSON.
    Other,
    /// The start of the input ends before it.
    Cut,
}

impl What {
    /// Strings up to this length are kept.
    const SHORT: usize = 8;

    /// The value that begins here.
    fn new(text: &[u8]) -> Self {
        match text.trim_ascii_start() {
            [] => Self::Cut,
            [b'{', ..] => Self::Object,
            [b'[', ..] => Self::Array,
            [b'-' | b'0'..=b'9', ..] => Self::Number,
            [b'"', rest @ ..] => {
                let short = memchr::memchr(b'"', &rest[..rest.len().min(Self::SHORT + 1)]).map(|end| &rest[..end]);
                Self::Text(short.map(|short| String::from_utf8_lossy(short).into_owned()))
            }
            _ => Self::Other,
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Cut)
    }

    fn is_array(&self) -> bool {
        matches!(self, Self::Array | Self::Cut)
    }

    fn is_object(&self) -> bool {
        matches!(self, Self::Object | Self::Cut)
    }

    fn is_word(&self, is: impl Fn(&str) -> bool) -> bool {
        matches!(self, Self::Text(Some(word)) if is(word))
    }
}

/// The fields of the first JSON value of a text, by their paths: `data[].spans` is the field `spans` of an object in the array
/// `data`.
struct Outline {
    /// Of a field that stands there more than once, the first value.
    fields: BTreeMap<String, What>,
    /// Where the value ends, if it does.
    end: Option<usize>,
}

impl Outline {
    /// Paths of so many objects and arrays are gathered; what tells a format stands higher.
    const DEPTH: usize = 4;
    /// So many different fields are gathered.
    const FIELDS: usize = 1000;

    fn new(text: &[u8]) -> Self {
        let mut outline = Self { fields: BTreeMap::new(), end: None };
        // For each open object or array: whether it is an object, and how long the path was before it.
        let mut open: Vec<(bool, usize)> = Vec::new();
        let mut path = String::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'{' | b'[' => {
                    if open.len() > super::json::MAX_DEPTH as usize {
                        return outline;
                    }
                    open.push((byte == b'{', path.len()));
                    if open.len() <= Self::DEPTH {
                        path.push_str(if byte == b'{' { "." } else { "[]" });
                    }
                }
                b'}' | b']' => {
                    let Some((_, before)) = open.pop() else { return outline };
                    path.truncate(before);
                    if open.is_empty() {
                        outline.end = Some(at + 1);
                        return outline;
                    }
                }
                b'"' => {
                    let Some(length) = string_length(&text[at + 1..]) else { return outline };
                    let string = &text[at + 1..at + 1 + length];
                    at += length + 1;
                    let rest = text[at + 1..].trim_ascii_start();
                    if let Some((true, before)) = open.last().copied()
                        && let Some(value) = rest.strip_prefix(b":")
                        && open.len() <= Self::DEPTH
                    {
                        // The name of a field replaces the one before it. A dot in a name is no step of a path.
                        path.truncate(before);
                        path.push('.');
                        path.push_str(&String::from_utf8_lossy(string).replace(['.', '['], "\u{1}"));
                        if outline.fields.len() < Self::FIELDS {
                            let field = path.trim_start_matches('.').to_owned();
                            outline.fields.entry(field).or_insert_with(|| What::new(value));
                        }
                    }
                }
                _ => {}
            }
            at += 1;
        }
        outline
    }

    /// The tool whose fields these are.
    fn tool(&self) -> Option<Result<Format, Foreign>> {
        let is = |path: &str, what: fn(&What) -> bool| self.fields.get(path).is_some_and(what);
        let has = |path: &str| self.fields.contains_key(path);
        let array = |path: &str| is(path, What::is_array);
        if self.is_ours() {
            return None;
        }
        let scopes = ["scopeSpans", "instrumentationLibrarySpans", "scope_spans", "instrumentation_library_spans"];
        if array("trace.resourceSpans")
            || array("trace.batches")
            || scopes.iter().any(|spans| array(&format!("batches[].{spans}")))
            || is("batches[].resource", What::is_object)
        {
            return Some(Ok(Format::Otlp));
        }
        for prefix in ["", "[].", "result.", "data."] {
            let at = |name: &str| array(&format!("{prefix}{name}"));
            if at("resourceSpans") || at("resource_spans") {
                return Some(Ok(Format::Otlp));
            }
            if at("resourceLogs") || at("resource_logs") {
                return Some(Err(Foreign::OtlpLogs));
            }
            if at("resourceMetrics") || at("resource_metrics") {
                return Some(Err(Foreign::OtlpMetrics));
            }
        }
        // A string `process` is ours, even where the fields of a span are attributes of the event.
        let of_process = is("process", |what| matches!(what, What::Text(_)));
        for prefix in ["", "data[].", "[].", "data."] {
            let at = |name: &str, what: fn(&What) -> bool| is(&format!("{prefix}{name}"), what);
            let is_span = at("spanID", What::is_text) && !(prefix.is_empty() && of_process);
            if at("traceID", What::is_text) && (at("spans", What::is_array) || is_span) {
                return Some(Ok(Format::Jaeger));
            }
        }
        for prefix in ["[].", "[][].", ""] {
            let at = |name: &str| has(&format!("{prefix}{name}"));
            let text = |name: &str| is(&format!("{prefix}{name}"), What::is_text);
            let spans = !(prefix.is_empty() && of_process);
            let of_zipkin =
                ["localEndpoint", "annotations", "binaryAnnotations", "parentId", "timestamp", "duration", "kind"];
            if spans && text("traceId") && text("id") && of_zipkin.into_iter().any(at) {
                return Some(Ok(Format::Zipkin));
            }
            let is_phase = |what: &What| what.is_word(|word| word.chars().count() == 1);
            if spans && is(&format!("{prefix}ph"), is_phase) && (at("ts") || at("pid") || at("tid")) {
                return Some(Err(Foreign::Chrome));
            }
            if self.is_operation(prefix) {
                return Some(Ok(Format::Jepsen));
            }
        }
        if array("traceEvents") {
            return Some(Err(Foreign::Chrome));
        }
        if is("#meta", What::is_object) || (array("vars") && array("states")) {
            return Some(Ok(Format::Itf));
        }
        None
    }

    /// Whether this is an operation of Jepsen: its type is one of four.
    fn is_operation(&self, prefix: &str) -> bool {
        let get = |name: &str| self.fields.get(&format!("{prefix}{name}"));
        let is_type =
            |what: &What| what.is_word(|word| ["invoke", "ok", "fail", "info"].contains(&word.trim_start_matches(':')));
        let is_process = |what: &What| matches!(what, What::Number | What::Cut) || what.is_text();
        get("type").is_some_and(is_type) && get("process").is_some_and(is_process) && get("f").is_some()
    }

    /// Whether this is a header of ours, or an event record: a process by its name, and what only such records have with it. Operations
    /// of Jepsen have a `time`, too, and some have a process with a name.
    fn is_ours(&self) -> bool {
        const FIELDS: [&str; 8] = ["name", "id", "set", "after", "clock", "attrs", "heartbeat", "ends"];
        let has = |name: &&str| self.fields.contains_key(*name);
        let of_process = matches!(self.fields.get("process"), Some(What::Text(_)));
        let native = FIELDS.iter().any(has) || (has(&"time") && !self.is_operation(""));
        has(&"posetta") || (of_process && native)
    }
}

/// How many bytes stand before the quote that closes a string.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', &text[at..])?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
        if at > text.len() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn others_are_recognised() {
        use Foreign::*;
        let (otlp, jaeger, zipkin) = (Ok(Format::Otlp), Ok(Format::Jaeger), Ok(Format::Zipkin));
        let (itf, jepsen, prove) = (Ok(Format::Itf), Ok(Format::Jepsen), Ok(Format::Prove));
        for (start, foreign) in [
            ("{\"resourceSpans\":[{\"resource\":{}}]}", Some(otlp)),
            ("{\n  \"resource_spans\": [\n", Some(otlp)),
            ("{\"result\":{\"resourceSpans\":[", Some(otlp)),
            ("[{\"resourceSpans\":[", Some(otlp)),
            ("{\"resourceLogs\":[{}]}", Some(Err(OtlpLogs))),
            ("{\"resourceMetrics\":[{}]}", Some(Err(OtlpMetrics))),
            ("{\"batches\":[{\"resource\":{\"attributes\":[]},\"scopeSpans\":[]}]}", Some(otlp)),
            ("{\"trace\":{\"resourceSpans\":[{}]}}", Some(otlp)),
            ("{\"data\":[{\"traceID\":\"a\",\"spans\":[{\"traceID\":\"a\"}]}]}", Some(jaeger)),
            ("{\"traceID\":\"a\",\"spans\":[]}", Some(jaeger)),
            ("{\"traceID\":\"a\",\"spanID\":\"b\",\"operationName\":\"c\"}\n{", Some(jaeger)),
            ("[\n {\"traceId\":\"a\", \"id\": \"b\", \"timestamp\": 1", Some(zipkin)),
            ("[[{\"traceId\":\"a\",\"id\":\"b\",\"annotations\":[]", Some(zipkin)),
            ("{\"traceId\":\"a\",\"id\":\"b\",\"kind\":\"CLIENT\"}\n", Some(zipkin)),
            ("{\"#meta\":{},\"vars\":[\"x\"],\"states\":[{}]}", Some(itf)),
            ("{\"vars\":[\"x\"],\"states\":[{}]}", Some(itf)),
            ("{:type :invoke, :f :read, :process 0}\n", Some(jepsen)),
            ("; a comment\n[{:type :ok :process 1}]", Some(jepsen)),
            ("#jepsen.history.Op{:index 0, :type :invoke}", Some(jepsen)),
            ("{:a 1}", Some(Err(Edn))),
            ("{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[],\"process\":0}\n", Some(jepsen)),
            ("{\"traceEvents\":[{\"ph\":\"X\"}]}", Some(Err(Chrome))),
            ("[{\"name\":\"a\",\"ph\":\"B\",\"pid\":1,\"ts\":2}", Some(Err(Chrome))),
            ("# epsilon: 10.0\neid,processes,vc,timestamp,props\n", Some(prove)),
            ("eid,processes,vc\n", Some(prove)),
            ("eid;processes;vc\n1;2;3\n", Some(prove)),
            ("{\"type\":\":invoke\",\"f\":\":read\",\"process\":\"0\",\"time\":1}\n", Some(jepsen)),
            ("\u{1f}\u{8b}", None),
            ("BZh91AY", Some(Err(Compressed("bzip2")))),
            ("GHDLwave\n\u{10}\0", Some(Err(Ghw))),
            ("PK\u{3}\u{4}", Some(Err(Compressed("zip")))),
            ("[1, 2]", Some(Err(JsonArray))),
            ("{\n  \"x\": 1\n}\n", Some(Err(JsonDocument))),
            ("{\"a\":\n1}\n", Some(Err(JsonDocument))),
            ("{\"a\": 1\n\"b\": 2}\n", Some(Err(JsonDocument))),
            ("\u{feff}\n[\n]", Some(Err(JsonArray))),
            // Ours, and what is merely like others.
            ("[INFO] [2024] [akka://S/user/n] {\"n\":1} x\n", None),
            ("[2024-01-01 12:00:00] started\n", None),
            ("[1] started\n", None),
            ("[[1, 2]] started\n", None),
            ("[{\"a\":1}] started\n", None),
            ("[1, 2] \n", Some(Err(JsonArray))),
            ("[1],\n[2]\n", Some(Err(JsonArray))),
            ("[1,\n2]\n", Some(Err(JsonArray))),
            ("#{1 2}\n", Some(Err(Edn))),
            ("[#inst \"2024-01-01\"]\n", Some(Err(Edn))),
            ("#:op{:type :ok, :process 1}\n", Some(jepsen)),
            ("#include <x.h>\n", None),
            ("#: x\n", None),
            ("{\"process\":\"A\",\"name\":\"w\",\"type\":\"x\",\"f\":3}\n", None),
            ("{\"process\":\"A\",\"name\":\"w\",\"type\":\"ok\",\"f\":3}\n", None),
            ("{\"process\":\"A\",\"type\":\"x\",\"f\":3}\n", None),
            ("{\"process\":\"A\",\"time\":1,\"type\":\"x\",\"f\":3}\n", None),
            ("{\"process\":\"nemesis\",\"time\":1,\"type\":\"info\",\"f\":\"start\"}\n", Some(jepsen)),
            ("{\"process\":\"A\",\"id\":\"s1\",\"traceId\":\"t\",\"name\":\"get\",\"kind\":\"CLIENT\"}\n", None),
            ("{\"process\":\"A\",\"id\":\"s1\",\"traceID\":\"t\",\"spanID\":\"x\"}\n", None),
            ("{\"process\":\"A\",\"traceID\":\"t\",\"spanID\":\"x\"}\n", None),
            ("{\"process\":{},\"traceID\":\"t\",\"spanID\":\"x\"}\n", Some(jaeger)),
            ("{\"process\":\"A\",\"ph\":\"B\",\"pid\":1}\n", None),
            ("{\"ph\":\"B\",\"pid\":1}\n", Some(Err(Chrome))),
            ("{\"ph\":7.1,\"ts\":1}\n", None),
            ("{\"ph\":\"acid\",\"ts\":1}\n", None),
            ("{\"vars\":1,\"states\":2}\n", None),
            ("{\"#meta\":1}\n", None),
            ("{\"process\":\"A\",\"#meta\":1}\n", None),
            ("{\"process\":\"A\",\"traceEvents\":1}\n", None),
            ("{\"resourceSpans\":3}\n", None),
            ("{\"data.resourceSpans\":[]}\n", None),
            ("{\"posetta\":1}\n{\"traceEvents\":[]}\n", None),
            ("{\"process\":\"A\",\n\"name\":\"x\"}\n", Some(Err(JsonDocument))),
            ("{\"process\":\"A\",\"name\":\"x\"}\n", None),
            ("{\"process\":\"A\",\"set\":{\"traceId\":1,\"id\":2,\"kind\":3}}\n", None),
            ("{\"process\":\"A\",\"attrs\":{\"resourceSpans\":[]}}\n", None),
            ("{\"posetta\":1}\n", None),
            ("{\"x\":1}\n{\"x\":2}\n", None),
            ("{\"x\":1,\"y\n", None),
            ("{\"x\":1", None),
            ("{}", None),
            ("{\"states\":1}", None),
            ("# a comment\nP: x=1\n", None),
            ("x,y\n1,2\n", None),
            ("", None),
        ] {
            assert_eq!(recognise(start.as_bytes()), foreign, "{start}");
        }
        assert_eq!(recognise(b"\x1f\x8b\x08\0"), Some(Err(Compressed("gzip"))));
        assert_eq!(recognise(b"\x28\xb5\x2f\xfd\0"), Some(Err(Compressed("zstd"))));
    }

    /// Wherever the start of an export is cut behind what tells it, it is told.
    #[test]
    fn a_cut_changes_little() {
        let export = "{\"data\":[{\"traceID\":\"a\\\"b\",\"spans\":[{\"traceID\":\"a\",\"x\":[[1]]}]}]}";
        let known = export.find("\"spans\":").unwrap() + 8;
        for end in known..=export.len() {
            assert_eq!(recognise(&export.as_bytes()[..end]), Some(Ok(Format::Jaeger)), "{}", &export[..end]);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(start in "([\\[\\]{}\",:a\\\\;#\\n ]|\"traceId\":|\\\\\"){0,40}") {
            recognise(start.as_bytes());
        }
    }
}
