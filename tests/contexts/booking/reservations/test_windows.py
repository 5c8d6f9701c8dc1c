"""Staff offer windows, weekly or one by one; customers find those nearby."""

from tests.contexts.booking.reservations.makers import (
    DAY,
    IN_ZONE,
    OUT_OF_ZONE,
    hold_place,
    make_window,
    make_zone,
    try_to_hold,
)
from tests.support.app import App
from tests.support.transport import status_and_code

WEEKLY = {"weekdays": [1, 5], "starts": "10:00", "ends": "12:00", "capacity": 3}


async def bookable(app: App, postal_code: str = IN_ZONE, who: str = "customer", **words: object) -> list[str]:
    found = await app.answer(who, "find_bookable_windows", {"postal_code": postal_code, **words})
    return [each.starts_at.isoformat() for each in found.windows]


async def test_a_customer_finds_only_the_windows_of_their_zone(app: App) -> None:
    await make_window(app, price_minor=500)
    assert await bookable(app) == ["2026-06-12T10:00:00-04:00"]
    assert await bookable(app, OUT_OF_ZONE) == []
    assert await bookable(app, who="rival_customer") == []


async def test_the_longest_prefix_decides_the_zone(app: App) -> None:
    await make_window(app, await make_zone(app, "Wide", ("M",)))
    await make_window(app, await make_zone(app, "Narrow", ("m5v2",)), starts="14:00", ends="15:00")
    assert await bookable(app, "m5v 2t6") == ["2026-06-12T14:00:00-04:00"]
    assert await bookable(app, "M4C 1A1") == ["2026-06-12T10:00:00-04:00"]


async def test_a_pattern_creates_windows_four_weeks_ahead_and_adds_a_day_each_night(app: App) -> None:
    asked = {"zone_id": await make_zone(app), **WEEKLY}
    made = await app.answer("admin", "create_booking_pattern", asked)
    assert made.windows_made == 8
    span = {"date_from": "2026-06-10", "date_to": "2026-08-10", "per_page": 200}
    assert len(await bookable(app, **span)) == 8
    for _ in range(7):
        app.clock.forward(days=1)
        await app.work_off()
        await app.work_off()
    days = [each[:10] for each in await bookable(app, **span)]
    assert len(days) == len(set(days)) == 8, "two are over, two are new"
    assert days[-1] == "2026-07-13"


async def test_a_window_keeps_its_local_time_across_clock_changes(app: App) -> None:
    zone_id = await make_zone(app)
    for day in ("2026-10-30", "2026-11-02"):
        await make_window(app, zone_id, day=day)
    found = await bookable(app, date_from="2026-10-30")
    assert found == ["2026-10-30T10:00:00-04:00", "2026-11-02T10:00:00-05:00"]


async def test_ending_a_pattern_closes_its_windows_and_keeps_their_reservations(app: App) -> None:
    asked = {"zone_id": await make_zone(app), **WEEKLY}
    pattern = (await app.answer("admin", "create_booking_pattern", asked)).pattern
    windows = (await app.answer("admin", "list_booking_windows", {})).windows
    reservation = {"reservation_id": await hold_place(app, windows[0].id)}
    await app.answer("admin", "end_booking_pattern", {"pattern_id": pattern.id})
    assert await bookable(app) == []
    assert (await app.answer("admin", "get_reservation", reservation)).reservation.status == "held"


async def test_a_closed_day_accepts_no_bookings_until_it_reopens(app: App) -> None:
    window_id = await make_window(app)
    assert (await app.answer("admin", "close_booking_day", {"day": DAY})).changed == 1
    assert await bookable(app) == []
    assert status_and_code(await try_to_hold(app, window_id)) == (409, "BOOKING_WINDOW_CLOSED")
    await app.answer("admin", "close_booking_day", {"day": DAY, "closed": False})
    assert status_and_code(await try_to_hold(app, window_id)) == (200, None)


async def test_a_window_is_unavailable_after_the_cutoff(app: App) -> None:
    window_id = await make_window(app, cut_off_min=24 * 60)
    app.clock.forward(hours=24)
    assert await bookable(app) == []
    assert status_and_code(await try_to_hold(app, window_id)) == (409, "BOOKING_WINDOW_CUT_OFF")


async def test_capacity_never_falls_below_reservations(app: App) -> None:
    window_id = await make_window(app, capacity=3)
    for _ in range(2):
        await hold_place(app, window_id)
    less = await app.call("admin", "update_booking_window", {"window_id": window_id, "capacity": 1})
    assert status_and_code(less) == (409, "BOOKING_CAPACITY_BELOW_TAKEN")
    full = (await app.answer("admin", "update_booking_window", {"window_id": window_id, "capacity": 2})).window
    assert (full.capacity, full.taken, full.left) == (2, 2, 0)
    assert status_and_code(await try_to_hold(app, window_id)) == (409, "BOOKING_WINDOW_FULL")


async def test_inverted_past_and_duplicate_windows_are_refused(app: App) -> None:
    zone_id = await make_zone(app)
    await make_window(app, zone_id)
    asked = {"zone_id": zone_id, "day": DAY, "starts": "10:00", "ends": "12:00", "capacity": 1}
    tries = [({}, 409), ({"ends": "09:00"}, 422), ({"day": "2026-06-09"}, 422), ({"zone_id": 999_999}, 404)]
    for words, status in tries:
        assert (await app.call("admin", "create_booking_window", {**asked, **words})).status == status


async def test_another_client_cannot_see_the_windows(app: App) -> None:
    window_id, (zone,) = await make_window(app), (await app.answer("admin", "list_booking_zones", {})).zones
    renamed = {"zone_id": zone.id, "name": "Mine", "postal_prefixes": ["M"]}
    assert status_and_code(await app.call("rival", "update_booking_zone", renamed)) == (404, "NOT_FOUND")
    assert status_and_code(await app.call("rival", "update_booking_window", {"window_id": window_id})) == (
        404,
        "NOT_FOUND",
    )
    assert status_and_code(await try_to_hold(app, window_id, "rival")) == (404, "NOT_FOUND")
    for operation in ("list_booking_zones", "list_booking_windows", "list_booking_patterns", "list_reservations"):
        assert (await app.answer("rival", operation, {})).total == 0
    assert (await app.answer("rival", "close_booking_day", {"day": DAY})).changed == 0
