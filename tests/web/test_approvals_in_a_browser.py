"""The approvals page in a browser: by keyboard, live, on a phone, without scripts."""

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import PHONE_SIZE, DemoApi, needs_chromium, open_page, sideways_overflow, sign_in_by_form

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def base(demo_server: str) -> str:
    return demo_server


@pytest.fixture(scope="module")
def employee(base: str) -> DemoApi:
    return DemoApi(base, "employee")


def chosen(page: Page) -> int:
    return int(page.locator("#proposal").get_attribute("data-id") or 0)


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.id || document.activeElement.getAttribute('href') || ''")


def test_the_page_can_be_used_by_keyboard_alone(base: str, browser: Browser, employee: DemoApi) -> None:
    older, newer = employee.make_proposal(), employee.make_proposal()
    with open_page(browser, base) as page:
        sign_in_by_form(page, "admin")
        assert chosen(page) == newer
        page.keyboard.press("j")
        page.wait_for_url(f"**/mcp-approvals/{newer}")
        page.keyboard.press("j")
        page.wait_for_url(f"**/mcp-approvals/{older}")
        expect(page.locator("#proposal")).to_have_attribute("data-id", str(older))
        assert focused(page) == f"/mcp-approvals/{older}"
        page.keyboard.press("k")
        page.wait_for_url(f"**/mcp-approvals/{newer}")
        expect(page.locator("#proposal")).to_have_attribute("data-id", str(newer))
        page.keyboard.press("n")
        page.keyboard.type("no, ask j or k first")
        page.keyboard.press("Escape")
        page.keyboard.press("r")
        assert focused(page) == "reject"
        assert employee.status_of(newer) == "pending", "a key alone decides nothing"
        page.keyboard.press("Enter")
        expect(page.locator(".notice")).to_contain_text("Rejected by Aino Virtanen")
        expect(page.locator(".notice")).to_contain_text("no, ask j or k first")
        page.goto(f"/mcp-approvals/{older}")
        page.keyboard.press("a")
        assert focused(page) == "approve"
        page.keyboard.press("Enter")
        expect(page.locator(".notice")).to_contain_text("Approved by Aino Virtanen")
    assert (employee.status_of(newer), employee.status_of(older)) == ("rejected", "executed")


def test_shortcuts_are_explained_in_a_dialog_that_can_be_closed(base: str, browser: Browser) -> None:
    with open_page(browser, base, "admin") as page:
        page.goto("/mcp-approvals")
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("a")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#keys")).to_be_hidden()


def test_proposals_and_decisions_from_elsewhere_appear_automatically(
    base: str, browser: Browser, employee: DemoApi
) -> None:
    with open_page(browser, base, "admin") as page:
        with page.expect_response("**/mcp-approvals/stream"):
            page.goto("/mcp-approvals")
        id = employee.make_proposal()
        expect(page.locator(f'#queue a[href="/mcp-approvals/{id}"]')).to_be_visible()
        expect(page.locator("#toasts")).to_contain_text("The list has changed.")
        employee.post(f"/v1/approvals/{id}/withdraw")
        expect(page.locator(f'#queue a[href="/mcp-approvals/{id}"]')).to_have_count(0)


def test_updates_do_not_overwrite_text_being_typed(base: str, browser: Browser, employee: DemoApi) -> None:
    id = employee.make_proposal()
    with open_page(browser, base, "admin") as page:
        with page.expect_response("**/mcp-approvals/stream"):
            page.goto(f"/mcp-approvals/{id}")
        page.fill("#note", "half a sentence")
        another = employee.make_proposal()
        expect(page.locator(f'#queue a[href="/mcp-approvals/{another}"]')).to_be_visible()
        assert page.input_value("#note") == "half a sentence"
        assert focused(page) == "note"


def test_a_double_click_submits_one_form(base: str, browser: Browser, employee: DemoApi) -> None:
    id = employee.make_proposal()
    sent: list[str] = []
    with open_page(browser, base, "admin") as page:
        page.goto(f"/mcp-approvals/{id}")
        page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
        page.locator("#approve").dblclick()
        expect(page.locator(".notice")).to_contain_text("Approved by Aino Virtanen")
    assert len(sent) == 1


def test_on_a_phone_the_list_comes_first_and_fits_the_width(base: str, browser: Browser, employee: DemoApi) -> None:
    id = employee.make_proposal()
    with open_page(browser, base, "admin", viewport=PHONE_SIZE, has_touch=True) as page:
        page.goto("/mcp-approvals")
        assert sideways_overflow(page) == 0
        expect(page.locator("#proposal")).to_be_hidden()
        page.locator(f'#queue a[href="/mcp-approvals/{id}"]').tap()
        expect(page.locator("#proposal")).to_be_visible()
        expect(page.locator("#queue")).to_be_hidden()
        assert sideways_overflow(page) == 0
        assert (page.locator("#approve").bounding_box() or {})["height"] >= 44
        page.locator(".back a").tap()
        expect(page.locator("#queue")).to_be_visible()


def test_without_scripts_approvals_can_be_read_and_decided(base: str, browser: Browser, employee: DemoApi) -> None:
    id = employee.make_proposal()
    with open_page(browser, base, java_script_enabled=False) as page:
        sign_in_by_form(page, "admin")
        page.locator(f'#queue a[href="/mcp-approvals/{id}"]').click()
        expect(page.locator("#show-keys")).to_be_hidden()
        page.fill("#note", "by hand")
        page.locator("#reject").click()
        expect(page.locator(".notice")).to_contain_text("by hand")
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/sign-in?lang=en")
    assert employee.status_of(id) == "rejected"
