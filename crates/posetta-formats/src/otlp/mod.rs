//! OpenTelemetry's own format, OTLP: traces as JSON ([`json`]) and as protocol buffers ([`proto`]).
//!
//! Both hold `ResourceSpans` (who recorded), in them `ScopeSpans` (with which library), in them spans. An export of JSON may be
//! one document, several, one a line, or an array of them; fields have two spellings, and Grafana Tempo calls the outermost
//! `batches`.

mod json;
mod proto;
mod wire;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use json::read as read_json;
pub(crate) use proto::{looks_like, read as read_proto};
