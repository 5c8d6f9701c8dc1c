"""Metadata for agents: documents, registration, and errors with the next step."""

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata, ProtectedResourceMetadata
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.support.app import App, make_app
from tests.support.every_case import for_every
from tests.web.oauth.scripted_agent import CALLBACK_URL, ScriptedAgent

from haulier.api.mcp.tools import tool_bindings
from haulier.app import registry
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.scope_profiles import PROFILES

WELL_KNOWN = "/.well-known/oauth-protected-resource"
USUAL = " ".join(sorted(PROFILES["ops-readonly"]))


class TestDocuments:
    @for_every(
        ("document", "resource", "server"),
        [
            ("", "/mcp", McpServer.USER),
            ("/mcp", "/mcp", McpServer.USER),
            ("/mcp/developer", "/mcp/developer", McpServer.DEVELOPER),
            ("/api/mcp", "/api/mcp", McpServer.USER),
            ("/api/mcp/developer", "/api/mcp/developer", McpServer.DEVELOPER),
        ],
    )
    async def test_each_server_names_its_authorization_server(
        self, app: App, document: str, resource: str, server: McpServer
    ) -> None:
        answer = await app.http.get(WELL_KNOWN + document)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["access-control-allow-origin"] == "*"
        said = ProtectedResourceMetadata.model_validate_json(answer.content)
        assert (str(said.resource), [str(one) for one in said.authorization_servers]) == (
            f"http://test{resource}",
            ["http://test"],
        )
        needed = {scope for _, one in tool_bindings(registry(), server) for scope in one.scopes}
        assert set(said.scopes_supported or ()) >= needed.union(*PROFILES.values())
        assert said.bearer_methods_supported == ["header"]

    async def test_the_authorization_server_supports_what_it_declares(self, app: App) -> None:
        answer = await app.http.get("/.well-known/oauth-authorization-server")
        said = OAuthMetadata.model_validate_json(answer.content)
        assert str(said.issuer) == "http://test"
        assert said.code_challenge_methods_supported == ["S256"]
        assert said.token_endpoint_auth_methods_supported == ["none"]
        assert said.authorization_response_iss_parameter_supported is True
        for endpoint in (said.token_endpoint, said.registration_endpoint, said.revocation_endpoint):
            assert (await app.http.post(str(endpoint))).status_code in {400, 401}
        assert (await app.http.get(str(said.authorization_endpoint))).status_code == 422

    @for_every(
        ("method", "path"),
        [
            ("GET", WELL_KNOWN),
            ("GET", f"{WELL_KNOWN}/mcp/developer"),
            ("GET", "/.well-known/oauth-authorization-server"),
            ("POST", "/oauth/register"),
            ("POST", "/oauth/token"),
            ("POST", "/oauth/revoke"),
        ],
    )
    async def test_browser_agents_can_read_the_metadata(self, app: App, method: str, path: str) -> None:
        page = {"Origin": "https://agents.example"}
        words = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": "mcp-protocol-version"}
        asked = await app.http.options(path, headers={**page, **words})
        assert (asked.status_code, asked.headers["access-control-allow-headers"]) == (200, "mcp-protocol-version")
        answer = await app.http.request(method, path, headers=page)
        assert answer.headers["access-control-allow-origin"] == asked.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers

    async def test_only_our_own_pages_can_read_the_authorization_page(self, app: App) -> None:
        page = {"Origin": "https://agents.example", "Access-Control-Request-Method": "GET"}
        for method in ("OPTIONS", "GET"):
            answer = await app.http.request(method, "/oauth/authorize", headers=page)
            assert not [name for name in answer.headers if name.startswith("access-control-")]

    async def test_the_tool_document_links_to_the_metadata(self, app: App) -> None:
        tools = (await app.http.get("/.well-known/ai-tools.json")).json()
        assert (await app.http.get(tools["authentication"]["protected_resource"])).status_code == 200


