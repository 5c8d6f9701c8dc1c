"""Browser headers: foreign pages can neither frame Haulier nor read its responses."""

import pytest
from tests.support.app import App, make_app

from haulier.settings import InvalidSetting, load_settings

ELSEWHERE = "https://evil.example"


@pytest.mark.parametrize("path", ["/api/v1/user/me", "/graphql", "/api/v1/tracking/HL0"])
@pytest.mark.parametrize("method", ["OPTIONS", "GET", "POST"])
async def test_a_page_of_another_origin_is_refused(app: App, method: str, path: str) -> None:
    asked = {"Origin": ELSEWHERE, "Access-Control-Request-Method": "POST"}
    answer = await app.http.request(method, path, headers=asked)
    assert not [name for name in answer.headers if name.startswith("access-control-")]


SHOP, APP = "https://shop.example", "https://app.example:8443"


@pytest.mark.parametrize("path", ["/api/v1/user/me", "/graphql"])
async def test_only_a_listed_origin_can_call_and_read(database_url: str, path: str) -> None:
    async with make_app(database_url, origins=f"{SHOP},{APP}") as app:
        method = "GET" if path.startswith("/api") else "POST"
        words = {"json": {"query": "{ whoAmI { result } }"}} if method == "POST" else {}
        wish = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": "authorization"}
        token = {"Authorization": f"Bearer {app.tokens['admin']}"}
        for origin, let_in in ((SHOP, True), (APP, True), (ELSEWHERE, False), ("https://shop.example.evil", False)):
            asked = await app.http.options(path, headers={"Origin": origin, **wish})
            answer = await app.http.request(method, path, headers={"Origin": origin, **token}, **words)
            allowed = {each.headers.get("access-control-allow-origin") for each in (asked, answer)}
            assert allowed == ({origin} if let_in else {None})
            assert answer.status_code == 200
            assert "Origin" in answer.headers["vary"]
            assert "access-control-allow-credentials" not in answer.headers


async def test_a_shop_can_show_a_parcel_where_all_origins_are_allowed(database_url: str) -> None:
    async with make_app(database_url, origins="*") as app:
        answer = await app.http.get("/api/v1/otep/codebook", headers={"Origin": SHOP})
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "ETag" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("origins", ["shop.example", "https://shop.example/", "*,https://a.example", "https://a b"])
def test_an_invalid_origin_setting_prevents_startup(origins: str) -> None:
    with pytest.raises(InvalidSetting, match="origins"):
        load_settings(origins=origins)


async def test_a_token_is_never_read_from_a_cookie_or_a_url(app: App) -> None:
    token = app.tokens["admin"]
    path = "/api/v1/user/me"
    assert (await app.http.get(path, headers={"Authorization": f"Bearer {token}"})).status_code == 200
    assert (await app.http.get(path, params={"access_token": token})).status_code == 401
    assert (await app.http.get(path, headers={"Cookie": f"access_token={token}; token={token}"})).status_code == 401


@pytest.mark.parametrize("path", ["/", "/api/docs"])
async def test_pages_cannot_be_embedded_by_other_sites(app: App, path: str) -> None:
    headers = (await app.http.get(path)).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert (policy["default-src"], policy["frame-ancestors"], policy["base-uri"]) == ("'self'", "'none'", "'none'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/api/v1/user/me", "/api/v1/nowhere", "/graphql"])
async def test_every_response_states_its_content_type(app: App, path: str) -> None:
    answer = await app.http.post(path, json={"query": "{ whoAmI { result } }"})
    assert answer.headers["content-type"].startswith("application/")
    assert "server" not in answer.headers
