"""Environment of a new user: a clean machine, a server and one order.

It imports the standard library only, so that it runs in every environment under test.
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
    """Raised if something does not work as documented."""


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a user who has Python but not this project."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    ours = {str(Path(sys.prefix, "bin")), str(ROOT / ".venv" / "bin")} if sys.prefix != sys.base_prefix else set()
    path = [str(Path(PYTHON).parent), *(each for each in kept.get("PATH", "").split(":") if each not in ours)]
    return {**kept, "PATH": ":".join(path), **more}


def run(*command: str | Path, at: Path, **more: str) -> str:
    """Run a command and return its output; raises `Unproved` with it on failure."""
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
    """A running server: its address, output, and time to the first page."""

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
                raise Unproved(f"it exited with {self.process.returncode} before serving a page:\n{self.said[-4000:]}")
            time.sleep(0.02)
        raise Unproved(f"no page in {PATIENCE_S} s:\n{self.said[-4000:]}")

    @property
    def said(self) -> str:
        """Return its output."""
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
        """Sign in, create an order and follow the parcel."""
        token = self.call("user/login", dict(login))["access_token"]
        number = self.call("client/orderCreate", ORDER, token)["order"]["tracking_number"]
        status = self.call(f"tracking/{number}")["status"]
        if status != "information_submitted":
            raise Unproved(f"the parcel {number} is {status}")

    def documentation(self) -> None:
        """Open the documentation site with its search."""
        for path, words in {"/docs/": "Deliver", "/docs/search/search_index.json": "Print labels"}.items():
            if words not in urllib.request.urlopen(f"{self.base}{path}", timeout=60).read().decode():
                raise Unproved(f"the documentation site is not complete: {path}")

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Stop the process group as Ctrl+C does, and check that it ended cleanly."""
        os.killpg(self.process.pid, number)
        self.process.wait(90)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(self.base.rpartition(":")[2]))) == 0:
                raise Unproved("it still listens after being stopped")
        if "Traceback" in self.said:
            raise Unproved(f"it printed errors:\n{self.said[-4000:]}")


@contextmanager
def serving(
    *command: str | Path, at: Path, began: float | None = None, more: Mapping[str, str] | None = None
) -> Generator[Visit]:
    """Yield a server started by a command, once it has served its first page."""
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
    """Check that output for users contains address and logins, and no JSON log lines."""
    for word in ("http://127.0.0.1:", LOGIN["email"], LOGIN["password"]):
        if word not in said:
            raise Unproved(f"its output lacks {word}:\n{said}")
    if records := re.findall(r"^\s*\{.*", said, re.MULTILINE):
        raise Unproved(f"{len(records)} JSON records in output for users, such as {records[0][:200]}")


def demo_here(*command: str | Path, at: Path, what: str, began: float | None = None, **more: str) -> None:
    """Start the demo, create an order, follow it and stop; print the start time."""
    with serving(*command, at=at, began=began, more=more) as visit:
        visit.one_order()
        visit.stop()
        readable(visit.said)
        print(
            f"  {what}: first page after {visit.first_page_s:.1f} s; signed in, ordered, tracked, stopped", flush=True
        )
