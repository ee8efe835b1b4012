"""Both services, as processes of their own."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from store import Store

HERE = pathlib.Path(__file__).parent


class Shop:
    def __init__(self, store, port):
        self.store, self.url = store, f"http://127.0.0.1:{port}/orders"

    def order(self, id, item):
        body = json.dumps({"id": id, "item": item}).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url, body)) as answer:
            return answer.status

    def shipment(self, id):
        """What was shipped, once it is."""
        return wait_for(lambda: self.store.shipped(id))


def wait_for(what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.01)
    raise TimeoutError


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    store = Store(path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = os.environ.get("ORDERS", "orders.py")
    services = [
        subprocess.Popen([sys.executable, HERE / program, path, str(port)]),
        subprocess.Popen([sys.executable, HERE / "shipping.py", path]),
    ]
    wait_for(lambda: answers(port))
    yield Shop(store, port)
    for service in services:
        service.terminate()
    for service in services:
        assert service.wait(60) == 0
