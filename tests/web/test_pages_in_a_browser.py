"""All pages in a real browser: in both modes, on desk and phone, in every language, without faults that axe can find."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.live import a_server
from tests.web.browser import (
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    needs_chromium,
    open_browser,
    open_page,
    sideways_overflow,
    sign_in_by_form,
)

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

pytestmark = needs_chromium
OPEN = ("/", "/sign-in", "/forgotten-password", "/reset-password", "/invitation", "/track", "/api/docs")
INSIDE = (
    *("/mcp-approvals", "/mcp-approvals/1", "/mcp-approvals?status=expired", "/mcp-approvals/999999"),
    *("/dispatch", "/dispatch/list"),
)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with a_server(tmp_path_factory.mktemp("pages")) as address:
        DemoApi(address, "employee").a_proposal()
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


def a_journey(base: str) -> str:
    return f"/track/{DemoApi(base, 'admin').get('/v1/orders', status='DELIVERED')['orders'][0]['tracking_number']}"


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_nothing_is_wider_than_a_phone(base: str, browser: Browser, language: str) -> None:
    with open_page(browser, base, viewport=PHONE_SIZE, locale=language) as page:
        wide: dict[str, int] = {}
        for path in (*OPEN, a_journey(base)):
            page.goto(path)
            wide[path] = sideways_overflow(page)
        sign_in_by_form(page, "admin")
        for path in INSIDE:
            page.goto(path)
            wide[path] = sideways_overflow(page)
    assert {path: pixels for path, pixels in wide.items() if pixels} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK_SIZE, PHONE_SIZE], ids=["desk", "phone"])
def test_axe_finds_no_fault(base: str, browser: Browser, scheme: str, viewport: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    found: dict[str, Any] = {}

    def look(page: Page, path: str) -> None:
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach((each, at) => { each.open = at < 20 })")
        told = axe.run(page, options={"runOnly": RULES}).response["violations"]
        if told:
            found[path] = [(each["id"], each["nodes"][0]["html"]) for each in told]

    with open_page(browser, base, color_scheme=scheme, viewport=viewport) as page:
        for path in (*OPEN, a_journey(base)):
            look(page, path)
        sign_in_by_form(page, "admin")
        for path in INSIDE:
            look(page, path)
    assert found == {}


@pytest.mark.parametrize("path", ["/", "/sign-in", "/track"])
def test_dark_mode_is_dark(base: str, browser: Browser, path: str) -> None:
    ground = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    brightness: list[int] = []
    for scheme in ("light", "dark"):
        with open_page(browser, base, color_scheme=scheme) as page:
            page.goto(path)
            brightness.append(sum(page.evaluate(ground)))
    assert brightness[0] > 600 > 150 > brightness[1]


def test_the_first_stop_of_the_tab_key_skips_to_the_content(base: str, browser: Browser) -> None:
    with open_page(browser, base) as page:
        page.goto("/sign-in")
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_in_viewport()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "email"


def test_the_code_of_a_link_goes_into_the_form_and_out_of_the_address(base: str, browser: Browser) -> None:
    with open_page(browser, base) as page:
        page.goto("/reset-password#hlreset_a-code-that-is-long-enough")
        assert page.input_value("#token") == "hlreset_a-code-that-is-long-enough"
        expect(page.locator("#field-token")).to_be_hidden()
        assert page.url == f"{base}/reset-password"


def test_an_invitation_opens_by_its_link_alone(base: str, browser: Browser) -> None:
    sent: list[str] = []
    with open_page(browser, base) as page:
        page.on("request", lambda request: sent.append(request.url))
        page.goto("/invitation#hlinvitation_a-code-that-is-long-enough")
        expect(page.locator(".notice")).to_contain_text("This invitation is not valid")
        assert page.url == f"{base}/invitation"
    assert [url for url in sent if "long-enough" in url.partition("#")[0]] == []


def test_a_password_can_be_looked_at(base: str, browser: Browser) -> None:
    with open_page(browser, base) as page:
        page.goto("/sign-in")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("#password")).to_have_attribute("type", "text")


def test_the_tracking_page_follows_a_parcel_live(base: str, browser: Browser) -> None:
    admin = DemoApi(base, "admin")
    order = admin.an_order()
    with open_page(browser, base) as page:
        page.goto(f"/track/{order['tracking_number']}")
        expect(page.locator("#live")).to_be_visible()
        page.evaluate("window.same = true")
        before = page.locator(".events li").count()
        admin.post(f"/v1/orders/{order['id']}/hold")
        expect(page.locator(".events li")).not_to_have_count(before)
        expect(page.locator("#parcel h1")).to_have_text(page.locator(".events li strong").first.inner_text())
        assert page.evaluate("window.same"), "the page was not loaded anew"
