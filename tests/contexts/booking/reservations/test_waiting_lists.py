"""Waiting lists of full windows: free places are offered in order, for a while."""

import asyncio
from typing import Any

from tests.contexts.booking.reservations.makers import (
    DAY,
    IN_ZONE,
    another_customer,
    count_taken,
    hold_place,
    make_window,
    try_to_hold,
)
from tests.contexts.identity.mailbox import received_mails
from tests.support.app import App
from tests.support.processes import another_process
from tests.support.transport import make_order, status_and_code


async def wait_for(app: App, window_id: int, who: str = "customer", **words: Any) -> Any:
    """Join the waiting list of a window."""
    asked = {"window_id": window_id, "postal_code": IN_ZONE, **words}
    return (await app.answer(who, "join_waiting_list", asked)).waiting_entry


async def entry_of(app: App, entry: Any, who: str = "admin") -> Any:
    return (await app.answer(who, "get_waiting_entry", {"waiting_entry_id": entry.id})).waiting_entry


async def make_full_window(app: App, **words: Any) -> tuple[int, int]:
    """Create a fully booked window of one place; return window and reservation."""
    window_id = await make_window(app, capacity=1, **words)
    return window_id, await hold_place(app, window_id, minutes=120)


async def test_the_longest_waiting_customer_gets_the_offer_and_the_next_one_after_the_deadline(app: App) -> None:
    window_id, taken = await make_full_window(app)
    second = await another_customer(app, "second@waiting.example")
    first_entry = await wait_for(app, window_id)
    second_entry = await wait_for(app, window_id, "admin", customer_id=second)
    assert (first_entry.position, second_entry.position, first_entry.status) == (1, 2, "waiting")
    assert (await wait_for(app, window_id)).id == first_entry.id  # who waits keeps their place in line
    await app.answer("admin", "cancel_reservation", {"reservation_id": taken})
    offered = await entry_of(app, first_entry, "customer")
    assert (offered.status, offered.position) == ("offered", None)
    assert (await entry_of(app, second_entry)).position == 1
    assert status_and_code(await try_to_hold(app, window_id)) == (409, "BOOKING_WINDOW_FULL")
    app.clock.forward(minutes=60)
    assert status_and_code(await try_to_hold(app, window_id)) == (409, "BOOKING_WINDOW_FULL")
    await app.work_off()
    assert (await entry_of(app, first_entry)).status == "lapsed"
    mine = await entry_of(app, second_entry)
    assert mine.status == "offered"
    confirm = {"reservation_id": mine.reservation_id, "order_id": await make_order(app)}
    await app.answer("admin", "confirm_reservation", confirm)
    assert (await entry_of(app, second_entry)).status == "accepted"
    assert await count_taken(app, window_id) == 1
    await app.work_off()
    assert "second@waiting.example" in {mail.to for mail in await received_mails(app)}


async def test_places_freed_concurrently_are_offered_once_each_in_order(app: App, database_url: str) -> None:
    window_id = await make_window(app, capacity=3)
    held = [await hold_place(app, window_id, minutes=120) for _ in range(3)]
    customers = [await another_customer(app, f"waits{n}@waiting.example") for n in range(5)]
    async with another_process(app, database_url) as other:
        doors = [app, other]
        asked = [{"window_id": window_id, "postal_code": IN_ZONE, "customer_id": each} for each in customers]
        joins = [doors[n % 2].call("admin", "join_waiting_list", asked[n // 2]) for n in range(10)]
        assert {status_and_code(each) for each in await asyncio.gather(*joins)} == {(200, None)}
        ends = [
            doors[n % 2].call("admin", "cancel_reservation", {"reservation_id": each}) for n, each in enumerate(held)
        ]
        snatches = [try_to_hold(doors[n % 2], window_id) for n in range(6)]
        outcomes = await asyncio.gather(*ends, *snatches)
    assert [status_and_code(each) for each in outcomes[3:]] == [(409, "BOOKING_WINDOW_FULL")] * 6
    listed = (await app.answer("admin", "list_waiting_entries", {"window_id": window_id})).waiting_entries
    assert [each.status for each in listed] == ["offered"] * 3 + ["waiting"] * 2
    assert [each.position for each in listed] == [None] * 3 + [1, 2]
    assert len({each.reservation_id for each in listed[:3]}) == 3
    assert await count_taken(app, window_id) == 3


async def test_declining_or_leaving_passes_the_offer_to_the_next_customer(app: App) -> None:
    window_id, taken = await make_full_window(app)
    others = [await another_customer(app, f"other{n}@waiting.example") for n in range(2)]
    first = await wait_for(app, window_id)
    second, third = [await wait_for(app, window_id, "admin", customer_id=each) for each in others]
    await app.answer("admin", "cancel_reservation", {"reservation_id": taken})
    await app.answer("admin", "leave_waiting_list", {"waiting_entry_id": second.id})
    left = await app.answer("customer", "leave_waiting_list", {"waiting_entry_id": first.id})
    assert left.waiting_entry.status == "withdrawn"
    assert ((await entry_of(app, second)).status, (await entry_of(app, third)).status) == ("withdrawn", "offered")
    again = await app.answer("customer", "leave_waiting_list", {"waiting_entry_id": first.id})
    assert again.waiting_entry.status == "withdrawn"
    assert await count_taken(app, window_id) == 1


async def test_added_capacity_reopened_days_and_moved_places_are_offered(app: App) -> None:
    window_id, taken = await make_full_window(app)
    entry = await wait_for(app, window_id)
    await app.answer("admin", "close_booking_day", {"day": DAY})
    await app.answer("admin", "cancel_reservation", {"reservation_id": taken})
    assert (await entry_of(app, entry)).status == "waiting"  # closed windows are not offered
    await app.answer("admin", "close_booking_day", {"day": DAY, "closed": False})
    assert (await entry_of(app, entry)).status == "offered"
    second = await wait_for(app, window_id, "admin", customer_id=await another_customer(app, "more@waiting.example"))
    await app.answer("admin", "update_booking_window", {"window_id": window_id, "capacity": 2})
    assert (await entry_of(app, second)).status == "offered"


async def test_the_list_closes_at_the_cutoff_and_notifies_waiting_customers(app: App) -> None:
    window_id, _ = await make_full_window(app, cut_off_min=60)
    entry = await wait_for(app, window_id)
    assert status_and_code(await app.call("rival", "get_waiting_entry", {"waiting_entry_id": entry.id}))[0] == 404
    assert (await app.answer("rival", "list_waiting_entries")).total == 0
    app.clock.forward(days=3)
    await app.work_off()
    assert (await entry_of(app, entry)).status == "closed"
    assert (await app.answer("customer", "list_waiting_entries", {"status": "closed"})).total == 1
    assert len(await received_mails(app)) == 1


async def test_customers_cannot_wait_for_an_available_window(app: App) -> None:
    window_id = await make_window(app)
    asked = {"window_id": window_id, "postal_code": IN_ZONE}
    assert status_and_code(await app.call("customer", "join_waiting_list", asked)) == (409, "WAITING_LIST_NEEDLESS")
    nobody = await app.call("admin", "join_waiting_list", asked)
    assert [each["field"] for each in nobody.error["errors"]] == ["customer_id"]
