"""Connected agents of a user: shown, listed and ended by the user or an admin."""

from typing import Any

from tests.contexts.oauth.grants.steps import ADDRESS, Documents, ann, make_document
from tests.support.app import App
from tests.web.oauth.scripted_agent import ScriptedAgent, bearer_of

from haulier.contexts.oauth.ports import AgentDocumentFetcher
from haulier.kernel.operations.enums import McpServer


async def test_an_agent_is_listed_with_its_permissions(app: App) -> None:
    agent = await ann(app)
    await agent.connected(["orders:read"])
    listed = await app.answer("ann", "list_connected_agents")
    (one,) = listed.agents
    assert (listed.total, one.name, one.server, one.scopes) == (1, "Desk assistant", "user", ["orders:read"])
    assert (one.connected_at, one.refreshed_at) == (app.clock.now, app.clock.now)


async def test_an_unused_authorization_code_is_not_a_connection(app: App) -> None:
    agent = await ann(app)
    await agent.code()
    assert (await app.answer("ann", "list_connected_agents")).total == 0


async def test_the_agents_token_is_listed_and_revoking_it_ends_the_connection(app: App) -> None:
    agent = await ann(app)
    given = await agent.connected()
    (token,) = (await app.answer("ann", "list_api_tokens")).tokens
    assert token.name == "Desk assistant"
    await app.answer("ann", "revoke_api_token", {"token_id": token.id})
    assert await bearer_of(app, given["access_token"], McpServer.USER) == "INVALID_TOKEN"
    assert (await agent.refresh(given["refresh_token"])).json()["error"] == "invalid_grant"


