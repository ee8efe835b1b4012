"""Posetta on Flink: a monitor as a keyed function. Flink keeps the state of each key, and makes checkpoints of it.

``follow(stream, spec, ...)`` takes a keyed stream of records, as JSON texts, and answers with three streams: the records as
they came, verdicts as JSON, and records that came too late. Flink pins its own versions of many packages: give it an environment of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, Literal

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, OutputTag, RuntimeContext
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

from ._asked import Question
from ._native import KeyedMonitor

__all__ = ["LATE", "UID", "VERDICTS", "Follow", "follow"]

VERDICTS = OutputTag("posetta-verdicts", Types.STRING())
"""A JSON object for each change: ``key``, ``property``, ``position``, ``verdict``, ``satisfied``; or ``restarted``."""

LATE = OutputTag("posetta-late", Types.STRING())
"""Records behind the watermark: they were not followed, because others were that come after them."""

UID = "posetta-monitor"
"""The uid of the operator: a savepoint finds its state by it."""


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
        self._state = runtime_context.get_state(ValueStateDescriptor("posetta", Types.PICKLED_BYTE_ARRAY()))
        waiting = MapStateDescriptor("posetta-waiting", Types.LONG(), Types.PICKLED_BYTE_ARRAY())
        self._waiting = runtime_context.get_map_state(waiting) if self._ordered else None

    def process_element(self, value: str, ctx: Any) -> Iterator[Any]:
        """A record: followed at once, or kept until its time has come."""
        if self._waiting is None:
            yield from self._told(ctx.get_current_key(), [value])
            yield value
            return
        timestamp = ctx.timestamp()
        if timestamp is None:
            raise ValueError("records have no timestamps: assign them with a watermark strategy, or say ordered=False")
        timers = ctx.timer_service()
        if timestamp <= timers.current_watermark():
            yield LATE, value
            return
        self._waiting.put(timestamp, [*(self._waiting.get(timestamp) or []), value])
        timers.register_event_time_timer(timestamp)
        yield value

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Any]:
        """No earlier record comes any more."""
        if self._waiting is None:
            return
        due = self._waiting.get(timestamp) or []
        self._waiting.remove(timestamp)
        yield from self._told(ctx.get_current_key(), due)

    def _told(self, key: Any, values: list[str]) -> Iterator[Any]:
        state, changes, restarted = self._monitor.step(self._state.value(), [json.loads(value) for value in values])
        self._state.update(state)
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
    followed = stream.process(Follow(question, records, ordered), output_type=Types.STRING()).uid(uid).name("posetta")
    return followed, followed.get_side_output(VERDICTS), followed.get_side_output(LATE)
