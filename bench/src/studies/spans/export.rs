//! Spans as the collector's file exporter writes them: one export a line, each of one service, with the spans of several traces.
//!
//! Made without chance, the same on every machine.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Who records spans. The first calls the others.
const SERVICES: [&str; 5] = ["frontend", "cart", "pricing", "stock", "payment"];
/// What the first asks each of the others for, and what that does meanwhile.
const CALLS: [[&str; 3]; 4] = [
    ["fetch", "load cart", "SELECT items"],
    ["price", "apply rules", "SELECT prices"],
    ["reserve", "check shelf", "UPDATE shelf"],
    ["charge", "check card", "INSERT payment"],
];

/// Spans of a checkout: itself, and four calls of four spans each.
pub const CHECKOUT: u64 = 17;
/// Traces whose spans are exported together.
const TOGETHER: u64 = 16;
/// In one of so many traces the customer pays first.
pub const EARLY: u64 = 1000;

/// Nanoseconds since 1970 of the first span.
const FIRST: u64 = 1_700_000_000_000_000_000;
const MILLISECOND: u64 = 1_000_000;

const INTERNAL: u8 = 1;
const SERVER: u8 = 2;
const CLIENT: u8 = 3;

struct Span {
    trace: u64,
    id: u64,
    /// 0 for none.
    parent: u64,
    service: usize,
    name: &'static str,
    kind: u8,
    start: u64,
    end: u64,
}

/// How much is said of each span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Ids, times, name and kind.
    Bare,
    /// What instrumentation of HTTP and of databases adds, and an event.
    Full,
}

/// The shape of one large trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Calls of calls: each span calls the next three, one after the other.
    Tree,
    /// Each span has one child.
    Deep,
    /// All spans are children of the first, one after the other.
    Wide,
    /// All spans are children of the first, and run at the same time.
    Concurrent,
}

impl Shape {
    pub const ALL: [Self; 4] = [Self::Tree, Self::Deep, Self::Wide, Self::Concurrent];

    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Deep => "deep",
            Self::Wide => "wide",
            Self::Concurrent => "concurrent",
        }
    }
}

/// A file that is made if it is not there.
fn cached(path: PathBuf, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<(PathBuf, u64)> {
    if !path.exists() {
        // Under its own name only when it is whole.
        let part = path.with_extension("part");
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&part)?);
        write(&mut out)?;
        out.flush()?;
        fs::rename(&part, &path)?;
    }
    let bytes = fs::metadata(&path)?.len();
    Ok((path, bytes))
}

/// So many checkouts, and the size of their file.
pub fn checkouts(dir: &Path, traces: u64, detail: Detail) -> io::Result<(PathBuf, u64)> {
    let what = if detail == Detail::Full { "full" } else { "bare" };
    cached(dir.join(format!("spans-v1-{what}-{traces}.otlp.jsonl")), |out| {
        for first in (0..traces).step_by(TOGETHER as usize) {
            let spans: Vec<Span> = (first..(first + TOGETHER).min(traces)).flat_map(checkout).collect();
            for service in 0..SERVICES.len() {
                export(out, service, spans.iter().filter(|span| span.service == service), detail)?;
            }
        }
        Ok(())
    })
}

/// One trace of a shape, and the size of its file.
pub fn large(dir: &Path, shape: Shape, spans: u64) -> io::Result<(PathBuf, u64)> {
    cached(dir.join(format!("spans-v1-{}-{spans}.otlp.jsonl", shape.name())), |out| {
        let spans: Vec<Span> = (0..spans).map(|number| shaped(shape, number, spans)).collect();
        for batch in spans.chunks(256) {
            for service in 0..SERVICES.len() {
                export(out, service, batch.iter().filter(|span| span.service == service), Detail::Bare)?;
            }
        }
        Ok(())
    })
}

/// The spans of one trace: the first service calls the others in turn.
fn checkout(trace: u64) -> Vec<Span> {
    let begin = FIRST + trace * 3 * MILLISECOND;
    let id = |number: u64| trace * CHECKOUT + number + 1;
    let span = |number, parent, service, name, kind, start: u64, end: u64| Span {
        trace,
        id: id(number),
        parent,
        service,
        name,
        kind,
        start: begin + start,
        end: begin + end,
    };
    let mut spans = vec![span(0, 0, 0, "checkout", SERVER, 0, 100 * MILLISECOND)];
    let pays_early = trace % EARLY == EARLY / 2;
    for (turn, called) in (if pays_early { [0, 1, 3, 2] } else { [0, 1, 2, 3] }).into_iter().enumerate() {
        let [call, work, query] = CALLS[called];
        let (first, service) = (1 + 4 * called as u64, called + 1);
        // Other traces take other times, and never so long that two calls overlap.
        let start = (5 + 22 * turn as u64) * MILLISECOND;
        let jitter = (trace * 7919 + first * 104_729) % MILLISECOND;
        let at = |milliseconds: u64| start + jitter + milliseconds * MILLISECOND;
        spans.push(span(first, id(0), 0, call, CLIENT, at(0), at(20)));
        spans.push(span(first + 1, id(first), service, call, SERVER, at(1), at(19)));
        spans.push(span(first + 2, id(first + 1), service, work, INTERNAL, at(2), at(5)));
        spans.push(span(first + 3, id(first + 1), service, query, CLIENT, at(6), at(18)));
    }
    spans
}

