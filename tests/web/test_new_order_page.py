"""The page of a new order: the routes that it would fit stand beside what is typed."""

from tests.contexts.dispatch.board.makers import two_routes
from tests.contexts.planning.builds.makers import DEPOT, TOMORROW
from tests.support.app import App
from tests.web.page_client import get_page, page_text

PLACE = f"consignee.lat={DEPOT[0] + 0.07}&consignee.lng={DEPOT[1]}"


async def test_fitting_routes_are_told_with_driver_time_and_what_the_order_adds(app: App) -> None:
    north, south = await two_routes(app)
    page = await get_page(app, f"/desk/new-order?part=routes&{PLACE}&scheduled_date={TOMORROW}", "admin")
    assert page.text.index(f"/desk/routes/{north}") < page.text.index(f"/desk/routes/{south}")
    assert ["Nora" in page_text(page), "min" in page_text(page), "km" in page_text(page)] == [True] * 3
    german = await get_page(app, f"/desk/new-order?part=routes&{PLACE}&scheduled_date={TOMORROW}&lang=de", "admin")
    assert "gegen " in page_text(german)


async def test_what_the_order_would_break_stands_below_the_route(app: App) -> None:
    await two_routes(app)
    window = f"window_start={TOMORROW}T01:00&window_end={TOMORROW}T01:05"
    page = await get_page(app, f"/desk/new-order?part=routes&{PLACE}&scheduled_date={TOMORROW}&{window}", "admin")
    assert "window" in page_text(page)


async def test_without_a_place_or_without_routes_it_says_so(app: App) -> None:
    assert "Choose an address" in page_text(await get_page(app, "/desk/new-order", "admin"))
    assert "No route of this day" in page_text(await get_page(app, f"/desk/new-order?part=routes&{PLACE}", "admin"))


async def test_a_customer_is_told_of_no_routes(app: App) -> None:
    await two_routes(app)
    page = await get_page(app, f"/desk/new-order?{PLACE}&scheduled_date={TOMORROW}", "customer")
    assert ["Nora" in page.text, 'id="routes"' in page.text] == [False, False]
