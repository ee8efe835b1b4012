"""Tasks and threads, recorded."""

from __future__ import annotations

import asyncio
import concurrent.futures
import pathlib
import queue
import threading

from posetta import Recorder, Run, check


def orders(recorder: Recorder) -> int | None:
    return recorder.run().count_orders()


def test_tasks_that_do_not_talk_are_in_no_order() -> None:
    async def main() -> None:
        async def one(name: str) -> None:
            recorder.event(name)
            await asyncio.sleep(0)
            recorder.event(name)

        async with asyncio.TaskGroup() as group:
            group.create_task(one("a"), name="A")
            group.create_task(one("b"), name="B")
        recorder.event("end")

    with Recorder() as recorder:
        asyncio.run(main())
    run = recorder.run()
    assert set(run.processes) > {"A", "B"} and len(run.processes) == 3 and run.count_orders() == 6


def test_a_queue_orders() -> None:
    async def main(q: asyncio.Queue[int]) -> None:
        async def make() -> None:
            recorder.event("make", made=1)
            await q.put(1)

        async def use() -> None:
            await q.get()
            recorder.event("use", used=1)

        async with asyncio.TaskGroup() as group:
            group.create_task(use(), name="user")
            group.create_task(make(), name="maker")

    with Recorder() as recorder:
        asyncio.run(main(asyncio.Queue()))
    assert orders(recorder) == 1 and check(recorder.run(), "G (used == 1 -> made == 1)").ok


def test_threads() -> None:
    q: queue.Queue[str] = queue.Queue()

    def make() -> None:
        recorder.event("make")
        q.put("x")
        recorder.event("rest")

    def use() -> None:
        q.get()
        recorder.event("use")

    with Recorder() as recorder:
        recorder.event("begin")
        threads = [threading.Thread(target=make, name="maker"), threading.Thread(target=use, name="user")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        recorder.event("end")
    # `rest` and `use` are in no order; everything else is.
    assert orders(recorder) == 2


def test_locks_pools_and_names() -> None:
    with Recorder() as recorder:
        lock = recorder.lock()

        def work(name: str) -> None:
            with recorder.process(name):
                with lock:
                    recorder.event("enter")
                    recorder.event("leave")

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for future in [pool.submit(work, "one"), pool.submit(work, "two")]:
                future.result()
        recorder.event("end")
    assert orders(recorder) == 1 and set(recorder.run().processes) >= {"one", "two", "MainThread"}


def test_messages_by_hand(tmp_path: pathlib.Path) -> None:
    with Recorder(instrument=False) as recorder:
        with recorder.process("client"):
            recorder.event("ask")
            message = recorder.send()
        with recorder.process("server"):
            recorder.receive(message)
            recorder.event("answer")
    path = tmp_path / "run.jsonl"
    recorder.write(path)
    assert Run.read(path).count_orders() == 1


def test_everything_is_put_back() -> None:
    before = [asyncio.Queue.put_nowait, queue.Queue.get, threading.Thread.start, asyncio.BaseEventLoop.create_task]
    with Recorder():
        assert queue.Queue.get is not before[1]
    assert before == [asyncio.Queue.put_nowait, queue.Queue.get, threading.Thread.start, asyncio.BaseEventLoop.create_task]
