"""A delivery day of the demo, with orders in every state and three routes."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from haulier.background import make_worker
from haulier.demo.accounts import APP, DemoUser
from haulier.demo.addresses import DEPOTS, DRIVERS, PLACES
from haulier.demo.caller import OperationCaller, SeedClock

ORDERS = 60
REASONS = ("recipient_absent", "address_incorrect")

RECIPIENT_MESSAGES = {"out_for_delivery": "email", "missed": "email", "delivered": "email"}
"""Messages to recipients. Orders without an email address send none."""

APP_SETTINGS: dict[str, Any] = {
    "appCode": APP["code"],
    "enabled": True,
    "methods": ["idp", "email", "registration"],
    "capabilities": ["shipping.send", "shipping.return"],
    "quick_actions": ["send", "return", "store", "lockers", "luggage", "handover", "pay", "wallet"],
    "hidden_quick_actions": ["luggage"],
    "version_policies": [
        {"platform": platform, "minimum": "1.0.0", "recommended": "1.2.0", "blocked": ["1.1.0"]}
        for platform in ("android", "ios")
    ],
}
"""Settings of the customers' app, with all sign-in methods."""


class Day(NamedTuple):
    """Ids of the created depots and drivers, and of orders without a route."""

    depots: list[int]
    drivers: list[int]
    waiting: list[int]


async def seed_day(admin: OperationCaller, people: dict[str, DemoUser], clock: SeedClock) -> Day:
    """Create the day."""
    now = clock.present
    await admin.call("update_app_settings", **APP_SETTINGS)
    await admin.call("set_recipient_messages", **RECIPIENT_MESSAGES)
    depots = await _create_depots(admin)
    drivers = await _create_drivers(admin, people["driver"])
    orders = [await _create_order(admin, n, now, people) for n in range(ORDERS)]
    await _assign_contractors(admin, orders, people)
    for id in orders[46:50]:
        await admin.call("hold_order", order_id=id, reason="waiting for the recipient")
    for id in orders[50:54]:
        await admin.call("cancel_order", order_id=id, reason="ordered twice")
    clock.advance_to(now - timedelta(hours=4))
    on_the_road = await _create_route(admin, orders[:16], depots[0], drivers[0], now)
    back = await _create_route(admin, orders[16:24], depots[1], drivers[1], now)
    await _create_route(admin, orders[24:30], depots[1], drivers[2], now)
    await _drive_route(admin, back, clock, finish=True)
    await _drive_route(admin, on_the_road, clock, finish=False)
    return Day(depots, drivers, orders[54:])


async def create_stranger_order(rival: OperationCaller, now: datetime) -> None:
    """Create an order of the other business, which the demo business cannot see."""
    await rival.call("create_order", **_order_request(0, now, "RIVAL"))


async def _create_depots(admin: OperationCaller) -> list[int]:
    return [
        (await admin.call("create_depot", name=name, address=address, lat=lat, lng=lng)).depot.id
        for name, address, lat, lng in DEPOTS
    ]


async def _create_drivers(admin: OperationCaller, driver: DemoUser) -> list[int]:
    return [
        (await admin.call("create_driver", name=name, vehicle="Van", user_id=driver.id if n == 0 else None)).driver.id
        for n, name in enumerate(DRIVERS)
    ]


