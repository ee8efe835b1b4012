"""Decides temporal properties over every order in which a distributed run could have happened.

>>> from posetta import Run, check
>>> run = Run.read(b"A: c0=1 -> c0=0\\nB: c1=1 -> c1=0\\n")
>>> check(run, "G !(c0 == 1 && c1 == 1)").verdict
'violated'
"""

from ._native import (
    VERSION as __version__,
    Change,
    Decision,
    Event,
    KeyedMonitor,
    Model,
    Monitor,
    Property,
    Report,
    Result,
    Run,
    Spec,
    Why,
    check,
    check_all,
    m2l,
    refine,
    verify,
)
from .errors import Defect, Invalid, LimitReached, PosettaError
from .recorder import Recorder

__all__ = [
    "Change",
    "Decision",
    "Defect",
    "Event",
    "Invalid",
    "KeyedMonitor",
    "LimitReached",
    "Model",
    "Monitor",
    "PosettaError",
    "Property",
    "Recorder",
    "Report",
    "Result",
    "Run",
    "Spec",
    "Why",
    "__version__",
    "check",
    "check_all",
    "m2l",
    "refine",
    "verify",
]
