"""Servers in separate processes, and load on them from another process."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

HOST = "127.0.0.1"
START_TIMEOUT_S = 60
CONNECTIONS = 16
QUIET_ENVIRONMENT = {
    "HAULIER_RATE_LIMITS": "false",
    "HAULIER_BACKGROUND": "false",
    "HAULIER_LOG_LEVEL": "warning",
    "HAULIER_LOG_FORMAT": "json",
}


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        return taken.getsockname()[1]


@contextmanager
def serve_bare() -> Generator[int]:
    """Run the bare server within the context; yield its port."""
    port = free_port()
    words = ["--loop", "uvloop", "--http", "httptools", "--workers", "1", "--no-access-log", "--log-level", "warning"]
    command = [sys.executable, "-m", "uvicorn", "bench.bare:app", "--host", HOST, "--port", str(port), *words]
    with _running(command, port, "/"):
        yield port


@contextmanager
def serve_minimal_mcp(heard: Path) -> Generator[int]:
    """Run the minimal MCP server with recorded responses; yield its port."""
    port = free_port()
    words = ["--loop", "uvloop", "--http", "httptools", "--workers", "1", "--no-access-log", "--log-level", "warning"]
    app = ["--factory", "bench.minimal_mcp:app"]
    command = [sys.executable, "-m", "uvicorn", *app, "--host", HOST, "--port", str(port), *words]
    with _running(command, port, "/healthz", BENCH_MCP=str(heard)):
        yield port


@dataclass(frozen=True)
class RunningServer:
    """A server in a separate process."""

    port: int
    pid: int

    def processor_s(self) -> float:
        """Return the processor seconds used so far."""
        return processor_seconds(self.pid)


@contextmanager
def serve_haulier(database: str) -> Generator[int]:
    """Run the service over a migrated database within the context; yield its port."""
    with run_haulier(database) as server:
        yield server.port


@contextmanager
def run_haulier(
    database: str, path: str = "/healthz", options: Sequence[str] = (), **environment: str
) -> Generator[RunningServer]:
    """Run the service until it responds at a path; yield its process and port."""
    port = free_port()
    command = [sys.executable, "-m", "haulier", "serve", "--port", str(port), "--database", database, *options]
    with _running(command, port, path, **environment) as process:
        yield RunningServer(port, process.pid)


def processor_seconds(pid: int) -> float:
    """Return the processor seconds of a process and all its children, even ended."""
    root = psutil.Process(pid)
    own = root.cpu_times()
    taken = own.user + own.system + own.children_user + own.children_system
    for child in root.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            times = child.cpu_times()
            taken += times.user + times.system
    return taken


@contextmanager
def _running(command: Sequence[str], port: int, path: str, **environment: str) -> Generator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        command, env={**os.environ, **QUIET_ENVIRONMENT, **environment}, stdout=subprocess.DEVNULL
    )
    try:
        _wait(process, f"http://{HOST}:{port}{path}")
        yield process
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: "subprocess.Popen[bytes]", url: str) -> None:
    until = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"no answer at {url}; the server ended with {process.poll()}") from None
            time.sleep(0.1)


def run_load(port: int, requests: Sequence[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Send requests over sixteen connections; return the output of `bench.load`."""
    plan = {
        "host": HOST,
        "port": port,
        "connections": CONNECTIONS,
        "seconds": seconds,
        "warm_up": min(0.5, seconds / 4),
        "first": time.time_ns() // 1000 % 10**12,  # distinct numbers in every run
        "requests": list(requests),
    }
    told = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=json.dumps(plan), capture_output=True, text=True, check=False
    )
    if told.returncode:
        raise RuntimeError(told.stderr)
    return json.loads(told.stdout)


def send_request(port: int, request: dict[str, Any]) -> Any:
    """Send one request; return its JSON or text, and raise unless the status is 2xx."""
    body = request.get("body", "").replace("{n}", "first").replace("{u}", "000000000001").encode() or None
    headers = {"Content-Type": "application/json", **request.get("headers", {})}
    url = f"http://{HOST}:{port}{request['path']}"
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, body, headers, method=request.get("method", "GET")), timeout=30
        ) as answer:
            told = answer.read()
            return json.loads(told) if "json" in answer.headers.get("Content-Type", "") else told.decode()
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{url}: {error.code} {error.read().decode()[:500]}") from None
