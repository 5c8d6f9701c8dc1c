"""A real server process on a free port, with the demo business."""

import fcntl
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
from tests.support.databases import demo_file, migrated_file

from haulier.settings import default_metrics_port

PATIENCE_S = 120
PORTS = range(20_000, 21_464)
"""Ports below those of outgoing connections. The ports for metrics follow the last of them."""

_held: list[int] = []
"""Open files whose locks reserve ports until the process ends."""


def free_port() -> int:
    """Return a free port, reserved for this process along with its port for metrics.

    Without the reservation, two tests could get the same port and reach each other's server.
    """
    start = os.getpid() * 61 % len(PORTS)
    for port in (*PORTS[start:], *PORTS[:start]):
        hold = os.open(Path(tempfile.gettempdir(), f"haulier-port-{port}.lock"), os.O_CREAT | os.O_RDWR)
        try:
            fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _listen_once(port)
            _listen_once(default_metrics_port(port))
        except OSError:
            os.close(hold)
            continue
        _held.append(hold)
        return port
    raise AssertionError("every port that tests may use is taken")


def _listen_once(port: int) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))


@contextmanager
def make_server(
    folder: Path,
    *,
    database: str | None = None,
    demo: bool = True,
    settings: Mapping[str, str] | None = None,
    patience_s: float = PATIENCE_S,
) -> Generator[str]:
    """Yield the URL of a running server.

    It uses a SQLite file unless a database is given.

    `settings` are additional environment variables.
    """
    port = free_port()
    url = database or (demo_file(folder) if demo else migrated_file(folder))
    command = [sys.executable, "-m", "haulier", "serve", "--port", str(port), "--database", url]
    still = {"HAULIER_DEMO_LIVE": "false", "HAULIER_LOG_LEVEL": "warning", "HAULIER_RATE_LIMITS": "false"}
    environment = {**os.environ, **still, **(settings or {})}
    log = (folder / "server.log").open("w")
    process = subprocess.Popen(
        [*command, *(["--demo"] if demo else [])], env=environment, stdout=log, stderr=subprocess.STDOUT
    )
    base = f"http://127.0.0.1:{port}"
    try:
        _wait(base, process, folder / "server.log", patience_s)
        yield base
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        log.close()


def _wait(base: str, process: subprocess.Popen[bytes], log: Path, patience_s: float) -> None:
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{base}/readyz", verify=False).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(f"the server did not start:\n{log.read_text()}")
