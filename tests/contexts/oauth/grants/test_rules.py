"""Rules of the authorization server: redirects, scopes, proofs and metadata."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.oauth.grants.steps import make_document
from tests.support.every_case import for_every

from haulier.contexts.oauth.grants.rules import (
    REFRESH_REUSE_LEEWAY,
    is_document_stale,
    is_loopback_uri,
    is_refresh_token_reused,
    matches_challenge,
    parse_agent_document,
    parse_requested_scopes,
    redirect_host,
    refresh_token_expiry,
    require_document_url,
    require_redirect_uri,
    require_registered_redirect_uri,
    require_scopes_within,
    server_for_resource,
)
from haulier.kernel.operations.enums import McpServer, Scope
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.kernel.pipeline.token_audience import (
    SERVER_PATHS,
    SERVER_TOKEN_PREFIXES,
    get_token_audience,
    require_audience,
)
from haulier.kernel.values.loopback import LOOPBACK_HOSTS

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
SCOPES = st.frozensets(st.sampled_from(Scope))
HERE = "https://freight.example"
ADDRESS = "https://agents.example/about.json"


def refused(rule: Any, *given: Any) -> str | None:
    try:
        rule(*given)
    except OperationError as refusal:
        return refusal.error_type.id
    return None


class TestAddresses:
    @given(st.integers(1, 65535), st.integers(1, 65535), st.sampled_from(["127.0.0.1", "[::1]", "localhost"]))
    def test_loopback_redirects_ignore_the_port(self, one: int, other: int, host: str) -> None:
        registered, body = f"http://{host}:{one}/back?x=1", f"http://{host}:{other}/back?x=1"
        require_redirect_uri(registered)
        assert refused(require_registered_redirect_uri, body, [registered]) is None
        assert refused(require_registered_redirect_uri, f"http://{host}/back?x=1", [registered]) is None
        assert is_loopback_uri(body)
        assert (
            refused(require_registered_redirect_uri, body.replace("x=1", "x=2"), [registered]) == "redirect_uri_unknown"
        )

    @given(st.integers(1, 65535))
    def test_other_redirects_compare_the_port(self, port: int) -> None:
        body = f"https://agents.example:{port}/back"
        assert refused(require_registered_redirect_uri, body, ["https://agents.example/back"]) == "redirect_uri_unknown"

    @given(st.text(max_size=60))
    def test_accepted_redirects_use_https_or_loopback(self, text: str) -> None:
        for uri in (text, f"http://{text}", f"http://127.0.0.1{text}", f"https://{text}"):
            if refused(require_redirect_uri, uri) is None:
                assert uri.isascii()
                assert redirect_host(uri)
                assert uri.lower().startswith("https://") or redirect_host(uri) in LOOPBACK_HOSTS

    @given(st.text(max_size=60), st.sampled_from(["https://agents.example/back", "http://127.0.0.1:8/back"]))
    def test_an_unregistered_redirect_is_refused(self, text: str, registered: str) -> None:
        for uri in (text, registered + text, registered.replace("/back", text)):
            if refused(require_registered_redirect_uri, uri, [registered]) is None:
                assert uri == registered or (is_loopback_uri(uri) and uri.endswith("/back"))


class TestRequestedScopes:
    @given(SCOPES)
    def test_named_scopes_are_requested(self, scopes: frozenset[Scope]) -> None:
        text = " ".join(sorted(scopes))
        assert parse_requested_scopes(text) == (scopes or PROFILES["ops-readonly"])

    def test_profiles_and_scopes_can_be_mixed_and_unknown_ones_are_ignored(self) -> None:
        assert parse_requested_scopes("support wms:read openid") == PROFILES["support"] | {Scope.WMS_READ}
        assert parse_requested_scopes(None) == parse_requested_scopes("  ") == PROFILES["ops-readonly"]
        assert refused(parse_requested_scopes, "openid offline_access") == "agent_scope_unknown"

    @given(SCOPES, SCOPES, SCOPES)
    def test_granted_scopes_are_limited_to_the_request_and_the_user(
        self, chosen: frozenset[Scope], body: frozenset[Scope], own: frozenset[Scope]
    ) -> None:
        if chosen <= body & own:
            assert require_scopes_within(chosen, body, own) == chosen
        else:
            assert refused(require_scopes_within, chosen, body, own) == "scopes_exceeded"

    @for_every(("path", "server"), SERVER_PATHS.items())
    def test_a_resource_selects_its_server(self, path: str, server: McpServer) -> None:
        for resource in (HERE + path, f"{HERE}{path}/", f"HTTPS://FREIGHT.example{path}", f"{HERE}{path}?profile=full"):
            assert server_for_resource(resource, HERE) is server

    def test_an_agent_without_a_resource_gets_the_first_server(self) -> None:
        assert server_for_resource(None, HERE) is McpServer.USER

    @for_every(
        "resource",
        [
            "",
            HERE,
            f"{HERE}/",
            f"{HERE}/MCP",
            f"{HERE}/mcp/x",
            f"{HERE}:8443/mcp",
            "http://freight.example/mcp",
            "https://freight.example.evil.example/mcp",
            f"{HERE}/mcp#x",
            "/mcp",
            "https://x@freight.example/mcp",
        ],
    )
    def test_an_unknown_resource_is_refused(self, resource: str) -> None:
        assert refused(server_for_resource, resource, HERE) == "agent_target_unknown"


class TestProofs:
    @given(st.text("abcXYZ019-._~", min_size=43, max_size=128), st.text("abcXYZ019-._~", min_size=43, max_size=128))
    def test_only_the_verifier_of_a_challenge_is_accepted(self, verifier: str, other: str) -> None:
        challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
        assert matches_challenge(verifier, challenge)
        assert matches_challenge(other, challenge) == (other == verifier)

    def test_the_example_of_rfc_7636_verifies(self) -> None:
        """RFC 7636, appendix B."""
        verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        assert matches_challenge(verifier, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")

    @given(st.timedeltas(timedelta(), timedelta(days=400)))
    def test_a_refresh_token_reused_later_is_treated_as_stolen(self, after: timedelta) -> None:
        assert is_refresh_token_reused(NOON, NOON + after) == (after > REFRESH_REUSE_LEEWAY)
        assert not is_refresh_token_reused(None, NOON + after)

    @given(st.timedeltas(timedelta(), timedelta(days=365)))
    def test_no_refresh_token_outlives_its_grant(self, left: timedelta) -> None:
        until = refresh_token_expiry(NOON, NOON + left)
        assert until <= NOON + left
        assert until <= NOON + timedelta(days=30)


class TestAudience:
    def test_a_tokens_prefix_states_its_audience(self) -> None:
        for server, prefix in SERVER_TOKEN_PREFIXES.items():
            assert get_token_audience(f"{prefix}_x") is server
            assert refused(require_audience, f"{prefix}_x", server) is None
            for other in {None, *McpServer} - {server}:
                assert refused(require_audience, f"{prefix}_x", other) == "invalid_token"

    @for_every("token", ["hlapi_x", "hlsession_x", "x", "", "hlmcp", "hlmcpx_y"])
    def test_other_tokens_work_on_every_server(self, token: str) -> None:
        if token != "hlmcp":
            assert all(refused(require_audience, token, where) is None for where in (None, *McpServer))


class TestDocuments:
    def test_a_document_describes_an_agent(self) -> None:
        said = parse_agent_document(ADDRESS, make_document(logo_uri="https://agents.example/logo.png", contacts=[1]))
        assert (said.client_name, said.redirect_uris) == ("Desk assistant", ["http://127.0.0.1/back"])

    @for_every(
        "document",
        [
            b"",
            b"nope",
            b"[]",
            b"[" * 9999,
            b"\xff",
            make_document(client_id=f"{ADDRESS}?"),
            make_document(client_id=None),
            make_document(client_name=None),
            make_document(client_name="a\u202eb"),
            make_document(client_name="x" * 101),
            make_document(redirect_uris=[]),
            make_document(redirect_uris=["http://agents.example/"]),
            make_document(redirect_uris=["javascript:alert(1)"]),
            make_document(token_endpoint_auth_method="client_secret_post"),
            make_document(client_secret="x"),
            make_document(grant_types=["implicit"]),
        ],
    )
    def test_an_invalid_document_is_refused(self, document: bytes) -> None:
        assert refused(parse_agent_document, ADDRESS, document) == "agent_document_refused"

    @for_every(
        "address",
        [
            "https://agents.example",
            "https://agents.example/",
            "http://agents.example/a",
            "https://a@agents.example/a",
            "https://agents.example/a/../b",
            "https://agents.example/a#b",
            "https://agents.example:8443/a",
            "https:///a",
            "https://[x/a",
            "https://agents.example\\@evil.example/a",
            "agent-1",
        ],
    )
    def test_an_ambiguous_url_is_refused(self, address: str) -> None:
        assert refused(require_document_url, address) == "agent_document_refused"
        assert refused(require_document_url, ADDRESS) is None

    def test_a_document_is_refreshed_after_an_hour(self) -> None:
        assert is_document_stale(None, NOON)
        assert not is_document_stale(NOON, NOON + timedelta(hours=1))
        assert is_document_stale(NOON, NOON + timedelta(hours=1, seconds=1))
