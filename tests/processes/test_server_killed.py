"""Acknowledged writes survive a killed server exactly once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from tests.processes.server_process import eventually, make_admin, make_order, make_server, post_json, query_rows
from tests.support.databases import cluster, migrated_file

CROWD = 8
ENOUGH = 60


class Killed:
    """Orders acknowledged to concurrent clients before the server was killed."""

    def __init__(self, database: str, folder: Path) -> None:
        self.database = database
        self.admin = make_admin(database)
        self.acknowledged: list[str] = []
        with make_server(folder, database) as server, ThreadPoolExecutor(CROWD) as crowd:
            took = [crowd.submit(self._accept_orders, server.base, who) for who in range(CROWD)]
            eventually(lambda: len(self.acknowledged) >= ENOUGH, server)
            server.kill()
            self.cut_off = [each.result() for each in took]

    def _accept_orders(self, base: str, who: int) -> str:
        """Create orders until one is not answered, and return its reference."""
        with httpx.Client(base_url=base, headers=self.admin, timeout=60) as http:
            for n in range(100_000):
                try:
                    answer = http.post("/api/v1/client/orderCreate", json=make_order(f"{who}-{n}"))
                except httpx.TransportError:
                    return f"{who}-{n}"
                assert answer.status_code == 200, answer.text
                self.acknowledged.append(f"{who}-{n}")
        raise AssertionError("nobody killed the server")

    def kept(self) -> Counter[str]:
        """Return the stored orders with their counts."""
        return Counter(ref for (ref,) in query_rows(self.database, "SELECT order_ref FROM delivery_order"))


def test_a_killed_server_neither_loses_nor_duplicates_acknowledged_orders(tmp_path: Path) -> None:
    killed = Killed(cluster().url(), tmp_path)
    try:
        kept = killed.kept()
    finally:
        cluster().sweep()
    assert set(kept) - set(killed.cut_off) == set(killed.acknowledged)
    assert set(kept.values()) == {1}


def test_the_next_server_continues_with_the_file_of_the_killed_one(tmp_path: Path) -> None:
    killed = Killed(migrated_file(tmp_path), tmp_path)
    with make_server(tmp_path, killed.database) as server:
        kept = killed.kept()
        assert set(kept) - set(killed.cut_off) == set(killed.acknowledged)
        again = [post_json(server.base, "client/orderCreate", make_order(ref), killed.admin) for ref in killed.cut_off]
        assert [answer["existing"] for answer in again] == [ref in kept for ref in killed.cut_off]
        assert server.stop() == 0
    assert killed.kept() == Counter([*killed.acknowledged, *killed.cut_off])
