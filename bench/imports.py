"""Cost of importing 10,000 orders: `python -m bench.imports`.

Orders are sent in two batches, as JSON and as files. Measured are the seconds from the first request until the second
batch is finished, and the processor time of the server, whose workers create the orders, and of PostgreSQL. The
cheapest of several rounds counts. The unit is that of `bench`.
"""

import argparse
import base64
import csv
import io
import json
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from bench import serve
from bench.cases import ADDRESS, timeline_kept
from bench.databases import BenchDatabase, bench_database, private_cluster
from bench.page import keep_results
from bench.seed import Business, seed_orders

STORED, PER_BATCH, BATCHES = 1000, 5000, 2
ORDERS = PER_BATCH * BATCHES
LOOK_EVERY_S, PATIENCE_S = 0.2, 600.0
UNIT_SECONDS = 3.0
TARGETS = {"sqlite": 1.67, "postgres": 1.78}
"""Units per order: half of 6.0 and 6.4 s for 10,000, with a unit of 0.18 ms."""
COLUMNS = ("import", "database", "seconds", "server s", "database s", "ms an order", "units an order")
Request = dict[str, Any]
MakeRequest = Callable[[Business, str], Request]


class ImportCost(Struct, frozen=True):
    """Seconds of one round: wall-clock and processor time."""

    clock_s: float
    server_s: float
    database_s: float

    @property
    def processor_s(self) -> float:
        """Return the processor seconds of server and PostgreSQL."""
        return self.server_s + self.database_s


def batch_request(business: Business, mark: str) -> Request:
    """Return a batch of orders with new references as JSON."""
    orders = [
        {
            "type": "D",
            "order_ref": f"{mark}-{at}",
            "consignee": {**ADDRESS, "name": f"Reader {at}", "address": f"{at} King St W"},
            "packages": [{"weight_g": 1500}],
        }
        for at in range(PER_BATCH)
    ]
    return _post(business, "/api/v1/client/batchOrderCreateAsync", {"orders": orders})


def file_request(business: Business, mark: str) -> Request:
    """Return the same batch as a CSV file."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(("order_ref", "name", "address", "city", "region", "country", "lat", "lng", "weight_g"))
    place = [ADDRESS[name] for name in ("city", "region", "country", "lat", "lng")]
    rows.writerows((f"{mark}-{at}", f"Reader {at}", f"{at} King St W", *place, 1500) for at in range(PER_BATCH))
    document = base64.b64encode(text.getvalue().encode()).decode()
    return _post(business, "/api/v1/order-imports", {"format": "csv", "document": document})


WAYS: dict[str, MakeRequest] = {"two batches": batch_request, "two files": file_request}


def measure_turn(
    server: serve.RunningServer, database: BenchDatabase, business: Business, make: MakeRequest
) -> ImportCost:
    """Send the batches and wait until they are finished.

    Raises `RuntimeError` unless every order was created.
    """
    requests = [make(business, f"{uuid.uuid4().hex[:10]}-{number}") for number in range(BATCHES)]
    began, server_s, database_s = time.monotonic(), server.processor_s(), database.processor_s()
    batch_ids = [serve.send_request(server.port, request)["asyncId"] for request in requests]
    created = sum(wait_for_batch(server.port, business, batch_id) for batch_id in batch_ids)
    if created != ORDERS:
        raise RuntimeError(f"{created} of {ORDERS} orders were created")
    return ImportCost(time.monotonic() - began, server.processor_s() - server_s, database.processor_s() - database_s)


def wait_for_batch(port: int, business: Business, batch_id: int) -> int:
    """Return the number of orders created, once a batch is finished.

    Raises `RuntimeError` after ten minutes.
    """
    asked = {"path": f"/api/v1/client/async/{batch_id}?per_page=1", "headers": _token(business)}
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        told = serve.send_request(port, asked)
        if told.get("finished_at"):
            return int(told["created"])
        time.sleep(LOOK_EVERY_S)
    raise RuntimeError(f"batch {batch_id} is not finished after {PATIENCE_S:.0f} s")


def unit_seconds(server: serve.RunningServer, business: Business) -> float:
    """Return the processor time of the server for a cached timeline."""
    requests, before = timeline_kept(business).requests, server.processor_s()
    answered = serve.run_load(server.port, requests, UNIT_SECONDS)["answered"]
    return (server.processor_s() - before) / float(answered)


def measure_database(name: str, times: int) -> list[tuple[str, str, ImportCost, float]]:
    """Return name, database, cheapest round and unit in seconds for each way."""
    with bench_database(name) as database:
        business = Business()
        seed_orders(database.url, business, STORED, lambda _: None)
        with serve.run_haulier(database.url, HAULIER_BACKGROUND="true") as server:
            unit_s = unit_seconds(server, business)
            return [
                (
                    way,
                    name,
                    min((measure_turn(server, database, business, make) for _ in range(times)), key=_processor_s),
                    unit_s,
                )
                for way, make in WAYS.items()
            ]


def main() -> int:
    """Measure, print and store results; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.imports", description=__doc__)
    parser.add_argument("--databases", default="sqlite,postgres", help="sqlite, postgres or both")
    parser.add_argument("--times", type=int, default=3, help="number of runs; the fastest counts")
    given = parser.parse_args()
    names = given.databases.split(",")
    with private_cluster(names):
        found = [row for name in names for row in measure_database(name, given.times)]
    rows, missed = list[tuple[str, ...]](), list[str]()
    for way, name, cost, unit_s in found:
        units = cost.processor_s / ORDERS / unit_s
        times = (cost.clock_s, cost.server_s, cost.database_s)
        rows.append(
            (way, name, *(f"{each:.2f}" for each in times), f"{1000 * cost.processor_s / ORDERS:.3f}", f"{units:.2f}")
        )
        if units > TARGETS[name]:
            missed.append(f"{way}, {name}: {units:.2f} units an order, wanted {TARGETS[name]}")
    about = (
        f"{ORDERS} orders of one package each, from the first request until the last order is created; {STORED} before."
    )
    return keep_results("Imports", COLUMNS, rows, missed, about)


def _processor_s(cost: ImportCost) -> float:
    return cost.processor_s


def _token(business: Business) -> dict[str, str]:
    return {"Authorization": f"Bearer {business.token}"}


def _post(business: Business, path: str, body: Any) -> Request:
    return {"method": "POST", "path": path, "body": json.dumps(body), "headers": _token(business)}


if __name__ == "__main__":
    sys.exit(main())
