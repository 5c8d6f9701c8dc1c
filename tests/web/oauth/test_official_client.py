"""The official client connects to a real server by link, with a scripted consent."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import httpx
import httpx2
import pytest
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from tests.web.browser import PASSWORD as DEMO_PASSWORD
from tests.web.oauth.scripted_agent import CALLBACK_URL, ConsentForm


class Storage:
    """State of an agent between two starts."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """A user with a browser who selects the given checkboxes."""

    def __init__(self, base: str, who: str, ticks: set[str] | None = None, decision: str = "allow") -> None:
        self.http = httpx.AsyncClient(base_url=base, timeout=60)
        self.email = f"{who}@demo.example"
        self.ticks = ticks
        self.decision = decision
        self.asked: list[set[str]] = []
        self.answer: dict[str, str] = {}

    async def open(self, address: str) -> None:
        """Follow the link of the agent: sign in if required, and submit the form."""
        page = await self.http.get(address)
        if page.status_code == 303:
            wanted = parse_qs(urlsplit(page.headers["location"]).query)["next"][0]
            signing = {"email": self.email, "password": DEMO_PASSWORD, "next": wanted}
            page = await self.http.post("/sign-in", data=signing)
            page = await self.http.get(page.headers["location"])
        form = ConsentForm(page.text)
        self.asked.append(set(form.boxes))
        ticked = sorted(self.ticks & form.boxes.keys() if self.ticks else (s for s, on in form.boxes.items() if on))
        sent = {**form.hidden, "scopes": ticked, "decision": self.decision}
        back = await self.http.post("/oauth/authorize", data=sent)
        assert back.headers["location"].startswith(CALLBACK_URL)
        self.answer = {name: one[0] for name, one in parse_qs(urlsplit(back.headers["location"]).query).items()}

    async def back(self) -> AuthorizationCodeResult:
        """Return what the agent receives at its redirect URL."""
        said = self.answer
        return AuthorizationCodeResult(code=said.get("code", ""), state=said.get("state"), iss=said.get("iss"))


def provider(address: str, person: Person, storage: Storage) -> OAuthClientProvider:
    metadata = OAuthClientMetadata.model_validate({"client_name": "Desk assistant", "redirect_uris": [CALLBACK_URL]})
    return OAuthClientProvider(address, metadata, storage, person.open, person.back)


@asynccontextmanager
async def make_session(address: str, auth: OAuthClientProvider) -> AsyncIterator[ClientSession]:
    async with (
        httpx2.AsyncClient(auth=auth) as http,
        streamable_http_client(address, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        yield session


async def names(session: ClientSession) -> set[str]:
    return {tool.name for tool in (await session.list_tools()).tools}


@pytest.fixture
def base(demo_server: str) -> str:
    """Return the server URL; other tests here cover both databases."""
    return demo_server


async def test_an_agent_connects_by_link_refreshes_and_is_disconnected(base: str) -> None:
    address, person, storage = (
        f"{base}/mcp?profile=ops-write",
        Person(base, "employee", {"orders:read", "routes:read"}),
        Storage(),
    )
    auth = provider(address, person, storage)
    async with make_session(address, auth) as session:
        listed = await names(session)
        found = await session.call_tool("get_orders", {})
        assert found.is_error is False
        assert {"get_orders", "track_package"} <= listed
        assert not listed & {"create_order", "get_drivers"}
        assert "orders:write" in person.asked[0]
        assert storage.tokens
        assert storage.tokens.scope == "orders:read routes:read"
        before = storage.tokens.access_token
        auth.context.token_expiry_time = 1.0  # as if an hour had gone by
        assert await names(session) == listed
        assert storage.tokens.access_token != before
    assert len(person.asked) == 1
    await disconnected(base, person)
    again = Person(base, "employee", {"orders:read"})
    async with make_session(address, provider(address, again, storage)) as session:
        await names(session)
    assert len(again.asked) == 1


async def disconnected(base: str, person: Person) -> None:
    """The person finds the agent in the list and ends it."""
    token = next(cookie.value for cookie in person.http.cookies.jar if "session" in cookie.name)
    headers = {"Authorization": f"Bearer {token}"}
    (one,) = (await person.http.get("/api/v1/user/agents", headers=headers)).json()["agents"]
    assert (one["name"], one["scopes"]) == ("Desk assistant", ["orders:read", "routes:read"])
    ended = await person.http.delete(f"/api/v1/user/agents/{one['id']}", headers=headers)
    assert ended.status_code == 200


async def test_a_user_tool_starts_authorization_and_a_wider_one_requests_more_scopes(base: str) -> None:
    address, person, storage = f"{base}/mcp", Person(base, "admin"), Storage()
    auth = provider(address, person, storage)
    async with make_session(address, auth) as session:
        assert person.asked == []
        assert "track_package" in await names(session)
        assert (await session.call_tool("get_orders", {})).is_error is False
        assert "orders:write" not in person.asked[0]
        person.ticks = {"orders:read", "orders:write"}
        refused = await session.call_tool("hold_order", {"order_id": 10**9, "confirm": True})
        assert refused.structured_content["code"] == "NOT_FOUND"
    assert "orders:write" in person.asked[1]
    assert person.asked[0] <= person.asked[1]


async def test_a_declined_consent_ends_the_flow(base: str) -> None:
    address = f"{base}/mcp/developer?profile=full"
    auth = provider(address, Person(base, "admin", decision="deny"), Storage())
    with pytest.raises(BaseExceptionGroup) as raised:
        async with make_session(address, auth):
            pass
    assert raised.group_contains(OAuthFlowError)
