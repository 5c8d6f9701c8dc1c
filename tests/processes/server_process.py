"""Real processes of `haulier serve` and `haulier worker`, and their logs."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
from tests.support.live import free_port

from haulier.adapters.database import database_for
from haulier.contexts.identity import public as access
from haulier.kernel.data.clock import utc_now
from haulier.kernel.operations.enums import Account, Module
from haulier.settings import default_metrics_port

PATIENCE_S = 180


class Process:
    """A running command and its output."""

    def __init__(self, words: list[str], folder: Path, environment: dict[str, str], program: str = "haulier") -> None:
        self.log = folder / f"{'-'.join(words[:1])}-{time.monotonic_ns()}.log"
        with self.log.open("w") as file:
            self.popen = subprocess.Popen(
                [sys.executable, "-m", program, *words],
                env={**os.environ, "HAULIER_LOG_FORMAT": "json", **environment},
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=file,
            )

    @property
    def processes(self) -> list[psutil.Process]:
        """The process and its children."""
        own = psutil.Process(self.popen.pid)
        return [own, *own.children(recursive=True)]

    def lines(self) -> list[dict[str, Any]]:
        """The log, one record per line."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def stop(self) -> int:
        """Stop the process like a supervisor and return its exit code."""
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(PATIENCE_S)

    def freeze(self) -> None:
        """Suspend the process, so that it sends nothing more to the database."""
        for process in self.processes:
            process.suspend()

    def thaw(self) -> None:
        """Resume the process."""
        for process in self.processes:
            process.resume()

    def kill(self) -> None:
        """Kill the process without a clean shutdown."""
        for process in self.processes:
            process.send_signal(signal.SIGKILL)
        self.popen.wait(PATIENCE_S)

    def end(self) -> None:
        """Stop everything that is still running."""
        if self.popen.poll() is None:
            self.kill()


class ServerProcess(Process):
    """A running server and its address."""

    port: int

    @property
    def base(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, **words: Any) -> httpx.Response:
        """Send a GET request on a new connection.

        Certificates are not read, which would take 20 ms.
        """
        return httpx.get(self.base + path, timeout=PATIENCE_S, verify=False, **words)

    def metrics(self) -> httpx.Response:
        """Return the Prometheus metrics from their separate port."""
        address = f"http://127.0.0.1:{default_metrics_port(self.port)}/metrics"
        return httpx.get(address, timeout=PATIENCE_S, verify=False)


@contextmanager
def make_server(
    folder: Path, database: str, *words: str, until: str = "/readyz", program: str = "haulier", **settings: Any
) -> Iterator[ServerProcess]:
    """Yield a server once it answers `until`."""
    port = free_port()
    told = ["serve", "--port", str(port), "--database", database, *words]
    server = ServerProcess(told, folder, _environment(settings), program)
    server.port = port
    try:
        eventually(lambda: _answers(server, until), server)
        yield server
    finally:
        server.end()


@contextmanager
def make_worker(folder: Path, database: str, **settings: Any) -> Iterator[Process]:
    """Yield a process that only runs jobs."""
    worker = Process(["worker", "--database", database], folder, _environment(settings))
    try:
        yield worker
    finally:
        worker.end()


def _environment(settings: dict[str, Any]) -> dict[str, str]:
    return {f"HAULIER_{name.upper()}" if name.islower() else name: str(value) for name, value in settings.items()}


def _answers(server: ServerProcess, path: str) -> bool:
    try:
        return server.get(path).status_code == 200
    except httpx.TransportError:
        return False


def eventually(question: Callable[[], Any], process: Process | None = None) -> Any:
    """Return the first true answer.

    Fails with the log if the process ends or the time is up.
    """
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and (process is None or process.popen.poll() is None):
        if answer := question():
            return answer
        time.sleep(0.05)
    raise AssertionError(process.log.read_text()[-4000:] if process else "it never came true")


def make_admin(database: str, code: str = "demo") -> dict[str, str]:
    """Create a client with an admin, and return the admin's headers."""

    async def admitted() -> str:
        application = database_for(database)
        await application.open()
        now = utc_now()
        async with application.write(None) as plain:
            work = plain.without_tenant_filter("tests act for every client")
            words = {"time_zone": "America/Toronto", "currency": "CAD", "modules": Module, "now": now}
            client = await access.create_client(work, code=code, name=code.title(), **words)
            who = {"client_id": client, "account": Account.CLIENT_ADMIN, "now": now}
            user = await access.provision_user(work, email=f"admin@{code}.example", name="Ada", **who)
            token = await access.issue_token(work, user_id=user, **who)
        await application.close()
        return token

    return {"Authorization": f"Bearer {asyncio.run(admitted())}"}


def make_order(ref: str) -> dict[str, Any]:
    """Return the request for an order."""
    there = {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
    return {"order_ref": ref, "consignee": {**there, "lat": 43.6534, "lng": -79.3841}}


def post_json(base: str, path: str, body: Any, headers: dict[str, str]) -> dict[str, Any]:
    """Call an operation that must succeed; `path` is below /api/v1."""
    answer = httpx.post(f"{base}/api/v1/{path}", json=body, headers=headers, timeout=PATIENCE_S)
    assert answer.status_code == 200, answer.text
    return answer.json()


def query_rows(database: str, sql: str) -> list[tuple[Any, ...]]:
    """Return rows read directly from a database."""
    if database.startswith("sqlite"):
        import apsw

        connection = apsw.Connection(database.removeprefix("sqlite:///"), flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(PATIENCE_S * 1000)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()
    from tests.support.databases import cluster

    return [tuple(row) for row in cluster().ask(sql)]
