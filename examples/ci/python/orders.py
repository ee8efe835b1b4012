"""The service that takes orders: saves each one, and tells shipping about it.

    python orders.py DATABASE PORT
"""

import json
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry import context, propagate, trace

from store import Store
from telemetry import provider

background = ThreadPoolExecutor(4)


class Orders:
    def __init__(self, store, tracer):
        self.store, self.tracer = store, tracer

    def accept(self, order):
        """The answer should be quick, so the database is not waited for. Shipping takes longer anyway."""
        inside = context.get_current()
        background.submit(self.save, order, inside)
        self.publish(order)

    def save(self, order, inside):
        with self.tracer.start_as_current_span("save order", inside):
            self.store.save_order(order)

    def publish(self, order):
        with self.tracer.start_as_current_span("publish", kind=trace.SpanKind.PRODUCER):
            headers = {}
            propagate.inject(headers)
            self.store.put({"id": order["id"], "headers": headers})


def main(path, port, orders=Orders):
    traces = provider("orders")
    tracer = traces.get_tracer("orders")
    service = orders(Store(path), tracer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            attributes = {"order.id": order["id"]}
            with tracer.start_as_current_span("POST /orders", kind=trace.SpanKind.SERVER, attributes=attributes):
                service.accept(order)
                self.send_response(202)
                self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()
    background.shutdown()
    traces.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
