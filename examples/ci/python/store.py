"""The database of both services: orders, shipments, and the queue between the two."""

import json
import sqlite3
import time


class Store:
    def __init__(self, path):
        self.path = path
        with self.connect() as db:
            db.execute("create table if not exists orders (id text primary key, item text)")
            db.execute("create table if not exists shipments (id text primary key, item text)")
            db.execute("create table if not exists queue (message text)")

    def connect(self):
        db = sqlite3.connect(self.path, timeout=10)
        db.execute("pragma synchronous = off")
        return db

    def save_order(self, order):
        time.sleep(0.005)  # the network to the database
        with self.connect() as db:
            db.execute("insert into orders values (?, ?)", (order["id"], order["item"]))

    def load_order(self, id):
        """The item of an order; None if there is no such order."""
        with self.connect() as db:
            row = db.execute("select item from orders where id = ?", (id,)).fetchone()
        return row and row[0]

    def save_shipment(self, id, item):
        with self.connect() as db:
            db.execute("insert into shipments values (?, ?)", (id, item))

    def shipped(self, id):
        with self.connect() as db:
            row = db.execute("select item from shipments where id = ?", (id,)).fetchone()
        return row and row[0]

    def put(self, message):
        with self.connect() as db:
            db.execute("insert into queue values (?)", (json.dumps(message),))

    def take(self):
        """The messages that are waiting."""
        with self.connect() as db:
            rows = db.execute("delete from queue returning message").fetchall()
        return [json.loads(message) for (message,) in rows]
