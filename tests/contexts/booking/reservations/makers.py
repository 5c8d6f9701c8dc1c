"""Small makers: a zone, its windows, and places in them."""

from typing import Any

from sqlalchemy import select
from tests.support.app import App

from haulier.contexts.orders.delivery_orders.store.tables import orders

DAY = "2026-06-12"
"""Two days after the clock of the tests begins."""
IN_ZONE, OUT_OF_ZONE = "M5V 2T6", "V6B 1A1"


async def make_zone(app: App, name: str = "Downtown", prefixes: tuple[str, ...] = ("M5V", "M5X")) -> int:
    """A zone of postal codes; its id."""
    asked = {"name": name, "postal_prefixes": prefixes}
    return (await app.answer("admin", "create_booking_zone", asked)).zone.id


async def make_window(app: App, zone_id: int | None = None, **words: Any) -> int:
    """A window of two hours; its id."""
    asked = {"day": DAY, "starts": "10:00", "ends": "12:00", "capacity": 2, **words}
    zone_id = zone_id or await make_zone(app)
    return (await app.answer("admin", "create_booking_window", {"zone_id": zone_id, **asked})).window.id


async def try_to_hold(app: App, window_id: int, who: str = "admin", **words: Any) -> Any:
    """A try to hold a place; its outcome."""
    return await app.call(who, "hold_window", {"window_id": window_id, "postal_code": IN_ZONE, **words})


async def hold_place(app: App, window_id: int, who: str = "admin", **words: Any) -> int:
    """A place that is held; the reservation's id."""
    outcome = await try_to_hold(app, window_id, who, **words)
    assert outcome.error is None, outcome.error
    return outcome.answer.reservation.id


async def try_to_confirm(app: App, reservation_id: int, order_id: int, who: str = "admin") -> Any:
    """A try to confirm; its outcome."""
    return await app.call(who, "confirm_reservation", {"reservation_id": reservation_id, "order_id": order_id})


async def count_taken(app: App, window_id: int) -> int:
    """Return the number of places taken in a window."""
    listed = (await app.answer("admin", "list_booking_windows", {"date_from": DAY})).windows
    return next(each.taken for each in listed if each.id == window_id)


async def order_window(app: App, order_id: int) -> tuple[Any, Any]:
    """For when an order is promised."""
    async with app.database.read(app.clients["demo"]) as work:
        row = await work.first(select(orders).where(orders.c.id == order_id))
        assert row
        return row.window_start, row.window_end


async def make_priced_reservation(app: App, who: str, order_id: int) -> dict[str, Any]:
    """Reserve a place for an order in a window with a price; return ids by field name."""
    window_id = await make_window(app, await make_zone(app, f"Zone of {who}"), capacity=50, price_minor=500)
    reservation_id = await hold_place(app, window_id, who)
    await try_to_confirm(app, reservation_id, order_id, who)
    return {"window_id": window_id, "reservation_id": reservation_id, "postal_code": IN_ZONE}


async def make_priced_visit(app: App, who: str) -> int:
    """Create a paid dock visit with check-in a day ahead; return the reservation id."""
    place = {"name": f"Dock of {who}", "kind": "dock", "check_in_before_min": 1440}
    zone_id = (await app.answer("admin", "create_booking_zone", place)).zone.id
    window_id = await make_window(app, zone_id, day="2026-06-11", starts="09:00", ends="12:00", price_minor=500)
    held = (await app.answer(who, "hold_window", {"window_id": window_id})).reservation
    await app.answer(who, "confirm_reservation", {"reservation_id": held.id})
    return held.id


async def make_missed_visit(app: App, fee: int = 250, who: str = "customer", **window: Any) -> int:
    """Create a missed visit with a fee beyond the credit; return the reservation id."""
    place = {"name": f"Gate of {who}", "kind": "dock", "no_show_fee_minor": fee, "grace_min": 0}
    zone_id = (await app.answer("admin", "create_booking_zone", place)).zone.id
    window_id = await make_window(app, zone_id, **window)
    held = (await app.answer(who, "hold_window", {"window_id": window_id})).reservation
    confirmed = (await app.answer(who, "confirm_reservation", {"reservation_id": held.id})).reservation
    app.clock.forward(minutes=(confirmed.check_in_until - app.clock.now).total_seconds() / 60)
    await app.work_off()
    return held.id


async def another_customer(app: App, email: str) -> int:
    """One more customer of the business; their id."""
    person = {"name": email.partition("@")[0], "email": email, "account": "customer", "password": "long enough 12"}
    return (await app.answer("admin", "create_user", person)).user.id
