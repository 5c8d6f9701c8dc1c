"""The bookings calendar: a week of windows, their use, and links to each."""

from html import unescape

from tests.contexts.booking.reservations.makers import hold_place, make_window, make_zone
from tests.support.app import App
from tests.web.page_client import get_page

PAGE = "/desk/bookings?day=2026-06-12"


async def test_a_week_shows_each_window_with_its_bookings(app: App) -> None:
    zone_id = await make_zone(app)
    window_id = await make_window(app, zone_id)
    await hold_place(app, window_id)
    await make_window(app, zone_id, day="2026-06-19")
    page = await get_page(app, PAGE, "admin")
    text = unescape(page.text)
    assert page.status_code == 200
    assert text.count('class="window') == 1
    assert "<strong>10:00–12:00</strong>" in text
    assert "1 of 2 booked" in text
    assert f'href="/desk/reservations?window_id={window_id}"' in text
    assert 'aria-current="date"' in text
    assert "close_booking_day?day=2026-06-12&closed=true" in text
    assert "close_booking_day?day=2026-06-08" not in text
    await app.answer("admin", "close_booking_day", {"day": "2026-06-12", "closed": True})
    closed = unescape((await get_page(app, PAGE, "admin")).text)
    assert "Reopen day" in closed
    assert "1 of 2 booked · closed" in closed


async def test_a_zone_can_be_chosen_and_invalid_urls_do_not_break_the_page(app: App) -> None:
    first, second = await make_zone(app), await make_zone(app, "Uptown", ("M4",))
    await make_window(app, first)
    await make_window(app, second, starts="14:00", ends="15:00")
    assert (await get_page(app, PAGE, "admin")).text.count('class="window') == 2
    one = (await get_page(app, f"{PAGE}&zone_id={second}", "admin")).text
    assert one.count('class="window') == 1
    assert "14:00–15:00" in one
    for odd in ("day=never", "day=9999-12-31", "day=0001-01-01", "zone_id=x", "zone_id=99999"):
        assert (await get_page(app, f"/desk/bookings?{odd}", "admin")).status_code == 200
    assert 'class="window' not in (await get_page(app, PAGE, "rival")).text
    assert (await get_page(app, PAGE, "customer")).status_code == 404


async def test_a_business_without_zones_is_offered_to_create_one(app: App) -> None:
    assert "/desk/act/create_booking_zone" in (await get_page(app, PAGE, "admin")).text


async def test_the_palette_and_the_section_link_to_the_page(app: App) -> None:
    assert 'href="/desk/bookings"' in (await get_page(app, "/desk/find?q=calendar", "admin")).text
    assert 'href="/desk/bookings"' in (await get_page(app, "/desk/sections/orders", "admin")).text