class TestRegistration:
    async def test_a_registered_agent_gets_an_id_and_no_secret(self, app: App) -> None:
        answer = await ScriptedAgent(app).register(
            token_endpoint_auth_method="client_secret_post", logo_uri="https://x/y.png"
        )
        assert (answer.status_code, answer.headers["cache-control"]) == (201, "no-store")
        said = OAuthClientInformationFull.model_validate_json(answer.content)
        assert (said.token_endpoint_auth_method, said.client_secret) == ("none", None)
        assert [str(one) for one in said.redirect_uris or ()] == [CALLBACK_URL]
        assert said.client_id_issued_at == int(app.clock.now.timestamp())

    @for_every(
        "uri",
        [
            "http://agents.example/back",
            "http://10.0.0.1/back",
            "http://127.0.0.2/back",
            "https://user:pass@agents.example/back",
            "https://agents.example/back#x",
            "https:///back",
            "https://agents.example:port/back",
            "https://agents.example\\@evil.example/",
            "javascript:alert(1)",
            "data:text/html,x",
            "cursor://callback",
            "/back",
            "https://agents.example/\u202eback",
        ],
    )
    async def test_redirects_must_use_https_or_loopback(self, app: App, uri: str) -> None:
        answer = await ScriptedAgent(app).register(redirect_uris=[CALLBACK_URL, uri])
        assert answer.status_code == 400
        assert answer.json()["error"] in {"invalid_redirect_uri", "invalid_client_metadata"}

    @for_every("uri", ["https://agents.example/back", "http://[::1]:1/", "http://localhost:3000/cb?x=1"])
    async def test_valid_registrations_are_accepted(self, app: App, uri: str) -> None:
        assert (await ScriptedAgent(app).register(redirect_uris=[uri])).status_code == 201

    @for_every(
        "words",
        [
            {"redirect_uris": []},
            {"redirect_uris": [CALLBACK_URL] * 11},
            {"redirect_uris": "x"},
            {"redirect_uris": [CALLBACK_URL + "x" * 2000]},
            {"client_name": "x" * 101},
            {"client_name": " "},
            {"client_uri": "javascript:alert(1)"},
            {"grant_types": ["client_credentials"]},
            {"grant_types": "authorization_code"},
            {"response_types": ["token"]},
        ],
    )
    async def test_client_metadata_has_length_limits(self, app: App, words: dict[str, Any]) -> None:
        answer = await ScriptedAgent(app).register(**words)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")
        assert answer.json()["error_description"].isascii()

    async def test_invisible_characters_are_removed_from_the_name(self, app: App) -> None:
        answer = await ScriptedAgent(app).register(client_name="Bank\u202eknaB")
        assert (answer.status_code, answer.json()["client_name"]) == (201, "BankknaB")

    @for_every("body", [b"", b"nope", b"[]", b"[" * 9999, b'"x"'])
    async def test_an_invalid_document_is_refused(self, app: App, body: bytes) -> None:
        answer = await app.http.post("/oauth/register", content=body)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client_metadata")

    async def test_unused_registrations_are_deleted_after_ninety_days(self, app: App, agent: ScriptedAgent) -> None:
        await agent.connected()
        unused = ScriptedAgent(app)
        await unused.register()
        app.clock.forward(days=91)
        await ScriptedAgent(app).register()
        asked = {"client_id": unused.client_id}
        assert (await app.call(None, "find_agent", asked)).status == 400
        assert (await app.call(None, "find_agent", {"client_id": agent.client_id})).error is None

    async def test_registrations_are_limited_by_address(self, database_url: str) -> None:
        async with make_app(database_url, rate_limits=True) as app:
            statuses = [(await ScriptedAgent(app).register()).status_code for _ in range(21)]
            last = await ScriptedAgent(app).register()
        assert statuses == [201] * 20 + [429]
        assert (last.json()["error"], int(last.headers["retry-after"]) > 0) == ("temporarily_unavailable", True)


@pytest.fixture
async def servers(app: App) -> AsyncIterator[McpClient]:
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        yield McpClient(base, http)


def way(answer: httpx.Response) -> dict[str, str]:
    """Return the parameters of a challenge."""
    scheme, _, words = answer.headers["www-authenticate"].partition(" ")
    assert scheme == "Bearer"
    return dict(re.findall(r'(\w+)="([^"]*)"', words))


