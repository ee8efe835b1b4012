"""Tables of Arrow, in and out."""

from __future__ import annotations

import pytest

from posetta import Invalid, Monitor, Run

pa = pytest.importorskip("pyarrow")


def table() -> object:
    return pa.table(
        {
            "process": pa.array(["A", "B", "A", "B"]).dictionary_encode(),
            "id": ["m", None, None, None],
            "name": ["send", "receive", "end", None],
            "after": pa.array([None, ["m"], [], None], pa.list_(pa.string())),
            "time": [1, 2, 3, 4],
            "set.x": pa.array([1, None, 0, None], pa.int8()),
            "set.y": [None, "on", None, "off"],
            "order": [0.5, 1.5, None, 2.25],
            "paid": [True, False, None, True],
        }
    )


def test_a_table_is_a_run() -> None:
    run = Run.from_arrow(table())
    assert run.processes == ["A", "B"] and len(run) == 4
    assert run.events[1].causes == [run["m"]]
    assert [event.set for event in run.events] == [{"x": 1}, {"y": "on"}, {"x": 0}, {"y": "off"}]
    assert run.events[0].attributes == {"order": 0.5, "paid": True}
    assert run.events[3].name is None


def test_slices_and_chunks() -> None:
    whole = table()
    parts = pa.concat_tables([whole.slice(0, 1), whole.slice(1, 1), whole.slice(2)])
    assert Run.from_arrow(parts).write("jsonl") == Run.from_arrow(whole).write("jsonl")
    assert [e.process for e in Run.from_arrow(whole.slice(2)).events] == ["A", "B"]


def test_there_and_back() -> None:
    run = Run.from_arrow(table())
    assert Run.from_arrow(run.to_arrow()).write("jsonl") == run.write("jsonl")


def test_the_same_as_json_lines() -> None:
    rows = [
        {"process": row["process"], **{k: v for k, v in row.items() if v is not None and k != "process" and k[:4] != "set."}}
        for row in table().to_pylist()
    ]
    for row, full in zip(rows, table().to_pylist(), strict=True):
        row["set"] = {k[4:]: v for k, v in full.items() if k.startswith("set.") and v is not None}
    assert Run.from_events(rows).write("jsonl") == Run.from_arrow(table()).write("jsonl")


def test_what_is_wrong() -> None:
    with pytest.raises(Invalid, match="no column `process`"):
        Run.from_arrow(pa.table({"x": [1]}))
    with pytest.raises(Invalid, match="row 2 of the column `process`"):
        Run.from_arrow(pa.table({"process": ["A", None]}))
    with pytest.raises(Invalid):
        Run.from_arrow(pa.table({"process": ["A"], "after": [["nowhere"]]}))
    with pytest.raises(Invalid, match="no value"):
        Run.from_arrow(pa.table({"process": ["A"], "set.x": [float("nan")]}))


def test_a_monitor_by_columns() -> None:
    monitor = Monitor("G (event(a) -> x < 3)")
    batch = pa.RecordBatch.from_pydict({"process": ["P"] * 4, "name": ["a", "b", "a", "a"], "set.x": [1, 5, None, 3]})
    changes = monitor.feed(batch)
    assert [(one.record, one.verdict) for one in changes][-1] == (3, "violated")
