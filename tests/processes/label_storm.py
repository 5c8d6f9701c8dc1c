"""Concurrent label purchases from an unreliable carrier while servers are killed."""

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from tests.processes.server_process import ServerProcess, eventually, make_admin, make_server, post_json, query_rows
from tests.processes.stormy_carrier import StormyLedger, make_stormy_carrier
from tests.support.databases import migrated_file

CROWD = 6
AN_HOUR_S = 3600
HERE = {"name": "Shop", "address": "1 Front St", "city": "Toronto", "country": "CA"}
THERE = {"name": "Ada", "address": "100 Queen St W", "city": "Ottawa", "country": "CA"}
PROGRAM = "tests.processes.stormy_carrier"
ROOT = Path(__file__).parents[2]
UNKNOWN = "SELECT count(*) FROM shipment WHERE state = 'purchase_unknown'"


def storm(folder: Path, purchases: int, kills: int, seed: int = 7) -> tuple[StormyLedger, str]:
    """Buy labels while servers are killed, then let the last server recover.

    Returns the carrier's sales and the database.
    """
    database = migrated_file(folder)
    admin = make_admin(database)
    with make_stormy_carrier(seed) as (ledger, address):
        settings: dict[str, Any] = {"STORMY_CARRIER": address, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        left = list(range(purchases))
        for round_number in range(kills):
            enough = purchases * (round_number + 1) // (kills + 1)
            with make_server(folder, database, program=PROGRAM, **settings) as server:
                _open_account(server, admin)
                _buy(server, admin, left, lambda enough=enough: len(ledger.sold) >= enough, kill=True)
        with make_server(folder, database, program=PROGRAM, **settings) as server:
            _buy(server, admin, left, lambda: False, kill=False)
        ledger.calm = True
        with make_server(folder, database, program=PROGRAM, **settings, clock_offset_s=AN_HOUR_S) as server:
            eventually(lambda: query_rows(database, UNKNOWN) == [(0,)], server)
    return ledger, database


def _open_account(server: ServerProcess, admin: dict[str, str]) -> None:
    listed = httpx.get(f"{server.base}/api/v1/carrier-accounts", headers=admin, timeout=60).json()
    if not listed["accounts"]:
        opened = {"carrier": "STORMY", "name": "Stormy", "default": True, "sender": HERE}
        post_json(server.base, "carrier-accounts", opened, admin)


def _buy(server: ServerProcess, admin: dict[str, str], left: list[int], enough: Any, *, kill: bool) -> None:
    """Buy the remaining labels, each twice, until the server is killed."""
    lock, rng = threading.Lock(), random.Random(len(left))

    def shopper() -> None:
        with httpx.Client(base_url=server.base, headers=admin, timeout=60) as http:
            while True:
                with lock:
                    if not left:
                        return
                    number = left.pop(rng.randrange(len(left)))
                named = {"shipment": {"consignee": THERE}, "service": "any", "order_ref": f"S-{number}"}
                try:
                    for _ in range(2):
                        http.post("/api/v1/labelservice/submitOrder", json=named)
                except httpx.TransportError:
                    with lock:
                        left.append(number)
                    return

    with ThreadPoolExecutor(CROWD) as crowd:
        for _ in range(CROWD):
            crowd.submit(shopper)
        if kill:
            eventually(lambda: enough() or not left, server)
            server.kill()


def faults_after(ledger: StormyLedger, database: str, purchases: int) -> list[str]:
    """Return errors after a storm.

    These are labels sold twice or missing, unposted money, and lost or repeated shipments.
    """
    sold = Counter(reference for reference, _ in ledger.sold)
    faults = [f"sold {times} times: {reference}" for reference, times in sold.items() if times > 1]
    held = dict(query_rows(database, "SELECT reference, tracking_number FROM shipment WHERE state = 'purchased'"))
    if held != dict(ledger.sold):
        faults.append(f"{len(ledger.sold)} labels at the carrier, {len(held)} held")
    labels = {number for (number,) in query_rows(database, "SELECT tracking_number FROM shipping_label")}
    if labels != set(held.values()):
        faults.append(f"{len(labels)} labels stored")
    ((posted,),) = query_rows(
        database, "SELECT count(DISTINCT cost_transfer_id) FROM shipment WHERE state = 'purchased'"
    )
    if posted != len(held):
        faults.append(f"money of {posted} posted")
    ((rows, refs),) = query_rows(database, "SELECT count(*), count(DISTINCT order_ref) FROM shipment")
    if (rows, refs) != (purchases, purchases):
        faults.append(f"{rows} shipments of {refs} orders")
    return faults
