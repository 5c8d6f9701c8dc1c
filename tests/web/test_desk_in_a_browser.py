"""Lists and records of the desk in a real browser: they keep themselves fresh and nothing jumps."""

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browser import PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def admin(demo_server: str) -> DemoApi:
    return DemoApi(demo_server, "admin")


def test_a_list_renews_rows_in_place_and_offers_new_ones(demo_server: str, browser: Browser, admin: DemoApi) -> None:
    one, other = admin.an_order()["id"], admin.an_order()["id"]
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/orders?status=NEW_ORDER")
        row, beside = page.locator(f"tr[data-id='{one}']"), page.locator(f"tr[data-id='{other}']")
        row.get_by_role("checkbox").check()
        row.get_by_role("checkbox").focus()
        where = "document.getElementById('rows').getBoundingClientRect().top"
        height = page.evaluate(where)
        admin.post(f"/v1/orders/{other}/hold", reason="rain")
        expect(beside).to_have_class("gone")
        newer = admin.an_order()["id"]
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


def test_a_record_says_what_is_now(demo_server: str, browser: Browser, admin: DemoApi) -> None:
    order = admin.an_order()["id"]
    with open_page(browser, demo_server, "admin") as page:
        page.goto(f"/desk/orders/{order}")
        expect(page.locator("h1 .badge")).to_have_text("new")
        admin.post(f"/v1/orders/{order}/hold", reason="rain")
        expect(page.locator("h1 .badge")).to_have_text("on hold")


def test_further_filters_come_where_they_are_asked_for(demo_server: str, browser: Browser) -> None:
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/orders")
        page.fill("#text", "King")
        page.get_by_text("More filters and columns").click()
        expect(page.locator("#order_ref")).to_be_visible()
        assert page.input_value("#text") == "King", "what was typed stays"
        assert axe_faults(page, PHONE_SIZE) == {}
    with open_page(browser, demo_server, "admin", java_script_enabled=False) as page:
        page.goto("/desk/orders?status=NEW_ORDER")
        page.get_by_text("More filters and columns").click()
        expect(page.locator("#order_ref")).to_be_visible()
        expect(page.locator("#status")).to_have_value("NEW_ORDER")
