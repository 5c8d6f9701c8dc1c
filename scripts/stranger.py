"""What a stranger has and does: a machine without our environment, a server of their own, one order.

It imports the standard library alone, so that it runs in whatever environment is being proved.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PYTHON = str(Path(getattr(sys, "_base_executable", sys.executable)))
PATIENCE_S = 600
OURS = ("HAULIER_", "VIRTUAL_ENV", "PYTHON", "MAKE", "MFLAGS")
LOGIN = {"email": "admin@demo.example", "password": "haulier-demo"}
THERE = {"address": "100 Queen St W", "city": "Toronto", "country": "CA", "lat": 43.6534, "lng": -79.3841}
ORDER = {"order_ref": "STRANGER-1", "consignee": {"name": "Ada Lovelace", **THERE}}


class Unproved(Exception):
    """Something does not do what is promised."""


def environment(**more: str) -> dict[str, str]:
    """The environment of somebody who has Python and nothing of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    ours = {str(Path(sys.prefix, "bin")), str(ROOT / ".venv" / "bin")} if sys.prefix != sys.base_prefix else set()
    path = [str(Path(PYTHON).parent), *(each for each in kept.get("PATH", "").split(":") if each not in ours)]
    return {**kept, "PATH": ":".join(path), **more}


def run(*command: str | Path, at: Path, **more: str) -> str:
    """Run a command and give what it printed; one that fails proves the opposite, with all that it said."""
    ran = subprocess.run(
        [str(word) for word in command],
        cwd=at,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if ran.returncode:
        raise Unproved(f"{' '.join(map(str, command))} ended with {ran.returncode}:\n{ran.stdout[-4000:]}")
    return ran.stdout


class Visit:
    """A running server: where it answers, what it has said, and how long the first page took."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path, port: int, began: float) -> None:
        self.process = process
        self.log = log
        self.base = f"http://127.0.0.1:{port}"
        self._wait(began)

    def _wait(self, began: float) -> None:
        while time.monotonic() - began < PATIENCE_S:
            with suppress(OSError):
                if urllib.request.urlopen(f"{self.base}/", timeout=30).status == 200:
                    self.first_page_s = time.monotonic() - began
                    return
            if self.process.poll() is not None:
                raise Unproved(f"it ended with {self.process.returncode} and served nothing:\n{self.said[-4000:]}")
            time.sleep(0.02)
        raise Unproved(f"no page in {PATIENCE_S} s:\n{self.said[-4000:]}")

    @property
    def said(self) -> str:
        """What it has printed."""
        return self.log.read_text()

    def call(self, path: str, body: Any = None, token: str = "") -> Any:
        """Call an operation below /api/v1 that must succeed."""
        request = urllib.request.Request(f"{self.base}/api/v1/{path}", method="GET" if body is None else "POST")
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        data = None if body is None else json.dumps(body).encode()
        return json.load(urllib.request.urlopen(request, data, timeout=60))

    def one_order(self, login: Mapping[str, str] = LOGIN) -> None:
        """Sign in, order, and follow the parcel."""
        token = self.call("user/login", dict(login))["access_token"]
        number = self.call("client/orderCreate", ORDER, token)["order"]["tracking_number"]
        status = self.call(f"tracking/{number}")["status"]
        if status != "information_submitted":
            raise Unproved(f"the parcel {number} is {status}")

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Stop it as Ctrl+C does, which reaches the whole group. Nobody listens then, and nothing went wrong before."""
        os.killpg(self.process.pid, number)
        self.process.wait(90)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(self.base.rpartition(":")[2]))) == 0:
                raise Unproved("it was stopped and still listens")
        if "Traceback" in self.said:
            raise Unproved(f"it complained:\n{self.said[-4000:]}")


@contextmanager
def serving(
    *command: str | Path, at: Path, began: float | None = None, more: Mapping[str, str] | None = None
) -> Generator[Visit]:
    """A server that was started with a command, once it has shown its first page."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = at / f"served-{port}.txt"
    began = time.monotonic() if began is None else began
    with log.open("wb") as file:
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=at,
            env=environment(HAULIER_PORT=str(port), **(more or {})),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield Visit(process, log, port, began)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(90)


def readable(said: str) -> None:
    """What a person wants to read: the address and the logins, and no record of a machine's log."""
    for word in ("http://127.0.0.1:", LOGIN["email"], LOGIN["password"]):
        if word not in said:
            raise Unproved(f"it does not say {word}:\n{said}")
    if records := re.findall(r"^\s*\{.*", said, re.MULTILINE):
        raise Unproved(f"{len(records)} records stand among what a person reads, such as {records[0][:200]}")


def demo_here(*command: str | Path, at: Path, what: str, began: float | None = None, **more: str) -> None:
    """Start the demo, order something, follow it, stop: and say how long the first page took."""
    with serving(*command, at=at, began=began, more=more) as visit:
        visit.one_order()
        visit.stop()
        readable(visit.said)
        print(
            f"  {what}: first page after {visit.first_page_s:.1f} s; signed in, ordered, tracked, stopped", flush=True
        )
