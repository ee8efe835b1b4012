"""What is easier said in Python: events as JSON lines, spans as protocol buffers, columns as buffers.

Nothing here needs more than the standard library until it is called with objects of others (pyarrow, OpenTelemetry).
"""

from __future__ import annotations

import array
import importlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_FIELDS = ("process", "id", "name", "time", "after")

# A column for the native part: name, what it is for, type, which rows have a value, buffers.
_Column = tuple[str, str, str, Any, list[Any]]


def encode_events(events: Iterable[Any], initial: Any, processes: Any) -> bytes:
    """Events as JSON lines, with a header if something is declared."""
    lines: list[str] = []
    header: dict[str, Any] = {"posetta": 1}
    if processes is not None:
        header["processes"] = list(processes)
    if initial is not None:
        header["initial"] = dict(initial)
    if len(header) > 1:
        lines.append(_dumps(header))
    for event in events:
        if not isinstance(event, Mapping):
            raise TypeError("an event is a dict with `process` and other fields of the JSON lines format")
        lines.append(_dumps(event))
    return ("\n".join(lines) + "\n").encode()


def _dumps(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"), default=_exact)


def _exact(value: Any) -> Any:
    """Numbers that JSON has no type for, if they are exact there."""
    if hasattr(value, "item"):  # numpy
        return value.item()
    if hasattr(value, "numerator") and value.denominator == 1:
        return int(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of the type {type(value).__name__} is nothing that JSON has")


def decode_events(text: str) -> list[dict[str, Any]]:
    """JSON lines as dictionaries."""
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def encode_spans(spans: Any) -> tuple[Any, str | None]:
    """Spans in any of their forms, as bytes or a path, and the format if it is known."""
    if isinstance(spans, (bytes, bytearray, memoryview, str, os.PathLike)) or hasattr(spans, "read"):
        return spans, None
    if isinstance(spans, Mapping):
        return json.dumps(spans).encode(), "otlp"
    spans = list(spans)
    if spans and all(isinstance(span, Mapping) for span in spans):
        # Exports, one after the other; spans by themselves have no resource.
        if all("resourceSpans" in span for span in spans):
            return "\n".join(json.dumps(span) for span in spans).encode(), "otlp"
        return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode(), "otlp"
    if not spans:
        raise ValueError("there are no spans")
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans as encode

    return encode(spans).SerializeToString(), "otlp-proto"


def columns_of_events(table: Any, set: Iterable[str] | None) -> list[_Column]:
    """The columns of a table of events."""
    if hasattr(table, "schema") and not hasattr(table, "column_names"):
        raise TypeError("a pyarrow.Table, a RecordBatch or a dict of columns is expected")
    named = _named(table)
    chosen = None if set is None else frozenset(set)
    columns: list[_Column] = []
    for name, column in named:
        role = name if name in _FIELDS else "attribute"
        if chosen is None and role == "attribute" and name.startswith("set."):
            name, role = name[4:], "set"
        elif chosen is not None and name in chosen:
            role = "set"
        columns.append(_column(name, role, column))
    return columns


def columns_of_records(table: Any, set: Iterable[str] | None) -> list[_Column]:
    """The columns of a table of records: of events if there is a process, else of states."""
    named = _named(table)
    if any(name == "process" for name, _ in named):
        return columns_of_events(table, set)
    return [_column(name, "set", column) for name, column in named]


def _named(table: Any) -> list[tuple[str, Any]]:
    if isinstance(table, Mapping):
        return [(str(name), column) for name, column in table.items()]
    names = getattr(table, "column_names", None) or getattr(getattr(table, "schema", None), "names", None)
    if names is None:
        raise TypeError("a dict of columns, a pyarrow.Table or a RecordBatch is expected")
    return [(name, table.column(place)) for place, name in enumerate(names)]


def _column(name: str, role: str, column: Any) -> _Column:
    if hasattr(column, "buffers") or hasattr(column, "chunks"):
        return _arrow(name, role, column)
    if isinstance(column, (list, tuple)):
        return _plain(name, role, column)
    dtype = getattr(column, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "") in "iuf" and hasattr(column, "astype"):
        kind = "float" if dtype.kind == "f" else "int"
        wide = column.astype("float64" if kind == "float" else "int64", copy=False)
        return name, role, kind, None, [memoryview(wide.data).cast("B") if wide.flags.c_contiguous else wide.tobytes()]
    if dtype is not None and getattr(dtype, "kind", "") == "b":
        return name, role, "bool", None, [column.tobytes()]
    if isinstance(column, array.array):
        if column.typecode == "q":
            return name, role, "int", None, [column]
        if column.typecode == "d":
            return name, role, "float", None, [column]
    return _plain(name, role, list(column))


def _plain(name: str, role: str, column: Sequence[Any]) -> _Column:
    kinds = {type(value) for value in column}
    if kinds == {int} and role != "after":
        try:
            return name, role, "int", None, [array.array("q", column)]
        except OverflowError:
            pass
    if kinds == {float}:
        return name, role, "float", None, [array.array("d", column)]
    if role == "after" or any(isinstance(value, (list, tuple)) for value in column):
        lists = [value if isinstance(value, (list, tuple)) else [] if value is None else [value] for value in column]
        ends, flat = array.array("q", [0]), list[str]()
        for one in lists:
            flat.extend(str(value) for value in one)
            ends.append(len(flat))
        return name, role, "texts", None, [ends, *_texts(flat)]
    if kinds == {str}:
        return name, role, "text", None, _texts(column)
    return name, role, "values", None, [column]


def _texts(column: Iterable[str]) -> list[Any]:
    ends, parts, length = array.array("q", [0]), list[bytes](), 0
    for text in column:
        encoded = text.encode()
        parts.append(encoded)
        length += len(encoded)
        ends.append(length)
    return [ends, b"".join(parts)]


def _arrow(name: str, role: str, column: Any) -> _Column:
    """The buffers of a column of Arrow. Types are made wide first, which copies only what is narrow."""
    import pyarrow as pa
    import pyarrow.types as types

    # Its functions are made when it is imported, so that no checker of types knows them.
    compute: Any = importlib.import_module("pyarrow.compute")
    if hasattr(column, "chunks"):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    valid = None
    if column.null_count:
        valid = _fixed(compute.is_valid(column).cast(pa.uint8()), 1)
    if types.is_boolean(column.type):
        return name, role, "bool", valid, [_fixed(column.cast(pa.uint8()), 1)]
    if types.is_integer(column.type):
        return name, role, "int", valid, [_fixed(column.cast(pa.int64()), 8)]
    if types.is_timestamp(column.type):
        # Only the order of times matters, so the unit does not.
        return name, role, "int", valid, [_fixed(column.cast(pa.int64()), 8)]
    if types.is_floating(column.type):
        return name, role, "float", valid, [_fixed(column.cast(pa.float64()), 8)]
    if types.is_string(column.type) or types.is_large_string(column.type):
        return name, role, "text", valid, _arrow_texts(column.cast(pa.large_string()))
    if types.is_list(column.type) or types.is_large_list(column.type):
        column = column.cast(pa.large_list(pa.large_string()))
        # Of a slice, ends count from the whole.
        values = column.values
        return name, role, "texts", valid, [_ends(column), *_arrow_texts(values)]
    if types.is_null(column.type):
        return name, role, "values", None, [[None] * len(column)]
    return name, role, "values", None, [column.to_pylist()]


def _fixed(column: Any, width: int) -> Any:
    data = column.buffers()[1]
    if data is None:
        return b""
    return memoryview(data)[column.offset * width : (column.offset + len(column)) * width]


def _ends(column: Any) -> Any:
    ends = column.buffers()[1]
    if ends is None:
        return array.array("q", [0])
    return memoryview(ends)[column.offset * 8 : (column.offset + len(column) + 1) * 8]


def _arrow_texts(column: Any) -> list[Any]:
    data = column.buffers()[2]
    return [_ends(column), b"" if data is None else data]


def table_of_events(events: Sequence[Mapping[str, Any]]) -> Any:
    """Events as a table: a column for each field, variable and attribute."""
    import pyarrow as pa

    rows = [event for event in events if "process" in event]
    names: dict[str, None] = dict.fromkeys(name for row in rows for name in row if name not in ("set", "attrs", "clock"))
    columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in names}
    if "after" in columns:
        columns["after"] = [_labels(after) for after in columns["after"]]
    variables = dict.fromkeys(name for row in rows for name in row.get("set", {}))
    for name in variables:
        columns[f"set.{name}"] = [row.get("set", {}).get(name) for row in rows]
    attributes = dict.fromkeys(name for row in rows for name in row.get("attrs", {}))
    for name in attributes:
        columns.setdefault(name, [row.get("attrs", {}).get(name) for row in rows])
    return pa.table({name: _array(column) for name, column in columns.items()})


def _labels(after: Any) -> list[str] | None:
    if after is None:
        return None
    after = [after] if isinstance(after, (str, Mapping)) else after
    return [cause["event"] if isinstance(cause, Mapping) else cause for cause in after]


def _array(column: list[Any]) -> Any:
    """A column of one type; what has several becomes JSON."""
    import pyarrow as pa

    try:
        return pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else json.dumps(value) for value in column])