async def test_disconnecting_an_agent_ends_access_immediately(app: App) -> None:
    agent = await ann(app)
    given = await agent.connected()
    (one,) = (await app.answer("ann", "list_connected_agents")).agents
    done = await app.answer("ann", "disconnect_agent", {"connection_id": one.id})
    assert "Desk assistant" in done.message
    assert await bearer_of(app, given["access_token"], McpServer.USER) == "INVALID_TOKEN"
    assert (await agent.refresh(given["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await app.answer("ann", "list_connected_agents")).total == 0
    assert (await app.call("ann", "disconnect_agent", {"connection_id": one.id})).status == 200


async def test_only_the_user_and_admins_can_disconnect(app: App) -> None:
    agent = await ann(app)
    given = await agent.connected()
    mine = {"user_id": app.ids["ann"]}
    (one,) = (await app.answer("admin", "list_connected_agents", mine)).agents
    body = {"connection_id": one.id}
    assert (await app.call(None, "disconnect_agent", body)).status == 401
    for other in ("rival", "employee", "customer"):
        assert (await app.call(other, "disconnect_agent", body)).status == 404
    assert (await app.call("employee", "list_connected_agents", mine)).status == 404
    assert (await app.answer("rival", "list_connected_agents", mine)).total == 0
    assert (await bearer_of(app, given["access_token"], McpServer.USER)).user.name == "Ann"
    await app.answer("admin", "disconnect_agent", body)
    assert await bearer_of(app, given["access_token"], McpServer.USER) == "INVALID_TOKEN"


async def test_the_audit_trail_records_the_whole_life_cycle(app: App) -> None:
    agent = await ann(app)
    given = await agent.connected()
    await agent.refresh(given["refresh_token"])
    app.clock.forward(minutes=1)
    await agent.refresh(given["refresh_token"])
    trail = await app.answer("admin", "list_audit_entries", {"user_id": app.ids["ann"], "per_page": 50})
    told = [(one.operation, one.door) for one in trail.entries]
    assert [one for one in told if "agent" in one[0]] == [
        ("refresh_agent_tokens", "system"),
        ("refresh_agent_tokens", "oauth"),
        ("exchange_agent_code", "oauth"),
        ("grant_agent_access", "oauth"),
    ]


async def test_connecting_the_same_agent_again_replaces_the_first_connection(app: App) -> None:
    agent = await ann(app)
    first = await agent.connected()
    second = await agent.connected()
    other = await agent.connected(resource="http://test/mcp/developer")
    assert await bearer_of(app, first["access_token"], McpServer.USER) == "INVALID_TOKEN"
    assert (await bearer_of(app, second["access_token"], McpServer.USER)).user.name == "Ann"
    assert (await bearer_of(app, other["access_token"], McpServer.DEVELOPER)).user.name == "Ann"
    assert (await app.answer("ann", "list_connected_agents")).total == 2


async def test_listing_agents_uses_a_constant_number_of_statements(app: App) -> None:
    agent, taken = await ann(app), []
    for _ in range(2):
        for _ in range(3):
            await agent.register()
            await agent.connected()
        await app.answer("ann", "who_am_i")  # so that she is known
        before = app.statements
        await app.answer("ann", "list_connected_agents")
        taken.append(app.statements - before)
    assert taken[0] == taken[1]


async def test_a_token_can_consent_and_grants_no_more_than_it_has(app: App) -> None:
    agent = await ann(app)
    scopes = ["account:write", "orders:read"]
    issued = await app.answer("ann", "issue_api_token", {"name": "program", "scopes": scopes})
    app.tokens["program"] = issued.access_token
    body = {name: value for name, value in agent.link(scope="ops-readonly").items() if name != "state"}
    wide = await app.call("program", "grant_agent_access", {**body, "scopes": ["orders:read", "routes:read"]})
    assert (wide.status, wide.error and wide.error["code"]) == (403, "SCOPES_EXCEEDED")
    given = await app.answer("program", "grant_agent_access", {**body, "scopes": ["orders:read"]})
    assert (await agent.token(given.code)).json()["scope"] == "orders:read"


async def agent_of_a_program(app: App) -> tuple[ScriptedAgent, Any, dict[str, Any]]:
    """Return an agent connected by a program with a day token, and both tokens."""
    agent = await ann(app)
    rights = {"name": "program", "scopes": ["account:write", "orders:read"], "expires_in_days": 1}
    program = await app.answer("ann", "issue_api_token", rights)
    app.tokens["program"] = program.access_token
    body = {name: value for name, value in agent.link(scope="ops-readonly").items() if name != "state"}
    given = await app.answer("program", "grant_agent_access", {**body, "scopes": ["orders:read"]})
    return agent, program, (await agent.token(given.code)).json()


async def test_an_agent_ends_with_the_token_that_connected_it(app: App) -> None:
    agent, program, given = await agent_of_a_program(app)
    assert (await app.answer("ann", "list_connected_agents")).total == 1
    await app.answer("ann", "revoke_api_token", {"token_id": program.id})
    assert await bearer_of(app, given["access_token"], McpServer.USER) == "INVALID_TOKEN"
    assert (await agent.refresh(given["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await app.answer("ann", "list_connected_agents")).total == 0


async def test_an_agent_expires_no_later_than_the_token_that_connected_it(app: App) -> None:
    agent, program, given = await agent_of_a_program(app)
    app.clock.forward(hours=23, minutes=30)
    refreshed = (await agent.refresh(given["refresh_token"])).json()
    assert refreshed["expires_in"] == 30 * 60
    app.clock.now = program.expires_at
    assert await bearer_of(app, refreshed["access_token"], McpServer.USER) == "TOKEN_EXPIRED"
    assert (await agent.refresh(refreshed["refresh_token"])).json()["error"] == "invalid_grant"


async def test_an_authorization_code_is_invalid_once_the_consenting_token_is_revoked(app: App) -> None:
    agent, program, _ = await agent_of_a_program(app)
    body = {name: value for name, value in agent.link(scope="ops-readonly").items() if name != "state"}
    given = await app.answer("program", "grant_agent_access", {**body, "scopes": ["orders:read"]})
    await app.answer("ann", "revoke_api_token", {"token_id": program.id})
    assert (await agent.token(given.code)).json()["error"] == "invalid_grant"


class TestPublishedAgents:
    def published(self, app: App, **options: Any) -> Documents:
        documents = Documents({ADDRESS: make_document(redirect_uris=["http://127.0.0.1:33418/callback"], **options)})
        app.application.adapters = {**app.application.adapters, AgentDocumentFetcher: documents}
        return documents

    async def test_an_agent_is_identified_by_the_document_at_its_url(self, app: App) -> None:
        documents, agent = self.published(app), await ann(app)
        agent.client_id = ADDRESS
        page = (await agent.page()).text
        assert "Desk assistant" in page
        assert app.application.catalogues.translate("en", "consent.published") in page
        assert (await agent.connected())["scope"] == "orders:read routes:read"
        assert documents.asked == [ADDRESS]

    async def test_changes_to_the_document_apply_after_an_hour(self, app: App) -> None:
        agent = await ann(app)
        self.published(app)
        agent.client_id = ADDRESS
        await agent.page()
        self.published(app, client_name="Renamed")
        assert "Renamed" not in (await agent.page()).text
        app.clock.forward(hours=1, seconds=1)
        assert "Renamed" in (await agent.page()).text

    async def test_no_document_is_fetched_for_anonymous_callers(self, app: App) -> None:
        documents, agent = self.published(app), ScriptedAgent(app)
        agent.client_id = ADDRESS
        turned = await agent.page()
        assert turned.headers["location"].startswith("/sign-in?")
        assert (await app.call(None, "resolve_agent_metadata", {"client_id": ADDRESS})).status == 401
        assert documents.asked == []

    async def test_a_url_without_a_document_is_refused(self, app: App) -> None:
        self.published(app)
        agent = await ann(app)
        agent.client_id = "https://agents.example/other.json"
        answer = await agent.page()
        assert (answer.status_code, "location" in answer.headers) == (400, False)

    async def test_several_installations_can_be_connected_at_the_same_time(self, app: App) -> None:
        self.published(app)
        agent = await ann(app)
        agent.client_id = ADDRESS
        first, _ = await agent.connected(), await agent.connected()
        assert (await bearer_of(app, first["access_token"], McpServer.USER)).user.name == "Ann"
        assert (await app.answer("ann", "list_connected_agents")).total == 2
