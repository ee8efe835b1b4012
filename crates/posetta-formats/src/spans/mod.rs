//! Spans: what OpenTelemetry, Jaeger and Zipkin record, and the order that follows from it.
//!
//! Readers of the formats ([`otlp`](crate::otlp), [`jaeger`](crate::jaeger), [`zipkin`](crate::zipkin)) put spans into one
//! [`Store`](store::Store). When the whole input is there, [`Statistics`] says which operations overlap or outlive their parents
//! anywhere in it, and [`runs`] builds one run for each trace when it is asked for. docs/formats/spans.md has the rules.
//!
//! For one trace, [`Family`](family::Family) finds the parents, [`run`] makes events and edges, [`cells`] and [`clock`] the order
//! by clocks, [`noticed`] the warnings.

mod cells;
mod clock;
mod family;
mod ids;
pub(crate) mod intake;
mod noticed;
mod run;
mod statistics;
mod store;

#[cfg(test)]
mod tests;

pub(crate) use ids::{SpanId, TraceId};
pub(crate) use store::{Attribute, Marks, SpanKind, Status};

use crate::{Format, ReadOptions, Run, Runs, jaeger, otlp, zipkin};
use intake::Intake;
use posetta_base::{Budget, Claim, Error, Number};
use run::Assumed;
use statistics::Statistics;
use std::io::BufRead;
use store::Sealed;

/// The runs of an input, one for each trace.
pub(crate) fn runs(
    format: Format,
    reader: impl BufRead,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Runs, Error> {
    Ok(Box::new(SpanRuns::new(read(format, reader, budget)?, options, budget)?))
}

/// One run of all traces of an input.
pub(crate) fn joined(
    format: Format,
    reader: impl BufRead,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Run, Error> {
    let all = SpanRuns::new(read(format, reader, budget)?, options, budget)?;
    run::build(&all.sealed, &all.statistics, all.sealed.all_spans(), all.assumed, budget)
}

/// How many spans an input has. There may be none.
pub(crate) fn count(format: Format, reader: impl BufRead, budget: &Budget) -> Result<usize, Error> {
    read(format, reader, budget).map(|intake| intake.store.spans.len())
}

fn read(format: Format, reader: impl BufRead, budget: &Budget) -> Result<Intake, Error> {
    match format {
        Format::OtlpProto => otlp::read_proto(reader, budget),
        Format::Jaeger => jaeger::read(reader, budget),
        Format::Zipkin => zipkin::read(reader, budget),
        _ => otlp::read_json(reader, budget),
    }
}

struct SpanRuns {
    sealed: Sealed,
    statistics: Statistics,
    assumed: Assumed,
    next: usize,
    budget: Budget,
    _claim: Claim,
}

impl SpanRuns {
    fn new(intake: Intake, options: &ReadOptions, budget: &Budget) -> Result<Self, Error> {
        const WHAT: &str = "reading the run";
        let (store, mut claim) = intake.finish()?;
        claim.grow_to(store.weight() + 16 * store.spans.len() as u64, WHAT)?;
        let sealed = store.seal();
        let statistics = Statistics::new(&sealed, budget)?;
        claim.grow_to(sealed.weight() + statistics.weight(), WHAT)?;
        let assumed = Assumed { trust: options.trust, skew: options.skew.as_ref().map(nanoseconds) };
        Ok(Self { sealed, statistics, assumed, next: 0, budget: budget.clone(), _claim: claim })
    }
}

impl Iterator for SpanRuns {
    type Item = Result<Run, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let trace = *self.sealed.order.get(self.next)?;
        self.next += 1;
        let records = self.sealed.spans_of(trace);
        let run = run::build(&self.sealed, &self.statistics, records, self.assumed, &self.budget);
        let label = self.sealed.store.traces[trace as usize].to_string();
        Some(run.map(|run| Run { label: Some(label), ..run }))
    }
}

/// Whole nanoseconds of a time in seconds; none are negative.
fn nanoseconds(seconds: &Number) -> u64 {
    let whole = seconds.mul(&Number::from(1_000_000_000)).map(|n| n.floor());
    match whole.map(|n| n.as_i64()) {
        Ok(Some(n)) => u64::try_from(n).unwrap_or(0),
        _ if *seconds < Number::ZERO => 0,
        _ => u64::MAX,
    }
}
