"""The day: orders are taken, a third goes to contractors, routes are made and driven, and every parcel is looked up."""

import csv
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from haulier.simulation.client import ApiClient, RequestRefused

STOPS_PER_ROUTE = 20
FAILS, RETURNS = 0.08, 0.03
REASONS = ("recipient_absent", "address_incorrect", "access_denied", "refused", "weather")
ProgressReporter = Callable[[str, int, int], None]


@dataclass
class SimulatedDay:
    """What was done, for the summary and for whoever checks it."""

    orders: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    expected: dict[str, str] = field(default_factory=dict[str, str])
    """The status that tracking must show, by tracking number."""
    counts: Counter[str] = field(default_factory=Counter[str])
    routes: list[int] = field(default_factory=list[int])
    calls_s: float = 0.0


def simulate_day(
    base_url: str, file: Path, *, speed: float = 0.0, password: str = "haulier-demo", report_progress: ProgressReporter
) -> SimulatedDay:
    """Play a day of the orders in a CSV against a running demo server. `speed` 60 plays an hour in a minute; 0 does not wait.

    Deterministic for a file: which stops fail is drawn from a fixed seed.
    """
    began = time.perf_counter()
    admin = ApiClient(base_url, "admin@demo.example", password)
    contractors = [ApiClient(base_url, f"{name}@demo.example", password) for name in ("contractor", "contractor2")]
    zone = ZoneInfo(admin.get("/v1/client/profile")["client"]["time_zone"])
    day, chance = SimulatedDay(), random.Random(1)
    today = datetime.now(zone).date()
    _take_orders(admin, day, _order_rows(file), today, zone, report_progress)
    ids = [order["id"] for order in day.orders.values()]
    third = len(ids) // 3
    for index, contractor in enumerate(contractors):
        mine = ids[index * (third // 2) : (index + 1) * (third // 2)]
        assignment = admin.post("/v1/broker-order-assignments", order_ids=mine, broker_id=contractor.user_id)
        day.counts["given to contractors"] += assignment["assigned"]
        _drive(contractor, admin, day, mine, today, chance, speed, report_progress)
    _drive(admin, admin, day, ids[2 * (third // 2) :], today, chance, speed, report_progress)
    day.calls_s = time.perf_counter() - began
    return day


def _order_rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as opened:
        return list(csv.DictReader(opened))


def _take_orders(
    admin: ApiClient,
    day: SimulatedDay,
    rows: list[dict[str, str]],
    today: date,
    zone: ZoneInfo,
    report_progress: ProgressReporter,
) -> None:
    run = f"{datetime.now(UTC):%y%m%d%H%M%S}"
    for done, row in enumerate(rows, 1):
        order = admin.post("/v1/client/orderCreate", **_order_request(row, run, today, zone))["order"]
        day.orders[order["tracking_number"]] = order
        day.expected[order["tracking_number"]] = "information_submitted"
        day.counts["orders"] += 1
        report_progress("taking orders", done, len(rows))


def _order_request(row: dict[str, str], run: str, today: date, zone: ZoneInfo) -> dict[str, Any]:
    created = {
        "name": row["consignee"],
        "address": row["place"],
        "city": row["place"],
        "region": row["region"],
        "country": row["country"],
        "lat": float(row["lat"]),
        "lng": float(row["lng"]),
    }
    depot = {
        **created,
        "name": "Demo Deliveries",
        "address": "1 Cherry St",
        "city": "Toronto",
        "lat": 43.6468,
        "lng": -79.3531,
    }
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


def _drive(
    planner: ApiClient,
    admin: ApiClient,
    day: SimulatedDay,
    ids: list[int],
    today: date,
    chance: random.Random,
    speed: float,
    report_progress: ProgressReporter,
) -> None:
    depot = admin.get("/v1/depots")["depots"][0]["id"]
    driver = _get_or_create_driver(planner)
    by_id = {order["id"]: number for number, order in day.orders.items()}
    chunks = [ids[start : start + STOPS_PER_ROUTE] for start in range(0, len(ids), STOPS_PER_ROUTE)]
    for done, chunk in enumerate(chunks, 1):
        route = planner.post("/v1/routes", day=today.isoformat(), depot_id=depot, driver_id=driver)["route"]["id"]
        put = planner.post(f"/v1/routes/{route}/orders", order_ids=chunk)
        day.routes.append(route)
        day.counts["routes"] += 1
        day.counts["orders that could not be planned"] += len(put.get("errors", ()))
        planner.post(f"/v1/routes/{route}/start")
        stops = planner.get(f"/v1/routes/{route}")["route"]["stops"]
        _visit_stops(planner, day, route, stops, by_id, chance, speed)
        planner.post(f"/v1/routes/{route}/return-to-depot")
        planner.post(f"/v1/routes/{route}/finish")
        report_progress(f"driving as {planner.email.split('@')[0]}", done, len(chunks))


def _get_or_create_driver(planner: ApiClient) -> int:
    """A driver of the planner with this name; one is created where there is none yet."""
    name = f"Simulated driver of {planner.email.split('@')[0]}"
    drivers = [driver for driver in planner.get("/v1/drivers", per_page=200)["drivers"] if driver["name"] == name]
    return drivers[0]["id"] if drivers else planner.post("/v1/drivers", name=name)["driver"]["id"]


def _stop_times(count: int) -> Iterator[datetime]:
    """One moment a stop, in time order, all in the last minutes, so that nothing lies in the future."""
    now = datetime.now(UTC)
    step = timedelta(milliseconds=20)
    return (now + step * index for index in range(1, count + 1))


def _visit_stops(
    planner: ApiClient,
    day: SimulatedDay,
    route: int,
    stops: list[dict[str, Any]],
    by_id: dict[int, str],
    chance: random.Random,
    speed: float,
) -> None:
    visited: set[int] = set()
    for stop, moment in zip(stops, _stop_times(len(stops)), strict=True):
        if stop["order_id"] in visited:
            continue
        if speed:
            time.sleep(480 / speed)
        place, number = f"/v1/routes/{route}/stops/{stop['id']}", by_id[stop["order_id"]]
        visit_fields: dict[str, Any] = {"occurred_at": moment.isoformat()}
        if stop["lat"] is not None:
            visit_fields["position"] = {"lat": stop["lat"], "lng": stop["lng"]}
        planner.post(f"{place}/arrive", **visit_fields)
        draw = chance.random()
        if draw < FAILS + RETURNS:
            outcome = "return" if draw < RETURNS else "retry"
            reason = chance.choice(REASONS)
            planner.post(f"{place}/fail", **visit_fields, reason=reason, outcome=outcome)
            visited.add(stop["order_id"])
            refused = outcome == "return" and reason == "refused"
            day.counts["returned" if outcome == "return" else "failed"] += 1
            day.expected[number] = "rejected" if refused else "returned" if outcome == "return" else "failed"
        elif stop["kind"] == "pickup":
            planner.post(f"{place}/pick-up", **visit_fields, recipient="Front desk")
            day.expected[number] = "picked_up"
        else:
            planner.post(f"{place}/deliver", **visit_fields, recipient="Recipient")
            day.counts["delivered"] += 1
            day.expected[number] = "delivered"


def check_timelines(
    base_url: str, day: SimulatedDay, report_progress: ProgressReporter, *, password: str = "haulier-demo"
) -> list[str]:
    """Look every parcel up on the public timeline. Returns a text for each that differs from what was done."""
    admin = ApiClient(base_url, "admin@demo.example", password)
    faults: list[str] = []
    for done, (number, expected) in enumerate(day.expected.items(), 1):
        try:
            journey = admin.get(f"/v1/tracking/{number}")
        except RequestRefused as refused:
            faults.append(str(refused))
            continue
        times = [event["occurred_at"] for event in journey["events"]]
        if times != sorted(times):
            faults.append(f"{number}: its events are out of order")
        if not _status_fits(expected, journey["status"]):
            faults.append(f"{number}: {expected} was done, {journey['status']} is shown")
        report_progress("looking parcels up", done, len(day.expected))
    return faults


def _status_fits(expected: str, status: str) -> bool:
    texts = {
        "failed": {"delivery_failed", "pickup_failed", "booking_confirmed", "removed_from_route"},
        "picked_up": {"picked_up", "delivered", "received"},
    }
    return status in texts.get(expected, {expected})
