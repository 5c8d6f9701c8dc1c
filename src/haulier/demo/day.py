"""Today in the demo: orders in every state, and four routes around the present."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from haulier.background import make_worker
from haulier.demo.accounts import APP, DemoUser
from haulier.demo.caller import OperationCaller, SeedClock
from haulier.demo.city import DEPOTS, ZONE, tours
from haulier.demo.drives import DriveEvent, events_of, place_of
from haulier.demo.people import DRIVERS, VEHICLES, phone_number
from haulier.demo.tours import TourOrder, create_tour, kind_of, order_request, requests_of_tour

RECIPIENT_MESSAGES = {"out_for_delivery": "email", "missed": "email", "delivered": "email", "ready_for_pickup": "email"}
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


class DayTour(NamedTuple):
    """A route of today: orders by number, addresses of a tour, and a start.

    The start is in minutes from now.
    """

    name: str
    numbers: range
    tour: int
    indexes: Sequence[int]
    depot: int
    driver: int
    starts_min: int


TOURS = (
    DayTour("Design District", range(16), 5, range(16), 0, 0, -75),
    DayTour("Kruununhaka", range(16, 24), 6, range(0, 16, 2), 1, 1, -150),
    DayTour("Kaisaniemi", range(24, 30), 7, (1, 2, 5, 7, 9, 12), 1, 2, 25),
    DayTour("Market Square", range(60, 70), 3, (0, 1, 3, 4, 6, 7, 9, 11, 12, 14), 0, 3, -40),
)
OTHER_TOURS = (0, 1, 2, 4)
"""Tours of the orders without a route."""
LATE = "DEMO-0007"
"""The order whose stop is planned after its promised window."""


class Day(NamedTuple):
    """Ids of the created depots and drivers, and of orders without a route."""

    depots: list[int]
    drivers: list[int]
    waiting: list[int]


async def seed_base(admin: OperationCaller, people: dict[str, DemoUser]) -> Day:
    """Create depots and drivers, and the settings of the customers' app."""
    await admin.call("update_app_settings", **APP_SETTINGS)
    depots = [
        (await admin.call("create_depot", name=name, address=f"{street}, {code} Helsinki", lat=lat, lng=lng)).depot.id
        for name, street, code, lat, lng in DEPOTS
    ]
    users = [people["driver"], *(people[f"driver{number}"] for number in range(2, len(DRIVERS) + 1))]
    drivers = [
        (
            await admin.call(
                "create_driver", name=name, vehicle=vehicle, phone=phone_number(8_000 + n), user_id=users[n].id
            )
        ).driver.id
        for n, (name, vehicle) in enumerate(zip(DRIVERS, VEHICLES, strict=True))
    ]
    return Day(depots, drivers, [])


