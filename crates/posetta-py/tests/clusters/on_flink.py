"""Flink with a job manager and two task managers on this machine: both are killed, and the job goes on with more workers.

    tools/test-clusters flink

Records are out of order, and followed by event time and by key; verdicts are those of the program, each once. ``POSETTA_RECORDS``
and ``POSETTA_KEYS`` say how many; ``POSETTA_PROGRAM`` names the program to compare with.
"""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import random
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any

from flink_cluster import Cluster
from pyflink.common import Types

from posetta import Monitor

RECORDS = int(os.environ.get("POSETTA_RECORDS", "1000000"))
KEYS = int(os.environ.get("POSETTA_KEYS", "10000"))
PROGRAM = os.environ.get("POSETTA_PROGRAM")
# Most keys stay undecided, so their state changes with every record.
FORMULA = "G !(x == 1 && y == 1 && Y (x == 2 && y == 2 && Y x == 3))"
BOUND = 6
"""How far records are out of order, in their own time."""

LATE = [{"k": f"k{i}", "t": 0, "x": 1, "y": 1} for i in range(10)]
"""Records at the end of the source that come behind the watermark."""

Verdict = tuple[str, int, str]


class Held(dict[str, bytes]):
    """State of a group of keys, as Flink hands it to a function: a function is tried without a cluster."""

    put = dict.__setitem__

    def get_map_state(self, _: Any) -> Held:
        return self

    def get_current_key(self) -> int:
        return 0


def versions() -> None:
    """State of another version of a property is not used, and that is told."""
    from posetta._asked import Question
    from posetta.flink import Follow

    held = Held()
    for formula, restarted in (("G x < 3", False), ("G x < 3", False), ("G x < 2", True)):
        function = Follow(Question.of(formula), "states", Types.STRING())
        function.open(held)
        record = ("a", json.dumps({"x": 1}))
        told = [json.loads(out[1]) for out in function.process_element(record, held) if isinstance(out, tuple)]
        assert any("restarted" in one for one in told) == restarted, told
    print("a property that changed starts again, and says so")


def expected(records: list[dict[str, Any]], room: pathlib.Path) -> list[Verdict]:
    """The verdicts on records in their order: those of the program, or of the module where there is none."""
    if PROGRAM is None:
        assert not os.environ.get("CI"), "POSETTA_PROGRAM names no program to compare with"
        monitor = Monitor(FORMULA, key="k")
        told = [change for one in records for change in monitor.step(one)]
        return sorted((str(change.key), int(change.position), change.verdict) for change in told)
    source = room / "in-order.jsonl"
    source.write_text("\n".join(map(json.dumps, records)))
    command = [PROGRAM, "monitor", str(source), "--key", "k", "--ltl", FORMULA, "--json"]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return sorted((one["key"], one["position"], one["verdict"]) for one in map(json.loads, told.splitlines()))


def committed(folder: pathlib.Path) -> Iterator[str]:
    """What the sink has made final: files in progress begin with a dot or say so."""
    for part in folder.rglob("part-*"):
        if not part.name.startswith(".") and "inprogress" not in part.name:
            yield from part.read_text().splitlines()


def verdicts(folder: pathlib.Path, late: list[dict[str, Any]] | None = None) -> list[Verdict]:
    if late is not None:
        behind = sorted(map(json.loads, committed(folder / "late")), key=lambda one: str(one["k"]))
        assert behind == late, f"{len(behind)} records came behind the watermark: {behind[:3]}"
    return sorted((one["key"], one["position"], one["verdict"]) for one in map(json.loads, committed(folder / "told")))


def main() -> None:
    versions()
    dice = random.Random(1)
    # One key in a hundred has one record only: nothing comes behind it that would make up for what a recovery has lost.
    records: list[dict[str, Any]] = [
        {"k": f"k{i % KEYS}" if i % 101 else f"once{i}", "t": i // KEYS, "x": dice.randint(0, 3), "y": dice.randint(0, 3)}
        for i in range(RECORDS)
    ]
    with tempfile.TemporaryDirectory() as name:
        room = pathlib.Path(name)
        wanted = expected(records, room)
        source = room / "records.jsonl.gz"
        with gzip.open(source, "wt", compresslevel=1) as out:
            mixed = sorted(records, key=lambda one: one["t"] + dice.random() * (BOUND - 1))
            out.writelines(json.dumps(one) + "\n" for one in mixed + LATE)

        def asked(work: str, name: str) -> tuple[str, ...]:
            told = ("--work", work, "--records", f"file://{source}", "--verdicts", f"file://{room / f'{work}-{name}'}")
            return (*told, "--formula", FORMULA, "--bound", str(BOUND))

        with Cluster(room) as cluster:
            survives(cluster, asked("by-event-time", "killed"), room / "by-event-time-killed", wanted)
            empty = cluster.seconds(cluster.submit(2, *asked("empty", "undisturbed")))
            print(f"an empty function: {empty:.1f} s, {RECORDS / empty:.0f} records a second")
            for work in ("as-they-come", "by-event-time"):
                seconds = cluster.seconds(cluster.submit(2, *asked(work, "undisturbed")))
                print(f"{work}: {seconds:.1f} s, {RECORDS / seconds:.0f} records a second, {empty / seconds:.0%} of the empty one")
        assert verdicts(room / "by-event-time-undisturbed", LATE) == wanted


def survives(cluster: Cluster, asked: tuple[str, ...], folder: pathlib.Path, wanted: list[Verdict]) -> None:
    """A task manager is killed, then the job manager; the job goes on from the retained checkpoint with three workers instead of two."""
    first = cluster.submit(2, *asked)
    cluster.until("a first checkpoint", lambda: cluster.checkpoints(first) >= 1)
    assert cluster.state(first) == "RUNNING"
    cluster.kill("taskmanagerone")
    cluster.start("taskmanager", "one")
    cluster.until("a recovery", lambda: cluster.restored(first) >= 1 and cluster.state(first) == "RUNNING")
    before = cluster.checkpoints(first)
    cluster.until("a checkpoint after it", lambda: cluster.checkpoints(first) > before)
    assert cluster.state(first) == "RUNNING", "the job ended before the job manager was killed: give it more records"
    cluster.kill("jobmanager")
    checkpoint = cluster.retained(first)
    cluster.start("jobmanager")
    cluster.until("both task managers", lambda: cluster.get("/overview")["taskmanagers"] == 2)
    second = cluster.submit(3, *asked, checkpoint=checkpoint)
    seconds = cluster.seconds(second)
    found = verdicts(folder, LATE)
    assert len(found) == len(set(found)), "a verdict is there twice"
    assert found == wanted, (len(found), len(wanted), found[:3], wanted[:3])
    print(f"{RECORDS} records, {KEYS} keys, by event time, a task manager and the job manager killed, 3 workers instead of 2 from "
          f"{checkpoint.name} on ({seconds:.1f} s): {len(found)} verdicts like those of the program, each once")


if __name__ == "__main__":
    main()
