"""Tracing as any service sets it up: where spans go is said by the environment (OTEL_EXPORTER_OTLP_ENDPOINT)."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def provider(service):
    """Spans of a service, which `shutdown` exports."""
    traces = TracerProvider(resource=Resource.create({"service.name": service}))
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return traces
