"""A simulated day: take orders, assign contractors, and build and drive routes."""

import csv
import time
from datetime import UTC, date, datetime
from datetime import time as clock_time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from haulier.kernel.values.geography import great_circle_m
from haulier.simulation.cash import draw_cash_on_delivery, settle_cash
from haulier.simulation.client import ApiClient
from haulier.simulation.driving import Planner
from haulier.simulation.record import CashOrder, Draws, Mishaps, ProgressReporter, SimulatedDay

ORDINARY_DAY = Mishaps()


def simulate_day(
    base_url: str,
    file: Path,
    *,
    mishaps: Mishaps = ORDINARY_DAY,
    speed: float = 0.0,
    password: str = "haulier-demo",
    report_progress: ProgressReporter,
) -> SimulatedDay:
    """Simulate a delivery day against a running demo server.

    `file` is a CSV file of orders.

    `speed` 60 plays an hour per minute; 0 does not wait. Deterministic for a file and its mishaps, which are drawn
    from fixed seeds.
    """
    began = time.perf_counter()
    admin = ApiClient(base_url, "admin@demo.example", password)
    contractors = [ApiClient(base_url, f"{name}@demo.example", password) for name in ("contractor", "contractor2")]
    zone = ZoneInfo(admin.get("/v1/client/profile")["client"]["time_zone"])
    day, draws = SimulatedDay(mishaps), Draws()
    today = datetime.now(zone).date()
    _accept_orders(admin, day, _order_rows(file), today, zone, draws, report_progress)
    ids = [order["id"] for order in day.orders.values()]
    share = len(ids) // 3 // 2
    planners: list[Planner] = []
    for index, contractor in enumerate(contractors):
        mine = ids[index * share : (index + 1) * share]
        assignment = admin.post("/v1/broker-order-assignments", order_ids=mine, broker_id=contractor.user_id)
        day.counts["given to contractors"] += assignment["assigned"]
        planners.append(Planner(contractor, admin, day, today, draws, speed, report_progress))
        planners[-1].play(mine)
    planners.append(Planner(admin, admin, day, today, draws, speed, report_progress, has_second_wave=True))
    planners[-1].play(ids[2 * share :])
    day.faults += settle_cash(admin, day, [driver for planner in planners for driver in planner.drivers.values()])
    day.calls_s = time.perf_counter() - began
    return day


def _order_rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as opened:
        return list(csv.DictReader(opened))


def _accept_orders(
    admin: ApiClient,
    day: SimulatedDay,
    rows: list[dict[str, str]],
    today: date,
    zone: ZoneInfo,
    draws: Draws,
    report_progress: ProgressReporter,
) -> None:
    run, depot = f"{datetime.now(UTC):%y%m%d%H%M%S}", _sending_depot(admin, rows)
    for done, row in enumerate(rows, 1):
        cod_minor = draw_cash_on_delivery(draws, day.mishaps.cod, row["type"])
        request = _order_request(row, depot, run, today, zone) | ({"cod_minor": cod_minor} if cod_minor else {})
        order = admin.post("/v1/client/orderCreate", **request)["order"]
        day.orders[order["tracking_number"]] = order
        day.record(order["tracking_number"], "information_submitted")
        if cod_minor:
            day.cash_orders[order["tracking_number"]] = CashOrder(cod_minor)
        day.counts["orders"] += 1
        report_progress("taking orders", done, len(rows))


def _sending_depot(admin: ApiClient, rows: list[dict[str, str]]) -> dict[str, Any]:
    """Return the depot nearest to the first row as a sender."""
    near = (float(rows[0]["lat"]), float(rows[0]["lng"]))
    depots = admin.get("/v1/depots")["depots"]
    depot = min(depots, key=lambda each: great_circle_m(near, (each["lat"], each["lng"])))
    return {name: depot[name] for name in ("name", "address", "lat", "lng")}


def _order_request(row: dict[str, str], depot: dict[str, Any], run: str, today: date, zone: ZoneInfo) -> dict[str, Any]:
    """Return the order of a row, which the depot sends."""
    created = {
        "name": row["consignee"],
        "address": row["address"],
        "city": row["city"],
        "postal_code": row["postal_code"] or None,
        "country": row["country"],
        "lat": float(row["lat"]),
        "lng": float(row["lng"]),
    }
    depot = {**created, "postal_code": None, **depot}
    return {
        "type": row["type"],
        "order_ref": f"{row['order_ref']}-{run}",
        "consignee": None if row["type"] == "P" else created,
        "shipper": None if row["type"] == "D" else created if row["type"] == "P" else depot,
        "packages": [{"weight_g": int(row["weight_g"])}] * int(row["pieces"]),
        "scheduled_date": today.isoformat(),
        "window_start": _local_time(today, row["window_start"], zone),
        "window_end": _local_time(today, row["window_end"], zone),
        "service_time_s": int(row["service_time_s"]),
    }


def _local_time(day: date, clock: str, zone: ZoneInfo) -> str:
    return datetime.combine(day, clock_time.fromisoformat(clock), zone).isoformat()
