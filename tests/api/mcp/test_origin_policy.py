"""Origins of web pages that may call an MCP server."""

from collections.abc import AsyncIterator

import httpx
import pytest
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App
from tests.web.oauth.scripted_agent import ScriptedAgent, create_person

from haulier.api.mcp.origin_policy import is_allowed_with_token, is_trusted_origin

OURS = "https://haulier.example"
THEIRS = "https://agents.example"
GREET = {"name": "greet", "arguments": {"name": "Bo"}}


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (OURS, True), ("http://localhost:6274", True), ("http://127.0.0.1:9", True), ("http://[::1]", True),
        ("http://haulier.example", False), ("https://haulier.example:8443", False), ("https://evil.example", False),
        ("https://haulier.example.evil.example", False), ("http://localhost.evil.example", False), ("null", False),
        ("", False), ("http://[", False),
    ],
)  # fmt: skip
def test_our_own_and_local_origins_are_allowed(origin: str, expected: bool) -> None:
    assert is_trusted_origin(origin, OURS) is expected


@pytest.mark.parametrize("origin", ["http://agents.example", "null", "", "https://", "https://a@b.example", "http://["])
def test_requests_without_https_are_refused_even_with_a_token(origin: str) -> None:
    assert is_allowed_with_token(THEIRS)
    assert not is_allowed_with_token(origin)


@pytest.mark.parametrize("origin", ["https://evil.example", "http://evil.example", "null"])
async def test_a_page_of_another_origin_is_refused_in_its_language_before_reading_the_body(
    servers: McpClient, origin: str
) -> None:
    headers = {"origin": origin, "accept-language": "de"}
    answer = await servers.post("tools/call", GREET, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "ORIGIN_NOT_WELCOME")
    assert origin in answer.json()["message"]
    assert answer.headers["content-language"] == "de"


async def test_programs_without_an_origin_header_are_allowed(servers: McpClient) -> None:
    answer = await servers.post("tools/call", GREET)
    assert answer.json()["result"]["isError"] is False
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("origin", ["http://localhost:6274", THEIRS])
async def test_a_preflight_request_lists_the_allowed_headers(servers: McpClient, origin: str) -> None:
    asked = "authorization, content-type, mcp-protocol-version, x-mcp-profile"
    words = {"access-control-request-method": "POST", "access-control-request-headers": asked}
    answer = await servers.http.options(f"{servers.base}/mcp", headers={"origin": origin, **words})
    said = answer.headers
    assert (answer.status_code, said["access-control-allow-headers"]) == (200, asked)
    assert (said["access-control-allow-origin"], said["access-control-allow-methods"]) == ("*", "POST")
    assert "access-control-allow-credentials" not in said


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
async def test_a_forbidden_page_cannot_read_the_refusal(servers: McpClient, origin: str) -> None:
    words = {"origin": origin, "access-control-request-method": "POST"}
    for method in ("POST", "OPTIONS"):
        answer = await servers.http.request(method, f"{servers.base}/mcp", headers=words)
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control-")]


async def test_a_local_page_can_read_the_response(servers: McpClient) -> None:
    answer = await servers.post("tools/call", GREET, headers={"origin": "http://localhost:6274"})
    assert answer.json()["result"]["isError"] is False
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "WWW-Authenticate" in answer.headers["access-control-expose-headers"]


@pytest.fixture
async def real(app: App) -> AsyncIterator[McpClient]:
    """The real tools, asked by a page from elsewhere."""
    async with serve_mcp(app.application) as base, httpx.AsyncClient(headers={"origin": THEIRS}, timeout=60) as http:
        yield McpClient(base, http)


class TestBrowserAgent:
    async def test_without_a_token_it_is_refused_with_the_authorization_link(self, app: App, real: McpClient) -> None:
        for token in (None, app.tokens["admin"]):
            answer = await real.post("tools/list", who=token)
            assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (403, "*")
            assert "/.well-known/oauth-protected-resource/mcp" in answer.headers["www-authenticate"]

    async def test_with_a_users_token_it_can_list_and_call_tools(self, app: App, real: McpClient) -> None:
        await create_person(app)
        agent, back = ScriptedAgent(app), f"{THEIRS}/back"
        await agent.sign_in()
        await agent.register(redirect_uris=[back])
        code = await agent.code(["orders:read"], redirect_uri=back)
        token = (await agent.token(code, redirect_uri=back)).json()["access_token"]
        assert {"get_orders", "track_package"} <= set(await real.names(token))
        assert (await real.call("get_orders", {}, token))["isError"] is False
        strange = await real.post("tools/list", who=token, headers={"x-mcp-profile": "root"})
        assert strange.json()["code"] == "UNKNOWN_PROFILE"
        app.clock.forward(hours=2)
        ended = await real.post("tools/list", who=token)
        assert (ended.status_code, 'error="invalid_token"' in ended.headers["www-authenticate"]) == (401, True)

    async def test_an_invalid_token_is_refused_by_public_tools(self, real: McpClient) -> None:
        assert (await real.post("tools/list", who="hlmcp_made-up")).status_code == 401
