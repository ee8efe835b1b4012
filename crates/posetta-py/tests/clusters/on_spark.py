"""Spark with two executors on this machine: many runs and a lake of spans, one executor killed, answers like the program's.

    tools/test-clusters spark

``POSETTA_RUNS`` and ``POSETTA_TRACES`` say how many; ``POSETTA_PROGRAM`` names the program to compare with.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)

import pyspark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))

from posetta.spark import _otlp, check_groups, check_runs, monitor_groups  # noqa: E402

RUNS = int(os.environ.get("POSETTA_RUNS", "5000"))
TRACES = int(os.environ.get("POSETTA_TRACES", "100000"))
PROGRAM = os.environ.get("POSETTA_PROGRAM")
SPEC = "property apart = ltl G !(x == 1 && y == 1)\nproperty ends = ltl F x == 0\n"
ORDER = "precedence(event(pay), event(ship))"


def session() -> SparkSession:
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("posetta")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.task.maxFailures": "4",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def descendants(root: int) -> list[tuple[int, str]]:
    """The processes below one, with what they were started with."""
    parents: dict[int, list[int]] = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents.setdefault(int(stat.rsplit(")", 1)[1].split()[1]), []).append(int(entry.name))
    found, open_ones = [], [root]
    while open_ones:
        for child in parents.get(open_ones.pop(), []):
            open_ones.append(child)
            try:
                found.append((child, pathlib.Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")))
            except OSError:
                continue
    return found


def kill_one_executor(spark: SparkSession, done: list[int]) -> None:
    """Waits until a task of the work is done, and kills an executor outright."""
    tracker = spark.sparkContext.statusTracker()
    for _ in range(600):
        for job in tracker.getActiveJobsIds():
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info else []:
                state = tracker.getStageInfo(stage)
                if state is not None and 0 < state.numCompletedTasks < state.numTasks:
                    executors = [pid for pid, line in descendants(os.getpid()) if "CoarseGrainedExecutorBackend" in line]
                    if executors:
                        os.kill(executors[0], signal.SIGKILL)
                        done.append(executors[0])
                        return
        time.sleep(0.05)


def while_one_is_killed(spark: SparkSession, work: Any) -> Any:
    done: list[int] = []
    thread = threading.Thread(target=kill_one_executor, args=(spark, done))
    thread.start()
    begun = time.perf_counter()
    rows = work()
    seconds = time.perf_counter() - begun
    thread.join()
    assert done, "no executor was killed while tasks were left"
    return rows, seconds


def runs_like_the_program(spark: SparkSession, room: pathlib.Path) -> None:
    dice, folder = random.Random(3), room / "runs"
    folder.mkdir()
    for i in range(RUNS):
        edge = "A.2 -> B.1\n" if dice.random() < 0.5 else ""
        (folder / f"{i:05}.trace").write_text(f"A: x={dice.randint(0, 2)} -> x=0\nB: y=1 -> y=0\n{edge}")
    frame = spark.createDataFrame([(str(path),) for path in sorted(folder.iterdir())], "path string").repartition(40)
    rows, seconds = while_one_is_killed(spark, lambda: check_runs(frame, SPEC, path="path").collect())
    print(f"{RUNS} runs, an executor killed: {seconds:.1f} s, {len(rows)} rows")
    ours = sorted((row.run, row.property, row.verdict, row.runs) for row in rows)
    assert len(ours) == len(set(ours)) == 2 * RUNS, "each answer once"
    if PROGRAM is None:
        assert not os.environ.get("CI"), "POSETTA_PROGRAM names no program to compare with"
        return
    (room / "spec.props").write_text(SPEC)
    told = subprocess.run(
        [PROGRAM, "check", str(folder), "--spec", str(room / "spec.props"), "--json"], capture_output=True, text=True, check=False
    )
    theirs = sorted((one["trace"], one["property"], one["verdict"], one["runs"]) for one in json.loads(told.stdout)["results"])
    assert ours == theirs
    print("equal to the program's, row by row")


def spans_of(trace: int) -> list[dict[str, Any]]:
    """A trace of the lake: an order is paid and shipped. Side by side, the one within the other, or the other within the one."""
    root, pay, ship = (f"{trace + 1 + place * TRACES:016x}" for place in range(3))
    side_by_side, within, around = (trace % 3 == kind for kind in range(3))
    times = {root: (1000, 9000), pay: (3000, 7500), ship: (5000, 6000)}
    if around:
        times[pay], times[ship] = times[ship], times[pay]
    parents = {root: None, pay: ship if around else root, ship: pay if within else root}
    return [
        {
            "trace_id": f"{trace + 1:032x}",
            "span_id": span,
            "parent_span_id": parents[span],
            "name": name,
            "service_name": service,
            "start_unix_nano": times[span][0],
            "end_unix_nano": times[span][1],
        }
        for span, name, service in ((root, "checkout", "shop"), (pay, "pay", "bank"), (ship, "ship", "post"))
    ]


def a_lake(spark: SparkSession, room: pathlib.Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import functions as f

    lake, dice = room / "lake", random.Random(2)
    lake.mkdir()
    spans = [span for trace in range(TRACES) for span in spans_of(trace)]
    dice.shuffle(spans)
    for part in range(4):
        pq.write_table(pa.Table.from_pylist(spans[part::4]), lake / f"{part}.parquet")
    answers = check_groups(spark.read.parquet(str(lake)), ORDER, partitions=24).select("run", "verdict", "runs")
    rows, seconds = while_one_is_killed(spark, answers.collect)
    print(f"{TRACES} traces in Parquet, an executor killed: {seconds:.1f} s, {TRACES * 3 / seconds:.0f} spans a second")
    assert len(rows) == len({row.run for row in rows}) == TRACES, "each trace once"
    ours = sorted((row.run, row.verdict, row.runs) for row in rows)
    if PROGRAM is not None:
        export = room / "lake.jsonl"
        with export.open("w") as out:
            for trace in range(TRACES):
                out.write(json.dumps(_otlp(f"{trace + 1:032x}", spans_of(trace))) + "\n")
        told = subprocess.run(
            [PROGRAM, "check", str(export), "--ltl", ORDER, "--json"], capture_output=True, text=True, check=False
        )
        results = json.loads(told.stdout)["results"]
        assert ours == sorted((one["trace"].rsplit("#", 1)[1], one["verdict"], one["runs"]) for one in results)
        print("equal to the program's, row by row")
    assert {(verdict, runs) for _, verdict, runs in ours} == {("violated", "some"), ("holds", "all"), ("violated", "none")}
    # One key has very many rows: it is unknown, and the others are decided.
    few = spark.read.parquet(str(lake)).where(f.col("trace_id") <= f"{50:032x}")
    giant = few.limit(1).drop("trace_id", "span_id").crossJoin(
        spark.range(20_000).select(f.lit("f" * 32).alias("trace_id"), f.format_string("%016x", f.col("id") + 1).alias("span_id"))
    )
    skewed = check_groups(few.unionByName(giant), ORDER, max_rows=1000).select("run", "verdict").collect()
    assert len(skewed) == 51 and {row.run for row in skewed if row.verdict == "unknown"} == {"f" * 32}, skewed
    print("a key with 20000 rows is unknown, 50 others are decided")


def a_stream(spark: SparkSession, room: pathlib.Path) -> None:
    from posetta import Monitor

    formula, dice, records = "G !(x == 1 && y == 1 && O x == 2)", random.Random(5), []
    for i in range(400):
        records.append({"k": f"k{dice.randrange(8)}", "n": i, "x": dice.randint(0, 3), "y": dice.randint(0, 3)})
    monitor = Monitor(formula, key="k")
    told = [change for one in records for change in monitor.step({name: one[name] for name in ("k", "x", "y")})]
    expected = sorted((change.key, change.position, change.verdict) for change in told)
    source = room / "stream"
    source.mkdir()

    def go() -> list[tuple[Any, ...]]:
        frame = spark.readStream.schema("k string, n long, x long, y long").option("maxFilesPerTrigger", 1).json(str(source))
        out = monitor_groups(frame, formula, key="k", order="n").writeStream.format("json")
        out = out.option("checkpointLocation", str(room / "checkpoint")).option("path", str(room / "verdicts"))
        out.trigger(availableNow=True).start().awaitTermination()
        found = spark.read.schema("key string, position long, verdict string").json(str(room / "verdicts")).collect()
        return sorted((row.key, row.position, row.verdict) for row in found)

    # Twice, so that the second query goes on from the state of the first.
    for part, half in enumerate((records[:200], records[200:])):
        (source / f"{part}.json").write_text("\n".join(json.dumps(one) for one in half))
        found = go()
    assert found == expected
    print(f"a stream of {len(records)} records, restarted: verdicts like those of Monitor, each once")


def main() -> None:
    spark = session()
    with tempfile.TemporaryDirectory() as room:
        a_lake(spark, pathlib.Path(room))
        runs_like_the_program(spark, pathlib.Path(room))
        a_stream(spark, pathlib.Path(room))
    spark.stop()


if __name__ == "__main__":
    main()
