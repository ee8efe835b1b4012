"""The service that ships orders: takes messages from the queue, and works each one off in a thread of its own.

    python shipping.py DATABASE
"""

import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from opentelemetry import propagate, trace

from store import Store
from telemetry import provider


def ship(store, tracer, message):
    sender = propagate.extract(message["headers"])
    with tracer.start_as_current_span("ship order", sender, trace.SpanKind.CONSUMER):
        time.sleep(1)  # somebody has to fetch a box first
        with tracer.start_as_current_span("load order"):
            item = store.load_order(message["id"])
    store.save_shipment(message["id"], item or "an empty box")


def main(path):
    traces = provider("shipping")
    tracer, store = traces.get_tracer("shipping"), Store(path)
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    with ThreadPoolExecutor(8) as workers:
        while not stopped.wait(0.02):
            for message in store.take():
                workers.submit(ship, store, tracer, message)
    traces.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
