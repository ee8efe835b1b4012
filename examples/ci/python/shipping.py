"""The service that ships orders: takes messages from the queue, one after the other.

    python shipping.py DATABASE
"""

import signal
import sys
import threading
import time

from opentelemetry import propagate, trace

from store import Store
from telemetry import provider


def main(path):
    traces = provider("shipping")
    tracer, store = traces.get_tracer("shipping"), Store(path)
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    while not stopped.wait(0.02):
        for message in store.take():
            sender = propagate.extract(message["headers"])
            with tracer.start_as_current_span("ship order", sender, trace.SpanKind.CONSUMER):
                time.sleep(0.15)  # somebody has to fetch a box first
                with tracer.start_as_current_span("load order"):
                    item = store.load_order(message["id"])
                store.save_shipment(message["id"], item or "an empty box")
    traces.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
