"""The price of a window is charged to its order, and both move together."""

from typing import Any

from tests.contexts.booking.reservations.makers import DAY, hold_place, make_window, make_zone, try_to_confirm
from tests.support.app import App
from tests.support.transport import make_order, make_route

AT_TEN = {"window_start": "2026-06-12T14:00:00Z", "window_end": "2026-06-12T16:00:00Z"}
AT_TWO = {"window_start": "2026-06-12T18:00:00Z", "window_end": "2026-06-12T20:00:00Z"}
NO_WINDOW = {"window_start": "2026-06-12T21:00:00Z", "window_end": "2026-06-12T22:00:00Z"}


async def booked(app: App, **words: Any) -> tuple[int, int, int, int]:
    """Book an order in a window for 3.00; return zone, window, reservation and order."""
    order_id = await make_order(app, "customer", order_ref="C-1")
    zone_id = await make_zone(app)
    window_id = await make_window(app, zone_id, price_minor=300, **words)
    reservation_id = await hold_place(app, window_id, "customer")
    confirmed = await try_to_confirm(app, reservation_id, order_id, "customer")
    assert confirmed.error is None, confirmed.error
    return zone_id, window_id, reservation_id, order_id


async def price_of(app: App, order_id: int) -> tuple[int, dict[str, int]]:
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    return order.shipping_price, {line.code: line.amount for line in order.price_details}


async def move(app: App, window: dict[str, str]) -> None:
    """The office moves the customer's order."""
    await app.answer("admin", "update_time_window_by_refs", {"order_refs": ["C-1"], **window})
    await app.work_off()


async def test_the_window_price_is_added_to_the_order_and_removed_with_the_window(app: App) -> None:
    plain = await price_of(app, await make_order(app, "customer"))
    zone_id, _, reservation_id, order_id = await booked(app)
    total, lines = await price_of(app, order_id)
    assert (lines["window"], total - plain[0]) == (300, 339)  # with the tax of 13 %
    await app.answer("admin", "correct_order", {"order_id": order_id, "packages": [{"weight_g": 1000}]})
    assert await price_of(app, order_id) == (total, lines)
    dearer = await make_window(app, zone_id, starts="14:00", ends="16:00", price_minor=500)
    asked = {"reservation_id": reservation_id, "window_id": dearer}
    await app.answer("customer", "reschedule_reservation", asked)
    assert (await price_of(app, order_id))[1]["window"] == 500
    await app.answer("customer", "cancel_reservation", {"reservation_id": reservation_id})
    assert await price_of(app, order_id) == plain


async def test_the_window_price_is_hidden_when_prices_are_hidden(app: App) -> None:
    _, _, _, order_id = await booked(app)
    hidden = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    shown = (await app.rest("customer", "GET", f"/v1/orders/{order_id}")).json()["order"]
    assert "window" not in str(shown.get("price_details"))
    assert "shipping_price" not in shown


async def test_a_reservation_follows_an_order_rescheduled_by_the_office(app: App) -> None:
    zone_id, _, reservation_id, order_id = await booked(app)
    later = await make_window(app, zone_id, starts="14:00", ends="16:00", price_minor=500)
    await move(app, AT_TWO)
    moved = (await app.answer("customer", "get_reservation", {"reservation_id": reservation_id})).reservation
    assert (moved.status, moved.window_id, moved.day.isoformat()) == ("confirmed", later, DAY)
    assert (await price_of(app, order_id))[1]["window"] == 500
    await app.work_off()
    again = (await app.answer("customer", "get_reservation", {"reservation_id": reservation_id})).reservation
    assert again.window_id == later


async def test_without_a_matching_window_the_reservation_ends_with_a_reason_and_no_charge(app: App) -> None:
    _, window_id, reservation_id, order_id = await booked(app)
    await move(app, NO_WINDOW)
    ended = (await app.answer("customer", "get_reservation", {"reservation_id": reservation_id})).reservation
    assert (ended.status, ended.reason) == ("cancelled", "order_moved")
    assert "window" not in (await price_of(app, order_id))[1]
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert order.window_start.hour == 17  # in Toronto: what the office said stays
    (window,) = (await app.answer("admin", "list_booking_windows", {"date_from": DAY})).windows
    assert (window.id, window.taken) == (window_id, 0)


async def test_customers_cannot_see_staff_names_or_planning(app: App) -> None:
    order_id = await make_order(app, "customer")
    for operation in ("hold_order", "release_order"):
        await app.answer("admin", operation, {"order_id": order_id, "reason": "the van is late"})
    await make_route(app, order_ids=[order_id])
    steps = (await app.answer("customer", "get_order_detail", {"order_id": order_id})).order.steps
    assert {step.by_user_id for step in steps} <= {None, app.ids["customer"]}
    assert {step.step for step in steps} == {"create", "hold", "release"}
