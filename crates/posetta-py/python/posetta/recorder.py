"""Records what the tasks and threads of this program do, with vector clocks, as a run.

Every task of asyncio and every thread is a process. What one knows of the others travels with what it hands over: queues,
locks, events, tasks and threads that are started or waited for, results of pools. So two events are ordered if and only if
something that was seen orders them.

>>> import asyncio
>>> from posetta import Recorder, check
>>> async def producer(queue):
...     recorder.event("make", made=1)
...     await queue.put("it")
>>> async def consumer(queue):
...     await queue.get()
...     recorder.event("use", used=1)
>>> async def main():
...     queue = asyncio.Queue()
...     async with asyncio.TaskGroup() as group:
...         group.create_task(producer(queue), name="producer")
...         group.create_task(consumer(queue), name="consumer")
>>> with Recorder() as recorder:
...     asyncio.run(main())
>>> check(recorder.run(), "G (used == 1 -> made == 1)").verdict
'holds'

What nobody saw orders nothing: then more orders count as possible than there were, never fewer. ``await task`` is seen
through ``recorder.join(task)`` and ``asyncio.TaskGroup``; locks of ``threading`` through ``recorder.lock()``.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import functools
import json
import os
import queue
import threading
import weakref
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

from ._native import Run

__all__ = ["Recorder"]

_T = TypeVar("_T")
_Clock = dict[str, int]


class _Process:
    """A task or a thread: its name, once it has an event, and how many events of each process it knows of."""

    def __init__(self, name: str | None, clock: _Clock) -> None:
        self.name = name
        self.clock = clock


# Who acts in this context, and under which name: a context is copied for every task, so the owner is compared.
_named: contextvars.ContextVar[tuple[int, _Process] | None] = contextvars.ContextVar("posetta_process", default=None)


def _owner() -> Any:
    """The task or the thread that acts. A thread that is being started is none yet, and asking for it by
    ``threading.current_thread()`` would make another one."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    if task is not None:
        return task
    active: dict[int, threading.Thread] = threading._active  # type: ignore[attr-defined]  # pyright: ignore
    return active.get(threading.get_ident())


def _own_name(owner: Any) -> str:
    return owner.name if isinstance(owner, threading.Thread) else str(owner.get_name()) if owner else "thread"


