"""Flink as processes of this machine: a job manager and task managers, which can be killed."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import Any

import pyflink

HOME = pathlib.Path(pyflink.__file__).parent
JOB = pathlib.Path(__file__).with_name("flink_job.py")

CONFIG = """
jobmanager: {{rpc: {{address: 127.0.0.1, port: {rpc}}}, bind-host: 127.0.0.1, memory: {{process: {{size: 1000m}}}}}}
rest: {{address: 127.0.0.1, bind-address: 127.0.0.1, port: {rest}, bind-port: {rest}}}
taskmanager: {{host: 127.0.0.1, bind-host: 127.0.0.1, numberOfTaskSlots: 3, load-balance: {{mode: SLOTS}}, memory: {{process: {{size: 1400m}}}}}}
heartbeat: {{interval: 1000, timeout: 8000}}
restart-strategy: {{type: fixed-delay, fixed-delay: {{attempts: 20, delay: 1 s}}}}
execution:
  checkpointing: {{interval: 2 s, dir: "file://{room}/checkpoints", externalized-checkpoint-retention: RETAIN_ON_CANCELLATION}}
python: {{executable: {python}, client: {{executable: {python}}}}}
io: {{tmp: {{dirs: "{room}/tmp"}}}}
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Cluster:
    """One job manager and two task managers; ``kill`` ends one of them outright, with the Python that it started."""

    def __init__(self, room: pathlib.Path) -> None:
        self._room, self._rest = room, free_port()
        for folder in ("conf", "log", "tmp", "checkpoints"):
            (room / folder).mkdir()
        config = CONFIG.format(rpc=free_port(), rest=self._rest, room=room, python=sys.executable)
        # What Java has to be told comes from the engine's own configuration.
        theirs = HOME.joinpath("conf", "config.yaml").read_text().splitlines()
        java = next(line.strip() for line in theirs if line.strip().startswith("all: --add"))
        (room / "conf" / "config.yaml").write_text(f"{config}env:\n  java:\n    opts:\n      {java}\n")
        for name in HOME.joinpath("conf").glob("log4j*"):
            (room / "conf" / name.name).write_text(name.read_text())
        self._env = dict(os.environ, FLINK_HOME=str(HOME), FLINK_CONF_DIR=str(room / "conf"), FLINK_LOG_DIR=str(room / "log"))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Cluster:
        self.start("jobmanager")
        self.start("taskmanager", "one")
        self.start("taskmanager", "two")
        self.until("two task managers", lambda: self.get("/overview")["taskmanagers"] == 2)
        return self

    def __exit__(self, *_: object) -> None:
        for name in list(self._processes):
            self.kill(name)

    def start(self, role: str, name: str = "") -> None:
        with (self._room / "log" / f"{role}{name}.txt").open("ab") as out:
            self._processes[role + name] = subprocess.Popen(
                ["bash", str(HOME / "bin" / f"{role}.sh"), "start-foreground"],
                env=self._env, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
            )

    def kill(self, name: str) -> None:
        process = self._processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._rest}{path}", timeout=10) as answer:
            return json.load(answer)

    def until(self, what: str, is_so: Any, seconds: float = 180) -> None:
        """Waits for something; an engine that cannot be asked yet is asked again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if is_so():
                    return
            except OSError:
                pass
            time.sleep(0.2)
        raise AssertionError(f"{what}: not after {seconds:.0f} s; see {self._room / 'log'}")

    def submit(self, parallelism: int, *arguments: str, checkpoint: pathlib.Path | None = None) -> str:
        """Starts a job, from a checkpoint if one is given, and says its id."""
        command = ["bash", str(HOME / "bin" / "flink"), "run", "--detached", "--parallelism", str(parallelism)]
        command += ["--fromSavepoint", f"file://{checkpoint}"] if checkpoint else []
        command += ["--python", str(JOB), *arguments]
        told = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        found = [line.rsplit(" ", 1)[1] for line in told.stdout.splitlines() if "JobID" in line]
        assert told.returncode == 0 and found, told.stdout + told.stderr
        return found[-1]

    def state(self, job: str) -> str:
        state = str(self.get(f"/jobs/{job}")["state"])
        if state in ("FAILED", "CANCELED"):
            causes = [one["stacktrace"] for one in self.get(f"/jobs/{job}/exceptions")["exceptionHistory"]["entries"]]
            raise AssertionError(f"{job} is {state}: {causes[0][-3000:] if causes else 'no reason is given'}")
        return state

    def seconds(self, job: str) -> float:
        """How long a job took that has ended."""
        self.until("the end of a job", lambda: self.state(job) == "FINISHED", 600)
        return float(self.get(f"/jobs/{job}")["duration"]) / 1000

    def checkpoints(self, job: str) -> int:
        return int(self.get(f"/jobs/{job}/checkpoints")["counts"]["completed"])

    def restored(self, job: str) -> int:
        return int(self.get(f"/jobs/{job}/checkpoints")["counts"]["restored"])

    def retained(self, job: str) -> pathlib.Path:
        """The last checkpoint of a job that is whole."""
        whole = [one.parent for one in (self._room / "checkpoints" / job).glob("chk-*/_metadata")]
        return max(whole, key=lambda one: int(one.name.split("-")[1]))
