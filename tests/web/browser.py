"""A real browser on a real server: Chromium, driven over its own protocol, and small makers of what it looks at."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from scripts.browser import chromium

CHROMIUM = chromium()
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: `make browser` brings one")
PASSWORD = "haulier-demo"
CONSIGNEE = {"name": "Zoë", "address": "1 King St W", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}
DESK_SIZE, PHONE_SIZE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(browser: Browser, base: str, **words: Any) -> Iterator[Page]:
    """A page of a person of its own, in English on a desk unless said otherwise. What the browser complains of fails it."""
    plain: dict[str, Any] = {"base_url": base, "viewport": DESK_SIZE, "locale": "en-GB", "reduced_motion": "reduce"}
    context: BrowserContext = browser.new_context(**{**plain, **words})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None)
    try:
        yield page
        assert complaints == []
    finally:
        context.close()


def sign_in_by_form(page: Page, who: str, then: str = "/mcp-approvals") -> None:
    """Through the form, as a person does."""
    page.goto(f"/sign-in?next={then}")
    page.fill("#email", f"{who}@demo.example")
    page.fill("#password", PASSWORD)
    page.locator("#password").press("Enter")
    page.wait_for_url(f"**{then}")


class DemoApi:
    """The public doors, as one of the demo's people."""

    def __init__(self, base: str, who: str) -> None:
        body = {"email": f"{who}@demo.example", "password": PASSWORD}
        token = httpx.post(f"{base}/api/v1/user/login", json=body).raise_for_status().json()["access_token"]
        self._http = httpx.Client(base_url=f"{base}/api", headers={"Authorization": f"Bearer {token}"})

    def get(self, path: str, **params: Any) -> Any:
        """What a read answers."""
        return self._http.get(path, params=params).raise_for_status().json()

    def post(self, path: str, **body: Any) -> Any:
        """What a write answers."""
        return self._http.post(path, json=body).raise_for_status().json()

    def an_order(self) -> Any:
        """A new order."""
        return self.post("/v1/client/orderCreate", consignee=CONSIGNEE)["order"]

    def a_proposal(self, note: str = "please") -> int:
        """A new order that somebody wants held; the number of the proposal."""
        asked = {"order_id": self.an_order()["id"]}
        return self.post("/v1/approvals", tool="hold_order", arguments=asked, note=note)["approval"]["id"]

    def status_of(self, approval: int) -> str:
        """How a proposal stands."""
        return self.get(f"/v1/approvals/{approval}")["approval"]["status"]


def sideways_overflow(page: Page) -> int:
    """By how many pixels a page can be scrolled sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
