"""Connecting an agent by a link: from the first rejection to its tokens."""

from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.oauth.scripted_agent import (
    CALLBACK_URL,
    ConsentForm,
    ScriptedAgent,
    bearer_of,
    create_person,
    query_parameters,
)

from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.web.session import PLAIN_SESSION_COOKIE


async def test_a_consenting_user_sends_the_agent_its_code(agent: ScriptedAgent) -> None:
    answer = await agent.decide()
    location = answer.headers["location"]
    assert location.startswith(f"{CALLBACK_URL}?")
    said = query_parameters(location)
    assert said.keys() == {"code", "state", "iss"}
    assert (said["state"], said["iss"]) == ("st&te", "http://test")
    assert answer.headers["cache-control"] == "no-store"


async def test_the_tokens_open_their_server_with_the_granted_scopes(app: App, agent: ScriptedAgent) -> None:
    given = await agent.connected(["orders:read"])
    assert (given["token_type"], given["expires_in"], given["scope"]) == ("Bearer", 3600, "orders:read")
    me = await bearer_of(app, given["access_token"], McpServer.USER)
    assert (me.user.email, me.scopes) == ("ann@demo.example", ["orders:read"])


@for_every("path", ["/mcp", "/api/mcp"])
async def test_a_token_opens_no_other_interface(app: App, agent: ScriptedAgent, path: str) -> None:
    token = (await agent.connected(resource=f"http://test{path}"))["access_token"]
    assert await bearer_of(app, token, McpServer.DEVELOPER) == "INVALID_TOKEN"
    headers = {"Authorization": f"Bearer {token}"}
    rest = await app.http.get("/api/v1/user/me", headers=headers)
    assert (rest.status_code, rest.json()["code"]) == (401, "INVALID_TOKEN")
    graphql = await app.http.post("/graphql", json={"query": "{ whoAmI { result } }"}, headers=headers)
    assert graphql.json()["errors"][0]["extensions"]["code"] == "INVALID_TOKEN"
    page = await app.http.get("/mcp-approvals", headers={"Cookie": f"{PLAIN_SESSION_COOKIE}={token}"})
    assert (page.status_code, page.headers["location"].split("?")[0]) == (303, "/sign-in")


async def test_a_tokens_server_cannot_be_changed(app: App, agent: ScriptedAgent) -> None:
    token = (await agent.connected())["access_token"]
    for prefix in ("hlmcpdev", "hlapi", "hlsession"):
        forged = f"{prefix}_{token.partition('_')[2]}"
        assert await bearer_of(app, forged, McpServer.DEVELOPER) == "INVALID_TOKEN"
        assert await bearer_of(app, forged, None) == "INVALID_TOKEN"


async def test_the_developer_server_has_its_own_tokens(app: App, agent: ScriptedAgent) -> None:
    token = (await agent.connected(resource="http://test/mcp/developer"))["access_token"]
    assert await bearer_of(app, token, McpServer.USER) == "INVALID_TOKEN"
    assert (await bearer_of(app, token, McpServer.DEVELOPER)).user.name == "Ann"


async def test_anonymous_users_sign_in_first_and_return_to_the_same_page(app: App) -> None:
    await create_person(app)
    agent = ScriptedAgent(app)
    await agent.register()
    turned = await agent.page()
    assert (turned.status_code, turned.headers["location"].split("?")[0]) == (303, "/sign-in")
    wanted = query_parameters(turned.headers["location"])["next"]
    back = await agent.sign_in(wanted=wanted)
    assert back.status_code == 303
    shown = await app.http.get(back.headers["location"])
    assert "Desk assistant" in shown.text
    assert ConsentForm(shown.text).hidden["state"] == "st&te"


