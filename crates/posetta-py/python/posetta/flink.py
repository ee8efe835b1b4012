"""Posetta on Flink: a monitor as a keyed function. Flink keeps the state of each key, and makes checkpoints of it.

``follow(stream, spec, ...)`` takes a keyed stream of records, as JSON texts, and answers with three streams: the records as
they were followed, verdicts as JSON, and records that came too late. Flink pins its own versions of many packages: give it an environment of its own.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from pyflink.common import TypeInformation, Types
from pyflink.common.typeinfo import _from_java_type
from pyflink.datastream import DataStream, KeyedProcessFunction, KeyedStream, OutputTag, RuntimeContext
from pyflink.datastream.state import MapStateDescriptor
from pyflink.java_gateway import get_gateway
from pyflink.util.java_utils import get_j_env_configuration

from ._asked import Question
from ._native import KeyedMonitor

__all__ = ["TUNING", "UID", "VERDICTS", "Follow", "Followed", "follow"]

VERDICTS = OutputTag("posetta-verdicts", Types.STRING())
"""A JSON object for each change: ``key``, ``property``, ``position``, ``verdict``, ``satisfied``; or ``restarted``."""

UID = "posetta-monitor"
"""The uid of the operator: a savepoint finds its state by it."""


TUNING = {"python.state.cache-size": "100000", "python.fn-execution.bundle.size": "100000"}
"""What :func:`follow` sets unless the job does: of how many groups of keys a worker keeps the state, so that it need not ask the engine for
it, and after how many records it writes back what has changed. ``python.fn-execution.bundle.time`` (a second) comes first where records
are few."""


BUCKETS = 1024
"""How many groups of keys there are. A savepoint has the state of a group, so this stays as it is."""


class Follow(KeyedProcessFunction):  # type: ignore[misc, unused-ignore]
    """Follows properties on the records of each key, in the order in which they come. The stream is one of pairs of a key and a record.

    The stream's own key is a group of keys, and the state of a group is a map: a worker hands the engine what has changed in a map in one
    request. With a state for each key it was one for each, and took most of the time (10,000 keys, a checkpoint every two seconds).

    State of another version of a property is not used: the property starts again, and a verdict says ``restarted``.
    """

    def __init__(self, question: Question, records: Literal["events", "states"], key: TypeInformation) -> None:
        self._question = question
        self._records: Literal["events", "states"] = records
        self._key = key

    def open(self, runtime_context: RuntimeContext) -> None:
        """Compiles the properties, once for each parallel part."""
        self._monitor = KeyedMonitor(self._question.spec(), records=self._records)
        self._states = runtime_context.get_map_state(MapStateDescriptor("posetta", self._key, Types.PRIMITIVE_ARRAY(Types.BYTE())))
        self._groups: set[int] = set()

    def process_element(self, value: Any, ctx: Any) -> Iterator[Any]:
        """A record, and what it changes."""
        key, record = value
        group = ctx.get_current_key()
        if group not in self._groups:
            # Whoever has begun to read a small map knows all of it: no key that is new in its group is asked for then.
            self._groups.add(group)
            next(iter(self._states.items()), None)
        saved = self._states.get(key)
        state, changes, restarted = self._monitor.step(saved, [json.loads(record)])
        # What is decided stays as it is, and is not written again.
        if state != saved:
            self._states.put(key, state)
        for name in restarted:
            yield VERDICTS, json.dumps({"key": str(key), "property": name, "restarted": True})
        for change in changes:
            told = {
                "key": str(key),
                "property": change.property,
                "position": change.position,
                "verdict": change.verdict,
                "satisfied": change.satisfied,
            }
            yield VERDICTS, json.dumps(told)
        yield record


def _bucket(value: Any) -> int:
    """The group of a record's key: the same in every process, which ``hash`` is not."""
    return zlib.crc32(str(value[0]).encode()) % BUCKETS


def _record(grouped: Any) -> str:
    """The record of a pair in its group."""
    record: str = grouped[1][1]
    return record


def _in_buckets(stream: KeyedStream) -> KeyedStream:
    """Pairs of a key and a record, by groups of keys."""
    keyed = stream._j_data_stream
    # What the engine sorts by key: the pairs.
    pairs = keyed.getTransformation().getInputs().get(0)
    made = get_gateway().jvm.org.apache.flink.streaming.api.datastream.DataStream(keyed.getExecutionEnvironment(), pairs)
    return DataStream(made).key_by(_bucket, Types.INT())


def _ordered(stream: KeyedStream, uid: str) -> tuple[KeyedStream, DataStream]:
    """The pairs of each group by their timestamps, as soon as the watermark says that no earlier one comes; and records behind it.

    Flink's own windows of a millisecond hold what waits, not our function: timers that Python sets wait in a queue until the watermark
    moves, and the queue is in no checkpoint (Flink 2.3), so a record could wait for good after a recovery. Flink's thread mode has no such
    queue, but cannot load its library again when a job is restarted (Java 17).
    """
    keyed, jvm = stream._j_data_stream, get_gateway().jvm
    api = jvm.org.apache.flink.streaming.api
    late = jvm.org.apache.flink.util.OutputTag("posetta-behind", keyed.getType())
    windows = api.windowing.assigners.TumblingEventTimeWindows.of(jvm.java.time.Duration.ofMillis(1))
    handed_on = api.functions.windowing.PassThroughWindowFunction()
    sorted_ = keyed.window(windows).sideOutputLateData(late).apply(handed_on, keyed.getType())
    sorted_ = sorted_.uid(f"{uid}-order").name("posetta: by time")
    # They come out where their group is, so they need not be sent again.
    again = api.datastream.DataStreamUtils.reinterpretAsKeyedStream(sorted_, keyed.getKeySelector(), keyed.getKeyType())
    behind = DataStream(sorted_.getSideOutput(late)).map(_record, Types.STRING())
    return KeyedStream(again, stream._original_data_type_info, stream._origin_stream), behind


def _tuned(environment: Any) -> None:
    """Sets what the engine has for smaller work, unless the job says it."""
    settings = get_j_env_configuration(environment._j_stream_execution_environment)
    for name, value in TUNING.items():
        if not settings.containsKey(name):
            settings.setString(name, value)


class Followed(NamedTuple):
    """What :func:`follow` answers with."""

    records: DataStream
    """The records, in the order in which they were followed."""
    verdicts: DataStream
    """What changed, as JSON texts (:data:`VERDICTS`)."""
    late: DataStream | None
    """Records behind the watermark: they were not followed, because others were that come after them. ``None`` without ``ordered``."""


def follow(
    stream: KeyedStream,
    spec: str | os.PathLike[str],
    *,
    records: Literal["events", "states"] = "states",
    ordered: bool = True,
    over: Literal["states", "events"] = "states",
    uid: str = UID,
) -> Followed:
    """Follows properties on a keyed stream of JSON texts.

    ``spec`` is the text of a property file, a path object of one, or a formula of LTL. With ``ordered``, records wait until the watermark
    says that no earlier one comes, and are followed by their timestamps; without, in the order in which they come.
    """
    question = Question.of(spec, over)
    KeyedMonitor(question.spec(), records=records)
    _tuned(stream.get_execution_environment())
    key, _ = _from_java_type(stream._j_data_stream.getType()).get_field_types()
    grouped, late = _in_buckets(stream), None
    if ordered:
        grouped, late = _ordered(grouped, uid)
    followed = grouped.process(Follow(question, records, key), output_type=Types.STRING()).uid(uid).name("posetta")
    return Followed(followed, followed.get_side_output(VERDICTS), late)
