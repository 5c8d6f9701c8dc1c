"""The documentation site under the content-security policy of the product."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from scripts.docs_site.build import build_site_if_stale
from tests.web.browser import DESK_SIZE, PHONE_SIZE, needs_chromium, open_page, sideways_overflow

PAGES = ("/docs/", "/docs/desk/take-orders/", "/docs/reference/operations/orders/", "/docs/reference/errors/")


@pytest.fixture(scope="module")
def documented(demo_server: str) -> str:
    """The address of a server of a checkout with a built site."""
    build_site_if_stale()
    return demo_server


def ask(page: Page, words: str) -> None:
    page.fill("input[name=query]", words)


@needs_chromium
def test_pages_fit_the_screen_and_request_no_other_origin(browser: Browser, documented: str) -> None:
    with open_page(browser, documented) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for size in (DESK_SIZE, PHONE_SIZE):
            page.set_viewport_size(size)
            for address in PAGES:
                page.goto(address)
                assert sideways_overflow(page) == 0, address
        assert [url for url in asked if not url.startswith((documented, "data:"))] == []


@needs_chromium
def test_the_search_finds_a_guide_and_an_error_code(browser: Browser, documented: str) -> None:
    with open_page(browser, documented) as page:
        page.goto("/docs/")
        ask(page, "How do I print a label?")
        first = page.locator(".md-search-result__link").first
        expect(first).to_have_attribute("href", re.compile(r"/docs/ship/labels/"), timeout=60_000)
        page.goto("/docs/")
        ask(page, "IDEMPOTENCY_KEY_REUSED")
        of_the_code = page.locator(".md-search-result__link[href$='#idempotency_key_reused']")
        expect(of_the_code).to_have_count(1, timeout=60_000)


@needs_chromium
def test_the_reader_can_choose_light_or_dark_mode(browser: Browser, documented: str) -> None:
    with open_page(browser, documented, color_scheme="dark") as page:
        page.goto("/docs/")
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
        page.locator("label.md-header__button[title='Use light mode']").click()
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
        page.goto("/docs/deliver/")
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
