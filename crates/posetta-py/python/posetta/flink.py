"""Posetta on Flink: a monitor as a keyed function. Flink keeps the state of each key, and makes checkpoints of it.

``follow(stream, spec, ...)`` takes a keyed stream of records, as JSON texts, and answers with three streams: the records as
they came, verdicts as JSON, and records that came too late. Flink pins its own versions of many packages: give it an environment of its own.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Literal

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, OutputTag, RuntimeContext
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.util.java_utils import get_j_env_configuration

from ._asked import Question
from ._native import KeyedMonitor

__all__ = ["LATE", "TUNING", "UID", "VERDICTS", "Follow", "follow"]

VERDICTS = OutputTag("posetta-verdicts", Types.STRING())
"""A JSON object for each change: ``key``, ``property``, ``position``, ``verdict``, ``satisfied``; or ``restarted``."""

LATE = OutputTag("posetta-late", Types.STRING())
"""Records behind the watermark: they were not followed, because others were that come after them."""

UID = "posetta-monitor"
"""The uid of the operator: a savepoint finds its state by it."""


TUNING = {"python.state.cache-size": "100000", "python.fn-execution.bundle.size": "100000"}
"""What :func:`follow` sets unless the job does: how many keys a worker keeps the state of, so that it need not ask the engine for it, and
after how many records it writes back what has changed, once for each key. ``python.fn-execution.bundle.time`` (a second) comes first
where records are few."""


class Follow(KeyedProcessFunction):  # type: ignore[misc, unused-ignore]
    """Follows properties on the records of each key.

    With ``ordered``, records wait until the watermark says that no earlier one comes, and are followed by their timestamps;
    without, in the order in which they come. State of another version of a property is not used: the property starts again,
    and a verdict says ``restarted``.
    """

    def __init__(self, question: Question, records: Literal["events", "states"], ordered: bool) -> None:
        self._question = question
        self._records: Literal["events", "states"] = records
        self._ordered = ordered

    def open(self, runtime_context: RuntimeContext) -> None:
        """Compiles the properties, once for each parallel part."""
        self._monitor = KeyedMonitor(self._question.spec(), records=self._records)
        # One state for both: what a key has waiting, and what its records have led to. Each state that is read may be a question to the
        # engine, over a socket, and costs more than all the rest.
        self._state = runtime_context.get_state(ValueStateDescriptor("posetta", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value: str, ctx: Any) -> Iterator[Any]:
        """A record: followed at once, or kept until its time has come."""
        if not self._ordered:
            saved, _ = self._state.value() or (None, [])
            yield from self._told(ctx.get_current_key(), saved, [value], [])
            yield value
            return
        timestamp = ctx.timestamp()
        if timestamp is None:
            raise ValueError("records have no timestamps: assign them with a watermark strategy, or say ordered=False")
        timers = ctx.timer_service()
        if timestamp <= timers.current_watermark():
            yield LATE, value
            return
        saved, waiting = self._state.value() or (None, [])
        place = bisect_right(waiting, timestamp, key=_time)
        # For each record, not only for the first that waits: Flink 2.3 keeps timers that Python sets in a queue until the watermark moves,
        # and the queue is in no checkpoint. What such a timer would have taken after a recovery, the next one takes.
        timers.register_event_time_timer(timestamp)
        self._state.update((saved, [*waiting[:place], (timestamp, value), *waiting[place:]]))
        yield value

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Any]:
        """No record comes any more that is earlier than the watermark."""
        saved, waiting = self._state.value() or (None, [])
        timers = ctx.timer_service()
        due = bisect_right(waiting, max(timestamp, timers.current_watermark()), key=_time)
        if due == 0:
            return
        yield from self._told(ctx.get_current_key(), saved, [value for _, value in waiting[:due]], waiting[due:])

    def _told(self, key: Any, saved: bytes | None, values: list[str], waiting: list[tuple[int, str]]) -> Iterator[Any]:
        state, changes, restarted = self._monitor.step(saved, [json.loads(value) for value in values])
        # What is decided stays as it is, and is not written again.
        if state != saved or self._ordered:
            self._state.update((state, waiting))
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


def _time(waiting: tuple[int, str]) -> int:
    return waiting[0]


def _tuned(environment: Any) -> None:
    """Sets what the engine has for smaller work, unless the job says it."""
    settings = get_j_env_configuration(environment._j_stream_execution_environment)
    for name, value in TUNING.items():
        if not settings.containsKey(name):
            settings.setString(name, value)


def follow(
    stream: Any,
    spec: str | os.PathLike[str],
    *,
    records: Literal["events", "states"] = "states",
    ordered: bool = True,
    over: Literal["states", "events"] = "states",
    uid: str = UID,
) -> tuple[Any, Any, Any]:
    """Follows properties on a keyed stream of JSON texts. Answers with the records, the verdicts and the late records.

    ``spec`` is the text of a property file, a path object of one, or a formula of LTL.
    """
    question = Question.of(spec, over)
    KeyedMonitor(question.spec(), records=records)
    _tuned(stream.get_execution_environment())
    followed = stream.process(Follow(question, records, ordered), output_type=Types.STRING()).uid(uid).name("posetta")
    return followed, followed.get_side_output(VERDICTS), followed.get_side_output(LATE)
