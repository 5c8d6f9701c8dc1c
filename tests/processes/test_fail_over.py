"""A PostgreSQL standby serves consistent reads and takes over from the primary."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import httpx
import pytest
from scripts.two_postgres import Pair, two_postgres
from tests.processes.server_process import ServerProcess, eventually, make_admin, make_order, make_server
from tests.support.databases import migrate
from tests.support.live import free_port

CROWD = 4
ENOUGH = 20
ROUNDS = 60
UNAVAILABLE = {"DATABASE_UNAVAILABLE", "OUTCOME_UNKNOWN", "DEADLINE_EXCEEDED", "BUSY_TRY_AGAIN"}


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with two_postgres((free_port(), free_port())) as pair:
        migrate(pair.url)
        yield pair


@pytest.fixture(scope="module")
def server(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("server")
    with make_server(folder, pair.url, replicas=pair.standby.url(), rate_limits=False) as server:
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


def replica_scans(pair: Pair) -> int:
    """Return the number of scans of the order table on the standby."""
    asked = (
        "SELECT coalesce(sum(seq_scan + idx_scan), 0)::int FROM pg_stat_user_tables WHERE relname = 'delivery_order'"
    )
    return int(str(ask(pair.standby.url("postgres"), asked)[0][0]))


def test_a_replica_serves_lists_never_older_than_the_preceding_write(pair: Pair, server: ServerProcess) -> None:
    admin = make_admin(pair.url, "reader")
    with httpx.Client(base_url=f"{server.base}/api/v1", headers=admin, timeout=60) as http:
        before, stale = replica_scans(pair), 0
        for n in range(ROUNDS):
            http.post("/client/orderCreate", json=make_order(f"R-{n}")).raise_for_status()
            stale += http.get("/orders", params={"per_page": 1}).json()["orders"][0]["order_ref"] != f"R-{n}"
        assert stale == 0

        def replica_was_asked() -> bool:  # repeats the request, because a slow standby may have been behind
            return http.get("/orders", params={"per_page": 1}).is_success and replica_scans(pair) > before

        eventually(replica_was_asked, server)
        pair.standby.tell("SELECT pg_wal_replay_pause()", name="postgres")
        try:
            http.post("/client/orderCreate", json=make_order("late")).raise_for_status()
            answer = http.get("/orders", params={"per_page": 1})
            assert answer.json()["orders"][0]["order_ref"] == "late", "a replica that is late is left out"
        finally:
            pair.standby.tell("SELECT pg_wal_replay_resume()", name="postgres")


class Crowd:
    """Users who create orders continuously, and the answers they got."""

    def __init__(self, server: ServerProcess, headers: dict[str, str]) -> None:
        self._server = server
        self._headers = headers
        self.acknowledged: list[str] = []
        self.refused: list[httpx.Response] = []
        self.unanswered: list[str] = []
        self.enough = threading.Event()

    def create_orders(self, who: int) -> None:
        with httpx.Client(base_url=self._server.base, headers=self._headers, timeout=60) as http:
            n = 0
            while not self.enough.is_set():
                n += 1
                answer = http.post("/api/v1/client/orderCreate", json=make_order(f"{who}-{n}"))
                if answer.status_code == 200:
                    self.acknowledged.append(f"{who}-{n}")
                else:
                    self.refused.append(answer)
                    self.enough.wait(0.05)


def test_a_failover_loses_no_acknowledged_write_and_callers_see_503(pair: Pair, server: ServerProcess) -> None:
    admin = make_admin(pair.url, "writer")
    with ThreadPoolExecutor(CROWD) as pool:
        crowd = Crowd(server, admin)
        people = [pool.submit(crowd.create_orders, who) for who in range(CROWD)]
        try:
            eventually(lambda: len(crowd.acknowledged) >= ENOUGH, server)
            pair.primary.kill()
            eventually(lambda: crowd.refused, server)
            away = server.get("/readyz")
            assert (away.status_code, away.json()["status"]) == (503, "database unreachable")
            pair.standby.promote()
            before = len(crowd.acknowledged)
            eventually(lambda: len(crowd.acknowledged) >= before + ENOUGH, server)
        finally:
            crowd.enough.set()
        for person in people:
            person.result()
        told = Counter((answer.status_code, answer.json()["code"]) for answer in crowd.refused)
        assert {status for status, _ in told} == {503}, told
        assert {code for _, code in told} <= UNAVAILABLE, told
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in crowd.refused)
        assert server.get("/readyz").status_code == 200
        promoted = pair.standby.url("postgres")
        kept = Counter(
            ref for (ref,) in ask(promoted, "SELECT order_ref FROM delivery_order WHERE order_ref LIKE '_-%'")
        )
        assert set(crowd.acknowledged) <= set(kept)
        assert all(count == 1 for ref, count in kept.items() if ref[0] != "R")
        unfinished = "SELECT id FROM job WHERE state <> 'done' AND run_at < now()"
        eventually(lambda: not ask(promoted, unfinished), server)
