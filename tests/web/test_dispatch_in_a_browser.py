"""The dispatch board in a browser: mouse, touch, keys, live, without scripts."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tests.web.boards import drag, make_day, open_board, orders, spot, stops
from tests.web.browser import (
    CONSIGNEE,
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    answer_in_page,
    axe_faults,
    needs_chromium,
    open_page,
    sideways_overflow,
)

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

pytestmark = needs_chromium
ELEMENTS = "document.querySelectorAll('*:not(#waiting-list *)').length"
"""Number of board elements for stops, without waiting orders (buttons, at most 200)."""


@pytest.fixture(scope="module")
def base(demo_server: str) -> str:
    return demo_server


@pytest.fixture(scope="module")
def admin(base: str) -> DemoApi:
    return DemoApi(base, "admin")


def test_a_stop_can_be_dragged_to_another_route_checked_saved_and_undone(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    here, there = make_day(admin, day, 3, 2)
    first, _, _ = before = stops(admin, here)
    with open_page(browser, base, "admin") as page:
        said = open_board(page, day)
        x, y = spot(page, there, 1)
        drag(page, spot(page, here, 1), (x - 3, y))
        expect(page.locator("#chosen")).to_contain_text("Position 1 on Tour 02.")
        expect(page.locator("#chosen")).to_contain_text("No rule violations.")
        assert stops(admin, here) == before, "nothing is written before it is put down"
        page.mouse.up()
        expect(page.locator("#toasts")).to_contain_text("Moved to Tour 02.")
        assert (stops(admin, here), stops(admin, there)[0]) == (before[1:], first)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#toasts")).to_contain_text("Move undone.")
        assert stops(admin, here) == before
    assert said == []


def test_a_forbidden_move_is_explained_and_changes_nothing(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    here, there = make_day(admin, day, 2, 2)
    admin.post(f"/v1/routes/{there}/lock")
    before = stops(admin, here)
    with open_page(browser, base, "admin") as page:
        open_board(page, day)
        drag(page, spot(page, here, 1), spot(page, there, 2))
        expect(page.locator("#chosen")).to_have_class("bad")
        expect(page.locator("#chosen")).to_contain_text("locked")
        page.mouse.up()
        expect(page.locator("#toasts")).to_contain_text("locked")
    assert stops(admin, here) == before


def test_escape_cancels_dragging(base: str, browser: Browser, admin: DemoApi, days: Iterator[date]) -> None:
    day = next(days)
    here, there = make_day(admin, day, 2, 2)
    before = stops(admin, here)
    with open_page(browser, base, "admin") as page:
        open_board(page, day)
        drag(page, spot(page, here, 1), spot(page, there, 2))
        page.keyboard.press("Escape")
        page.mouse.up()
        expect(page.locator("#chosen")).to_contain_text("Stop 1 of 2, Tour 01")
    assert stops(admin, here) == before


def test_every_action_is_available_by_keyboard(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    here, there = make_day(admin, day, 3, 2)
    first, second, third = stops(admin, here)
    with open_page(browser, base, "admin") as page:
        said = open_board(page, day)
        page.locator("#lanes").focus()
        page.keyboard.press("Home")
        expect(page.locator("#heads [aria-selected=true]")).to_contain_text("Tour 01")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#chosen")).to_contain_text("Stop 1 of 3, Tour 01")
        for key in ("m", "ArrowRight", "m"):
            page.keyboard.press(key)
        expect(page.locator("#toasts")).to_contain_text("Moved to Tour 01.")
        assert stops(admin, here) == [second, first, third]
        for key in ("m", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#toasts")).to_contain_text("Moved to Tour 02.")
        assert first in stops(admin, there)
        page.keyboard.press("z")
        expect(page.locator("#toasts")).to_contain_text("Move undone.")
        page.keyboard.press("l")
        expect(page.locator("#toasts")).to_contain_text("Stop locked.")
        page.keyboard.press("p")
        expect(page.locator("#toasts")).to_contain_text("no longer sees it")
        page.keyboard.press("L")
        expect(page.locator("#toasts")).to_contain_text("Route locked.")
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
    route = admin.get(f"/v1/routes/{here}")["route"]
    assert (route["locked"], route["published"], [s["locked"] for s in route["stops"]].count(True)) == (True, False, 1)
    assert said == []


def test_routes_can_be_built_with_progress_reviewed_and_committed(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    mine = orders(admin, day, 12)
    with open_page(browser, base, "admin") as page:
        said = open_board(page, day)
        expect(page.locator("#hush")).to_have_text(re.compile(r"No routes on this day. Unplanned orders: \d+\."))
        page.locator("#build-waiting").click()
        expect(page.locator("#ask-build")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        page.select_option("#seconds", "5")
        page.locator("#build-go").click()
        expect(page.locator("#building")).to_be_visible()
        expect(page.locator("#build-score")).to_contain_text("Vehicles:")
        expect(page.get_by_role("option").first).to_be_visible()
        assert admin.get("/v1/routes", day=str(day))["total"] == 0, "a preview writes nothing"
        expect(page.locator("#build-commit")).to_be_visible()
        assert float(page.locator("#build-progress").get_attribute("value") or 0) == 1
        page.locator("#build-commit").click()
        expect(page.locator("#toasts")).to_contain_text("Routes saved.")
        expect(page.locator("#building")).to_be_hidden()
        expect(page.get_by_role("option").first).to_be_visible()
    routes = admin.get("/v1/routes", day=str(day))["routes"]
    planned = {s["order_id"] for each in routes for s in admin.get(f"/v1/routes/{each['id']}")["route"]["stops"]}
    assert planned >= set(mine)
    assert said == []


def test_a_build_can_be_cancelled_and_discarded_without_a_trace(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    orders(admin, day, 12)
    with open_page(browser, base, "admin") as page:
        open_board(page, day)
        page.locator("#build").click()
        page.select_option("#seconds", "180")
        page.locator("#build-go").click()
        expect(page.locator("#build-score")).to_contain_text("Vehicles:")
        page.locator("#build-cancel").click()
        expect(page.locator("#build-state")).to_have_text("Stopped. This is the best plan so far.")
        page.locator("#build-discard").click()
        expect(page.locator("#hush")).to_be_visible()
    assert admin.get("/v1/routes", day=str(day))["total"] == 0


def test_a_plan_gives_reasons_for_unassigned_orders(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    orders(admin, day, 6)
    left = admin.post("/v1/client/orderCreate", consignee=CONSIGNEE, scheduled_date=str(day), skills=["crane"])[
        "order"
    ]["id"]
    with open_page(browser, base, "admin", viewport=PHONE_SIZE) as page:
        open_board(page, day)
        page.locator("#build").click()
        page.locator("#build-go").click()
        expect(page.locator("#build-score")).to_contain_text("Vehicles:")
        page.locator("#build-cancel").click()
        expect(page.locator("#build-commit")).to_be_visible()
        page.locator("#left-out-count").click()
        line = page.locator("#left-out-why li", has_text="No eligible driver has: crane.")
        for size in (PHONE_SIZE, DESK_SIZE):
            page.set_viewport_size(size)
            line.scroll_into_view_if_needed()
            expect(line).to_contain_text(str(left))
            assert sideways_overflow(page) == 0, size
        page.locator("#build-discard").click()
        expect(page.locator("#building")).to_be_hidden()


def test_a_plan_without_routes_gives_the_reasons_and_cannot_be_committed(
    base: str, browser: Browser, days: Iterator[date]
) -> None:
    with open_page(browser, base, "contractor") as page:
        open_board(page, next(days))
        page.keyboard.press("b")
        page.locator("#build-go").click()
        expect(page.locator("#build-discard")).to_be_visible()
        expect(page.locator("#left-out-count")).to_be_visible()
        expect(page.locator("#build-commit")).to_be_hidden()
        page.locator("#left-out-count").click()
        expect(page.locator("#left-out-why")).to_contain_text("No driver can be planned on this day.")


def test_changes_by_colleagues_appear_automatically(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    here, _ = make_day(admin, day, 2, 2)
    with open_page(browser, base, "admin") as page:
        with page.expect_response("**/dispatch/stream?day=*"):
            open_board(page, day)
        admin.post(f"/v1/routes/{here}/lock")
        expect(page.get_by_role("option").first.locator(".locked")).to_be_visible()


def test_driver_positions_update_automatically(base: str, browser: Browser) -> None:
    here = "import('/static/dispatch-state.js').then(({ state }) => state.drivers.some((each) => each.lat === 43.7001))"
    with open_page(browser, base, "admin") as page:
        page.goto("/dispatch")
        expect(page.locator("#board")).to_have_attribute("data-ready", "yes")
        assert not page.evaluate(here)
        point = {"occurred_at": datetime.now(UTC).isoformat(), "lat": 43.7001, "lng": -79.4}
        DemoApi(base, "driver").post("/v1/rider/positions", points=[point])
        answer_in_page(page, here)


def test_two_thousand_stops_are_virtualized_and_all_reachable(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    small, large = next(days), next(days)
    make_day(admin, small, *([2] * 20))
    routes = make_day(admin, large, *([50] * 40))
    counts: list[int] = []
    with open_page(browser, base, "admin") as page:
        said = open_board(page, small)
        counts.append(page.evaluate(ELEMENTS))
        page.goto(f"/dispatch?day={large}")
        expect(page.locator("#board")).to_have_attribute("data-ready", "yes")
        expect(page.locator("#sums")).to_contain_text("Stops: 2000")
        counts.append(page.evaluate(ELEMENTS))
        page.locator("#lanes").focus()
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#chosen")).to_contain_text("Stop 50 of 50, Tour 40")
        last = stops(admin, routes[-1])[-1]
        for key in ("m", "ArrowUp", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#toasts")).to_contain_text("Moved to Tour 39.")
        assert last in stops(admin, routes[-2])
    assert counts[1] <= counts[0] + 10
    assert said == []


def test_the_board_fits_a_phone(base: str, browser: Browser, admin: DemoApi, days: Iterator[date]) -> None:
    day = next(days)
    make_day(admin, day, 3, 2)
    wide: dict[str, int] = {}
    for language in SUPPORTED_LANGUAGES:
        with open_page(browser, base, "admin", viewport=PHONE_SIZE, locale=language) as page:
            open_board(page, day)
            page.keyboard.press("ArrowRight")
            wide[f"{language} board"] = sideways_overflow(page)
            maps, times = (page.locator(each).bounding_box() or {} for each in ("#map", "#timeline"))
            assert maps["y"] + maps["height"] <= times["y"], language
            page.goto(f"/dispatch/list?day={day}")
            wide[f"{language} list"] = sideways_overflow(page)
    assert {place: pixels for place, pixels in wide.items() if pixels} == {}


def test_the_legend_does_not_cover_the_map_attribution(
    base: str, browser: Browser, admin: DemoApi, days: Iterator[date]
) -> None:
    day = next(days)
    make_day(admin, day, 3, 2)
    for size in (DESK_SIZE, PHONE_SIZE):
        with open_page(browser, base, "admin", viewport=size) as page:
            open_board(page, day)
            expect(page.locator("#map[data-drawn]")).to_be_attached()
            legend, credit = (page.locator(each).bounding_box() for each in (".legend", ".maplibregl-ctrl-attrib"))
            assert legend
            assert credit
            assert legend["y"] + legend["height"] <= credit["y"] or credit["y"] + credit["height"] <= legend["y"]


def test_a_stop_can_be_dragged_by_touch(base: str, browser: Browser, admin: DemoApi, days: Iterator[date]) -> None:
    day = next(days)
    here, there = make_day(admin, day, 3, 2)
    before = stops(admin, here)
    with open_page(browser, base, "admin", viewport=PHONE_SIZE, has_touch=True) as page:
        open_board(page, day)
        page.locator("#timeline").scroll_into_view_if_needed()
        wire = page.context.new_cdp_session(page)

        def touch(kind: str, *points: tuple[float, float]) -> None:
            wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

        start, end = spot(page, here, 1), spot(page, there, 1)
        touch("touchStart", start)
        expect(page.locator("#chosen")).to_contain_text("Position 1 on Tour 01.")
        touch("touchMove", (end[0] - 3, end[1]))
        expect(page.locator("#chosen")).to_contain_text("on Tour 02.")
        touch("touchEnd")
        expect(page.locator("#toasts")).to_contain_text("Moved to Tour 02.")
    assert stops(admin, here) == before[1:]


def test_axe_finds_no_violations(base: str, browser: Browser, admin: DemoApi, days: Iterator[date]) -> None:
    day = next(days)
    make_day(admin, day, 3, 2)
    found: dict[str, Any] = {}
    with open_page(browser, base, "admin") as page:
        open_board(page, day)
        page.keyboard.press("ArrowRight")
        found["board"] = axe_faults(page, DESK_SIZE)
        page.goto(f"/dispatch/list?day={day}")
        found["list"] = axe_faults(page, DESK_SIZE)
    assert {place: faults for place, faults in found.items() if faults} == {}


def test_without_scripts_the_day_is_a_list(base: str, browser: Browser, admin: DemoApi, days: Iterator[date]) -> None:
    day = next(days)
    make_day(admin, day, 3, 2)
    with open_page(browser, base, "admin", java_script_enabled=False) as page:
        page.goto(f"/dispatch?day={day}")
        page.wait_for_url(f"**/dispatch/list?day={day}")
        expect(page.locator("details")).to_have_count(2)
        expect(page.locator("tbody tr")).to_have_count(5)
