"""A real server in a process of its own, on a free port, with the demo business."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from tests.support.databases import demo_file, migrated_file

PATIENCE_S = 120


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def a_server(folder: Path, *, database: str | None = None, demo: bool = True) -> Iterator[str]:
    """The base address of a server that answers, over a SQLite file where no database is named; it is stopped at the end."""
    port = free_port()
    url = database or (demo_file(folder) if demo else migrated_file(folder))
    command = [sys.executable, "-m", "haulier", "serve", "--port", str(port), "--database", url]
    environment = {**os.environ, "HAULIER_LOG_LEVEL": "warning", "HAULIER_RATE_LIMITS": "false"}
    log = (folder / "server.log").open("w")
    process = subprocess.Popen(
        [*command, *(["--demo"] if demo else [])], env=environment, stdout=log, stderr=subprocess.STDOUT
    )
    base = f"http://127.0.0.1:{port}"
    try:
        _wait(base, process, folder / "server.log")
        yield base
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        log.close()


def _wait(base: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{base}/readyz", verify=False).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(f"the server did not start:\n{log.read_text()}")
