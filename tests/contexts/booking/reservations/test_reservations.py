"""Reservations are held, confirmed, exchanged and released, within the capacity."""

import asyncio
from datetime import UTC, datetime

from tests.contexts.booking.reservations.makers import (
    DAY,
    OUT_OF_ZONE,
    count_taken,
    hold_place,
    make_window,
    make_zone,
    order_window,
    try_to_confirm,
    try_to_hold,
)
from tests.support.app import App
from tests.support.processes import another_process
from tests.support.transport import (
    make_order,
    make_route,
    make_started_route,
    order_row,
    set_order,
    some_orders,
    status_and_code,
)

TEN, NOON = datetime(2026, 6, 12, 14, tzinfo=UTC), datetime(2026, 6, 12, 16, tzinfo=UTC)
"""Ten and twelve o'clock in Toronto."""


async def test_a_hundred_concurrent_holds_on_ten_places_give_exactly_ten(app: App, database_url: str) -> None:
    window_id = await make_window(app, capacity=10)
    async with another_process(app, database_url) as other:
        doors = [app, other]
        outcomes = await asyncio.gather(*(try_to_hold(doors[n % 2], window_id) for n in range(100)))
    codes = [status_and_code(outcome) for outcome in outcomes]
    assert codes.count((200, None)) == 10
    assert codes.count((409, "BOOKING_WINDOW_FULL")) == 90
    assert await count_taken(app, window_id) == 10


async def test_concurrent_holds_and_exchanges_overbook_neither_window(app: App, database_url: str) -> None:
    zone_id = await make_zone(app)
    full = await make_window(app, zone_id, capacity=8)
    wanted = await make_window(app, zone_id, starts="14:00", ends="16:00", capacity=3)
    mine = [await hold_place(app, full) for _ in range(8)]
    async with another_process(app, database_url) as other:
        moves = [{"reservation_id": each, "window_id": wanted} for each in mine]
        calls = [other.call("admin", "reschedule_reservation", move) for move in moves]
        outcomes = await asyncio.gather(*calls, *(try_to_hold(app, wanted) for _ in range(8)))
    assert [status_and_code(each) for each in outcomes].count((200, None)) == 3
    assert await count_taken(app, wanted) == 3
    assert await count_taken(app, full) == 8 - [status_and_code(each) for each in outcomes[:8]].count((200, None))


async def test_confirming_an_order_twice_concurrently_creates_one_reservation(app: App, database_url: str) -> None:
    window_id, order_id = await make_window(app, capacity=5), await make_order(app)
    mine = [await hold_place(app, window_id) for _ in range(5)]
    async with another_process(app, database_url) as other:
        doors = [app, other]
        calls = (try_to_confirm(doors[n % 2], each, order_id) for n, each in enumerate(mine))
        codes = [status_and_code(each) for each in await asyncio.gather(*calls)]
    assert (codes.count((200, None)), codes.count((409, "RESERVATION_ORDER_TAKEN"))) == (1, 4)


async def test_a_confirmed_reservation_sets_the_orders_window(app: App) -> None:
    window_id, order_id = await make_window(app), await make_order(app)
    reservation_id = await hold_place(app, window_id)
    done = await try_to_confirm(app, reservation_id, order_id)
    assert (done.answer.reservation.status, done.answer.reservation.order_id) == ("confirmed", order_id)
    assert await order_window(app, order_id) == (TEN, NOON)
    assert (await order_row(app, order_id)).scheduled_date.isoformat() == DAY
    assert status_and_code(await try_to_confirm(app, reservation_id, order_id)) == (200, None)
    assert status_and_code(await try_to_confirm(app, reservation_id, await make_order(app))) == (
        409,
        "RESERVATION_CONFIRMED",
    )


async def test_an_unconfirmed_hold_expires_on_time(app: App) -> None:
    window_id, order_id = await make_window(app, capacity=1), await make_order(app)
    first = await hold_place(app, window_id, minutes=10)
    app.clock.forward(minutes=9)
    assert status_and_code(await try_to_hold(app, window_id)) == (409, "BOOKING_WINDOW_FULL")
    app.clock.forward(minutes=1)
    assert status_and_code(await try_to_confirm(app, first, order_id)) == (409, "RESERVATION_HOLD_EXPIRED")
    assert status_and_code(await try_to_hold(app, window_id)) == (200, None)
    await app.work_off()
    shown = (await app.answer("admin", "get_reservation", {"reservation_id": first})).reservation
    assert (shown.status, shown.ended_at) == ("expired", shown.expires_at)
    assert (await app.answer("admin", "list_reservations", {"status": "held"})).total == 1


async def test_the_expiry_job_skips_confirmed_reservations(app: App) -> None:
    reservation_id = await hold_place(app, await make_window(app))
    await try_to_confirm(app, reservation_id, await make_order(app))
    app.clock.forward(hours=1)
    await app.work_off()
    shown = await app.answer("admin", "get_reservation", {"reservation_id": reservation_id})
    assert shown.reservation.status == "confirmed"


async def test_an_exchange_is_atomic(app: App) -> None:
    zone_id, order_id = await make_zone(app), await make_order(app)
    old = await make_window(app, zone_id, capacity=1)
    new = await make_window(app, zone_id, starts="14:00", ends="16:00", capacity=1)
    reservation_id, other = await hold_place(app, old), await hold_place(app, new)
    await try_to_confirm(app, reservation_id, order_id)
    move = {"reservation_id": reservation_id, "window_id": new}
    assert status_and_code(await app.call("admin", "reschedule_reservation", move)) == (409, "BOOKING_WINDOW_FULL")
    assert await order_window(app, order_id) == (TEN, NOON)
    await app.answer("admin", "cancel_reservation", {"reservation_id": other})
    await app.answer("admin", "reschedule_reservation", move)
    assert (await count_taken(app, old), await count_taken(app, new)) == (0, 1)
    assert (await order_window(app, order_id))[0] == NOON.replace(hour=18)


