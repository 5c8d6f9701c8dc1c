"""Live custom pages of the desk: messages of a stream, access, and cost."""

import asyncio
import re
from collections.abc import Awaitable, Callable

import pytest
from tests.contexts.booking.reservations.makers import make_window, make_zone
from tests.support.app import App
from tests.support.transport import make_order, make_started_route
from tests.web.desk_streams import PATIENCE_S, live_address, told
from tests.web.page_client import get_page

Change = Callable[[App], Awaitable[object]]


async def nothing(app: App) -> None:
    """There is nothing before the change."""


async def hold(app: App) -> None:
    await app.answer("admin", "hold_order", {"order_id": 1, "reason": "rain"})


async def windows(app: App) -> None:
    await make_window(app, await make_zone(app), day="2026-06-12")


async def more_room(app: App) -> None:
    await app.answer("admin", "update_booking_window", {"window_id": 1, "capacity": 77})


async def make_order_of_the_customer(app: App) -> None:
    await make_order(app, customer_id=app.ids["customer"])


async def make_driven_route(app: App) -> None:
    await make_started_route(app, [await make_order(app)])


async def deliver(app: App) -> None:
    await app.answer("driver", "deliver_stop", {"route_id": 1, "stop_id": 1})


PAGES: dict[str, tuple[str, Change, Change, str]] = {
    "/desk": ("admin", make_order, hold, 'data-id="needs-held_orders"'),
    "/desk?lang=fr": ("customer", nothing, make_order_of_the_customer, 'data-id="order-1"'),
    "/desk/bookings?day=2026-06-12": ("admin", windows, more_room, "0 of 77"),
    "/dispatch/list?day=2026-06-10": ("admin", make_driven_route, deliver, 'href="/orders/1/proof"'),
    "/desk/insights?date_from=2026-06-01&date_to=2026-06-30": ("admin", nothing, make_order, 'data-id="chart"'),
}
"""Each page: its user, the setup, a change, and the expected message."""


@pytest.mark.parametrize("path", PAGES)
async def test_a_hand_written_page_is_pushed_again_when_its_data_changes(app: App, path: str) -> None:
    who, before, change, news = PAGES[path]
    await before(app)
    waiting = asyncio.ensure_future(anext(told(app, await live_address(app, path, who), who)))
    await asyncio.sleep(0)
    await change(app)
    async with asyncio.timeout(PATIENCE_S):
        html = (await waiting)["html"]
    page = (await get_page(app, path, who)).text
    assert news.replace("0 of 77", "77") in html
    assert html in page
    ids = re.findall(r'data-id="([^"]+)"', html)
    assert len(ids) == len(set(ids)), "what can change has a name of its own"


async def test_a_days_list_stays_on_its_day_and_requires_access_to_the_board(app: App) -> None:
    assert "/desk/live-parts/dispatch-day?day=2026-06-10&seen=" in await live_address(app, "/dispatch/list", "admin")
    assert (await get_page(app, "/desk/live-parts/dispatch-day", "customer")).status_code == 404


async def test_updates_are_isolated_by_user(app: App) -> None:
    await make_order(app, customer_id=app.ids["customer"], order_ref="MINE")
    address = await live_address(app, "/desk", "customer")
    assert "MINE" not in (await anext(told(app, address, "customer2")))["html"]
    assert (await app.http.get(address)).is_redirect
    for path in ("today", "insights", "bookings", "nothing"):
        assert (await get_page(app, f"/desk/live-parts/{path}", "customer")).status_code == 404
    refused = await get_page(app, "/desk/insights?date_from=2026-06-30&date_to=2026-06-01", "admin")
    assert "data-live" not in refused.text
