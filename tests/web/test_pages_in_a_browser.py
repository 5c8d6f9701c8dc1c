"""All pages in a browser: modes, sizes and languages, without axe findings."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import (
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    axe_faults,
    brightness,
    needs_chromium,
    open_page,
    sideways_overflow,
)

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

pytestmark = needs_chromium
OPEN = ("/", "/sign-in", "/forgotten-password", "/reset-password", "/invitation", "/track")
REFERENCE = "/api/docs"
FAR_PLACES = (
    {"city": "Helsinki", "country": "FI", "lat": 60.2, "lng": 24.9},
    {"city": "Oulu", "country": "FI", "lat": 65.0, "lng": 25.5},
)
INSIDE = (
    *("/mcp-approvals", "/mcp-approvals/{proposal}", "/mcp-approvals?status=expired", "/mcp-approvals/999999"),
    *("/dispatch", "/dispatch/list", "/orders/{delivered}/proof"),
    *("/desk", "/desk/orders", "/desk/orders/{delivered}", "/desk/new-order"),
)


@pytest.fixture(scope="module")
def base(demo_server: str) -> str:
    return demo_server


@pytest.fixture(scope="module")
def journey(base: str) -> str:
    """Return the page of a delivered parcel, without live updates."""
    return f"/track/{DemoApi(base, 'admin').get('/v1/orders', status='DELIVERED')['orders'][0]['tracking_number']}"


@pytest.fixture(scope="module")
def inside(base: str) -> list[str]:
    """The pages for those who are signed in, one of them of a proposal that waits."""
    proposal = DemoApi(base, "employee").make_proposal()
    delivered = DemoApi(base, "admin").get("/v1/orders", status="DELIVERED")["orders"][0]["id"]
    return [path.format(proposal=proposal, delivered=delivered) for path in INSIDE]


@pytest.fixture(scope="module")
def pages(journey: str, inside: list[str]) -> list[tuple[str | None, str]]:
    """Every page but the reference, with whom it is for."""
    return [*((None, path) for path in (*OPEN, journey)), *(("admin", path) for path in inside)]


def visit(browser: Browser, base: str, pages: list[tuple[str | None, str]], **words: Any) -> Iterator[tuple[str, Page]]:
    """Each page once, loaded, with its path."""
    for who, group in groupby(pages, key=itemgetter(0)):
        with open_page(browser, base, who, **words) as page:
            for _, path in group:
                page.goto(path)
                yield path, page


def test_pages_fit_a_phone(base: str, browser: Browser, pages: list[tuple[str | None, str]]) -> None:
    wide: dict[str, int] = {}
    for language in SUPPORTED_LANGUAGES:
        # The reference is in English only, in the common frame, and takes long to load.
        asked = [*pages, (None, REFERENCE)] if language == "en" else pages
        for path, page in visit(browser, base, asked, viewport=PHONE_SIZE, locale=language):
            wide[f"{language} {path}"] = sideways_overflow(page)
    assert {page: pixels for page, pixels in wide.items() if pixels} == {}


def test_axe_finds_no_violations(base: str, browser: Browser, pages: list[tuple[str | None, str]]) -> None:
    found: dict[str, Any] = {}
    for path, page in visit(browser, base, [(None, REFERENCE), *pages]):
        page.evaluate("document.querySelectorAll('details').forEach((each, at) => { each.open = at < 20 })")
        if faults := axe_faults(page, DESK_SIZE, PHONE_SIZE):
            found[path] = faults
        page.set_viewport_size(DESK_SIZE)
    assert found == {}


def test_dark_mode_is_dark(base: str, browser: Browser) -> None:
    with open_page(browser, base) as page:
        for path in ("/", "/sign-in", "/track"):
            page.goto(path)
            assert brightness(page, "light") > 600 > 150 > brightness(page, "dark"), path


@pytest.fixture(scope="module")
def far_journey(base: str) -> str:
    """Return the page of a carrier's parcel that travels through the country."""
    key = DemoApi(base, "admin").post("/v1/otep/providers", name="Swift Post")["key"]
    source = {"type": "carrier", "name": "Swift Post"}
    events = [
        {"occurred_at": f"2026-06-0{day}T09:00:00Z", "status_code": "in_transit", "source": source, "location": place}
        for day, place in enumerate(FAR_PLACES, 1)
    ]
    timeline = {"subject": {"tracking_number": "SP-FAR-1"}, "events": events}
    pushed = httpx.post(f"{base}/api/v1/otep/ingest", json=timeline, headers={"Authorization": f"Bearer {key}"})
    pushed.raise_for_status()
    return "/track/SP-FAR-1"


