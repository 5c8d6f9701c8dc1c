"""The agent page in a browser: keyboard, phone, live answers, and without scripts."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.web.browser import (
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    axe_faults,
    needs_chromium,
    open_page,
    sideways_overflow,
)

pytestmark = needs_chromium
LIVE_MS = 60_000
FAMILY = "/v1/client/profile/features/operations_ai_agent"


@pytest.fixture
def office(demo_server: str) -> Iterator[DemoApi]:
    """The demo's admin, whose business has the agent for as long as a test runs."""
    office = DemoApi(demo_server, "admin")
    office.put(FAMILY, enabled=True)
    yield office
    office.put(FAMILY, enabled=False)


def test_a_question_by_keyboard_is_answered_in_place_and_its_proposal_can_be_decided(
    demo_server: str, office: DemoApi, browser: Browser
) -> None:
    order = office.make_order()
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk")
        page.keyboard.press("Control+K")
        page.keyboard.type("operations agent")
        expect(page.locator("#palette-found a").first).to_contain_text("Operations agent")
        page.keyboard.press("Enter")
        page.wait_for_url("**/desk/agent")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        page.set_viewport_size(DESK_SIZE)
        page.get_by_label("Your question").fill(f"hold {order['tracking_number']} because the customer called")
        page.keyboard.press("Enter")
        answered = page.locator("li.turn").last
        expect(answered.locator(".reply")).to_contain_text("Proposed as number", timeout=LIVE_MS)
        expect(answered).not_to_have_attribute("aria-busy", "true")
        expect(page.locator("#agent-told")).to_contain_text("Proposed as number")
        expect(page.get_by_label("Your question")).to_be_focused()
        expect(page.get_by_label("Your question")).to_have_value("")
        answered.get_by_text("Why did you propose this?").click()
        expect(answered).to_contain_text("the customer called")
        assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}
        assert sideways_overflow(page) <= 0
        answered.get_by_role("link", name="Review proposal").click()
        expect(page.locator("h1")).to_be_visible()
        assert "/mcp-approvals/" in page.url


def test_turns_from_elsewhere_stream_in_and_expanded_parts_stay_open(
    demo_server: str, office: DemoApi, browser: Browser
) -> None:
    session = office.post("/v1/agent/sessions", title="The morning")["session"]["id"]
    with open_page(browser, demo_server, "admin", viewport=PHONE_SIZE, locale="de-DE") as page:
        page.goto(f"/desk/agent/{session}")
        expect(page.get_by_role("heading", name="The morning")).to_be_visible()
        page.get_by_role("button", name="Wie läuft der Tag?").click()
        first = page.locator("li.turn").first
        expect(first.locator(".reply")).to_be_visible(timeout=LIVE_MS)
        first.get_by_text("Quellen").click()
        expect(first.locator("details.tools")).to_have_attribute("open", "")
        office.post(f"/v1/agent/sessions/{session}/turns", text="What is late?")
        expect(page.locator("li.turn .reply")).to_have_count(2, timeout=LIVE_MS)
        expect(page.locator("#agent-usage")).to_contain_text("von 200 Fragen")
        expect(first.locator("details.tools")).to_have_attribute("open", "")
        assert sideways_overflow(page) <= 0


def test_the_page_works_without_scripts(demo_server: str, office: DemoApi, browser: Browser) -> None:
    with open_page(browser, demo_server, "employee", java_script_enabled=False) as page:
        page.goto("/desk/agent")
        page.get_by_role("button", name="Pending approvals").click()
        page.wait_for_url("**/desk/agent/*")
        turn = page.locator("li.turn")
        expect(turn).to_contain_text("Pending approvals")
        for _ in range(300):
            if turn.locator(".reply").count():
                break
            page.wait_for_timeout(200)
            page.reload()
        expect(turn.locator(".reply")).to_be_visible()