class TestConsentPage:
    async def test_read_scopes_are_preselected_and_write_scopes_are_not(self, agent: ScriptedAgent) -> None:
        form = ConsentForm((await agent.page(scope="orders:read orders:write routes:read")).text)
        assert form.boxes == {"orders:read": True, "routes:read": True, "orders:write": False}

    async def test_without_a_requested_scope_the_default_profile_is_offered(self, agent: ScriptedAgent) -> None:
        assert set(ConsentForm((await agent.page(scope=None)).text).boxes) == PROFILES["ops-readonly"]

    async def test_a_profile_expands_to_its_scopes(self, agent: ScriptedAgent) -> None:
        assert (
            set(ConsentForm((await agent.page(scope="ops-write offline_access")).text).boxes) == PROFILES["ops-write"]
        )

    async def test_unavailable_scopes_are_not_offered(self, app: App) -> None:
        await create_person(app, "cus@demo.example", "customer")
        agent = ScriptedAgent(app)
        await agent.sign_in("cus@demo.example")
        await agent.register()
        page = (await agent.page(scope="orders:read routes:write")).text
        assert ConsentForm(page).boxes == {"orders:read": True}
        assert "routes:write" in page

    @for_every("language", ["en", "fr", "de", "es", "zh-Hans", "zh-Hant"])
    async def test_the_page_is_in_the_readers_language(self, app: App, agent: ScriptedAgent, language: str) -> None:
        page = (await app.http.get("/oauth/authorize", params={**agent.link(), "lang": language})).text
        for id in ("consent.allow", "consent.unverified", "scope.orders:read"):
            assert app.application.catalogues.translate(language, id) in page
        assert f'<html lang="{language}" dir="ltr">' in page

    async def test_the_agents_name_is_escaped(self, agent: ScriptedAgent) -> None:
        await agent.register(client_name="<script>alert(1)</script>")
        page = (await agent.page()).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page

    async def test_the_page_shows_the_redirect_target(self, agent: ScriptedAgent) -> None:
        await agent.register(redirect_uris=["https://agents.example/back"])
        page = await agent.page(redirect_uri="https://agents.example/back")
        assert "<code>agents.example</code>" in page.text

    async def test_a_form_without_a_selection_is_shown_again(self, agent: ScriptedAgent) -> None:
        answer = await agent.decide([])
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
        assert ConsentForm(answer.text).boxes

    async def test_declining_is_as_prominent_as_accepting(self, app: App, agent: ScriptedAgent) -> None:
        page = (await agent.page()).text
        for decision in ("allow", "deny"):
            assert f'name="decision" value="{decision}"' in page
            assert app.application.catalogues.translate("en", f"consent.{decision}") in page

    async def test_declining_redirects_the_agent_with_an_error(self, agent: ScriptedAgent) -> None:
        said = query_parameters((await agent.decide(decision="deny")).headers["location"])
        assert (said["error"], said["state"], said["iss"]) == ("access_denied", "st&te", "http://test")


class TestRefresh:
    async def test_a_refresh_gives_a_new_pair_and_lets_running_calls_finish(
        self, app: App, agent: ScriptedAgent
    ) -> None:
        first = await agent.connected()
        app.clock.forward(minutes=50)
        second = (await agent.refresh(first["refresh_token"])).json()
        assert second["refresh_token"] != first["refresh_token"]
        assert (await bearer_of(app, second["access_token"], McpServer.USER)).user.name == "Ann"
        assert (await bearer_of(app, first["access_token"], McpServer.USER)).user.name == "Ann"
        app.clock.forward(seconds=61)
        assert await bearer_of(app, first["access_token"], McpServer.USER) == "TOKEN_EXPIRED"
        app.clock.forward(minutes=59)
        assert await bearer_of(app, second["access_token"], McpServer.USER) == "TOKEN_EXPIRED"

    async def test_a_refresh_can_request_fewer_scopes(self, agent: ScriptedAgent) -> None:
        first = await agent.connected()
        second = await agent.refresh(first["refresh_token"], scope="orders:read")
        assert second.json()["scope"] == "orders:read"

    async def test_an_agent_unused_for_a_month_must_be_reconnected(self, app: App, agent: ScriptedAgent) -> None:
        first = await agent.connected()
        app.clock.forward(days=29)
        second = (await agent.refresh(first["refresh_token"])).json()
        app.clock.forward(days=30, seconds=1)
        assert (await agent.refresh(second["refresh_token"])).json()["error"] == "invalid_grant"

    async def test_a_connection_ends_after_a_year(self, app: App, agent: ScriptedAgent) -> None:
        given = await agent.connected()
        for _ in range(18):
            app.clock.forward(days=20)
            given = (await agent.refresh(given["refresh_token"])).json()
        app.clock.forward(days=6)
        assert (await agent.refresh(given["refresh_token"])).json()["error"] == "invalid_grant"

    async def test_permissions_revoked_from_the_user_are_revoked_from_the_agent(
        self, app: App, agent: ScriptedAgent
    ) -> None:
        given = await agent.connected()
        users = await app.answer("admin", "list_users", {"search": "ann@"})
        await app.answer("admin", "disable_user", {"user_id": users.users[0].id})
        assert await bearer_of(app, given["access_token"], McpServer.USER) == "INVALID_TOKEN"
        assert (await agent.refresh(given["refresh_token"])).json()["error"] == "invalid_grant"
