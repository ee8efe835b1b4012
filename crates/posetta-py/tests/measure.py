"""Prints what small runs and steps of monitors take, beside the program: `python tests/measure.py PROGRAM [RUNS]`."""

from __future__ import annotations

import array
import pathlib
import subprocess
import sys
import tempfile
import time

from posetta import Monitor, Run, check, check_all


def main() -> None:
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        for i in range(count):
            text = f"A: x={i % 3} -> x=0\nB: y=1 -> y=0\n" + ("A.2 -> B.1\n" if i % 2 else "")
            (folder / f"{i:06}.trace").write_text(text)
        formula = "G !(x == 1 && y == 1)"
        for jobs in (1, 2):
            begun = time.perf_counter()
            told = subprocess.run(
                [program, "check", room, "--ltl", formula, "--json", "--jobs", str(jobs)], capture_output=True, check=False
            )
            theirs = time.perf_counter() - begun
            begun = time.perf_counter()
            reports = check_all(sorted(folder.iterdir()), formula, jobs=jobs)
            ours = time.perf_counter() - begun
            found = sum(report.verdict == "violated" for report in reports)
            assert told.stdout.count(b'"verdict":"violated"') == found
            print(f"{count} files, {jobs} jobs: program {theirs:.2f} s, check_all {ours:.2f} s, {ours / theirs:.2f} times")
        begun = time.perf_counter()
        for path in sorted(folder.iterdir()):
            check(Run.read(path), formula)
        print(f"one by one: {time.perf_counter() - begun:.2f} s")
    rows = 2_000_000
    columns = {"x": array.array("q", (i % 3 for i in range(rows))), "y": array.array("q", (i % 2 * 2 for i in range(rows)))}
    monitor = Monitor("G !(x == 1 && y == 1)")
    # The time of the processor: others may work beside this.
    begun = time.process_time()
    monitor.feed(columns)
    print(f"a step by columns: {(time.process_time() - begun) / rows * 1e9:.0f} ns")
    monitor = Monitor("G !(x == 1 && y == 1)")
    begun = time.process_time()
    for i in range(200_000):
        monitor.step({"x": i % 3, "y": i % 2 * 2})
    print(f"a step by a dictionary: {(time.process_time() - begun) / 200_000 * 1e9:.0f} ns")


if __name__ == "__main__":
    main()
