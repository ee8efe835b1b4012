"""Posetta on Spark: many runs, lakes of spans, keyed streams. Spark schedules, retries, shuffles and keeps state.

``check_runs`` checks a run in each row. ``check_groups`` makes a run of all rows with one key. ``monitor_groups`` follows a
stream for each key. All answer with a DataFrame that has a row for each property of each run.

The package must be installed where the executors run. ``spec`` is the text of a property file, a path object of one, or a
formula of LTL; it travels as text, so it imports no files (the library, ``import "std/…"``, is everywhere).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, Literal

from ._asked import Question
from ._native import KeyedMonitor, Report, Run, check_all
from .errors import PosettaError

__all__ = ["MONITOR_SCHEMA", "RESULT_SCHEMA", "check_groups", "check_runs", "monitor_groups"]

RESULT_SCHEMA = (
    "run string, property string, verdict string, runs string, observed string, why string, witness array<string>, "
    "events long, report string, error string"
)
"""A row for each property of each run. ``verdict`` is ``holds``, ``violated``, ``unknown``, or null with an ``error``;
``report`` is the entry of the program's JSON."""

MONITOR_SCHEMA = "key string, property string, position long, verdict string, satisfied boolean, restarted boolean"
"""A row for each change of an answer on a stream; ``restarted``: its state was that of another version of the property."""

_Over = Literal["states", "events"]
_COLUMNS = ("run", "property", "verdict", "runs", "observed", "why", "witness", "events", "report", "error")


def _rows(name: str, report: Report) -> Iterator[tuple[Any, ...]]:
    entries = report.to_dict()
    events = None if report.run is None else len(report.run)
    for entry in entries["results"]:
        why = report[entry["property"]].why
        text = None if why is None else why.text
        row = (entry["verdict"], entry["runs"], entry["observed"], text, entry["witness"])
        yield (name, entry["property"], *row, events, json.dumps(entry), None)
    for error in entries["errors"]:
        yield (name, error["property"], None, None, None, None, None, events, None, error["message"])