async def test_cancelling_a_reservation_frees_its_place_and_its_order(app: App) -> None:
    window_id, order_id = await make_window(app, capacity=1), await make_order(app)
    reservation_id = await hold_place(app, window_id)
    await try_to_confirm(app, reservation_id, order_id)
    await app.answer("admin", "cancel_reservation", {"reservation_id": reservation_id, "reason": "away"})
    assert await order_window(app, order_id) == (None, None)
    assert status_and_code(await try_to_hold(app, window_id)) == (200, None)
    again = await app.call("admin", "cancel_reservation", {"reservation_id": reservation_id})
    assert status_and_code(again) == (409, "RESERVATION_OVER")


async def test_a_cancelled_order_frees_its_place(app: App) -> None:
    window_id, order_id = await make_window(app, capacity=1), await make_order(app)
    await try_to_confirm(app, await hold_place(app, window_id), order_id)
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    await app.work_off()
    assert await count_taken(app, window_id) == 0


async def test_customers_can_hold_only_for_themselves(app: App) -> None:
    window_id = await make_window(app, capacity=20)
    order_id = await make_order(app, "customer")
    mine = await hold_place(app, window_id, "customer")
    for who in ("customer2", "rival"):
        assert status_and_code(await try_to_confirm(app, mine, order_id, who)) == (404, "NOT_FOUND")
        cancelled = await app.call(who, "cancel_reservation", {"reservation_id": mine})
        assert status_and_code(cancelled) == (404, "NOT_FOUND")
        assert (await app.answer(who, "list_reservations", {})).total == 0
    theirs = await make_order(app)
    assert status_and_code(await try_to_confirm(app, mine, theirs, "customer")) == (404, "NOT_FOUND"), (
        "the order is not theirs"
    )
    assert status_and_code(await try_to_confirm(app, mine, order_id, "customer")) == (200, None)
    for _ in range(5):
        await hold_place(app, window_id, "customer")
    assert status_and_code(await try_to_hold(app, window_id, "customer")) == (409, "RESERVATION_TOO_MANY_HOLDS")


async def test_a_customer_can_cancel_a_confirmed_place_until_the_cutoff(app: App) -> None:
    window_id, order_id = await make_window(app), await make_order(app, "customer")
    mine = {"reservation_id": await hold_place(app, window_id, "customer")}
    await try_to_confirm(app, mine["reservation_id"], order_id, "customer")
    app.clock.forward(hours=48)
    assert status_and_code(await app.call("customer", "cancel_reservation", mine)) == (409, "BOOKING_WINDOW_CUT_OFF")
    assert status_and_code(await app.call("admin", "cancel_reservation", mine)) == (200, None)


async def test_a_place_requires_a_matching_zone_and_a_pending_order(app: App) -> None:
    window_id = await make_window(app)
    assert status_and_code(await try_to_hold(app, window_id, postal_code=OUT_OF_ZONE)) == (
        409,
        "BOOKING_WINDOW_ELSEWHERE",
    )
    reservation_id = await hold_place(app, window_id)
    far = await make_order(app, postal_code=OUT_OF_ZONE)
    assert status_and_code(await try_to_confirm(app, reservation_id, far)) == (409, "BOOKING_WINDOW_ELSEWHERE")
    planned = await make_order(app)
    await set_order(app, planned, status=3)
    assert status_and_code(await try_to_confirm(app, reservation_id, planned)) == (
        409,
        "RESERVATION_ORDER_NOT_BOOKABLE",
    )


async def test_moving_a_booked_order_off_its_route_is_for_the_office_and_customers_get_the_contact(app: App) -> None:
    zone_id = await make_zone(app)
    first, second = await make_window(app, zone_id), await make_window(app, zone_id, starts="14:00", ends="16:00")
    order_id = await make_order(app, "customer")
    mine = {"reservation_id": await hold_place(app, first, "customer")}
    await try_to_confirm(app, mine["reservation_id"], order_id, "customer")
    route_id = await make_route(app, order_ids=[order_id])
    refused = await app.call("customer", "reschedule_reservation", {**mine, "window_id": second})
    assert status_and_code(refused) == (409, "RESERVATION_ORDER_NOT_BOOKABLE")
    assert "can only be moved by the business" in refused.error["hint"]
    await app.answer("admin", "reschedule_reservation", {**mine, "window_id": second})
    assert (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.stops == []
    assert [await count_taken(app, each) for each in (first, second)] == [0, 1]
    out = await make_order(app)
    await make_started_route(app, [out])
    held = await hold_place(app, first)
    assert status_and_code(await try_to_confirm(app, held, out)) == (409, "RESERVATION_ORDER_NOT_BOOKABLE")


async def test_lists_use_a_constant_number_of_statements(app: App) -> None:
    window_id = await make_window(app, capacity=50)
    orders = await some_orders(app, 20)
    counted: list[list[int]] = []
    for batch in (orders[:2], orders[2:]):
        for order_id in batch:
            await try_to_confirm(app, await hold_place(app, window_id), order_id)
        spent: list[int] = []
        for operation in ("list_reservations", "list_booking_windows"):
            before = app.statements
            await app.answer("admin", operation, {})
            spent.append(app.statements - before)
        counted.append(spent)
    assert counted[0] == counted[1]