def _order_request(n: int, now: datetime, prefix: str) -> dict[str, Any]:
    name, street, postal_code, lat, lng = PLACES[n % len(PLACES)]
    today = now.astimezone(ZoneInfo("America/Toronto")).replace(minute=0, second=0, microsecond=0)
    address = {
        "name": f"{name} ({n + 1})",
        "address": street,
        "city": "Toronto",
        "region": "ON",
        "postal_code": postal_code,
        "country": "CA",
        "lat": lat,
        "lng": lng,
        "phone": f"+1416555{n:04d}",
        "email": f"recipient-{n + 1}@home.example",
    }
    kind = "P" if n % 10 == 8 else "P2P" if n % 10 == 4 else "D"
    sender = PLACES[(n + 7) % len(PLACES)]
    shipper = {
        **address,
        "email": None,
        "name": sender[0],
        "address": sender[1],
        "postal_code": sender[2],
        "lat": sender[3],
        "lng": sender[4],
    }
    return {
        "type": kind,
        "order_ref": f"{prefix}-{n + 1:04d}",
        "consignee": None if kind == "P" else address,
        "shipper": shipper if kind != "D" else None,
        "packages": [{"weight_g": 500 + 730 * (n % 9)}] * (1 + n % 2),
        "scheduled_date": today.date(),
        "window_start": today.replace(hour=9),
        "window_end": today.replace(hour=18),
        "cod_minor": 4_200 if n % 15 == 3 else None,
        "pin_required": n == 15,
    }


async def _create_order(admin: OperationCaller, n: int, now: datetime, people: dict[str, DemoUser]) -> int:
    customer = people["customer"].id if n % 4 == 0 else None
    answer = await admin.call("create_order", **_order_request(n, now, "DEMO"), customer_id=customer)
    return answer.order.id


async def _assign_contractors(admin: OperationCaller, orders: list[int], people: dict[str, DemoUser]) -> None:
    await admin.call("assign_orders_to_broker", order_ids=orders[30:38], broker_id=people["contractor"].id)
    await admin.call("assign_orders_to_broker", order_ids=orders[38:43], broker_id=people["contractor2"].id)
    await admin.call("revoke_broker_order_assignments", order_ids=orders[42:43], reason="too far out")


async def _create_route(admin: OperationCaller, orders: list[int], depot: int, driver: int, now: datetime) -> Any:
    day = now.astimezone(ZoneInfo("America/Toronto")).date()
    made = await admin.call("create_route", day=day, depot_id=depot, driver_id=driver)
    route = made.route.id
    await admin.call("add_orders_to_route", route_id=route, order_ids=orders)
    return route


async def _drive_route(admin: OperationCaller, route: int, clock: SeedClock, *, finish: bool) -> None:
    """Drive a route with a few failed stops.

    An unfinished one leaves its last stops open.

    Messages to recipients are sent at their time, because outdated ones are dropped.
    """
    begin = clock.present - timedelta(hours=3)
    clock.advance_to(begin)
    # In the first hours of a day, the drive begins on the previous evening, ahead of the route's day.
    await admin.call("start_route", route_id=route, occurred_at=begin, ahead_of_day=True)
    await make_worker(admin.app).run_due()
    detail = await admin.call("get_route_detail", route_id=route)
    stops = detail.route.stops if finish else detail.route.stops[: len(detail.route.stops) * 2 // 3]
    for index, stop in enumerate(stops):
        when = begin + timedelta(minutes=8 * (index + 1))
        clock.advance_to(when + timedelta(minutes=3))
        report: dict[str, Any] = {"route_id": route, "stop_id": stop.id, "occurred_at": when}
        await admin.call("arrive_at_stop", **report)
        later = {**report, "occurred_at": when + timedelta(minutes=3)}
        if stop.kind == "pickup":
            await admin.call("pick_up_at_stop", **later, recipient="Front desk")
        elif index % 5 == 3:
            outcome = "return" if index % 2 else "retry"
            await admin.call(
                "fail_stop",
                **later,
                reason="refused" if index == 3 and not finish else REASONS[index % 2],
                outcome=outcome,
            )
        else:
            await admin.call("deliver_stop", **later, recipient=f"Recipient {index + 1}")
    if finish:
        clock.advance_to(begin + timedelta(hours=2, minutes=5))
        await admin.call("return_route_to_depot", route_id=route, occurred_at=begin + timedelta(hours=2))
        await admin.call("finish_route", route_id=route, occurred_at=begin + timedelta(hours=2, minutes=5))
    await make_worker(admin.app).run_due()
