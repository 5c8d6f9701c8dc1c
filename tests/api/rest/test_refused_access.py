"""Rejected callers receive the reason and how to get access."""

from typing import Any

from tests.support.app import App

PLACE = {"name": "Yard", "address": "1 Front St", "lat": 43.64, "lng": -79.38}


async def refused(app: App, who: str | None, path: str, **headers: str) -> tuple[int, dict[str, Any], str | None]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await app.rest(who, "POST", path, PLACE, headers=sent)
    return answer.status_code, answer.json(), answer.headers.get("www-authenticate")


async def test_an_unknown_scope_is_refused_with_the_existing_ones(app: App) -> None:
    status, error, _ = await refused(app, "admin", "/v1/depots", X_MCP_Scopes="routes:write, bogus:x")
    assert (status, error["code"], error["errors"][0]["field"]) == (422, "UNKNOWN_SCOPE", "X-MCP-Scopes")
    assert "bogus:x" in error["message"]
    assert "routes:write" in error["errors"][0]["message"]


async def test_a_header_that_omits_a_required_scope_is_named(app: App) -> None:
    for header, value in (("X_MCP_Profile", "ops-readonly"), ("X_MCP_Scopes", "orders:read")):
        status, error, challenge = await refused(app, "admin", "/v1/depots", **{header: value})
        assert (status, error["code"], challenge) == (403, "SCOPE_NARROWED", None)
        assert f"the header {header.replace('_', '-')}: {value}" in error["message"]


async def test_a_scope_missing_from_the_token_is_not_attributed_to_the_header(app: App) -> None:
    weak = {"name": "weak", "scopes": ["orders:read"]}
    app.tokens["weak"] = (await app.answer("admin", "issue_api_token", weak)).access_token
    status, error, challenge = await refused(app, "weak", "/v1/depots", X_MCP_Profile="ops-readonly")
    assert (status, error["code"]) == (403, "SCOPE_MISSING")
    assert challenge
    assert challenge.startswith('Bearer realm="haulier", error="insufficient_scope", scope="')


async def test_status_401_says_that_a_bearer_token_is_missing_or_invalid(app: App) -> None:
    app.tokens["bad"] = "hlapi_gone"
    assert (await refused(app, None, "/v1/depots"))[::2] == (401, 'Bearer realm="haulier"')
    invalid = 'Bearer realm="haulier", error="invalid_token"'
    assert (await refused(app, "bad", "/v1/depots"))[::2] == (401, invalid)


async def test_a_user_token_at_the_provider_interface_gets_an_explanation(app: App) -> None:
    status, error, _ = await refused(app, "admin", "/v1/otep/ingest")
    assert (status, error["code"]) == (403, "ACCOUNT_NOT_ALLOWED")
    assert "only to provider keys" in error["message"]
