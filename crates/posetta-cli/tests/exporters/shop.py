"""Exports one trace by the OTLP exporter that the environment asks for, as the SDK's own set-up would choose it.

    python shop.py [SECONDS]: waits so long first, and then exports everything at once
"""

import os
import sys
import time

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

time.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 0)
provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("shop")
with tracer.start_as_current_span("order", kind=trace.SpanKind.SERVER):
    with tracer.start_as_current_span("charge", attributes={"amount": 12.5, "items": ["a", "b"], "paid": True}):
        pass
    # An export of its own: the rest of the trace comes in another one.
    assert len(sys.argv) > 1 or provider.force_flush()
    with tracer.start_as_current_span("pack") as span:
        span.add_event("packed", {"boxes": 2})
provider.shutdown()
