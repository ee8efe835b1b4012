"""The plugin, in a pytest of its own."""

from __future__ import annotations

import pytest

pytest.importorskip("opentelemetry.sdk")

PASSES = """
from opentelemetry import trace

def test_traces(posetta_traces):
    tracer = trace.get_tracer("shop")
    with tracer.start_as_current_span("checkout"):
        with tracer.start_as_current_span("pay"):
            pass
        with tracer.start_as_current_span("ship"):
            pass
    assert len(posetta_traces.spans) == 3
    posetta_traces.assert_every_order("precedence(event(pay), event(ship))")
    posetta_traces.assert_some_order("F event(ship)")

def test_nothing_is_left_of_other_tests(posetta_traces):
    assert posetta_traces.spans == []
"""

FAILS = """
import asyncio

def test_workers(posetta_recorder):
    async def main():
        async def one(name, variable):
            posetta_recorder.event("enter", set={variable: 1})
            posetta_recorder.event("leave", set={variable: 0})
        async with asyncio.TaskGroup() as group:
            group.create_task(one("A", "a"), name="A")
            group.create_task(one("B", "b"), name="B")
    asyncio.run(main())
    posetta_recorder.assert_some_order("G !(a == 1 && b == 1)")
    posetta_recorder.assert_every_order("G !(a == 1 && b == 1)")

def test_no_spans(posetta_traces):
    posetta_traces.assert_every_order("true")

def test_misspelt(posetta_recorder):
    posetta_recorder.event("enter", x=1)
    posetta_recorder.assert_every_order("F y == 1")
"""


def test_it_passes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PASSES)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_it_fails_with_the_explanation(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(FAILS)
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    done.assert_outcomes(failed=3)
    done.stdout.fnmatch_lines(["*violated: some possible orders satisfy it, others do not*"])
    done.stdout.fnmatch_lines(["*The recorded order is fine.*"])
    done.stdout.fnmatch_lines(["*nothing was recorded in this test*"])
    done.stdout.fnmatch_lines(["*assigns or declares the variable `y`*"])
