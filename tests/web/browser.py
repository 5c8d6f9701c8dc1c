"""Chromium on a real server, driven over DevTools, and makers of test records."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright
from scripts.browser import chromium

from haulier.web.session import PLAIN_SESSION_COOKIE

CHROMIUM = chromium()
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: `make browser` brings one")
PATIENCE_S = 60
"""On a busy machine a page may take longer than the default of a few seconds."""
expect.set_options(timeout=PATIENCE_S * 1000)
PASSWORD = "haulier-demo"
CONSIGNEE = {
    "name": "Zoë",
    "address": "Kaivokatu 8",
    "city": "Helsinki",
    "country": "FI",
    "lat": 60.1701,
    "lng": 24.9412,
}
DESK_SIZE = ViewportSize(width=1280, height=900)
PHONE_SIZE = ViewportSize(width=390, height=844)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
"""The rules among those that look at colours. The others say the same in light and in dark."""
ALL_BUT_COLOURS = {"runOnly": RULES, "rules": {rule: {"enabled": False} for rule in COLOUR_RULES}}
COLOURS = {"runOnly": {"type": "rule", "values": COLOUR_RULES}}
RUN_AXE = """options => axe.run({ ...options, resultTypes: ["violations"] })
  .then((told) => told.violations.map((fault) => [fault.id, fault.nodes[0].html]))"""
DROP_ALIKE = """() => {
  const known = new Set();
  for (const each of document.querySelectorAll("details.operation:not([open])")) {
    const parts = [...each.querySelectorAll("summary *")].map((part) => `${part.tagName} ${part.className}`);
    if (parts.every((part) => known.has(part))) each.remove();
    parts.forEach((part) => known.add(part));
  }
}"""
"""Takes the closed operations out of the reference that look as one before does, to the styles: there are hundreds."""


SHOWN = """scope => navigator.serviceWorker.getRegistration(scope).then((worker) => worker.getNotifications())
  .then(([one]) => one && ({ title: one.title, body: one.body, tag: one.tag, page: one.data.page }))"""
"""The notification that the worker of a scope shows."""


@contextmanager
def open_browser() -> Generator[Browser]:
    """Chromium without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(browser: Browser, base: str, who: str | None = None, **words: Any) -> Generator[Page]:
    """Open a page of a user, in English at desktop size by default.

    Browser errors fail it. With `who`, a demo user is already signed in; tests of signing in use `sign_in_by_form`.
    """
    plain: dict[str, Any] = {"base_url": base, "viewport": DESK_SIZE, "locale": "en-GB", "reduced_motion": "reduce"}
    context: BrowserContext = browser.new_context(**{**plain, **words})
    context.set_default_timeout(PATIENCE_S * 1000)
    if who:
        context.add_cookies([{"name": PLAIN_SESSION_COOKIE, "value": token_of(base, who), "url": base}])
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


@cache
def token_of(base: str, who: str) -> str:
    """Return a session token of a demo user, who signs in once per server."""
    body = {"email": f"{who}@demo.example", "password": PASSWORD}
    return httpx.post(f"{base}/api/v1/user/login", json=body, timeout=60).raise_for_status().json()["access_token"]


class DemoApi:
    """The public doors, as one of the demo's people."""

    def __init__(self, base: str, who: str) -> None:
        self._http = httpx.Client(
            base_url=f"{base}/api", headers={"Authorization": f"Bearer {token_of(base, who)}"}, timeout=60
        )

    def get(self, path: str, **params: Any) -> Any:
        """Return the response of a read."""
        return self._http.get(path, params=params).raise_for_status().json()

    def post(self, path: str, **body: Any) -> Any:
        """Return the response of a POST."""
        return self._http.post(path, json=body).raise_for_status().json()

    def put(self, path: str, **body: Any) -> Any:
        """Return the response of a PUT."""
        return self._http.put(path, json=body).raise_for_status().json()

    def make_order(self) -> Any:
        """A new order."""
        return self.post("/v1/client/orderCreate", consignee=CONSIGNEE)["order"]

    def make_proposal(self, note: str = "please") -> int:
        """Propose to hold a new order; return the number of the proposal."""
        asked = {"order_id": self.make_order()["id"]}
        return self.post("/v1/approvals", tool="hold_order", arguments=asked, note=note)["approval"]["id"]

    def status_of(self, approval: int) -> str:
        """Return the status of a proposal."""
        return self.get(f"/v1/approvals/{approval}")["approval"]["status"]


def answer_in_page(page: Page, script: str) -> Any:
    """Return the result of a script once it is not empty, within a minute.

    The page's own wait accepts any promise as a result.
    """
    ends = time.monotonic() + PATIENCE_S
    while not (answer := page.evaluate(script)):
        assert time.monotonic() < ends, script
        page.wait_for_timeout(50)
    return answer


def reload_until(page: Page, text: str) -> None:
    """Reload a page until it shows the result of background work, within a minute."""
    ends = time.monotonic() + PATIENCE_S
    while page.get_by_text(text).count() == 0:
        assert time.monotonic() < ends, f"the page does not say: {text}"
        page.wait_for_timeout(200)
        page.reload()


def deliver_push(page: Page, base: str, scope: str, told: dict[str, Any]) -> Any:
    """Deliver a push to the service worker of a scope; return the notification shown."""
    devtools = page.context.new_cdp_session(page)
    registered: dict[str, str] = {}
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda said: registered.update({each["scopeURL"]: each["registrationId"] for each in said["registrations"]}),
    )
    devtools.send("ServiceWorker.enable")
    ends = time.monotonic() + PATIENCE_S
    while base + scope not in registered and time.monotonic() < ends:
        page.wait_for_timeout(50)
    push = {"origin": base, "registrationId": registered[base + scope], "data": json.dumps(told)}
    shown = None
    # Repeat: pushes before the worker is active may be lost. A second one replaces the first by its tag.
    while not shown and time.monotonic() < ends:
        devtools.send("ServiceWorker.deliverPushMessage", push)
        page.wait_for_timeout(200)
        shown = page.evaluate(SHOWN, scope)
    return shown


def sideways_overflow(page: Page) -> int:
    """By how many pixels a page can be scrolled sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def axe_faults(page: Page, *sizes: Any) -> dict[str, list[Any]]:
    """Return the axe findings of a loaded page at every size and mode.

    The first look is at all of the page. What looks alike is looked at once from then on.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page.evaluate(axe.axe_script)
    found: dict[str, list[Any]] = {}
    looks: tuple[tuple[Literal["light", "dark"], Any], ...]
    looks = (("light", ALL_BUT_COLOURS), ("light", COLOURS), ("dark", COLOURS))
    for scheme, options in looks:
        page.emulate_media(color_scheme=scheme)
        for size in sizes:
            page.set_viewport_size(size)
            if told := page.evaluate(RUN_AXE, options):
                found.setdefault(f"{scheme} {size['width']}", []).extend(told)
            page.evaluate(DROP_ALIKE)
    return found


def brightness(page: Page, scheme: Any) -> int:
    """Return the brightness of the page background: red plus green plus blue."""
    page.emulate_media(color_scheme=scheme)
    return sum(page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"))
