"""Prints what small runs and steps of monitors take, beside the program: `python tests/measure.py PROGRAM [RUNS]`."""

from __future__ import annotations

import array
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TypeVar

from posetta import Monitor, Run, check, check_all

Told = TypeVar("Told")


def processor() -> float:
    """The time of the processor, that of programs that were started and have ended among it: others may work beside this."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def measured(work: Callable[[], Told]) -> tuple[Told, float, float]:
    """What work answers, how long it took, and for how long it used a processor."""
    begun, used = time.perf_counter(), processor()
    told = work()
    return told, time.perf_counter() - begun, processor() - used


def main() -> None:
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        for i in range(count):
            text = f"A: x={i % 3} -> x=0\nB: y=1 -> y=0\n" + ("A.2 -> B.1\n" if i % 2 else "")
            (folder / f"{i:06}.trace").write_text(text)
        formula = "G !(x == 1 && y == 1)"
        for jobs in (1, 2):
            command = [program, "check", room, "--ltl", formula, "--json", "--jobs", str(jobs)]
            told, theirs, used = measured(lambda: subprocess.run(command, capture_output=True, check=False))  # noqa: B023
            reports, ours, own = measured(lambda: check_all(sorted(folder.iterdir()), formula, jobs=jobs))  # noqa: B023
            found = sum(report.verdict == "violated" for report in reports)
            assert told.stdout.count(b'"verdict":"violated"') == found
            print(f"{count} files, {jobs} jobs: program {theirs:.2f} s, check_all {ours:.2f} s, {ours / theirs:.2f} times; "
                  f"processor: {used:.2f} s, {own:.2f} s, {own / used:.2f} times; {count / ours:.0f} runs a second")
        _, seconds, used = measured(lambda: [check(Run.read(path), formula) for path in sorted(folder.iterdir())])
        print(f"one by one: {seconds:.2f} s, processor: {used:.2f} s")
    rows = 2_000_000
    columns = {"x": array.array("q", (i % 3 for i in range(rows))), "y": array.array("q", (i % 2 * 2 for i in range(rows)))}
    monitor = Monitor("G !(x == 1 && y == 1)")
    _, _, used = measured(lambda: monitor.feed(columns))
    print(f"a step by columns: {used / rows * 1e9:.0f} ns of a processor")
    monitor = Monitor("G !(x == 1 && y == 1)")
    _, _, used = measured(lambda: [monitor.step({"x": i % 3, "y": i % 2 * 2}) for i in range(200_000)])
    print(f"a step by a dictionary: {used / 200_000 * 1e9:.0f} ns of a processor")


if __name__ == "__main__":
    main()
