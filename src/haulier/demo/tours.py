"""Planned tours of the demo: their orders, routes and times along the streets."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from haulier.contexts.routes import public as routes
from haulier.contexts.routes.public import PlannedLeg
from haulier.demo.caller import OperationCaller
from haulier.demo.city import ZONE, StreetTour, length_m, tour_position, tours
from haulier.demo.people import order_address, recipient_of, shop_of
from haulier.kernel.call import call_as_system

SPEED_MPS = 3.0
"""Speed in the city, for a cargo bike or a van with its search for a parking place."""
SERVICE = timedelta(minutes=5)
WINDOW = timedelta(hours=2)


class Visit(NamedTuple):
    """A planned stop."""

    arrive: datetime
    depart: datetime
    metres: int


def visits_of(tour: StreetTour, indexes: Sequence[int], starts: datetime) -> tuple[list[Visit], datetime]:
    """Return the planned stops at addresses of a tour, and the return to the depot."""
    visits: list[Visit] = []
    at, time = None, starts
    for index in indexes:
        metres = round(length_m(tour.leg(at, index)))
        arrive = time + timedelta(seconds=round(metres / SPEED_MPS))
        at, time = index, arrive + SERVICE
        visits.append(Visit(arrive, time, metres))
    return visits, time + timedelta(seconds=round(length_m(tour.leg(at, None)) / SPEED_MPS))


def kind_of(number: int) -> str:
    """Return the type of an order: mostly deliveries from the depot."""
    return "P" if number % 10 == 8 else "P2P" if number % 10 == 4 else "D"


def shop_index(index: int) -> int:
    """Return the address of the shop that sends to an address.

    It is the one before it on the tour.
    """
    return max(index - 1, 0)


def _indexes_of(kind: str, index: int) -> list[int]:
    return {"D": [index], "P": [shop_index(index)], "P2P": [shop_index(index), index]}[kind]


def find_tour(stops: Sequence[Any]) -> tuple[int, list[int]] | None:
    """Return the tour of a route and the address of each stop.

    Returns None if a stop is elsewhere.

    The pickup of an order from door to door has no address in answers; it is at the shop of the order.
    """
    drops = {stop.order_id: tour_position(stop.address) for stop in stops if stop.address}
    found = [tour_position(stop.address) if stop.address else _shop_of(drops.get(stop.order_id)) for stop in stops]
    positions = [position for position in found if position is not None]
    numbers = {number for number, _ in positions}
    if len(numbers) != 1 or len(positions) < len(stops):
        return None
    return numbers.pop(), [index for _, index in positions]


def _shop_of(position: tuple[int, int] | None) -> tuple[int, int] | None:
    return position and (position[0], shop_index(position[1]))


class TourOrder(NamedTuple):
    """An order at an address of a tour."""

    ref: str
    number: int
    tour: int
    place: int
    kind: str = "D"


def window_around(arrival: datetime, *, late: bool = False) -> dict[str, datetime]:
    """Return a promised window of two hours around a planned arrival.

    A late one ends before it.
    """
    start = arrival - (WINDOW + timedelta(minutes=40) if late else timedelta(minutes=45))
    start = start.astimezone(ZONE).replace(minute=start.minute // 30 * 30, second=0, microsecond=0)
    return {"window_start": start, "window_end": start + WINDOW}


def order_request(order: TourOrder, day: date, arrival: datetime, *, late: bool = False) -> dict[str, Any]:
    """Return the request for an order on a day."""
    addresses = tours()[order.tour].addresses
    number = order.number
    shop = order_address(shop_of(number), addresses[shop_index(order.place)], email=False)
    return {
        "type": order.kind,
        "order_ref": order.ref,
        "consignee": None if order.kind == "P" else order_address(recipient_of(order.ref), addresses[order.place]),
        "shipper": None if order.kind == "D" else shop,
        "packages": [{"weight_g": 500 + 730 * (number % 9)}] * (1 + number % 2),
        "scheduled_date": day,
        **window_around(arrival, late=late),
    }


def requests_of_tour(orders: Sequence[TourOrder], day: date, starts: datetime, late: str = "") -> list[dict[str, Any]]:
    """Return the requests for the orders of a tour.

    `late` is the reference of an order that is planned after its window.
    """
    indexes = [_indexes_of(order.kind, order.place) for order in orders]
    visits, _ = visits_of(tours()[orders[0].tour], [each for some in indexes for each in some], starts)
    ends = [sum(map(len, indexes[: n + 1])) - 1 for n in range(len(orders))]
    return [
        order_request(order, day, visits[end].arrive, late=order.ref == late)
        for order, end in zip(orders, ends, strict=True)
    ]


async def create_tour(
    admin: OperationCaller, order_ids: Sequence[int], day: date, starts: datetime, *, depot: int, driver: int, name: str
) -> int:
    """Create the route of a tour with its planned times."""
    made = await admin.call(
        "create_route", day=day, depot_id=depot, driver_id=driver, name=name, planned_start_at=starts
    )
    added = await admin.call("add_orders_to_route", route_id=made.route.id, order_ids=order_ids)
    await _write_plan(admin, added.route, starts)
    return made.route.id


async def _write_plan(admin: OperationCaller, route: Any, starts: datetime) -> None:
    """Write the planned times of a route as committing a built plan does."""
    number, indexes = find_tour(route.stops) or (0, [])
    visits, ends = visits_of(tours()[number], indexes, starts)
    legs: list[PlannedLeg] = [
        (stop.id, visit.arrive, visit.depart, visit.metres) for stop, visit in zip(route.stops, visits, strict=True)
    ]
    app = admin.app
    async with app.database.write(admin.client_id) as work:
        call = await call_as_system(app, admin.client_id, work)
        await routes.update_stop_plans(call, legs)
        distance = sum(visit.metres for visit in visits)
        await routes.update_route(call, route.id, planned_end_at=ends, planned_distance_m=distance)