fn shaped(shape: Shape, number: u64, all: u64) -> Span {
    let whole = 2 * all * MILLISECOND;
    let step = (number + 1) * MILLISECOND;
    let (parent, start, end) = match shape {
        _ if number == 0 => (0, 0, whole),
        // In the middle of the third that its parent has for it.
        Shape::Tree => {
            let (mut start, mut length) = (0, whole);
            let mut way = Vec::new();
            let mut at = number;
            while at > 0 {
                way.push((at - 1) % 3);
                at = (at - 1) / 3;
            }
            for turn in way.into_iter().rev() {
                start += length / 24 + turn * (length / 24) * 7;
                length /= 4;
            }
            ((number - 1) / 3 + 1, start, start + length)
        }
        Shape::Deep => (number, step, whole - step),
        Shape::Wide => (1, step, step + MILLISECOND / 2),
        Shape::Concurrent => (1, step, whole - step),
    };
    let names = ["handle", "load", "apply", "store", "notify"];
    Span {
        trace: 0,
        id: number + 1,
        parent,
        service: 0,
        name: names[number as usize % names.len()],
        kind: if number == 0 { SERVER } else { INTERNAL },
        start: FIRST + start,
        end: FIRST + end,
    }
}

fn export<'a>(
    out: &mut impl Write,
    service: usize,
    spans: impl Iterator<Item = &'a Span>,
    detail: Detail,
) -> io::Result<()> {
    let mut spans = spans.peekable();
    if spans.peek().is_none() {
        return Ok(());
    }
    let name = SERVICES[service];
    write!(
        out,
        "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{},{},{}]}},\"scopeSpans\":[{{\"scope\":{{\"name\":\"{name}.tracer\",\"version\":\"1.4.2\"}},\"spans\":[",
        text("service.name", name),
        text("service.instance.id", &format!("{name}-7d9c5b6f4-x2x9k")),
        text("host.name", &format!("node-{service}")),
    )?;
    for (i, span) in spans.enumerate() {
        let comma = if i > 0 { "," } else { "" };
        write!(out, "{comma}{{\"traceId\":\"{:032x}\",\"spanId\":\"{:016x}\"", u128::from(span.trace) + 1, span.id)?;
        if span.parent > 0 {
            write!(out, ",\"parentSpanId\":\"{:016x}\"", span.parent)?;
        }
        write!(
            out,
            ",\"name\":\"{}\",\"kind\":{},\"startTimeUnixNano\":\"{}\",\"endTimeUnixNano\":\"{}\"",
            span.name, span.kind, span.start, span.end
        )?;
        if detail == Detail::Full {
            details(out, span)?;
        }
        out.write_all(b",\"status\":{}}")?;
    }
    out.write_all(b"]}]}]}\n")
}

/// About six hundred bytes, most of them the same for many spans, as instrumentation writes them.
fn details(out: &mut impl Write, span: &Span) -> io::Result<()> {
    let customer = span.trace % 5000;
    write!(
        out,
        ",\"attributes\":[{},{},{},{},{},{}],\"events\":[{{\"timeUnixNano\":\"{}\",\"name\":\"cache.miss\",\"attributes\":[{}]}}]",
        text("http.request.method", "POST"),
        text("url.path", &format!("/api/v2/customers/{customer}/{}", span.name)),
        text("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"),
        number("http.response.status_code", 200),
        number("customer.id", customer),
        number("thread.id", 30 + span.id % 16),
        span.start + (span.end - span.start) / 2,
        text("cache.key", &format!("customer:{customer}")),
    )
}

fn text(key: &str, value: &str) -> String {
    format!("{{\"key\":\"{key}\",\"value\":{{\"stringValue\":\"{value}\"}}}}")
}

fn number(key: &str, value: u64) -> String {
    format!("{{\"key\":\"{key}\",\"value\":{{\"intValue\":\"{value}\"}}}}")
}