class TestTokenDiscovery:
    async def test_a_tool_that_requires_a_user_points_to_authorization(self, servers: McpClient) -> None:
        answer = await servers.post("tools/call", {"name": "get_orders"})
        assert answer.status_code == 401
        assert answer.json()["result"]["structuredContent"]["code"] == "UNAUTHENTICATED"
        assert way(answer) == {"scope": USUAL, "resource_metadata": f"http://test{WELL_KNOWN}/mcp"}

    async def test_each_server_links_to_its_own_metadata(self, servers: McpClient) -> None:
        answer = await servers.post("tools/call", {"name": "create_order"}, path="/mcp/developer")
        said = way(answer)
        assert said["resource_metadata"] == f"http://test{WELL_KNOWN}/mcp/developer"
        assert "orders:write" in said["scope"].split()

    async def test_an_invalid_token_and_a_missing_one_are_distinguished(self, servers: McpClient) -> None:
        answer = await servers.post("tools/call", {"name": "get_orders"}, "hlapi_x")
        assert (answer.status_code, way(answer)["error"]) == (401, "invalid_token")

    async def test_public_tools_need_no_token(self, servers: McpClient) -> None:
        answer = await servers.post("tools/call", {"name": "get_capabilities"})
        assert (answer.status_code, answer.json()["result"]["isError"]) == (200, False)

    async def test_an_invalid_token_returns_401_with_the_metadata_for_any_request(self, servers: McpClient) -> None:
        started = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        asked = {
            "initialize": started,
            "ping": {},
            "tools/list": {},
            "tools/call": {"name": "get_capabilities"},
            "nope": {},
        }
        for path in ("/mcp", "/mcp/developer"):
            for token in ("made-up", "hlapi_x", "hlmcp_x"):
                for method, params in asked.items():
                    answer = await servers.post(method, params, token, path=path)
                    assert (answer.status_code, way(answer)["error"]) == (401, "invalid_token"), (path, token, method)
                    assert answer.json()["code"] == "INVALID_TOKEN"

    async def test_without_a_token_the_public_tools_are_listed(self, servers: McpClient) -> None:
        answer = await servers.post("tools/list")
        assert (answer.status_code, "www-authenticate" in answer.headers) == (200, False)
        assert "track_package" in await servers.names()

    async def test_an_agent_with_an_expired_token_is_told_when_listing(self, servers: McpClient) -> None:
        answer = await servers.post("tools/list", who="hlmcp_ended")
        assert (answer.status_code, way(answer)["error"]) == (401, "invalid_token")

    @for_every("method", ["initialize", "tools/list", "tools/call"])
    async def test_a_link_with_a_profile_requires_sign_in_immediately(self, servers: McpClient, method: str) -> None:
        answer = await servers.post(method, path="/mcp?profile=support")
        assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHENTICATED")
        assert way(answer)["scope"] == " ".join(sorted(PROFILES["support"]))

    async def test_a_profile_in_the_link_narrows_like_the_header(self, app: App, servers: McpClient) -> None:
        by_link = await servers.names(app.tokens["admin"], path="/mcp?profile=support")
        by_header = await servers.names(app.tokens["admin"], headers={"x-mcp-profile": "support"})
        both = await servers.names(app.tokens["admin"], headers={"x-mcp-profile": "support"}, path="/mcp?profile=full")
        assert by_link == by_header == both

    async def test_an_unknown_profile_in_the_link_is_refused(self, servers: McpClient) -> None:
        answer = await servers.post("tools/list", path="/mcp?profile=root")
        assert answer.json()["error"]["data"]["code"] == "UNKNOWN_PROFILE"

    async def test_an_agent_with_insufficient_scopes_is_told_which_are_missing(
        self, servers: McpClient, agent: ScriptedAgent
    ) -> None:
        token = (await agent.connected(["orders:read"]))["access_token"]
        answer = await servers.post("tools/call", {"name": "create_order"}, token)
        assert (answer.status_code, answer.json()["result"]["structuredContent"]["code"]) == (403, "SCOPE_MISSING")
        said = way(answer)
        assert (said["error"], said["scope"]) == ("insufficient_scope", "orders:read orders:write")

    async def test_clients_without_step_up_support_get_the_regular_error(self, app: App, servers: McpClient) -> None:
        headers = {"x-mcp-scopes": "orders:read"}
        asked = {"name": "create_order"}
        answer = await servers.post("tools/call", asked, app.tokens["admin"], headers=headers)
        assert (answer.status_code, "www-authenticate" in answer.headers) == (200, False)

    async def test_the_newest_protocol_version_gets_the_metadata_too(self, servers: McpClient) -> None:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "get_orders"}
        answer = await servers.post("tools/call", {"name": "get_orders", "_meta": meta}, headers=headers)
        assert (answer.status_code, way(answer)["scope"]) == (401, USUAL)
