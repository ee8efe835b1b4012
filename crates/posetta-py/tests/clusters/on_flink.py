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


class Held:
    """State of one key, as Flink hands it to a function: a function is tried without a cluster."""

    def __init__(self) -> None:
        self.kept: Any = None
        self.waiting: dict[int, Any] = {}

    def value(self) -> Any:
        return self.kept

    def update(self, value: Any) -> None:
        self.kept = value

    def get(self, key: int) -> Any:
        return self.waiting.get(key)

    def put(self, key: int, value: Any) -> None:
        self.waiting[key] = value

    def remove(self, key: int) -> None:
        self.waiting.pop(key, None)

    # The contexts of a function and of its timers.
    watermark, time = -1, 0

    def get_state(self, _: Any) -> Held:
        return self

    def get_map_state(self, _: Any) -> Held:
        return self

    def timer_service(self) -> Held:
        return self

    def current_watermark(self) -> int:
        return self.watermark

    def register_event_time_timer(self, _: int) -> None:
        """The test calls it."""

    def timestamp(self) -> int:
        return self.time

    def get_current_key(self) -> str:
        return "a"


def behind_the_watermark() -> None:
    """A record behind the watermark is told, and not followed; others are followed by their times."""
    from posetta._asked import Question
    from posetta.flink import LATE, VERDICTS, Follow

    held, function = Held(), Follow(Question.of("G x < 3"), "states", True)
    function.open(held)
    for held.time, x in ((20, 7), (10, 1)):
        assert list(function.process_element(json.dumps({"x": x}), held)) == [json.dumps({"x": x})]
    held.watermark = 20
    told = [json.loads(value) for time in (10, 20) for tag, value in function.on_timer(time, held) if tag is VERDICTS]
    assert [(one["position"], one["verdict"]) for one in told] == [(0, "open"), (1, "violated")], told
    held.time = 15
    [(tag, value)] = list(function.process_element(json.dumps({"x": 2}), held))
    assert tag is LATE and json.loads(value) == {"x": 2}
    print("a record behind the watermark is told, and not followed")


def versions() -> None:
    """State of another version of a property is not used, and that is told."""
    from posetta._asked import Question
    from posetta.flink import Follow

    held = Held()
    for formula, restarted in (("G x < 3", False), ("G x < 3", False), ("G x < 2", True)):
        function = Follow(Question.of(formula), "states", False)
        function.open(held)
        told = [json.loads(out[1]) for out in function.process_element(json.dumps({"x": 1}), held) if isinstance(out, tuple)]
        assert any("restarted" in one for one in told) == restarted, told
    print("a property that changed starts again, and says so")


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

    behind_the_watermark()
    versions()


if __name__ == "__main__":
    main()
