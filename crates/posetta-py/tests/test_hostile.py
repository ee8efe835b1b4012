"""Whatever comes, there is an answer or an exception of ours, and the interpreter lives."""

from __future__ import annotations

import os
import pathlib
import random

from conftest import EXAMPLES

from posetta import LimitReached, Monitor, PosettaError, Property, Run, Spec, check

CASES = 300 * int(os.environ.get("POSETTA_TIMES", "1"))


def seeds() -> list[bytes]:
    kinds = {".jsonl", ".txt", ".log", ".dot", ".mmd", ".csv", ".vcd", ".json", ".props", ".pb", ".fst"}
    files = [path for path in sorted(EXAMPLES.rglob("*")) if path.suffix in kinds and path.is_file()]
    return [path.read_bytes()[:20_000] for path in files if path.stat().st_size < 200_000]


def mutated(dice: random.Random, raw: bytes) -> bytes:
    out = bytearray(raw)
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(out) + 1)
        match dice.randrange(5):
            case 0:
                out[at : at + dice.randint(1, 20)] = b""
            case 1:
                out[at:at] = dice.randbytes(dice.randint(1, 6))
            case 2 if out:
                out[at % len(out)] ^= 1 << dice.randrange(8)
            case 3:
                out[at:at] = dice.choice([b"{", b"]", b'"', b"\\u", b"99999999999999999999", b"-", b"\x00", b"->", b"1e999999"])
            case _:
                out[at:at] = out[at : at + dice.randint(1, 200)]
    return bytes(out)


def test_mutated_inputs() -> None:
    dice, raw, read = random.Random(int(os.environ.get("POSETTA_SEED", "11"))), seeds(), 0
    assert len(raw) > 20
    for _ in range(CASES):
        one = mutated(dice, dice.choice(raw))
        limits = {"timeout": 5, "memory": 1 << 28}
        try:
            runs = Run.read_all(one, **limits)  # type: ignore[arg-type]
            read += 1
            for run in runs[:2]:
                check(run, "G !(x == 1) || true", **limits)  # type: ignore[arg-type]
        except (PosettaError, LimitReached):
            pass
        text = one.decode("utf-8", "replace")[:400]
        for ask in (Property.ltl, Property.psl, Property.m2l, Property.ctl, Spec.parse):
            try:
                ask(text)
            except ValueError:
                pass
        try:
            Monitor("G x < 3", strict=False, memory=1 << 28).read(one)
        except PosettaError:
            pass
    assert read > 0
    assert check(Run.read(b"A: x=1\n"), "F x == 1").ok


def test_lists_that_contain_themselves() -> None:
    loop: list[object] = []
    loop.append(loop)
    for bad in (loop, {}, 7, None, object()):
        try:
            check(Run.read(b"A: x=1\n"), bad)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            assert bad == {}


def test_damaged_states_are_refused_or_start_again() -> None:
    from posetta import KeyedMonitor

    monitor, dice = KeyedMonitor("G level < 3"), random.Random(5)
    state, _, _ = monitor.step(None, [{"level": 1}])
    whole = Monitor("G level < 3")
    whole.step({"level": 1})
    saved = whole.save()
    for _ in range(200):
        monitor.step(mutated(dice, state), [{"level": 1}])
        try:
            Monitor.restore("G level < 3", mutated(dice, saved))
        except ValueError:
            pass


def test_a_directory_is_no_run(tmp_path: pathlib.Path) -> None:
    try:
        Run.read(tmp_path)
    except PosettaError as error:
        assert "cannot read" in str(error)
