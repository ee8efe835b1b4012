"""The job that ``on_flink.py`` submits: records from a file, by event time and by key, and verdicts into a sink with transactions."""

from __future__ import annotations

import argparse
import json
from typing import Any

from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.serialization import Encoder
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, RollingPolicy, StreamFormat

from posetta.flink import follow


class Time(TimestampAssigner):  # type: ignore[misc]
    def extract_timestamp(self, value: str, record_timestamp: int) -> int:
        return int(json.loads(value)["t"])


class Empty(KeyedProcessFunction):  # type: ignore[misc]
    """What the engine costs by itself."""

    def process_element(self, value: str, ctx: Any) -> Any:
        yield value


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--work", choices=("empty", "as-they-come", "by-event-time"), required=True)
    asked.add_argument("--records", required=True)
    asked.add_argument("--verdicts", required=True)
    asked.add_argument("--formula", required=True)
    asked.add_argument("--bound", type=int, required=True, help="how far records are out of order")
    given = asked.parse_args()

    env = StreamExecutionEnvironment.get_execution_environment()
    # One reader, so that records come in the order of the file; the work behind it is spread over all.
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), given.records).build()
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(given.bound))
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "records").uid("records").set_parallelism(1)
    stream = stream.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(Time())).uid("times")
    keyed = stream.set_parallelism(1).key_by(lambda value: json.loads(value)["k"], Types.STRING())

    def sink(folder: str) -> FileSink:
        made = FileSink.for_row_format(f"{given.verdicts}/{folder}", Encoder.simple_string_encoder())
        return made.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()

    if given.work == "empty":
        told = keyed.process(Empty(), Types.STRING()).uid("empty").filter(lambda value: False)
    else:
        _, told, late = follow(keyed, given.formula, ordered=given.work == "by-event-time")
        if late is not None:
            late.sink_to(sink("late")).uid("late").set_parallelism(1)
    told.sink_to(sink("told")).uid("verdicts").set_parallelism(1)
    env.execute(given.work)


if __name__ == "__main__":
    main()
