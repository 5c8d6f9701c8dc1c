"""What browsers are told: pages keep to themselves, and nobody else's page may read our answers."""

import pytest
from tests.app import App

ELSEWHERE = "https://evil.example"


@pytest.mark.parametrize("path", ["/api/v1/user/me", "/graphql", "/api/v1/tracking/HL0"])
@pytest.mark.parametrize("method", ["OPTIONS", "GET", "POST"])
async def test_a_page_of_another_origin_is_not_let_in(app: App, method: str, path: str) -> None:
    asked = {"Origin": ELSEWHERE, "Access-Control-Request-Method": "POST"}
    answer = await app.http.request(method, path, headers=asked)
    assert not [name for name in answer.headers if name.startswith("access-control-")]


async def test_a_token_is_never_taken_from_a_cookie_or_an_address(app: App) -> None:
    token = app.tokens["admin"]
    path = "/api/v1/user/me"
    assert (await app.http.get(path, headers={"Authorization": f"Bearer {token}"})).status_code == 200
    assert (await app.http.get(path, params={"access_token": token})).status_code == 401
    assert (await app.http.get(path, headers={"Cookie": f"access_token={token}; token={token}"})).status_code == 401


@pytest.mark.parametrize("path", ["/", "/api/docs"])
async def test_every_page_keeps_to_itself(app: App, path: str) -> None:
    headers = (await app.http.get(path)).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert (policy["default-src"], policy["frame-ancestors"], policy["base-uri"]) == ("'self'", "'none'", "'none'")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/api/v1/user/me", "/api/v1/nowhere", "/graphql"])
async def test_an_answer_says_what_it_is(app: App, path: str) -> None:
    answer = await app.http.post(path, json={"query": "{ whoAmI { result } }"})
    assert answer.headers["content-type"].startswith("application/")
    assert "server" not in answer.headers
