"""Flink on this machine: records out of order, by event time and by key, with verdicts like those of a monitor.

    tools/test-clusters flink

``POSETTA_RECORDS`` and ``POSETTA_KEYS`` say how many.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from typing import Any

from pyflink.common import Configuration, Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment

from posetta import Monitor
from posetta.flink import follow

RECORDS = int(os.environ.get("POSETTA_RECORDS", "50000"))
KEYS = int(os.environ.get("POSETTA_KEYS", "500"))
FORMULA = "G !(x == 1 && y == 1 && O x == 2)"


class Time(TimestampAssigner):  # type: ignore[misc]
    def extract_timestamp(self, value: str, record_timestamp: int) -> int:
        return int(json.loads(value)["t"])


class Empty(KeyedProcessFunction):  # type: ignore[misc]
    def process_element(self, value: str, ctx: Any) -> Any:
        yield value


def environment() -> StreamExecutionEnvironment:
    settings = Configuration()
    settings.set_string("python.executable", sys.executable)
    settings.set_string("python.client.executable", sys.executable)
    env = StreamExecutionEnvironment.get_execution_environment(settings)
    env.set_parallelism(2)
    return env


def keyed(env: StreamExecutionEnvironment, lines: list[str], bound: int) -> Any:
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(bound)).with_timestamp_assigner(Time())
    stream = env.from_collection(lines, Types.STRING()).set_parallelism(1)
    stream = stream.assign_timestamps_and_watermarks(strategy).set_parallelism(1)
    return stream.key_by(lambda value: json.loads(value)["k"], Types.STRING())


def collected(stream: Any) -> tuple[list[str], float]:
    begun = time.perf_counter()
    with stream.execute_and_collect() as results:
        return list(results), time.perf_counter() - begun


def main() -> None:
    dice = random.Random(1)
    records = [
        {"k": f"k{i % KEYS}", "t": i // KEYS, "x": dice.randint(0, 3), "y": dice.randint(0, 3)} for i in range(RECORDS)
    ]
    monitor = Monitor(FORMULA, key="k")
    told = [change for one in records for change in monitor.step({name: one[name] for name in ("k", "x", "y", "t")})]
    expected = sorted((change.key, change.position, change.verdict) for change in told)
    # Out of order by less than the bound on it.
    lines = [json.dumps(one) for one in sorted(records, key=lambda one: one["t"] + dice.random() * 5)]

    empty, idle = collected(keyed(environment(), lines, 6).process(Empty(), Types.STRING()))
    assert len(empty) == RECORDS
    _, verdicts, _ = follow(keyed(environment(), lines, 6), FORMULA)
    found, busy = collected(verdicts)
    answers = sorted((one["key"], one["position"], one["verdict"]) for one in map(json.loads, found))
    assert answers == expected, (answers[:3], expected[:3])
    print(f"{RECORDS} records, {KEYS} keys, by event time: {len(answers)} verdicts like those of Monitor, each once")
    _, unordered, _ = follow(keyed(environment(), lines, 6), FORMULA, ordered=False)
    _, direct = collected(unordered)
    for what, seconds in (("an empty function", idle), ("as they come", direct), ("by event time", busy)):
        print(f"{what}: {seconds:.1f} s, {RECORDS / seconds:.0f} records a second, {idle / seconds:.0%} of the empty one")

    # What comes behind the watermark is told, and not followed.
    late = [json.dumps({"k": "a", "t": t, "x": 0, "y": 0}) for t in (1, 1000, 2000, 3000, 2)]
    _, _, behind = follow(keyed(environment(), late, 1), FORMULA)
    left, _ = collected(behind)
    assert [json.loads(one)["t"] for one in left] == [2], left
    print(f"{len(left)} of {len(late)} records came too late, and was told")


if __name__ == "__main__":
    main()