class Recorder:
    """Records events while it is entered (``with Recorder() as recorder``), and makes a :class:`posetta.Run` of them.

    With ``instrument=False`` nothing of the standard library is watched, and order is what :meth:`send` and :meth:`receive`
    say.
    """

    def __init__(self, *, instrument: bool = True) -> None:
        self._lock = threading.RLock()
        self._events: list[dict[str, Any]] = []
        self._processes: weakref.WeakKeyDictionary[Any, _Process] = weakref.WeakKeyDictionary()
        self._taken: dict[str, int] = {}
        self._clocks: weakref.WeakKeyDictionary[Any, _Clock] = weakref.WeakKeyDictionary()
        self._queued: weakref.WeakKeyDictionary[Any, dict[int, deque[_Clock]]] = weakref.WeakKeyDictionary()
        self._groups: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self._instrument = instrument
        self._undo: list[Callable[[], None]] = []

    # What happens.

    def event(
        self, name: str, *, set: dict[str, Any] | None = None, attributes: dict[str, Any] | None = None, **values: Any
    ) -> None:
        """Something happens in the task or thread that calls this; keywords are variables that it assigns."""
        with self._lock:
            process = self._current()
            if process.name is None:
                # A task may get its name after it was created.
                process.name = self._free(_own_name(_owner()))
            process.clock[process.name] = process.clock.get(process.name, 0) + 1
            event: dict[str, Any] = {"process": process.name, "name": name, "clock": dict(process.clock)}
            assigned = {**(set or {}), **values}
            if assigned:
                event["set"] = assigned
            if attributes:
                event["attrs"] = dict(attributes)
            self._events.append(event)

    @contextmanager
    def process(self, name: str) -> Generator[None]:
        """Events of this task or thread, while it is in here, are those of the process with this name."""
        with self._lock:
            process = _Process(self._free(name), dict(self._current().clock))
        token = _named.set((id(_owner()), process))
        try:
            yield
        finally:
            _named.reset(token)
            with self._lock:
                _merge(self._current().clock, process.clock)

    def send(self) -> dict[str, int]:
        """What is known here, to be sent along with a message of any kind; it is plain JSON."""
        with self._lock:
            return dict(self._current().clock)

    def receive(self, known: dict[str, int]) -> None:
        """What was known where a message comes from."""
        with self._lock:
            _merge(self._current().clock, known)

    async def join(self, task: Awaitable[_T]) -> _T:
        """Waits for a task, and knows what it knew: ``await recorder.join(task)``."""
        result = await task
        self._learn_from(task)
        return result

    def lock(self) -> _Lock:
        """A lock for threads that is seen: who takes it knows what the one before knew who gave it back."""
        return _Lock(self)

    # What is known of it.

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events so far, with the fields of the JSON lines format."""
        with self._lock:
            return [dict(event) for event in self._events]

    def run(self, *, name: str = "recorded", initial: dict[str, Any] | None = None) -> Run:
        """What was recorded."""
        return Run.from_events(self.events, name=name, initial=initial)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes it as JSON lines."""
        with open(path, "w", encoding="utf-8") as file:
            for event in self.events:
                file.write(json.dumps(event, ensure_ascii=False) + "\n")

    # How it is seen.

    def __enter__(self) -> Self:
        if self._instrument:
            self._watch()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._undo:
            self._undo.pop()()

    def _current(self) -> _Process:
        owner = _owner()
        if owner is None:
            return _Process(None, {})
        named = _named.get()
        if named is not None and named[0] == id(owner):
            return named[1]
        process = self._processes.get(owner)
        if process is None:
            process = self._processes[owner] = _Process(None, {})
        return process

    def _free(self, name: str) -> str:
        """Two tasks may have one name; their events are in no order."""
        count = self._taken.get(name, 0)
        self._taken[name] = count + 1
        return name if count == 0 else self._free(f"{name}#{count + 1}")

    def _begin(self, owner: Any, known: _Clock) -> None:
        with self._lock:
            process = self._processes.get(owner)
            if process is None:
                self._processes[owner] = _Process(None, dict(known))
            else:
                _merge(process.clock, known)

    def _learn_from(self, owner: Any) -> None:
        with self._lock:
            process = self._processes.get(owner)
            if process is not None:
                _merge(self._current().clock, process.clock)

    def _give(self, through: Any) -> None:
        """What is known here can be known by whoever takes this."""
        with self._lock:
            _merge(self._clocks.setdefault(through, {}), self._current().clock)

    def _take(self, through: Any) -> None:
        with self._lock:
            known = self._clocks.get(through)
            if known:
                _merge(self._current().clock, known)

    def _put(self, into: Any, item: Any) -> None:
        with self._lock:
            self._queued.setdefault(into, {}).setdefault(id(item), deque()).append(dict(self._current().clock))

    def _unput(self, into: Any, item: Any) -> None:
        with self._lock:
            self._queued[into][id(item)].pop()

    def _get(self, out_of: Any, item: Any) -> None:
        with self._lock:
            waiting = self._queued.get(out_of, {}).get(id(item))
            if waiting:
                _merge(self._current().clock, waiting.popleft())

    def _replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        original = owner.__dict__[name]
        replacement = make(original)
        functools.update_wrapper(replacement, original)
        setattr(owner, name, replacement)
        self._undo.append(lambda: setattr(owner, name, original))

    def _watch(self) -> None:
        self._watch_queues()
        self._watch_locks()
        self._watch_tasks()
        self._watch_threads()

    def _watch_queues(self) -> None:
        def put(original: Any) -> Any:
            def replacement(into: Any, item: Any, *rest: Any, **more: Any) -> Any:
                # Before it is in the queue: whoever is waiting takes it at once.
                self._put(into, item)
                try:
                    return original(into, item, *rest, **more)
                except BaseException:
                    self._unput(into, item)
                    raise

            return replacement

        def get(original: Any) -> Any:
            def replacement(out_of: Any, *rest: Any, **more: Any) -> Any:
                item = original(out_of, *rest, **more)
                self._get(out_of, item)
                return item

            return replacement

        self._replace(asyncio.Queue, "put_nowait", put)
        self._replace(asyncio.Queue, "get_nowait", get)
        self._replace(queue.Queue, "put", put)
        self._replace(queue.Queue, "get", get)

    def _watch_locks(self) -> None:
        def gives(original: Any) -> Any:
            def replacement(lock: Any, *rest: Any, **more: Any) -> Any:
                self._give(lock)
                return original(lock, *rest, **more)

            return replacement

        def takes_later(original: Any) -> Any:
            async def replacement(lock: Any, *rest: Any, **more: Any) -> Any:
                taken = await original(lock, *rest, **more)
                self._take(lock)
                return taken

            return replacement

        def takes(original: Any) -> Any:
            def replacement(lock: Any, *rest: Any, **more: Any) -> Any:
                taken = original(lock, *rest, **more)
                if taken is not False:
                    self._take(lock)
                return taken

            return replacement

        for kind in (asyncio.Lock, asyncio.Semaphore):
            self._replace(kind, "release", gives)
            self._replace(kind, "acquire", takes_later)
        self._replace(asyncio.Event, "set", gives)
        self._replace(asyncio.Event, "wait", takes_later)
        self._replace(threading.Event, "set", gives)
        self._replace(threading.Event, "wait", takes)

    def _watch_tasks(self) -> None:
        def create(original: Any) -> Any:
            def replacement(loop: Any, *rest: Any, **more: Any) -> Any:
                known = self.send()
                task = original(loop, *rest, **more)
                self._begin(task, known)
                return task

            return replacement

        def create_in_group(original: Any) -> Any:
            def replacement(group: Any, *rest: Any, **more: Any) -> Any:
                task = original(group, *rest, **more)
                self._groups.setdefault(group, []).append(task)
                return task

            return replacement

        def leave_group(original: Any) -> Any:
            async def replacement(group: Any, *rest: Any) -> Any:
                try:
                    return await original(group, *rest)
                finally:
                    for task in self._groups.pop(group, []):
                        self._learn_from(task)

            return replacement

        self._replace(asyncio.BaseEventLoop, "create_task", create)
        self._replace(asyncio.TaskGroup, "create_task", create_in_group)
        self._replace(asyncio.TaskGroup, "__aexit__", leave_group)

    def _watch_threads(self) -> None:
        def start(original: Any) -> Any:
            def replacement(thread: Any, *rest: Any, **more: Any) -> Any:
                self._begin(thread, self.send())
                return original(thread, *rest, **more)

            return replacement

        def join(original: Any) -> Any:
            def replacement(thread: Any, *rest: Any, **more: Any) -> Any:
                result = original(thread, *rest, **more)
                if not thread.is_alive():
                    self._learn_from(thread)
                return result

            return replacement

        def submit(original: Any) -> Any:
            def replacement(pool: Any, function: Any, *rest: Any, **more: Any) -> Any:
                known = self.send()

                def told(*arguments: Any, **keywords: Any) -> Any:
                    self.receive(known)
                    return function(*arguments, **keywords)

                return original(pool, told, *rest, **more)

            return replacement

        def finishes(original: Any) -> Any:
            def replacement(future: Any, *rest: Any, **more: Any) -> Any:
                self._give(future)
                return original(future, *rest, **more)

            return replacement

        def result(original: Any) -> Any:
            def replacement(future: Any, *rest: Any, **more: Any) -> Any:
                try:
                    return original(future, *rest, **more)
                finally:
                    if future.done():
                        self._take(future)

            return replacement

        self._replace(threading.Thread, "start", start)
        self._replace(threading.Thread, "join", join)
        self._replace(concurrent.futures.ThreadPoolExecutor, "submit", submit)
        self._replace(concurrent.futures.Future, "set_result", finishes)
        self._replace(concurrent.futures.Future, "set_exception", finishes)
        self._replace(concurrent.futures.Future, "result", result)
        self._replace(concurrent.futures.Future, "exception", result)


class _Lock:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._inner = threading.Lock()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        taken = self._inner.acquire(blocking, timeout)
        if taken:
            self._recorder._take(self)
        return taken

    def release(self) -> None:
        self._recorder._give(self)
        self._inner.release()

    def locked(self) -> bool:
        return self._inner.locked()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


def _merge(into: _Clock, known: _Clock) -> None:
    for process, count in known.items():
        if into.get(process, 0) < count:
            into[process] = count
