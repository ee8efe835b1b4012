"""The plugin for pytest: what a test's code did, checked over every order in which it could have happened.

``posetta_traces`` collects the OpenTelemetry spans that the test makes in this process::

    def test_checkout(posetta_traces):
        checkout()
        posetta_traces.assert_every_order("precedence(event(pay), event(ship))")

``posetta_recorder`` records tasks and threads without telemetry, with vector clocks::

    def test_workers(posetta_recorder):
        run_workers(posetta_recorder)
        posetta_recorder.assert_every_order("G used <= made")

A failure shows the order that fails and what would have prevented it. No spans, a limit that is reached, and a property that
does not fit are failures, too.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest

from ._native import Property, Run, Spec, check_all
from .errors import Invalid
from .recorder import Recorder

__all__ = ["PosettaWarning", "RecordedRun", "Traces", "posetta_recorder", "posetta_traces"]

_Asked = Spec | Property | str
_Over = Literal["states", "events"]


class PosettaWarning(UserWarning):
    """Something is worth knowing about an answer: a property that asks for nothing, or a name that never comes."""


def _property(asked: _Asked, over: _Over, some: bool) -> Spec | Property:
    if isinstance(asked, str):
        return Property.ltl(asked, over=over, some=some)
    return asked


def _hold(runs: Sequence[Run], asked: Sequence[_Asked], over: _Over, some: bool, timeout: float | None) -> None:
    __tracebackhide__ = True
    if not asked:
        pytest.fail("there is nothing to check: give a formula, a Property or a Spec", pytrace=False)
    if not runs:
        pytest.fail("there is no run to check: nothing was recorded in this test", pytrace=False)
    spec = Spec(*(_property(one, over, some) for one in asked))
    reports = check_all(runs, spec, timeout=timeout)
    failures: list[str] = []
    for report in reports:
        if report.errors:
            failures.append("\n".join(_told(error) for error in report.errors))
        elif not report.ok:
            failures.append(str(report).rstrip())
        for result in report.results:
            for warning in result.warnings:
                warnings.warn(f"{result.name}: {warning['message']}", PosettaWarning, stacklevel=3)
    if failures:
        pytest.fail("\n\n".join(failures), pytrace=False)


def _told(error: dict[str, Any]) -> str:
    about = f"{error['property']}: " if error.get("property") else ""
    advice = f" ({error['help']})" if error.get("help") else ""
    return f"{about}{error['message']}{advice}"


class _Asserts:
    """What can be asked of runs."""

    def runs(self) -> list[Run]:
        """The runs so far."""
        raise NotImplementedError

    def assert_every_order(self, *asked: _Asked, over: _Over = "states", timeout: float | None = 30) -> None:
        """Fails unless every possible order of every run satisfies the properties."""
        __tracebackhide__ = True
        _hold(self.runs(), asked, over, False, timeout)

    def assert_some_order(self, *asked: str, over: _Over = "states", timeout: float | None = 30) -> None:
        """Fails unless every run has a possible order that satisfies the formulas."""
        __tracebackhide__ = True
        _hold(self.runs(), asked, over, True, timeout)


class Traces(_Asserts):
    """The spans of a test."""

    def __init__(self, spans: _Collected) -> None:
        self._spans = spans

    @property
    def spans(self) -> list[Any]:
        """The spans that have ended."""
        return self._spans.taken()

    def runs(self) -> list[Run]:
        """A run for each trace."""
        spans = self.spans
        return Run.all_from_otlp(spans, name="traces") if spans else []


class RecordedRun(Recorder, _Asserts):
    """What tasks and threads of a test did."""

    def runs(self) -> list[Run]:
        """The run so far; none if there is no event."""
        return [self.run()] if self.events else []


class _Collected:
    """A span processor that keeps what ends while a test runs. A provider has it for good, so it can be turned off."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spans: list[Any] = []
        self._on = False

    def begin(self) -> None:
        with self._lock:
            self._spans, self._on = [], True

    def end(self) -> None:
        with self._lock:
            self._on = False

    def taken(self) -> list[Any]:
        with self._lock:
            return list(self._spans)

    # The interface of span processors.

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """Nothing is known yet."""

    def _on_ending(self, span: Any) -> None:
        """Newer SDKs tell this, too."""

    def on_end(self, span: Any) -> None:
        with self._lock:
            if self._on:
                self._spans.append(span)

    def shutdown(self) -> None:
        """There is nothing to close."""

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return True


@pytest.fixture(scope="session")
def _posetta_spans() -> _Collected:
    """The provider of this process gets a processor more; if there is none, one is set."""
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
    except ImportError as missing:
        raise Invalid("posetta_traces needs the OpenTelemetry SDK: pip install 'posetta[otel]'") from missing
    collected = _Collected()
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    provider.add_span_processor(collected)  # pyright: ignore[reportArgumentType]
    return collected


@pytest.fixture
def posetta_traces(_posetta_spans: _Collected) -> Iterator[Traces]:
    """The OpenTelemetry spans of this test, to be checked over every order."""
    _posetta_spans.begin()
    yield Traces(_posetta_spans)
    _posetta_spans.end()


@pytest.fixture
def posetta_recorder() -> Iterator[RecordedRun]:
    """A recorder of tasks and threads, to be checked over every order."""
    with RecordedRun() as recorder:
        yield recorder
