"""Attacks on the authorization server fail (RFC 9700)."""

from typing import Any

from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.oauth.scripted_agent import (
    CALLBACK_URL,
    CODE_VERIFIER,
    ConsentForm,
    ScriptedAgent,
    bearer_of,
    create_person,
    query_parameters,
)

from haulier.kernel.operations.enums import McpServer

ELSEWHERE = "https://evil.example/take"


def error(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


class TestCodes:
    async def test_reusing_a_code_revokes_its_tokens(self, app: App, agent: ScriptedAgent) -> None:
        code = await agent.code()
        given = (await agent.token(code)).json()
        assert error(await agent.token(code)) == (400, "invalid_grant")
        assert await bearer_of(app, given["access_token"], McpServer.USER) == "INVALID_TOKEN"
        assert error(await agent.refresh(given["refresh_token"])) == (400, "invalid_grant")

    async def test_a_code_is_valid_for_a_minute(self, app: App, agent: ScriptedAgent) -> None:
        code = await agent.code()
        app.clock.forward(seconds=60)
        assert error(await agent.token(code)) == (400, "invalid_grant")

    @for_every("verifier", ["w" * 43, CODE_VERIFIER[:-1] + "é", "v" * 44])
    async def test_a_code_without_its_verifier_is_refused(self, agent: ScriptedAgent, verifier: str) -> None:
        code = await agent.code()
        assert error(await agent.token(code, code_verifier=verifier)) == (400, "invalid_grant")
        assert (await agent.token(code)).status_code == 200

    @for_every("verifier", [None, "short", "v" * 129])
    async def test_an_invalid_verifier_is_refused(self, agent: ScriptedAgent, verifier: str | None) -> None:
        assert error(await agent.token(await agent.code(), code_verifier=verifier)) == (400, "invalid_request")

    async def test_another_agents_code_is_refused(self, app: App, agent: ScriptedAgent) -> None:
        code = await agent.code()
        other = ScriptedAgent(app)
        await other.register()
        assert error(await other.token(code)) == (400, "invalid_grant")
        assert (await agent.token(code)).status_code == 200

    async def test_a_code_is_bound_to_its_redirect_address(self, agent: ScriptedAgent) -> None:
        code = await agent.code()
        elsewhere = "http://127.0.0.1:9/callback"
        assert error(await agent.token(code, redirect_uri=elsewhere)) == (400, "invalid_grant")

    async def test_a_code_is_bound_to_the_requested_server(self, agent: ScriptedAgent) -> None:
        code = await agent.code()
        assert error(await agent.token(code, resource="http://test/mcp/developer")) == (400, "invalid_target")

    async def test_an_unknown_agent_is_refused(self, agent: ScriptedAgent) -> None:
        code = await agent.code()
        agent.client_id = "agent-0"
        assert error(await agent.token(code)) == (401, "invalid_client")


class TestAuthorizationLink:
    @for_every(
        ("words", "expected"),
        [
            ({"code_challenge": None}, "invalid_request"),
            ({"code_challenge_method": None}, "invalid_request"),
            ({"code_challenge_method": "plain"}, "invalid_request"),
            ({"code_challenge": "short"}, "invalid_request"),
            ({"response_type": "token"}, "unsupported_response_type"),
            ({"response_type": None}, "unsupported_response_type"),
            ({"scope": "everything"}, "invalid_scope"),
            ({"resource": "https://evil.example/mcp"}, "invalid_target"),
            ({"resource": "http://test/graphql"}, "invalid_target"),
            ({"resource": "http://[nonsense"}, "invalid_target"),
        ],
    )
    async def test_request_errors_are_returned_to_the_agent(
        self, agent: ScriptedAgent, words: dict[str, str | None], expected: str
    ) -> None:
        answer = await agent.page(**words)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith(f"{CALLBACK_URL}?")
        said = query_parameters(answer.headers["location"])
        assert (said["error"], said["state"], said["iss"]) == (expected, "st&te", "http://test")

    @for_every(
        "redirect_uri",
        [
            ELSEWHERE,
            f"{CALLBACK_URL}/../evil",
            f"{CALLBACK_URL}?x=1",
            f"{CALLBACK_URL}#x",
            "http://127.0.0.1:33418@evil.example/callback",
            "http://127.0.0.1.evil.example/callback",
            "http://localhost:33418/callback",
            "https://127.0.0.1:33418/callback",
            "http://127.0.0.1:99999/callback",
            "javascript:alert(1)",
            "//evil.example/callback",
            "http://127.0.0.1\\@evil.example/callback",
        ],
    )
    async def test_users_are_never_redirected_to_an_unregistered_address(
        self, agent: ScriptedAgent, redirect_uri: str
    ) -> None:
        for words in ({}, {"response_type": "token"}, {"code_challenge": None}):
            answer = await agent.page(redirect_uri=redirect_uri, **words)
            assert 400 <= answer.status_code < 500
            assert "location" not in answer.headers

    async def test_an_unknown_agent_is_reported_to_the_user(self, agent: ScriptedAgent) -> None:
        answer = await agent.page(client_id="agent-0")
        assert (answer.status_code, "location" in answer.headers) == (400, False)
        assert 'role="alert"' in answer.text

    async def test_a_duplicate_parameter_is_refused(self, agent: ScriptedAgent) -> None:
        link = list(agent.link().items())
        twice = await agent.http.get("/oauth/authorize", params=[*link, ("redirect_uri", ELSEWHERE)])
        assert (twice.status_code, "location" in twice.headers) == (400, False)
        twice = await agent.http.get("/oauth/authorize", params=[*link, ("scope", "full")])
        assert query_parameters(twice.headers["location"])["error"] == "invalid_request"

    async def test_a_loopback_agent_can_use_any_port(self, agent: ScriptedAgent) -> None:
        there = "http://127.0.0.1:5/callback"
        answer = await agent.decide(redirect_uri=there)
        assert answer.headers["location"].startswith(f"{there}?code=")

    async def test_query_parameters_of_the_redirect_address_are_kept(self, agent: ScriptedAgent) -> None:
        await agent.register(redirect_uris=["https://agents.example/back?of=us"])
        answer = await agent.decide(redirect_uri="https://agents.example/back?of=us")
        assert answer.headers["location"].startswith("https://agents.example/back?of=us&code=")


class TestConsentForm:
    async def test_unrequested_scopes_cannot_be_granted(self, agent: ScriptedAgent) -> None:
        answer = await agent.decide(["orders:read", "orders:write"])
        assert query_parameters(answer.headers["location"])["error"] == "invalid_scope"

    async def test_users_cannot_grant_permissions_they_do_not_have(self, app: App) -> None:
        await create_person(app, "cus@demo.example", "customer")
        agent = ScriptedAgent(app)
        await agent.sign_in("cus@demo.example")
        await agent.register()
        answer = await agent.decide(["orders:read", "routes:write"], scope="orders:read routes:write")
        assert query_parameters(answer.headers["location"])["error"] == "invalid_scope"

    @for_every("mark", [None, "", "0" * 64])
    async def test_a_forged_form_grants_nothing(self, agent: ScriptedAgent, mark: str | None) -> None:
        hidden = {**ConsentForm((await agent.page()).text).hidden, "scopes": "orders:read", "decision": "allow"}
        sent = {**hidden, "csrf": mark} if mark is not None else {k: v for k, v in hidden.items() if k != "csrf"}
        answer = await agent.http.post("/oauth/authorize", data=sent)
        assert (answer.status_code, "location" in answer.headers) == (403, False)

    @for_every("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}])
    async def test_a_cross_site_form_grants_nothing(self, agent: ScriptedAgent, headers: dict[str, str]) -> None:
        hidden = {**ConsentForm((await agent.page()).text).hidden, "scopes": "orders:read", "decision": "allow"}
        answer = await agent.http.post("/oauth/authorize", data=hidden, headers=headers)
        assert (answer.status_code, "location" in answer.headers) == (403, False)

    async def test_another_users_csrf_token_is_refused(self, app: App, agent: ScriptedAgent) -> None:
        hidden = {**ConsentForm((await agent.page()).text).hidden, "scopes": "orders:read", "decision": "allow"}
        await create_person(app, "bob@demo.example")
        await agent.sign_in("bob@demo.example")
        assert (await agent.http.post("/oauth/authorize", data=hidden)).status_code == 403

    async def test_the_consent_page_cannot_be_embedded(self, agent: ScriptedAgent) -> None:
        for answer in (await agent.page(), await agent.page(client_id="agent-0")):
            assert answer.headers["x-frame-options"] == "DENY"
            policy = answer.headers["content-security-policy"]
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["cache-control"] == "no-store"
        policy = (await agent.page()).headers["content-security-policy"]
        assert policy.endswith("form-action 'self' http://127.0.0.1:33418")

    async def test_hidden_form_values_are_validated_again(self, agent: ScriptedAgent) -> None:
        hidden = {**ConsentForm((await agent.page()).text).hidden, "scopes": "orders:read", "decision": "allow"}
        moved = await agent.http.post("/oauth/authorize", data={**hidden, "redirect_uri": ELSEWHERE})
        assert (moved.status_code, "location" in moved.headers) == (400, False)
        plain = await agent.http.post("/oauth/authorize", data={**hidden, "code_challenge_method": "plain"})
        assert query_parameters(plain.headers["location"])["error"] == "invalid_request"


class TestRefreshing:
    async def test_reusing_a_refresh_token_ends_the_connection(self, app: App, agent: ScriptedAgent) -> None:
        first = await agent.connected()
        second = (await agent.refresh(first["refresh_token"])).json()
        app.clock.forward(seconds=11)
        assert error(await agent.refresh(first["refresh_token"])) == (400, "invalid_grant")
        assert await bearer_of(app, second["access_token"], McpServer.USER) == "INVALID_TOKEN"
        assert error(await agent.refresh(second["refresh_token"])) == (400, "invalid_grant")

    async def test_a_concurrent_refresh_is_only_refused(self, app: App, agent: ScriptedAgent) -> None:
        first = await agent.connected()
        second = (await agent.refresh(first["refresh_token"])).json()
        assert error(await agent.refresh(first["refresh_token"])) == (400, "invalid_grant")
        assert (await agent.refresh(second["refresh_token"])).status_code == 200

    async def test_another_agents_refresh_token_is_refused(self, app: App, agent: ScriptedAgent) -> None:
        given = await agent.connected()
        other = ScriptedAgent(app)
        await other.register()
        assert error(await other.refresh(given["refresh_token"])) == (400, "invalid_grant")
        assert (await agent.refresh(given["refresh_token"])).status_code == 200

    @for_every("scope", ["orders:read orders:write", "full", "account:write"])
    async def test_a_refresh_cannot_widen_scopes(self, agent: ScriptedAgent, scope: str) -> None:
        given = await agent.connected()
        assert error(await agent.refresh(given["refresh_token"], scope=scope)) == (400, "invalid_scope")
        assert (await agent.refresh(given["refresh_token"])).json()["scope"] == "orders:read routes:read"

    async def test_refresh_and_access_tokens_are_not_interchangeable(self, app: App, agent: ScriptedAgent) -> None:
        given = await agent.connected()
        assert await bearer_of(app, given["refresh_token"], McpServer.USER) == "INVALID_TOKEN"
        assert error(await agent.refresh(given["access_token"])) == (400, "invalid_grant")

    async def test_a_refresh_keeps_the_server(self, agent: ScriptedAgent) -> None:
        given = await agent.connected()
        answer = await agent.refresh(given["refresh_token"], resource="http://test/mcp/developer")
        assert error(answer) == (400, "invalid_target")


class TestRevoking:
    @for_every("which", ["access_token", "refresh_token"])
    async def test_revoking_either_token_ends_both(self, app: App, agent: ScriptedAgent, which: str) -> None:
        given = await agent.connected()
        assert (await agent.revoke(given[which])).status_code == 200
        assert await bearer_of(app, given["access_token"], McpServer.USER) == "INVALID_TOKEN"
        assert error(await agent.refresh(given["refresh_token"])) == (400, "invalid_grant")

    async def test_revoking_an_unknown_token_succeeds(self, agent: ScriptedAgent) -> None:
        answer = await agent.revoke("hlmcp_nothing", token_type_hint="access_token")
        assert (answer.status_code, answer.content) == (200, b"")

    async def test_another_agents_token_is_not_affected(self, app: App, agent: ScriptedAgent) -> None:
        given = await agent.connected()
        other = ScriptedAgent(app)
        await other.register()
        assert (await other.revoke(given["access_token"])).status_code == 200
        assert (await bearer_of(app, given["access_token"], McpServer.USER)).user.name == "Ann"


class TestTokenEndpoint:
    @for_every(
        ("form", "expected"),
        [
            ({}, "invalid_request"),
            ({"grant_type": "password", "username": "a", "password": "b"}, "unsupported_grant_type"),
            ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
            ({"grant_type": "refresh_token"}, "invalid_request"),
            ({"grant_type": "authorization_code"}, "invalid_request"),
        ],
    )
    async def test_unsupported_parameters_are_named(self, app: App, form: dict[str, str], expected: str) -> None:
        answer = await app.http.post("/oauth/token", data=form)
        assert error(answer) == (400, expected)
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json()["error_description"].isascii()

    @for_every("path", ["/oauth/token", "/oauth/revoke", "/oauth/register"])
    async def test_an_oversized_body_is_refused(self, app: App, path: str) -> None:
        assert (await app.http.post(path, content=b"x" * 70_000)).status_code == 413

    async def test_no_error_response_or_audit_entry_contains_a_secret(self, app: App, agent: ScriptedAgent) -> None:
        from tests.contexts.control_tower.approvals.makers import read_all_rows

        code = await agent.code()
        wrong = await agent.token(code, code_verifier="w" * 43)
        given = (await agent.token(code)).json()
        kept = str(await read_all_rows(app, but=set()))
        for secret in (code, given["access_token"], given["refresh_token"], CODE_VERIFIER):
            assert secret not in wrong.text
            assert secret not in kept