def _batch(rows: list[tuple[Any, ...]]) -> Any:
    import pyarrow as pa

    kinds = [pa.string()] * 6 + [pa.list_(pa.string()), pa.int64(), pa.string(), pa.string()]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(_COLUMNS)
    arrays = [pa.array(list(column), kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=list(_COLUMNS))


def check_runs(
    df: Any,
    spec: str | os.PathLike[str],
    *,
    content: str | None = None,
    path: str | None = None,
    name: str | None = None,
    format: str | None = None,
    over: _Over = "states",
    timeout: float | None = 60,
    memory: int | None = None,
) -> Any:
    """Checks the run in each row: its bytes or text in the column ``content``, or a file that executors can read in ``path``.

    ``name`` is the column that says what a run is called. A run that cannot be read has an ``error``, and past ``timeout``
    (seconds for each run) or ``memory`` the verdict is ``unknown``; neither keeps the others waiting.
    """
    question = Question.of(spec, over)
    if (content is None) == (path is None):
        raise ValueError("either content= or path= names the column with the runs")
    chosen = [column for column in (content or path, name) if column is not None]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        asked = question.spec()
        for batch in batches:
            sources = batch.column(0).to_pylist()
            names = batch.column(1).to_pylist() if name is not None else sources if path is not None else None
            rows: list[tuple[Any, ...]] = []
            for place, source in enumerate(sources):
                called = str(names[place]) if names is not None else f"row {place}"
                if source is None:
                    rows.append((called, None, None, None, None, None, None, None, None, "there is no run in this row"))
                    continue
                if content is not None and isinstance(source, str):
                    source = source.encode()
                options: dict[str, Any] = {"format": format, "timeout": timeout, "memory": memory, "jobs": 1}
                for report in check_all([source], asked, name=called, **options):
                    rows.extend(_rows(report.name, report))
            yield _batch(rows)

    return df.select(*chosen).mapInArrow(work, RESULT_SCHEMA)


def check_groups(
    df: Any,
    spec: str | os.PathLike[str],
    *,
    key: str = "trace_id",
    order: str | None = None,
    kind: Literal["spans", "events"] = "spans",
    over: _Over = "states",
    partitions: int | None = None,
    max_rows: int = 100_000,
    timeout: float | None = 60,
    memory: int | None = None,
) -> Any:
    """Makes a run of all rows with one key, and checks it.

    ``kind="spans"``: columns ``span_id``, ``parent_span_id``, ``name``, ``service_name``, ``start_unix_nano``,
    ``end_unix_nano``, and if they are there ``kind`` and ``attributes`` (JSON). ``kind="events"``: the columns of
    :meth:`posetta.Run.from_arrow`, without the key. Rows are sorted by ``order`` within a key (``start_unix_nano`` for spans).

    A key with more than ``max_rows`` rows is ``unknown`` and is not held; past ``timeout`` or ``memory`` a key is
    ``unknown``, too. So one large key stalls nothing else.
    """
    question = Question.of(spec, over)
    order = order or ("start_unix_nano" if kind == "spans" else None)
    spread = df.repartition(partitions, key) if partitions is not None else df.repartition(key)
    by = [key] if order is None else [key, order]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        for group, table, count in _groups(batches, key, max_rows):
            yield _batch(list(checked(group, table, count)))

    def checked(group: str, table: Any, count: int) -> Iterator[tuple[Any, ...]]:
        asked = question.spec()
        if table is None:
            why = f"{count} rows, and max_rows is {max_rows}"
            for own in asked:
                yield (group, own.name, "unknown", None, None, why, None, count, None, None)
            return
        try:
            if kind == "spans":
                runs = Run.all_from_otlp(_otlp(group, table.to_pylist()), name=group, timeout=timeout, memory=memory)
            else:
                runs = [Run.from_arrow(table.drop_columns([key]), name=group, timeout=timeout, memory=memory)]
        except PosettaError as error:
            yield (group, None, None, None, None, None, None, count, None, str(error))
            return
        for report in check_all(runs, asked, jobs=1, timeout=timeout, memory=memory):
            yield from _rows(group, report)

    return spread.sortWithinPartitions(*by).mapInArrow(work, RESULT_SCHEMA)


def _groups(batches: Iterator[Any], key: str, max_rows: int) -> Iterator[tuple[str, Any, int]]:
    """Rows with one key one after the other, as tables; ``None`` instead of one that is too large to be held."""
    import pyarrow as pa

    current: Any = None
    parts: list[Any] = []
    count = 0

    def finished() -> tuple[str, Any, int]:
        return str(current), (pa.Table.from_batches(parts) if count <= max_rows else None), count

    for batch in batches:
        keys = batch.column(batch.schema.get_field_index(key)).to_pylist()
        start = 0
        while start < len(keys):
            end = start + 1
            while end < len(keys) and keys[end] == keys[start]:
                end += 1
            if count and keys[start] != current:
                yield finished()
                parts, count = [], 0
            current = keys[start]
            count += end - start
            if count <= max_rows:
                parts.append(batch.slice(start, end - start))
            else:
                parts.clear()
            start = end
    if count:
        yield finished()


def _otlp(trace: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Rows of a lake as an export of OpenTelemetry, which our reader orders."""
    services: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        span: dict[str, Any] = {
            "traceId": trace,
            "spanId": row["span_id"],
            "name": row["name"],
            "startTimeUnixNano": str(row["start_unix_nano"]),
            "endTimeUnixNano": str(row["end_unix_nano"]),
        }
        if row.get("parent_span_id"):
            span["parentSpanId"] = row["parent_span_id"]
        if row.get("kind") is not None:
            span["kind"] = row["kind"]
        attributes = row.get("attributes")
        if attributes:
            read = json.loads(attributes) if isinstance(attributes, str) else dict(attributes)
            span["attributes"] = [{"key": name, "value": _any(value)} for name, value in read.items()]
        services.setdefault(row.get("service_name") or "unknown", []).append(span)
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]},
                "scopeSpans": [{"spans": spans}],
            }
            for service, spans in services.items()
        ]
    }


def _any(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value if isinstance(value, str) else json.dumps(value)}


def monitor_groups(
    df: Any,
    spec: str | os.PathLike[str],
    *,
    key: str,
    records: Literal["events", "states"] = "states",
    order: str | None = None,
    over: _Over = "states",
) -> Any:
    """Follows a stream for each key of a streaming DataFrame, by ``transformWithState``; Spark keeps the state of each key.

    With ``records="events"``, a column ``process`` is needed, and columns ``set.NAME`` are variables; without, all columns but
    the key and ``order`` are variables. Rows of one key are sorted by ``order`` within a batch. Spark wants its RocksDB state
    store for this (``spark.sql.streaming.stateStore.providerClass``).
    """
    question = Question.of(spec, over)
    KeyedMonitor(question.spec(), records=records)
    from pyspark.sql.streaming import StatefulProcessor

    class Follow(StatefulProcessor):  # type: ignore[misc, unused-ignore]
        def init(self, handle: Any) -> None:
            self._state = handle.getValueState("posetta", "state binary")
            self._monitor = KeyedMonitor(question.spec(), records=records)

        def handleInputRows(self, key_of: Any, rows: Iterator[Any], timers: Any) -> Iterator[Any]:
            import pandas as pd

            frame = pd.concat(list(rows))
            if order is not None:
                frame = frame.sort_values(order)
            entries = [_record(row, key, order, records) for row in frame.to_dict("records")]
            before = self._state.get()[0] if self._state.exists() else None
            state, changes, restarted = self._monitor.step(None if before is None else bytes(before), entries)
            self._state.update((state,))
            told = [
                (str(key_of[0]), change.property, change.position, change.verdict, change.satisfied, False)
                for change in changes
            ]
            told += [(str(key_of[0]), name, None, "open", None, True) for name in restarted]
            yield pd.DataFrame(told, columns=["key", "property", "position", "verdict", "satisfied", "restarted"])

        def close(self) -> None:
            """There is nothing to close."""

    return df.groupBy(key).transformWithStateInPandas(
        statefulProcessor=Follow(), outputStructType=MONITOR_SCHEMA, outputMode="Append", timeMode="None"
    )


def _record(row: dict[str, Any], key: str, order: str | None, records: str) -> dict[str, Any]:
    """A row as a record; what is not there is not said."""
    fields = {name: value for name, value in row.items() if name not in (key, order) and value is not None and value == value}
    if records == "states":
        return fields
    assigned = {name[4:]: value for name, value in fields.items() if name.startswith("set.")}
    return {"set": assigned, **{name: value for name, value in fields.items() if not name.startswith("set.")}}
