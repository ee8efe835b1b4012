"""Where the program and the examples are."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import pytest

pytest_plugins = ["pytester"]

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"


def cli(*arguments: Any) -> dict[str, Any]:
    """What the program says, as JSON."""
    program = os.environ.get("POSETTA_PROGRAM")
    if not program:
        if os.environ.get("CI"):
            pytest.fail("POSETTA_PROGRAM names no program to compare with")
        pytest.skip("POSETTA_PROGRAM names no program to compare with")
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def timeless(report: Any) -> Any:
    """A report without times: they differ from call to call."""
    if isinstance(report, dict):
        return {key: timeless(value) for key, value in report.items() if key != "seconds"}
    if isinstance(report, list):
        return [timeless(value) for value in report]
    return report
