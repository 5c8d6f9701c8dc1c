"""Security headers of every response."""

from typing import Any

import pytest
from tests.support.app import App

from haulier.api.security_headers import SecurityHeadersMiddleware

EVERYWHERE = pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/tracking/HL0"),
        ("GET", "/api/v1/orders"),
        ("POST", "/graphql"),
        ("POST", "/ai/tools"),
        ("GET", "/healthz"),
        ("GET", "/track"),
        ("GET", "/nowhere"),
    ],
)


@EVERYWHERE
async def test_responses_are_neither_sniffed_nor_cached(app: App, method: str, path: str) -> None:
    headers = (await app.http.request(method, path)).headers
    assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


async def test_page_assets_can_be_cached(app: App) -> None:
    assert (await app.http.get("/static/app.css")).headers["cache-control"] == "public, max-age=3600"


@pytest.mark.parametrize("https", [True, False])
async def test_hsts_is_sent_only_over_https(https: bool) -> None:
    sent: list[dict[str, Any]] = []

    async def quiet(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    await SecurityHeadersMiddleware(quiet, https=https)({"type": "http"}, None, send)  # type: ignore[arg-type]
    assert (b"strict-transport-security" in dict(sent[0]["headers"])) is https


@pytest.mark.parametrize("path", ["/track", "/sign-in", "/go", "/handheld"])
async def test_pages_are_isolated_from_their_openers_and_restrict_browser_features(app: App, path: str) -> None:
    headers = (await app.http.get(path, follow_redirects=True)).headers
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "geolocation=(self)" in headers["permissions-policy"]
    assert "microphone=()" in headers["permissions-policy"]


async def test_an_authorization_popup_keeps_its_opener(app: App) -> None:
    page = await app.http.get("/sign-in", params={"next": "/oauth/authorize?client_id=1"})
    assert page.headers["cross-origin-opener-policy"] == "unsafe-none"
