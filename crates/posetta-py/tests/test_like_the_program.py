"""The same questions to the program and to the module have the same answers, as JSON."""

from __future__ import annotations

import os
import pathlib
import random

import pytest
from conftest import EXAMPLES, cli, timeless

from posetta import Invalid, Model, Monitor, Run, Spec, check, check_all, m2l, refine, verify

CASES = 25 * int(os.environ.get("POSETTA_TIMES", "1"))


def pairs() -> list[tuple[pathlib.Path, pathlib.Path]]:
    """Every run of the examples beside every property file in its directory."""
    found = []
    for spec in sorted(EXAMPLES.rglob("*.props")):
        if "ci" in spec.parts or "std" in spec.parts or "maps" in spec.parts:
            continue
        for run in sorted(spec.parent.iterdir()):
            if run.suffix in {".jsonl", ".txt", ".log", ".dot", ".mmd", ".csv", ".vcd", ".json", ".trace"} and run.is_file():
                found.append((run, spec))
    return found


@pytest.mark.parametrize(("path", "props"), pairs(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_examples(path: pathlib.Path, props: pathlib.Path) -> None:
    theirs = cli("check", path, "--spec", props)
    try:
        runs = Run.read_all(path)
        spec = Spec.read(props)
    except Invalid as error:
        strip = ("kind", "line", "column", "message")
        assert [{key: own[key] for key in strip} for own in error.diagnostics] == [
            {key: own[key] for key in strip} for own in theirs["errors"]
        ]
        return
    if len(runs) > 1:
        # Several runs have a say in each other's warnings; one of them by itself is the same question.
        for run in runs[:2]:
            assert_same(run, spec, cli("check", run.name, "--spec", props))
        return
    assert_same(runs[0], spec, theirs)


def assert_same(run: Run, spec: Spec, theirs: dict[str, object]) -> None:
    [ours] = check_all([run], spec)
    assert timeless(ours.to_dict()) == timeless(theirs)


FORMULAS = [
    "G !(x == 1 && y == 1)",
    "G (x == 2 -> O y == 1)",
    "F (x == 1 && X y == 2)",
    "G (event(a) -> F event(b))",
    "absence(event(c)) after event(a)",
    "(x <= y) U (y == 2)",
    "H (y < 2 || x == 0)",
]


def random_run(dice: random.Random) -> str:
    """A small run with messages between its processes."""
    lines, events = ['{"posetta":1,"initial":{"x":0,"y":0}}'], []
    processes = ["P", "Q", "R"][: dice.randint(1, 3)]
    for number in range(dice.randint(1, 7)):
        process = dice.choice(processes)
        fields = [f'"process":"{process}"', f'"id":"e{number}"', f'"name":"{dice.choice("abc")}"']
        if dice.random() < 0.7:
            fields.append(f'"set":{{"{dice.choice("xy")}":{dice.randint(0, 2)}}}')
        if events and dice.random() < 0.4:
            fields.append(f'"after":["{dice.choice(events)}"]')
        events.append(f"e{number}")
        lines.append("{" + ",".join(fields) + "}")
    return "\n".join(lines) + "\n"


def test_random_runs(tmp_path: pathlib.Path) -> None:
    dice = random.Random(int(os.environ.get("POSETTA_SEED", "7")))
    for case in range(CASES):
        path = tmp_path / f"run{case}.jsonl"
        path.write_text(random_run(dice))
        formula = dice.choice(FORMULAS)
        theirs = cli("check", path, "--ltl", formula)
        [ours] = check_all([path], formula)
        mine = timeless(ours.to_dict())
        for problem in [*mine["errors"], *theirs["errors"]]:
            problem["file"] = ""
        assert mine == timeless(theirs), (path.read_text(), formula)


@pytest.mark.parametrize("name", ["philosophers.sys", "philosophers-deadlock.sys"])
def test_models(name: str) -> None:
    path = EXAMPLES / "systems" / name
    if not path.exists():
        pytest.skip(f"there is no {path}")
    ours = verify(Model.read(path), deadlock=True).to_dict()
    assert timeless(ours) == timeless(cli("verify", path, "--deadlock"))


@pytest.mark.parametrize("path", sorted((EXAMPLES / "models").glob("*.smv"))[:4], ids=lambda path: path.name)
def test_models_in_smv(path: pathlib.Path) -> None:
    assert timeless(verify(Model.read(path)).to_dict()) == timeless(cli("verify", path))


@pytest.mark.parametrize("path", sorted((EXAMPLES / "m2l").glob("*.mona"))[:6], ids=lambda path: path.name)
def test_m2l(path: pathlib.Path) -> None:
    assert timeless(m2l(path).to_dict()) == timeless(cli("m2l", path))


def test_refinement() -> None:
    files = sorted((EXAMPLES / "refine").glob("*.sys"))
    compared = 0
    for path in files:
        try:
            left, right = Model.read(path), Model.read(files[0])
            ours = refine(left, right).to_dict()
        except Invalid:
            continue
        assert timeless(ours) == timeless(cli("refine", path, files[0]))
        compared += 1
    assert compared > 0


def test_a_stream(tmp_path: pathlib.Path) -> None:
    import json
    import subprocess

    dice, path = random.Random(3), tmp_path / "stream.jsonl"
    lines = [f'{{"x":{dice.randint(0, 2)},"y":{dice.randint(0, 2)},"k":"{dice.choice("abc")}"}}' for _ in range(200)]
    path.write_text("\n".join(lines) + "\n")
    formula = "G !(x == 1 && y == 1 && O x == 2)"
    program = os.environ.get("POSETTA_PROGRAM")
    if not program:
        pytest.skip("POSETTA_PROGRAM names no program to compare with")
    told = subprocess.run(
        [program, "monitor", path, "--ltl", formula, "--key", "k", "--json"], capture_output=True, text=True, check=False
    )
    theirs = [json.loads(line) for line in told.stdout.splitlines()]
    theirs = [(one["key"], one["position"], one["line"], one["verdict"]) for one in theirs if "position" in one]
    monitor = Monitor(formula, key="k")
    ours = [(one.key, one.position, one.record, one.verdict) for one in monitor.read(path)]
    assert ours == theirs and ours
    again = Monitor(formula, key="k")
    stepped = [(one.key, one.position, one.record, one.verdict) for line in lines for one in again.step(json.loads(line))]
    assert stepped == theirs
    columns = {name: [json.loads(line)[name] for line in lines] for name in ("x", "y", "k")}
    fed = Monitor(formula, key="k").feed(columns)
    assert [(one.key, one.position, one.record, one.verdict) for one in fed] == theirs
