"""A scripted agent and browser that use only the public endpoints."""

import re
from base64 import urlsafe_b64encode
from hashlib import sha256
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from tests.support.app import App

PERSON_PASSWORD = "correct horse battery"
CODE_VERIFIER = "v" * 43
CALLBACK_URL = "http://127.0.0.1:33418/callback"
READ_SCOPES = "orders:read routes:read"
_FIELD = re.compile(r'<input type="(hidden|checkbox)" name="(\w+)" value="([^"]*)"( checked)?>')


def code_challenge(verifier: str = CODE_VERIFIER) -> str:
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")


def query_parameters(location: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


class ConsentForm:
    """A consent page as in a browser: hidden fields and checkboxes with their state."""

    def __init__(self, html: str) -> None:
        found = [(kind, name, unescape(value), bool(checked)) for kind, name, value, checked in _FIELD.findall(html)]
        self.hidden = {name: value for kind, name, value, _ in found if kind == "hidden"}
        self.boxes = {value: checked for kind, _, value, checked in found if kind == "checkbox"}


class ScriptedAgent:
    """One agent, in one person's browser."""

    def __init__(self, app: App, http: httpx.AsyncClient | None = None) -> None:
        self.app = app
        self.http = http or app.http
        self.client_id = ""

    async def register(self, **words: Any) -> httpx.Response:
        body = {"client_name": "Desk assistant", "redirect_uris": [CALLBACK_URL], **words}
        answer = await self.http.post("/oauth/register", json=body)
        if answer.status_code == 201:
            self.client_id = answer.json()["client_id"]
        return answer

    def link(self, **words: str | None) -> dict[str, str]:
        """Return the authorisation URL of the agent, without parameters that are None."""
        asked = {
            "client_id": self.client_id,
            "redirect_uri": CALLBACK_URL,
            "response_type": "code",
            "code_challenge": code_challenge(),
            "code_challenge_method": "S256",
            "scope": READ_SCOPES,
            "state": "st&te",
            "resource": "http://test/mcp",
            **words,
        }
        return {name: value for name, value in asked.items() if value is not None}

    async def sign_in(self, email: str = "ann@demo.example", wanted: str = "") -> httpx.Response:
        """Sign in on the page; its cookie, expired by the real clock, is kept by hand."""
        answer = await self.http.post("/sign-in", data={"email": email, "password": PERSON_PASSWORD, "next": wanted})
        name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
        self.http.cookies.set(name, value)
        return answer

    async def page(self, **words: str | None) -> httpx.Response:
        return await self.http.get("/oauth/authorize", params=self.link(**words))

    async def decide(
        self, ticked: list[str] | None = None, decision: str = "allow", **words: str | None
    ) -> httpx.Response:
        """Open the page and send its form, with the boxes as they are or with others."""
        form = ConsentForm((await self.page(**words)).text)
        boxes = ticked if ticked is not None else [scope for scope, checked in form.boxes.items() if checked]
        return await self.http.post("/oauth/authorize", data={**form.hidden, "scopes": boxes, "decision": decision})

    async def code(self, ticked: list[str] | None = None, **words: str | None) -> str:
        answer = await self.decide(ticked, **words)
        assert answer.status_code == 303, answer.text
        return query_parameters(answer.headers["location"])["code"]

    async def token(self, code: str, **words: str | None) -> httpx.Response:
        asked = {
            "grant_type": "authorization_code",
            "client_id": self.client_id,
            "code": code,
            "code_verifier": CODE_VERIFIER,
            "redirect_uri": CALLBACK_URL,
            "resource": "http://test/mcp",
            **words,
        }
        return await self.http.post("/oauth/token", data={k: v for k, v in asked.items() if v is not None})

    async def refresh(self, refresh_token: str, **words: str) -> httpx.Response:
        asked = {"grant_type": "refresh_token", "client_id": self.client_id, "refresh_token": refresh_token, **words}
        return await self.http.post("/oauth/token", data=asked)

    async def revoke(self, token: str, **words: str) -> httpx.Response:
        return await self.http.post("/oauth/revoke", data={"token": token, "client_id": self.client_id, **words})

    async def connected(self, ticked: list[str] | None = None, **words: str | None) -> dict[str, Any]:
        """The whole way: the tokens of a person who is signed in and said yes."""
        target = {"resource": words["resource"]} if "resource" in words else {}
        answer = await self.token(await self.code(ticked, **words), **target)
        assert answer.status_code == 200, answer.text
        return answer.json()


async def bearer_of(app: App, token: str, server: Any) -> Any:
    """Return the caller that an MCP server identifies by a token, or the error."""
    from haulier.kernel.pipeline.request import OperationRequest
    from haulier.kernel.pipeline.run import handle_request

    operation = app.application.registry["who_am_i"]
    operation_request = OperationRequest(
        operation=operation, interface="mcp", request_id="t", token=token, server=server
    )
    outcome = await handle_request(app.application, operation_request)
    return outcome.error["code"] if outcome.error else outcome.answer


async def create_person(app: App, email: str = "ann@demo.example", account: str = "employee") -> None:
    """Create a user who can sign in on the pages."""
    words = {"name": "Ann", "email": email, "account": account, "password": PERSON_PASSWORD}
    await app.answer("admin", "create_user", words)
