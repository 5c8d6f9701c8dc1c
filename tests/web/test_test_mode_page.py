"""Test mode at the desk: open it, see the banner, go back and sign out."""

import re
from http.cookies import SimpleCookie

import httpx
from tests.contexts.control_tower.simulated_business.steps import open_test_mode
from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import Checked, get_page, page_text

BANNER = "Shipments, messages and payments are simulated."


class Browser:
    """A browser in which the admin is signed in.

    It ignores when cookies end, because the clock of tests stands still.
    """

    def __init__(self, app: App, token: str) -> None:
        self.app, self.cookies = app, {"haulier_session": token}

    async def get(self, path: str) -> httpx.Response:
        return await self._send("GET", path)

    async def post(self, path: str, **fields: str) -> httpx.Response:
        """Send a form of the settings page or the banner."""
        csrf = re.search(r'name="csrf" value="([^"]+)"', (await self.get("/desk/settings")).text)
        assert csrf
        return await self._send("POST", path, data={"csrf": csrf[1], **fields})

    async def _send(self, method: str, path: str, **words: dict[str, str]) -> httpx.Response:
        told = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        answer = await self.app.http.request(method, path, headers=told, **words)
        for line in answer.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = "" if morsel["max-age"] == "0" else morsel.value
        self.app.http.cookies.clear()
        return answer


async def open_browser(app: App) -> Browser:
    return Browser(app, app.tokens[await app.sign_in("admin")])


async def test_the_desk_switches_to_test_mode_and_back(app: App) -> None:
    browser = await open_browser(app)
    assert BANNER not in page_text(await browser.get("/desk"))
    opened = await browser.post("/test-mode")
    assert (opened.status_code, opened.headers["location"]) == (303, "/desk")
    page = await browser.get("/desk")
    assert BANNER in page_text(page)
    assert Checked(page.text).faults == []
    assert "Open test mode" not in page_text(await browser.get("/desk/settings"))
    left = await browser.post("/test-mode/leave")
    assert left.headers["location"] == "/desk"
    assert BANNER not in page_text(await browser.get("/desk"))


async def test_signing_out_in_test_mode_ends_the_live_session_too(app: App) -> None:
    browser = await open_browser(app)
    await browser.post("/test-mode")
    app.tokens["in test"] = browser.cookies["haulier_session"]
    await browser.post("/sign-out")
    assert not any(browser.cookies[name] for name in ("haulier_session", "haulier_live_session"))
    assert [(await app.call(who, "who_am_i")).status for who in ("admin signed in", "in test")] == [401, 401]


async def test_a_form_of_another_site_does_not_open_test_mode(app: App) -> None:
    browser = await open_browser(app)
    assert (await browser.post("/test-mode", csrf="x")).status_code == 403
    assert BANNER not in page_text(await browser.get("/desk"))


async def test_settings_offer_test_mode_to_staff(app: App) -> None:
    assert "Open test mode" in page_text(await get_page(app, "/desk/settings", "employee"))


REMOVE = "Remove sample data"


async def test_one_click_loads_sample_data_and_one_removes_it(app: App) -> None:
    browser = await open_browser(app)
    loaded = await browser.post("/test-mode/sample-data")
    assert (loaded.status_code, loaded.headers["location"]) == (303, "/desk")
    for path in ("/desk", "/desk/orders", "/dispatch"):
        page = await browser.get(path)
        assert REMOVE in page_text(page), path
        assert Checked(page.text).faults == []
    assert "Get ready to deliver" not in page_text(await browser.get("/desk"))
    assert "SAMPLE-01" in (await browser.get("/desk/orders")).text
    removed = await browser.post("/test-mode/sample-data/remove")
    assert (removed.status_code, removed.headers["location"]) == (303, "/desk")
    live = page_text(await browser.get("/desk/orders"))
    assert (REMOVE in live, BANNER in live, "SAMPLE-01" in live) == (False, False, False)


async def test_sample_data_is_offered_in_settings_to_admins(app: App) -> None:
    assert "Load sample data" in page_text(await get_page(app, "/desk/settings", "admin"))
    assert "Load sample data" not in page_text(await get_page(app, "/desk/settings", "employee"))


async def test_sample_data_is_refused_beside_other_test_data(app: App) -> None:
    browser = await open_browser(app)
    await make_order(app, await open_test_mode(app))
    refused = await browser.post("/test-mode/sample-data")
    assert refused.status_code == 409
    assert "already has records" in page_text(refused)
    assert BANNER not in page_text(await browser.get("/desk")), "the browser stays in live mode"


async def test_a_form_of_another_site_loads_and_removes_no_sample_data(app: App) -> None:
    browser = await open_browser(app)
    assert (await browser.post("/test-mode/sample-data", csrf="x")).status_code == 403
    await browser.post("/test-mode/sample-data")
    assert (await browser.post("/test-mode/sample-data/remove", csrf="x")).status_code == 403
    assert REMOVE in page_text(await browser.get("/desk"))
