"""Errors of interfaces, each with the call that meets it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult
from tests.api.mcp.mcp_servers import serve_mcp
from tests.support.app import App

from haulier.api.graphql.app import GRAPHQL_TYPE
from haulier.api.mcp.confirmation import CONFIRM_DECLINED
from haulier.api.mcp.tool_calls import API_TOKEN_ENDS_AT, API_TOKEN_EXPIRED
from haulier.api.slow_clients import SlowClientLimit
from haulier.contexts.identity import public as access
from haulier.kernel.data.outages import CommitOutcomeUnknown, DatabaseFull, DatabaseUnreachable
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict
from haulier.kernel.operations.enums import Module
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.secrets import KeyUnavailable

DEPOT = {"name": "Yard", "address": "1 Front St", "lat": 43.64, "lng": -79.38}


DEEP = "{ user: __schema { types { " + "ofType { " * 20 + "name" + " }" * 20 + " } } }"


COSTLY = "{ " + " ".join(f"a{n}: orders(per_page: 200) {{ total page }}" for n in range(60)) + " }"


Met = tuple[int, str, str]
"""Status, code and message."""


Meeting = Callable[[App, str], Awaitable[Met]]


def at_rest(method: str, path: str) -> Meeting:
    async def met(app: App, language: str) -> Met:
        answer = await app.http.request(method, path, headers={"accept-language": language})
        return answer.status_code, answer.json()["code"], answer.json()["message"]

    return met


def at_graphql(query: str) -> Meeting:
    async def met(app: App, language: str) -> Met:
        headers = {
            "accept-language": language,
            "authorization": f"Bearer {app.tokens['admin']}",
            "accept": GRAPHQL_TYPE,
        }
        answer = await app.http.post("/graphql", json={"query": query}, headers=headers)
        (error,) = answer.json()["errors"]
        return answer.status_code, error["extensions"]["code"], error["message"]

    return met


def of(outcome: OperationResult) -> Met:
    assert outcome.error, outcome.answer
    return outcome.status, outcome.error["code"], outcome.error["message"]


async def unconfirmed(app: App, language: str) -> Met:
    return of(await app.call("admin", "cancel_order", {"order_id": 1}, confirmed=False, accept_language=language))


async def not_there_yet(app: App, language: str) -> Met:
    app.application.modules_missing = frozenset({Module.BROKER_ORDER_ASSIGNMENTS})
    return of(await app.call("admin", "list_broker_order_assignments", accept_language=language))


async def suspended(app: App, language: str) -> Met:
    async with app.database.write(None) as work:
        plain = work.without_tenant_filter("the operator suspends a client")
        await access.set_client_suspended(plain, app.clients["demo"], suspended=True, now=app.clock())
    return of(await app.call("admin", "get_orders", accept_language=language))


async def under_maintenance(app: App, language: str) -> Met:
    app.application.in_maintenance = True
    return of(await app.call("admin", "create_depot", DEPOT, accept_language=language))


def broken(fault: Exception) -> Meeting:
    """Make the database refuse every write in a given way."""

    class Writing(AbstractAsyncContextManager[Any]):
        async def __aenter__(self) -> Any:
            raise fault

        async def __aexit__(self, *_: object) -> None:
            """Leave without a transaction to end."""

    async def met(app: App, language: str) -> Met:
        app.application.database.write = lambda _: Writing()  # type: ignore[method-assign]
        return of(await app.call("admin", "create_depot", DEPOT, accept_language=language))

    return met


async def from_elsewhere(app: App, language: str) -> Met:
    headers = {"accept-language": language, "origin": "https://evil.example"}
    answer = await app.http.post("/mcp", json={}, headers=headers)
    return answer.status_code, answer.json()["code"], answer.json()["message"]


async def with_a_token_of_old(app: App, language: str) -> Met:
    """Call a developer tool with a token argument, after the support for it ended."""
    app.clock.now = API_TOKEN_ENDS_AT
    params = {"name": "get_integration_guide", "arguments": {"api_token": "a-token"}}
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = await http.post(f"{base}/mcp/developer", json=message, headers={"accept-language": language})
    told = answer.json()["result"]["structuredContent"]
    return API_TOKEN_EXPIRED.status, told["code"], told["message"]


async def in_a_version_of_old(app: App, language: str) -> Met:
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"accept-language": language, "mcp-protocol-version": "1999-01-01"}
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        answer = await http.post(f"{base}/mcp", json=message, headers=headers)
    told = answer.json()["error"]["data"]
    return answer.status_code, told["code"], told["message"]


async def declined(app: App, language: str) -> Met:
    """Call a high-risk tool and decline its confirmation."""

    async def person(context: object, params: object) -> ElicitResult:
        return ElicitResult(action="decline")

    headers = {"Authorization": f"Bearer {app.tokens['admin']}", "accept-language": language}
    async with (
        serve_mcp(app.application) as base,
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http), elicitation_callback=person) as client,
    ):
        told = (await client.call_tool("hold_orders", {"order_ids": [1]})).structured_content or {}
    return CONFIRM_DECLINED.status, told["code"], told["message"]


async def make_change_by_query(app: App, language: str) -> Met:
    asked = {"query": "mutation { logout { result } }"}
    return of(await app.call("admin", "run_graphql_query", asked, accept_language=language))


async def too_slow(app: App, language: str) -> Met:
    """Send a request without ever sending its body."""
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    async def read(scope: Any, receive: Any, send: Any) -> None:
        await receive()

    scope = {"type": "http", "path": "/", "headers": [(b"accept-language", language.encode())]}
    await SlowClientLimit(read, app.application.catalogues, body_s=0.01)(scope, receive, send)
    told = json.loads(sent[1]["body"])
    return sent[0]["status"], told["code"], told["message"]


MEETINGS: Mapping[str, Meeting] = {
    "ROUTE_NOT_FOUND": at_rest("GET", "/api/v1/nowhere"),
    "METHOD_NOT_ALLOWED": at_rest("DELETE", "/api/v1/user/login"),
    "GRAPHQL_INVALID": at_graphql("{ nothing }"),
    "GRAPHQL_TOO_DEEP": at_graphql(DEEP),
    "GRAPHQL_TOO_COSTLY": at_graphql(COSTLY),
    "ONLY_QUERIES": make_change_by_query,
    "ORIGIN_NOT_WELCOME": from_elsewhere,
    "API_TOKEN_EXPIRED": with_a_token_of_old,
    "MCP_VERSION_UNSUPPORTED": in_a_version_of_old,
    "CONFIRM_DECLINED": declined,
    "CONFIRM_REQUIRED": unconfirmed,
    "REQUEST_TOO_SLOW": too_slow,
    "MODULE_NOT_AVAILABLE": not_there_yet,
    "CLIENT_SUSPENDED": suspended,
    "MAINTENANCE": under_maintenance,
    "CONFLICT": broken(UniqueConflict("some_constraint")),
    "BUSY_TRY_AGAIN": broken(TransactionRetry()),
    "DATABASE_UNAVAILABLE": broken(DatabaseUnreachable("away")),
    "DATABASE_FULL": broken(DatabaseFull("no room")),
    "KEY_UNAVAILABLE": broken(KeyUnavailable("no key")),
    "OUTCOME_UNKNOWN": broken(CommitOutcomeUnknown("lost")),
}