async def seed_day(admin: OperationCaller, people: dict[str, DemoUser], clock: SeedClock, base: Day) -> Day:
    """Create today."""
    now = clock.present.replace(minute=clock.present.minute // 5 * 5, second=0, microsecond=0)
    clock.advance_to(now - timedelta(hours=5))
    await admin.call("set_recipient_messages", **RECIPIENT_MESSAGES)
    requests = _requests_of_day(now)
    orders = [
        await _create_order(admin, request, people["customer"].id if n % 4 == 0 else None)
        for n, request in enumerate(requests)
    ]
    await _assign_contractors(admin, orders, people)
    for id in orders[46:50]:
        await admin.call("hold_order", order_id=id, reason="Waiting for the recipient")
    for id in orders[50:54]:
        await admin.call("cancel_order", order_id=id, reason="Ordered twice")
    await _seed_pickups(admin, [orders[43], orders[45]], base.depots[0])
    clock.advance_to(now - timedelta(hours=4))
    routes: list[int] = []
    for tour in TOURS:
        depot, driver = base.depots[tour.depot], base.drivers[tour.driver]
        starts = now + timedelta(minutes=tour.starts_min)
        ids = [orders[number] for number in tour.numbers]
        day = now.astimezone(ZONE).date()
        routes.append(await create_tour(admin, ids, day, starts, depot=depot, driver=driver, name=tour.name))
    await drive_routes(admin, routes, clock)
    await report_places(admin, people, routes)
    return base._replace(waiting=orders[54:60])


async def _seed_pickups(admin: OperationCaller, order_ids: Sequence[int], depot: int) -> None:
    """Make orders ready for pickup, and hand the last one over."""
    for id in order_ids:
        await admin.call("switch_order_to_pickup", order_id=id, depot_id=depot)
    await admin.call("mark_ready_for_pickup", order_ids=list(order_ids))
    await admin.call("hand_over_pickup", order_id=order_ids[-1], recipient="Aino Korhonen")


async def create_stranger_order(rival: OperationCaller, now: datetime) -> None:
    """Create an order of the other business, which the demo business cannot see."""
    order = TourOrder("RIVAL-0001", 0, 0, 0)
    await rival.call("create_order", **order_request(order, now.astimezone(ZONE).date(), now))


def _ref(number: int) -> str:
    return f"DEMO-{number + 1:04d}"


def _requests_of_day(now: datetime) -> list[dict[str, Any]]:
    """Return the requests for all orders of today, by number."""
    requests: dict[int, dict[str, Any]] = {}
    for tour in TOURS:
        placed = zip(tour.numbers, tour.indexes, strict=True)
        orders = [TourOrder(_ref(number), number, tour.tour, index, kind_of(number)) for number, index in placed]
        starts = now + timedelta(minutes=tour.starts_min)
        requests |= zip(tour.numbers, requests_of_tour(orders, now.astimezone(ZONE).date(), starts, LATE), strict=True)
    for number in range(30, 60):
        index = 1 + (number - 30) // 4 * 2
        order = TourOrder(_ref(number), number, OTHER_TOURS[number % 4], index, kind_of(number))
        arrival = now + timedelta(minutes=90 + 60 * (number % 4))
        requests[number] = order_request(order, arrival.astimezone(ZONE).date(), arrival)
    for number, request in requests.items():
        request |= {"cod_minor": 4_200 if number % 15 == 3 else None, "pin_required": number == 15}
    return [request for _, request in sorted(requests.items())]


async def _create_order(admin: OperationCaller, request: dict[str, Any], customer: int | None) -> int:
    return (await admin.call("create_order", **request, customer_id=customer)).order.id


async def _assign_contractors(admin: OperationCaller, orders: list[int], people: dict[str, DemoUser]) -> None:
    await admin.call("assign_orders_to_broker", order_ids=orders[30:38], broker_id=people["contractor"].id)
    await admin.call("assign_orders_to_broker", order_ids=orders[38:43], broker_id=people["contractor2"].id)
    await admin.call("revoke_broker_order_assignments", order_ids=orders[42:43], reason="Too far from the hub")


async def drive_routes(admin: OperationCaller, routes: Sequence[int], clock: SeedClock) -> None:
    """Drive routes until the present.

    Messages to recipients are sent within half an hour, because outdated ones are dropped.
    """
    worker, sent = make_worker(admin.app), clock.time
    for event in await due_events(admin, routes, clock.present):
        if event.at - sent > timedelta(minutes=30):
            await worker.run_due()
            sent = event.at
        clock.advance_to(event.at)
        await admin.call(event.operation, **event.values, occurred_at=event.at)
    clock.advance_to(clock.present)
    await worker.run_due()


async def due_events(admin: OperationCaller, routes: Sequence[int], until: datetime) -> list[DriveEvent]:
    """Return the due events of routes in order of time."""
    details = [(await admin.call("get_route_detail", route_id=id)).route for id in routes]
    return sorted((event for route in details for event in events_of(route, until)), key=lambda event: event.at)


async def report_places(admin: OperationCaller, people: dict[str, DemoUser], routes: Sequence[int]) -> None:
    """Report the positions of the drivers of started routes."""
    for id in routes:
        route = (await admin.call("get_route_detail", route_id=id)).route
        place = place_of(route, admin.app.clock()) if route.status == "started" else None
        if place is not None:
            number = DRIVERS.index(route.driver_name or "") + 1
            driver = people["driver" if number == 1 else f"driver{number}"]
            point = {
                "occurred_at": admin.app.clock(),
                "lat": round(place[0], 5),
                "lng": round(place[1], 5),
                "accuracy_m": 8,
            }
            await OperationCaller(admin.app, driver).call("push_positions", points=[point])


def tour_names() -> list[str]:
    """Return a name for each tour."""
    names = ("Kaartinkaupunki", "Esplanadi", "Töölönlahti", "Market Square", "Kamppi", "Design District")
    return [*names, "Kruununhaka", "Kaisaniemi"][: len(tours())]
