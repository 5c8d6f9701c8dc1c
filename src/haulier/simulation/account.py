"""Reconciliation of a simulated day.

Compares orders, amounts and timelines with the simulation.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from haulier.simulation.client import ApiClient, RequestRefused
from haulier.simulation.driving import OPEN_STOPS
from haulier.simulation.record import ProgressReporter, SimulatedDay

DELIVERED, RETURNED, CANCELLED = "delivered", "returned", "cancelled"
AT_DEPOT, RESCHEDULED = "back at the depot", "rescheduled"
KNOWN_ENDS = (DELIVERED, RETURNED, CANCELLED, AT_DEPOT, RESCHEDULED)
ENDS = {"DELIVERED": DELIVERED, "RETURNED": RETURNED, "REJECTED": RETURNED, "CANCELLED": CANCELLED}
WAITING = frozenset({"NEW_ORDER", "FAILED", "HOLD"})
EXPECTED_ENDS = {
    "information_submitted": AT_DEPOT,
    "brought_back": AT_DEPOT,
    "failed": AT_DEPOT,
    "picked_up": DELIVERED,
    "delivered": DELIVERED,
    "returned": RETURNED,
    "rejected": RETURNED,
    "cancelled": CANCELLED,
    "rescheduled": RESCHEDULED,
}
FITTING_STATUSES = {
    "failed": {"delivery_failed", "pickup_failed", "booking_confirmed", "removed_from_route"},
    "rescheduled": {"delivery_failed", "pickup_failed", "delivery_rescheduled", "pickup_rescheduled"},
    "brought_back": {"removed_from_route", "booking_confirmed"},
    "picked_up": {"picked_up", "delivered", "received"},
}
COD_AMOUNTS = ("due", "collected", "open", "written_off")


@dataclass
class DayAccount:
    """State of all orders and amounts at the end of a day."""

    ends: Counter[str] = field(default_factory=Counter[str])
    """Number of orders by final state."""
    cod: Counter[str] = field(default_factory=Counter[str])
    """Cash on delivery in minor units: due, collected, open, written_off."""
    faults: list[str] = field(default_factory=list[str])
    """Errors as text, each with the tracking number."""


def build_day_account(
    base_url: str, day: SimulatedDay, report_progress: ProgressReporter, *, password: str = "haulier-demo"
) -> DayAccount:
    """Compare the server's orders, stops and amounts with the simulation."""
    admin = ApiClient(base_url, "admin@demo.example", password)
    account = DayAccount(faults=list(day.faults))
    for done, number in enumerate(day.orders, 1):
        _account_for_order(admin, day, number, account)
        report_progress("taking account", done, len(day.orders))
    for number in day.cash_orders:
        _account_for_cash(admin, day, number, account)
    for route in day.routes:
        _account_for_route(admin, day, route, account)
    return account


def _account_for_order(admin: ApiClient, day: SimulatedDay, number: str, account: DayAccount) -> None:
    taken = day.orders[number]
    order = admin.get(f"/v1/orders/{taken['id']}")["order"]
    end = _find_end(order, date.fromisoformat(taken["scheduled_date"]))
    if end is None:
        account.faults.append(f"{number}: {order['status']} is no end of a day")
        return
    account.ends[end] += 1
    if end != (expected := EXPECTED_ENDS[day.expected[number]]):
        account.faults.append(f"{number}: should be {expected}, and is {end}")


def _find_end(order: dict[str, Any], today: date) -> str | None:
    """Return the final state of an order, or None if it is still in progress."""
    if order["status"] in WAITING and order["route_id"] is None:
        promised = order["scheduled_date"]
        return RESCHEDULED if promised and date.fromisoformat(promised) > today else AT_DEPOT
    return ENDS.get(order["status"])


def _account_for_cash(admin: ApiClient, day: SimulatedDay, number: str, account: DayAccount) -> None:
    order = day.cash_orders[number]
    report = admin.get("/v1/cod/report", order_id=day.orders[number]["id"])["sum"]
    amounts = {name: report[f"{name}_minor"] for name in COD_AMOUNTS}
    account.cod.update(amounts)
    done = {
        "due": order.due,
        "collected": order.collected,
        "open": order.due - order.collected - order.written_off,
        "written_off": order.written_off,
    }
    if amounts != done:
        account.faults.append(f"{number}: of its cash on delivery {done} was done, {amounts} is reported")
    if amounts["due"] != amounts["collected"] + amounts["open"] + amounts["written_off"]:
        account.faults.append(f"{number}: its cash on delivery does not add up: {amounts}")


def _account_for_route(admin: ApiClient, day: SimulatedDay, id: int, account: DayAccount) -> None:
    route = admin.get(f"/v1/routes/{id}")["route"]
    if route["status"] not in {"finished", "aborted"}:
        account.faults.append(f"route {id} is {route['status']}")
    for stop in route["stops"]:
        number = stop["tracking_number"]
        if stop["status"] in OPEN_STOPS or stop["bring_back"]:
            account.faults.append(f"{number}: its stop on route {id} is {stop['status']}")
        if stop["id"] in day.cancelled_stops and stop["status"] != "cancelled":
            account.faults.append(f"{number}: was cancelled, and its stop on route {id} is {stop['status']}")


def check_timelines(
    base_url: str, day: SimulatedDay, report_progress: ProgressReporter, *, password: str = "haulier-demo"
) -> list[str]:
    """Compare public timelines with the simulation and return the differences as text."""
    admin = ApiClient(base_url, "admin@demo.example", password)
    faults: list[str] = []
    for done, number in enumerate(day.expected, 1):
        try:
            journey = admin.get(f"/v1/tracking/{number}")
        except RequestRefused as refused:
            faults.append(str(refused))
            continue
        faults += _find_timeline_faults(day, number, journey)
        report_progress("looking parcels up", done, len(day.expected))
    return faults


def _find_timeline_faults(day: SimulatedDay, number: str, journey: dict[str, Any]) -> list[str]:
    faults: list[str] = []
    expected, status = day.expected[number], journey["status"]
    times = [event["occurred_at"] for event in journey["events"]]
    if times != sorted(times):
        faults.append(f"{number}: its events are out of order")
    if status not in FITTING_STATUSES.get(expected, {expected}):
        faults.append(f"{number}: {expected} was done, {status} is shown")
    told = iter([event["status_code"] for event in journey["events"]])
    if missing := [code for code in day.milestones.get(number, ()) if code not in told]:
        faults.append(f"{number}: its timeline does not tell {', '.join(missing)} in its place")
    return faults
