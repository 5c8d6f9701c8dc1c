"""Simulated routes of one planner, including incidents."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from haulier.simulation.cash import collect_payment
from haulier.simulation.client import ApiClient
from haulier.simulation.drivers import SimulatedDriver, get_or_create_driver, sign_in_to_app
from haulier.simulation.record import Draws, ProgressReporter, SimulatedDay

STOPS_PER_ROUTE = 20
FAILS, RETURNS = 0.08, 0.03
REASONS = ("recipient_absent", "address_incorrect", "access_denied", "refused", "weather")
OPEN_STOPS = frozenset({"planned", "arrived"})


@dataclass
class Planner:
    """The business or a contractor, with a driver and a substitute."""

    api: ApiClient
    admin: ApiClient
    day: SimulatedDay
    today: date
    draws: Draws
    speed: float
    report_progress: ProgressReporter
    has_second_wave: bool = False
    """True if failed orders are delivered again on the same day, False for the next day."""
    drivers: dict[str, SimulatedDriver] = field(default_factory=dict[str, SimulatedDriver])

    def play(self, order_ids: Sequence[int]) -> None:
        """Drive orders and reschedule failed ones."""
        self._drive(order_ids, "driving", breakdowns=self.day.mishaps.breakdowns)
        if not self.has_second_wave:
            self._reschedule(order_ids, self.today + timedelta(days=1))
        elif again := self._reschedule(order_ids, self.today):
            self._drive(again, "driving again", breakdowns=0)
            self._reschedule(again, self.today + timedelta(days=1))

    def _drive(self, order_ids: Sequence[int], label: str, *, breakdowns: float) -> None:
        chunks = [order_ids[at : at + STOPS_PER_ROUTE] for at in range(0, len(order_ids), STOPS_PER_ROUTE)]
        for done, chunk in enumerate(chunks, 1):
            self._drive_route(chunk, breaks_down=self.draws.happens(breakdowns))
            self.report_progress(f"{label} as {self.api.email.split('@')[0]}", done, len(chunks))

    def _drive_route(self, order_ids: Sequence[int], *, breaks_down: bool) -> None:
        depot = self.admin.get("/v1/depots")["depots"][0]["id"]
        driver = self._driver("driver")
        made = self.api.post("/v1/routes", day=self.today.isoformat(), depot_id=depot, driver_id=driver.id)
        route = made["route"]["id"]
        put = self.api.post(f"/v1/routes/{route}/orders", order_ids=order_ids)
        self.day.routes.append(route)
        self.day.counts["routes"] += 1
        self.day.counts["orders that could not be planned"] += len(put.get("errors", ()))
        self.api.post(f"/v1/routes/{route}/start")
        stops = self._open_stops(route)
        self._visit_stops(driver, route, stops[: len(stops) // 2] if breaks_down else stops)
        if breaks_down and (left := self._open_stops(route)):
            self.day.counts["breakdowns"] += 1
            if self.day.counts["breakdowns"] % 2 == 0:
                self._abort_route(route, left)
                return
            self._hand_over(route, left)
        self._finish(route)

    def _driver(self, role: str) -> SimulatedDriver:
        if role not in self.drivers:
            self.drivers[role] = get_or_create_driver(self.api, role)
            if self.day.cash_orders:
                sign_in_to_app(self.admin, self.drivers[role])
        return self.drivers[role]

    def _open_stops(self, route: int) -> list[dict[str, Any]]:
        stops = self.api.get(f"/v1/routes/{route}")["route"]["stops"]
        return [stop for stop in stops if stop["status"] in OPEN_STOPS]

    def _finish(self, route: int) -> None:
        self.api.post(f"/v1/routes/{route}/return-to-depot")
        self.api.post(f"/v1/routes/{route}/finish")

    def _hand_over(self, route: int, left: Sequence[dict[str, Any]]) -> None:
        """Hand the remaining stops over to another driver, who finishes them.

        They form a separate route.
        """
        stand_in = self._driver("stand-in")
        handed = self.api.post(f"/v1/routes/{route}/hand-over", driver_id=stand_in.id, reason="The van broke down")
        taking = handed["routes"][0]["id"]
        self.day.routes.append(taking)
        for number in {stop["tracking_number"] for stop in left}:
            self.day.counts["orders handed over"] += 1
            if self.day.expected[number] != "picked_up":
                out = "out_for_delivery" if self.day.orders[number]["type"] == "D" else "out_for_pickup"
                self.day.milestones[number] += [out, out]
        self._visit_stops(stand_in, taking, self._open_stops(taking))
        self._finish(taking)

    def _abort_route(self, route: int, left: Sequence[dict[str, Any]]) -> None:
        """Abort a route. Goods on board return to the depot, the rest stays in place."""
        self.api.post(f"/v1/routes/{route}/abort", reason="vehicle_breakdown", note="Waits for the tow truck")
        self.api.post(f"/v1/routes/{route}/return-to-depot")
        for number in {stop["tracking_number"] for stop in left}:
            aboard = self.day.orders[number]["type"] == "D"
            self.day.record(number, "brought_back", *(["delayed"] if aboard else []), "removed_from_route")
            self.day.counts["orders of routes given up"] += 1

    def _visit_stops(self, driver: SimulatedDriver, route: int, stops: Sequence[dict[str, Any]]) -> None:
        over: set[int] = set()
        for stop in stops:
            if stop["order_id"] in over:
                continue
            if self.speed:
                time.sleep(480 / self.speed)
            if self.draws.happens(self.day.mishaps.cancellations):
                self._cancel(stop)
                over.add(stop["order_id"])
            elif not self._visit_stop(driver, route, stop):
                over.add(stop["order_id"])

    def _cancel(self, stop: dict[str, Any]) -> None:
        self.admin.post(f"/v1/orders/{stop['order_id']}/cancel", reason="The customer called.")
        self.day.record(stop["tracking_number"], "cancelled", "cancelled")
        self.day.cancelled_stops.add(stop["id"])
        self.day.counts["cancelled while out"] += 1

    def _visit_stop(self, driver: SimulatedDriver, route: int, stop: dict[str, Any]) -> bool:
        """Visit a stop. Returns True if goods changed hands."""
        place, number = f"routes/{route}/stops/{stop['id']}", stop["tracking_number"]
        fields: dict[str, Any] = {"occurred_at": datetime.now(UTC).isoformat()}
        if stop["lat"] is not None:
            fields["position"] = {"lat": stop["lat"], "lng": stop["lng"]}
        self.api.post(f"/v1/{place}/arrive", **fields)
        draw = self.draws.ordinary.random()
        if draw < FAILS + RETURNS:
            self._fail(f"/v1/{place}/fail", stop, fields, outcome="return" if draw < RETURNS else "retry")
            return False
        if stop["kind"] == "pickup":
            self.api.post(f"/v1/{place}/pick-up", **fields, recipient="Front desk")
            self.day.record(number, "picked_up", "picked_up")
            return True
        if number in self.day.cash_orders and driver.app:
            fields |= collect_payment(self.day, self.draws, driver, number)
            driver.app.post(f"/v1/rider/{place}/deliver", **fields, recipient="Recipient")
        else:
            self.api.post(f"/v1/{place}/deliver", **fields, recipient="Recipient")
        self.day.counts["delivered"] += 1
        self.day.record(number, "delivered", "delivered")
        return True

    def _fail(self, path: str, stop: dict[str, Any], fields: dict[str, Any], *, outcome: str) -> None:
        reason = self.draws.ordinary.choice(REASONS)
        self.api.post(path, **fields, reason=reason, outcome=outcome)
        if outcome == "retry":
            number = stop["tracking_number"]
            failed = "pickup_failed" if stop["kind"] == "pickup" else "delivery_failed"
            self.day.counts["failed"] += 1
            self.day.record(number, "failed", failed)
        else:
            self.day.counts["returned"] += 1
            self.day.record(stop["tracking_number"], "rejected" if reason == "refused" else "returned")

    def _reschedule(self, order_ids: Sequence[int], day: date) -> list[int]:
        """Reschedule a share of failed orders for a day and return their ids."""
        numbers = {order["id"]: number for number, order in self.day.orders.items()}
        failed = [id for id in order_ids if self.day.expected[numbers[id]] == "failed"]
        chosen = [id for id in failed if self.draws.happens(self.day.mishaps.second_attempts)]
        if not chosen:
            return []
        self.admin.post("/v1/orders/reschedule", order_ids=chosen, scheduled_date=day.isoformat())
        again = day == self.today
        for id in chosen:
            # The timeline shows a new attempt once the order is planned again, so only attempts of today are
            # expected.
            attempt = self.day.milestones[numbers[id]][-1].removesuffix("_failed")
            self.day.record(numbers[id], "rescheduled", *([f"{attempt}_rescheduled"] if again else []))
            self.day.counts["second attempts" if again else "rescheduled for the next day"] += 1
        return chosen
