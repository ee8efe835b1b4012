"""Questions, answers, limits."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT

from posetta import Invalid, Property, Run, Spec, check, check_all

RUN = Run.read(b"A: c0=1 -> c0=0\nB: c1=1 -> c1=0\n")
MUTEX = "G !(c0 == 1 && c1 == 1)"


def hard(processes: int = 14) -> Run:
    """A run whose orders take long to go through one cut at a time."""
    lines = [f"P{i}: " + " -> ".join(f"x{i}={k}" for k in range(1, 7)) for i in range(processes)]
    return Run.read(("\n".join(lines) + "\n").encode())


HARD = "G !(" + " + ".join(f"x{i}" for i in range(14)) + " == 1000)"


def test_a_violation() -> None:
    report = check(RUN, MUTEX)
    [result] = report
    assert (report.verdict, report.ok, len(report)) == ("violated", False, 1)
    assert (result.verdict, result.runs, result.observed) == ("violated", "some", None)
    assert [event.label for event in result.order or []] == ["A.1", "B.1", "A.2", "B.2"]
    why = result.why
    assert why is not None and why.missing_edges == [("A.2", "B.1")] and "missing" not in (why.text or "")
    assert "●" in result.explanation
    assert result.to_dict()["why"]["missing_edges"]
    with pytest.raises(AssertionError, match="violated"):
        report.assert_holds()


def test_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs/schema/check.json").read_text())
    referencing = pytest.importorskip("referencing")
    parts = json.loads((ROOT / "docs/schema/parts.json").read_text())
    registry = referencing.Registry().with_resources(
        [(name, referencing.Resource.from_contents(parts)) for name in ("parts.json", parts.get("$id", "parts.json"))]
    )
    jsonschema.Draft202012Validator(schema, registry=registry).validate(check(RUN, MUTEX, parts=True).to_dict())


def test_specs(tmp_path: pathlib.Path) -> None:
    (tmp_path / "more.props").write_text("property apart = ltl G !(c0 == 1 && c1 == 1)\n")
    path = tmp_path / "all.props"
    path.write_text('import "more.props"\nproperty ends = ltl F c1 == 1\n')
    spec = Spec.read(path)
    assert [own.name for own in spec] == ["apart", "ends"] and spec["ends"].logic == "ltl"
    assert [result.verdict for result in check(RUN, spec)] == ["violated", "holds"]
    assert check(RUN, spec.only("ends")).ok
    assert [own.name for own in Spec(spec, Property.ctl("EF c0 == 1", name="reach"))] == ["apart", "ends", "reach"]
    outside = tmp_path / "below" / "out.props"
    outside.parent.mkdir()
    outside.write_text('import "../more.props"\n')
    with pytest.raises(Invalid, match="root="):
        Spec.read(outside)
    assert len(Spec.read(outside, root=tmp_path)) == 1
    with pytest.raises(Invalid, match="two properties are called"):
        Spec(spec, spec)
    with pytest.raises(Invalid, match="no property is called"):
        spec.only("end")


def test_what_does_not_fit() -> None:
    with pytest.raises(Invalid, match="c9") as caught:
        check(RUN, ["F c0 == 1", "F c9 == 1"])
    assert caught.value.diagnostics[0]["kind"] == "unknown-variable"
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics
    [report] = check_all([RUN], ["F c0 == 1", "F c9 == 1"])
    assert report.verdict is None and not report.ok and len(report.results) == 1
    with pytest.raises(Invalid):
        report.assert_holds()
    with pytest.raises(TypeError):
        check(RUN, [["F c0 == 1"]])
    with pytest.raises(ValueError, match="engine"):
        check(RUN, MUTEX, engine="none")  # type: ignore[arg-type]


def test_many(tmp_path: pathlib.Path) -> None:
    good = tmp_path / "good.txt"
    good.write_bytes(b"A: c0=1 -> c0=0\nB: c1=1 -> c1=0\nA.2 -> B.1\n")
    reports = check_all([RUN, good, tmp_path / "none.txt", b"A: c0=1\nB: c1=1\n"], MUTEX, jobs=3)
    assert [report.verdict for report in reports] == ["violated", "holds", None, "violated"]
    assert reports[2].errors[0]["kind"] == "input"


def test_limits() -> None:
    report = check(hard(), HARD, engine="explicit", timeout=0.05)
    assert report.verdict == "unknown" and report.results[0].limit["reached"] == "time"  # type: ignore[index]
    report = check(hard(), HARD, engine="explicit", memory=1 << 20)
    assert report.verdict == "unknown" and report.results[0].limit["reached"] == "memory"  # type: ignore[index]
    [one, other] = check_all([hard(), RUN], "G x0 < 9", engine="explicit", timeout=0.05)
    assert one.verdict in ("unknown", "holds") and other.verdict is None


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_an_interruption_ends_the_work() -> None:
    code = (
        # A shell lets what it starts in the background ignore this signal.
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_reports import hard, HARD\nfrom posetta import check\n"
        "print('begun', flush=True)\n"
        "try:\n    check(hard(), HARD, engine='explicit')\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, os.path.dirname(__file__)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n" and child.returncode == 0


def test_eight_threads_at_once() -> None:
    runs = [Run.read(f"A: x={i} -> x=0\nB: y=1 -> y=0\n".encode()) for i in range(40)]
    formula = "G !(x == 1 && y == 1)"
    alone = [[r.to_dict()["witness"] for r in check(run, formula)] for run in runs]
    found: list[object] = [None] * 8
    def work(place: int) -> None:
        found[place] = [[r.to_dict()["witness"] for r in check(run, formula)] for run in runs]
    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 8


def test_others_go_on_while_a_check_works() -> None:
    """The interpreter is let go: another thread counts meanwhile."""
    counted, stop = [0], threading.Event()
    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    check(hard(), HARD, engine="explicit", timeout=0.2)
    after = counted[0]
    stop.set()
    thread.join()
    assert after > before
