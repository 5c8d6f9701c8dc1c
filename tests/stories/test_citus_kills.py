"""A coordinator of Citus that is killed between commits leaves no half write."""

import asyncio
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from scripts.citus_servers import CitusServers, citus_servers
from scripts.two_postgres import OWNER
from tests.processes.server_process import ServerProcess, make_admin, make_order, make_server
from tests.support.citus import VARIABLE

from haulier.adapters.citus import distribute_database
from haulier.adapters.new_schema import upgrade_to_newest_revision
from haulier.app import load_tables
from haulier.kernel.data.tables import metadata

PATIENCE_S = 120
KILLS = 5
CROWD = 4
PREPARED = "SELECT count(*) FROM pg_prepared_xacts"
ORDERS = "SELECT id, tracking_number, order_ref FROM delivery_order"
NUMBERS = "SELECT number FROM tracking_number"
AUDITED = "SELECT DISTINCT subject_id FROM audit_subject WHERE kind = 'order'"


@pytest.fixture(scope="module")
def servers() -> Iterator[CitusServers]:
    programs = os.environ.get(VARIABLE, "")
    if not programs.startswith("/"):
        pytest.skip(f"no Citus that can be killed: set {VARIABLE} to the folder of its programs")
    load_tables()
    with citus_servers(Path(programs), log_statement="all") as servers:
        upgrade_to_newest_revision(servers.coordinator.url(OWNER))
        distribute_database(servers.url(), metadata.sorted_tables, shards=4, on_step=lambda *_: None)
        yield servers


@pytest.fixture(scope="module")
def server(servers: CitusServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with make_server(tmp_path_factory.mktemp("server"), servers.coordinator.url(OWNER), rate_limits=False) as server:
        yield server


def ask(url: str, sql: str) -> list[tuple[Any, ...]]:
    """Return rows as a superuser."""

    async def asked() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(url)
        try:
            return [tuple(row) for row in await connection.fetch(sql)]
        finally:
            await connection.close()

    return asyncio.run(asked())


def create_orders(server: ServerProcess, headers: dict[str, str], who: str, enough: threading.Event) -> list[str]:
    """Create orders until `enough`, and return the references of those acknowledged."""
    acknowledged: list[str] = []
    with httpx.Client(base_url=server.base, headers=headers, timeout=60) as http:
        while not enough.is_set():
            reference = f"{who}-{time.monotonic_ns()}"
            answer = http.post("/api/v1/client/orderCreate", json=make_order(reference))
            if answer.status_code == 200:
                acknowledged.append(reference)
            else:
                enough.wait(0.05)
    return acknowledged


def wait_until(question: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not question():
        assert time.monotonic() < until
        time.sleep(0.2)


def test_a_coordinator_killed_between_commits_leaves_no_partial_write(
    servers: CitusServers, server: ServerProcess
) -> None:
    admin, enough = make_admin(servers.coordinator.url(OWNER), "writer"), threading.Event()
    with ThreadPoolExecutor(CROWD) as pool:
        people = [pool.submit(create_orders, server, admin, str(who), enough) for who in range(CROWD)]
        try:
            for _ in range(KILLS):
                time.sleep(random.uniform(2, 5))
                servers.coordinator.kill()
                servers.coordinator.start()
                wait_until(lambda: server.get("/readyz").status_code == 200)
            time.sleep(2)
        finally:
            enough.set()
        acknowledged = {reference for each in people for reference in each.result()}
    for worker in servers.workers:
        wait_until(lambda worker=worker: ask(worker.url("postgres"), PREPARED) == [(0,)])
    assert any("PREPARE TRANSACTION" in servers.log(worker) for worker in servers.workers)
    orders = ask(servers.url(), ORDERS)
    numbers, audited = ({row[0] for row in ask(servers.url(), sql)} for sql in (NUMBERS, AUDITED))
    assert {number for _, number, _ in orders} == {number for number in numbers if "-" not in number}
    assert {id for id, _, _ in orders} == audited
    assert acknowledged <= {reference for _, _, reference in orders}
    assert len(acknowledged) > KILLS
