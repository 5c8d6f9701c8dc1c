"""Lists, records and pages of the desk in a browser refresh without jumping."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect
from tests.web.browser import (
    CONSIGNEE,
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    axe_faults,
    needs_chromium,
    open_page,
    sideways_overflow,
)

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def admin(demo_server: str) -> DemoApi:
    return DemoApi(demo_server, "admin")


def test_a_list_updates_rows_in_place_and_offers_new_ones(demo_server: str, browser: Browser, admin: DemoApi) -> None:
    one, other = admin.make_order()["id"], admin.make_order()["id"]
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/orders?status=NEW_ORDER")
        row, beside = page.locator(f"tr[data-id='{one}']"), page.locator(f"tr[data-id='{other}']")
        row.get_by_role("checkbox").check()
        row.get_by_role("checkbox").focus()
        where = "document.getElementById('rows').getBoundingClientRect().top"
        height = page.evaluate(where)
        admin.post(f"/v1/orders/{other}/hold", reason="rain")
        expect(beside).to_have_class("gone")
        newer = admin.make_order()["id"]
        expect(page.locator(".news button")).to_have_text("1 new")
        expect(page.locator(f"tr[data-id='{newer}']")).to_have_count(0)
        assert page.evaluate("document.activeElement.value") == str(one), "focus stays"
        assert row.get_by_role("checkbox").is_checked()
        assert page.evaluate(where) == height, "nothing jumps"
        assert axe_faults(page, PHONE_SIZE) == {}
        page.get_by_role("button", name="1 new").click()
        expect(page.locator(f"tr[data-id='{newer}']")).to_be_visible()
        expect(beside).to_have_count(0)
        assert row.get_by_role("checkbox").is_checked(), "what was ticked stays ticked"


def test_a_record_page_updates_automatically(demo_server: str, browser: Browser, admin: DemoApi) -> None:
    order = admin.make_order()["id"]
    with open_page(browser, demo_server, "admin") as page:
        page.goto(f"/desk/orders/{order}")
        expect(page.locator("h1 .badge")).to_have_text("New")
        admin.post(f"/v1/orders/{order}/hold", reason="rain")
        expect(page.locator("h1 .badge")).to_have_text("On hold")


def test_the_today_page_updates_changes_in_place_and_offers_new_items(
    demo_server: str, browser: Browser, admin: DemoApi
) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk")
        orders = page.locator("[data-id='figure-orders'] dd:not(.before)")
        count = int(orders.inner_text())
        where = "document.querySelector('.waiting').getBoundingClientRect().top"
        height = page.evaluate(where)
        page.locator(".waiting a").first.focus()
        focused = page.evaluate("document.activeElement.href")
        held = admin.make_order()["id"]
        admin.post(f"/v1/orders/{held}/hold", reason="rain")
        expect(orders).to_have_text(str(count + 1))
        assert page.evaluate(where) == height, "nothing jumps"
        assert page.evaluate("document.activeElement.href") == focused, "focus stays"
        assert axe_faults(page, PHONE_SIZE) == {}


def test_forms_of_an_updated_record_have_the_token_of_their_session(
    demo_server: str, browser: Browser, admin: DemoApi
) -> None:
    order = admin.make_order()["id"]
    pages = [open_page(browser, demo_server, who) for who in ("admin", "employee")]
    with pages[0] as one, pages[1] as other:
        for page in (one, other):
            page.goto(f"/desk/orders/{order}")
            expect(page.locator("h1 .badge")).to_have_text("New")
        admin.post(f"/v1/orders/{order}/hold", reason="rain")
        for page in (one, other):
            expect(page.locator("h1 .badge")).to_have_text("On hold")
        admin.post(f"/v1/orders/{order}/release", reason="sun")
        tokens = []
        for page in (one, other):
            expect(page.locator("h1 .badge")).to_have_text("New")
            field = page.locator("#record form[action='/desk/day-route'] input[name=csrf]")
            tokens.append(field.first.input_value())
            assert tokens[-1] == page.locator("form[action='/sign-out'] input[name=csrf]").input_value()
        assert tokens[0] != tokens[1]


def test_the_shop_offers_new_products_and_strikes_out_removed_ones(demo_server: str, browser: Browser) -> None:
    customer = DemoApi(demo_server, "customer")
    with open_page(browser, demo_server, "customer") as page:
        page.goto("/desk")
        total = int(page.locator("[data-id='under-way']").inner_text())
        order = customer.make_order()["id"]
        expect(page.locator(".news button")).to_have_text("1 new")
        expect(page.locator("[data-id='under-way']")).to_have_text(str(total + 1))
        expect(page.locator("#part .gone")).to_have_count(0)
        expect(page.locator(f"[data-id='order-{order}']")).to_have_count(0)
        page.get_by_role("button", name="1 new").click()
        expect(page.locator(f"[data-id='order-{order}']")).to_be_visible()
        expect(page.locator(f"[data-id='order-{order}'] a")).to_be_focused()
        customer.post(f"/v1/orders/{order}/cancel", reason="changed_mind")
        expect(page.locator(f"[data-id='order-{order}']")).to_have_class(re.compile("gone"))
        assert axe_faults(page, PHONE_SIZE) == {}


def test_more_filters_appear_on_request(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/orders")
        page.fill("#search", "King")
        page.get_by_text("More filters and columns").click()
        expect(page.locator("#order_ref")).to_be_visible()
        assert page.input_value("#search") == "King", "what was typed stays"
        assert axe_faults(page, PHONE_SIZE) == {}
    with open_page(browser, demo_server, "admin", java_script_enabled=False) as page:
        page.goto("/desk/orders?status=NEW_ORDER")
        page.get_by_text("More filters and columns").click()
        expect(page.locator("#order_ref")).to_be_visible()
        expect(page.locator("#status")).to_have_value("NEW_ORDER")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_file_chosen_in_a_form_survives_a_preview(
    demo_server: str, browser: Browser, admin: DemoApi, scripts: bool
) -> None:
    version = f"9.{int(scripts)}.0"
    with open_page(browser, demo_server, "admin", java_script_enabled=scripts) as page:
        page.goto("/desk/act/create_firmware_release")
        page.fill("#version", version)
        page.get_by_label("Content").focus()
        expect(page.locator("#content")).to_be_focused()
        page.set_input_files(
            "#content", {"name": "box.bin", "mimeType": "application/octet-stream", "buffer": b"\0" * 99}
        )
        page.locator("button[value=rehearse]").click()
        expect(page.locator(".rehearsal")).to_be_visible()
        expect(page.locator("#name")).to_have_value("box.bin")
        if scripts:
            assert axe_faults(page, PHONE_SIZE) == {}
        page.locator("button[value=do]").click()
        expect(page.locator(".notice.good, h1 .badge").first).to_be_visible()
    releases = admin.get("/v1/firmware/releases")["releases"]
    assert [each["size_bytes"] for each in releases if each["version"] == version] == [99]


def test_a_view_can_be_saved_and_opened_by_keyboard(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        page.goto("/desk/drivers?search=Dana")
        page.keyboard.press("v")
        expect(page.locator("#view-name")).to_be_focused()
        expect(page.locator("#view-name")).to_have_value("")
        assert axe_faults(page, PHONE_SIZE) == {}
        page.keyboard.type("Danas")
        page.keyboard.press("Enter")
        expect(page.locator(".views [aria-current]")).to_have_text("Danas")
        page.keyboard.press("0")
        expect(page.locator(".views [aria-current]")).to_have_text("All")
        page.keyboard.press("1")
        expect(page.locator(".views [aria-current]")).to_have_text("Danas")
        expect(page.locator("#search")).to_have_value("Dana")


def test_the_phone_navigation_shows_the_current_page(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        page.goto("/desk/sections/settings")
        expect(page.locator(".rail [aria-current]")).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("address", ["/desk/orders", "/desk/invoices", "/desk/routes"])
def test_on_a_phone_the_rows_of_a_list_are_cards_with_their_status(
    demo_server: str, browser: Browser, address: str
) -> None:
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        page.goto(address)
        card = page.locator(".row-cards tbody tr").first
        boxes = [each.bounding_box() or {} for each in (card.get_by_role("link").first, card.locator(".badge").first)]
        assert boxes[1]["x"] + boxes[1]["width"] <= PHONE_SIZE["width"]
        assert abs(boxes[0]["y"] - boxes[1]["y"]) < boxes[0]["height"], "the status stands beside the name"
        assert page.locator(".scroll").first.evaluate("list => list.scrollWidth - list.clientWidth") == 0
        assert (axe_faults(page, PHONE_SIZE), sideways_overflow(page)) == ({}, 0)


def test_an_action_on_all_matching_records_shows_progress(demo_server: str, browser: Browser, admin: DemoApi) -> None:
    mark = "Bulk Street"
    for _ in range(53):
        admin.post("/v1/client/orderCreate", consignee={**CONSIGNEE, "address": f"1 {mark}"})
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        page.goto(f"/desk/orders?search={mark.replace(' ', '+')}&per_page=25")
        page.locator("#tick-all").check()
        page.get_by_label("Select all 53").focus()
        page.keyboard.press("Space")
        expect(page.locator('tbody input[name="pick"]:checked')).to_have_count(25)
        page.select_option("#act", "hold_order")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.locator("#picked button").press("Enter")
        expect(page.get_by_role("button", name="Apply to 53")).to_be_visible()
        assert axe_faults(page, PHONE_SIZE) == {}
        page.get_by_label("Reason").fill("storm")
        page.get_by_role("button", name="Apply to 53").press("Enter")
        expect(page.locator("#many .outcomes .good")).to_have_text("53")
        expect(page.locator("#many .said")).to_have_text("53 of 53")
        expect(page.locator("#stop")).to_be_hidden()
        assert sideways_overflow(page) == 0
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
    held = admin.get("/v1/orders", search=mark, status="HOLD", per_page=1)
    assert held["total"] == 53


def test_a_lost_chunk_is_requested_again(demo_server: str, browser: Browser, admin: DemoApi) -> None:
    mark = "Lost Street"
    for _ in range(52):
        admin.post("/v1/client/orderCreate", consignee={**CONSIGNEE, "address": f"1 {mark}"})
    with open_page(browser, demo_server, "admin") as page:
        lost: list[str] = []

        def lose_one(route: Route) -> None:
            body = route.request.post_data or ""
            if "begun%22%3Atrue" in body and not lost:
                lost.append(route.request.url)
                route.fetch()  # it is done, and its answer never comes
                return route.abort()
            return route.continue_()

        page.route("**/desk/act/hold_order", lose_one)
        page.goto(f"/desk/orders/pick?act=hold_order&all=1&where=search%3D{mark.replace(' ', '%2B')}")
        page.get_by_role("button", name="Apply to 52").click()
        expect(page.locator("#many .notice.bad")).to_contain_text("nothing is applied twice")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("#many .said")).to_have_text("52 of 52")
        expect(page.locator("#many .outcomes .good")).to_have_text("52")
        assert lost
    orders = admin.get("/v1/orders", search=mark, status="HOLD", per_page=1)
    assert orders["total"] == 52
    entries = admin.get("/v1/audit", operation="hold_order", per_page=200)["entries"]
    ids = {each["id"] for each in admin.get("/v1/orders", search=mark, per_page=200)["orders"]}
    assert len([each for each in entries if {subject["id"] for subject in each["subjects"]} & ids]) == 52


def test_an_order_opens_beside_its_list_and_keyboard_navigation_continues(
    demo_server: str, browser: Browser, admin: DemoApi
) -> None:
    mark = "Drawer Street"
    asked = {"consignee": {**CONSIGNEE, "address": f"1 {mark}"}}
    older, newer = [admin.post("/v1/client/orderCreate", **asked)["order"]["id"] for _ in range(2)]
    listed = f"/desk/orders?search={mark.replace(' ', '+')}"
    with open_page(browser, demo_server, "admin") as page:
        page.goto(listed)
        drawer = page.locator("#drawer")
        page.keyboard.press("j")
        expect(page.locator("tr.at")).to_have_attribute("data-id", str(newer))
        expect(drawer).to_be_hidden()
        page.keyboard.press("Enter")
        expect(drawer.locator("#drawer-title")).to_contain_text(f"Order {newer}")
        expect(drawer).to_be_focused()
        assert page.url.endswith(f"&drawer={newer}")
        assert axe_faults(page, DESK_SIZE) == {}
        page.keyboard.press("ArrowDown")
        expect(drawer.locator("#drawer-title")).to_contain_text(f"Order {older}")
        assert page.url.endswith(f"&drawer={older}")
        page.keyboard.press("k")
        expect(drawer.locator("#drawer-title")).to_contain_text(f"Order {newer}")
        admin.post(f"/v1/orders/{newer}/hold", reason="rain")
        expect(drawer.locator(".badge").first).to_have_text("On hold")
        expect(page.locator(f"tr[data-id='{newer}'] .badge")).to_have_text("On hold")
        expect(drawer.locator("h1")).to_have_count(0)
        expect(drawer.locator(".acts a").first).to_have_attribute("href", re.compile("back=.*drawer"))
        page.keyboard.press("Escape")
        expect(drawer).to_be_hidden()
        assert "drawer" not in page.url
        expect(page.locator(f"tr[data-id='{newer}'] a").first).to_be_focused()
        page.locator(f"tr[data-id='{older}'] a").first.click()
        expect(drawer.locator("#drawer-title")).to_contain_text(f"Order {older}")
        page.reload()
        expect(drawer.locator("#drawer-title")).to_contain_text(f"Order {older}")
        page.get_by_role("button", name="Close").click()
        expect(drawer).to_be_hidden()
        assert sideways_overflow(page) == 0


def test_an_action_from_the_drawer_returns_to_it(demo_server: str, browser: Browser, admin: DemoApi) -> None:
    order = admin.make_order()["id"]
    with open_page(browser, demo_server, "admin") as page:
        page.goto(f"/desk/orders?drawer={order}")
        expect(page.locator("#drawer .acts").first).to_be_visible()
        page.keyboard.press("h")
        page.wait_for_url("**/desk/act/hold_order?*")
        page.locator("button[value=rehearse]").click()
        page.locator("button[value=do]").click()
        expect(page.locator(".notice.good")).to_contain_text("Done.")
        expect(page.locator("#drawer .badge").first).to_have_text("On hold")


def test_on_a_phone_and_without_scripts_an_order_opens_as_a_page(
    demo_server: str, browser: Browser, admin: DemoApi
) -> None:
    order = admin.make_order()["id"]
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE) as page:
        page.goto(f"/desk/orders?drawer={order}")
        page.wait_for_url(f"**/desk/orders/{order}")
        page.goto("/desk/orders")
        page.locator(f"tr[data-id='{order}'] a").first.click()
        page.wait_for_url(f"**/desk/orders/{order}")
    with open_page(browser, demo_server, "admin", java_script_enabled=False) as page:
        page.goto(f"/desk/orders?drawer={order}")
        page.locator("#drawer-title").click()
        page.wait_for_url(f"**/desk/orders/{order}")
