"""A shop takes orders and a warehouse ships them, with a queue between the two.

Writes the spans that the OpenTelemetry SDK exports to a file: protobuf if its name ends in .otlp, else JSON.

    python3 shop.py spans.json
"""

import queue
import sys
import threading

from google.protobuf.json_format import MessageToJson
from opentelemetry import propagate, trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult


class File(SpanExporter):
    """Appends each export to a file: a JSON object on each line, or messages with their lengths before them."""

    lock = threading.Lock()

    def __init__(self, path):
        self.path = path

    def export(self, spans):
        request = encode_spans(spans)
        with self.lock, open(self.path, "ab") as out:
            if self.path.endswith(".otlp"):
                data = request.SerializeToString()
                out.write(length(len(data)) + data)
            else:
                out.write(MessageToJson(request, indent=None).encode() + b"\n")
        return SpanExportResult.SUCCESS


def length(n):
    """A number as protobuf writes the length of a message."""
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def service(name, path):
    provider = TracerProvider(resource=Resource.create({"service.name": name, "service.instance.id": f"{name}-1"}))
    provider.add_span_processor(BatchSpanProcessor(File(path)))
    return provider


def main(path, orders=3):
    open(path, "wb").close()
    shop, warehouse = service("shop", path), service("warehouse", path)
    messages = queue.Queue()

    def ship():
        tracer = warehouse.get_tracer("warehouse")
        while (message := messages.get()) is not None:
            context = propagate.extract(message["headers"])
            attributes = {"order.id": message["order"]}
            with tracer.start_as_current_span("ship", context, trace.SpanKind.CONSUMER, attributes) as span:
                span.add_event("packed", {"order.id": message["order"]})

    worker = threading.Thread(target=ship)
    worker.start()
    tracer = shop.get_tracer("shop")
    for order in range(orders):
        with tracer.start_as_current_span("POST /order", kind=trace.SpanKind.SERVER, attributes={"order.id": order}):
            with tracer.start_as_current_span("charge", attributes={"order.id": order}):
                pass
            with tracer.start_as_current_span("send", kind=trace.SpanKind.PRODUCER, attributes={"order.id": order}):
                headers = {}
                propagate.inject(headers)
                messages.put({"order": order, "headers": headers})
    messages.put(None)
    worker.join()
    shop.shutdown()
    warehouse.shutdown()


main(sys.argv[1])
