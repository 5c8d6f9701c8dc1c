"""Further rounds of the demo: routes that start around the present."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from haulier.demo.caller import OperationCaller
from haulier.demo.city import ZONE, tours
from haulier.demo.day import Day, tour_names
from haulier.demo.tours import TourOrder, create_tour, order_request, requests_of_tour

STOPS = 8
WAITING = 4
"""Number of orders of a round without a route."""


async def load_base(admin: OperationCaller) -> Day:
    """Return the depots and drivers of an existing demo."""
    depots = (await admin.call("list_depots")).depots
    drivers = (await admin.call("get_drivers")).drivers
    return Day(sorted(depot.id for depot in depots), sorted(driver.id for driver in drivers), [])


async def create_round(
    admin: OperationCaller, base: Day, customer: int, now: datetime, starts_min: Sequence[int]
) -> list[int]:
    """Create routes that start at some minutes from now, and orders without a route.

    Returns the ids of the routes.
    """
    local = now.astimezone(ZONE)
    draw = local.toordinal() * 24 + local.hour
    routes: list[int] = []
    for number, minutes in enumerate(starts_min):
        at, prefix = (draw + 3 * number) % len(tours()), f"{local:%m%d}-{local:%H%M}{'ABCDE'[number]}"
        places = range(draw % 2, len(tours()[at].addresses), 2)[:STOPS]
        orders = [TourOrder(f"{prefix}{n + 1}", n, at, place) for n, place in enumerate(places)]
        starts = now + timedelta(minutes=minutes)
        requests = requests_of_tour(orders, local.date(), starts)
        ids = [
            (await admin.call("create_order", **request, customer_id=None if n % 4 else customer)).order.id
            for n, request in enumerate(requests)
        ]
        depot, driver = base.depots[tours()[at].depot], base.drivers[number % len(base.drivers)]
        name = tour_names()[at]
        routes.append(await create_tour(admin, ids, local.date(), starts, depot=depot, driver=driver, name=name))
    for number in range(WAITING):
        order = TourOrder(f"{local:%m%d}-{local:%H%M}W{number + 1}", number, (draw + 1) % len(tours()), 3 * number)
        arrival = now + timedelta(minutes=90 + 30 * number)
        await admin.call("create_order", **order_request(order, arrival.astimezone(ZONE).date(), arrival))
    return routes


async def reschedule_late(admin: OperationCaller, now: datetime) -> None:
    """Give open orders whose window has passed a window later today."""
    late = (await admin.call("get_orders", late=True, statuses=["NEW_ORDER"], per_page=100)).orders
    start = (now + timedelta(hours=1)).replace(minute=0, second=0, microsecond=0)
    if late:
        window = {"window_start": start, "window_end": start + timedelta(hours=2)}
        await admin.call("reschedule_orders", order_ids=[order.id for order in late], **window)