def test_the_locations_of_a_far_journey_are_on_a_map_that_fits_a_phone(
    base: str, browser: Browser, far_journey: str
) -> None:
    with open_page(browser, base, viewport=PHONE_SIZE) as page:
        page.goto(f"{far_journey}?lang=de")
        expect(page.locator("#map-section")).to_be_visible()
        still = page.locator("#map svg.still").bounding_box() or {}
        assert still["width"] > 200
        assert still["x"] + still["width"] <= PHONE_SIZE["width"]
        assert page.evaluate("performance.getEntriesByType('resource').every(({ name }) => !name.includes('/vendor/'))")
        page.locator("#move-map").click()
        expect(page.locator("#map .map-mark").first).to_be_visible()
        drawn = page.locator("#map[data-drawn]").bounding_box() or {}
        assert drawn["width"] > 200
        assert drawn["x"] + drawn["width"] <= PHONE_SIZE["width"]


def test_the_first_tab_stop_skips_to_the_content(base: str, browser: Browser) -> None:
    with open_page(browser, base) as page:
        page.goto("/sign-in")
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_in_viewport()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "email"


def test_the_code_of_a_link_moves_into_the_form_and_out_of_the_url(base: str, browser: Browser) -> None:
    with open_page(browser, base) as page:
        page.goto("/reset-password#hlreset_a-code-that-is-long-enough")
        assert page.input_value("#token") == "hlreset_a-code-that-is-long-enough"
        expect(page.locator("#field-token")).to_be_hidden()
        assert page.url == f"{base}/reset-password"


def test_an_invitation_opens_from_its_link_alone(base: str, browser: Browser) -> None:
    sent: list[str] = []
    with open_page(browser, base) as page:
        page.on("request", lambda request: sent.append(request.url))
        page.goto("/invitation#hlinvitation_a-code-that-is-long-enough")
        expect(page.locator(".notice")).to_contain_text("This invitation was used")
        assert page.url == f"{base}/invitation"
    assert [url for url in sent if "long-enough" in url.partition("#")[0]] == []


def test_a_password_can_be_revealed(base: str, browser: Browser) -> None:
    with open_page(browser, base) as page:
        page.goto("/sign-in")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("#password")).to_have_attribute("type", "text")


def test_the_tracking_page_updates_live(base: str, browser: Browser) -> None:
    admin = DemoApi(base, "admin")
    order = admin.make_order()
    with open_page(browser, base) as page:
        page.goto(f"/track/{order['tracking_number']}")
        expect(page.locator("#live")).to_be_visible()
        page.evaluate("window.same = true")
        before = page.locator(".events li").count()
        admin.post(f"/v1/orders/{order['id']}/hold")
        expect(page.locator(".events li")).not_to_have_count(before)
        expect(page.locator("#parcel h1")).to_have_text(page.locator(".events li strong").first.inner_text())
        assert page.evaluate("window.same"), "the page was not loaded anew"


def test_the_desk_can_be_used_by_keyboard(base: str, browser: Browser) -> None:
    with open_page(browser, base, "admin") as page:
        page.goto("/desk/orders")
        for key in ("j", "j", "x"):
            page.keyboard.press(key)
        expect(page.locator("#ticked")).to_have_text("1")
        expect(page.locator('tbody tr:nth-child(2) input[name="pick"]')).to_be_checked()
        page.keyboard.press("Control+k")
        page.keyboard.type("dana")
        expect(page.locator("#palette-found a").first).to_contain_text("Dana")
        page.keyboard.press("Enter")
        page.wait_for_url("**/desk/drivers/*")
        page.goto("/desk/orders?status=NEW_ORDER")
        page.locator("tr[data-id] a").first.click()
        expect(page.locator("#drawer-place #record")).to_be_visible()
        page.keyboard.press("c")
        page.wait_for_url("**/desk/act/correct_order?*")
        page.goto("/desk/new-order")
        page.fill('[name="consignee.city"]', "Toronto")
        expect(page.locator("#price")).to_contain_text("€")


def test_fitting_routes_are_suggested_while_the_date_is_entered(base: str, browser: Browser) -> None:
    with open_page(browser, base, "admin") as page:
        page.goto("/desk/new-order?consignee.lat=43.65&consignee.lng=-79.38&scheduled_date=2030-01-01")
        expect(page.locator("#routes")).to_contain_text("No route on this day")
        page.fill('[name="scheduled_date"]', "")
        expect(page.locator("#routes")).not_to_contain_text("2030")
        assert not axe_faults(page)


def test_a_query_can_be_found_and_run_by_keyboard_and_shows_its_error(base: str, browser: Browser) -> None:
    with open_page(browser, base, "admin") as page:
        page.goto("/api/docs/graphql")
        page.fill("#find", "list depots")
        page.locator("#fields a:visible").first.click()
        page.wait_for_url("**/graphql?field=depots")
        expect(page.locator("#document")).to_have_value(re.compile("^query Depots"))
        page.keyboard.press("Control+Enter")
        expect(page.locator("#answer")).to_contain_text('"depots"')
        page.fill("#document", "{\n  depots { nonsense }\n}")
        page.keyboard.press("Control+Enter")
        page.locator("#faults button").click()
        assert (
            page.evaluate(
                "getSelection().toString() || document.activeElement.value.slice("
                "document.activeElement.selectionStart, document.activeElement.selectionEnd)"
            )
            == "nonsense }"
        )
        assert not axe_faults(page, DESK_SIZE, PHONE_SIZE)
