"""Streams, by steps, by columns, saved and by keys."""

from __future__ import annotations

import array

import pytest

from posetta import Invalid, KeyedMonitor, Monitor, Spec

SPEC = Spec.parse("property low = ltl G level < 3\nproperty answered = ltl G (asked == 1 -> F done == 1)\n")


def records() -> list[dict[str, int]]:
    return [{"level": i % 4 if i > 5 else 0, "asked": int(i == 2), "done": int(i == 4)} for i in range(12)]


def told(changes: list[object]) -> list[tuple[object, ...]]:
    return [(c.property, c.position, c.record, c.verdict, c.satisfied, c.monitorable) for c in changes]  # type: ignore[attr-defined]


def test_steps_columns_and_restored_ones_agree() -> None:
    all_at_once = Monitor(SPEC)
    columns = {name: [record[name] for record in records()] for name in ("level", "asked", "done")}
    expected = told(all_at_once.feed(columns))
    assert ("low", 7, 8, "violated", False, True) in expected or any(row[3] == "violated" for row in expected)
    for cut in (0, 1, 5, 12):
        monitor = Monitor(SPEC)
        changes = [change for record in records()[:cut] for change in monitor.step(record)]
        saved = monitor.save()
        again = Monitor.restore(SPEC, saved)
        assert again.records == cut
        changes += [change for record in records()[cut:] for change in again.step(record)]
        assert told(changes) == expected
        assert again.finish() == {"low": "violated", "answered": "holds"}
    arrays = {name: array.array("q", values) for name, values in columns.items()}
    assert told(Monitor(SPEC).feed(arrays)) == expected


def test_keys_kept_by_somebody_else() -> None:
    keyed = KeyedMonitor(SPEC)
    states: dict[str, bytes] = {}
    ours, whole = [], Monitor(SPEC, key="k")
    theirs = []
    for i, record in enumerate(records() * 3):
        key = "abc"[i % 3]
        states[key], changes, restarted = keyed.step(states.get(key), [record])
        assert restarted == []
        ours += [(key, c.property, c.position, c.verdict) for c in changes]
        theirs += [(c.key, c.property, c.position, c.verdict) for c in whole.step({**record, "k": key})]
    assert ours == theirs
    assert keyed.finish(states["a"])["low"] in ("holds", "violated")


def test_another_version_starts_again_and_says_so() -> None:
    state, _, _ = KeyedMonitor(SPEC).step(None, records()[:4])
    other = Spec.parse("property low = ltl G level < 2\nproperty answered = ltl G (asked == 1 -> F done == 1)\n")
    state, changes, restarted = KeyedMonitor(other).step(state, [{"level": 0}])
    assert restarted == ["low"]
    assert KeyedMonitor(other).step(b"what is this", [])[2] == ["low", "answered"]


def test_mistakes() -> None:
    monitor = Monitor("G level < 3")
    with pytest.raises(Invalid, match="level"):
        monitor.step({"level": "high"})
    lenient = Monitor("G level < 3", strict=False)
    lenient.step({"level": "high"})
    assert lenient.mistakes and lenient.records == 1
    with pytest.raises(ValueError, match="all states"):
        lenient.step({"process": "P", "set": {"level": 1}})
    with pytest.raises(Invalid, match="has no `order`"):
        Monitor("G level < 3", key="order").step({"level": 1})
    with pytest.raises(Invalid):
        from posetta import Property

        Monitor(Property.ctl("EF level == 1"))
    with pytest.raises(ValueError, match="fit|made"):
        Monitor.restore("G level < 4", Monitor("G level < 3").save())
    with pytest.raises(ValueError):
        Monitor.restore("G level < 4", b"not one")
    unknown = Monitor("G lvel < 3")
    unknown.step({"level": 1})
    with pytest.raises(Invalid, match="lvel"):
        unknown.finish()


def test_attributes_of_events() -> None:
    monitor = Monitor("G !event(pay, amount > 100)")
    monitor.step({"process": "P", "name": "pay", "amount": 5})
    [change] = monitor.step({"process": "P", "name": "pay", "attrs": {"amount": 500}})
    assert change.verdict == "violated"
    fed = Monitor("G !event(pay, amount > 100)").feed({"process": ["P", "P"], "name": ["pay", "pay"], "amount": [5, 500]})
    assert [c.verdict for c in fed] == ["open", "violated"]
