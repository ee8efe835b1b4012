"""Runs from every door, and back."""

from __future__ import annotations

import gzip
import io
import pathlib
from fractions import Fraction

import pytest

from posetta import Invalid, Run, check

TEXT = b"A: c0=1 -> c0=0\nB: c1=1 -> c1=0\n"
EVENTS = [
    {"process": "A", "id": "m", "name": "send", "set": {"x": 1}, "time": 1},
    {"process": "B", "name": "receive", "set": {"y": "two"}, "after": ["m"], "time": 2.5, "request": {"id": 7}},
]


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview, io.BytesIO, lambda raw: io.StringIO(raw.decode())])
def test_bytes_and_files(make: object) -> None:
    run = Run.read(make(TEXT))  # type: ignore[operator]
    assert (len(run), run.processes) == (4, ["A", "B"])


def test_paths_and_packed_files(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "run.txt.gz"
    path.write_bytes(gzip.compress(TEXT))
    for named in (path, str(path)):
        assert Run.read(named).name == str(path)
    assert Run.read(gzip.compress(TEXT)).count_orders() == 6


def test_an_unfinished_waveform_has_its_names_beside_it(tmp_path: pathlib.Path) -> None:
    samples = pathlib.Path(__file__).parents[2] / "posetta-formats" / "src" / "fst" / "testdata"
    path = tmp_path / "killed.fst"
    path.write_bytes((samples / "killed.fst").read_bytes())
    with pytest.raises(Invalid, match="never finished"):
        Run.read(path)
    (tmp_path / "killed.fst.hier").write_bytes((samples / "killed.fst.hier").read_bytes())
    assert check(Run.read(path), "G (c != 9)").verdict == "violated"


def test_events() -> None:
    run = Run.from_events(EVENTS, initial={"x": 0})
    send, receive = run.events
    assert (send.label, send.set, send.causes) == ("m", {"x": 1}, [])
    assert receive.causes == [send] and receive.time == Fraction(5, 2)
    assert receive.attributes == {"request": {"id": 7}}
    assert [event.label for event in run.recorded or []] == ["m", "B.1"]
    assert run["m"] == run[0] and run[-1] == receive
    with pytest.raises(KeyError):
        run["no"]
    with pytest.raises(IndexError):
        run[2]
    again = Run.from_events([event for event in run.to_events() if "process" in event], initial={"x": 0})
    assert again.write("jsonl") == run.write("jsonl")


def test_exact_numbers() -> None:
    run = Run.from_events([{"process": "A", "set": {"x": 0.1, "y": 10**30}}])
    assert run.events[0].set == {"x": Fraction(1, 10), "y": 10**30}
    assert check(run, "F (10 * x == 1)").ok


def test_mistakes_have_carets() -> None:
    with pytest.raises(Invalid) as caught:
        Run.read(b'{"process":"A"}\n{"process":7}\n')
    assert caught.value.diagnostics[0]["line"] == 2
    assert "^" in str(caught.value) and "--> run:2:" in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (lambda: Run.read(b"A: x=1\n", format="nothing"), "formats are"),
        (lambda: Run.read(b"A: x=1\n", nothing=1), "no keyword"),
        (lambda: Run.read(7), "path"),
        (lambda: Run.read("/nowhere/run.jsonl"), "cannot read"),
        (lambda: Run.read(b""), "empty"),
        (lambda: Run.from_events([7]), "an event is a dict"),
        (lambda: Run.from_events([{"process": "A", "set": {"x": float("nan")}}]), "^"),
        (lambda: Run.read(b"A: x=1\n", trust="host"), "trust= is for spans"),
        (lambda: Run.read(b"A: x=1\n", timeout=-1), "seconds"),
        (lambda: Run.from_otlp([]), "no spans"),
    ],
)
def test_what_is_wrong_is_said(bad: object, word: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        bad()  # type: ignore[operator]
    assert word in str(caught.value)


def test_spans_of_an_sdk() -> None:
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    for _ in range(2):
        with tracer.start_as_current_span("checkout"):
            with tracer.start_as_current_span("pay"):
                pass
    runs = Run.all_from_otlp(exporter.get_finished_spans())
    assert len(runs) == 2 and len({run.label for run in runs}) == 2
    assert {event.name for event in runs[0].events} >= {"pay", "checkout"}
    one = Run.from_otlp(exporter.get_finished_spans(), label=runs[1].label)
    assert one.label == runs[1].label
    with pytest.raises(Invalid, match="2 runs"):
        Run.from_otlp(exporter.get_finished_spans())


def test_pictures() -> None:
    run = Run.read(TEXT)
    assert run._repr_html_().startswith("<svg")
    assert check(run, "G !(c0 == 1 && c1 == 1)")._repr_html_().startswith("<svg")
