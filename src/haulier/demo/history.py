"""Deliveries of the days before today, so that reports have curves."""

from datetime import date, datetime, time, timedelta
from itertools import count

from haulier.background import make_worker
from haulier.demo.accounts import DemoUser
from haulier.demo.caller import HISTORY_DAYS, OperationCaller, SeedClock
from haulier.demo.city import ZONE, tours
from haulier.demo.day import Day, due_events, tour_names
from haulier.demo.tours import TourOrder, create_tour, requests_of_tour

RATED_EVERY = 4
"""Every fourth recipient rates the delivery."""
RATINGS = (
    (5, "Friendly driver, thank you."),
    (4, ""),
    (5, ""),
    (2, "The parcel stood in the rain."),
    (5, "Right on time."),
    (4, ""),
    (1, "The driver did not ring."),
    (5, ""),
)
STARTS = (time(9, 30), time(13, 15))


async def seed_history(
    admin: OperationCaller, people: dict[str, DemoUser], clock: SeedClock, base: Day, days: int = HISTORY_DAYS
) -> None:
    """Create and drive the routes of the last days, without messages."""
    today = clock.present.astimezone(ZONE).date()
    for back in range(days, 0, -1):
        day = today - timedelta(days=back)
        for number, starts in enumerate(STARTS[: 2 if back % 3 else 1]):
            await _drive_tour(
                admin, people["customer"].id, clock, base, day, number, starts, draw=back * 3 + number * 5
            )
    await make_worker(admin.app).run_due()


async def _drive_tour(
    admin: OperationCaller,
    customer: int,
    clock: SeedClock,
    base: Day,
    day: date,
    number: int,
    starts: time,
    *,
    draw: int,
) -> None:
    """Create the orders of a tour on the morning of a day, and drive it."""
    at, tour = draw % len(tours()), tours()[draw % len(tours())]
    step = 2 + (draw % 5 == 0)
    begin = datetime.combine(day, starts, ZONE)
    orders = [
        TourOrder(f"{day:%m%d}-{'AB'[number]}{n + 1:02d}", n, at, index)
        for n, index in zip(count(), range(draw % 2, len(tour.addresses), step), strict=False)
    ]
    clock.advance_to(begin - timedelta(hours=2))
    late = orders[draw % len(orders)].ref if draw % 4 == 1 else ""
    ids: list[int] = []
    for n, request in enumerate(requests_of_tour(orders, day, begin, late)):
        made = await admin.call("create_order", **request, customer_id=customer if n % 4 == 0 else None)
        ids.append(made.order.id)
    depot, driver = base.depots[tour.depot], base.drivers[draw % len(base.drivers)]
    route = await create_tour(admin, ids, day, begin, depot=depot, driver=driver, name=tour_names()[at])
    for event in await due_events(admin, [route], clock.present):
        if event.operation != "arrive_at_stop":
            clock.advance_to(event.at)
            await admin.call(event.operation, **event.values, occurred_at=event.at)
    for n, order_id in enumerate(ids[draw % RATED_EVERY :: RATED_EVERY]):
        await _set_rating(admin, order_id, *RATINGS[(draw + n) % len(RATINGS)])


async def _set_rating(admin: OperationCaller, order_id: int, rating: int, comment: str) -> None:
    """Rate a delivered order as its recipient."""
    order = (await admin.call("get_order_detail", order_id=order_id)).order
    if order.status != "DELIVERED":
        return
    recipient = OperationCaller(admin.app, None)
    opened = await recipient.call("open_delivery", number=order.tracking_number, proof=order.consignee.postal_code)
    await recipient.call("rate_delivery", access=opened.access, rating=rating, comment=comment)
