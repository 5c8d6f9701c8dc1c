"""Waiting orders are put on routes in a browser by mouse, touch and keys."""

from collections.abc import Iterator
from datetime import date

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.web.boards import drag, make_day, open_board, orders, spot, stops
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def admin(demo_server: str) -> DemoApi:
    return DemoApi(demo_server, "admin")


def waiting(page: Page, order: int) -> Locator:
    return page.locator(f"#waiting-list [data-order='{order}']")


def middle(found: Locator) -> tuple[float, float]:
    box = found.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def on_route(admin: DemoApi, route: int) -> list[int]:
    return [stop["order_id"] for stop in admin.get(f"/v1/routes/{route}")["route"]["stops"]]


def test_waiting_orders_are_updated_while_the_board_is_open(
    demo_server: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    make_day(admin, day, 1)
    (first,) = orders(admin, day, 1)
    with open_page(browser, demo_server, "admin") as page:
        open_board(page, day)
        waiting(page, first).focus()
        held = waiting(page, first).element_handle()
        (second,) = orders(admin, day, 1)
        expect(waiting(page, second)).to_be_visible()
        assert held.evaluate("each => each.isConnected"), "who presses on an order while others come holds it"
        expect(waiting(page, first)).to_be_focused()
        admin.post(f"/v1/orders/{second}/hold", reason="rain")
        expect(waiting(page, second)).to_have_count(0)
        expect(waiting(page, first)).to_be_focused()


def test_a_waiting_order_can_be_dragged_between_two_stops_and_back(
    demo_server: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    (route,) = make_day(admin, day, 3)
    before = on_route(admin, route)
    (order,) = orders(admin, day, 1)
    with open_page(browser, demo_server, "admin") as page:
        said = open_board(page, day)
        expect(waiting(page, order)).to_be_visible()
        waiting(page, order).scroll_into_view_if_needed()
        x, y = spot(page, route, 2)
        drag(page, middle(waiting(page, order)), (x - 3, y))
        expect(page.locator("#chosen")).to_contain_text("Position 2 on Tour 01.")
        expect(page.locator("#chosen")).to_have_class("good")
        assert on_route(admin, route) == before, "a rehearsal writes nothing"
        page.mouse.up()
        expect(page.locator("#toasts")).to_contain_text("Added to Tour 01.")
        expect(waiting(page, order)).to_have_count(0)
        assert on_route(admin, route) == [before[0], order, *before[1:]]
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#toasts")).to_contain_text("Move undone.")
        expect(waiting(page, order)).to_be_visible()
        assert on_route(admin, route) == before
        drag(page, spot(page, route, 3), middle(page.locator("#waiting-count")))
        page.mouse.up()
        expect(page.locator("#toasts")).to_contain_text("is unplanned again")
        expect(waiting(page, before[2])).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#toasts")).to_contain_text("Move undone.")
        expect(waiting(page, before[2])).to_have_count(0)
        assert on_route(admin, route) == before
    assert said == []


def test_escape_and_dropping_outside_the_lanes_leave_an_order_waiting(
    demo_server: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    (route,) = make_day(admin, day, 2)
    (order,) = orders(admin, day, 1)
    with open_page(browser, demo_server, "admin") as page:
        open_board(page, day)
        expect(waiting(page, order)).to_be_visible()
        waiting(page, order).scroll_into_view_if_needed()
        drag(page, middle(waiting(page, order)), spot(page, route, 1))
        expect(page.locator("#chosen")).to_contain_text("Tour 01")
        page.keyboard.press("Escape")
        page.mouse.up()
        drag(page, middle(waiting(page, order)), middle(page.locator("#map")))
        page.mouse.up()
        expect(page.locator("#chosen")).not_to_contain_text("Position")
        expect(waiting(page, order)).to_be_visible()
    assert len(stops(admin, route)) == 2


def test_every_action_on_waiting_orders_is_available_by_keyboard(
    demo_server: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    first, second = make_day(admin, day, 2, 2)
    (order,) = orders(admin, day, 1)
    with open_page(browser, demo_server, "admin") as page:
        said = open_board(page, day)
        expect(waiting(page, order)).to_be_visible()
        page.locator("#lanes").focus()
        page.keyboard.press("Home")
        page.keyboard.press("w")
        page.keyboard.press("End")
        expect(waiting(page, order)).to_be_focused()
        page.keyboard.press("m")
        expect(page.locator("#chosen")).to_contain_text("Position 3 on Tour 01.")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#chosen")).to_contain_text("on Tour 02.")
        page.keyboard.press("Enter")
        expect(page.locator("#toasts")).to_contain_text("Added to Tour 02.")
        assert order in on_route(admin, second)
        page.keyboard.press("u")
        expect(page.locator("#toasts")).to_contain_text("is unplanned again")
        assert order not in on_route(admin, second)
        page.keyboard.press("z")
        expect(page.locator("#toasts")).to_contain_text("Move undone.")
        assert order in on_route(admin, second)
    assert (said, len(stops(admin, first))) == ([], 2)


def test_a_new_route_can_be_created_with_an_order_and_a_driver(
    demo_server: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    (order,) = orders(admin, day, 1)
    with open_page(browser, demo_server, "admin") as page:
        open_board(page, day)
        page.get_by_role("button", name="New route").click()
        page.get_by_label("Name (optional)").fill("Evening")
        page.get_by_role("button", name="Create route").click()
        expect(page.locator("#heads [aria-selected=true]")).to_contain_text("Evening")
        page.locator(".drives select").select_option(label="Dana Korhonen")
        expect(page.locator("#toasts")).to_contain_text("Evening: Dana Korhonen.")
        waiting(page, order).click()
        expect(page.locator("#chosen")).to_contain_text("Position 1 on Evening.")
        page.locator(".head", has_text="Evening").click()
        expect(page.locator("#toasts")).to_contain_text("Added to Evening.")
        (made,) = admin.get("/v1/routes", day=str(day))["routes"]
        assert (made["driver_id"] is not None, on_route(admin, made["id"])) == (True, [order])


def test_orders_are_selected_by_tap_and_the_page_fits_a_phone(
    demo_server: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    (route,) = make_day(admin, day, 2)
    (order,) = orders(admin, day, 1)
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE, has_touch=True) as page:
        open_board(page, day)
        page.locator("#waiting-count").tap()
        waiting(page, order).tap()
        expect(page.locator("#chosen")).to_contain_text("on Tour 01.")
        assert sideways_overflow(page) == 0
        page.locator(".head", has_text="Tour 01").tap()
        expect(page.locator("#toasts")).to_contain_text("Added to Tour 01.")
    assert order in on_route(admin, route)


def test_axe_finds_no_violations(demo_server: str, browser: Browser, admin: DemoApi, days: Iterator[date]) -> None:
    day = next(days)
    make_day(admin, day, 2)
    (order,) = orders(admin, day, 1)
    with open_page(browser, demo_server, "admin") as page:
        open_board(page, day)
        waiting(page, order).click()
        expect(page.locator("#chosen")).to_contain_text("Position")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.keyboard.press("Escape")
        page.get_by_role("button", name="New route").click()
        assert axe_faults(page, DESK_SIZE) == {}
